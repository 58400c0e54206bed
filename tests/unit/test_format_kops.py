"""RZD and CDS: two bits for each card; why a length that does not fit is refused.

Read next: `driver/deals/formats/kops.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import kops
from driver.deals.records import Confidence
from driver.errors import BadSyntax
from tests.support.deal_sets import DEAL_A, damaged, deal, read_or_refuse, shown

RZD_A = bytes.fromhex("d7 2c be 61 f9 66 92 40 73 93 8c 1e 9c")
CDS_A = bytes.fromhex("01 28 71 c3 b6 0e bb e7 95 84 e4 d1 63 e1")


def rzd(count: int, *deals: bytes) -> bytes:
    return count.to_bytes(2, "little") + b" " * 11 + b"".join(deals)


def owners_of(seed: int, turn: int) -> bytes:
    """The 13 bytes of a deal by the table of the page: a byte for each rank, spades in its highest two bits."""
    owners = deal(seed).owners
    return bytes(
        sum((owners[13 * suit + rank] + turn) % 4 << (6 - 2 * suit) for suit in range(4)) for rank in range(13)
    )


RZD_FILE = rzd(5, *(owners_of(seed, 0) for seed in range(1, 6)))
CDS_FILE = b"".join(bytes((seed,)) + owners_of(seed, 1) for seed in range(1, 6))


def test_the_worked_deal_is_read_from_rzd() -> None:
    contents = kops.read_rzd(rzd(1, RZD_A))

    (record,) = contents.records
    assert shown(record) == DEAL_A
    assert (record.board, record.line, record.by_offset) == ("1", 13, True)
    assert (record.dealer, record.vulnerability) == (None, None)
    assert (contents.by_place, contents.notes) == (True, ())


def test_the_worked_deal_is_read_from_cds_with_its_number() -> None:
    contents = kops.read_cds(CDS_A)

    (record,) = contents.records
    assert shown(record) == DEAL_A
    assert (record.board, record.line, record.by_offset) == ("1", 0, True)
    assert (record.dealer, record.vulnerability) == (None, None)
    assert (contents.by_place, contents.notes) == (False, ())


def test_rzd_numbers_its_deals_by_their_places() -> None:
    records = kops.read_rzd(RZD_FILE).records

    assert [(record.number, record.line, record.deal) for record in records] == [
        (place, 13 * place, deal(place)) for place in range(1, 6)
    ]


def test_cds_has_a_number_for_each_deal_from_0_to_255() -> None:
    records = kops.read_cds(b"\x00" + CDS_A[1:] + b"\xff" + CDS_A[1:] + b"\x07" + CDS_A[1:]).records

    assert [(record.board, record.number) for record in records] == [("0", None), ("255", 255), ("7", 7)]


def test_hands_of_other_sizes_make_the_record_wrong() -> None:
    # The spade ace goes from West to North.
    record = kops.read_rzd(rzd(1, b"\x17" + RZD_A[1:])).records[0]
    assert (record.deal, record.faults) == (None, ("North has 14 cards", "West has 12 cards"))

    record = kops.read_cds(CDS_A[:1] + b"\x68" + CDS_A[2:]).records[0]
    assert (record.deal, record.faults) == (None, ("North has 14 cards", "West has 12 cards"))


@pytest.mark.parametrize("data", [RZD_FILE[:-1], RZD_FILE + b"\x00", rzd(5, RZD_A), rzd(1, RZD_A, RZD_A), b"", b"\x01"])
def test_an_rzd_file_whose_length_does_not_fit_is_refused(data: bytes) -> None:
    with pytest.raises(BadSyntax, match="its length is wrong"):
        kops.read_rzd(data)


@pytest.mark.parametrize("data", [CDS_FILE[:-1], CDS_FILE + b"\x00", b"\x01"])
def test_a_cds_file_whose_length_does_not_fit_is_refused(data: bytes) -> None:
    with pytest.raises(BadSyntax, match="its length is wrong"):
        kops.read_cds(data)


def test_one_ctrl_z_at_the_end_is_no_part_of_the_file() -> None:
    assert len(kops.read_rzd(RZD_FILE + b"\x1a").records) == 5
    assert len(kops.read_cds(CDS_FILE + b"\x1a").records) == 5


def test_a_head_without_deals_has_no_records() -> None:
    assert kops.read_rzd(rzd(0)).records == ()
    assert kops.read_cds(b"").records == ()


@pytest.mark.parametrize(
    ("data", "confidence"),
    [
        pytest.param(RZD_FILE, Confidence.SURE, id="a file"),
        pytest.param(RZD_FILE + b"\x1a", Confidence.SURE, id="Ctrl-Z at the end"),
        pytest.param(RZD_FILE[:-1], Confidence.PERHAPS, id="a byte lost"),
        pytest.param(rzd(5, b"\x00" * 13), Confidence.NO, id="another length and no deal"),
        pytest.param(CDS_FILE, Confidence.NO, id="CDS"),
        pytest.param(b"ab" + b" " * 11 + b"an indented text", Confidence.NO, id="a text"),
        pytest.param(b"", Confidence.NO, id="nothing"),
    ],
)
def test_rzd_is_recognised_by_its_head_and_length(data: bytes, confidence: Confidence) -> None:
    assert kops.recognise_rzd(data) is confidence


@pytest.mark.parametrize(
    ("data", "confidence"),
    [
        pytest.param(CDS_FILE, Confidence.SURE, id="a file"),
        pytest.param(CDS_FILE + b"\x1a", Confidence.SURE, id="Ctrl-Z at the end"),
        pytest.param(CDS_FILE[:1] + b"\xff" * 13 + CDS_FILE[14:], Confidence.SURE, id="one wrong deal"),
        pytest.param(CDS_FILE[:-1], Confidence.PERHAPS, id="a byte lost"),
        pytest.param(CDS_A, Confidence.PERHAPS, id="a single deal, which may be chance"),
        pytest.param(CDS_A[:-1], Confidence.NO, id="a part of a single deal"),
        pytest.param(b"fourteen bytes" * 3, Confidence.NO, id="a text of that length"),
        pytest.param(b"\x00" * 140, Confidence.NO, id="NUL"),
        pytest.param(b"1234" * 91, Confidence.NO, id="figures as in BER"),
        pytest.param(RZD_FILE, Confidence.NO, id="RZD"),
        pytest.param(b"", Confidence.NO, id="nothing"),
    ],
)
def test_cds_is_recognised_by_its_length_and_its_deals(data: bytes, confidence: Confidence) -> None:
    assert kops.recognise_cds(data) is confidence


def test_a_text_is_not_taken_for_cds_although_a_line_of_x_is_a_deal_by_its_bits() -> None:
    line = b"x" * 14

    assert kops.read_cds(line).records[0].deal is not None
    assert kops.recognise_cds(line * 3) is Confidence.NO
    assert kops.recognise_cds((line + b"\r\n") * 7) is Confidence.NO


@given(st.binary(max_size=200) | damaged(RZD_FILE) | damaged(CDS_FILE))
def test_any_bytes_give_deals_or_reasons(data: bytes) -> None:
    kops.recognise_rzd(data)
    kops.recognise_cds(data)
    read_or_refuse(kops.read_rzd, data)
    read_or_refuse(kops.read_cds, data)


@given(st.integers(0, 64), st.integers(-12, 12).filter(bool), st.sampled_from([b" ", b"\x00", b"\x1a"]))
def test_lost_or_added_bytes_never_give_a_deal_a_wrong_place(place: int, change: int, filler: bytes) -> None:
    for whole, read in ((RZD_FILE, kops.read_rzd), (CDS_FILE, kops.read_cds)):
        data = whole[:place] + filler * max(change, 0) + whole[place + max(-change, 0) :]
        contents = read_or_refuse(read, data)
        assert contents is None or (data[-1:] == b"\x1a" and data[:-1] == whole)
