"""BER: a figure for each card; why a length that does not fit is refused.

Read next: `driver/deals/formats/ber.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import ber
from driver.deals.records import Confidence
from driver.errors import BadSyntax
from tests.support.deal_sets import DEAL_A, damaged, deal, read_or_refuse, shown

FIGURES_A = b"4132423223313234343214212224413211114444132233144131"


def figures_of(seed: int) -> bytes:
    return "".join("1234"[owner] for owner in deal(seed).owners).encode()


FILE = b"".join(figures_of(seed) for seed in range(1, 6))


def test_the_worked_deal_is_read() -> None:
    contents = ber.read(FIGURES_A)

    (record,) = contents.records
    assert shown(record) == DEAL_A
    assert (record.board, record.line, record.by_offset) == ("1", 0, True)
    assert (record.dealer, record.vulnerability) == (None, None)
    assert (contents.by_place, contents.notes) == (True, ())


def test_deals_are_numbered_by_their_places_and_found_by_their_bytes() -> None:
    records = ber.read(FILE + b"\r\n\x1a").records

    assert [(record.number, record.line, record.deal) for record in records] == [
        (place, 52 * (place - 1), deal(place)) for place in range(1, 6)
    ]


@pytest.mark.parametrize(
    ("wrong", "faults"),
    [
        (b"5", ('"5" stands for no seat',)),
        (b"\x00", ("an unreadable sign",)),
        (b"\n", ("an unreadable sign",)),
        (b"1", ("North has 14 cards", "West has 12 cards")),
    ],
)
def test_a_sign_that_is_no_seat_or_a_wrong_one_makes_the_record_wrong(wrong: bytes, faults: tuple[str, ...]) -> None:
    records = ber.read(wrong + FIGURES_A[1:] + FIGURES_A).records

    assert [record.faults for record in records] == [faults, ()]
    assert records[0].deal is None


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_for_each_deal_is_as_good_and_counts_lines(end: bytes) -> None:
    data = end.join(figures_of(seed) for seed in range(1, 6)) + end

    contents = ber.read(data)

    assert ber.recognise(data) is Confidence.PERHAPS
    assert [(one.number, one.line, one.by_offset, one.deal) for one in contents.records] == [
        (place, place, False, deal(place)) for place in range(1, 6)
    ]
    with pytest.raises(BadSyntax, match="length is wrong"):
        ber.read(data.replace(end, end + b"1", 1))


@pytest.mark.parametrize("data", [FILE[:-1], FILE + b"1", FILE[1:], b"1"])
def test_a_file_whose_length_does_not_fit_is_refused(data: bytes) -> None:
    with pytest.raises(BadSyntax, match="its length is wrong"):
        ber.read(data)


@pytest.mark.parametrize(
    ("data", "confidence"),
    [
        pytest.param(FILE, Confidence.SURE, id="a file"),
        pytest.param(FILE + b"\r\n", Confidence.SURE, id="a line end at the end"),
        pytest.param(b"x" + FILE[1:], Confidence.PERHAPS, id="one wrong sign"),
        pytest.param(FILE[:-1], Confidence.PERHAPS, id="a figure lost"),
        pytest.param(FILE[:51], Confidence.NO, id="less than a deal"),
        pytest.param(b"0123" * 52, Confidence.NO, id="figures from 0"),
        pytest.param(b"0102030405" * 26, Confidence.NO, id="other figures"),
        pytest.param(b"", Confidence.NO, id="nothing"),
    ],
)
def test_ber_is_recognised_by_its_content(data: bytes, confidence: Confidence) -> None:
    assert ber.recognise(data) is confidence


@given(st.binary(max_size=200) | st.text("1234", max_size=120).map(str.encode) | damaged(FILE))
def test_any_bytes_give_deals_or_reasons(data: bytes) -> None:
    ber.recognise(data)
    read_or_refuse(ber.read, data)


@given(st.integers(0, 259), st.integers(-40, 40).filter(bool), st.sampled_from([b"1", b"4", b" "]))
def test_lost_or_added_figures_never_give_a_deal_a_wrong_place(place: int, change: int, filler: bytes) -> None:
    data = FILE[:place] + filler * max(change, 0) + FILE[min(place + max(-change, 0), len(FILE)) :]
    kept = data == FILE[: len(data)]

    contents = read_or_refuse(ber.read, data)

    assert contents is None or kept or len(data) % 52 == 0
