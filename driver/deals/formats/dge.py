"""DGE: 128 bytes a deal, four hands with the suit pictures of code page 437; the reader and the writer.

May import: construct, `card_numbers.py`, `export.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next:
`dup.py`, which holds the same 68 bytes of cards.

A file has neither a head nor board numbers, dealers or vulnerabilities: the deals are numbered by their places. A hand
is always 17 bytes: the four suit signs 06 03 04 05 (spades, hearts, diamonds, clubs) with 13 ranks between them.
"""

from __future__ import annotations

from typing import Final

from construct import Bytes, Struct

from driver.deals.formats.card_numbers import (
    BREAKS_OFF,
    CTRL_Z,
    CUT_AFTER_CARDS,
    NotCardsError,
    lost_numbers,
    pieces,
    record_of,
    record_without_hands,
)
from driver.deals.formats.export import check_writable
from driver.deals.model import Deal, DealSet
from driver.deals.records import Confidence, Contents, Record
from driver.errors import BadSyntax
from protocol.cards import PACK, RANKS, Card, Seat, Suit

SIGNS_SIZE: Final = 68
SIGNS: Final = Struct("north" / Bytes(17), "east" / Bytes(17), "south" / Bytes(17), "west" / Bytes(17))
"""The four hands, 17 bytes each."""

_SIZE: Final = 128
_PADDING: Final = b"\x00" * 60
_RECORD: Final = Struct("signs" / SIGNS, "padding" / Bytes(len(_PADDING)))
_SUIT_SIGNS: Final = b"\x06\x03\x04\x05"
_CARDS: Final = tuple({ord(card.rank): card for card in PACK if card.suit is suit} for suit in Suit)
_ALPHABET: Final = _SUIT_SIGNS + RANKS.encode("ascii")


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are DGE: they begin with cards and suit signs."""
    return looks_like_signs(data[:SIGNS_SIZE])


def looks_like_signs(data: bytes) -> Confidence:
    """Whether 68 bytes, or fewer if the file ends there, are a deal in suit signs; PERHAPS if one in four is wrong."""
    if data[:1] != _SUIT_SIGNS[:1] or len(data) < SIGNS_SIZE // 4:
        return Confidence.NO
    strange = len(data.translate(None, _ALPHABET))
    if strange == 0:
        return Confidence.SURE
    return Confidence.PERHAPS if 4 * strange <= len(data) else Confidence.NO


def read(data: bytes) -> Contents:
    """Every record of a DGE file, numbered 1, 2, 3 …; `line` is its first byte.

    The padding is not looked at, but suit signs in it mean another layout: then nothing is guessed and BadSyntax is
    raised, as for more than 100000 records. A last record that is cut after its cards is whole.
    """
    records: list[Record] = []
    notes: tuple[str, ...] = ()
    for number, (offset, piece) in enumerate(pieces(data.rstrip(CTRL_Z), _SIZE), start=1):
        if len(piece) < SIGNS_SIZE:
            records.append(record_without_hands(BREAKS_OFF, line=offset, board=number, by_offset=True))
            continue
        layout = _RECORD.parse(piece.ljust(_SIZE, b"\x00"))
        if layout.padding.translate(None, _SUIT_SIGNS) != layout.padding:
            raise BadSyntax(
                f"Deal {number} of the file is followed by suit signs where a DGE file has nothing: this is another "
                "layout, and the deals in it cannot be told apart with certainty."
            )
        if len(piece) < _SIZE:
            notes = (CUT_AFTER_CARDS,)
        try:
            hands = hands_of_signs(piece[:SIGNS_SIZE])
        except NotCardsError as fault:
            records.append(record_without_hands(str(fault), line=offset, board=number, by_offset=True))
        else:
            records.append(record_of(hands, line=offset, board=number, by_offset=True))
    return Contents(tuple(records), notes=notes, by_place=True)


def hands_of_signs(signs: bytes) -> tuple[tuple[Card, ...], ...]:
    """The hands N E S W of 68 bytes, 13 cards each, not yet judged. Raises NotCardsError when they are no hands."""
    layout = SIGNS.parse(signs)
    return tuple(_hand(cell) for cell in (layout.north, layout.east, layout.south, layout.west))


def _hand(cell: bytes) -> tuple[Card, ...]:
    cards: list[Card] = []
    suit = -1
    for sign in cell:
        if sign in _SUIT_SIGNS:
            suit += 1
            if _SUIT_SIGNS[suit : suit + 1] != bytes((sign,)):
                raise NotCardsError("the four suit signs of a hand are not in their places")
        elif suit < 0:
            raise NotCardsError("a hand does not begin with the sign for spades")
        elif (card := _CARDS[suit].get(sign)) is not None:
            cards.append(card)
        else:
            raise NotCardsError(f'"{chr(sign)}" is not the rank of a card' if 32 < sign < 127 else "an unreadable rank")
    if suit != Suit.CLUBS:
        raise NotCardsError("a hand has fewer than four suit signs")
    return tuple(cards)


def losses(deals: DealSet) -> tuple[str, ...]:
    """What a DGE file of the set does not hold: numbers other than 1, 2, 3 …, markings other than those of Law 2."""
    return lost_numbers(deals, "DGE")


def write(deals: DealSet) -> bytes:
    """The set as DGE, in its order, ranks high to low, padded with 60 NUL as other programs do.

    Raises CannotBeWritten for a set without boards.
    """
    check_writable(deals)
    return b"".join(_RECORD.build({"signs": signs_of(board.deal), "padding": _PADDING}) for board in deals)


def signs_of(deal: Deal) -> dict[str, bytes]:
    """The parts of `SIGNS` for a deal."""
    return {seat.name.lower(): _cell(deal.hand(seat)) for seat in Seat}


def _cell(hand: tuple[Card, ...]) -> bytes:
    return b"".join(
        _SUIT_SIGNS[suit : suit + 1] + "".join(card.rank for card in hand if card.suit is suit).encode("ascii")
        for suit in Suit
    )
