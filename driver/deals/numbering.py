"""Each deal has a number: the exact way from a number to its deal, in the three orders that the field knows.

May import: `model.py`, `protocol.cards` and the standard library. Read next: `fairness.py`, where numbers are drawn.

An order is named wherever a number is: the same number is another deal in another order. North's hand is one of
C(52,13), East's one of C(39,13) of the rest, South's one of C(26,13); West has what is left.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import Enum, unique
from math import comb
from typing import Final

from driver.deals.model import Deal
from protocol.cards import HAND_SIZE, PACK_SIZE

DEALS: Final = 53_644_737_765_488_792_839_237_440_000
"""How many deals there are: 52! / 13!⁴, between 2⁹⁵ and 2⁹⁶."""


@unique
class Order(Enum):
    """In which order the deals are numbered, from 0; the books of Andrews and Pavlicek call number n page n + 1.

    BIGDEAL: hands of North, then East, then South, each in lexicographic order of its ascending card codes.
    ANDREWS: the same with the hands in colexicographic order.
    PAVLICEK: the 52 owners, spade ace first, as a word in lexicographic order with N before E before S before W.
    """

    BIGDEAL = "bigdeal"
    ANDREWS = "andrews"
    PAVLICEK = "pavlicek"


def deal_at(index: int, order: Order = Order.BIGDEAL) -> Deal:
    """The deal of that number, from 0. Raises ValueError below 0 and from `DEALS` on."""
    return Deal(owners_at(index, order))


def owners_at(index: int, order: Order = Order.BIGDEAL, hand_size: int = HAND_SIZE) -> bytes:
    """The owner (0 to 3) of each card, in the order of the card codes, in the deal of that number.

    `hand_size` makes the pack smaller (four hands of that many cards each), so that an order can be proven by counting
    out all deals of a small pack. Raises ValueError for a number that no such deal has.
    """
    if not 0 <= index < _deals_of(hand_size):
        raise ValueError("there is no deal of that number")
    if order is Order.PAVLICEK:
        return _owners_of_word(index, hand_size)
    return _owners_of_subsets(index, hand_size, lexicographic=order is Order.BIGDEAL)


def _deals_of(hand_size: int) -> int:
    if hand_size == HAND_SIZE:
        return DEALS
    if not 1 <= hand_size < HAND_SIZE:
        raise ValueError(f"a hand has 1 to {HAND_SIZE} cards, not {hand_size}")
    return comb(4 * hand_size, hand_size) * comb(3 * hand_size, hand_size) * comb(2 * hand_size, hand_size)


# A subset of the places 0 … n-1 with elements c(k) > … > c(1) has the colexicographic rank C(c(k),k) + … + C(c(1),1).
# The lexicographic order of ascending lists is the same order turned round, on places counted from the other end.
_COLUMNS: Final = tuple(tuple(comb(place, size) for place in range(PACK_SIZE)) for size in range(HAND_SIZE + 1))
"""`_COLUMNS[k][n]` is C(n,k): ascending in n, so that the largest n with C(n,k) ≤ rank is found by halving."""


def _owners_of_subsets(index: int, hand_size: int, *, lexicographic: bool) -> bytes:
    owners = bytearray(b"\x03" * (4 * hand_size))
    rest = list(range(4 * hand_size))
    if lexicographic:
        rest.reverse()
    columns = _COLUMNS[hand_size:0:-1]
    share = _deals_of(hand_size)
    for seat in range(3):
        subsets = comb(len(rest), hand_size)
        share //= subsets
        rank, index = divmod(index, share)
        if lexicographic:
            rank = subsets - 1 - rank
        for column in columns:
            place = bisect_right(column, rank) - 1
            rank -= column[place]
            # The places come highest first, so taking one out moves none of those that follow.
            owners[rest.pop(place)] = seat
    return bytes(owners)


def _owners_of_word(index: int, hand_size: int) -> bytes:
    """Of the deals that agree so far, the share of a seat is as large as its part of the cards still to come."""
    places = [hand_size] * 4
    share = _deals_of(hand_size)
    owners = bytearray()
    for left in range(4 * hand_size, 0, -1):
        for seat in range(4):
            part = share * places[seat] // left
            if index < part:
                break
            index -= part
        share = part
        places[seat] -= 1
        owners.append(seat)
    return bytes(owners)
