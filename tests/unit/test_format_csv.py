"""CSV: the eighteen fields of Big Deal, read and written, and the hand record table of Bridgemate.

Read next: `driver/deals/formats/csv_text.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given

from driver.deals.formats import csv_text
from driver.deals.model import BoardDeal
from driver.deals.records import Confidence, Record, Remark
from driver.errors import CannotBeWritten
from protocol.cards import Seat
from tests.unit.deal_texts import EAST, HANDS, NORTH, OTHER, SOUTH, WEST, as_read, as_written, boards, set_of, shown

SUITS = [suit for hand in (NORTH, EAST, SOUTH, WEST) for suit in hand.split(".")]
ROW = ",".join(f'"{text}"' for text in [*SUITS, "1", "N/-"])
LAST = ",".join(f'"{text}"' for text in [*(s for hand in OTHER[2:].split() for s in hand.split(".")), "4", "W/All"])
NAMES = [
    *("Section", "Board"),
    *(
        f"{seat}{suit}"
        for seat in ("North", "East", "South", "West")
        for suit in ("Spades", "Hearts", "Diamonds", "Clubs")
    ),
]
TABLE = ",".join(NAMES) + "\n1,1," + ",".join(f'"{suit}"' for suit in SUITS) + "\n"


def records(text: str | bytes) -> tuple[Record, ...]:
    return csv_text.read(text.encode() if isinstance(text, str) else text).records


def one(text: str | bytes) -> Record:
    (record,) = records(text)
    return record


def sides(record: Record) -> str | None:
    return None if record.vulnerability is None else record.vulnerability.text


def test_each_line_of_big_deal_is_a_board_with_dealer_and_vulnerability() -> None:
    first, last = records(f"{ROW}\n{LAST}\n")

    assert (first.line, first.number, first.dealer, sides(first), shown(first)) == (1, 1, Seat.NORTH, "None", HANDS)
    assert (last.line, last.number, last.dealer, sides(last), shown(last)) == (2, 4, Seat.WEST, "All", OTHER)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ROW, id="no line end at the end"),
        pytest.param(ROW + "\r\n\r\n \r\n", id="CRLF and blank lines"),
        pytest.param(ROW.replace('"', ""), id="no quotes"),
        pytest.param(ROW.replace(",", ";"), id="semicolons"),
        pytest.param(ROW.replace(",", "\t"), id="tabs"),
        pytest.param(ROW.replace(",", " , ").replace('"', ""), id="blanks around the fields"),
        pytest.param(ROW.lower(), id="lower case"),
        pytest.param(ROW.replace("T", "10"), id="10 for ten"),
        pytest.param(ROW + "\x1a", id="Ctrl-Z"),
        pytest.param("\ufeff" + ROW, id="a byte order mark"),
    ],
)
def test_a_line_is_read_as_spreadsheets_write_it(text: str) -> None:
    for data in (text.encode(), text.encode("utf-16")):
        record = one(data)
        assert (record.number, record.dealer, sides(record), shown(record)) == (1, Seat.NORTH, "None", HANDS)
        assert csv_text.recognise(data) is Confidence.SURE


@pytest.mark.parametrize(
    ("text", "dealer", "meaning", "remarks"),
    [
        ("E/NS", Seat.EAST, "NS", ()),
        ("s/ew", Seat.SOUTH, "EW", ()),
        ("West / Both", Seat.WEST, "All", ()),
        ("N/Nil", Seat.NORTH, None, (Remark.VULNERABILITY_UNKNOWN,)),
        ("X/-", None, "None", (Remark.DEALER_UNKNOWN,)),
        ("", None, None, ()),
    ],
)
def test_dealer_and_vulnerability_stand_in_one_field(
    text: str, dealer: Seat | None, meaning: str | None, remarks: tuple[Remark, ...]
) -> None:
    record = one(ROW.replace("N/-", text))

    assert (record.dealer, sides(record), record.remarks) == (dealer, meaning, remarks)


def test_a_hand_record_table_is_read_by_the_names_of_its_columns() -> None:
    record = one(TABLE)

    assert (record.line, record.number, record.dealer, record.vulnerability) == (2, 1, None, None)
    assert shown(record) == HANDS


def test_the_columns_of_a_table_may_come_in_any_order_with_others_among_them() -> None:
    names = [*reversed(NAMES), "Vulnerable", "Dealer", "Tricks"]
    values = [*reversed(SUITS), "12", "A", "EW", "S", "9"]

    record = one(f"{';'.join(name.upper() for name in names)}\n{';'.join(values)}\n")

    assert (record.number, record.dealer, sides(record), shown(record)) == (12, Seat.SOUTH, "EW", HANDS)
    assert shown(one(TABLE.replace("NorthSpades", "north_spades"))) == HANDS


HEAD, _, LINE = TABLE.rstrip("\n").partition("\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TABLE.replace(",", ";"), id="semicolons"),
        pytest.param(TABLE.replace(",", "|"), id="bars"),
        pytest.param(TABLE.replace(",", "\t").replace('"', ""), id="tabs"),
        pytest.param(TABLE.replace(",", ", "), id="blanks behind the commas"),
        pytest.param(TABLE.replace('"', "'"), id="single quotes"),
        pytest.param('"' + HEAD.replace(",", '","') + '"\r\n' + LINE + "\r\n", id="quoted names"),
        pytest.param("sep=;\r\n" + TABLE.replace(",", ";"), id="the separator named"),
        pytest.param("Hands of Tuesday\n\n" + TABLE, id="a title above"),
        pytest.param("\ufeff" + TABLE, id="a byte order mark"),
        pytest.param(LINE, id="no line of names"),
        pytest.param(LINE.replace(",", ";").replace('"', ""), id="no line of names, semicolons"),
    ],
)
def test_a_hand_record_table_is_read_however_it_was_exported(text: str) -> None:
    record = one(text)

    assert (record.number, shown(record), record.dealer, record.vulnerability) == (1, HANDS, None, None)
    assert csv_text.recognise(text.encode()) is Confidence.SURE


def test_a_board_without_hands_is_blank_in_a_table() -> None:
    empty = one(TABLE.splitlines()[0] + "\n1,5," + "," * 15)
    marked = one(TABLE.splitlines()[0] + "\n1,5,###" + "," * 15)

    for record in (empty, marked):
        assert (record.board, record.blank, record.hands) == ("5", True, None)


def test_exactly_one_hand_that_is_left_out_can_be_filled_but_is_not_without_asking() -> None:
    record = one(ROW.replace('"AT","QT6","KQ432","A65"', '"","","",""'))

    assert (record.deal, record.faults) == (None, ("the hand of West is not given",))
    assert record.fill is not None
    assert record.fill.hands_as_pbn() == HANDS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(ROW.replace("A65", "K65"), "club king twice, club ace missing", id="a card twice"),
        pytest.param(ROW.replace("A65", "A6"), "club five missing", id="51 cards"),
        pytest.param(ROW.replace("A65", "Axx"), "small cards are written as x", id="small cards as x"),
        pytest.param(ROW.replace("A65", "A?5"), '"?" is not the rank of a card', id="a rank that is none"),
        pytest.param(ROW.replace('"A65",', ""), "18 fields make a board, and the line has 17", id="a field too few"),
        pytest.param(ROW + ',""', "18 fields make a board, and the line has 19", id="a field too many"),
        pytest.param(ROW[:40], "18 fields make a board", id="a line cut off"),
        pytest.param(ROW.replace('"A65"', '"A65'), "18 fields make a board", id="a quote that never closes"),
        pytest.param("x" * 5000, "18 fields make a board, and the line has 1", id="an endless line"),
        pytest.param(TABLE.rpartition(",")[0], "18 fields make a board, and the line has 17", id="a short table row"),
    ],
)
def test_what_is_no_deal_is_refused_with_the_reason_and_the_others_are_read(text: str, reason: str) -> None:
    *_, bad = records(f"{LAST}\n{text}\n")

    assert bad.deal is None
    assert reason in ", ".join(bad.faults)
    assert shown(records(f"{LAST}\n{text}\n{LAST}\n")[0]) == OTHER


@pytest.mark.parametrize(
    "data", [b"", b",,,,", b"1,2,3\n4,5,6", ROW[:-4].encode(), b"Section,Board,NorthSpades", b"\x00" * 40, b'"' * 5000]
)
def test_other_content_is_not_taken_for_csv(data: bytes) -> None:
    assert csv_text.recognise(data) is Confidence.NO


@given(boards())
def test_what_is_written_as_csv_is_read_again(members: tuple[BoardDeal, ...]) -> None:
    deals = set_of(*members)

    found = records(csv_text.write(deals))

    assert list(map(as_read, found)) == list(map(as_written, members))
    assert csv_text.losses(deals) == ()


def test_a_set_is_written_as_big_deal_does() -> None:
    first, last = records(f"{ROW}\n{LAST}\n")
    assert first.deal is not None
    assert last.deal is not None

    assert csv_text.write(set_of(BoardDeal(1, first.deal), BoardDeal(4, last.deal))).decode() == f"{ROW}\n{LAST}\n"


def test_a_set_that_no_reader_would_take_is_not_written() -> None:
    with pytest.raises(CannotBeWritten, match="no board"):
        csv_text.write(set_of())
