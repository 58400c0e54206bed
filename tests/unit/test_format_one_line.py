"""The one-line texts of `dealer` (a letter for each seat) and of `deal` (bars between the hands, blanks that count).

Read next: `driver/deals/formats/one_line.py`.
"""

from __future__ import annotations

import pytest

from driver.deals.formats import one_line
from driver.deals.records import Confidence, Record
from tests.unit.deal_texts import EAST, HANDS, NORTH, OTHER, SOUTH, SUITS, WEST, shown

LINE = f"n {NORTH} e {EAST} s {SOUTH} w {WEST} \n"
OTHER_LINE = f"n {SUITS[0]} e {SUITS[1]} s {SUITS[2]} w {SUITS[3]} \n"
COMPACT = f"n {NORTH}\ne {EAST}\ns {SOUTH}\nw {WEST}\n"
STATISTICS = "Generated 2 hands\nProduced 2 hands\nInitial random seed 42\nTime needed    0.000 sec\n"
BARRED = "|".join(hand.replace(".", " ") for hand in (NORTH, EAST, SOUTH, WEST)) + "\n"
OTHER_BARRED = "|".join(hand.replace(".", " ") for hand in SUITS) + "\n"
WITH_TRICKS = "|".join((NORTH, EAST, SOUTH, WEST)) + "|8 0 0 3 0|4 12 13 10 8|8 0 0 3 0|4 12 13 10 8\n"


def lettered(text: str) -> tuple[Record, ...]:
    return one_line.read_lettered(text.encode()).records


def barred(text: str) -> tuple[Record, ...]:
    return one_line.read_barred(text.encode()).records


def test_each_line_of_dealer_is_a_deal_without_a_number_and_statistics_are_passed_over() -> None:
    first, second = lettered(LINE + OTHER_LINE + STATISTICS)

    assert (first.line, first.board, first.dealer, shown(first)) == (1, "", None, HANDS)
    assert (second.line, shown(second)) == (2, OTHER)
    assert not one_line.read_lettered(LINE.encode()).by_place


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(COMPACT, id="four lines"),
        pytest.param(COMPACT.replace("\n", "\r\n"), id="four lines with CRLF"),
        pytest.param("\n\n" + COMPACT + "\n\n", id="blank lines around"),
        pytest.param(LINE.upper(), id="capitals"),
        pytest.param(LINE.replace("T", "10"), id="10 for ten"),
        pytest.param(f"w {WEST} n {NORTH} e {EAST} s {SOUTH}", id="another seat first"),
        pytest.param(LINE.replace(" ", "\t "), id="tabs and blanks"),
        pytest.param(LINE.rstrip() + " 12.5 yes\n", id="values of expressions behind"),
        pytest.param(LINE.rstrip() + ";01020304050607080900\n", id="tricks behind a semicolon"),
        pytest.param(COMPACT + "17\n", id="a value after four lines"),
    ],
)
def test_a_deal_of_dealer_is_read_in_every_form(text: str) -> None:
    assert [shown(record) for record in lettered(text)] == [HANDS]
    assert one_line.recognise_lettered(text.encode()) is (Confidence.NO if "10" in text.split()[1] else Confidence.SURE)


def test_deals_on_four_lines_each_may_follow_without_a_blank_line() -> None:
    other = OTHER_LINE.replace(" e ", "\ne ").replace(" s ", "\ns ").replace(" w ", "\nw ")

    assert [(record.line, shown(record)) for record in lettered(COMPACT + other)] == [(1, HANDS), (5, OTHER)]


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        pytest.param(LINE.replace("A65", "K65"), ["club king twice"], id="a card twice"),
        pytest.param(LINE.replace("A65", "Axx"), ["small cards are written as x"], id="small cards as x"),
        pytest.param(LINE.replace(" e ", " "), ["do not take turns"], id="a letter that is missing"),
        pytest.param(LINE.replace(" e ", " n "), ["a seat comes twice"], id="a seat twice"),
        pytest.param(LINE.replace("n ", "", 1), ["do not take turns"], id="the first letter missing"),
        pytest.param(LINE[:30], ["a hand with 2 suits"], id="a line cut inside a hand"),
        pytest.param("n\n", ["a hand with 1 suit instead of four"], id="a letter alone"),
        pytest.param(f"n {NORTH}\n\ne {EAST}\n", ["hands of East, South and West", "hands of North, S"], id="parts"),
        pytest.param(f"n {NORTH}\nn {NORTH}\n", ["East, South and West", "East, South and West"], id="a hand twice"),
        pytest.param(f"n {NORTH}\n{LINE}", ["the hands of East, South and West are not given"], id="half a deal"),
        pytest.param("n " + "A" * 5000, ["a hand with 1 suit"], id="an endless line"),
    ],
)
def test_what_is_no_deal_of_dealer_is_refused_with_the_reason(text: str, reasons: list[str]) -> None:
    bad = [record for record in lettered(text + "\n" + OTHER_LINE) if record.deal is None]

    assert len(bad) == len(reasons)
    for record, reason in zip(bad, reasons, strict=True):
        assert reason in ", ".join(record.faults)
    assert shown(lettered(text + "\n" + OTHER_LINE)[-1]) == OTHER


def test_three_hands_of_a_deal_can_be_filled_but_are_not_without_asking() -> None:
    (record,) = lettered(LINE.partition(" w ")[0])

    assert (record.deal, record.faults) == (None, ("the hand of West is not given",))
    assert record.fill is not None
    assert record.fill.hands_as_pbn() == HANDS


def test_each_line_of_deal_is_read_with_the_blanks_that_are_voids() -> None:
    first, second = barred(BARRED + OTHER_BARRED)

    assert OTHER_BARRED.startswith("AKQJT98765432   | AKQJT98765432  |")
    assert (first.line, first.board, shown(first)) == (1, "", HANDS)
    assert (second.line, shown(second)) == (2, OTHER)
    assert one_line.recognise_barred((BARRED + OTHER_BARRED).encode()) is Confidence.SURE


@pytest.mark.parametrize(
    ("text", "deal"),
    [
        pytest.param(BARRED.replace("\n", "\r\n"), HANDS, id="CRLF"),
        pytest.param(BARRED.lower(), HANDS, id="lower case"),
        pytest.param(WITH_TRICKS, HANDS, id="dots and figures of tricks"),
        pytest.param("|".join((*SUITS[1:], SUITS[0])).replace(".", " ").rstrip(), None, id="blanks cut off the end"),
        pytest.param("\n" + BARRED + "\n", HANDS, id="blank lines around"),
    ],
)
def test_a_deal_of_deal_is_read_in_every_form(text: str, deal: str | None) -> None:
    (record,) = barred(text)

    assert record.faults == ()
    assert shown(record) == (deal or f"N:{' '.join((*SUITS[1:], SUITS[0]))}")
    assert one_line.recognise_barred(text.encode()) is Confidence.SURE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(BARRED.replace("A65", "K65"), "club king twice", id="a card twice"),
        pytest.param(BARRED.replace(" A65", "  A65"), "a hand with 5 suits instead of four", id="a blank too many"),
        pytest.param(BARRED.replace("K3 74", "K374", 1), "a hand with 3 suits instead of four", id="a blank too few"),
        pytest.param(OTHER_BARRED.replace("AKQJT98765432   |", "AKQJT98765432|"), "1 suit instead of four", id="trim"),
        pytest.param(BARRED[:40], "3 hands instead of four", id="a line cut off"),
        pytest.param(BARRED[:10], "1 hand instead of four", id="a line cut in the first hand"),
        pytest.param("|" * 5000, "the line is far too long for a deal", id="an endless line"),
        pytest.param("Name|Score|Place|Table\n", "a hand with 1 suit instead of four", id="something else"),
    ],
)
def test_what_is_no_deal_of_deal_is_refused_with_the_reason(text: str, reason: str) -> None:
    bad, good = barred(text.rstrip("\n") + "\n" + OTHER_BARRED)

    assert bad.deal is None
    assert reason in ", ".join(bad.faults)
    assert shown(good) == OTHER


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"n",
        b"n K3.74 e",
        b"s . . . . w",
        b"   |   |   |   ",
        b"| A | B | C |",
        b"n ... e ... s ... w ...",
        b"\x00",
    ],
)
def test_other_content_is_taken_for_neither(data: bytes) -> None:
    assert one_line.recognise_lettered(data) is Confidence.NO
    assert one_line.recognise_barred(data) is Confidence.NO
    assert one_line.recognise_lettered(BARRED.encode()) is Confidence.NO
    assert one_line.recognise_barred(LINE.encode()) is Confidence.NO
