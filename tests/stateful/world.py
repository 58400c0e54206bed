"""Both ends of a job in one thread on one manual clock: the real driver, the real core, the line, a person's hands.

May import: driver, firmware_sim, protocol, tests.support. Read next: `watch.py` (the invariants), `situations/`.
`World.run` lets the program run until it needs a person, ends, or tells nothing for a while. What is to happen
meanwhile is planned before: `at_card` for hands, cable, power and program, tricks of the line for single frames.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

from driver.clock import utc_now
from driver.controls import Controls
from driver.deals.model import standard_dealer, standard_vulnerability
from driver.errors import ConnectionFailed, JobError, MachineFault, StopNotConfirmed, TransportClosed, TransportError
from driver.findings import Choice
from driver.happenings import Item, Options
from driver.job_events import BoardJudged, JobEnded, JobEvent, NeedsOperator
from driver.journal import Journal
from driver.recorder import Recorder
from driver.store.store import Store
from driver.transport.base import Transport
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.faults import FaultKind, PowerCut
from firmware_sim.faults import MachineFault as Mishap
from firmware_sim.line import Shares
from firmware_sim.memory import MemoryFate
from protocol.codes import Key, State
from tests.stateful.patient import NoNews, PatientJob
from tests.stateful.person_hands import PersonHands
from tests.stateful.trick_line import NO_FAULTS, TrickLine
from tests.stateful.watch import Watch, WatchedMachine
from tests.support.evidence import random_deal
from tests.support.jobs import work_of_items
from tests.support.memory import ManualClock, MemoryTransport

TRIES: Final = 40
"""How often a program tries to reach the machine, and how many questions a board may need."""


class ProgramEnds(BaseException):
    """The host's program is killed at this moment."""


@dataclass(slots=True)
class Plan:
    """Something that is going to be done: `delay` seconds after `when` was true for the first time."""

    when: Callable[[], bool]
    delay: float
    act: Callable[[], object]
    due: float | None = None


class World:
    """One machine, one person, and one program after another over the same journal."""

    def __init__(
        self,
        seed: int,
        shares: Shares = NO_FAULTS,
        *,
        boards: int = 3,
        auto: bool = False,
        machine: type[WatchedMachine] = WatchedMachine,
    ) -> None:
        self.random = random.Random(seed)
        self.auto = auto
        self.watch = Watch(auto)
        self.core = machine(self.watch, seed)
        self.watch.machine = self.core
        self.hands = PersonHands(self.core.mechanism, self.watch, self.random)
        self.line = TrickLine(seed, shares)
        self.endpoint = MemoryEndpoint(self.core, line=self.line, person=self)
        self.clock = ManualClock(self.endpoint)
        self.folder = Path(tempfile.mkdtemp(prefix="both-ends-", dir=_quick_folder()))
        self.left = [
            Item(
                board, "", random_deal(seed * 10 + board), standard_dealer(board), standard_vulnerability(board), board
            )
            for board in range(1, boards + 1)
        ]
        self.set_out = tuple(self.left)
        """The boards that are to be dealt, each with its deal."""
        self.asked: NeedsOperator | None = None
        self.told: list[JobEvent] = []
        """What the program told since the last call of `run`."""
        self.error: Exception | None = None
        self.errors: list[Exception] = []
        """Each with which a program of this world ended."""
        self.cable_back_at = 0.0
        self._inside = False
        self._plans: list[Plan] = []
        self._job: PatientJob | None = None
        self._events: Iterator[JobEvent] = iter(())
        self._controls: Controls | None = None
        self._store: Store | None = None
        self._journal: Journal | None = None
        self.begin_program()

    # The program

    @property
    def job(self) -> PatientJob:
        """The job of the present program."""
        assert self._job is not None
        return self._job

    @property
    def controls(self) -> Controls:
        """The machine as the present program has it."""
        assert self._controls is not None
        return self._controls

    @property
    def journal(self) -> Journal:
        """The journal as the present program has it."""
        assert self._journal is not None
        return self._journal

    @property
    def is_over(self) -> bool:
        """True when the program has ended."""
        return self._job is None

    @property
    def between_boards(self) -> bool:
        """True while the program asks for the next board."""
        return self.asked is not None and (not self.asked.choices or Choice.GO in self.asked.choices)

    def begin_program(self) -> None:
        """A new program over the same journal, for the boards that have no verdict yet."""
        self.end_program()
        self.watch.program_began()
        try:
            with self._as_program():
                self._connect()
                work = work_of_items(self.journal, self.left)
                job = self._job = PatientJob(self.controls, self.journal, work, Options(auto=self.auto), self.clock)
        except ProgramEnds:
            self._abandon()
            return
        self.watch.job_began()
        self._events = job.events()
        self.error, self.told = None, []

    def _connect(self) -> None:
        """The journal and a connection, as often as it takes."""
        for _ in range(TRIES):
            try:
                self._store = Store(self.folder, now=utc_now)
                self._journal = Journal(self._store)
                self._controls = Controls(self._open_transport, self.clock, Recorder())
                self._controls.connect()
                return
            except (TransportError, ConnectionFailed):
                self.end_program()
                self.clock.wait(0.5)
        raise AssertionError("The program does not reach its machine.")

    def end_program(self) -> None:
        """The program is gone; nothing of it is left but the journal."""
        self._events = iter(())
        self._job = self.asked = None
        if self._controls is not None:
            self._controls.close()
            self._controls = None
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._store is not None:
            self._store.close()
            self._store = None

    def _abandon(self) -> None:
        """The program was killed: the next one finds what lies on the disk, before anything was closed."""
        left = Path(tempfile.mkdtemp(prefix="both-ends-", dir=_quick_folder()))
        for path in self.folder.iterdir():
            if path.is_file() and not path.name.endswith("-shm"):
                shutil.copy(path, left)
        self.end_program()
        shutil.rmtree(self.folder)
        self.folder = left

    def close(self) -> None:
        """The end of the world."""
        self.end_program()
        shutil.rmtree(self.folder)

    def run(self) -> JobEvent | None:
        """Until the program needs a person, ends (None) or has no news; the invariants are checked at each event."""
        self.told = []
        asked, self.asked = self.asked, None
        while True:
            try:
                with self._as_program():
                    event = next(self._events, None)
            except ProgramEnds:
                event = None
                self._abandon()
            except (MachineFault, StopNotConfirmed, JobError) as error:
                self.error, event = error, None
                self.errors.append(error)
            if event is None:
                self.end_program()
            else:
                self.told.append(event)
                self._hear(event)
            self.watch.check_cards()
            if isinstance(event, NoNews):
                self.asked = asked
            if event is None or isinstance(event, NoNews):
                return event
            if isinstance(event, NeedsOperator):
                self.watch.asked()
                self.asked = event
                return event

    def _hear(self, event: JobEvent) -> None:
        if isinstance(event, JobEnded):
            return
        if isinstance(event, BoardJudged):
            record = self.journal.last_of_board(event.board)
            item = next(item for item in self.left if item.board == event.board)
            assert record is not None
            self.watch.check_verdict(event.judgement.verdict, record.run, item.deal)
            if event.judgement.verdict.name == "GOOD":
                self.left = [item for item in self.left if item.board != event.board]

    def heard(self, kind: type[JobEvent]) -> bool:
        """Whether the program told an event of that kind since the last call of `run`."""
        return any(isinstance(event, kind) for event in self.told)

    def _open_transport(self) -> Transport:
        if self.endpoint.is_cut:
            if self.clock.monotonic() < self.cable_back_at:
                raise TransportClosed("the cable is out", url=self.endpoint.url)
            self.endpoint.reconnect()
        return MemoryTransport(self.endpoint)

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

    # What is planned

    def next_act(self, now: float) -> float | None:
        """When the next plan is due, for the endpoint."""
        return min((plan.due for plan in self._plans if plan.due is not None), default=None)

    def step(self, now: float) -> None:
        """Carries out the plans that are due."""
        for plan in list(self._plans):
            if plan.due is None and plan.when():
                plan.due = now + plan.delay
            if plan.due is not None and plan.due <= now:
                self._plans.remove(plan)
                plan.act()

    def at_card(self, index: int, act: Callable[[], object], after: float = 0.06, *, again: bool = False) -> None:
        """Does it so many seconds after the card of that index begins to move; 0.06: in the path, 0.095: past the gate.

        Of the next motion; with `again` of the present one.
        """
        runs = len(self.core.truth.motions) - again

        def begun() -> bool:
            control = self.core.control
            moving = self.core.powered and control.state is State.MOVING and control.run is not None
            return (
                moving
                and len(self.core.truth.motions) > runs
                and control.run is not None
                and control.run.index == index
            )

        first = 0.03 if index == 0 else 0.0
        self._plans.append(Plan(begun, after + first, act))

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        """Does it so many seconds from now."""
        self._plans.append(Plan(lambda: True, 0.0, act, self.clock.monotonic() + seconds))

    def forget_plans(self) -> None:
        """Nothing is planned any more."""
        self._plans.clear()
        self.line.tricks.clear()

    # Cable, power, program, mishaps

    def cut_cable(self, seconds: float) -> None:
        """The cable comes out; it is back so many seconds later."""
        self.endpoint.cut()
        self.cable_back_at = self.clock.monotonic() + seconds

    def cut_power(self, fate: MemoryFate = MemoryFate.KEPT, off: float = 2.0) -> None:
        """The power goes at this moment and is back so many seconds later."""
        self.watch.lost_mark |= fate is MemoryFate.LAST_MARK_LOST
        self.core.plan_cut(PowerCut(0, fate, 0, off), self.core.now)
        self.core.advance_to(self.core.now)

    def kill_program(self) -> None:
        """The program is killed at this moment."""
        if self._inside:
            raise ProgramEnds
        self._abandon()

    def mishap(self, kind: FaultKind, index: int) -> None:
        """The card of that index of the next run that gets there meets with it."""
        self.core.mechanism.add_fault(Mishap(kind, index))

    # The person

    def decide(self, choice: Choice) -> None:
        """The person decides."""
        self.watch.decided()
        self.job.decide(choice)

    def press_start(self) -> None:
        """The person presses START at the machine."""
        self.watch.decided()
        self.core.mechanism.press(Key.START)

    def obey(self, choice: Choice | None = None) -> None:
        """Does with the hands what is asked, and chooses (by default what ends the board soonest)."""
        asked = self.asked
        assert asked is not None
        if not asked.choices:
            self.hands.put_board_in(asked.board)
            return
        if choice is None:
            choice = next(one for one in self.wanted() if one in asked.choices)
        if choice is Choice.GO:
            self.hands.put_board_in(asked.board)
        elif choice is Choice.GO_ON:
            self.hands.put_right()
        elif choice in (Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE):
            self.hands.gather(asked.board)
        self.decide(choice)

    def wanted(self) -> tuple[Choice, ...]:
        """What ends the board soonest, the best first; where the board is, the person sees."""
        where = Choice.BOARD_IS_OUT if self.core.mechanism.slot.board is None else Choice.BOARD_STILL_IN
        again = (Choice.DEAL_AGAIN, Choice.DEAL_THEM)
        return (Choice.GO, Choice.GO_ON, where, *again, Choice.CLEAR_AND_CLOSE, Choice.ASK_AGAIN)

    def start_board(self) -> None:
        """Between boards: puts the next board in, and starts it where it does not start by itself."""
        assert self.between_boards
        self.obey(None if self.asked is not None and not self.asked.choices else Choice.GO)

    def to_next_board(self) -> bool:
        """Obeys until the program asks for a board again; False when all boards are dealt."""
        self.forget_plans()
        for turn in range(TRIES):
            if self.is_over:
                if not self.left:
                    return False
                self.begin_program()
            elif self.asked is not None:
                if self.between_boards:
                    return True
                again = turn > 3 and Choice.DEAL_AGAIN in self.asked.choices
                self.obey(Choice.DEAL_AGAIN if again else None)
            self.run()
        raise AssertionError(f"The program does not come to its next board: {self.asked}")


def _quick_folder() -> str | None:
    """Where a file is made durable at no cost, where there is such a place."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
