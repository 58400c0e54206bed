"""Deals for a lesson: hands that are given in part, filled at random so that every completion is equally likely.

May import: `wishes.py`, `hands.py`, `model.py`, `driver.errors`, `protocol.cards` and the standard library; randomness
comes in as a function. Read next: `generator.py`, which gives that function, and `wishes.py`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import comb
from typing import Final

from driver.deals.hands import card_name
from driver.deals.model import Deal
from driver.deals.wishes import Wish
from driver.errors import BadDeal, BadSyntax, JobError
from protocol.cards import HAND_SIZE, PACK, PACK_SIZE, RANKS, Card, Seat, Suit

RandomBytes = Callable[[int], bytes]
"""So many bytes, each of the 256 values equally likely and independent."""

MOST_TRIES: Final = 100_000
LONGEST_TEXT: Final = 400

_HIGHEST_SMALL: Final = RANKS.index("9")
_NOBODY: Final = 4
_HINT: Final = (
    'Nothing was dealt. Hands read like "N:AKxx.Q?.?.? - - -": x is a card below the ten, ? stands for any further '
    "cards of the suit, - for a hand that is not given."
)
_Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GivenHand:
    """What is given of one hand: cards, for each suit how many further cards below the ten (`small`), and whether any
    more may come in that suit (`open`). Its repr shows no card."""

    cards: tuple[Card, ...] = field(default=(), repr=False)
    small: tuple[int, int, int, int] = field(default=(0, 0, 0, 0), repr=False)
    open: tuple[bool, bool, bool, bool] = field(default=(True, True, True, True), repr=False)


@dataclass(frozen=True, slots=True)
class Given:
    """What is given of a deal: four hands in the order N E S W. Raises BadDeal for a card that is given twice."""

    hands: tuple[GivenHand, GivenHand, GivenHand, GivenHand]

    def __post_init__(self) -> None:
        cards = [card for hand in self.hands for card in hand.cards]
        twice = sorted({card for card in cards if cards.count(card) > 1})
        if twice:
            raise BadDeal(f"These hands are not of one pack: {card_name(twice[0])} twice.", hint=_HINT)


def parse_given(text: str) -> Given:
    """Hands as a person types them: as in PBN, with `x`, `?` and `-` for what is not given.

    "N:" (or another seat) and four hands with spaces between, clockwise; a hand is four suits with points between,
    spades first. A suit without `?` is complete. Raises BadSyntax, which shows no card, and BadDeal for a card twice.
    """
    words = text.split() if len(text) <= LONGEST_TEXT else []
    first = words[0][:2].upper() if words else ""
    if len(words) != 4 or len(first) != 2 or first[0] not in "NESW" or first[1] != ":":
        raise _unclear("Four hands are needed, with the seat of the first one and a colon in front.")
    words[0] = words[0][2:]
    start = "NESW".index(first[0])
    north, east, south, west = (_parse_hand(words[(seat - start) % 4], seat) for seat in Seat)
    return Given((north, east, south, west))


def _parse_hand(text: str, seat: Seat) -> GivenHand:
    if text == "-":
        return GivenHand()
    suits = text.upper().replace("10", "T").split(".")
    if len(suits) != 4:
        raise _unclear(f"The hand of {seat.name.capitalize()} has not four suits with points between.")
    cards: list[Card] = []
    for suit, word in zip(Suit, suits, strict=True):
        ranks = word.rstrip("?").replace("X", "")
        if not set(ranks) <= set(RANKS) or word.count("?") > 1 or ("?" in word and "X" in word):
            raise _unclear(f"A suit of {seat.name.capitalize()} cannot be read.")
        cards += [Card.of(suit, rank) for rank in ranks]
    s, h, d, c = ((word.count("X"), word.endswith("?")) for word in suits)
    return GivenHand(tuple(cards), (s[0], h[0], d[0], c[0]), (s[1], h[1], d[1], c[1]))


def _unclear(sentence: str) -> BadSyntax:
    return BadSyntax(sentence, hint=_HINT)


def fill(given: Given, random_bytes: RandomBytes, wishes: Sequence[Wish] = (), *, tries: int = MOST_TRIES) -> Deal:
    """A deal around the given cards; each of the completions that fit all wishes is equally likely.

    Raises BadDeal when no deal has these hands, JobError when `tries` completions were drawn and none was as wished.
    """
    completions = _Completions(given)
    for _ in range(tries):
        owners = completions.draw(random_bytes)
        if all(wish.fits(owners) for wish in wishes):
            return Deal(owners)
    raise JobError(
        f"None of {tries} deals was as wished.",
        hint="Nothing was dealt. Wish for less, or give some of the cards; rare hands may need another try.",
    )


class _Completions:
    """All deals with the given hands, to draw from.

    A closed suit of a hand gets its small cards; what is left of the suit goes to the hands that are open in it. Suits
    that are open to the same hands are one pool. Of each pool some number of cards goes to each hand: the ways to do so
    are counted, a split is drawn in proportion to its ways, and then which cards go where is a shuffle.
    """

    def __init__(self, given: Given) -> None:
        self._start = bytearray([_NOBODY]) * PACK_SIZE
        places = [HAND_SIZE] * 4
        for seat, hand in zip(Seat, given.hands, strict=True):
            for card in hand.cards:
                self._start[card] = seat
            places[seat] -= len(hand.cards) + sum(hand.small)
        self._small: list[tuple[list[Card], list[Seat]]] = []
        pools: dict[tuple[bool, ...], list[tuple[list[Card], int]]] = {}
        for suit in Suit:
            free = [card for card in PACK[HAND_SIZE * suit :][:HAND_SIZE] if self._start[card] == _NOBODY]
            small = [card for card in free if card % HAND_SIZE >= _HIGHEST_SMALL]
            takers = [seat for seat in Seat for _ in range(given.hands[seat].small[suit])]
            self._small.append((small, takers))
            pools.setdefault(tuple(hand.open[suit] for hand in given.hands), []).append((free, len(takers)))
        # The pool that most hands are open in comes last: what is left over is no choice any more.
        self._patterns = tuple(sorted(pools, key=sum))
        self._suits = [[card for free, _ in pools[pattern] for card in free] for pattern in self._patterns]
        self._sizes = [sum(len(free) - taken for free, taken in pools[pattern]) for pattern in self._patterns]
        self._weighted = cache(self._weigh)
        self._ways = cache(self._count)
        self._places = tuple(places)
        too_few = min(places) < 0 or any(len(small) < len(takers) for small, takers in self._small)
        if too_few or not self._ways(0, self._places):
            raise BadDeal("No deal of 52 cards, 13 each, has these hands.", hint=_HINT)

    def _count(self, pool: int, places: _Numbers) -> int:
        """How many ways there are to put this pool and those after it into so many places of each hand."""
        if pool < len(self._patterns) - 1:
            return sum(ways for ways, _ in self._weighted(pool, places))
        closed = any(room and not is_open for room, is_open in zip(places, self._patterns[pool], strict=True))
        return 0 if closed or sum(places) != self._sizes[pool] else _ways_to_split(places)

    def _weigh(self, pool: int, places: _Numbers) -> tuple[tuple[int, _Numbers], ...]:
        """Every split of this pool, with the number of completions that have it."""
        weighted = []
        for split in _splits(self._sizes[pool], places, self._patterns[pool]):
            ways = self._ways(pool + 1, _left(places, split))
            if ways:
                weighted.append((ways * _ways_to_split(split), split))
        return tuple(weighted)

    def draw(self, random_bytes: RandomBytes) -> bytes:
        """The owners of one completion."""
        owners = bytearray(self._start)
        for small, takers in self._small:
            if takers:
                for card, seat in zip(_shuffled(small, random_bytes), takers, strict=False):
                    owners[card] = seat
        places = self._places
        for pool, cards in enumerate(self._suits):
            split = self._draw_split(pool, places, random_bytes)
            places = _left(places, split)
            free = [card for card in cards if owners[card] == _NOBODY]
            receivers = [seat for seat in Seat for _ in range(split[seat])]
            for card, seat in zip(_shuffled(free, random_bytes), receivers, strict=True):
                owners[card] = seat
        return bytes(owners)

    def _draw_split(self, pool: int, places: _Numbers, random_bytes: RandomBytes) -> _Numbers:
        if pool == len(self._patterns) - 1:
            return places
        number = _below(self._ways(pool, places), random_bytes)
        for ways, split in self._weighted(pool, places):
            if number < ways:
                return split
            number -= ways
        raise AssertionError("the ways add up to their sum")


def _left(places: _Numbers, split: _Numbers) -> _Numbers:
    return tuple(room - taken for room, taken in zip(places, split, strict=True))


def _splits(size: int, places: _Numbers, pattern: tuple[bool, ...]) -> Iterator[_Numbers]:
    """How many of `size` cards each hand may get that is open to them."""
    most = [min(size, room) if is_open else 0 for room, is_open in zip(places, pattern, strict=True)]
    for north, east, south in product(*(range(number + 1) for number in most[:3])):
        west = size - north - east - south
        if 0 <= west <= most[3]:
            yield north, east, south, west


def _ways_to_split(split: _Numbers) -> int:
    """How many ways there are to choose the cards when their numbers are fixed."""
    north, east, south, west = split
    return comb(north + east + south + west, north) * comb(east + south + west, east) * comb(south + west, south)


def _shuffled(cards: Sequence[Card], random_bytes: RandomBytes) -> list[Card]:
    """The cards in an order that is drawn at random, each order equally likely."""
    while True:
        keys = struct.unpack(f"{len(cards)}Q", random_bytes(8 * len(cards)))
        # Two equal keys would keep the order that the cards came in: a bias, however rare.
        if len(set(keys)) == len(cards):
            return [card for _, card in sorted(zip(keys, cards, strict=True))]


def _below(limit: int, random_bytes: RandomBytes) -> int:
    """A number from 0 to `limit` - 1, each equally likely: too large ones are drawn anew."""
    bits = (limit - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        number = int.from_bytes(random_bytes(size), "big") >> (8 * size - bits)
        if number < limit:
            return number
