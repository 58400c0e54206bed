"""The PBN writer: the strict export form, names that PBN has no letters for, and all of it read again.

Read next: `driver/deals/formats/pbn_export.py`.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from driver.deals.formats import pbn, pbn_export
from driver.deals.model import BoardDeal, Deal, Vulnerability
from driver.errors import CannotBeWritten
from protocol.cards import Seat
from tests.unit.deal_texts import HANDS, NORTH, OTHER, SUITS, as_read, as_written, boards, set_of

TAGS = (
    *("Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable", "Deal"),
    *("Scoring", "Declarer", "Contract", "Result"),
)


def deal_of(value: str) -> Deal:
    (record,) = pbn.read(f'[Deal "{value}"]'.encode()).records
    assert record.deal is not None
    return record.deal


ONE = BoardDeal(1, deal_of(HANDS))
ODD = BoardDeal(18, deal_of(OTHER), Seat.SOUTH, Vulnerability.ALL)


def test_a_set_is_written_in_the_strict_export_form() -> None:
    data = pbn_export.write(set_of(ONE, ODD, event="Tuesday", date="2026.03.10"))

    header, *lines = data.decode("latin-1").split("\r\n")
    assert header == "% PBN 2.1"
    assert lines[0] == "% EXPORT"
    assert lines[16] == ""
    assert lines[32:] == [""]
    for game in (lines[1:16], lines[17:32]):
        assert [re.fullmatch(r'\[(\w+) "[^"]*"\]', line)[1] for line in game] == list(TAGS)  # type: ignore[index]
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert b"\t" not in data


def test_a_board_has_the_tags_that_hand_record_programs_want_and_the_dealer_comes_first() -> None:
    text = pbn_export.write(set_of(ONE, ODD, event="Tuesday", date="2026.03.10")).decode("latin-1")

    for line in (
        *('[Event "Tuesday"]', '[Site "?"]', '[Date "2026.03.10"]', '[Board "18"]', '[Dealer "S"]'),
        *('[Vulnerable "All"]', f'[Deal "S:{SUITS[2]} {SUITS[3]} {SUITS[0]} {SUITS[1]}"]', '[Contract "?"]'),
        *('[Board "1"]', '[Dealer "N"]', '[Vulnerable "None"]', f'[Deal "{HANDS}"]'),
    ):
        assert f"\r\n{line}\r\n" in text


def test_what_the_set_does_not_know_is_a_question_mark() -> None:
    text = pbn_export.write(set_of(ONE)).decode("latin-1")

    assert '[Event "?"]' in text
    assert '[Date "?"]' in text
    assert pbn_export.losses(set_of(ONE)) == ()


@pytest.mark.parametrize(
    ("event", "written"),
    [
        pytest.param("Liège", "Liège", id="Latin-1"),
        pytest.param('The "Gold" C:\\', 'The "Gold" C:\\', id="quotes and backslashes"),
        pytest.param("#", "#", id="the sign that means the game before"),
        pytest.param("##All", "##All", id="the sign that means all games"),
        pytest.param("Kraków, łódź – “Open”", 'Kraków, lódz - "Open"', id="letters of Poland, typographic signs"),
        pytest.param("Praha, Dvořák’s", "Praha, Dvorák's", id="letters of Bohemia"),
        pytest.param("Αθήνα 2026", "????? 2026", id="Greek"),
        pytest.param("Ã©", "A(c)", id="Latin-1 that would be read as UTF-8"),
        pytest.param("a\r\nb\tc\x00", "a  b c", id="control signs"),
        pytest.param("x" * 300, "x" * 200, id="too long"),
        pytest.param('"' * 200, '"' * 121, id="too long with its backslashes"),
    ],
)
def test_a_name_is_written_as_far_as_pbn_has_letters_and_what_is_lost_is_told(event: str, written: str) -> None:
    written = "A?" if written == "A(c)" else written
    deals = set_of(ONE, event=event)

    data = pbn_export.write(deals)

    (record,) = pbn.read(data).records
    assert record.event == written
    assert max(map(len, data.split(b"\n"))) < 255
    assert len(pbn_export.losses(deals)) == (event != written)
    assert all(written in sentence for sentence in pbn_export.losses(deals))


@given(boards(), st.text(max_size=260), st.text(max_size=50))
@example((ONE,), "Ã©", "Ã")
@example((ONE,), "?", "#")
@example((ONE,), "é" * 199 + "\\" * 60, "½")
@example((ONE,), "ﷺ" * 40, "\u017f")
def test_what_is_written_as_pbn_is_read_again(members: tuple[BoardDeal, ...], event: str, date: str) -> None:
    deals = set_of(*members, event=event, date=date)

    data = pbn_export.write(deals)

    contents = pbn.read(data)
    assert list(map(as_read, contents.records)) == list(map(as_written, members))
    assert (contents.strays, contents.notes) == ((), ())
    assert {(record.event, record.remarks, record.faults) for record in contents.records} == {
        (contents.records[0].event, (), ())
    }
    kept = (contents.records[0].event == event) + (contents.records[0].date == date)
    assert len(pbn_export.losses(deals)) == 2 - kept
    assert max(map(len, data.split(b"\n"))) < 255


def test_a_set_that_no_reader_would_take_is_not_written() -> None:
    with pytest.raises(CannotBeWritten, match="no board"):
        pbn_export.write(set_of())
    with pytest.raises(CannotBeWritten, match="1000000") as caught:
        pbn_export.write(set_of(ONE, BoardDeal(1_000_000, ONE.deal)))
    assert NORTH not in str(caught.value)
