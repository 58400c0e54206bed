"""DUP, the format of Duplimate under DOS: 156 bytes a deal, the cards twice and the range of the boards.

May import: construct, `bri.py`, `dge.py`, `card_numbers.py`, `driver.deals`. Read next: `bri.py` and
`dge.py`, whose cards stand in each record one after the other.

After the cards come ten bytes: random hands Y/N, backwards Y/N, lowest number, copies, and a last field that is the
highest number for the vendor and the number of boards for other programs. Some write them into one record only, the
first or the last, some into every record, with NUL elsewhere. Board n of the file has the number lowest + n - 1;
dealer and vulnerability are not carried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from construct import Bytes, Struct

from driver.deals.formats.bri import (
    LIKELY_CARDS,
    NUMBERS,
    NUMBERS_SIZE,
    numbers_of,
    record_of_numbers,
)
from driver.deals.formats.card_numbers import (
    BREAKS_OFF,
    CTRL_Z,
    CUT_AFTER_CARDS,
    NotCardsError,
    boards_in_a_row,
    different_cards,
    lost_markings,
    lost_order,
    pieces,
    record_without_hands,
)
from driver.deals.formats.dge import SIGNS, SIGNS_SIZE, hands_of_signs, looks_like_signs, signs_of
from driver.deals.model import DealSet
from driver.deals.records import Confidence, Contents, Record

HIGHEST_BOARD: Final = 999

_CARDS_SIZE: Final = NUMBERS_SIZE + SIGNS_SIZE
_TRAILER: Final = Struct(
    "random" / Bytes(1),
    "backwards" / Bytes(1),
    "lowest" / Bytes(3),
    "copies" / Bytes(2),
    "last" / Bytes(3),
)
_TRAILER_SIZE: Final = 10
_SIZE: Final = _CARDS_SIZE + _TRAILER_SIZE
_RECORD: Final = Struct("numbers" / NUMBERS, "signs" / SIGNS, "trailer" / _TRAILER)
_BLANK: Final = b" \x00"

_COPIES_DIFFER: Final = "the file holds the deal twice, and the two do not agree"
_UNREADABLE: Final = (
    "The part of the file that gives the board numbers is unreadable: the deals are numbered in the order of the file."
)
_DISAGREEING: Final = (
    "Not all deals of the file say the same about its board numbers; what stands with the first deal is used."
)


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are DUP: 78 bytes of card numbers, 68 of suit signs or blanks, then Y or N twice or NUL."""
    if len(data) < _CARDS_SIZE:
        return Confidence.NO
    numbers, signs = data[:NUMBERS_SIZE], data[NUMBERS_SIZE:_CARDS_SIZE]
    flags = data[_CARDS_SIZE : _CARDS_SIZE + 2]
    by_signs = looks_like_signs(signs)
    blank = not signs.strip(_BLANK) and bool(flags.strip(_BLANK))
    if not (by_signs or blank):
        return Confidence.NO
    flagged = not flags.upper().strip(b"YN") or not flags.strip(_BLANK)
    by_numbers = different_cards(numbers) >= LIKELY_CARDS
    if by_numbers and flagged and (blank or by_signs is Confidence.SURE):
        return Confidence.SURE
    return Confidence.PERHAPS if by_numbers or (flagged and by_signs is Confidence.SURE) else Confidence.NO


def read(data: bytes) -> Contents:
    """Every record of a DUP file; `line` is its first byte.

    Both halves of a record must give the same deal, else it cannot be dealt; blank suit signs ("blind" files) are
    passed over. Without a readable range the deals are numbered by their places. Raises BadSyntax for more than
    100000 records.
    """
    parts = list(pieces(data.rstrip(CTRL_Z), _SIZE))
    if not parts:
        return Contents(())
    trailers = [piece[_CARDS_SIZE:] for _, piece in parts]
    numbering = _numbering(trailers)
    records = tuple(
        _record(piece, offset=offset, board=board) for board, (offset, piece) in enumerate(parts, numbering.lowest)
    )
    notes = numbering.notes
    if _CARDS_SIZE <= len(parts[-1][1]) < _SIZE:
        notes = (*notes, CUT_AFTER_CARDS)
    return Contents(records, notes=notes, by_place=numbering.by_place)


def _record(piece: bytes, *, offset: int, board: int) -> Record:
    if len(piece) < _CARDS_SIZE:
        return record_without_hands(BREAKS_OFF, line=offset, board=board, by_offset=True)
    record = record_of_numbers(piece[:NUMBERS_SIZE], line=offset, board=board)
    signs = piece[NUMBERS_SIZE:_CARDS_SIZE]
    if record.deal is None or record.hands is None or not signs.strip(_BLANK):
        return record
    try:
        hands = hands_of_signs(signs)
    except NotCardsError as fault:
        reason = f"the file holds the deal twice, and one of the two is damaged ({fault})"
        return record_without_hands(reason, line=offset, board=board, by_offset=True)
    if any(sorted(one) != sorted(other or ()) for one, other in zip(hands, record.hands, strict=True)):
        return record_without_hands(_COPIES_DIFFER, line=offset, board=board, by_offset=True)
    return record


@dataclass(frozen=True, slots=True)
class _Numbering:
    """Which number the first deal has, whether the file says so, and what a person should know about it."""

    lowest: int = 1
    by_place: bool = False
    notes: tuple[str, ...] = ()


class _NotFiguresError(Exception):
    """A field of the trailer is neither blank nor a number."""


def _numbering(trailers: Sequence[bytes]) -> _Numbering:
    """The numbers of as many deals as there are trailers; a trailer is empty where its record breaks off."""
    written = next((trailer for trailer in trailers if trailer.strip(_BLANK)), b"")
    if not written:
        return _Numbering(by_place=True)
    first = written.ljust(_TRAILER_SIZE, b" ")
    layout = _TRAILER.parse(first)
    try:
        if layout.random.upper() not in (b"Y", b"N") or layout.backwards.upper() not in (b"Y", b"N"):
            raise _NotFiguresError
        lowest = _figure(layout.lowest) or 1
        # An asterisk stands for as many copies as one likes.
        copies = 0 if layout.copies.strip(_BLANK) == b"*" else _figure(layout.copies)
        last = _figure(layout.last)
    except _NotFiguresError:
        return _Numbering(by_place=True, notes=(_UNREADABLE,))

    count = len(trailers)
    highest = lowest + count - 1
    notes = []
    if last not in (highest, count):
        says = f"gives {last} as the number of its last board" if last else "does not say which board is its last"
        notes.append(
            f"The file begins with board {lowest} and {says}, but it holds {count} deals: "
            f"they are numbered {lowest} to {highest}, in the order of the file."
        )
    elif lowest == 1 and count > 1 and copies == 0:
        notes.append(
            f"The file says that its deals are boards 1 to {count}. Some programs write that for later boards too: "
            "make sure that these are the boards you want."
        )
    if not all(first.startswith(trailer.rstrip(_BLANK)) for trailer in trailers):
        notes.append(_DISAGREEING)
    if copies > 1:
        notes.append(f"The file asks for {copies} copies of each board.")
    if layout.backwards.upper() == b"Y":
        notes.append("The file asks for its boards backwards, the highest number first; here they keep its order.")
    return _Numbering(lowest, notes=tuple(notes))


def _figure(field: bytes) -> int:
    text = field.strip(_BLANK)
    if text and not text.isdigit():
        raise _NotFiguresError
    return int(text or b"0")


def losses(deals: DealSet) -> tuple[str, ...]:
    """What a DUP file of the set does not hold: an order that is not by number, markings other than those of Law 2."""
    return (*lost_order(deals, "DUP"), *lost_markings(deals, "DUP"))


def write(deals: DealSet, *, count: bool = False) -> bytes:
    """The set as DUP, by number, with the range in every record: random hands, not backwards, one copy.

    The last field is the highest board number, as the vendor has it; with `count` it is the number of boards, as other
    programs have it. For a set that begins with board 1 both are the same. Raises CannotBeWritten for a set without
    boards, with gaps between the numbers, or with a number above 999.
    """
    boards = boards_in_a_row(deals, "DUP", highest=HIGHEST_BOARD)
    trailer = {
        "random": b"Y",
        "backwards": b"N",
        "lowest": b"%-3d" % boards[0].number,
        "copies": b"1 ",
        "last": b"%-3d" % (len(boards) if count else boards[-1].number),
    }
    return b"".join(
        _RECORD.build({"numbers": numbers_of(board.deal), "signs": signs_of(board.deal), "trailer": trailer})
        for board in boards
    )
