"""What every format reader returns: the records of a file in their order, not yet boards of a set.

May import: `protocol.cards`, `driver.errors`, `hands.py`, `model.py`. Read next: `formats/pbn.py` (a reader), `sets.py`
(records become sets), `check.py` (records as a person sees them who asked for the hands).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum, unique
from typing import Final

from driver.deals.hands import Hand, find_faults
from driver.deals.model import BadRecord, Deal, DealSet, Vulnerability
from driver.errors import BadDeal
from protocol.cards import HAND_SIZE, PACK, Seat

HIGHEST_BOARD: Final = 999_999


@unique
class Remark(Enum):
    """Something in a record that was read with a guess; the value says what and is printed after "Boards 1-4: "."""

    NO_FIRST_SEAT = "the file does not say whose hand comes first; North is taken"
    DEALER_UNKNOWN = "the dealer in the file is none of N, E, S, W; the standard one is used"
    NO_DEALER = "the file does not say who is dealer; the standard dealer is used"
    VULNERABILITY_UNKNOWN = "the vulnerability in the file is not a known one; the standard one is used"


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a deal file, right or wrong.

    `line` is the line of the file in which it begins (from 1), or its first byte (from 0) if `by_offset`. `board` is
    the board number as written ("" when absent or unknown). `hands` are N E S W; None when the record has no readable
    deal. `faults` are the reasons why it is no deal; a `blank` record has no hands at all and is no deal by intention
    (a text page, a second table of the board before). `fill`: exactly one hand is not given and the other three are
    faultless, and this is the deal with the remaining cards in it. `room`: "o" or "c", where a file has two tables.
    The repr shows no hand.
    """

    line: int
    board: str = ""
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    hands: tuple[Hand, ...] | None = field(default=None, repr=False)
    faults: tuple[str, ...] = ()
    deal: Deal | None = None
    blank: bool = False
    remarks: tuple[Remark, ...] = ()
    event: str = ""
    date: str = ""
    by_offset: bool = False
    fill: Deal | None = None
    room: str = ""

    @property
    def number(self) -> int | None:
        """The board number, 1 or more; None when the text is no such number."""
        return board_number(self.board)


def board_number(text: str) -> int | None:
    """`text` as a board number (1 to 999999, leading zeros allowed), or None."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(HIGHEST_BOARD))):
        return None
    return int(text) or None


def fill_fourth(hands: Sequence[Hand]) -> Deal | None:
    """The deal of three faultless hands and the 13 cards that are left for the one that is None; else None."""
    known = [hand for hand in hands if hand is not None]
    cards = {card for hand in known for card in hand}
    if len(known) != len(Seat) - 1 or any(len(hand) != HAND_SIZE for hand in known) or len(cards) != 3 * HAND_SIZE:
        return None
    rest = tuple(card for card in PACK if card not in cards)
    return Deal.from_hands([rest if hand is None else hand for hand in hands])


def judge(hands: Sequence[Hand]) -> tuple[Deal | None, tuple[str, ...]]:
    """The deal of four hands, N E S W, and no reasons; or None and the reasons why they are none."""
    given = [hand for hand in hands if hand is not None]
    if len(given) == len(Seat):
        try:
            return Deal.from_hands(given), ()
        except BadDeal:
            pass
    return None, find_faults(hands)


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a reader finds in one file: the records, board numbers without any hands, and sentences of warning.

    `by_place`: the format carries no board numbers, and those of the records are 1, 2, 3 … in the order of the file.
    `first_board_step`: then the first board can only be 1 or a multiple of this more.
    """

    records: tuple[Record, ...]
    strays: tuple[BadRecord, ...] = ()
    notes: tuple[str, ...] = ()
    by_place: bool = False
    first_board_step: int = 1


@unique
class Confidence(IntEnum):
    """How sure a format is that some bytes are its own; the loader takes the surest."""

    NO = 0
    PERHAPS = 1
    SURE = 2


@dataclass(frozen=True, slots=True)
class Reader:
    """A file format: its name, whether some bytes are of it, and the records in them.

    `recognise` never raises. `read` raises no error but DealFileError, on any bytes.
    """

    name: str
    recognise: Callable[[bytes], Confidence]
    read: Callable[[bytes], Contents]


@dataclass(frozen=True, slots=True)
class Writer:
    """A file format that we write: its name, the usual ending of its files, what it loses, and the bytes.

    `losses` gives a sentence for each thing in the set that a reader of the written file would not get back; empty when
    reading gives the same boards, dealers and vulnerabilities. `write` raises CannotBeWritten when the format has no
    room for the set (a board number that is too high, numbers with gaps); the message names the boards.
    """

    name: str
    suffix: str
    losses: Callable[[DealSet], tuple[str, ...]]
    write: Callable[[DealSet], bytes]
