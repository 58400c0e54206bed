"""BRI: 128 bytes a deal, three hands as two-figure card numbers; the reader and the writer.

May import: construct, `card_numbers.py`, `words.py`, `export.py`, `driver.deals`, `driver.errors`, `protocol.cards`.
Read next: `dup.py`, which holds the same 78 bytes of cards.

A file has neither a head nor board numbers, dealers or vulnerabilities: the deals are numbered by their places, and
West has the cards that are left. Sources: files of several programs, and the worked example of the layout's vendor.
"""

from __future__ import annotations

from typing import Final

from construct import Bytes, Struct

from driver.deals.encoding import decode
from driver.deals.formats.card_numbers import (
    BREAKS_OFF,
    CTRL_Z,
    CUT_AFTER_CARDS,
    NotCardsError,
    cards_of_figures,
    check_number,
    different_cards,
    figures_of_cards,
    lost_numbers,
    pieces,
    record_of,
    record_without_hands,
)
from driver.deals.formats.export import check_writable
from driver.deals.formats.words import lines
from driver.deals.hands import find_faults
from driver.deals.model import Deal, DealSet
from driver.deals.records import Confidence, Contents, Record
from driver.errors import BadSyntax
from protocol.cards import HAND_SIZE, PACK, Seat

NUMBERS_SIZE: Final = 78
NUMBERS: Final = Struct("north" / Bytes(26), "east" / Bytes(26), "south" / Bytes(26))
"""The three hands that are written down, 13 numbers each, in any order."""

LIKELY_CARDS: Final = 30
"""Among 39 numbers of cards there are 39 different ones; random figures give 17, the owners of BER at most 16."""

_SIZE: Final = 128
_PADDING: Final = b" " * 32 + b"\x00" * 18
_RECORD: Final = Struct("numbers" / NUMBERS, "padding" / Bytes(len(_PADDING)))
_FIGURES: Final = b"0123456789"
_LINE_SIGNS: Final = b"\r\n"


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are BRI: at least 30 different cards in the first 78 bytes, then padding or a line end."""
    if different_cards(data[:NUMBERS_SIZE]) < LIKELY_CARDS or data[NUMBERS_SIZE : NUMBERS_SIZE + 1] == b"\x06":
        return Confidence.NO
    if _is_in_lines(data):
        return Confidence.SURE
    blank = not data[NUMBERS_SIZE:_SIZE].strip(b" \x00\x1a")
    follows = data[_SIZE : _SIZE + 2].strip(b"\r\n\x1a")
    return Confidence.SURE if blank and (not follows or follows.strip().isdigit()) else Confidence.PERHAPS


def read(data: bytes) -> Contents:
    """Every record of a BRI file, numbered 1, 2, 3 …; `line` is its first byte, or its line in the form with lines.

    The padding is not looked at, but figures in it mean another layout unless each of several records is a deal: then
    nothing is guessed and BadSyntax is raised, as for more than 100000 records. A last record that is cut after its
    cards is whole.
    """
    data = data.rstrip(CTRL_Z)
    if _is_in_lines(data):
        return _read_lines(data)
    records: list[Record] = []
    notes: tuple[str, ...] = ()
    padded_with_figures = 0
    for number, (offset, piece) in enumerate(pieces(data, _SIZE), start=1):
        if len(piece) < NUMBERS_SIZE:
            records.append(record_without_hands(BREAKS_OFF, line=offset, board=number, by_offset=True))
            continue
        layout = _RECORD.parse(piece.ljust(_SIZE, b"\x00"))
        if layout.padding.translate(None, _FIGURES) != layout.padding:
            padded_with_figures = padded_with_figures or number
        if len(piece) < _SIZE:
            notes = (CUT_AFTER_CARDS,)
        records.append(record_of_numbers(piece[:NUMBERS_SIZE], line=offset, board=number))
    if padded_with_figures and (len(records) == 1 or any(record.deal is None for record in records)):
        raise BadSyntax(
            f"Deal {padded_with_figures} of the file is followed by figures where a BRI file has blanks: this is "
            "another layout, and the deals in it cannot be told apart with certainty."
        )
    return Contents(tuple(records), notes=notes, by_place=True)


def record_of_numbers(numbers: bytes, *, line: int, board: int, by_offset: bool = True) -> Record:
    """The record of 78 bytes of card numbers; West, who is not written down, has the other 13 cards."""
    layout = NUMBERS.parse(numbers)
    try:
        north, east, south = (cards_of_figures(part) for part in (layout.north, layout.east, layout.south))
    except NotCardsError as fault:
        return record_without_hands(str(fault), line=line, board=board, by_offset=by_offset)
    named = {*north, *east, *south}
    if len(named) == 3 * HAND_SIZE:
        west = tuple(card for card in PACK if card not in named)
        return record_of((north, east, south, west), line=line, board=board, by_offset=by_offset)
    hands = (north, east, south, None)
    # The first reason is that West is not given, and in this format West never is.
    faults = find_faults(hands)[1:]
    return Record(line=line, board=str(board), hands=hands, faults=faults, by_offset=by_offset)


def _is_in_lines(data: bytes) -> bool:
    after = data[NUMBERS_SIZE : NUMBERS_SIZE + 1]
    return bool(after) and after in _LINE_SIGNS


def _read_lines(data: bytes) -> Contents:
    """The form without padding, a line of 78 figures for each deal."""
    records: list[Record] = []
    for place, text in enumerate(lines(decode(data).rstrip()), start=1):
        check_number(place)
        # What is no ASCII is no figure either.
        line = text.encode("ascii", "replace")
        if len(line) == NUMBERS_SIZE:
            records.append(record_of_numbers(line, line=place, board=place, by_offset=False))
        else:
            fault = f"the line has {len(line)} signs instead of {NUMBERS_SIZE}"
            records.append(record_without_hands(fault, line=place, board=place, by_offset=False))
    note = "The file is in a rare form of BRI with a line of 78 figures for each deal; it was read as such."
    return Contents(tuple(records), notes=(note,), by_place=True)


def losses(deals: DealSet) -> tuple[str, ...]:
    """What a BRI file of the set does not hold: numbers other than 1, 2, 3 …, markings other than those of Law 2."""
    return lost_numbers(deals, "BRI")


def write(deals: DealSet) -> bytes:
    """The set as BRI, in its order, cards ascending, padded with 32 blanks and 18 NUL as other programs do.

    Raises CannotBeWritten for a set without boards.
    """
    check_writable(deals)
    return b"".join(_RECORD.build({"numbers": numbers_of(board.deal), "padding": _PADDING}) for board in deals)


def numbers_of(deal: Deal) -> dict[str, bytes]:
    """The parts of `NUMBERS` for a deal, the cards of each hand ascending."""
    seats = (Seat.NORTH, Seat.EAST, Seat.SOUTH)
    return {seat.name.lower(): figures_of_cards(deal.hand(seat)) for seat in seats}
