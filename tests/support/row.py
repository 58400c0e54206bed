"""Several simulated machines in a row that share a job, each with a helper beside it, all on one simulated time.

May import: driver, firmware_sim. Read next: `tests/faults/test_several_machines.py`.
Each machine runs in the thread that the program gives it. Its clock may run on only while no other one is behind, so
that "at the same time" means the same for all of them, and nothing waits for real time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

from driver.deals.model import DealSet
from driver.errors import MachineNotFound
from driver.findings import Choice
from driver.job import Job
from driver.job_events import JobEvent, NeedsOperator
from driver.machines import Machines, open_machines
from driver.queue import Order
from driver.several import SeveralJobs
from driver.steps import Step
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.faults import FaultPlan
from firmware_sim.hands import Hands
from firmware_sim.packs import shuffled_pack
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL, Profile
from firmware_sim.slot import SimBoard
from tests.support.memory import ManualClock, MemoryTransport
from tests.support.sitting import sorted_hands

_ASKS: Final = (Step.ASK_START, Step.WAITING, Step.ASK_PAUSED, Step.ASK_VERDICT, Step.ASK_FOUND, Step.ASK_LEFT)
_TRY_AGAIN: Final = 0.01
"""Real seconds after which a thread looks again whether another one has ended."""


class OneTime:
    """Lets each machine's clock run on only while no other one is behind; `is_over` says whose clock has stopped."""

    def __init__(self, is_over: Callable[[str], bool]) -> None:
        self._is_over = is_over
        self._turn = threading.Condition()
        self._now: dict[str, float] = {}

    def begin(self, names: Sequence[str]) -> None:
        """These machines take part, from now on."""
        self._now = dict.fromkeys(names, 0.0)

    def wait(self, name: str, now: float) -> None:
        """Called before that machine's clock runs on."""
        with self._turn:
            if name not in self._now:
                return
            self._now[name] = now
            self._turn.notify_all()
            while any(other < now and not self._is_over(behind) for behind, other in self._now.items()):
                self._turn.wait(_TRY_AGAIN)


class RowClock(ManualClock):
    """The clock of one machine of the row."""

    def __init__(self, endpoint: MemoryEndpoint, before_wait: Callable[[float], None]) -> None:
        super().__init__(endpoint)
        self._before_wait = before_wait

    def wait(self, seconds: float) -> None:
        self._before_wait(seconds)
        super().wait(seconds)


@dataclass(frozen=True, slots=True)
class Place:
    """A machine of the row: how fast it is, what goes wrong, how long its helper takes for a board and for a fault."""

    speed: float = 1.0
    faults: FaultPlan | None = None
    profile: Profile = FULL
    change: float = 2.0
    cure: float = 20.0


class Helper:
    """The person beside one machine: puts in what is asked for, puts right what is wrong, and decides.

    `dealt` are the boards that were in the machine by number and copy; `choose` decides otherwise than usual.
    """

    def __init__(self, name: str, core: SimMachine, place: Place) -> None:
        self.name = name
        self.core = core
        self.place = place
        self.hands = Hands(core.mechanism, PersonScript(boards=(1,)))
        self.boards: dict[tuple[int, str], SimBoard] = {}
        self.asked: list[NeedsOperator] = []
        self.choose: Callable[[NeedsOperator], Choice | None] | None = None
        self.meanwhile: Callable[[float], None] | None = None
        self.job: Job | None = None
        self._answered: NeedsOperator | None = None
        self._packs = 0
        self._due = 0.0
        self._seen: NeedsOperator | None = None

    def next_act(self, now: float) -> float | None:
        """As the endpoint asks its person."""
        asked = self._open()
        if asked is None:
            return None
        return self._due if asked is self._seen else now

    def step(self, now: float) -> None:
        """As the endpoint steps its person."""
        if self.meanwhile is not None:
            self.meanwhile(now)
        asked = self._open()
        if asked is None:
            self._seen = None
            return
        if asked is not self._seen:
            self._seen = asked
            fault = self.job is not None and self.job.step is Step.ASK_PAUSED
            self._due = now + (self.place.cure if fault else self.place.change)
        if now >= self._due:
            self._answered, self._seen = asked, None
            self._answer(asked)

    def _open(self) -> NeedsOperator | None:
        if self.job is None or self.job.step not in _ASKS or self.job.asked is self._answered:
            return None
        return self.job.asked

    def _answer(self, asked: NeedsOperator) -> None:
        assert self.job is not None
        self.asked.append(asked)
        chosen = None if self.choose is None else self.choose(asked)
        wanted = (chosen, Choice.GO_ON, Choice.GO, Choice.DEAL_AGAIN, Choice.DEAL_THEM, Choice.STOP)
        choice = next((one for one in wanted if one in asked.choices), None)
        if choice in (None, Choice.GO):
            self._put_in(asked)
        elif choice is Choice.GO_ON:
            self.hands.put_path_back()
            self.hands.close_cover()
        elif choice is Choice.DEAL_AGAIN:
            self.hands.take_path()
            self.core.mechanism.take_hopper()
            self.core.mechanism.slot.empty_pockets()
            self._load()
        if choice is not None:
            self.job.decide(choice)

    def _put_in(self, asked: NeedsOperator) -> None:
        board = self.boards.setdefault((asked.board, asked.copy), SimBoard(asked.board))
        if not self.core.mechanism.hopper:
            self._load()
        if self.core.mechanism.slot.board is not board:
            self.hands.put_board_in(board)

    def _load(self) -> None:
        self._packs += 1
        seed = sum(self.name.encode()) * 1000 + self._packs
        self.core.mechanism.load_pack(shuffled_pack(seed, pack=self._packs))


@dataclass(slots=True)
class Row:
    """Machines with helpers, and one program. `run` deals the job to its end. Use it in `with`."""

    data: Path
    deals: DealSet
    places: Mapping[str, Place]
    helpers: dict[str, Helper] = field(default_factory=dict)
    endpoints: dict[str, MemoryEndpoint] = field(default_factory=dict)
    events: list[JobEvent] = field(default_factory=list)
    answer: Callable[[NeedsOperator], Choice | None] | None = None
    """Answers what the program asks about a machine, not what a machine asks."""
    left: int = 0
    """Boards that were still to be dealt at the end."""

    _time: OneTime = field(init=False)

    def __post_init__(self) -> None:
        self._time = OneTime(self._is_over)
        for name, place in self.places.items():
            core = SimMachine(
                replace(place.profile, serial=f"SIM-{name}"), faults=place.faults, speed=place.speed, seed=len(name)
            )
            helper = self.helpers[name] = Helper(name, core, place)
            endpoint = self.endpoints[name] = MemoryEndpoint(core, person=helper)
            endpoint.before_wait = self._waiting(name, endpoint)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for endpoint in self.endpoints.values():
            endpoint.close()

    def open(self) -> Machines:
        """The program, with its machines."""
        return open_machines(
            {name: self._way(endpoint) for name, endpoint in self.endpoints.items()},
            data=self.data,
            clocks=self.clocks(),
        )

    def clocks(self) -> dict[str, RowClock]:
        """The clock of each machine, as the program has it."""
        return {name: RowClock(endpoint, self._waiting(name, endpoint)) for name, endpoint in self.endpoints.items()}

    def cut_during(self, name: str, turn: int) -> None:
        """The cable of that machine comes out for good in the middle of its board of that turn; 0: before the first."""
        helper, endpoint = self.helpers[name], self.endpoints[name]

        def is_time(now: float) -> bool:
            motions = helper.core.truth.motions
            if not turn:
                return bool(helper.job and helper.job.step is Step.ASK_START)
            return len(motions) == turn and now > motions[-1].time + 2.0

        def cut(now: float) -> None:
            if not endpoint.is_cut and is_time(now):
                endpoint.cut()

        helper.meanwhile = cut

    def run(
        self, *, copies: Sequence[str] = ("A",), order: Order = Order.BOX_BY_BOX, auto: bool = False
    ) -> SeveralJobs:
        """Deals all boards of the set, so many copies."""
        with self.open() as machines:
            jobs = machines.start(self.deals, copies=copies, order=order, auto=auto)
            for name, job in jobs.jobs.items():
                self.helpers[name].job = job
            self._time.begin([*self.places])
            for event in jobs.events():
                self.events.append(event)
                if isinstance(event, NeedsOperator) and self.answer is not None:
                    choice = self.answer(event)
                    if choice is not None:
                        jobs.decide(choice, machine=event.machine)
            self.left = jobs.boards_left
            return jobs

    def right_boards(self) -> list[tuple[int, str]]:
        """Every board that truly holds its deal, on whatever machine."""
        return sorted(
            key
            for helper in self.helpers.values()
            for key, board in helper.boards.items()
            if (found := self.deals.find(key[0])) is not None
            and tuple(tuple(sorted(hand)) for hand in helper.core.truth.pockets_of(board)) == sorted_hands(found.deal)
        )

    def _way(self, endpoint: MemoryEndpoint) -> Callable[[], MemoryTransport]:
        def way() -> MemoryTransport:
            if endpoint.is_cut:
                raise MachineNotFound("The cable is out.")
            return MemoryTransport(endpoint)

        return way

    def _is_over(self, name: str) -> bool:
        """Whether the program's thread of that machine has ended."""
        return all(thread.name != f"machine {name}" for thread in threading.enumerate())

    def _waiting(self, name: str, endpoint: MemoryEndpoint) -> Callable[[float], None]:
        return lambda _: self._time.wait(name, endpoint.now)
