"""The way back from a deal to its number, in the three orders of `driver/deals/numbering.py`, which only tests need.

May import: driver, protocol. Read next: `driver/deals/numbering.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from driver.deals.model import Deal
from driver.deals.numbering import Order
from protocol.cards import HAND_SIZE


def index_of(deal: Deal, order: Order = Order.BIGDEAL) -> int:
    """The number of the deal, from 0."""
    return index_of_owners(deal.owners, order)


def index_of_owners(owners: Sequence[int], order: Order = Order.BIGDEAL, hand_size: int = HAND_SIZE) -> int:
    """The number of the deal in which each card has that owner: the reverse of `owners_at`."""
    if order is Order.PAVLICEK:
        return _index_of_word(owners, hand_size)
    return _index_of_subsets(owners, hand_size, lexicographic=order is Order.BIGDEAL)


def _index_of_subsets(owners: Sequence[int], hand_size: int, *, lexicographic: bool) -> int:
    """Each seat's hand is one of the subsets of the cards that the seats before have left.

    The subset of the places c(1) < c(2) < ... has the colexicographic rank C(c(1),1) + C(c(2),2) + ...
    """
    rest = list(reversed(owners)) if lexicographic else list(owners)
    index = 0
    for seat in range(3):
        places = [place for place, owner in enumerate(rest) if owner == seat]
        rank = sum(comb(place, number) for number, place in enumerate(places, start=1))
        subsets = comb(len(rest), hand_size)
        index = index * subsets + (subsets - 1 - rank if lexicographic else rank)
        rest = [owner for owner in rest if owner != seat]
    return index


def _index_of_word(owners: Sequence[int], hand_size: int) -> int:
    """Of the words that agree so far, the share of a seat is as large as its part of the cards still to come."""
    places = [hand_size] * 4
    share = comb(4 * hand_size, hand_size) * comb(3 * hand_size, hand_size) * comb(2 * hand_size, hand_size)
    index = 0
    for left, owner in zip(range(4 * hand_size, 0, -1), owners, strict=True):
        index += share * sum(places[:owner]) // left
        share = share * places[owner] // left
        places[owner] -= 1
    return index
