"""BHG: a line of letters for each deal, the dealer's hand first; what damage does.

Read next: `driver/deals/formats/bhg.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import bhg
from driver.deals.model import standard_dealer
from driver.deals.records import Confidence, Contents
from driver.errors import BadSyntax
from tests.support.deal_sets import DEAL_A, damaged, deal, read_or_refuse, shown

NORTH = "BLUXdghijouxz"
EAST = "DFHINTWYZafqr"
SOUTH = "CGJKMOQSepsty"
WEST = "AEPRVbcklmnvw"


def line_of(board: int, seed: int) -> str:
    """The letters of a deal, from the hand of the dealer of `board` on."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    owners, dealer = deal(seed).owners, standard_dealer(board)
    return "".join(
        letter
        for turn in range(4)
        for letter, owner in zip(letters, owners, strict=True)
        if owner == (dealer + turn) % 4
    )


FILE = "\n" + "".join(f"{line_of(board, board)}\n" for board in range(1, 7))


def read(text: str) -> Contents:
    return bhg.read(text.encode())


def test_the_worked_deal_is_read_from_the_hand_of_the_dealer_of_each_line() -> None:
    hands = [NORTH, EAST, SOUTH, WEST]
    lines = ["".join(hands[turn:] + hands[:turn]) for turn in (0, 1, 2, 3, 0)]

    contents = read("\n" + "\n".join(lines) + "\n")

    assert [shown(record) for record in contents.records] == [DEAL_A] * 5
    assert [(record.board, record.line, record.by_offset) for record in contents.records] == [
        (str(board), board + 1, False) for board in range(1, 6)
    ]
    assert {(record.dealer, record.vulnerability) for record in contents.records} == {(None, None)}


def test_a_person_is_told_that_the_file_must_begin_with_a_board_that_north_deals() -> None:
    contents = read(FILE)

    assert contents.by_place
    assert "it was read as beginning with board 1" in contents.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FILE, id="LF"),
        pytest.param(FILE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(FILE.rstrip("\n"), id="no line end at the end"),
        pytest.param(FILE + "\n\n \x1a", id="empty lines and Ctrl-Z at the end"),
        pytest.param(FILE[1:], id="without the empty line"),
        pytest.param(FILE.replace("\n", " \n"), id="blanks at the ends"),
    ],
)
def test_a_file_is_read_the_same_with_all_line_ends(text: str) -> None:
    assert bhg.recognise(text.encode()) is Confidence.SURE
    assert [record.deal for record in read(text).records] == [deal(seed) for seed in range(1, 7)]


@pytest.mark.parametrize(
    ("wrong", "faults"),
    [
        ("", ("the line has 0 letters instead of 52",)),
        (line_of(2, 2)[1:], ("the line has 51 letters instead of 52",)),
        (line_of(2, 2) + "A", ("the line has 53 letters instead of 52",)),
        ("1" + line_of(2, 2)[1:], ('"1" is not the letter of a card',)),
        ("é" + line_of(2, 2)[1:], ('"é" is not the letter of a card',)),
        ("\x07" + line_of(2, 2)[1:], ("an unreadable letter",)),
    ],
)
def test_a_line_that_is_no_deal_is_wrong_alone_and_keeps_its_number(wrong: str, faults: tuple[str, ...]) -> None:
    records = read(FILE.replace(line_of(2, 2), wrong)).records

    assert [record.board for record in records] == ["1", "2", "3", "4", "5", "6"]
    assert [record.faults for record in records] == [(), faults, (), (), (), ()]


def test_a_card_twice_is_named_without_its_seats() -> None:
    record = read("\n" + (NORTH + EAST + SOUTH + WEST).replace("B", "A", 1)).records[0]

    assert (record.deal, record.faults) == (None, ("spade ace twice", "spade king missing"))


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        pytest.param("\n" + line_of(1, 1)[:-1] + "\n", Confidence.PERHAPS, id="a letter lost"),
        pytest.param("\n" + line_of(1, 1)[:-1] + "B\n", Confidence.PERHAPS, id="a letter twice"),
        pytest.param("\n" + "A" * 52 + "\n", Confidence.NO, id="the same letter"),
        pytest.param("\n" + line_of(1, 1)[:40] + "\n", Confidence.NO, id="a short line"),
        pytest.param(
            "\nThe quick brown fox jumps over the lazy dog, SPHINX OF BLACK QUARTZ\n", Confidence.NO, id="a text"
        ),
        pytest.param("", Confidence.NO, id="nothing"),
        pytest.param("\n\n", Confidence.NO, id="empty lines"),
    ],
)
def test_bhg_is_recognised_by_its_first_deal(text: str, confidence: Confidence) -> None:
    assert bhg.recognise(text.encode()) is confidence


def test_a_file_with_too_many_records_is_refused_and_an_empty_one_has_none() -> None:
    with pytest.raises(BadSyntax, match="more than 100000 records"):
        read("\n" + "x\n" * 100_001)
    assert read("\n\n\x1a").records == ()
    assert read("").records == ()


@given(st.binary(max_size=200) | damaged(FILE.encode()))
def test_any_bytes_give_deals_or_reasons(data: bytes) -> None:
    bhg.recognise(data)
    read_or_refuse(bhg.read, data)
