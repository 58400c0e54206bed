"""Lessons: typed, chosen and wished-for hands become a set of their own kind; whatever is read, no other error.

Read next: `driver/lessons.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driver.deals.loader import load_deals
from driver.deals.wishes import parse_wishes
from driver.errors import BadDeal, BadSyntax, DealFileError, JobError, NothingOpen, UnknownFormat
from driver.lessons import EVENT, make_lesson, open_boards, picked, read_lesson
from driver.making import deals_of
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetKind
from protocol.cards import Card, Seat, Suit
from tests.cli.program import CLUB
from tests.support.store import Clock, opened

SOLID = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
TYPED = "# to be opened one notrump\n\n1 N:AKxx.Q?.?.? - - -\nboard 4: E:- .AKQ?.?.? - -\nN:- - - AK.?.?.?\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "data") as store:
        yield store


def file_with(text: str, folder: Path, name: str = "lesson.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_typed_lesson_is_filled_around_its_cards_and_numbered_on(tmp_path: Path, store: Store) -> None:
    added = make_lesson(store, read_lesson(file_with(TYPED, tmp_path)), name="notrumps", now=Clock())
    deals = deals_of(store, added.stored)
    first, second, third = deals

    assert (added.stored.kind, added.stored.name, added.stored.event) == (SetKind.LESSON, "notrumps", EVENT)
    assert deals.numbers == (1, 4, 5)
    north = first.deal.hand(Seat.NORTH)
    assert {Card.of(Suit.SPADES, "A"), Card.of(Suit.SPADES, "K"), Card.of(Suit.HEARTS, "Q")} <= set(north)
    assert sum(card.suit is Suit.SPADES for card in north) == 4
    assert not any(card.suit is Suit.SPADES for card in second.deal.hand(Seat.SOUTH))
    assert third.deal.owner(Card.of(Suit.SPADES, "A")) is Seat.WEST


def test_what_is_not_given_is_different_each_time(tmp_path: Path, store: Store) -> None:
    boards = read_lesson(file_with(TYPED, tmp_path))
    one, other = (make_lesson(store, boards, now=Clock()).stored for _ in range(2))

    assert one.id != other.id
    assert {board.deal for board in deals_of(store, one)} != {board.deal for board in deals_of(store, other)}


def test_a_deal_file_gives_whole_boards_of_which_some_are_picked(store: Store) -> None:
    boards = picked(read_lesson(CLUB), (7, 3))
    stored = make_lesson(store, boards, now=Clock()).stored
    club = load_deals(CLUB)

    for board in deals_of(store, stored):
        found = club.find(board.number)
        assert found is not None
        assert found.deal == board.deal
    assert deals_of(store, stored).numbers == (7, 3)


def test_the_same_whole_hands_again_are_the_lesson_that_is_there(store: Store) -> None:
    boards = picked(read_lesson(CLUB), (7, 3))
    first, again = (make_lesson(store, boards, now=Clock()) for _ in range(2))

    assert (first.is_new, again.is_new) == (True, False)
    assert [entry.what for entry in store.decisions.newest_first()] == [Decision.SET_MADE]


def test_a_pbn_file_may_have_small_cards_and_hands_that_are_not_given(tmp_path: Path, store: Store) -> None:
    text = '[Event "x"]\n[Board "9"]\n[Deal "N:AKxx.Q?.?.? - - -"]\n{ a comment }\n[Board "12"]\n[Deal "W:- - - -"]\n'
    boards = read_lesson(file_with(text, tmp_path, "lesson.pbn"))

    assert [board.number for board in boards] == [9, 12]
    assert make_lesson(store, boards, now=Clock()).stored.board_range == "9, 12"


def test_hands_that_a_deal_file_does_not_give_are_filled(tmp_path: Path, store: Store) -> None:
    text = '[Board "2"]\n[Deal "N:AKQJT98765432... - - -"]\n'
    stored = make_lesson(store, read_lesson(file_with(text, tmp_path, "x.pbn")), now=Clock()).stored
    (board,) = deals_of(store, stored)

    assert all(card.suit is Suit.SPADES for card in board.deal.hand(Seat.NORTH))


def test_wishes_hold_for_every_board(store: Store) -> None:
    wishes = parse_wishes("N: 5+ spades; S: 0-2 hearts")
    stored = make_lesson(store, open_boards(8), wishes, now=Clock()).stored

    for board in deals_of(store, stored):
        assert sum(card.suit is Suit.SPADES for card in board.deal.hand(Seat.NORTH)) >= 5
        assert sum(card.suit is Suit.HEARTS for card in board.deal.hand(Seat.SOUTH)) <= 2


def test_a_whole_deal_that_is_not_as_wished_is_refused_at_once(tmp_path: Path, store: Store) -> None:
    boards = read_lesson(file_with(SOLID, tmp_path))

    with pytest.raises(JobError, match="as wished"):
        make_lesson(store, boards, parse_wishes("N: 5+ hearts"), now=Clock())
    assert store.sets.newest_first() == []


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("N:AKQ - - -\n", BadSyntax, "line 1"),
        ("1 N:- - - -\nand so on\n", BadSyntax, "line 2"),
        ("1 N:- - - -\n1 N:A?.?.?.? - - -\n", BadDeal, "Board 1 is in the file twice"),
        ("1 N:A?.?.?.? A?.?.?.? - -\n", BadDeal, "spade ace twice"),
        ("hello there\n", UnknownFormat, "no deal format"),
        ("", UnknownFormat, "empty"),
    ],
)
def test_a_lesson_that_cannot_be_read_is_refused_with_its_line(
    text: str, error: type[DealFileError], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error) as caught:
        read_lesson(file_with(text, tmp_path))

    assert words in f"{caught.value} line {caught.value.line}"
    assert caught.value.path == str(tmp_path / "lesson.txt")


def test_hands_that_no_deal_has_are_refused_with_the_board(tmp_path: Path, store: Store) -> None:
    boards = read_lesson(file_with("3 N:AKQJT98765432.A?.?.? - - -\n", tmp_path))

    with pytest.raises(BadDeal, match="Board 3: No deal"):
        make_lesson(store, boards, now=Clock())


def test_a_file_that_is_not_there_and_a_board_that_is_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="no such file"):
        read_lesson(tmp_path / "none.txt")
    with pytest.raises(NothingOpen, match="no board 99"):
        picked(read_lesson(CLUB), (1, 99))


def test_no_text_of_a_lesson_shows_a_card(tmp_path: Path) -> None:
    assert "A" not in repr(read_lesson(file_with(SOLID, tmp_path))[0]).replace("LessonBoard", "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=300)
    | st.lists(st.sampled_from(["N:", "-", "AKxx", ".", "?", " ", "\n", '[Deal "', '"]', "7", "S:", "#"])).map(
        lambda words: "".join(words).encode()
    )
)
def test_any_bytes_give_boards_or_a_deal_file_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.txt"
    path.write_bytes(data)
    try:
        boards = read_lesson(path)
    except DealFileError:
        return
    assert boards
    assert len({board.number for board in boards}) == len(boards)
