"""DGE: four hands in suit signs; what damage does; the writer.

Read next: `driver/deals/formats/dge.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import dge
from driver.deals.model import BoardDeal, DealSet
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

NORTH = bytes.fromhex("06 4B 33 03 37 34 04 4A 38 37 36 35 05 4B 37 34 32")
EAST = b"\x06J976\x03A8532\x04A9\x05JT"
SOUTH = b"\x06Q8542\x03KJ9\x04T\x05Q983"
WEST = b"\x06AT\x03QT6\x04KQ432\x05A65"
CARDS = NORTH + EAST + SOUTH + WEST
BYTES_A = CARDS + b"\x00" * 60


def one(data: bytes) -> Record:
    (record,) = dge.read(data).records
    return record


def test_the_worked_deal_is_read() -> None:
    contents = dge.read(BYTES_A)

    (record,) = contents.records
    assert shown(record) == DEAL_A
    assert (record.board, record.line, record.by_offset) == ("1", 0, True)
    assert (record.dealer, record.vulnerability) == (None, None)
    assert (contents.by_place, contents.notes) == (True, ())


def test_the_worked_deal_is_written_as_other_programs_write_it() -> None:
    assert dge.write(DealSet(name="x", path=None, boards=(BoardDeal(1, deal_of(DEAL_A)),))) == BYTES_A


def test_a_void_is_a_suit_sign_without_ranks() -> None:
    text = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    data = dge.write(DealSet(name="x", path=None, boards=(BoardDeal(1, deal_of(text)),)))

    assert data[:17] == b"\x06AKQJT98765432\x03\x04\x05"
    assert shown(one(data)) == text


def test_ranks_in_any_order_and_padding_with_blanks_are_read() -> None:
    assert shown(one(CARDS.replace(b"J8765", b"5J678") + b" " * 60)) == DEAL_A


def test_deals_are_numbered_by_their_places_and_found_by_their_bytes() -> None:
    records = dge.read(dge.write(deal_set(range(1, 5)))).records

    assert [record.board for record in records] == ["1", "2", "3", "4"]
    assert [record.line for record in records] == [0, 128, 256, 384]


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        (b"K3\x0374", b"KX\x0374", '"X" is not the rank of a card'),
        (b"K3\x0374", b"K\xe9\x0374", "an unreadable rank"),
        (b"K3\x0374", b"K3\x0474", "the four suit signs of a hand are not in their places"),
        (b"K3\x0374", b"K3274", "the four suit signs of a hand are not in their places"),
        (b"\x06K3", b"2K3", "a hand does not begin with the sign for spades"),
        (b"\x05K742", b"9K742", "a hand has fewer than four suit signs"),
        (b"\x05K742", b"\x05\x05742", "the four suit signs of a hand are not in their places"),
    ],
)
def test_a_hand_that_is_no_hand_makes_the_record_wrong(right: bytes, wrong: bytes, fault: str) -> None:
    record = one(BYTES_A.replace(right, wrong, 1))

    assert (record.deal, record.hands, record.faults) == (None, None, (fault,))


def test_a_card_twice_is_named_without_its_seats() -> None:
    assert one(BYTES_A.replace(b"\x0374", b"\x0394")).faults == ("heart nine twice", "heart seven missing")


def test_suit_signs_in_the_padding_mean_another_layout_and_nothing_is_guessed() -> None:
    with pytest.raises(BadSyntax, match=r"Deal 1 of the file .* another layout"):
        dge.read(CARDS * 3)


@pytest.mark.parametrize(
    ("data", "confidence"),
    [
        pytest.param(BYTES_A * 2, Confidence.SURE, id="two deals"),
        pytest.param(CARDS, Confidence.SURE, id="cut after the cards"),
        pytest.param(CARDS[:40], Confidence.SURE, id="cut inside the cards"),
        pytest.param(CARDS.replace(b"K", b"k"), Confidence.PERHAPS, id="a few strange signs"),
        pytest.param(b"", Confidence.NO, id="nothing"),
        pytest.param(b"\x06", Confidence.NO, id="one sign"),
        pytest.param(b"\x06" + b"x" * 200, Confidence.NO, id="text after a sign"),
        pytest.param(b"AKQJT98765432" * 10, Confidence.NO, id="ranks without signs"),
        pytest.param(BYTES_A.replace(b"\x06", "♠".encode()), Confidence.NO, id="signs changed by an editor"),
    ],
)
def test_dge_is_recognised_by_its_content(data: bytes, confidence: Confidence) -> None:
    assert dge.recognise(data) is confidence


@given(rows_of_boards(lowest=1, highest=4))
def test_what_is_written_as_dge_is_read_again_in_the_same_order(deals: DealSet) -> None:
    contents = dge.read(dge.write(deals))

    assert [found for _, found in as_read(contents)] == [wanted for _, wanted in as_written(deals)]
    assert contents.by_place


def test_numbers_and_unusual_markings_are_named_as_lost() -> None:
    assert dge.losses(deal_set(range(1, 37))) == ()
    assert dge.losses(deal_set(range(17, 33)))[0].startswith("DGE has no place for board numbers: boards 17-32")
    odd = DealSet(name="x", path=None, boards=(BoardDeal(1, deal(1), Seat.WEST),))
    assert dge.losses(odd)[0].startswith("Board 1: DGE has no place for dealer")


def test_a_set_without_boards_is_not_written() -> None:
    with pytest.raises(CannotBeWritten, match="no board to write"):
        dge.write(deal_set(()))


@given(st.binary(max_size=400) | damaged(dge.write(deal_set(range(1, 4)))))
def test_any_bytes_give_deals_or_reasons(data: bytes) -> None:
    dge.recognise(data)
    read_or_refuse(dge.read, data)


@given(st.integers(0, 511), st.integers(-40, 40).filter(bool), st.sampled_from([b" ", b"\x00", b"A"]))
def test_lost_or_added_bytes_never_give_a_deal_a_wrong_place(place: int, change: int, filler: bytes) -> None:
    whole = dge.write(deal_set(range(1, 5)))
    data = whole[:place] + filler * max(change, 0) + whole[place + max(-change, 0) :]

    contents = read_or_refuse(dge.read, data)

    for record in contents.records if contents else ():
        assert record.deal in (None, deal(record.number or 0))
