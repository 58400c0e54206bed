"""What was dealt when, with what came of it, and how each machine does over time. Blind (I7).

May import: `catalogue`, `store`, `trends`, `verdicts`, `protocol.codes`. Read next: `cli/history.py`, which
shows it; `journal.py`.
It reads what another window may be writing at this moment, and checks that nothing of it was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Final

from driver.catalogue import Entry
from driver.store.runs import RunRecord
from driver.store.store import Store
from driver.trends import READING_ERRORS, notices
from driver.verdicts import Verdict
from protocol.codes import FaultCode

RECENT: Final = 100
"""Boards of a machine that are held against all before them."""
_JAMS: Final = (FaultCode.JAM, FaultCode.NO_FEED)


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run whose cards may have moved. `set_name` is "" for a set that is not here.

    `as_planned` of its 52 cards are known to lie where the plan has them; None when nothing was written of them.
    """

    record: RunRecord
    set_name: str
    as_planned: int | None

    @property
    def faults(self) -> tuple[str, ...]:
        """What the machine reported, in its order: "jam", "double feed"."""
        return tuple(fault_name(fault) for fault in self.record.faults)


@dataclass(frozen=True, slots=True)
class Share:
    """How a machine did over some of its boards; `card_ms` is the usual time from card to card, None if not known."""

    boards: int
    good: int
    jams: int
    misreads: int
    card_ms: int | None

    def per_hundred(self, number: int) -> float:
        """So many in a hundred boards."""
        return 100 * number / self.boards if self.boards else 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    """One machine: its newest boards, at most `RECENT`, and all before them; `notices` are what the newest show."""

    serial: str
    recent: Share
    before: Share
    notices: tuple[Entry, ...] = ()


def past_runs(store: Store) -> list[PastRun]:
    """Every run that was begun, the oldest first. Raises JournalDamaged, StoreUnusable, StoreDamaged."""
    store.entries.check()
    names = {stored.id: stored.name for stored in store.sets.newest_first()}
    planned = store.runs.as_planned()
    return [
        PastRun(record, names.get(record.intention.deal_set, ""), planned.get(record.run))
        for record in store.runs.begun()
    ]


def trends(runs: Iterable[PastRun]) -> list[Trend]:
    """How each machine that really deals does, by serial number; checks do not count."""
    machines: dict[str, list[RunRecord]] = {}
    for one in runs:
        told = one.record.intention
        if not told.simulated and not told.is_check:
            machines.setdefault(told.serial, []).append(one.record)
    return [
        Trend(serial, _share(records[-RECENT:]), _share(records[:-RECENT]), _notices(records[-RECENT:]))
        for serial, records in sorted(machines.items())
    ]


def _share(records: Sequence[RunRecord]) -> Share:
    times = [record.card_ms for record in records if record.card_ms is not None]
    return Share(
        len(records),
        sum(record.verdict == Verdict.GOOD.name for record in records),
        sum(fault in _JAMS for record in records for fault in record.faults),
        sum(fault in READING_ERRORS for record in records for fault in record.faults),
        median_low(times) if times else None,
    )


def _notices(records: Sequence[RunRecord]) -> tuple[Entry, ...]:
    times = [record.card_ms for record in records if record.card_ms is not None]
    return notices(times, (record.faults for record in reversed(records)))


def fault_name(fault: int) -> str:
    """A fault in words: "jam", "double feed"."""
    known = {int(code): code.name.lower().replace("_", " ") for code in FaultCode}
    return known.get(fault, f"fault {fault}")
