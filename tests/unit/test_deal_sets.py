"""From records to sets: what is one board, where another set begins, what blocks, what looks like a mistake.

Read next: `driver/deals/sets.py`, `driver/deals/drafts.py`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.drafts import suspicions
from driver.deals.model import BoardDeal, Deal, DealSet, Vulnerability
from driver.deals.records import Contents, Record, fill_fourth
from driver.deals.sets import fillable, is_unnumbered, sets_from
from driver.errors import BadDeal
from protocol.cards import Seat

BAD = 0
"""As the deal of a record: it cannot be dealt."""


def deal(seed: int) -> Deal:
    """A deal that is the same for the same seed."""
    owners = [seat for seat in range(4) for _ in range(13)]
    random.Random(seed).shuffle(owners)
    return Deal(owners)


def record(board: object, seed: int = BAD, *, line: int = 1, event: str = "", date: str = "", room: str = "") -> Record:
    whole = seed != BAD
    return Record(
        line,
        str(board),
        deal=deal(seed) if whole else None,
        faults=() if whole else ("spade ace twice",),
        event=event,
        date=date,
        room=room,
    )


def records(*boards: tuple[int, int]) -> list[Record]:
    """Records of (number, seed of the deal), the lines counted from 1."""
    return [record(number, seed, line=line) for line, (number, seed) in enumerate(boards, start=1)]


def split(found: Sequence[Record]) -> list[tuple[int, ...]]:
    return [one.numbers for one in sets_from(Contents(tuple(found)), name="x")]


def rising(first: int, last: int, plus: int = 0) -> list[tuple[int, int]]:
    """The boards first to last, each with a deal of its own, other ones for another `plus`."""
    return [(number, number + plus) for number in range(first, last + 1)]


@pytest.mark.parametrize(
    ("boards", "sets"),
    [
        ([*rising(1, 4), *rising(1, 4, 100)], [(1, 2, 3, 4)] * 2),
        ([*rising(5, 8), *rising(1, 8, 100)], [(5, 6, 7, 8), tuple(range(1, 9))]),
        ([*rising(1, 16), *rising(9, 24, 100)], [tuple(range(1, 17)), tuple(range(9, 25))]),
        ([*rising(1, 4), *rising(1, 4, 100), *rising(1, 4, 200)], [(1, 2, 3, 4)] * 3),
        ([*rising(1, 4)[::-1], *rising(1, 4, 100)[::-1]], [(4, 3, 2, 1)] * 2),
        ([(1, BAD), (2, 2), (3, 3), (1, 11), (2, 12), (3, 13)], [(2, 3), (1, 2, 3)]),
        ([(1, 1), (2, 2), (3, 3), (1, BAD), (2, 12), (3, 13)], [(1, 2, 3), (2, 3)]),
        ([*rising(3, 6), (1, 1), (2, BAD), *rising(3, 6, 100)], [(3, 4, 5, 6), (1, 3, 4, 5, 6)]),
        ([(3, 3), (1, 1), (2, 2), (3, 13), (1, 11), (2, 12)], [(3, 1, 2)] * 2),
    ],
    ids=[
        "as before",
        "below the first",
        "in the middle",
        "three",
        "downwards",
        "first damaged",
        "first again damaged",
        "below and damaged",
        "any order",
    ],
)
def test_numbers_that_start_again_begin_another_set(boards: list[tuple[int, int]], sets: list[tuple[int, ...]]) -> None:
    assert split(records(*boards)) == sets


@pytest.mark.parametrize(
    ("boards", "numbers"),
    [
        ([(3, 3), (1, 1), (2, 2)], (3, 1, 2)),
        ([*rising(17, 20), *rising(1, 4)], (17, 18, 19, 20, 1, 2, 3, 4)),
        ([*rising(1, 3), *rising(1, 3)], (1, 2, 3)),
        ([(1, 1), (1, 1), (2, 2), (2, 2), (1, 1)], (1, 2)),
        ([*rising(1, 4), (1, BAD), *rising(2, 4)], (1, 2, 3, 4)),
    ],
    ids=["any order", "back, but no number again", "closed room after open room", "several tables", "damaged copy"],
)
def test_without_a_number_with_two_deals_a_file_is_one_set(
    boards: list[tuple[int, int]], numbers: tuple[int, ...]
) -> None:
    assert split(records(*boards)) == [numbers]


@pytest.mark.parametrize(
    ("boards", "first", "second", "number"),
    [
        ([*rising(1, 4), (3, 103)], 3, 5, 3),
        ([(1, 1), (2, 2), (2, 102), (3, 3)], 2, 3, 2),
        ([*rising(1, 3), (1, 1), (2, 102), (3, 3)], 2, 5, 2),
        ([*rising(1, 36), (17, 117), (18, 118)], 17, 37, 17),
        ([(1, 1), (1, 101)], 1, 2, 1),
    ],
    ids=["a correction", "at once", "one board of another table", "two corrections", "nothing else"],
)
def test_a_number_with_two_deals_within_a_set_blocks_and_both_places_are_named(
    boards: list[tuple[int, int]], first: int, second: int, number: int
) -> None:
    found = rf"Board {number} .* at line {first} and line {second}\."

    with pytest.raises(BadDeal, match=found) as caught:
        split(records(*boards))
    assert caught.value.line == second
    assert caught.value.hint.startswith("Nothing was dealt.")


def test_a_contradiction_in_a_binary_file_names_bytes() -> None:
    found = [Record(offset, "7", deal=deal(seed), by_offset=True) for seed, offset in enumerate((128, 256), start=1)]

    with pytest.raises(BadDeal, match="at byte 128 and byte 256") as caught:
        split(found)
    assert caught.value.line is None


@pytest.mark.parametrize("in_turn", [True, False], ids=["one after the other", "board by board"])
def test_each_event_and_date_is_a_set_where_a_number_has_different_hands_under_two(in_turn: bool) -> None:
    a = [record(number, number, event="Pairs", date="2026.03.10") for number in (1, 2, 3)]
    b = [record(number, number + 100, event="Pairs", date="2026.03.17") for number in (1, 2, 3)]
    found = [*a, *b] if in_turn else [one for both in zip(a, b, strict=True) for one in both]

    sets = sets_from(Contents(tuple(found)), name="x")

    assert [(one.numbers, one.event, one.date) for one in sets] == [
        ((1, 2, 3), "Pairs", "2026.03.10"),
        ((1, 2, 3), "Pairs", "2026.03.17"),
    ]
    assert [one.name for one in sets] == ["x (set 1)", "x (set 2)"]
    assert [[board.deal for board in one] for one in sets] == [
        [deal(1), deal(2), deal(3)],
        [deal(101), deal(102), deal(103)],
    ]


def test_records_without_event_belong_to_the_event_before() -> None:
    found = [record(1, 1, event="A"), record(2, 2), record(1, 101, event="B"), record(2, 102)]

    assert [(one.numbers, one.event) for one in sets_from(Contents(tuple(found)), name="x")] == [
        ((1, 2), "A"),
        ((1, 2), "B"),
    ]


def test_several_events_with_the_same_hands_are_one_set_with_a_note() -> None:
    found = [record(1, 1, event="A"), record(1, 1, event="B"), record(2, 2, event="B")]

    (only,) = sets_from(Contents(tuple(found)), name="x")

    assert (only.numbers, only.event) == ((1, 2), "A")
    assert "The boards carry more than one event or date; the first is shown." in only.notes


@pytest.mark.parametrize("rooms", [("o", "c"), ("c", "o")])
def test_rooms_that_differ_are_a_set_each_and_the_board_is_named(rooms: tuple[str, str]) -> None:
    seeds = {"o": (1, 2, 3), "c": (1, 102, 3)}
    found = [record(number, seeds[room][number - 1], room=room) for number in (1, 2, 3) for room in rooms]

    sets = sets_from(Contents(tuple(found)), name="final")

    assert [one.name for one in sets] == ["final (open room)", "final (closed room)"]
    for one, room in zip(sets, "oc", strict=True):
        assert [board.deal for board in one] == [deal(seed) for seed in seeds[room]]
        assert "Board 2: the open and the closed room have different hands." in one.notes


def test_a_third_deal_for_a_board_of_two_rooms_blocks() -> None:
    found = [record(1, 1, room="o"), record(1, 2, room="c"), record(1, 3, room="c")]

    with pytest.raises(BadDeal, match="different hands"):
        split(found)


def test_both_rooms_of_two_segments_are_two_sets() -> None:
    found = [record(number, seed + number, room=room) for seed in (0, 100) for number in (1, 2) for room in "oc"]

    assert split(found) == [(1, 2), (1, 2)]


@given(st.permutations(list(range(1, 9))), st.booleans())
def test_any_order_of_different_boards_is_one_set_in_that_order(order: list[int], twice: bool) -> None:
    boards = [(number, number) for number in order] * (2 if twice else 1)

    assert split(records(*boards)) == [tuple(order)]


def test_two_sessions_in_the_same_order_are_never_mixed() -> None:
    for order in permutations(range(1, 5)):
        boards = [(number, number + plus) for plus in (0, 100) for number in order]
        sets = sets_from(Contents(tuple(records(*boards))), name="x")
        assert [[board.deal for board in one] for one in sets] == [
            [deal(number + plus) for number in order] for plus in (0, 100)
        ]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), max_size=14))
def test_any_records_give_sets_of_their_own_deals_or_are_refused(boards: list[tuple[int, int]]) -> None:
    try:
        sets = sets_from(Contents(tuple(records(*boards))), name="x")
    except BadDeal:
        return
    given_deals = {(number, deal(seed)) for number, seed in boards if seed != BAD}
    assert {(board.number, board.deal) for one in sets for board in one} == given_deals
    assert len(sets) == 1 or all(one.boards for one in sets)


def test_one_note_of_the_whole_file_tells_of_unusual_dealers() -> None:
    found = [
        Record(1, str(number), Seat.WEST, Vulnerability.ALL, deal=deal(number + plus))
        for plus in (0, 100)
        for number in (1, 2, 3)
    ]

    sets = sets_from(Contents(tuple(found)), name="x")

    told = "Boards 1-3: not the dealer and vulnerability that Law 2 gives; the file's are kept."
    assert [one.notes for one in sets] == [(told,), (told,)]
    assert all(board.dealer_to_use is Seat.WEST for one in sets for board in one)


def test_boards_without_numbers_begin_where_a_person_says() -> None:
    contents = Contents(tuple(Record(128 * place, deal=deal(place)) for place in (1, 2, 3)))

    assert is_unnumbered(contents)
    assert sets_from(contents, name="x", first_board=90)[0].numbers == (90, 91, 92)
    assert sets_from(contents, name="x")[0].numbers == (1, 2, 3)


def test_a_format_that_numbers_by_place_keeps_the_places_of_damaged_records() -> None:
    found = (record(1, 1), record(2, BAD), record(4, 4))
    contents = Contents(found, by_place=True)

    (deals,) = sets_from(contents, name="x", first_board=17)

    assert is_unnumbered(contents)
    assert deals.numbers == (17, 20)
    assert [bad.board for bad in deals.problems] == ["18"]


def test_labels_alone_are_no_numbers_and_are_shown() -> None:
    contents = Contents((record("1A", 1), record("2A", 2), record("3A", 3)))

    (deals,) = sets_from(contents, name="x", first_board=7)

    assert is_unnumbered(contents)
    assert deals.numbers == (7, 8, 9)
    assert deals.notes == (
        'The file has no board numbers, it calls its boards "1A", "2A" …: its first board is number 7, as you said.',
    )


def test_a_first_board_changes_nothing_where_the_file_has_numbers() -> None:
    contents = Contents((record(5, 1), record("1A", 2)))

    (deals,) = sets_from(contents, name="x", first_board=90)

    assert not is_unnumbered(contents)
    assert deals.numbers == (5,)
    assert [bad.board for bad in deals.problems] == ["1A"]


def test_the_only_unknown_hand_is_filled_in_when_it_is_said() -> None:
    hands = [deal(1).hand(seat) if seat is not Seat.WEST else None for seat in Seat]
    unknown = Record(4, "1", hands=tuple(hands), faults=("the hand of West is not given",), fill=fill_fourth(hands))
    contents = Contents((unknown, record(2, 2)))

    (left,) = sets_from(contents, name="x")
    (filled,) = sets_from(contents, name="x", fill=True)

    assert fillable(contents) == 1
    assert (left.numbers, len(left.problems)) == ((2,), 1)
    assert [board.deal for board in filled] == [deal(1), deal(2)]
    assert filled.notes == ("Board 1: one hand is not given; it gets the cards that are left.",)


def one_suit_each() -> list[Deal]:
    return [Deal([seat for seat in seats for _ in range(13)]) for seats in permutations(range(4))]


def test_all_24_deals_of_one_suit_each_are_suspect() -> None:
    deals = one_suit_each()
    assert len(set(deals)) == 24

    for unshuffled in deals:
        (sentence,) = suspicions([BoardDeal(7, unshuffled), BoardDeal(8, deal(1))])
        assert sentence == "Board 7: this is a pack that nobody has shuffled."


def test_the_same_hands_under_two_numbers_are_suspect_and_one_number_twice_is_not() -> None:
    (twins,) = sets_from(Contents(tuple(records((1, 1), (2, 2), (3, 1)))), name="x")
    (tables,) = sets_from(Contents(tuple(records((1, 1), (1, 1), (2, 2)))), name="x")

    assert twins.suspect == ("Boards 1, 3 have the same hands.",)
    assert tables.suspect == ()


def test_of_many_suspect_boards_a_few_are_named() -> None:
    boards = [BoardDeal(number, deal(number // 2)) for number in range(2, 22)]

    found = suspicions(boards)

    assert len(found) == 6
    assert found[-1] == "So do other boards, in 5 more groups."
    (one,) = suspicions([BoardDeal(number, deal(1)) for number in range(2, 2000, 2)])
    assert len(one) < 120


def test_a_set_shows_no_hand_in_its_texts() -> None:
    (deals,) = sets_from(Contents((record(1, 1), record(2, BAD), record(3, 1))), name="x")

    assert isinstance(deals, DealSet)
    assert deal(1).hands_as_pbn().split()[1] not in repr(deals)
    assert not any(hand in repr(deals) for hand in deal(1).hands_as_pbn()[2:].split())
