"""The nasty cases of PBN and LIN that deal files in clubs really show, each with the outcome that a dealer needs.

Rows of PBN that `test_pbn.py` has (encodings, tags, comments, spellings, hands) are not repeated here; what becomes of
equal or missing numbers is asked of sets, in the tests of `driver/deals/sets.py`.
"""

from __future__ import annotations

import pytest

from driver.deals.formats import lin, pbn
from driver.deals.model import BoardDeal
from driver.deals.records import Record, Remark
from protocol.cards import Seat
from tests.unit.deal_texts import HANDS, LIN_HANDS, NORTH, OTHER, SOUTH, WEST, shown, work_of

THREE = LIN_HANDS.rpartition(",")[0]


def of_pbn(text: str) -> tuple[Record, ...]:
    return pbn.read(text.encode()).records


def of_lin(text: str) -> Record:
    (record,) = lin.read(text.encode()).records
    return record


def game(board: str, *, deal: str = HANDS, dealer: str = "N", sides: str = "None") -> str:
    return f'[Board "{board}"]\n[Dealer "{dealer}"]\n[Vulnerable "{sides}"]\n[Deal "{deal}"]\n\n'


def test_pbn_without_a_dealer_tag_leaves_the_dealer_to_the_standard_cycle() -> None:
    (record,) = of_pbn(f'[Board "7"]\n[Deal "{HANDS}"]\n')

    assert (record.dealer, record.vulnerability) == (None, None)
    assert record.deal is not None
    assert BoardDeal(7, record.deal, record.dealer).dealer_to_use is Seat.SOUTH


def test_pbn_with_a_dealer_out_of_the_cycle_keeps_the_files_dealer_and_vulnerability() -> None:
    found = of_pbn("".join(game(str(number), dealer="W", sides="All") for number in range(1, 5)))

    assert [record.dealer for record in found] == [Seat.WEST] * 4
    assert {record.vulnerability.text for record in found if record.vulnerability} == {"All"}
    assert not any(
        BoardDeal(1, record.deal, record.dealer, record.vulnerability).is_standard for record in found if record.deal
    )


def test_pbn_with_boards_out_of_order_keeps_the_order_of_the_file() -> None:
    assert [record.number for record in of_pbn(game("3") + game("1", deal=OTHER) + game("2"))] == [3, 1, 2]


@pytest.mark.parametrize(
    ("board", "number"),
    [
        *(("0", None), ("00", None), ("-1", None), ("1.0", None), ("1A", None), ("B2", None), ("3-4", None)),
        *(("01", 1), ("999", 999), ("1000", 1000), ("12345", 12345), ("999999", 999_999), ("1000000", None)),
        ("\u0661\u0662", None),
    ],
)
def test_pbn_board_numbers_are_positive_and_anything_else_stays_a_label(board: str, number: int | None) -> None:
    (record,) = of_pbn(game(board))

    assert (record.board, record.number, shown(record)) == (board, number, HANDS)


@pytest.mark.parametrize("deal", [f"W:{WEST} {NORTH} - {SOUTH}", f"S:{SOUTH} {WEST} {NORTH}"], ids=["dash", "left out"])
def test_pbn_with_exactly_one_unknown_hand_is_no_deal_but_can_be_filled(deal: str) -> None:
    (record,) = of_pbn(game("1", deal=deal))

    assert (record.deal, record.faults) == (None, ("the hand of East is not given",))
    assert record.fill is not None
    assert record.fill.hands_as_pbn() == HANDS


@pytest.mark.parametrize(
    "deal",
    [
        pytest.param(f"N:{NORTH} - {SOUTH} -", id="two unknown"),
        pytest.param(f"N:{NORTH} - {NORTH} {WEST}", id="a hand twice"),
        pytest.param(f"N:{NORTH[:-1]} - {SOUTH} {WEST}", id="a hand of twelve"),
    ],
)
def test_pbn_with_hands_that_do_not_leave_thirteen_cards_cannot_be_filled(deal: str) -> None:
    (record,) = of_pbn(game("1", deal=deal))

    assert (record.deal, record.fill) == (None, None)


def test_pbn_is_read_in_time_that_grows_with_its_size_alone() -> None:
    once = "".join(game(str(number)) for number in range(1, 101))

    assert work_of(lambda: of_pbn(once * 2)) < 2.1 * work_of(lambda: of_pbn(once))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"qx|o7|md|3{THREE}|rh||ah|Board 7|sv|b|pg||", id="no pn"),
        pytest.param(f"pn|a,b,c,d|st||md|3{LIN_HANDS}|ah|Board 7|sv|b|", id="four hands"),
        pytest.param(f"pn|a,b,c,d|st||md|3{THREE},|ah|Board 7|sv|b|", id="a trailing comma"),
        pytest.param(f"md|3,{LIN_HANDS.partition(',')[2]}|ah|Board 7|sv|b|", id="South empty, three others"),
        pytest.param(f"md|3{LIN_HANDS.lower()}|ah|board 7|sv|b|", id="lower case"),
        pytest.param(f"md|3{LIN_HANDS.replace('T', '10')}|ah|Board 7|sv|b|", id="10 for ten"),
        pytest.param(f"md|3{LIN_HANDS}|pn|a,b,c,d|ah|Board 7|sv|b|", id="md before pn"),
        pytest.param(f"pn|a,b,c,d,e,f,g,h|pg||qx|o7|md|3{LIN_HANDS}|sv|b|", id="vugraph with eight names"),
        pytest.param(f"md|3{LIN_HANDS}|ah|Board 7|sv|b|mb|1N|mb|p|pc|SA|pc|S2|mc|9|pg||", id="claim in a trick"),
        pytest.param(f"bn|7|qx|o1|md|3{LIN_HANDS}|ah|Board 7|sv|b|", id="qx counts, ah numbers"),
        pytest.param(f"qx|o11|md|3{LIN_HANDS}|ah|Donne 7|sv|b|", id="qx is not the board"),
    ],
)
def test_lin_is_read_however_programs_write_it(text: str) -> None:
    record = of_lin(text)

    assert (record.number, record.dealer, shown(record), record.remarks) == (7, Seat.NORTH, HANDS, ())
    assert record.vulnerability is not None
    assert record.vulnerability.text == "All"


@pytest.mark.parametrize("digit", ["", "0"], ids=["no dealer digit", "digit 0"])
def test_lin_without_a_dealer_leaves_it_to_the_standard_cycle_with_a_remark(digit: str) -> None:
    record = of_lin(f"md|{digit}{LIN_HANDS}|ah|Board 7|")

    assert (record.dealer, record.remarks, shown(record)) == (None, (Remark.NO_DEALER,), HANDS)
    assert record.deal is not None
    assert BoardDeal(7, record.deal, record.dealer).dealer_to_use is Seat.SOUTH


def test_lin_with_a_suit_letter_missing_is_refused() -> None:
    record = of_lin(f"md|3{LIN_HANDS.removeprefix('S')}|")

    assert (record.deal, record.faults) == (None, ("a card without the letter of its suit",))
