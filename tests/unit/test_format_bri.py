"""BRI: card numbers of three hands, West left over; what damage does; the writer.

Read next: `driver/deals/formats/bri.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import bri
from driver.deals.model import BoardDeal, DealSet, Vulnerability, standard_dealer
from driver.deals.records import Confidence, Record
from driver.errors import BadSyntax, CannotBeWritten
from protocol.cards import Seat
from tests.support.deal_sets import (
    DEAL_A,
    as_read,
    as_written,
    damaged,
    deal,
    deal_of,
    deal_set,
    read_or_refuse,
    rows_of_boards,
    shown,
)

NORTH = b"02122124303334353641475052"
EAST = b"04060809142023252627324344"
SOUTH = b"03071011131517193142454651"
PADDING = b" " * 32 + b"\x00" * 18
BYTES_A = NORTH + EAST + SOUTH + PADDING

VENDOR = b"18043727240822422106250717" + b"51503215164929412640314645" + b"43351128302039140152133403"
VENDOR_DEAL = "N:J987.JT7643.A4.Q .KQ2.QT9.AK98543 AQ42.A8.KJ762.J2 KT653.95.853.T76"


def one(data: bytes) -> Record:
    (record,) = bri.read(data).records
    return record


def test_the_worked_deal_is_read_and_west_has_the_cards_that_are_left() -> None:
    contents = bri.read(BYTES_A)

    (record,) = contents.records
    assert shown(record) == DEAL_A
    assert (record.board, record.line, record.by_offset) == ("1", 0, True)
    assert (record.dealer, record.vulnerability) == (None, None)
    assert (contents.by_place, contents.notes) == (True, ())


def test_the_worked_deal_is_written_as_other_programs_write_it() -> None:
    assert bri.write(DealSet(name="x", path=None, boards=(BoardDeal(1, deal_of(DEAL_A)),))) == BYTES_A


def test_the_example_of_the_vendor_has_its_cards_in_any_order() -> None:
    assert shown(one(VENDOR + PADDING)) == VENDOR_DEAL


def test_deals_are_numbered_by_their_places_and_found_by_their_bytes() -> None:
    records = bri.read(bri.write(deal_set(range(1, 5)))).records

    assert [record.board for record in records] == ["1", "2", "3", "4"]
    assert [record.line for record in records] == [0, 128, 256, 384]


def test_a_blank_may_stand_for_a_leading_zero_and_the_padding_may_be_anything_but_figures() -> None:
    assert shown(one(BYTES_A.replace(b"0206", b" 206").replace(b"02122", b" 2122"))) == DEAL_A
    assert shown(one(BYTES_A[:78] + b"some words, no numbers".ljust(50, b"-"))) == DEAL_A


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (b"53", "number 53 is no card"),
        (b"00", "number 0 is no card"),
        (b"  ", "number 0 is no card"),
        (b"5 ", "number 50 is no card"),
        (b"xx", "a number of a card is unreadable"),
        (b"\xff\x00", "a number of a card is unreadable"),
    ],
)
def test_a_number_that_is_no_card_makes_the_record_wrong(wrong: bytes, fault: str) -> None:
    record = one(BYTES_A.replace(b"5052", b"50" + wrong, 1))

    assert (record.deal, record.hands, record.faults) == (None, None, (fault,))


def test_a_card_twice_is_named_without_its_seats() -> None:
    record = one(BYTES_A.replace(b"04060809", b"02060809"))

    assert record.deal is None
    assert record.faults == ("spade king twice",)


def test_one_wrong_record_leaves_the_others_as_they_are() -> None:
    data = bytearray(bri.write(deal_set(range(1, 4))))
    data[128:130] = b"99"

    assert [record.faults for record in bri.read(bytes(data)).records] == [(), ("number 99 is no card",), ()]


def test_figures_in_the_padding_mean_another_layout_and_nothing_is_guessed() -> None:
    with pytest.raises(BadSyntax, match=r"Deal 1 of the file .* another layout"):
        bri.read((NORTH + EAST + SOUTH + b"  ") * 8)


@pytest.mark.parametrize("padding", [b"0" * 50, NORTH + b" " * 24, bytes(range(50))])
def test_padding_of_any_kind_is_passed_over_where_every_record_is_a_deal(padding: bytes) -> None:
    written = bri.write(deal_set(range(1, 5)))
    data = b"".join(written[place : place + 78] + padding for place in range(0, len(written), 128))

    assert [record.deal for record in bri.read(data).records] == [record.deal for record in bri.read(written).records]
    with pytest.raises(BadSyntax, match="another layout"):
        bri.read(data[:128].replace(bytes(range(50)), b"1" * 50))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(BYTES_A * 2, id="two deals"),
        pytest.param(BYTES_A[:100], id="cut in the padding"),
        pytest.param(BYTES_A[:78], id="cut after the cards"),
        pytest.param(BYTES_A + b"\x1a", id="Ctrl-Z at the end"),
        pytest.param(BYTES_A + b"\r\n", id="a line end at the end"),
        pytest.param((BYTES_A[:78] + b"\r\n") * 2, id="in lines"),
        pytest.param(BYTES_A.replace(b"5052", b"5053", 1) * 2, id="the first deal is wrong"),
    ],
)
def test_bri_is_recognised_by_its_content(data: bytes) -> None:
    assert bri.recognise(data) is Confidence.SURE


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"1234" * 32, id="figures 1 to 4, which are BER"),
        pytest.param(b"0102030405" * 20, id="few cards"),
        pytest.param(b"3141592653589793238462643383279502884197169399375105820974944592307816406286" * 2, id="pi"),
        pytest.param(b" " * 300, id="blanks"),
        pytest.param(b"a" * 256, id="letters"),
        pytest.param(BYTES_A[:78] + b"\x06K3\x0374\x04J8765\x05K742", id="followed by suit signs, which is DUP"),
    ],
)
def test_other_bytes_are_not_bri(data: bytes) -> None:
    assert bri.recognise(data) is Confidence.NO


def test_the_form_in_lines_takes_every_line_end_and_counts_lines() -> None:
    for end in (b"\r\n", b"\n", b"\r"):
        contents = bri.read((BYTES_A[:78] + end) * 2 + b"\x1a")
        assert [shown(record) for record in contents.records] == [DEAL_A, DEAL_A]
        assert [(record.line, record.by_offset) for record in contents.records] == [(1, False), (2, False)]
        assert len(contents.notes) == 1


def test_a_line_of_another_length_is_wrong_alone() -> None:
    contents = bri.read(b"\r\n".join([BYTES_A[:78], BYTES_A[:77], b"", BYTES_A[:78] + b"\xe9"]))

    assert [record.faults for record in contents.records] == [
        (),
        ("the line has 77 signs instead of 78",),
        ("the line has 0 signs instead of 78",),
        ("the line has 79 signs instead of 78",),
    ]


def test_a_file_with_too_many_records_is_refused() -> None:
    with pytest.raises(BadSyntax, match="more than 100000 records"):
        bri.read(b"\x00" * 128 * 100_001)


@given(rows_of_boards(lowest=1, highest=4))
def test_what_is_written_as_bri_is_read_again_in_the_same_order(deals: DealSet) -> None:
    contents = bri.read(bri.write(deals))

    assert [found for _, found in as_read(contents)] == [wanted for _, wanted in as_written(deals)]
    assert contents.by_place


def test_boards_from_one_on_with_the_markings_of_law_2_lose_nothing() -> None:
    assert bri.losses(deal_set(range(1, 37))) == ()


def test_other_numbers_are_named_as_lost() -> None:
    (numbers, markings) = bri.losses(deal_set((5, 6, 9)))
    assert numbers.startswith("BRI has no place for board numbers: boards 5, 6, 9 will be read as 1-3")
    assert markings.startswith("Boards 5, 6, 9: BRI has no place for dealer and vulnerability either")

    # Boards 17 to 19 are marked as 1 to 3 are, so that only their numbers go.
    assert len(bri.losses(deal_set(range(17, 20)))) == 1


def test_unusual_markings_are_named_as_lost() -> None:
    boards = (
        BoardDeal(1, deal(1), Seat.NORTH, Vulnerability.NONE),
        BoardDeal(2, deal(2), Seat.WEST),
        BoardDeal(3, deal(3), standard_dealer(3), Vulnerability.ALL),
    )

    (sentence,) = bri.losses(DealSet(name="x", path=None, boards=boards))
    assert sentence.startswith("Boards 2, 3: BRI has no place for dealer and vulnerability")


def test_a_set_without_boards_is_not_written() -> None:
    with pytest.raises(CannotBeWritten, match="no board to write"):
        bri.write(deal_set(()))


@given(st.binary(max_size=400) | damaged(bri.write(deal_set(range(1, 4)))) | damaged((BYTES_A[:78] + b"\r\n") * 3))
def test_any_bytes_give_deals_or_reasons(data: bytes) -> None:
    bri.recognise(data)
    read_or_refuse(bri.read, data)


@given(st.integers(0, 511), st.integers(-40, 40).filter(bool), st.sampled_from([b" ", b"\x00", b"0"]))
def test_lost_or_added_bytes_never_give_a_deal_a_wrong_place(place: int, change: int, filler: bytes) -> None:
    whole = bri.write(deal_set(range(1, 5)))
    data = whole[:place] + filler * max(change, 0) + whole[place + max(-change, 0) :]

    contents = read_or_refuse(bri.read, data)

    for record in contents.records if contents else ():
        assert record.deal in (None, deal(record.number or 0))
