"""Dealers that are not fair, each with a fault that programs in the field really had, and the fair one to compare.

May import: `driver.deals` and the standard library. Read next: `battery.py`, which must tell them; `test_battery.py`.

Each takes a source of chance that repeats itself and gives endless deals, 52 owners each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import count
from random import Random

from driver.deals.fairness import deal_of
from driver.deals.numbering import DEALS, owners_at

Dealer = Callable[[Random], Iterator[bytes]]

TURN = bytes((owner + 1) % 4 for owner in range(256))


def fair(secret: bytes) -> Iterator[bytes]:
    """The project's own deals of the boards 1, 2, 3 … from that key."""
    for board in count(1):
        yield bytes(deal_of(secret, "original", board).owners)


def _fair(chance: Random) -> Iterator[bytes]:
    return fair(hashlib.sha256(chance.randbytes(32)).digest())


def _in_quarters(pack: list[int]) -> bytes:
    """The first 13 cards to North, the next to East, and so on."""
    owners = bytearray(52)
    for place, card in enumerate(pack):
        owners[card] = place // 13
    return bytes(owners)


def _dealt_round(pack: list[int]) -> bytes:
    owners = bytearray(52)
    for place, card in enumerate(pack):
        owners[card] = place % 4
    return bytes(owners)


def _swap_each_with_any(pack: list[int], chance: Random) -> None:
    for place in range(52):
        other = chance.randrange(52)
        pack[place], pack[other] = pack[other], pack[place]


def swaps_with_any_and_keeps_the_pack(chance: Random) -> Iterator[bytes]:
    """Each card is swapped with any of the 52, and the next deal begins with the pack as it lies."""
    pack = list(range(52))
    while True:
        _swap_each_with_any(pack, chance)
        yield _in_quarters(pack)


def swaps_with_any_from_a_sorted_pack(chance: Random) -> Iterator[bytes]:
    """Each card is swapped with any of the 52, from a sorted pack each time."""
    while True:
        pack = list(range(52))
        _swap_each_with_any(pack, chance)
        yield _in_quarters(pack)


def shuffles_off_by_one(chance: Random) -> Iterator[bytes]:
    """Each card is swapped with a lower one and never stays (a shuffle that yields single cycles only)."""
    while True:
        pack = list(range(52))
        for place in range(51, 0, -1):
            other = chance.randrange(place)
            pack[place], pack[other] = pack[other], pack[place]
        yield _in_quarters(pack)


def number_without_nines(chance: Random) -> Iterator[bytes]:
    """29 digits of 0 to 8 are the number of the deal."""
    while True:
        index = int("".join(str(int(chance.random() * 9)) for _ in range(29)))
        if index < DEALS:
            yield owners_at(index)


def number_by_division(chance: Random) -> Iterator[bytes]:
    """96 bits, divided by the number of deals: the rest is the number of the deal."""
    while True:
        yield owners_at(chance.getrandbits(96) % DEALS)


def number_from_a_fraction(chance: Random) -> Iterator[bytes]:
    """A fraction of 53 bits times the number of deals."""
    while True:
        yield owners_at(int(chance.random() * DEALS))


def any_seat_or_the_next_with_room(chance: Random) -> Iterator[bytes]:
    """Each card goes to any seat, or to the next one that is not full."""
    while True:
        owners = bytearray()
        for _ in range(52):
            seat = chance.randrange(4)
            while owners.count(seat) == 13:
                seat = (seat + 1) % 4
            owners.append(seat)
        yield bytes(owners)


def no_suit_of_eight(chance: Random) -> Iterator[bytes]:
    """Fair deals, but none with a suit of eight cards or more."""
    for owners in _fair(chance):
        if all(owners.count(seat, suit, suit + 13) < 8 for seat in range(4) for suit in (0, 13, 26, 39)):
            yield owners


def somebody_can_open(chance: Random) -> Iterator[bytes]:
    """Fair deals, but none in which nobody has 12 points."""
    for owners in _fair(chance):
        hands = [sum((4 - rank) * owners[rank::13].count(seat) for rank in range(4)) for seat in range(4)]
        if max(hands) >= 12:
            yield owners


def four_riffles(chance: Random) -> Iterator[bytes]:
    """A sorted pack, riffled four times as people do, cut, and dealt round the table."""
    while True:
        pack = list(range(52))
        for _ in range(4):
            pack = _riffled(pack, chance)
        cut = chance.randrange(52)
        yield _dealt_round(pack[cut:] + pack[:cut])


def _riffled(pack: list[int], chance: Random) -> list[int]:
    """Each card comes from the left or the right part as a coin says: every interleaving is equally likely."""
    coins = [chance.getrandbits(1) for _ in pack]
    left, right = iter(pack[: coins.count(0)]), iter(pack[coins.count(0) :])
    return [next(right) if coin else next(left) for coin in coins]


def an_old_board_turned(chance: Random) -> Iterator[bytes]:
    """Fair deals, but every hundredth is the one before, turned by a seat."""
    for place, owners in enumerate(_fair(chance)):
        yield owners
        if place % 100 == 99:
            yield owners.translate(TURN)
