"""What every reader owes for any bytes at all: documented errors only, whole deals only, little time, no hand shown.

May import: `driver.deals`, `driver.errors`, the standard library. Read next: `test_readers_under_fire.py`.

Whether something is a deal is counted here from the text that would be written out, without the driver's own checks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from driver.deals.archive import deal_files, is_archive
from driver.deals.check import records_to_json
from driver.deals.formats.registry import READERS
from driver.deals.loader import reader_of
from driver.deals.model import Deal, DealSet
from driver.deals.records import Contents, Reader
from driver.deals.sets import sets_from
from driver.errors import DealFileError

SECONDS_AT_MOST: Final = 5.0
"""Processor time for one input of at most 64 KiB: a hundred times what the slowest takes, so that it tells a hang."""

_Read = TypeVar("_Read")
_RANKS: Final = "AKQJT98765432"
_HAND_LENGTH: Final = 13 + len("...")


def is_whole(text: str) -> bool:
    """Whether "N:spades.hearts.diamonds.clubs …" is four hands of 13 cards, and 52 different ones together."""
    first, _, rest = text.partition(":")
    hands = [hand.split(".") for hand in rest.split(" ")]
    cards = {(suit, rank) for hand in hands for suit, ranks in enumerate(hand) for rank in ranks}
    return (
        first in tuple("NESW")
        and [len(hand) for hand in hands] == [4] * 4
        and [sum(map(len, hand)) for hand in hands] == [13] * 4
        and cards == {(suit, rank) for suit in range(4) for rank in _RANKS}
    )


def judge(reader: Reader, data: bytes, *, others: bool = True) -> tuple[str, ...]:
    """The deals that the reader accepts, as texts; fails when it does anything that no reader may do.

    `others`: every other format must say without fuss whether the bytes are of it, too.
    """
    start = time.process_time()
    for other in READERS if others else (reader,):
        other.recognise(data)
    contents = _unless_refused(partial(reader.read, data))
    deals = () if contents is None else _judge_contents(contents)
    assert time.process_time() - start < SECONDS_AT_MOST, "takes far too long"
    return deals


def judge_archive(data: bytes) -> None:
    """The same for bytes that may be a ZIP archive."""
    start = time.process_time()
    members = _unless_refused(lambda: deal_files(data, lambda content: reader_of(content) is not None, "secret"))
    for member in members or ():
        assert not is_archive(member.data)
        reader = reader_of(member.data)
        assert reader is not None
        if (contents := _unless_refused(partial(reader.read, member.data))) is not None:
            _judge_contents(contents)
    assert time.process_time() - start < SECONDS_AT_MOST, "takes far too long"


def _unless_refused(read: Callable[[], _Read]) -> _Read | None:
    try:
        return read()
    except DealFileError as error:
        words = str(error)
    assert words.strip()
    return None


def _judge_contents(contents: Contents) -> tuple[str, ...]:
    deals = []
    for record in contents.records:
        assert (record.deal is None) == bool(record.faults)
        for deal in (record.deal, record.fill):
            assert deal is None or is_whole(deal.hands_as_pbn())
        if record.deal is not None:
            deals.append(record.deal.hands_as_pbn())
    _shows_none(contents, deals)
    records_to_json(contents.records)
    for fill in (False, True):
        for made in _unless_refused(partial(sets_from, contents, name="x", fill=fill)) or ():
            _judge_set(made, contents, fill=fill)
    return tuple(deals)


def _judge_set(made: DealSet, contents: Contents, *, fill: bool) -> None:
    numbers = [board.number for board in made]
    assert len(numbers) == len(set(numbers))
    known: set[Deal | None] = {record.deal for record in contents.records}
    if fill:
        known |= {record.fill for record in contents.records}
    assert {board.deal for board in made} <= known


def _shows_none(contents: Contents, deals: list[str]) -> None:
    """No remark, fault or repr of what was read has a hand in it (I7); names of events are what the file makes them."""
    records = tuple(replace(record, event="", date="") for record in contents.records)
    words = " ".join((repr(replace(contents, records=records)), *contents.notes))
    for deal in deals[:20]:
        for hand in deal[2:].split(" "):
            assert len(hand) == _HAND_LENGTH
            assert hand not in words
