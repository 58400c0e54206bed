"""The battery: 26 tests that tell a dealer who is not fair, and no fair one. Tests can only condemn.

May import: `laws.py`, `p_values.py`, `driver.deals.numbering`, `tests.support` and the standard library. Read next:
`bad_dealers.py`, who must all be caught, and `test_battery.py`.

A deal is its 52 owners in bytes, 0 to 3 for N E S W in the order of the card codes. Expected numbers are exact; cells
are joined until ten or more are expected in each. An alarm is a chance below one in a million for the smallest of all
p-values together (Bonferroni).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeVar

from driver.deals.numbering import DEALS
from tests.statistics import laws
from tests.statistics.p_values import chi_square, kolmogorov_smirnov, normal
from tests.support.deal_numbers import index_of_owners

ALARM: Final = 1e-6
LEAST_EXPECTED: Final = 10
LEAST_DEALS: Final = 100
"""Below that many deals only repeats are looked for."""

_SEATS: Final = "NESW"
_LAGS: Final = (1, 2, 3)
_DIGITS: Final = tuple(bytes(b"01"[owner == seat] for owner in range(256)) for seat in range(4))
_TURNED: Final = tuple(bytes((owner + turn) % 4 for owner in range(256)) for turn in range(1, 4))
_SUIT: Final = 2**13 - 1
_RANKS: Final = tuple(sum(1 << (51 - 13 * suit - rank) for suit in range(4)) for rank in range(4))
_PAIRS: Final = sum(1 << (50 - card) for card in range(51) if card % 13 != 12)
_MIDDLE_DIGIT: Final = 10**14

Value = TypeVar("Value")
Masks = tuple[int, int, int, int]
"""The cards of the four hands as numbers of 52 bits, spade ace highest."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One test: its name, and the chance of so strange a result when the deals are fair."""

    name: str
    p: float


def examine(deals: Sequence[bytes]) -> list[Finding]:
    """Every test on these deals in their order."""
    findings = [Finding("repeats", 0.0 if _repeated(deals) else 1.0)]
    if len(deals) >= LEAST_DEALS:
        masks = [_masks(deal) for deal in deals]
        findings += [*_hands(masks), *_cards(deals, masks), *_whole_deals(masks), *_sequence(deals, masks)]
        findings += _indices([index_of_owners(deal) for deal in deals])
    return findings


def alarms(findings: Sequence[Finding]) -> list[str]:
    """The names of the tests that condemn these deals."""
    return [finding.name for finding in findings if finding.p * len(findings) < ALARM]


def _masks(deal: bytes) -> Masks:
    north, east, south, west = (int(deal.translate(digits), 2) for digits in _DIGITS)
    return north, east, south, west


def _lengths(mask: int) -> laws.Shape:
    return (
        (mask >> 39).bit_count(),
        (mask >> 26 & _SUIT).bit_count(),
        (mask >> 13 & _SUIT).bit_count(),
        (mask & _SUIT).bit_count(),
    )


def _points(mask: int) -> int:
    return sum((4 - rank) * (mask & cards).bit_count() for rank, cards in enumerate(_RANKS))


def fit(observed: Mapping[Value, int], law: Mapping[Value, Fraction]) -> float:
    """The p-value of a chi-square test of counts against an exact law, neighbouring cells joined while too small."""
    total = sum(observed.values())
    cells: list[tuple[float, int]] = []
    expected, found = 0.0, 0
    for value, chance in law.items():
        expected += total * float(chance)
        found += observed.get(value, 0)
        if expected >= LEAST_EXPECTED:
            cells.append((expected, found))
            expected, found = 0.0, 0
    if not cells:
        return 1.0
    cells[-1] = (cells[-1][0] + expected, cells[-1][1] + found)
    return chi_square(_distance(cells), len(cells) - 1) if len(cells) > 1 else 1.0


def _distance(cells: Iterable[tuple[float, int]]) -> float:
    return sum((found - expected) ** 2 / expected for expected, found in cells)


def _even(counts: Sequence[int]) -> float:
    """The p-value of cells that should all have the same number."""
    expected = sum(counts) / len(counts)
    return chi_square(_distance((expected, found) for found in counts), len(counts) - 1)


def _hands(masks: Sequence[Masks]) -> list[Finding]:
    findings = []
    for seat, letter in enumerate(_SEATS):
        found = Counter(_lengths(deal[seat]) for deal in masks)
        shapes: Counter[laws.Shape] = Counter()
        for lengths, number in found.items():
            a, b, c, d = sorted(lengths, reverse=True)
            shapes[a, b, c, d] += number
        findings.append(Finding(f"shapes {letter}", fit(shapes, laws.shapes())))
        findings.append(Finding(f"points {letter}", fit(Counter(_points(deal[seat]) for deal in masks), laws.points())))
    return findings


def _cards(deals: Sequence[bytes], masks: Sequence[Masks]) -> list[Finding]:
    together = b"".join(deals)
    expected = len(deals) / 4
    columns = [together[card::52] for card in range(52)]
    cells = ((expected, column.count(seat)) for column in columns for seat in range(4))
    # Each row adds up to the deals and each column to 13 times as many: 51 × 3 degrees of freedom.
    by_seat = chi_square(_distance(cells) * 51 / 52, 153)
    mean, variance = laws.neighbours()
    found = sum((mask & (mask >> 1) & _PAIRS).bit_count() for deal in masks for mask in deal)
    off = (found - len(deals) * float(mean)) / (len(deals) * float(variance)) ** 0.5
    return [Finding("card and seat", by_seat), Finding("neighbours", normal(off))]


def _whole_deals(masks: Sequence[Masks]) -> list[Finding]:
    voids: Counter[int] = Counter()
    longest: Counter[int] = Counter()
    fits: Counter[int] = Counter()
    for deal in masks:
        north, east, south, west = (_lengths(mask) for mask in deal)
        every = (*north, *east, *south, *west)
        voids[every.count(0)] += 1
        longest[max(every)] += 1
        side = [one + other for one, other in zip(north, south, strict=True)]
        fits[max(max(side), 13 - min(side))] += 1
    return [
        Finding("voids", fit(voids, laws.voids())),
        Finding("longest suit", fit(longest, laws.longest_suit())),
        Finding("best fit", fit(fits, laws.best_fit())),
    ]


def _sequence(deals: Sequence[bytes], masks: Sequence[Masks]) -> list[Finding]:
    findings = []
    for lag in _LAGS:
        kept: Counter[int] = Counter()
        moves = [0] * 16
        for before, after in zip(masks, masks[lag:], strict=False):
            same = 0
            for place in range(16):
                number = (before[place >> 2] & after[place & 3]).bit_count()
                moves[place] += number
                if place % 5 == 0:
                    same += number
            kept[same] += 1
        expected = (len(deals) - lag) * 13 / 4
        # Rows and columns of the 4 × 4 table have fixed sums: nine cells are free. A cell has the variance
        # 13 · 1/4 · 3/4 · 39/51 = 9/16 · 169/51 for each pair of deals, so 169/51 takes the place of the expected 13/4.
        moved = _distance((expected, found) for found in moves) * (13 / 4) / (169 / 51)
        findings.append(Finding(f"cards kept, lag {lag}", fit(kept, laws.cards_kept())))
        findings.append(Finding(f"seat to seat, lag {lag}", chi_square(moved, 9)))
    return [*findings, _correlation([_points(deal[0]) for deal in masks]), _ace_by_board(deals)]


def _correlation(points: Sequence[int]) -> Finding:
    products = sum((one - 10) * (other - 10) for one, other in pairwise(points))
    return Finding("points of North in turn", normal(products / (290 / 17 * (len(points) - 1) ** 0.5)))


def _ace_by_board(deals: Sequence[bytes]) -> Finding:
    rows = [[deal[0] for deal in deals[place::16]] for place in range(16)]
    cells = ((len(row) / 4, row.count(seat)) for row in rows for seat in range(4))
    return Finding("spade ace by board", chi_square(_distance(cells), 48))


def _repeated(deals: Sequence[bytes]) -> bool:
    """Whether a deal comes twice, or comes again turned round the table."""
    turned = {min(deal, *(deal.translate(turn) for turn in _TURNED)) for deal in deals}
    return len(turned) < len(deals)


def _indices(indices: Sequence[int]) -> list[Finding]:
    sizes = [size for size in (16, 8, 4, 2) if len(indices) // 2 >= LEAST_EXPECTED * size * size]
    size = sizes[0] if sizes else 2
    pairs = zip(indices[::2], indices[1::2], strict=False)
    grid = Counter(size * (size * one // DEALS) + size * other // DEALS for one, other in pairs)
    last = Counter(index % 10 for index in indices)
    middle = Counter(index // _MIDDLE_DIGIT % 10 for index in indices)
    return [
        Finding("number, spread", kolmogorov_smirnov([index / DEALS for index in indices])),
        Finding("number, pairs", _even([grid[cell] for cell in range(size * size)])),
        Finding("number, last digit", _even([last[digit] for digit in range(10)])),
        Finding("number, middle digit", _even([middle[digit] for digit in range(10)])),
    ]
