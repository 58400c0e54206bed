"""Texts of double dummy solvers: GIB's library, where West comes first, and the list files of DDS.

Read next: `driver/deals/formats/gib.py`.
"""

from __future__ import annotations

import pytest

from driver.deals.formats import gib
from driver.deals.records import Confidence, Record, Remark
from protocol.cards import Seat
from tests.unit.deal_texts import EAST, HANDS, NORTH, OTHER, SOUTH, SUITS, WEST, shown

FIGURES = ":65658888888843433232"
LINE = f"{WEST} {NORTH} {EAST} {SOUTH}{FIGURES}\n"
OTHER_LINE = f"{SUITS[3]} {SUITS[0]} {SUITS[1]} {SUITS[2]}:0000DDDD0000dddd0000\n"
LIST = (
    "NUMBER 2\n"
    f'PBN 2 3 4 0 "{HANDS}"\n'
    "FUT 4 0 1 2 3 13 12 11 10 0 0 0 0 6 6 6 5\nTABLE 8 0 8 0 6 6 6 6\n"
    f'PBN 0 1 4 0 "S:{SUITS[2]} {SUITS[3]} {SUITS[0]} {SUITS[1]}"\n'
    'PAR "NS 110" "EW -110" "NS:NS 2S" "EW:NS 2S"\n'
)


def of_gib(text: str) -> tuple[Record, ...]:
    return gib.read_gib(text.encode()).records


def of_dds(text: str) -> tuple[Record, ...]:
    return gib.read_dds(text.encode()).records


def sides(record: Record) -> str | None:
    return None if record.vulnerability is None else record.vulnerability.text


def test_the_first_hand_of_a_library_line_is_west() -> None:
    first, second = of_gib(LINE + OTHER_LINE)

    assert (first.line, first.board, first.dealer, shown(first)) == (1, "", None, HANDS)
    assert (second.line, shown(second)) == (2, OTHER)
    assert gib.recognise_gib((LINE + OTHER_LINE).encode()) is Confidence.SURE


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LINE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(LINE.rstrip("\n") + "\x1a", id="Ctrl-Z"),
        pytest.param("\n" + LINE.replace(" ", "   ") + "\n\n", id="blanks and blank lines"),
        pytest.param(OTHER_LINE + LINE[:-10], id="figures cut off in the last line"),
    ],
)
def test_a_library_line_is_read_in_every_form(text: str) -> None:
    assert shown(of_gib(text)[-1]) == HANDS
    assert gib.recognise_gib(text.encode()) is Confidence.SURE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(LINE.replace("A65", "K65"), "club king twice", id="a card twice"),
        pytest.param(LINE.replace("A65", "Axx"), "small cards are written as x", id="small cards as x"),
        pytest.param(LINE[:60], "a hand with 2 suits", id="cut in the last hand"),
        pytest.param(LINE[:40], "3 hands instead of four", id="cut in the third hand"),
        pytest.param("A" * 5000, "1 hand instead of four", id="an endless line"),
    ],
)
def test_what_is_no_deal_of_a_library_is_refused_with_the_reason(text: str, reason: str) -> None:
    good, bad = of_gib(OTHER_LINE + text.rstrip("\n") + "\n")

    assert shown(good) == OTHER
    assert bad.deal is None
    assert reason in ", ".join(bad.faults)


def test_hands_without_figures_are_not_taken_for_a_library_since_nobody_knows_whose_come_first() -> None:
    assert gib.recognise_gib(LINE.replace(FIGURES, "").encode()) is Confidence.NO
    assert gib.recognise_gib(b"... ... ... ...:" + b"0" * 20) is Confidence.NO


def test_a_list_file_gives_dealer_vulnerability_and_the_deal_from_any_seat() -> None:
    first, second = of_dds(LIST)

    assert (first.line, first.board, first.dealer, sides(first), shown(first)) == (2, "", Seat.SOUTH, "EW", HANDS)
    assert (second.line, second.dealer, sides(second), shown(second)) == (5, Seat.NORTH, "All", OTHER)
    assert gib.recognise_dds(LIST.encode()) is Confidence.SURE


@pytest.mark.parametrize(("code", "meaning"), [("0", "None"), ("1", "All"), ("2", "NS"), ("3", "EW"), ("4", None)])
def test_the_vulnerability_of_a_list_file_is_a_code_of_its_own(code: str, meaning: str | None) -> None:
    record = of_dds(LIST.replace("PBN 2 3", f"PBN 2 {code}"))[0]

    assert sides(record) == meaning
    assert record.remarks == (() if meaning else (Remark.VULNERABILITY_UNKNOWN,))


def test_a_dealer_code_that_is_none_is_noted() -> None:
    record = of_dds(LIST.replace("PBN 2 3", "PBN 4 3"))[0]

    assert (record.dealer, record.remarks, shown(record)) == (None, (Remark.DEALER_UNKNOWN,), HANDS)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(f'PBN 0 0 4 0 "{HANDS.replace("A65", "K65")}"', "club king twice", id="a card twice"),
        pytest.param(f'PBN 0 0 4 0 "{HANDS.replace("A65", "Axx")}"', "small cards are written as x", id="x"),
        pytest.param(f'PBN 0 0 4 0 "{HANDS[:50]}', "the line breaks off", id="cut inside the deal"),
        pytest.param("PBN 0 0", "the line breaks off", id="cut before the deal"),
        pytest.param('PBN 0 0 4 0 "' + "A" * 5000 + '"', "the line breaks off", id="endless"),
        pytest.param(f'PBN 0 0 4 0 "{HANDS} {WEST}"', "5 hands instead of four", id="five hands"),
    ],
)
def test_what_is_no_deal_of_a_list_is_refused_with_the_reason(text: str, reason: str) -> None:
    *good, bad = of_dds(LIST + text + "\n")

    assert [shown(record) for record in good] == [HANDS, OTHER]
    assert bad.deal is None
    assert reason in ", ".join(bad.faults)


def test_three_hands_of_a_list_can_be_filled_but_are_not_without_asking() -> None:
    (record,) = of_dds(f'PBN 0 0 4 0 "N:{NORTH} {EAST} - {WEST}"')

    assert (record.deal, record.faults) == (None, ("the hand of South is not given",))
    assert record.fill is not None
    assert record.fill.hands_as_pbn() == HANDS


@pytest.mark.parametrize("data", [b"", b"PBN", b"PBN 0 0 4 0", b"% PBN 2.1\n", b'[Deal "N:"]', b"NUMBER 10\n", b"\x00"])
def test_other_content_is_taken_for_neither(data: bytes) -> None:
    assert gib.recognise_gib(data) is Confidence.NO
    assert gib.recognise_dds(data) is Confidence.NO
