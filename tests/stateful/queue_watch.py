"""What always holds of a queue: no board copy at two machines, none dealt twice, dealt as shown, nothing lost.

May import: driver, tests.support. Read next: `queue_world.py`. What is shown is read from the store as another window
reads it, and what comes next is found here a second time, in the simplest way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from driver.deals.model import DealSet
from driver.errors import NothingOpen
from driver.happenings import Item, NoMore, QueueCommand, Taken, TakeNext
from driver.queue import WITH_A_MACHINE, BoardCopy, CopyId, Queue, QueuedJob, Stand
from driver.store.jobs import DONE
from driver.store.store import Store
from driver.verdicts import Verdict
from driver.work import Work


class WatchedWork(Work):
    """The real work, whose answers are held against the queue as it was shown before."""

    def follow(self, command: QueueCommand, machine: str) -> list[Taken | NoMore]:
        shown = self._jobs.queue()
        told = super().follow(command, machine)
        for one in told:
            if isinstance(one, Taken) and isinstance(command, TakeNext):
                assert one.item.place in _next_of(shown, machine, command), "what is shown first is dealt next"
        return told


def _next_of(shown: Queue, machine: str, wanted: TakeNext) -> list[CopyId]:
    """The board copy that this machine has to get; the one that it has, when it has one that fits.

    Of the number in its slot also one that another machine only asks for, when no other one of that number waits and
    it may be taken from there.
    """
    number = wanted.number
    copies = [(CopyId(job.order.id, one.place), one, job.released) for job in shown.jobs for one in job.copies]
    mine = [at for at, one, _ in copies if one.machine == machine and one.stand in WITH_A_MACHINE]
    waiting = [(at, one) for at, one, released in copies if released and one.stand is Stand.WAITING]
    asked = [at for at, one, released in copies if released and one.stand is Stand.CLAIMED and one.board == number]
    asked = asked if wanted.from_others else []
    fits = [at for at, one in waiting if one.board == number] or asked
    if mine:
        keeps = any(at in mine and (one.board == number or one.stand is Stand.BEGUN) for at, one, _ in copies)
        return mine if number is None or keeps or not fits else fits[:1]
    return fits[:1] or [at for at, _ in waiting[:1]]


class QueueWatch:
    """What was dealt, in which order the jobs were shown, and what a person was told."""

    def __init__(self, deals: DealSet) -> None:
        self.dealt: dict[CopyId, int] = {}
        self.jobs: set[int] = set()
        """Every job that was ever added."""
        self._order: list[int] = []
        self._told: set[CopyId] = set()
        self._asked_about: set[int] = set()
        """Runs of which a person was asked what was found of them."""

    def changed(self, store: Store) -> None:
        """A person changed the queue: the order in which it is shown now is the one that holds."""
        self._order = [job.order.id for job in store.jobs.queue().jobs]
        self.jobs.update(self._order)

    def started(self, machine: str, item: Item) -> None:
        """Cards of this board begin to move."""
        assert item.place not in self.dealt, "a dealt board copy is dealt again"

    def found(self, machine: str, store: Store) -> None:
        """A person is asked what becomes of a run that was found at this machine."""
        queue = store.jobs.queue()
        copy = queue.with_machine(machine)
        if copy is not None:
            self._asked_about.add(queue.copy(copy).run)

    def judged(self, item: Item, verdict: Verdict) -> None:
        """A person is told the verdict."""
        if verdict.name in DONE:
            self._told.add(item.place)

    def reopened(self, before: Queue, after: Queue) -> None:
        """Another program begins: same order, same progress, and every job is held."""
        assert not any(job.released for job in after.jobs), "a job starts by itself after a restart"
        assert [job.order.id for job in after.jobs] == [job.order.id for job in before.jobs if _left(job, after)]
        for job in after.jobs:
            old = before.find(job.order.id)
            assert [one.place for one in old.copies] == [one.place for one in job.copies]
            for was, one in zip(old.copies, job.copies, strict=True):
                assert one.stand not in WITH_A_MACHINE
                if was.stand in (Stand.DEALT, Stand.LEFT, Stand.WAITING):
                    assert one.stand is was.stand, "the progress is another one after a restart"
                elif was.stand is Stand.CLAIMED:
                    assert one.stand is Stand.WAITING

    def check(self, store: Store, machines: Collection[str], items: Iterable[tuple[str, Item, bool]]) -> None:
        """All of it, on the store as it is now; `items` is what the schedulers of these machines have.

        With each stands whether it is only asked for: it may lie in another machine's slot, which has it then.
        """
        queue = store.jobs.queue()
        assert [job.order.id for job in queue.jobs] == [job for job in self._order if _is_in(job, queue)]
        there = {job: _copies(store, job) for job in self.jobs}
        dealt = {CopyId(job, one.place): one.run for job, copies in there.items() for one in copies
                 if one.stand is Stand.DEALT}  # fmt: skip
        for place, run in self.dealt.items():
            assert dealt.get(place) == run, "a board copy that was dealt is not dealt any more"
        self.dealt = dealt
        assert self._told <= dealt.keys(), "a person was told that a board is dealt, and it is to be dealt again"
        for copies in there.values():
            for one in copies:
                self._agrees(store, one)
        if machines:
            self._check_claims(queue, machines, items)

    def _check_claims(self, queue: Queue, machines: Collection[str], items: Iterable[tuple[str, Item, bool]]) -> None:
        claims = [queue.copy(copy).machine for copy in queue.copies(*WITH_A_MACHINE)]
        assert len(set(claims)) == len(claims), "a machine has two board copies"
        assert set(claims) <= set(machines), "a board copy is with a machine at which nobody deals"
        has = [(machine, item) for machine, item, asks in items if not asks or queue_has(queue, machine, item)]
        places = [item.place for _, item in has]
        assert len(set(places)) == len(places), "a board copy is with two machines"
        for machine, item in has:
            assert queue_has(queue, machine, item), "a board is dealt without a claim"

    def _agrees(self, store: Store, one: BoardCopy) -> None:
        """The journal and the queue are of one mind about this board copy."""
        record = store.runs.record(one.run) if one.run else None
        assert (record is not None) == bool(one.run)
        if record is not None:
            told = record.intention
            assert (told.board, told.copy, told.deal_board) == (one.board, one.copy, one.deal_board)
            assert (record.verdict in DONE) <= (one.stand is Stand.DEALT), "proven, and not dealt"
        if one.stand is Stand.DEALT:
            assert record is not None
            assert record.verdict is not None, "dealt, and not judged"
        if one.stand in (Stand.BEGUN, Stand.OPEN):
            assert record is not None
            nobody_knows = one.stand is Stand.BEGUN and one.run in self._asked_about
            assert record.go_sent or nobody_knows or _began_before(store, one), "begun, and GO not written down"


def queue_has(queue: Queue, machine: str, item: Item) -> bool:
    """Whether that board copy is with that machine."""
    return queue.with_machine(machine) == item.place


def _began_before(store: Store, one: BoardCopy) -> bool:
    """Whether cards of it moved in an earlier run: it is to be dealt again, and that is only intended yet."""
    begun = (run.intention for run in store.runs.begun())
    return (one.board, one.copy, one.deal_board) in {(told.board, told.copy, told.deal_board) for told in begun}


def _copies(store: Store, job: int) -> tuple[BoardCopy, ...]:
    """The board copies of a job, of one that is done too; none where it was removed."""
    try:
        return store.jobs.find(job).copies
    except NothingOpen:
        return ()


def _is_in(job: int, queue: Queue) -> bool:
    return any(one.order.id == job for one in queue.jobs)


def _left(job: QueuedJob, after: Queue) -> bool:
    return _is_in(job.order.id, after) or any(one.stand not in (Stand.BEGUN, Stand.DEALT) for one in job.copies)
