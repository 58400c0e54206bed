"""What one program deals, shared by its machines: the queue in the store, and the hands of each board copy.

May import: `claims`, `happenings`, `journal`, `prompts`, `queue`. From any thread; each method is one transaction.
Read next: `claims.py` (the rules), `runner.py` (who takes boards here).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from driver import claims
from driver.happenings import (
    Item,
    Keep,
    Leave,
    LeaveOpen,
    NoMore,
    OfferEmptied,
    OfferLeft,
    QueueCommand,
    Taken,
    TakeNext,
)
from driver.journal import Journal
from driver.prompts import name_of
from driver.queue import TO_COME, WITH_A_MACHINE, BoardCopy, CopyId, JobOrder, Queue, QueuedJob, Stand

Hands = Callable[[JobOrder, BoardCopy], Item]
"""The item of a board copy; its `place` may be anything. Raises what opening a set raises."""
Admits = Callable[[Sequence[Item]], bool]
"""Whether the job with these boards may be dealt without a question to a person."""
TO_DEAL: Final = frozenset({Stand.WAITING, Stand.OPEN, *WITH_A_MACHINE})


class Work:
    """The released jobs of the queue (`only` these, if given) as one program deals them.

    A job that another window has released and that `admits` refuses is held again, and no board of it is taken. A
    machine is named by its serial number. All of it raises JournalUnusable and StoreDamaged.
    """

    def __init__(
        self, journal: Journal, hands: Hands, only: Collection[int] | None = None, *, admits: Admits | None = None
    ) -> None:
        self._journal = journal
        self._jobs = journal.jobs
        self._hands = hands
        self._admits = admits
        self._admitted: set[int] = set()
        self._only = None if only is None else frozenset(only)
        self._items: dict[CopyId, Item] = {}
        self._watching: list[Callable[[Sequence[Item]], None]] = []
        self._lock = threading.RLock()
        self._machines: set[str] = set()
        self._offered_at: str | None = None
        self._open_elsewhere: tuple[CopyId, ...] = ()
        """What a person is asked about at that machine, because cards of it lie in other ones."""
        self._held_open: set[str] = set()
        self._to_tell: set[str] = set()

    @property
    def left(self) -> int:
        """Board copies that are to be dealt, those that machines have included; not those that were left."""
        return self._jobs.count(TO_DEAL, self._only)

    def items(self) -> list[Item]:
        """Every board copy of the work in the order of dealing, what is dealt already too."""
        queue = self._jobs.queue()
        return [self._item(queue, copy) for copy in queue.copies(*Stand, jobs=self._admitted_of(queue))]

    def may_be_of(self, run: int, machine: str) -> list[Item]:
        """The board copies that an open run of that machine may be of: first those for which it was intended last.

        One that is dealt is none of them, nor one of which cards lie in another machine.
        """
        queue = self._jobs.queue()
        copies = queue.copies(*Stand, jobs=self._admitted_of(queue))
        its = [copy for copy in copies if queue.copy(copy).run == run]
        free = [copy for copy in copies if copy not in its and claims.is_free_for(queue.copy(copy), machine)]
        return [self._item(queue, copy) for copy in (*its, *free)]

    def watch(self, told: Callable[[Sequence[Item]], None]) -> None:
        """`told` gets the boards of each job, before the first of them is taken."""
        with self._lock:
            self._watching.append(told)
            known = [*self._items.values()]
            for job in dict.fromkeys(item.place.job for item in known):
                told([item for item in known if item.place.job == job])

    @property
    def is_complete(self) -> bool:
        """Whether every board is dealt."""
        queue = self._jobs.queue()
        return not queue.copies(*TO_COME, jobs=self._ids(queue))

    def follow(self, command: QueueCommand, machine: str) -> list[Taken | NoMore]:
        """Does for that machine what its scheduler says; what it is to be told."""
        with self._lock:
            match command:
                case TakeNext():
                    return [self._take(machine, command)]
                case Leave():
                    self._follow(lambda queue: _left_by(queue, machine))
                case Keep():
                    self._follow(lambda queue: claims.keep(queue, machine))
                case OfferLeft():
                    self._answered(machine)
                    self._follow(lambda queue: claims.offer_left(queue, self._ids(queue)))
                case OfferEmptied():
                    self._answered(machine)
                    self._empty(self._open_elsewhere)
                case LeaveOpen():
                    self._note_emptying(self._open_elsewhere, asked=False)
        return []

    def _answered(self, machine: str) -> None:
        """What was offered at that machine comes; what is left then is offered anew."""
        self._offered_at = None
        self._held_open.discard(machine)

    def may_differ(self, machine: str, item: Item | None) -> bool:
        """Whether the queue may have another board for that machine than `item`, which it asks for (None: for none)."""
        if len(self._machines) < 2:
            return False
        return item is None or self._jobs.queue().with_machine(machine) != item.place

    def expect(self, machine: str) -> None:
        """That machine will deal here: until it `has_told`, nobody is asked about the boards that it left open."""
        with self._lock:
            self._machines.add(machine)
            self._to_tell.add(machine)

    def has_told(self, machine: str) -> None:
        """What became of the board that this machine had before is known: it is with it again, or over."""
        with self._lock:
            self._to_tell.discard(machine)

    def starts(self, machine: str, item: Item) -> bool:
        """The machine is about to start that board; False when another one deals it, which has it in its slot."""
        may = False

        def step(queue: Queue) -> Queue:
            nonlocal may
            after, may = claims.start(queue, machine, item.place)
            return after

        self._follow(step)
        return may

    def refused(self, machine: str) -> None:
        """The machine did not start its board."""
        self._follow(lambda queue: claims.refuse(queue, machine))

    def resume(self, item: Item, machine: str, run: int, *, begun: bool, done: Collection[Item]) -> None:
        """As `claims.resume`. `done` counts for an order that was made anew; else the queue itself knows what is dealt:
        a board that is wanted once more waits, whatever the journal says of the time before."""

        def step(queue: Queue) -> Queue:
            jobs = self._ids(queue)
            known = queue.copies(Stand.DEALT, jobs=jobs) if self._only is None else [one.place for one in done]
            return claims.resume(queue, item.place, machine, run, begun=begun, done=known, jobs=jobs)

        with self._lock:
            self._follow(step)

    def end(self, machine: str) -> None:
        """That machine deals no more: what it has not begun waits again; the rest stands as the journal says."""
        with self._lock:
            self._follow(lambda queue: claims.end(queue, self._jobs.fate, machine))
            self._to_tell.discard(machine)
            if machine == self._offered_at:
                self._held_open.discard(machine)

    def hold_open(self, machine: str) -> None:
        """A person is asked about that machine, whose boards may come back: the others do not end before `let_go`."""
        with self._lock:
            self._held_open.add(machine)

    def let_go(self, machine: str) -> None:
        """It is decided what becomes of that machine's boards."""
        with self._lock:
            self._held_open.discard(machine)

    def begun_by(self, machine: str) -> tuple[Item, ...]:
        """Boards of which cards may lie at that machine, which deals no more."""
        queue = self._jobs.queue()
        return tuple(self._item(queue, copy) for copy in self._open_at(queue, machine))

    def note_emptying(self, machine: str, *, asked: bool) -> None:
        """A person is about to be asked to empty those boards; or, not `asked`, leaves the cards in."""
        self._note_emptying(self._open_at(self._jobs.queue(), machine), asked=asked)

    def _note_emptying(self, copies: Iterable[CopyId], *, asked: bool) -> None:
        with self._journal.together():
            queue = self._jobs.queue()
            for copy in set(copies).intersection(queue.copies(Stand.OPEN)):
                self._journal.note_emptying(queue.copy(copy).run, asked=asked)

    def _open_at(self, queue: Queue, machine: str) -> list[CopyId]:
        copies = queue.copies(Stand.OPEN, jobs=self._ids(queue))
        return [copy for copy in copies if queue.copy(copy).machine == machine]

    def dealt(self) -> list[tuple[Item, int]]:
        """Every board copy of the work that is dealt, and the run that dealt it; also of jobs that are done."""
        found = []
        for job in dict.fromkeys(place.job for place in self._items):
            for one in self._jobs.find(job).copies:
                item = self._items.get(CopyId(job, one.place))
                if one.stand is Stand.DEALT and item is not None:
                    found.append((item, one.run))
        return found

    def empty(self, item: Item) -> None:
        """A person has taken all cards of that board out: any machine may deal it, and its run is given up for good,
        so that nobody goes on with it where it lay."""
        self._empty([item.place])

    def _empty(self, copies: Iterable[CopyId]) -> None:
        with self._journal.together():
            queue = self._jobs.queue()
            for copy in set(copies).intersection(queue.copies(Stand.OPEN)):
                self._follow(partial(claims.empty, copy=copy))
                if run := queue.copy(copy).run:
                    self._journal.note_closed(run)

    def _take(self, machine: str, wanted: TakeNext) -> Taken | NoMore:
        """The next board for that machine, which keeps the one that it has."""
        found: CopyId | None = None

        def step(queue: Queue) -> Queue:
            nonlocal found
            after, found = claims.claim(
                queue, machine, number=wanted.number, from_others=wanted.from_others, jobs=self._only
            )
            return after

        while True:
            queue = self._follow(step)
            if found is None:
                return self._no_more(queue, machine)
            if self._is_admitted(queue, found.job):
                return Taken(self._item(queue, found))
            self._follow(partial(_held_again, copy=found))

    def _follow(self, step: Callable[[Queue], Queue]) -> Queue:
        with self._journal.together():
            return self._jobs.follow(step)

    def _no_more(self, queue: Queue, machine: str) -> NoMore:
        ids = self._ids(queue)
        if queue.busy_besides(machine, ids) or self._held_open - {machine}:
            return NoMore(busy=True)
        admitted = self._admitted_of(queue)
        left, is_open = (queue.copies(stand, jobs=admitted) for stand in (Stand.LEFT, Stand.OPEN))
        if {queue.copy(copy).machine for copy in is_open} & (self._to_tell - {machine}):
            return NoMore(busy=True)
        if (left or is_open) and self._offered_at is None:
            self._offered_at = machine
            self._held_open.add(machine)
            if left:
                return NoMore(left=tuple(name_of(self._item(queue, copy)) for copy in left))
            self._open_elsewhere = is_open
            self._note_emptying(is_open, asked=True)
            places = ((name_of(self._item(queue, copy)), queue.copy(copy).machine) for copy in is_open)
            return NoMore(elsewhere=tuple(places))
        return NoMore(complete=not queue.copies(*TO_COME, jobs=ids))

    def _ids(self, queue: Queue) -> Collection[int]:
        """The jobs that are dealt here."""
        return [job.order.id for job in queue.jobs if job.released] if self._only is None else self._only

    def _item(self, queue: Queue, copy: CopyId) -> Item:
        if copy not in self._items:
            items = self._made(queue.find(copy.job))
            for watching in self._watching:
                watching(items)
            self._items |= {item.place: item for item in items}
        return self._items[copy]

    def _made(self, job: QueuedJob) -> list[Item]:
        number = job.order.id
        return [replace(self._hands(job.order, one), place=CopyId(number, one.place)) for one in job.copies]

    def _admitted_of(self, queue: Queue) -> list[int]:
        """The jobs that are dealt here and may be."""
        return [job for job in self._ids(queue) if self._is_admitted(queue, job)]

    def _is_admitted(self, queue: Queue, job: int) -> bool:
        if self._admits is None or job in self._admitted:
            return True
        if self._admits(self._made(queue.find(job))):
            self._admitted.add(job)
        return job in self._admitted


def work_of(journal: Journal, order: JobOrder, hands: Hands, *machines: str) -> Work:
    """The work that deals this order at once: it joins the end of the queue, released.

    A machine does one job at a time, so what these `machines` had taken before is given up.
    """
    with journal.together():
        for machine in machines:
            journal.jobs.follow(partial(claims.end, fate=journal.jobs.fate, machine=machine))
        return Work(journal, hands, [journal.jobs.add(order, released=True).id])


def carried_on(journal: Journal, job: int, hands: Hands, *machines: str) -> Work:
    """The work that goes on with this job of the queue, which is released; else as `work_of`.

    A board that a machine left open stays so until that machine tells what became of it, or a person says that it is
    empty: another one must not take it first.
    """
    with journal.together():
        for machine in machines:
            journal.jobs.follow(partial(claims.end, fate=journal.jobs.fate, machine=machine))
        journal.jobs.follow(lambda queue: claims.offer_left(queue.release(job), [job]))
    return Work(journal, hands, [job])


def _held_again(queue: Queue, copy: CopyId) -> Queue:
    return claims.give_back(queue, copy).hold(copy.job)


def _left_by(queue: Queue, machine: str) -> Queue:
    copy = queue.with_machine(machine)
    return queue if copy is None else claims.skip(queue, copy)
