"""The exact laws add up, have the moments that are known in closed form, and equal the published tables.

Read next: `laws.py`, `p_values.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from tests.statistics import laws
from tests.statistics.laws import Law
from tests.statistics.p_values import chi_square, kolmogorov_smirnov, normal

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "vectors"
LAWS = (laws.points, laws.voids, laws.longest_suit, laws.best_fit, laws.cards_kept)


def mean_and_variance(law: Law) -> tuple[Fraction, Fraction]:
    mean = sum((value * chance for value, chance in law.items()), Fraction(0))
    return mean, sum((value * value * chance for value, chance in law.items()), Fraction(0)) - mean * mean


@pytest.mark.parametrize("law", LAWS)
def test_the_chances_add_up_to_one_exactly(law: Callable[[], Law]) -> None:
    assert sum(law().values()) == 1
    assert min(law().values()) > 0


def test_there_are_39_shapes_most_frequent_first() -> None:
    shapes = laws.shapes()

    assert len(shapes) == 39
    assert sum(shapes.values()) == 1
    assert next(iter(shapes)) == (4, 4, 3, 2)
    assert min(shapes, key=lambda shape: shapes[shape]) == (13, 0, 0, 0)
    assert shapes[13, 0, 0, 0] == Fraction(4, laws.HANDS)


def test_means_and_variances_are_those_of_the_formulas() -> None:
    assert mean_and_variance(laws.points()) == (Fraction(10), Fraction(290, 17))
    assert mean_and_variance(laws.cards_kept()) == (Fraction(13), Fraction(169, 17))
    # A hand is void in a suit when its 13 cards are among the 39 others.
    assert mean_and_variance(laws.voids())[0] == 16 * Fraction(math.comb(39, 13), laws.HANDS)


@pytest.mark.parametrize(
    ("law", "percent"),
    [
        (laws.voids, {0: 81.62337, 1: 16.40321, 2: 1.86133, 3: 0.10877}),
        (laws.longest_suit, {4: 2.92945, 5: 40.23368, 6: 42.20754, 7: 12.64427, 8: 1.83052}),
        (laws.best_fit, {7: 10.49083, 8: 37.41458, 9: 34.64819, 10: 14.16182}),
        (laws.points, {0: 0.36390, 8: 8.89219, 10: 9.40511, 13: 6.91433, 20: 0.64354, 26: 0.01167}),
    ],
)
def test_the_usual_percentages_come_out(law: Callable[[], Law], percent: dict[int, float]) -> None:
    assert {value: round(100 * float(law()[value]), 5) for value in percent} == pytest.approx(percent, abs=1e-5)


def test_neighbours_are_counted_as_in_a_pack_of_all_orders() -> None:
    mean, variance = laws.neighbours()

    assert mean == Fraction(48 * 12, 51)
    # Two pairs without a common card are a little less often in hands together than chance alone would have it.
    assert 48 * Fraction(12, 51) * Fraction(39, 51) * Fraction(9, 10) < variance < 48 * Fraction(12, 51)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published tables of ../shared are not here")
@pytest.mark.parametrize(
    ("law", "name", "table"),
    [
        (laws.voids, "exact_deal_tables.json", "voids_per_deal"),
        (laws.longest_suit, "exact_deal_tables.json", "longest_suit_in_deal"),
        (laws.best_fit, "exact_deal_tables.json", "best_fit_either_side"),
        (laws.cards_kept, "exact_deal_tables.json", "cards_in_same_seat_two_independent_deals"),
        (laws.points, "exact_hand_tables.json", "hcp"),
    ],
)
def test_the_law_is_the_published_table_to_the_last_deal(law: Callable[[], Law], name: str, table: str) -> None:
    published = json.loads((PUBLISHED / name).read_text(encoding="utf-8"))[table]
    counts = {int(value): int(row["count"]) for value, row in published.items()}
    total = sum(counts.values())

    assert {value: Fraction(number, total) for value, number in counts.items() if number} == law()


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published tables of ../shared are not here")
def test_the_shapes_are_the_published_ones_to_the_last_hand() -> None:
    table = json.loads((PUBLISHED / "exact_hand_tables.json").read_text(encoding="utf-8"))["shape_generic_39"]

    published = {tuple(int(digit, 16) for digit in shape): int(row["count"]) for shape, row in table.items()}
    assert {shape: chance * laws.HANDS for shape, chance in laws.shapes().items()} == published


@pytest.mark.parametrize(
    ("statistic", "freedom", "expected"),
    [
        (0.0, 5, 1.0),
        (3.841458820694124, 1, 0.05),
        (18.307038053275146, 10, 0.05),
        (2 * math.log(1e6), 2, 1e-6),
        (2.0, 2, math.exp(-1)),
        (4.0, 4, 3 * math.exp(-2)),
        (124.34211340400407, 100, 0.05),
        (70.06489492539978, 100, 0.99),
    ],
)
def test_chi_square_has_the_values_of_the_tables(statistic: float, freedom: int, expected: float) -> None:
    assert chi_square(statistic, freedom) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 48, 153, 255])
def test_chi_square_falls_without_a_step_where_its_two_formulas_meet(freedom: int) -> None:
    values = [chi_square(freedom + 2 + offset / 1000, freedom) for offset in range(-50, 51)]

    falls = [before - after for before, after in pairwise(values)]
    assert min(falls) > 0
    assert max(falls) < 1.2 * min(falls)


def test_the_normal_law_and_the_greatest_distance_have_the_values_of_the_tables() -> None:
    assert normal(0) == 1
    assert normal(1.959963984540054) == pytest.approx(0.05)
    assert normal(-4.891638475698752) == pytest.approx(1e-6)
    assert kolmogorov_smirnov([(place + 0.5) / 1000 for place in range(1000)]) == 1
    # The distance is 0.043 of 1,000 values: λ = 1.3649, Q(λ) = 0.0482.
    assert kolmogorov_smirnov([min(1.0, place / 1000 + 0.043) for place in range(1000)]) == pytest.approx(
        0.048, abs=2e-3
    )
