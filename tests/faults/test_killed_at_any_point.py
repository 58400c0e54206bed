"""A real `dealctl` is killed with SIGKILL at writes of its journal, sends and receives: three right boards come of it.

A first `dealctl`, which nobody kills, tells what points there are; each of the others dies at one.
Read next: `evening.py`, `tests/support/killed_dealctl.py`, `test_host_crashes.py`.
"""

from __future__ import annotations

import os
import random
import re
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, zip_longest
from pathlib import Path
from typing import Final

import pytest

from tests.faults.evening import AT_ONCE, LIKE_LIFE, QUICK, SEED, Evening
from tests.support.border import Passing
from tests.support.figures import Figures

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no kill -9")

PROGRAM: Final = "tests.support.killed_dealctl"
SMALL, LARGE, AIM = 8, 72, 60
CARD: Final = "CardEvent"
PART, OF_PART = 20, " of part "
"""So many cards that follow each other are taken as alike, and how they are called."""
CRITICAL: Final = ("COMMIT of go", "COMMIT of intent", "COMMIT of verdict", "Go", "Arm", CARD)
"""What is chosen first."""
NOT_COUNTED: Final = re.compile(r"Beat|Tick|part of a frame")
"""How often they come depends on how busy this computer is."""
KINDS: Final = tuple(
    f"{passing.value}, {moment}"
    for passing, moment in (
        (Passing.WRITE, "before"), (Passing.WRITE, "after"), (Passing.SEND, "before"), (Passing.SEND, "after"),
        (Passing.RECEIVE, "after"),
    )
)  # fmt: skip


def all_points(folder: Path) -> list[str]:
    """All points that a program comes by that nobody kills."""
    evening, told = Evening(folder), folder / "points"
    with evening.begun():
        ran = evening.deal(PROGRAM, told, "")
        assert ran.code == 0, ran.all
        evening.check_three_right_boards()
    return [point for point in told.read_text(encoding="utf-8").splitlines() if not NOT_COUNTED.search(point)]


def is_killed(evening: Evening, point: str) -> bool:
    """The program dies at that point, and a person ends the evening; whether it died, and did not come through."""
    print(point)  # what pytest shows of a failure
    with evening.begun():
        ran = evening.deal(PROGRAM, evening.folder / "points", point)
        assert ran.code in (0, -signal.SIGKILL), ran.all
        evening.come_to_rest()
        evening.finish()
        evening.check_three_right_boards()
    return ran.code != 0


def chosen_from(points: Sequence[str], number: int) -> list[str]:
    """So many points, as even as may be over the five kinds, and within each over all that passes."""
    chance, cards = random.Random(SEED), count()
    alike: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
    for point in points:
        kind, _, name = point.rpartition(" #")[0].partition(": ")
        part = f"{OF_PART}{next(cards) // PART}" if name == CARD else ""
        alike[kind].setdefault(name + part, []).append(point)
    turns = []
    for names in alike.values():
        for turn in chance.sample(list(names.values()), len(names)):
            chance.shuffle(turn)
        first = sorted(names, key=lambda name: name.partition(OF_PART)[0] not in CRITICAL)
        turns.append([point for row in zip_longest(*(names[name] for name in first)) for point in row if point])
    return [point for row in zip_longest(*turns) for point in row if point][:number]


def killed(number: int, aim: int, folder: Path, figures: Figures) -> None:
    points = chosen_from(all_points(folder / "whole"), number)
    evenings = [
        Evening(folder / f"evening {turn}", speed=LIKE_LIFE if CARD in point else QUICK)
        for turn, point in enumerate(points)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        died = list(pool.map(is_killed, evenings, points))
    reached = [point for point, is_dead in zip(points, died, strict=True) if is_dead]
    figures.list("`dealctl` was killed at", reached)
    kinds = {point.partition(": ")[0] for point in reached}
    figures.tell(
        "points at which a real `dealctl` was killed, each with three right boards after it",
        f"{len(reached)} of {len(kinds)} kinds",
        aim=f"{aim} of {len(KINDS)} kinds",
        met=len(reached) >= aim and kinds == set(KINDS),
        seed=SEED,
    )


def test_a_dealctl_killed_at_some_points_leaves_three_right_boards(tmp_path: Path, figures: Figures) -> None:
    killed(SMALL, SMALL - 1, tmp_path, figures)


@pytest.mark.campaign
def test_a_dealctl_killed_at_sixty_points_and_more_leaves_three_right_boards(tmp_path: Path, figures: Figures) -> None:
    killed(LARGE, AIM, tmp_path, figures)
