"""What is to be dealt, job after job, and where each board copy stands: a value that is never changed, only followed.

May import: `errors` and the standard library; no store, no clock, no machine. Read next: `claims.py` (what machines do
with it), `store/jobs.py` (which keeps it in the one database).
A board copy is with one machine at most. Nothing here holds a hand: a deal is named by its set and its board there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final

from driver.errors import JobUnderWay, NothingOpen


@unique
class Order(Enum):
    """In which order the board copies of a job come; the value is what stands in the store."""

    BOX_BY_BOX = "box by box"
    """All boards of the first copy, then all of the next: one box is full before the other is begun."""
    BOARD_BY_BOARD = "board by board"
    """All copies of the first board, then all of the next."""


@unique
class Stand(Enum):
    """Where one board copy stands; the value is what stands in the store."""

    WAITING = "waiting"
    CLAIMED = "claimed"
    """A machine asks for its board."""
    STARTING = "starting"
    """The machine is about to start it: an intent may be written, and no card of it has moved."""
    BEGUN = "begun"
    """GO may have been sent for it, and it has no verdict that stands."""
    OPEN = "open"
    """The program that dealt it ended in the middle: the recovery on that machine, or a person, says what becomes."""
    LEFT = "left"
    """A person left it: it is offered at the end."""
    DEALT = "dealt"
    """It has a verdict that stands, or one that its machine cannot better."""


WITH_A_MACHINE: Final = frozenset({Stand.CLAIMED, Stand.STARTING, Stand.BEGUN})
TO_COME: Final = frozenset(Stand) - {Stand.DEALT}


@dataclass(frozen=True, slots=True)
class CopyId:
    """Which board copy: the job's number and the place in it. Neither is ever used again for another one."""

    job: int
    place: int


@dataclass(frozen=True, slots=True)
class BoardCopy:
    """One physical board to be dealt: `board` is its number, `deal_board` that of its deal in the set.

    `machine` is the serial number of the machine that has it, or had it last; `run` the run that was intended for it
    last, 0 for none.
    """

    place: int
    board: int
    copy: str
    deal_board: int
    stand: Stand = Stand.WAITING
    machine: str = ""
    run: int = 0


@dataclass(frozen=True, slots=True)
class JobOrder:
    """What a person ordered: boards of a stored set, so many copies. `id` is 0 until the store has given one.

    `boards` are numbers of the set in the order in which they shall come (`descending` turns it round). `copies` are
    names: A, B, C, colours, or tables; "" for the only one. `as_board` gives the first of `boards` that number, the
    next the following one. `set_id` is "" for deals of no stored set. `left_out` are boards of the set and copies of
    them that are not wanted; in the store they are those that the job does not have.
    """

    id: int
    set_id: str
    boards: tuple[int, ...]
    copies: tuple[str, ...] = ("",)
    order: Order = Order.BOX_BY_BOX
    descending: bool = False
    as_board: int | None = None
    left_out: frozenset[tuple[int, str]] = frozenset()

    def board_copies(self) -> tuple[BoardCopy, ...]:
        """Every board copy in the order of dealing, all waiting."""
        offset = 0 if self.as_board is None or not self.boards else self.as_board - self.boards[0]
        boards = self.boards[::-1] if self.descending else self.boards
        pairs = (
            [(board, copy) for copy in self.copies for board in boards]
            if self.order is Order.BOX_BY_BOX
            else [(board, copy) for board in boards for copy in self.copies]
        )
        return tuple(
            BoardCopy(place, board + offset, copy, board)
            for place, (board, copy) in enumerate(pairs)
            if (board, copy) not in self.left_out
        )


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """An order and how far it has come. Held until a person releases it, and again after every restart."""

    order: JobOrder
    copies: tuple[BoardCopy, ...]
    released: bool = False

    @property
    def runs(self) -> bool:
        """Whether a machine has a board of it now."""
        return any(one.stand in WITH_A_MACHINE for one in self.copies)

    @property
    def interrupted(self) -> tuple[BoardCopy, ...]:
        """Board copies of which cards may lie in a machine, and with which no program goes on now."""
        return tuple(one for one in self.copies if one.stand is Stand.OPEN)

    @property
    def left(self) -> int:
        """Board copies that are not dealt."""
        return sum(one.stand is not Stand.DEALT for one in self.copies)


@dataclass(frozen=True, slots=True)
class Queue:
    """The jobs that are not done, in the order in which they will be dealt: what is shown first is dealt next.

    Each method gives the queue afterwards. `jobs` of a method are ids of jobs; None stands for all.
    Raises NothingOpen for a job that is not there, JobUnderWay where a running one would be moved or removed, and
    ValueError for what no machine can tell of a board copy that stands as it does.
    """

    jobs: tuple[QueuedJob, ...] = ()

    # What a person does

    def find(self, job: int) -> QueuedJob:
        """The job of that id."""
        for one in self.jobs:
            if one.order.id == job:
                return one
        raise NothingOpen(f"There is no job {job} in the queue.", hint="`dealctl queue` lists the jobs that wait.")

    def add(self, order: JobOrder, *, released: bool = False) -> Queue:
        """The order goes to the end, held if not `released`.

        It takes over the same board copies of jobs that do not run, as they stand there: a board is in the queue once.
        """
        if any(one.order.id == order.id for one in self.jobs):
            raise ValueError("the id of a job is never used again")
        there = {
            _which(one.order, copy): copy
            for one in self.jobs
            if order.set_id and not one.runs
            for copy in one.copies
            if copy.stand is not Stand.DEALT
        }
        copies = order.board_copies()
        taken = {_which(order, copy) for copy in copies}
        jobs = [one if one.runs or not order.set_id else replace(one, copies=_without(one, taken)) for one in self.jobs]
        merged = (_as_before(copy, there.get(_which(order, copy))) for copy in copies)
        return Queue((*(one for one in jobs if one.left), QueuedJob(order, tuple(merged), released)))

    def release(self, job: int) -> Queue:
        """Its boards may be dealt."""
        return self._with(replace(self.find(job), released=True))

    def hold(self, job: int) -> Queue:
        """No further board of it is begun; one that a machine has is finished."""
        return self._with(replace(self.find(job), released=False))

    def hold_all(self) -> Queue:
        """As `hold`, for every job: nothing starts by itself."""
        return Queue(tuple(replace(one, released=False) for one in self.jobs))

    def move(self, job: int, *, before: int | None) -> Queue:
        """The job goes before another one, or to the end (None). Nothing is put before a job that runs."""
        moved = self._at_rest(job)
        if before is not None and before != job:
            self._at_rest(before)
        rest = [one for one in self.jobs if one.order.id != job]
        at = next((at for at, one in enumerate(rest) if one.order.id == before), len(rest))
        return self if before == job else Queue((*rest[:at], moved, *rest[at:]))

    def remove(self, job: int) -> Queue:
        """The job is not wanted any more; what it has dealt stays dealt.

        The journal keeps what it knows of a board of it that was interrupted: its machine is asked about it as ever.
        """
        self._at_rest(job)
        return Queue(tuple(one for one in self.jobs if one.order.id != job))

    # What is asked

    @property
    def runs(self) -> bool:
        """Whether a machine has a board now, or had one when its program died."""
        return any(one.runs for one in self.jobs)

    def copy(self, copy: CopyId) -> BoardCopy:
        """How a board copy stands. Raises NothingOpen when its job is gone."""
        for one in self.find(copy.job).copies:
            if one.place == copy.place:
                return one
        raise NothingOpen(f"Job {copy.job} has no such board any more.")

    def copies(self, *stands: Stand, jobs: Collection[int] | None = None) -> tuple[CopyId, ...]:
        """The board copies that stand so, in the order of dealing."""
        return tuple(
            CopyId(job.order.id, one.place)
            for job in self.jobs
            if jobs is None or job.order.id in jobs
            for one in job.copies
            if one.stand in stands
        )

    def with_machine(self, machine: str) -> CopyId | None:
        """The board copy that this machine has now."""
        return next((copy for copy in self.copies(*WITH_A_MACHINE) if self.copy(copy).machine == machine), None)

    def busy_besides(self, machine: str, jobs: Collection[int] | None = None) -> bool:
        """Whether another machine has a board, which may come back."""
        return any(self.copy(copy).machine != machine for copy in self.copies(*WITH_A_MACHINE, jobs=jobs))

    def with_copy(self, copy: CopyId, **changes: object) -> Queue:
        """The queue with one board copy changed. Raises NothingOpen when it is not there."""
        job = self.find(copy.job)
        self.copy(copy)
        copies = tuple(replace(one, **changes) if one.place == copy.place else one for one in job.copies)  # type: ignore[arg-type]
        return self._with(replace(job, copies=copies))

    def _at_rest(self, job: int) -> QueuedJob:
        found = self.find(job)
        if found.runs:
            raise JobUnderWay(f"Job {job} is being dealt, so it stays where it is.")
        return found

    def _with(self, job: QueuedJob) -> Queue:
        return Queue(tuple(job if one.order.id == job.order.id else one for one in self.jobs))


def _which(order: JobOrder, copy: BoardCopy) -> tuple[str, int, int, str]:
    """What makes it the same physical board with the same deal."""
    return order.set_id, copy.deal_board, copy.board, copy.copy


def _without(job: QueuedJob, taken: Iterable[tuple[str, int, int, str]]) -> tuple[BoardCopy, ...]:
    return tuple(one for one in job.copies if one.stand is Stand.DEALT or _which(job.order, one) not in taken)


def _as_before(copy: BoardCopy, there: BoardCopy | None) -> BoardCopy:
    """What an ended program left open stays so; all else that is ordered anew waits."""
    if there is None or there.stand is not Stand.OPEN:
        return copy
    return replace(copy, stand=Stand.OPEN, machine=there.machine, run=there.run)
