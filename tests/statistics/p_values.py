"""How surprising a statistic is: the chance of one as large when the deals are fair.

May import: the standard library. Read next: `battery.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

_CLOSE: Final = 1e-15


def chi_square(statistic: float, freedom: int) -> float:
    """The chance that a chi-square variable with so many degrees of freedom is `statistic` or more."""
    return _upper_gamma(freedom / 2, statistic / 2)


def normal(deviations: float) -> float:
    """The chance that a normal variable is so many standard deviations off, to either side."""
    return math.erfc(abs(deviations) / math.sqrt(2))


def kolmogorov_smirnov(values: Sequence[float]) -> float:
    """The chance of such a distance from the uniform law on 0 … 1, with Stephens' correction for few values."""
    size = len(values)
    ordered = sorted(values)
    distance = max(max((place + 1) / size - value, value - place / size) for place, value in enumerate(ordered))
    root = math.sqrt(size)
    scaled = (root + 0.12 + 0.11 / root) * distance
    if scaled < 0.2:
        return 1.0
    terms = ((-1) ** (term - 1) * math.exp(-2 * (term * scaled) ** 2) for term in range(1, 101))
    return min(1.0, max(0.0, 2 * math.fsum(terms)))


def _upper_gamma(shape: float, limit: float) -> float:
    """The regularised upper incomplete gamma function: by its series below the mean, else by its continued fraction."""
    if limit <= 0:
        return 1.0
    factor = math.exp(shape * math.log(limit) - limit - math.lgamma(shape))
    if limit < shape + 1:
        term = total = 1 / shape
        step = shape
        while term > total * _CLOSE:
            step += 1
            term *= limit / step
            total += term
        return max(0.0, 1 - factor * total)
    # Lentz' method for 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- …))).
    partial = limit + 1 - shape
    above = 1 / 1e-300
    below = 1 / partial
    fraction = below
    for place in range(1, 10_000):
        numerator = -place * (place - shape)
        partial += 2
        below = 1 / (numerator * below + partial)
        above = partial + numerator / above
        change = below * above
        fraction *= change
        if abs(change - 1) < _CLOSE:
            break
    return factor * fraction
