"""Numbers of deals: published values both ways, small packs counted out in full, and what is no number or deal.

Read next: `driver/deals/numbering.py`.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from driver.deals.model import Deal
from driver.deals.numbering import DEALS, Order, deal_at, owners_at
from protocol.cards import Card, Seat, Suit
from tests.support.deal_numbers import index_of, index_of_owners

ROOT = Path(__file__).resolve().parents[2]
TYPED = tomllib.loads((ROOT / "tests" / "data" / "deal_numbers.toml").read_text(encoding="utf-8"))
PUBLISHED = ROOT.parent / "shared" / "data" / "vectors" / "deal_index_vectors.json"
SPADE_ACE = Card.of(Suit.SPADES, "A")

numbers = st.integers(min_value=0, max_value=DEALS - 1)
orders = st.sampled_from(Order)
Hands = list[list[int]]


def hands(owners: bytes) -> Hands:
    return [[card for card, owner in enumerate(owners) if owner == seat] for seat in range(4)]


def by_hands(owners: bytes) -> Hands:
    """Lexicographic order of ascending lists, North's first."""
    return hands(owners)


def by_hands_from_the_end(owners: bytes) -> Hands:
    """Colexicographic order: the highest card decides first."""
    return [hand[::-1] for hand in hands(owners)]


KEYS: dict[Order, Callable[[bytes], object]] = {
    Order.BIGDEAL: by_hands,
    Order.ANDREWS: by_hands_from_the_end,
    Order.PAVLICEK: bytes,
}


def check(row: dict[str, Any]) -> None:
    index = int(row["index"])
    for order in Order:
        deal = deal_at(index, order)
        assert deal.hands_as_pbn() == row[order.value], (index, order)
        assert index_of(deal, order) == index


@pytest.mark.parametrize("row", TYPED["deal"], ids=lambda row: str(row["index"]))
def test_a_published_number_is_that_deal_in_each_order_and_the_deal_that_number(row: dict[str, Any]) -> None:
    check(row)


@pytest.mark.skipif(not PUBLISHED.is_file(), reason="the published values of ../shared are not here")
def test_every_published_number_holds_both_ways() -> None:
    rows = json.loads(PUBLISHED.read_text(encoding="utf-8"))["index_to_deal"]

    assert len(rows) == 46
    for row in rows:
        check(row)
        deal = deal_at(int(row["index"]))
        for order in (Order.ANDREWS, Order.PAVLICEK):
            assert index_of(deal, order) == int(row[f"index_of_bigdeal_deal_in_{order.value}"])


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize(("hand_size", "deals"), [(1, 24), (2, 2520)])
def test_all_deals_of_a_small_pack_are_numbered_without_gap_in_their_order(
    hand_size: int, deals: int, order: Order
) -> None:
    words = {bytes(word) for word in permutations(sorted(list(range(4)) * hand_size))}
    ordered = sorted(words, key=KEYS[order])  # type: ignore[arg-type]

    assert len(ordered) == deals
    assert [owners_at(index, order, hand_size) for index in range(deals)] == ordered
    assert [index_of_owners(word, order, hand_size) for word in ordered] == list(range(deals))
    with pytest.raises(ValueError, match="no deal of that number"):
        owners_at(deals, order, hand_size)


@given(numbers, orders)
@example(0, Order.BIGDEAL)
@example(DEALS - 1, Order.BIGDEAL)
def test_a_number_and_back_is_the_same_number_and_its_deal_a_deal(index: int, order: Order) -> None:
    deal = deal_at(index, order)

    assert all(len(deal.hand(seat)) == 13 for seat in Seat)
    assert index_of(deal, order) == index


@given(numbers, numbers, orders)
def test_a_greater_number_is_a_later_deal_in_the_order_of_the_whole_pack(one: int, other: int, order: Order) -> None:
    key: Any = KEYS[order]
    earlier, later = key(owners_at(min(one, other), order)), key(owners_at(max(one, other), order))

    assert earlier < later or one == other


@given(st.permutations([seat for seat in range(4) for _ in range(13)]), orders)
def test_every_deal_has_a_number_and_is_the_deal_of_that_number(owners: list[int], order: Order) -> None:
    index = index_of(Deal(owners), order)

    assert 0 <= index < DEALS
    assert deal_at(index, order) == Deal(owners)


def test_the_spade_ace_is_with_north_in_the_first_quarter_and_with_whom_the_order_says_after() -> None:
    quarter = DEALS // 4

    def owners(order: Order) -> list[Seat]:
        return [deal_at(index, order).owner(SPADE_ACE) for index in (quarter - 1, quarter, 2 * quarter, 3 * quarter)]

    assert owners(Order.PAVLICEK) == [Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST]
    assert owners(Order.BIGDEAL) == [Seat.NORTH, Seat.EAST, Seat.EAST, Seat.EAST]
    assert deal_at(2 * quarter - 1).owner(SPADE_ACE) is Seat.WEST


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("index", [-1, DEALS, 2**96, -DEALS])
def test_other_numbers_are_refused_without_being_told(index: int, order: Order) -> None:
    with pytest.raises(ValueError, match=r"^there is no deal of that number$"):
        deal_at(index, order)


@pytest.mark.parametrize("hand_size", [0, 14, -1])
def test_a_pack_is_not_larger_than_a_pack(hand_size: int) -> None:
    with pytest.raises(ValueError, match="1 to 13 cards"):
        owners_at(0, Order.BIGDEAL, hand_size)
