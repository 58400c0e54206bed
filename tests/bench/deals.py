"""Deals and their files: made, written, read against endplay in the same run, and what of it stays in memory.

May import: driver.deals, `tests.support`. Read next: `measures.py`.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from driver.deals.fairness import ORIGINAL, deal_of, session_key
from driver.deals.formats import pbn_export
from driver.deals.generator import make
from driver.deals.loader import load_deals
from driver.deals.model import BoardDeal, DealSet
from tests.support.second_readers import NotHereError, timed_by_endplay

IN_MEMORY_AT_ONCE: Final = 2_000
"""Boards of a round whose memory is counted: counting makes everything several times slower."""


@dataclass(frozen=True, slots=True)
class Speeds:
    """Boards per second of several runs, of `ours` and of another program's; `why` says why there is no other."""

    ours: tuple[float, ...]
    other: tuple[float, ...] = ()
    why: str = ""


def seconds_for(action: Callable[[], object], runs: int) -> tuple[float, ...]:
    """The seconds of the processor in each run: everything here runs on one core."""
    taken = []
    for _ in range(runs):
        start = time.process_time()
        action()
        taken.append(time.process_time() - start)
    return tuple(taken)


def many_boards(boards: int) -> DealSet:
    """So many random boards as the fairness scheme makes them, beyond the size of any set."""
    made = make()
    key = session_key(made.manifest, made.secret)
    numbers = range(1, boards + 1)
    return DealSet("bench", None, tuple(BoardDeal(number, deal_of(key, ORIGINAL, number)) for number in numbers))


def make_as_text(boards: int) -> None:
    """Deals from one secret, each as the text of a PBN Deal tag."""
    made = make()
    key = session_key(made.manifest, made.secret)
    for number in range(1, boards + 1):
        deal_of(key, ORIGINAL, number).hands_as_pbn()


def make_a_set() -> None:
    """A whole set of 36 boards from the operating system's randomness to the bytes of a PBN file."""
    pbn_export.write(make().deal_set("bench"))


def reading(folder: Path, boards: int, runs: int, *, compare: bool) -> Speeds:
    """One PBN file, read by us with every card checked, and by endplay in the same minute."""
    path = folder / "many.pbn"
    path.write_bytes(pbn_export.write(many_boards(boards)))
    ours: list[float] = []
    others: list[tuple[int, float]] = []
    try:
        # In turns: what else this computer does meets both.
        for _ in range(runs):
            ours += seconds_for(lambda: load_deals(path), 1)
            if compare:
                others += timed_by_endplay(path, 1)
        why = "was not asked for"
    except NotHereError:
        ours += seconds_for(lambda: load_deals(path), runs - 1)
        why = "cannot be installed on this computer"
    assert {found for found, _ in others} <= {boards}
    return Speeds(per_second(boards, ours), per_second(boards, [seconds for _, seconds in others]), why)


def per_second(boards: int, taken: Sequence[float]) -> tuple[float, ...]:
    """Boards per second of each run."""
    return tuple(boards / seconds for seconds in taken)


def memory_kept(folder: Path, boards: int, runs: int) -> tuple[float, ...]:
    """KiB that are still in use after a round of making, writing and reading that were not in use before it."""
    path = folder / "again.pbn"

    def round_of_boards() -> None:
        path.write_bytes(pbn_export.write(many_boards(boards)))
        load_deals(path)

    kept = []
    tracemalloc.start()
    try:
        round_of_boards()
        before = _in_use()
        for _ in range(runs):
            round_of_boards()
            after = _in_use()
            kept.append((after - before) / 1024)
            before = after
    finally:
        tracemalloc.stop()
    return tuple(kept)


def _in_use() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
