"""What was under way when the last program ended: the board, its job, and what is left of that. Opens no set.

May import: `store`, `queue`, `findings`, `deals.model`, `errors`. Read next: `cli/recovery.py`, which tells and asks;
`recovery.py`, which looks at the machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from driver.deals.model import range_text
from driver.errors import NothingOpen
from driver.findings import board_name
from driver.queue import BoardCopy, QueuedJob, Stand
from driver.store.runs import RunRecord
from driver.store.store import Store
from driver.store.stored import StoredSet


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A run, and the job that it was a part of; nothing in it tells a hand.

    `stored` is None where the deal is of no set that is here, `job` where no job waits to be gone on with: then at most
    the board of the run itself is left.
    """

    record: RunRecord
    stored: StoredSet | None
    job: QueuedJob | None

    @property
    def name(self) -> str:
        """The board of the run, as it was dealt: "board 9, copy B"."""
        return board_name(self.record.intention)

    @property
    def machine(self) -> str:
        """The serial number of the machine on which the run was begun."""
        return self.record.intention.serial

    @property
    def left(self) -> tuple[BoardCopy, ...]:
        """The board copies of the job that are not dealt, in its order."""
        return () if self.job is None else tuple(one for one in self.job.copies if one.stand is not Stand.DEALT)

    @property
    def progress(self) -> str:
        """How far the job is: "8 of 36 boards are dealt; left: 9-36"; "" without one."""
        if self.job is None:
            return ""
        names = dict.fromkeys(one.copy for one in self.left)
        parts = {copy: range_text(one.board for one in self.left if one.copy == copy) for copy in names}
        texts = [f"copy {copy}: {boards}" if copy else boards for copy, boards in parts.items()]
        return f"{len(self.job.copies) - len(self.left)} of {len(self.job.copies)} are dealt; left: {', '.join(texts)}"


def left_open(store: Store) -> tuple[UnderWay, ...]:
    """The board that was begun and not ended, of each machine that has one; the newest first."""
    return tuple(_under_way(store, record) for record in store.runs.left_open())


def to_go_on_with(store: Store) -> tuple[UnderWay, ...]:
    """What can be gone on with: the boards that were begun and not ended, else the job that was dealt last, if it has
    boards left; empty when nothing can."""
    if found := left_open(store):
        return found
    begun = [(max(one.run for one in job.copies), job) for job in store.jobs.queue().jobs]
    run = max((run for run, _ in begun), default=0)
    record = store.runs.record(run) if run else None
    return () if record is None else (_under_way(store, record),)


def _under_way(store: Store, record: RunRecord) -> UnderWay:
    told = record.intention
    if told.is_check or not told.deal_set:
        return UnderWay(record, None, None)
    jobs = (job for job in store.jobs.queue().jobs if any(one.run == record.run for one in job.copies))
    job = next(jobs, None)
    try:
        stored = store.sets.find(told.deal_set if job is None else job.order.set_id)
    except NothingOpen:
        return UnderWay(record, None, None)
    return UnderWay(record, stored, job)
