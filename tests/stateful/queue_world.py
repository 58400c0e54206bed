"""A queue, two machines with a person at each, and one program after another over one store, all in one thread.

May import: driver, firmware_sim, protocol, the other modules of this folder, tests.support. Read next:
`queue_side.py`, `queue_watch.py` (the invariants), `queue_rules.py`. Each machine has a clock of its own; which one
comes next is for the rules to say, event by event. `window` is the person's other window, in which the queue is shown
and changed.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final
from unittest import mock

from driver.clock import utc_now
from driver.controls import Controls
from driver.errors import ConnectionFailed, TransportError
from driver.findings import Choice
from driver.happenings import Options
from driver.job_events import BoardJudged, BoardStarted, JobEvent, MachineBack, NeedsOperator
from driver.journal import Journal
from driver.machine import item_of
from driver.queue import Queue
from driver.recorder import Recorder
from driver.steps import Step
from driver.store.store import Store
from tests.stateful.patient import NoNews, PatientJob
from tests.stateful.queue_side import Side
from tests.stateful.queue_watch import QueueWatch, WatchedWork
from tests.stateful.stepped_jobs import SteppedJobs
from tests.stateful.world import ProgramEnds
from tests.support import border
from tests.support.border import Passing, observed
from tests.support.memory import MemoryTransport
from tests.support.store import deal_set

NAMES: Final = ("LEFT", "RIGHT")
PATIENCE: Final = 0.4
"""Seconds without news after which a machine is left for the other one."""
TRIES: Final = 40
BOARDS: Final = range(1, 7)


@dataclass(slots=True)
class Death:
    """The program is killed when so many more writes, sends or receives have passed."""

    passing: Passing
    left: int


class QueueWorld:
    """The store, the machines and the program.

    `reached` is told each named situation that came about, `heard` whatever the program tells of a machine.
    """

    def __init__(self, seed: int, reached: Callable[[str], object], heard: Callable[[Side, JobEvent], object]) -> None:
        self.random = random.Random(seed)
        self.reached = reached
        self._heard = heard
        self.sides = tuple(Side(name, seed + at, self.random) for at, name in enumerate(NAMES))
        for side in self.sides:
            side.beside = tuple(other for other in self.sides if other is not side)
        self.folder = Path(tempfile.mkdtemp(prefix="queue-", dir=_quick_folder()))
        self.death: Death | None = None
        self.jobs: SteppedJobs | None = None
        self.work: WatchedWork | None = None
        self._store: Store | None = None
        self._window: Store | None = None
        self._journal: Journal | None = None
        self._inside = False
        deals = deal_set(BOARDS, seed=seed)
        with self.window() as store:
            self.deals = replace(deals, set_id=store.sets.add_imported(deals).stored.id)
        self.watch = QueueWatch(self.deals)

    @property
    def runs(self) -> bool:
        """Whether a program deals."""
        return self._journal is not None

    @property
    def dealing(self) -> list[Side]:
        """The machines at which the program deals."""
        return [side for side in self.sides if side.job is not None]

    @property
    def given_up(self) -> list[Side]:
        """The machines that deal no more, of which a person is asked whether their cards are out."""
        return [side for side in self.sides if side.asks_about and not side.runs]

    @property
    def lost(self) -> list[Side]:
        """The machines that are lost, of which a person is asked whether to wait for them."""
        return [side for side in self.sides if side.asks_about and side.runs]

    @contextmanager
    def window(self) -> Iterator[Store]:
        """The store as another window has it, which stays open as long as no program is killed."""
        if self._window is None:
            self._window = Store(self.folder, now=utc_now)
        yield self._window

    def _close_window(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None

    # The program

    def begin_program(self, sides: Sequence[Side], jobs: Sequence[int]) -> None:
        """A new program at these machines; whoever begins it releases those jobs by that."""
        self.end_program()
        with self.window() as store:
            before = store.jobs.queue()
        try:
            with self._as_program():
                store = self._store = Store(self.folder, now=utc_now)
                journal = self._journal = Journal(store)
                self.watch.reopened(before, store.jobs.queue())
                for side in sides:
                    self._connect(side)
                for job in jobs:
                    store.jobs.follow(partial(Queue.release, job=job))
                work = self.work = WatchedWork(journal, partial(item_of, deals=self.deals))
                for side in sides:
                    controls = side.controls
                    assert controls is not None
                    side.job = PatientJob(controls, journal, work, Options(), side.clock, patience=PATIENCE)
                serials = {side.name: side.serial for side in sides}
                patient = {side.name: side.job for side in sides if side.job is not None}
                self.jobs = SteppedJobs(patient, serials, work)
                for side in sides:
                    side.jobs = self.jobs
        except ProgramEnds:
            self.abandon()

    def _connect(self, side: Side) -> None:
        side.watch.program_began()
        for _ in range(TRIES):
            try:
                side.controls = Controls(side.open_transport, side.clock, Recorder())
                side.controls.connect()
                return
            except (TransportError, ConnectionFailed):
                side.close_controls()
                side.clock.wait(0.5)
        raise AssertionError("The program does not reach its machine.")

    def end_program(self) -> None:
        """The program is gone; nothing of it is left but what lies in the store."""
        for side in self.sides:
            side.end()
            side.jobs = None
        if self._journal is not None:
            self._journal.close()
        if self._store is not None:
            self._store.close()
        self._journal = self._store = self.jobs = self.work = self.death = None

    def abandon(self) -> None:
        """The program was killed: the next one finds what lies on the disk, before anything was closed."""
        left = Path(tempfile.mkdtemp(prefix="queue-", dir=_quick_folder()))
        for path in self.folder.iterdir():
            if path.is_file() and not path.name.endswith("-shm"):
                shutil.copy(path, left)
        self.end_program()
        self._close_window()
        shutil.rmtree(self.folder)
        self.folder = left

    def close(self) -> None:
        """The end of the world."""
        self.end_program()
        self._close_window()
        shutil.rmtree(self.folder)

    # What happens at one machine

    def step(self, side: Side) -> JobEvent | None:
        """Lets the program run until it tells something of that machine; None when it deals no more there."""
        assert self.jobs is not None
        try:
            with self._as_program():
                event, *_ = self.jobs.step(side.name)
        except ProgramEnds:
            self.reached(f"the program dies at a {self.death.passing.value}" if self.death else "")
            self.abandon()
            return None
        if not self.jobs.deals_at(side.name):
            side.end()
            if self.jobs.is_over:
                self.end_program()
            return None
        match event:
            case NeedsOperator():
                side.watch.asked()
                side.shown, side.answered = event, None
                if side.job is not None and side.job.step is Step.ASK_FOUND:
                    with self.window() as store:
                        self.watch.found(side.serial, store)
            case BoardStarted():
                self.watch.started(side.serial, side.need_item)
            case BoardJudged():
                self._judged(side, event)
            case MachineBack():
                side.shown = None  # what was asked before is asked anew, or it is asked no more
        self._heard(side, event)
        return event

    def _judged(self, side: Side, event: BoardJudged) -> None:
        assert self._journal is not None
        (record,) = self._journal.last_on(side.serial, 1)
        told = record.intention
        assert (told.board, told.copy) == (event.board, event.copy)
        deal = self.deals.find(told.deal_board)
        assert deal is not None
        side.watch.check_verdict(event.judgement.verdict, record.run, deal.deal)
        self.watch.judged(side.need_item, event.judgement.verdict)

    def stop_at(self, side: Side) -> None:
        """A person stops one of several machines: it finishes the card under way and deals no more."""
        if self.jobs is not None and side.runs:
            self.jobs.stop_at(side.name)

    def answer_about(self, side: Side, *, emptied: bool) -> None:
        """A person says whether all cards are out of a machine that deals no more."""
        assert self.work is not None
        if emptied:
            side.empty()
        is_open = bool(self.work.begun_by(side.serial))
        self._decide_about(side, Choice.CONTINUE_EMPTIED if emptied and is_open else Choice.CONTINUE)
        if emptied and is_open and self.dealing:
            self.reached("a machine's open board is emptied and given to another one")

    def answer_lost(self, side: Side, *, wait: bool) -> None:
        """A person waits for a machine that is lost, or goes on without it."""
        self._decide_about(side, Choice.WAIT if wait else Choice.CONTINUE)

    def _decide_about(self, side: Side, choice: Choice) -> None:
        assert self.jobs is not None
        try:
            with self._as_program():
                self.jobs.decide(choice, machine=side.name)
                self.jobs.follow()
        except ProgramEnds:
            self.abandon()
            return
        if self.jobs.is_over:
            self.end_program()

    @contextmanager
    def observed(self) -> Iterator[None]:
        """While it lasts, a planned death comes."""
        with observed(MemoryTransport, self._passes):
            yield

    def _passes(self, step: border.Step) -> None:
        death = self.death
        if not self._inside or death is None or step.passing is not death.passing:
            return
        death.left -= 1
        if death.left == 0:
            raise ProgramEnds

    @contextmanager
    def _as_program(self) -> Iterator[None]:
        """While the program runs: what it draws at random comes from the seed."""
        self._inside = True
        try:
            with (
                mock.patch("secrets.randbits", self.random.getrandbits),
                mock.patch("secrets.token_bytes", self.random.randbytes),
            ):
                yield
        finally:
            self._inside = False

    # Somebody who wants it done

    def finish(self) -> None:
        """A careful person brings every board of every job to its end, at both machines."""
        self.death = None
        for side in self.sides:
            side.core.mechanism.clear_faults()
        for _ in range(TRIES):
            with self.window() as store:
                queue = store.jobs.queue()
            if not queue.jobs:
                return
            if not self.runs:
                self.begin_program(self.sides, [job.order.id for job in queue.jobs])
            for job in queue.jobs:
                with self.window() as store:
                    store.jobs.follow(partial(Queue.release, job=job.order.id))
            self.run_to_end()
        raise AssertionError(f"The queue does not come to its end: {queue}")

    def run_to_end(self, turns: int = 500) -> None:
        """Both machines in turn, every prompt obeyed, until the program ends."""
        while self.runs:
            turns -= 1
            assert turns, (
                f"The program does not end: {[(side.job and side.job.step, side.asked) for side in self.sides]}"
            )
            for side in self.dealing:
                self.run_until_asked(side)
                if side.asked is not None:
                    side.obey(side.wanted())
            for side in list(self.given_up):
                self.answer_about(side, emptied=True)

    def run_until_asked(self, side: Side) -> None:
        """Until that machine needs a person, has no news, or deals no more."""
        while side.job is not None:
            event = self.step(side)
            if isinstance(event, NeedsOperator | NoNews):
                return


def _quick_folder() -> str | None:
    """Where a file is made durable at no cost, where there is such a place."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
