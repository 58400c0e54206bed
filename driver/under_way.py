"""What was under way when the last program ended: the board, its job, and what is left of that. Opens no set.

May import: `store`, `handed_over`, `queue`, `findings`, `deals.model`, `errors`. Read next: `cli/recovery.py`, which
tells and asks; `recovery.py`, which looks at the machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from driver.deals.model import range_text
from driver.errors import NothingOpen
from driver.findings import board_name
from driver.handed_over import handed_over
from driver.queue import BoardCopy, CopyId, JobOrder, QueuedJob, Stand
from driver.store.runs import RunRecord
from driver.store.store import Store
from driver.store.stored import StoredSet


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A run, and the job that it was a part of; nothing in it tells a hand.

    `stored` is None where the deal is of no set that is here, `job` where no job waits to be gone on with: then at most
    the board of the run itself is left. `over` is the sentence that says why nobody goes on with this board, "" where
    it can be gone on with: then it can only be cleared away.
    """

    record: RunRecord
    stored: StoredSet | None
    job: QueuedJob | None
    over: str = ""

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


def taken_up(store: Store, under: UnderWay) -> UnderWay:
    """The same; a board whose job was removed is in the queue again, as a job of its own and as it was left."""
    if under.job is not None or under.stored is None:
        return under
    told, run = under.record.intention, under.record.run
    with store.together():
        order = JobOrder(0, under.stored.id, (told.deal_board,), (told.copy,), as_board=told.board)
        copy = CopyId(store.jobs.add(order).id, 0)
        is_open = replace(store.jobs.queue().copy(copy), machine=told.serial, run=run)
        stand = store.jobs.fate(is_open)
        store.jobs.follow(lambda queue: queue.with_copy(copy, stand=stand, machine=told.serial, run=run))
        return replace(under, job=store.jobs.find(copy.job))


def _under_way(store: Store, record: RunRecord) -> UnderWay:
    told = record.intention
    if told.is_check:
        return UnderWay(record, None, None)
    if not told.deal_set:
        return UnderWay(record, None, None, _OF_NO_SET)
    jobs = (job for job in store.jobs.queue().jobs if any(one.run == record.run for one in job.copies))
    job = next(jobs, None)
    try:
        stored = store.sets.find(told.deal_set if job is None else job.order.set_id)
    except NothingOpen:
        return UnderWay(record, None, None, _OF_NO_SET)
    return UnderWay(record, stored, job, _why_over(store, record, stored))


_OF_NO_SET: Final = "Its deal is of no set on this computer."


def _why_over(store: Store, record: RunRecord, stored: StoredSet) -> str:
    if handed_over(store, stored) is not None:
        return f"Set {stored.name} was handed over: it is dealt on the other computer."
    for later in store.runs.later(record):
        if later.verdict is not None or (later.go_sent and not later.closed):
            name, machine = board_name(record.intention), later.intention.serial
            return f"{name[:1].upper()}{name[1:]} was dealt meanwhile on machine {machine}."
    return ""
