"""BER, a format of pairs scoring programs: 52 figures a deal, one for each card; the reader.

May import: `card_numbers.py`, `words.py`, `driver.deals`, `driver.errors`. Read next: `card_numbers.py`.

The figures are 1 to 4 for North, East, South and West, the cards are in their order from spade ace to club two, and
nothing separates one deal from the next. There are no board numbers. Nothing would show where a figure was lost, so
that a file whose length does not fit is refused as a whole.
"""

from __future__ import annotations

from typing import Final

from driver.deals.formats.card_numbers import (
    check_number,
    hands_of_owners,
    pieces,
    record_of,
    record_without_hands,
)
from driver.deals.formats.words import MOST_RECORDS
from driver.deals.records import Confidence, Contents, Record
from driver.errors import BadSyntax
from protocol.cards import PACK_SIZE

_OWNERS: Final = b"1234"
_END: Final = b"\r\n\x1a"


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are BER: figures 1 to 4 and nothing else, whole deals; PERHAPS if one in twenty is wrong."""
    body = data.rstrip(_END)
    strange = len(body.translate(None, _OWNERS))
    if len(body) < PACK_SIZE or 20 * strange > len(body):
        return Confidence.NO
    return Confidence.PERHAPS if strange or len(body) % PACK_SIZE else Confidence.SURE


def read(data: bytes) -> Contents:
    """Every record of a BER file, numbered 1, 2, 3 …; `line` is its first byte.

    Raises BadSyntax when the figures are no whole number of deals, and for more than 100000 records. Line ends and
    Ctrl-Z at the end of the file are no figures. A line for each deal, as editors leave it, is as good.
    """
    body = data.rstrip(_END)
    if len(parts := body.split(None, MOST_RECORDS + 1)) > 1 and all(len(part) == PACK_SIZE for part in parts):
        check_number(len(parts))
        records = (
            _record(part, line=place, number=place, by_offset=False) for place, part in enumerate(parts, start=1)
        )
        return Contents(tuple(records), by_place=True)
    if len(body) % PACK_SIZE:
        raise BadSyntax(
            "The file looks like BER, but its length is wrong: something was lost or added, and nothing in the file "
            "shows which of its deals are still right."
        )
    records = (
        _record(piece, line=offset, number=number, by_offset=True)
        for number, (offset, piece) in enumerate(pieces(body, PACK_SIZE), start=1)
    )
    return Contents(tuple(records), by_place=True)


def _record(piece: bytes, *, line: int, number: int, by_offset: bool) -> Record:
    strange = piece.translate(None, _OWNERS)
    if strange:
        sign = chr(strange[0])
        fault = f'"{sign}" stands for no seat' if " " < sign < "\x7f" else "an unreadable sign"
        return record_without_hands(fault, line=line, board=number, by_offset=by_offset)
    hands = hands_of_owners([_OWNERS.index(owner) for owner in piece])
    return record_of(hands, line=line, board=number, by_offset=by_offset)
