"""What fair deals do, exactly: the law of each statistic of the battery, counted and not sampled.

May import: the standard library. Read next: `test_laws.py`, where they are compared with published tables, and
`battery.py`, which uses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial

Law = dict[int, Fraction]
"""Value to probability; the probabilities add up to 1."""
Shape = tuple[int, int, int, int]
"""The lengths of the four suits of a hand, or the cards of one suit in the four hands."""

DEALS = factorial(52) // factorial(13) ** 4
HANDS = comb(52, 13)


def _law(ways: dict[int, int]) -> Law:
    total = sum(ways.values())
    return {value: Fraction(number, total) for value, number in sorted(ways.items())}


@cache
def thirteens() -> tuple[Shape, ...]:
    """All 560 ways to have 13 cards in four suits by their numbers."""
    return tuple(_sums(13))


def _sums(total: int) -> Iterator[Shape]:
    for first, second, third in product(range(14), repeat=3):
        if 0 <= (fourth := total - first - second - third) <= 13:
            yield first, second, third, fourth


@cache
def shapes() -> dict[Shape, Fraction]:
    """The 39 shapes of a hand (longest suit first), most frequent first."""
    ways: Counter[Shape] = Counter()
    for lengths in thirteens():
        a, b, c, d = sorted(lengths, reverse=True)
        ways[a, b, c, d] += comb(13, a) * comb(13, b) * comb(13, c) * comb(13, d)
    return {shape: Fraction(number, HANDS) for shape, number in ways.most_common()}


@cache
def points() -> Law:
    """High-card points of a hand: 4 3 2 1 for ace, king, queen and jack."""
    ways: Counter[int] = Counter()
    for held in product(range(5), repeat=4):
        others = 13 - sum(held)
        if others >= 0:
            value = sum(weight * number for weight, number in zip((4, 3, 2, 1), held, strict=True))
            ways[value] += comb(36, others) * comb(4, held[0]) * comb(4, held[1]) * comb(4, held[2]) * comb(4, held[3])
    return _law(ways)


@cache
def voids() -> Law:
    """Voids in a whole deal."""
    return _over_suits(lambda split: split.count(0), lambda one, other: one + other)


@cache
def longest_suit() -> Law:
    """The longest suit of any hand in a whole deal."""
    return _over_suits(max, max)


def _over_suits(measure: Callable[[Shape], int], join: Callable[[int, int], int]) -> Law:
    """The law of a measure of the 4 × 4 table of lengths that joins over its suits.

    Two suits fix how many cards each hand still gets; the other two suits are counted in the same way.
    """
    halves: dict[Shape, Counter[int]] = {}
    suits = [(split, measure(split), _ways(split)) for split in thirteens()]
    for one, first, ways in suits:
        for other, second, more in suits:
            taken = (one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3])
            if max(taken) <= 13:
                halves.setdefault(taken, Counter())[join(first, second)] += ways * more
    total: Counter[int] = Counter()
    for taken, half in halves.items():
        rest = halves[13 - taken[0], 13 - taken[1], 13 - taken[2], 13 - taken[3]]
        for one_value, ways in half.items():
            for other_value, more in rest.items():
                total[join(one_value, other_value)] += ways * more
    return _law(total)


def _ways(split: Shape) -> int:
    return comb(13, split[0]) * comb(13 - split[0], split[1]) * comb(split[2] + split[3], split[2])


@cache
def best_fit() -> Law:
    """The longest suit of either side, both hands together, in a whole deal."""
    ways: Counter[int] = Counter()
    for lengths in _sums(26):
        fit = max(max(length, 13 - length) for length in lengths)
        ways[fit] += comb(13, lengths[0]) * comb(13, lengths[1]) * comb(13, lengths[2]) * comb(13, lengths[3])
    return _law(ways)


@cache
def cards_kept() -> Law:
    """How many cards two independent deals give to the same seat: mean 13, variance 169/17.

    By inclusion and exclusion over the deals in which the cards of some set are all kept.
    """
    one_seat = [Fraction(comb(13, size), factorial(13 - size)) for size in range(14)]
    four_seats = [Fraction(1)]
    for _ in range(4):
        longer = [Fraction(0)] * (len(four_seats) + 13)
        for place, value in enumerate(four_seats):
            for size, factor in enumerate(one_seat):
                longer[place + size] += value * factor
        four_seats = longer
    sets = [value * factorial(52 - size) / DEALS for size, value in enumerate(four_seats)]
    law = {
        kept: sum(((-1) ** (size - kept) * comb(size, kept) * sets[size] for size in range(kept, 53)), Fraction(0))
        for kept in range(53)
    }
    return {kept: chance for kept, chance in law.items() if chance}


@cache
def neighbours() -> tuple[Fraction, Fraction]:
    """Mean and variance of the number of neighbouring ranks of a suit that lie in one hand (48 pairs in the pack)."""
    one = Fraction(12, 51)
    three = one * Fraction(11, 50)
    two_pairs = one * Fraction(11 * 10 + 3 * 13 * 12, 50 * 49)
    sharing = 4 * 11
    apart = comb(48, 2) - sharing
    mean = 48 * one
    return mean, mean + 2 * sharing * three + 2 * apart * two_pairs - mean**2
