"""RZD and CDS, the binary formats of the Polish program KoPS and of its neighbours: 13 bytes of owners a deal.

May import: construct, `card_numbers.py`, `driver.deals`, `driver.errors`. Read next: `card_numbers.py`.

One byte for each rank, ace to two; in it two bits for each suit, spades first from the top, that say who has the card.
RZD counts the seats N E S W from 0, has a head with the number of deals and no board numbers; CDS counts them from
West and has the board number before each deal. Neither has any figure that shows damage, so that a file whose length
does not fit is refused as a whole: after a lost byte the deals that follow would look whole and be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from construct import Bytes, Int8ul, Int16ul, Struct

from driver.deals.formats.card_numbers import CTRL_Z, hands_of_owners, pieces, record_of
from driver.deals.records import Confidence, Contents, judge
from driver.errors import BadSyntax
from protocol.cards import RANKS, Card, Seat, Suit

_OWNERS_SIZE: Final = len(RANKS)
_RZD_HEAD: Final = Struct("count" / Int16ul, "blanks" / Bytes(11))
_RZD_HEAD_SIZE: Final = 13
_RZD_BLANKS: Final = b" " * 11
_CDS_RECORD: Final = Struct("board" / Int8ul, "owners" / Bytes(_OWNERS_SIZE))
_CDS_SIZE: Final = 14
_CDS_FIRST_SEAT: Final = 3
_LOOKED_AT: Final = 64
_TEXT: Final = bytes(range(32, 127)) + b"\t\n\r"


def recognise_rzd(data: bytes) -> Confidence:
    """Whether the bytes are RZD: 11 blanks in the head, and a number of deals that fits the length exactly.

    PERHAPS when the length does not fit but the first deal is one.
    """
    if len(data) < _RZD_HEAD_SIZE or data[2:_RZD_HEAD_SIZE] != _RZD_BLANKS:
        return Confidence.NO
    if _rzd_owners(data) is not None:
        return Confidence.SURE
    first = data[_RZD_HEAD_SIZE : _RZD_HEAD_SIZE + _OWNERS_SIZE]
    return Confidence.PERHAPS if _is_deal(first, first_seat=0) else Confidence.NO


def read_rzd(data: bytes) -> Contents:
    """Every record of an RZD file, numbered 1, 2, 3 …; `line` is its first byte.

    Raises BadSyntax when the length of the file does not fit its head (a Ctrl-Z at the end is no part of it).
    """
    owners = _rzd_owners(data)
    if owners is None:
        raise _wrong_length("RZD")
    records = tuple(
        record_of(_hands(piece, 0), line=_RZD_HEAD_SIZE + offset, board=number, by_offset=True)
        for number, (offset, piece) in enumerate(_whole(owners, _OWNERS_SIZE), start=1)
    )
    return Contents(records, by_place=True)


def recognise_cds(data: bytes) -> Confidence:
    """Whether the bytes are CDS: whole records of 14 bytes of which at least three in four are deals with a number.

    That is no proof for a single record, and PERHAPS then; also when the length does not fit, but the first two do.
    Bytes that are all letters and signs of a text are none: by chance a line of x is a deal.
    """
    body = _cds_body(data)
    looked_at = body[: _LOOKED_AT * _CDS_SIZE]
    if not looked_at.translate(None, _TEXT):
        return Confidence.NO
    number = len(looked_at) // _CDS_SIZE
    legal = sum(_is_cds_record(looked_at[place * _CDS_SIZE :][:_CDS_SIZE]) for place in range(number))
    if 4 * legal < 3 * number or not legal:
        return Confidence.NO
    if len(body) % _CDS_SIZE:
        return Confidence.PERHAPS if legal > 1 else Confidence.NO
    return Confidence.SURE if legal > 1 else Confidence.PERHAPS


def read_cds(data: bytes) -> Contents:
    """Every record of a CDS file, with the board number that it carries (0 to 255); `line` is its first byte.

    Raises BadSyntax when the file is no whole number of records (a Ctrl-Z at the end is no part of it), and for more
    than 100000 records.
    """
    body = _cds_body(data)
    if len(body) % _CDS_SIZE:
        raise _wrong_length("CDS")
    records = []
    for offset, piece in _whole(body, _CDS_SIZE):
        layout = _CDS_RECORD.parse(piece)
        hands = _hands(layout.owners, _CDS_FIRST_SEAT)
        records.append(record_of(hands, line=offset, board=layout.board, by_offset=True))
    return Contents(tuple(records))


def _rzd_owners(data: bytes) -> bytes | None:
    """What follows the head, if its length is the one that the head gives."""
    if len(data) < _RZD_HEAD_SIZE:
        return None
    size = _OWNERS_SIZE * _RZD_HEAD.parse(data[:_RZD_HEAD_SIZE]).count
    owners = data[_RZD_HEAD_SIZE:]
    if len(owners) == size + 1:
        owners = owners.removesuffix(CTRL_Z)
    return owners if len(owners) == size else None


def _cds_body(data: bytes) -> bytes:
    return data.removesuffix(CTRL_Z) if len(data) % _CDS_SIZE == 1 else data


def _whole(data: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    return (piece for piece in pieces(data, size) if len(piece[1]) == size)


def _is_cds_record(piece: bytes) -> bool:
    return piece[0] > 0 and _is_deal(piece[1:], first_seat=_CDS_FIRST_SEAT)


def _is_deal(owners: bytes, *, first_seat: int) -> bool:
    return len(owners) == _OWNERS_SIZE and judge(_hands(owners, first_seat))[0] is not None


def _hands(owners: bytes, first_seat: int) -> tuple[tuple[Card, ...], ...]:
    """The hands N E S W; the owner 0 is the seat `first_seat`, and the others follow clockwise."""
    return hands_of_owners(
        [((byte >> 2 * (len(Suit) - 1 - suit)) + first_seat) % len(Seat) for suit in Suit for byte in owners]
    )


def _wrong_length(name: str) -> BadSyntax:
    return BadSyntax(
        f"The file looks like {name}, but its length is wrong: something was lost or added, and nothing in the file "
        "shows which of its deals are still right."
    )
