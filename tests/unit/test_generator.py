"""Made sets: 36 boards and 4 spare deals from 32 secret bytes, fixed step by step, made again, never shown.

Read next: `driver/deals/generator.py`.
"""

from __future__ import annotations

import copy
import pickle
import tomllib
from datetime import date
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver.deals.fairness import deal_of, secret_digest, session_key, with_cut
from driver.deals.generator import Championship, MadeSet, fill_lesson, make, new_secret, remade
from driver.deals.lesson import parse_given
from driver.deals.model import standard_dealer, standard_vulnerability
from driver.deals.public_value import NO_RULE, lottery_rule
from driver.deals.wishes import parse_wishes
from driver.errors import BadSyntax, ConfigError, DealFileError, JobError
from protocol.cards import Seat, Suit

TYPED = tomllib.loads((Path(__file__).parents[1] / "data" / "made_set.toml").read_text(encoding="utf-8"))
SECRET = bytes.fromhex(TYPED["secret"])
SECOND = bytes(range(100, 132))
VALUE = "3 6 9 13 26 40"
PUBLIC = Championship(
    club="Club Ö",
    event="Club  championship",
    session="2026-11-30/1",
    rule=lottery_rule("Lotto 6/49", date(2026, 11, 29)),
)


def test_a_game_set_has_36_boards_with_the_dealers_and_vulnerabilities_of_the_laws() -> None:
    made = make()
    boards = made.boards()

    assert [board.number for board in boards] == list(range(1, 37))
    assert all(board.dealer is standard_dealer(board.number) for board in boards)
    assert all(board.vulnerability is standard_vulnerability(board.number) for board in boards)
    assert len({board.deal for board in boards} | set(made.spares)) == 40


def test_nothing_need_be_named_or_published_for_a_game_set() -> None:
    made = make()

    assert made.is_complete
    assert (made.manifest.club, made.manifest.event, made.manifest.session) == ("", "", "")
    assert made.manifest.rule == NO_RULE
    assert made.manifest.boards == "1-36"
    assert made.manifest.sets == ("original", "reserve-1")
    assert made.manifest.secret_sha256 == secret_digest(made.secret)


def test_board_and_spare_deals_are_those_that_anybody_can_compute() -> None:
    made = make()
    key = session_key(made.manifest, made.secret)

    assert made.boards([17])[0].deal == deal_of(key, "original", 17)
    assert made.spares == tuple(deal_of(key, "reserve-1", number) for number in (1, 2, 3, 4))


def test_some_boards_are_the_same_as_in_the_whole_set_in_the_order_asked_for() -> None:
    made = make()
    whole = made.boards()

    assert made.boards(range(17, 20)) == whole[16:19]
    assert made.boards([3, 1]) == (whole[2], whole[0])
    assert made.deal_set("tuesday").boards == whole


def test_two_sets_have_nothing_in_common() -> None:
    one, other = make(), make()

    assert one.secret != other.secret
    assert not {board.deal for board in one.boards()} & {board.deal for board in other.boards()}


def test_the_secret_is_32_bytes_asked_of_the_operating_system_and_of_nobody_else(mocker: MockerFixture) -> None:
    asked = mocker.patch("secrets.token_bytes", return_value=SECRET)

    assert make().secret == new_secret() == SECRET
    assert [call.args for call in asked.call_args_list] == [(32,), (32,)]


def test_a_supplement_begins_with_board_37_and_has_a_secret_of_its_own() -> None:
    supplement = make(first_board=37)

    assert [board.number for board in supplement.boards()] == list(range(37, 73))
    assert supplement.boards([37])[0].dealer is Seat.NORTH
    with pytest.raises(ValueError, match="boards"):
        make(first_board=0)


def test_a_board_that_is_not_in_the_set_is_refused_with_the_way_out() -> None:
    with pytest.raises(JobError, match="Board 37 is not in this set, which has boards 1-36") as caught:
        make().boards(range(30, 40))

    assert "further set" in caught.value.hint


def test_a_championship_waits_for_its_public_value() -> None:
    made = make(PUBLIC)

    assert (made.manifest.club, made.manifest.event) == ("Club Ö", "Club championship")
    assert not made.is_complete
    with pytest.raises(JobError, match="public value is missing"):
        made.boards()
    with pytest.raises(JobError, match="public value is missing"):
        _ = made.spares

    fixed = made.with_public_value("40, 26, 13, 9, 6, 3")
    assert fixed.public_value == VALUE
    key = session_key(made.manifest, made.secret, VALUE)
    assert fixed.boards([1])[0].deal == deal_of(key, "original", 1)
    assert fixed.deal_set("final").event == "Club championship"


def test_the_public_value_is_fixed_once() -> None:
    fixed = make(PUBLIC).with_public_value(VALUE)

    assert fixed.with_public_value(VALUE) == fixed
    with pytest.raises(JobError, match="already"):
        fixed.with_public_value("1 2 3 4 5 6")
    with pytest.raises(ConfigError, match="with a space between them"):
        make(PUBLIC).with_public_value("about 40")
    with pytest.raises(ConfigError, match="without a public value"):
        make().with_public_value(VALUE)


def test_a_second_person_holds_half_of_the_secret() -> None:
    made = make(Championship(second_sha256=secret_digest(SECOND)))

    assert not made.is_complete
    with pytest.raises(JobError, match="second person's secret is missing"):
        made.boards()
    with pytest.raises(DealFileError, match="does not belong to this set"):
        made.with_second(SECRET)
    assert len(made.with_second(SECOND).boards()) == 36
    with pytest.raises(DealFileError, match="does not belong to this set"):
        make().with_second(SECOND)


def test_the_players_cut_goes_into_the_secret_before_it_is_fixed(mocker: MockerFixture) -> None:
    mocker.patch("secrets.token_bytes", return_value=SECRET)

    made = make(Championship(cut="seven"))

    assert made.secret == with_cut(SECRET, "seven") != SECRET
    assert made.manifest.secret_sha256 == secret_digest(made.secret)


@pytest.mark.parametrize("name", ["x" * 201, "a\x00b", "\ud800"])
def test_a_name_that_is_no_line_of_text_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="one line"):
        make(Championship(event=name))


def test_a_set_is_made_again_from_its_description_and_its_secret() -> None:
    game, final = make(), make(PUBLIC).with_public_value(VALUE)
    pair = make(Championship(second_sha256=secret_digest(SECOND))).with_second(SECOND)

    assert remade(game.manifest.text, game.secret) == game
    assert remade(final.manifest.text, final.secret, VALUE) == final
    assert not remade(final.manifest.text, final.secret).is_complete
    assert remade(pair.manifest.text, pair.secret, second=SECOND).boards() == pair.boards()


def test_the_published_set_is_made_again_with_its_deals() -> None:
    made = remade(TYPED["description"], SECRET, TYPED["public_value"])

    deals = {(row["set"], row["number"]): row["deal"] for row in TYPED["board"]}
    assert made.boards([16])[0].deal.hands_as_pbn() == deals["original", 16]
    assert [deal.hands_as_pbn() for deal in made.spares[:2]] == [deals["reserve-1", 1], deals["reserve-1", 2]]


def test_a_set_is_not_made_again_from_what_does_not_belong_together() -> None:
    made = make()

    with pytest.raises(DealFileError, match="does not belong to this set"):
        remade(made.manifest.text, SECRET)
    with pytest.raises(DealFileError, match="does not belong to this set"):
        remade(made.manifest.text, b"short")
    with pytest.raises(BadSyntax):
        remade(made.manifest.text[1:], made.secret)
    with pytest.raises(ConfigError):
        remade(made.manifest.text, made.secret, "7")


def test_a_made_set_shows_neither_its_secrets_nor_a_hand() -> None:
    made = make(Championship(second_sha256=secret_digest(SECOND))).with_second(SECOND)
    shown = repr(made) + str(made) + repr(made.boards()) + repr(made.spares) + repr(made.deal_set("final"))

    for secret in (made.secret, made.second):
        assert secret.hex() not in shown
        assert repr(secret) not in shown
    for board in made.boards():
        assert not any(hand in shown for hand in board.deal.hands_as_pbn()[2:].split())


def test_a_made_set_is_copied_and_compared_by_value() -> None:
    made = make()

    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
    assert isinstance(made, MadeSet)


def test_a_lesson_is_filled_with_chance_from_the_operating_system() -> None:
    given = parse_given("N:AKQxx.?.?.? - - -")
    deals = {fill_lesson(given, parse_wishes("N: 12-19 hcp; S: 3+ spades")) for _ in range(20)}

    assert len(deals) == 20
    for deal in deals:
        assert sum(card.suit is Suit.SPADES for card in deal.hand(Seat.SOUTH)) >= 3
