"""What a teacher wants of the hands of a lesson, in few words: "N: 15-17 hcp, balanced; S: 5+ hearts".

May import: `driver.errors`, `protocol.cards` and the standard library. Read next: `lesson.py`. Wishes are for lessons
alone: a game takes the deals as they come (Law 6E4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from driver.errors import BadSyntax
from protocol.cards import HAND_SIZE, Seat, Suit

LONGEST_TEXT: Final = 500
MOST_WISHES: Final = 40

_HINT: Final = 'Nothing was dealt. Wishes read like "N: 15-17 hcp, balanced; S: 5+ hearts".'
_WHO: Final = {
    **{name: (seat,) for seat in Seat for name in (seat.letter, seat.name)},
    "NS": (Seat.NORTH, Seat.SOUTH),
    "EW": (Seat.EAST, Seat.WEST),
}
_RANGE: Final = re.compile(r"(?P<low>\d{1,2})(?:(?P<more>\+)|-(?P<high>\d{1,2}))? ?(?P<what>[a-z]+)", re.ASCII)


@unique
class Measure(Enum):
    """What is counted in a hand; the value is the word for it."""

    POINTS = "hcp"
    SPADES = "spades"
    HEARTS = "hearts"
    DIAMONDS = "diamonds"
    CLUBS = "clubs"
    SHORT_SUITS = "balanced"
    """Each suit below three cards counts 1, below two cards 2: at most 1 is a balanced hand (4333, 4432, 5332)."""


_WORDS: Final = {
    "hcp": Measure.POINTS,
    "points": Measure.POINTS,
    **{word: Measure(f"{suit.name.lower()}") for suit in Suit for word in (suit.name.lower(), suit.name.lower()[:-1])},
}
_SUITS: Final = {Measure(suit.name.lower()): suit for suit in Suit}
_MOST: Final = {Measure.POINTS: 37, **dict.fromkeys(_SUITS, HAND_SIZE)}
_MOST_OF_TWO: Final = {Measure.POINTS: 40, **dict.fromkeys(_SUITS, HAND_SIZE)}


@dataclass(frozen=True, slots=True)
class Wish:
    """The sum of a measure over the hands of `seats` is `low` to `high`, both included."""

    seats: tuple[Seat, ...]
    measure: Measure
    low: int
    high: int

    def fits(self, owners: bytes) -> bool:
        """Whether the deal with these 52 owners is as wished."""
        return self.low <= sum(_measured(self.measure, owners, seat) for seat in self.seats) <= self.high


def _measured(measure: Measure, owners: bytes, seat: Seat) -> int:
    if measure is Measure.POINTS:
        # In the order of the card codes every thirteenth card has the same rank: ace, king, queen, jack.
        return sum((4 - rank) * owners[rank::HAND_SIZE].count(seat) for rank in range(4))
    if measure is Measure.SHORT_SUITS:
        lengths = (_length(owners, seat, suit) for suit in Suit)
        return sum((length < 3) + (length < 2) for length in lengths)
    return _length(owners, seat, _SUITS[measure])


def _length(owners: bytes, seat: Seat, suit: Suit) -> int:
    return owners.count(seat, HAND_SIZE * suit, HAND_SIZE * (suit + 1))


def parse_wishes(text: str) -> tuple[Wish, ...]:
    """The wishes in a text, none in an empty one.

    For each seat (N, E, S, W) or side (NS, EW: both hands together) a colon and wishes with commas between: a number
    ("4 spades"), a least ("5+ hearts") or a range ("15-17 hcp") of hcp, spades, hearts, diamonds or clubs, or for one
    seat "balanced"; `;` before the next seat. Raises BadSyntax, with the column where it stops making sense.
    """
    if len(text) > LONGEST_TEXT:
        raise _unclear(f"These wishes are longer than {LONGEST_TEXT} letters.", 0)
    wishes: list[Wish] = []
    at = 0
    for part in text.split(";"):
        if part.strip():
            wishes += _of_seat(part, at)
        at += len(part) + 1
    if len(wishes) > MOST_WISHES:
        raise _unclear(f"These are more than {MOST_WISHES} wishes.", 0)
    return tuple(wishes)


def _of_seat(part: str, at: int) -> list[Wish]:
    who, colon, rest = part.partition(":")
    seats = _WHO.get(who.strip().upper())
    if seats is None or not colon:
        raise _unclear("A wish begins with N, E, S, W, NS or EW and a colon.", at)
    at += len(who) + 1
    wishes = []
    for words in rest.split(","):
        wishes.append(_wish(seats, " ".join(words.lower().split()), at))
        at += len(words) + 1
    return wishes


def _wish(seats: tuple[Seat, ...], words: str, at: int) -> Wish:
    if words == Measure.SHORT_SUITS.value:
        if len(seats) > 1:
            raise _unclear("Only the hand of one seat is balanced or not.", at)
        return Wish(seats, Measure.SHORT_SUITS, 0, 1)
    match = _RANGE.fullmatch(words)
    measure = _WORDS.get(match["what"]) if match else None
    if match is None or measure is None:
        raise _unclear("This wish is none that the program knows.", at)
    most = (_MOST if len(seats) == 1 else _MOST_OF_TWO)[measure]
    low = int(match["low"])
    high = most if match["more"] else int(match["high"] or low)
    if not low <= high <= most:
        raise _unclear(f"No hand can have that: 0 to {most} {measure.value} are possible.", at)
    return Wish(seats, measure, low, high)


def _unclear(sentence: str, at: int) -> BadSyntax:
    return BadSyntax(sentence, column=at + 1, hint=_HINT)
