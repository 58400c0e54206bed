"""DUP: the cards twice, the range of the boards in every known way of writing it; the writer.

Read next: `driver/deals/formats/dup.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import bri, dge, dup
from driver.deals.model import BoardDeal, DealSet
from driver.deals.records import Confidence, Contents
from driver.errors import CannotBeWritten
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

NUMBERS = b"02122124303334353641475052" + b"04060809142023252627324344" + b"03071011131517193142454651"
SIGNS = (
    b"\x06K3\x0374\x04J8765\x05K742"
    b"\x06J976\x03A8532\x04A9\x05JT"
    b"\x06Q8542\x03KJ9\x04T\x05Q983"
    b"\x06AT\x03QT6\x04KQ432\x05A65"
)
BYTES_A = NUMBERS + SIGNS + b"YN1  1 1  "
NO_TRAILER = b"\x00" * 10

BIG_DEAL = (
    "The file says that its deals are boards 1 to {}. Some programs write that for later boards too: "
    "make sure that these are the boards you want."
)


def with_trailers(*trailers: bytes) -> bytes:
    """A file with one deal for each trailer."""
    return b"".join(cards_of(place) + trailer for place, trailer in enumerate(trailers, start=1))


def cards_of(seed: int) -> bytes:
    one = DealSet(name="x", path=None, boards=(BoardDeal(1, deal(seed)),))
    return bri.write(one)[:78] + dge.write(one)[:68]


def numbers(contents: Contents) -> list[str]:
    return [record.board for record in contents.records]


def test_the_worked_deal_is_read() -> None:
    contents = dup.read(BYTES_A)

    (record,) = contents.records
    assert shown(record) == DEAL_A
    assert (record.board, record.line, record.by_offset) == ("1", 0, True)
    assert (record.dealer, record.vulnerability) == (None, None)
    assert (contents.by_place, contents.notes) == (False, ())


def test_the_worked_deal_is_written_with_both_forms_of_its_cards_and_its_range() -> None:
    assert dup.write(DealSet(name="x", path=None, boards=(BoardDeal(1, deal_of(DEAL_A)),))) == BYTES_A


@pytest.mark.parametrize(
    ("trailers", "boards", "notes"),
    [
        pytest.param([b"YN1  1 3  "] * 3, "1 2 3", (), id="the vendor's document, from 1"),
        pytest.param([b"YN17 1 19 "] * 3, "17 18 19", (), id="the vendor's document, from 17"),
        pytest.param([b"YN1  0 03 ", NO_TRAILER, NO_TRAILER], "1 2 3", (BIG_DEAL.format(3),), id="Big Deal 1.2"),
        pytest.param([b"YN1  0 3  "] * 3, "1 2 3", (BIG_DEAL.format(3),), id="Big Deal 2.0, whatever its range"),
        pytest.param(
            [b"YN17 0 3  ", NO_TRAILER, NO_TRAILER], "17 18 19", (), id="a count of boards, first record only"
        ),
        pytest.param([b"yn1  1 3  "] * 3, "1 2 3", (), id="lower case"),
        pytest.param([b"NN  11  3 "] * 3, "1 2 3", (), id="aligned to the right"),
        pytest.param([b"YN   1 3  "] * 3, "1 2 3", (), id="no lowest number"),
        pytest.param([b"YN0  1 3  "] * 3, "1 2 3", (), id="lowest number 0"),
        pytest.param([b"YN1  * 3  "] * 3, "1 2 3", (BIG_DEAL.format(3),), id="as many copies as one likes"),
    ],
)
def test_the_range_is_read_in_every_way_in_which_it_is_written(
    trailers: list[bytes], boards: str, notes: tuple[str, ...]
) -> None:
    contents = dup.read(with_trailers(*trailers))

    assert numbers(contents) == boards.split()
    assert (contents.notes, contents.by_place) == (notes, False)
    assert [record.deal for record in contents.records] == [deal(seed) for seed in range(1, len(trailers) + 1)]


@pytest.mark.parametrize(
    ("trailer", "boards", "words"),
    [
        (b"YN5  1 9  ", "5 6 7", "begins with board 5 and gives 9 as the number of its last board"),
        (b"YN5  1    ", "5 6 7", "begins with board 5 and does not say which board is its last"),
        (b"YN1  2 3  ", "1 2 3", "The file asks for 2 copies of each board."),
        (b"YY1  1 3  ", "1 2 3", "The file asks for its boards backwards"),
    ],
)
def test_what_a_person_should_know_about_the_range_is_a_note(trailer: bytes, boards: str, words: str) -> None:
    contents = dup.read(with_trailers(trailer, trailer, trailer))

    assert numbers(contents) == boards.split()
    (note,) = contents.notes
    assert words in note


@pytest.mark.parametrize("trailer", [b"XN1  1 3  ", b"YNx  1 3  ", b"YN1  1 3.5", b"YN1 1   -3", b"\xff" * 10])
def test_an_unreadable_range_counts_as_none_and_is_said(trailer: bytes) -> None:
    contents = dup.read(with_trailers(trailer, trailer, trailer))

    assert (numbers(contents), contents.by_place) == (["1", "2", "3"], True)
    assert "unreadable" in contents.notes[0]


def test_a_range_that_stands_in_the_last_record_alone_counts() -> None:
    contents = dup.read(with_trailers(NO_TRAILER, NO_TRAILER, b"YN17 1 19 "))

    assert (numbers(contents), contents.by_place, contents.notes) == (["17", "18", "19"], False, ())


def test_records_that_disagree_about_the_range_are_noted() -> None:
    contents = dup.read(with_trailers(b"YN1  1 3  ", b"YN1  1 3  ", b"YN17 1 19 "))

    assert numbers(contents) == ["1", "2", "3"]
    assert contents.notes == (
        "Not all deals of the file say the same about its board numbers; what stands with the first deal is used.",
    )


def test_a_damaged_form_of_the_cards_is_a_fault_even_if_the_other_is_whole() -> None:
    record = dup.read(BYTES_A.replace(b"\x0374", b"\x037x")).records[0]
    assert (record.deal, record.hands) == (None, None)
    assert record.faults == (
        'the file holds the deal twice, and one of the two is damaged ("x" is not the rank of a card)',
    )

    record = dup.read(BYTES_A.replace(b"0212", b"0253")).records[0]
    assert (record.deal, record.faults) == (None, ("number 53 is no card",))


def test_a_deal_is_wrong_when_both_forms_agree_on_a_wrong_deal() -> None:
    data = BYTES_A.replace(b"0212", b"0312").replace(b"\x06K3", b"\x06Q3")

    assert dup.read(data).records[0].faults == ("spade queen twice",)


def test_the_order_of_cards_in_the_two_forms_does_not_matter() -> None:
    assert shown(dup.read(BYTES_A.replace(b"0212", b"1202")).records[0]) == DEAL_A


def test_a_record_that_breaks_off_before_its_second_form_ends_is_wrong() -> None:
    data = with_trailers(*[b"YN1  1 2  "] * 2)
    for length in (156 + 10, 156 + 78, 156 + 145):
        contents = dup.read(data[:length])
        assert [record.faults for record in contents.records] == [(), ("the file breaks off inside the record",)]
        assert numbers(contents) == ["1", "2"]


@pytest.mark.parametrize("length", [156 + 146, 156 + 148, 156 + 155])
def test_a_record_that_breaks_off_after_its_cards_is_whole(length: int) -> None:
    contents = dup.read(with_trailers(*[b"YN1  1 2  "] * 2)[:length])

    assert [record.deal for record in contents.records] == [deal(1), deal(2)]
    assert contents.notes == ("The last record breaks off after its cards; the deal is whole and was taken.",)


@pytest.mark.parametrize(
    ("data", "confidence"),
    [
        pytest.param(BYTES_A, Confidence.SURE, id="one deal"),
        pytest.param(with_trailers(*[NO_TRAILER] * 2), Confidence.SURE, id="no range"),
        pytest.param(BYTES_A[:146], Confidence.SURE, id="cut after the cards"),
        pytest.param(NUMBERS + b" " * 68 + b"YN1  0 1  ", Confidence.SURE, id="blind"),
        pytest.param(BYTES_A.replace(b"0212", b"5353"), Confidence.SURE, id="wrong numbers"),
        pytest.param(b"?" * 78 + SIGNS + b"YN1  1 1  ", Confidence.PERHAPS, id="unreadable numbers"),
        pytest.param(NUMBERS + SIGNS.replace(b"K", b"k") + b"YN1  1 1  ", Confidence.PERHAPS, id="some strange signs"),
        pytest.param(NUMBERS + SIGNS + b"other text", Confidence.PERHAPS, id="another end"),
        pytest.param(BYTES_A[:140], Confidence.NO, id="cut inside the cards"),
        pytest.param(b" " * 156, Confidence.NO, id="blanks"),
        pytest.param((NUMBERS + b" " * 50) * 2, Confidence.NO, id="BRI"),
        pytest.param((SIGNS + b"\x00" * 60) * 2, Confidence.NO, id="DGE"),
    ],
)
def test_dup_is_recognised_by_its_content(data: bytes, confidence: Confidence) -> None:
    assert dup.recognise(data) is confidence


def test_nothing_but_filling_has_no_records() -> None:
    assert dup.read(b"\x1a").records == ()
    assert dup.read(b" \r\n").records == ()


@given(rows_of_boards(lowest=1, highest=999), st.booleans())
def test_what_is_written_as_dup_is_read_again(deals: DealSet, count: bool) -> None:
    contents = dup.read(dup.write(deals, count=count))

    assert as_read(contents) == as_written(deals)
    assert (contents.notes, contents.by_place) == ((), False)


def test_the_last_field_is_the_highest_number_or_on_request_the_number_of_boards() -> None:
    data, counted = dup.write(deal_set(range(17, 33))), dup.write(deal_set(range(17, 33)), count=True)

    assert {data[place : place + 10] for place in range(146, len(data), 156)} == {b"YN17 1 32 "}
    assert {counted[place : place + 10] for place in range(146, len(data), 156)} == {b"YN17 1 16 "}
    assert dup.write(deal_set(range(1, 37)))[146:156] == b"YN1  1 36 "


@pytest.mark.parametrize(
    ("boards", "words"),
    [
        ((), "no board to write"),
        ((1, 2, 4), "no gaps between its boards, and the set has 1, 2, 4 only"),
        ((998, 999, 1000), r"^Board 1000: DUP has numbers up to 999 only"),
    ],
)
def test_what_dup_has_no_room_for_is_refused(boards: tuple[int, ...], words: str) -> None:
    with pytest.raises(CannotBeWritten, match=words):
        dup.write(deal_set(boards))


def test_an_order_that_is_not_by_number_and_unusual_markings_are_named_as_lost() -> None:
    deals = deal_set((3, 1, 2))
    assert dup.losses(deals) == (
        "DUP has the boards in the order of their numbers; the order of this set is not kept.",
    )
    assert [number for number, _ in as_read(dup.read(dup.write(deals)))] == [1, 2, 3]
    assert dup.losses(deal_set(range(17, 33))) == ()

    odd = DealSet(name="x", path=None, boards=(BoardDeal(1, deal(1), Seat.WEST),))
    assert dup.losses(odd)[0].startswith("Board 1: DUP has no place for dealer")


@given(st.binary(max_size=400) | damaged(with_trailers(*[b"YN1  1 3  "] * 3)))
def test_any_bytes_give_deals_or_reasons(data: bytes) -> None:
    dup.recognise(data)
    read_or_refuse(dup.read, data)


@given(st.integers(0, 623), st.integers(-40, 40).filter(bool), st.sampled_from([b" ", b"\x00", b"0"]))
def test_lost_or_added_bytes_never_give_a_deal_a_wrong_place(place: int, change: int, filler: bytes) -> None:
    whole = dup.write(deal_set(range(1, 5)))
    data = whole[:place] + filler * max(change, 0) + whole[place + max(-change, 0) :]

    contents = read_or_refuse(dup.read, data)

    for record in contents.records if contents else ():
        assert record.deal in (None, deal(record.line // 156 + 1))
