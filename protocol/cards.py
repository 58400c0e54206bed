"""The 52 cards, the four seats and the numbers that both ends use for them.

May import: the standard library. Read next: `messages.py`, where cards travel in exactly two messages.
Card codes are those of PROTOCOL.md, "Cards and pockets": 13 · suit + rank, suits S H D C, ranks A K … 2.
"""

from __future__ import annotations

from enum import IntEnum, unique
from typing import Final

PACK_SIZE: Final = 52
HAND_SIZE: Final = 13

RANKS: Final = "AKQJT98765432"


@unique
class Suit(IntEnum):
    """A suit; the value is its place in the card code and in PBN's order (spades first)."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def letter(self) -> str:
        """One letter as in PBN: S, H, D or C."""
        return "SHDC"[self]


@unique
class Seat(IntEnum):
    """A seat, and the pocket of the same number: N E S W as marked on the machine."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def letter(self) -> str:
        """One letter: N, E, S or W."""
        return "NESW"[self]


class Card(int):
    """One of the 52 cards, as its code 0 … 51 (0 = spade ace, 51 = club two).

    Raises ValueError outside that range. Its text is suit then rank ("SA", "CT"); it compares as its code.
    """

    __slots__ = ()

    def __new__(cls, code: int) -> Card:
        if not 0 <= code < PACK_SIZE:
            raise ValueError(f"a card code is 0 to 51, not {code}")
        return super().__new__(cls, code)

    @classmethod
    def of(cls, suit: Suit, rank: str) -> Card:
        """The card of `suit` and `rank` (one of AKQJT98765432, as in PBN)."""
        position = RANKS.find(rank)
        if position < 0 or len(rank) != 1:
            raise ValueError(f"a rank is one of {RANKS}, not {rank!r}")
        return cls(HAND_SIZE * suit + position)

    @property
    def suit(self) -> Suit:
        """The card's suit."""
        return Suit(self // HAND_SIZE)

    @property
    def rank(self) -> str:
        """One character of AKQJT98765432."""
        return RANKS[self % HAND_SIZE]

    def __str__(self) -> str:
        return self.suit.letter + self.rank

    def __repr__(self) -> str:
        return f"Card({self})"


PACK: Final[tuple[Card, ...]] = tuple(Card(code) for code in range(PACK_SIZE))


@unique
class Unproven(IntEnum):
    """What a reader reports when it has no card to name; values of the identity byte above the 52 cards."""

    FACE_UP = 252
    FOREIGN = 253
    UNREADABLE = 254
    NONE = 255
