"""A million cards fed while line, machine and person do their worst: no index twice, no motion without a GO (I1).

Held against the truth of the simulated machine, which is what physically happened; what host or machine believe does
not count. Read next: `rough_evening.py`, what goes wrong.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from protocol.codes import FaultCode, PauseReason
from tests.campaign.rough_evening import Rough, RoughEvening
from tests.support.figures import Figures

FEW: Final = 5_000
MANY: Final = 1_000_000
PARTS: Final = 2
"""Tests that share them, each with every second seed."""

KEPT: Final = (2, 14)
"""Evenings that once went wrong: a machine that had begun a board was given another one, which lay in its slot."""


def feeds_of(seed: int, folder: Path, seen: Counter[str]) -> int:
    """Deals the evening of that seed and holds it to I1; how many cards were fed. `seen`: what stopped the machine."""
    evening = RoughEvening(Rough.of(seed))
    evening.run(folder)
    truth, where = evening.core.truth, str(evening.rough)
    assert truth.violations() == [], where
    assert [(motion.boot, motion.token) for motion in truth.motions] == evening.core.gos, where
    seen.update(evening.core.stopped_by)
    return len(truth.feeds())


def deal(wanted: int, first: int, folder: Path, figures: Figures) -> Counter[str]:
    """Every second evening from seed `first` on until so many cards were fed; what stopped the machines, how often."""
    seen: Counter[str] = Counter()
    fed = evenings = 0
    while fed < wanted:
        fed += feeds_of(first + PARTS * evenings, folder, seen)
        evenings += 1
    figures.tell(
        f"cards fed on {evenings} evenings of random line, machine and person faults, "
        "with no index dropped twice and no motion without a GO",
        f"{fed:,}",
        aim=f"{wanted:,} or more",
        met=fed >= wanted,
        seed=first,
    )
    figures.list("what stopped the cards", [f"{times:7,} {name}" for name, times in sorted(seen.items())])
    return seen


def test_cards_are_dropped_once_and_move_for_a_go_whatever_happens(quick_folder: Path, figures: Figures) -> None:
    assert deal(FEW, 1, quick_folder, figures)["FAULT"]


@pytest.mark.parametrize("seed", KEPT)
def test_an_evening_that_once_went_wrong_goes_right(seed: int, quick_folder: Path) -> None:
    assert feeds_of(seed, quick_folder, Counter())


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(1, PARTS + 1))
def test_half_a_million_cards_are_dropped_once_and_move_for_a_go(
    first: int, quick_folder: Path, figures: Figures
) -> None:
    seen = deal(MANY // PARTS, first, quick_folder, figures)

    assert {reason.name for reason in PauseReason if reason} <= set(seen), "a reason to pause never came about"
    assert {code.name for code in FaultCode if code} <= set(seen), "a fault never came about"
