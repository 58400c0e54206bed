"""An evening on which line, machine and person are at their worst: everything drawn from one seed.

May import: driver, firmware_sim, protocol, tests.support. Read next: `test_million_feeds.py`.
The person obeys most prompts, answers some at random, and begins another program when one ends before all is dealt.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

from driver.deals.model import DealSet
from driver.errors import ConnectionFailed, TransportError
from driver.findings import Choice
from driver.job import Job
from driver.job_events import JobEnded, NeedsOperator
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.faults import LASTING, FaultKind, FaultPlan, MachineFault, PowerCut
from firmware_sim.line import Cut, Freeze, Line, LineFault, LinePlan, Shares
from firmware_sim.memory import MemoryFate
from firmware_sim.person import Person
from firmware_sim.person_script import WITH_CARD, OddPack, PackKind, Packs, PersonScript, Slip, SlipKind
from firmware_sim.profile import FULL, P_ONLY, R_ONLY, Profile
from protocol.cards import PACK_SIZE
from protocol.codec import decode
from protocol.codes import FaultCode, Key, PauseReason, ResetCause, State
from protocol.errors import DealingMachineError
from protocol.framing import Frame
from protocol.messages import Answer, Event, FaultEvent, Go, Going, RunEvent
from tests.support.memory import ManualClock
from tests.support.peers import Peer, Setup
from tests.support.store import deal_set

BOARDS: Final = 24
PROGRAMS: Final = 12
"""How many programs one after the other an evening may need; then the person goes home."""
PROMPTS: Final = 80
"""How many questions of one program a person answers."""
REACTION: Final = 1.5
"""Seconds that a person takes to answer."""
FIDGET_WITHIN: Final = 60.0
"""Seconds within which the person does something that nobody asked for."""
TOO_LONG: Final = 40.0
"""Seconds without a question after which the person stops the program."""
_SECONDS: Final = 250.0
"""About how long an evening is: cuts and freezes fall into it."""
_FATES: Final = (MemoryFate.KEPT, MemoryFate.TORN, MemoryFate.BLANK)
"""The last mark alone lost is the one case in which an index may be dropped twice (PROTOCOL.md, section 10)."""


class GoCountingMachine(SimMachine):
    """The machine, with the GOs that it accepted, as (boot id, token), and what stopped it, by name."""

    def __init__(self, *arguments: object, **named: object) -> None:
        self.gos: list[tuple[int, int]] = []
        self.stopped_by: Counter[str] = Counter()
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def _answer_for(self, frame: Frame) -> Answer:
        answer = super()._answer_for(frame)
        if isinstance(answer, Going):
            go = decode(frame)
            assert isinstance(go, Go)
            self.gos.append((self.boot_id, go.token))
        return answer

    def emit(self, event: Event) -> int:
        if isinstance(event, RunEvent) and event.state is State.PAUSED and isinstance(event.reason, PauseReason):
            self.stopped_by[event.reason.name] += 1
        elif isinstance(event, FaultEvent) and isinstance(event.fault, FaultCode):
            self.stopped_by[event.fault.name] += 1
        return super().emit(event)

    def power_on(self, cause: ResetCause = ResetCause.POWER_ON) -> None:
        self.stopped_by["power cut"] += bool(self.gos)
        super().power_on(cause)


@dataclass(frozen=True, slots=True)
class Rough:
    """All that is wrong on one evening."""

    seed: int
    profile: Profile
    line: LinePlan
    faults: FaultPlan
    script: PersonScript
    auto: bool

    @classmethod
    def of(cls, seed: int) -> Rough:
        """What that seed draws."""
        dice = random.Random(seed)
        profile = dice.choice((FULL, FULL, R_ONLY, P_ONLY))
        return cls(seed, profile, _line(dice), _faults(dice), _script(dice), dice.random() < 0.3)

    def __str__(self) -> str:
        how = f"{self.profile.model}{', automatic' if self.auto else ''}"
        return f"seed {self.seed}: {how}; {self.line.describe()}; {self.faults.describe()}; {self.script.describe()}"


def _line(dice: random.Random) -> LinePlan:
    """A line that may be good, bad or very bad, with the cable out now and then, and silences."""
    worst = dice.choice((0.0, 0.02, 0.15))
    shares = [Shares(**{fault.value: dice.uniform(0.0, worst) for fault in LineFault}) for _ in range(2)]
    cuts = [Cut(dice.uniform(0.1, _SECONDS), dice.choice((0.0, 0.2, 1.0, 3.5, 8.0))) for _ in range(dice.randrange(6))]
    starts = [dice.uniform(0.0, _SECONDS) for _ in range(dice.randrange(6))]
    freezes = tuple(Freeze(start, start + dice.choice((0.4, 1.5, 3.1, 6.0))) for start in starts)
    return LinePlan(dice.getrandbits(32), shares[0], shares[1], freezes=freezes, cuts=tuple(cuts))


def _faults(dice: random.Random) -> FaultPlan:
    """Some faults of single cards, one that stays on some evenings, and now and then no power."""
    once = [kind for kind in FaultKind if kind not in LASTING and kind is not FaultKind.MEMORY]
    drawn = []
    for _ in range(dice.randrange(BOARDS)):
        (fault,) = _of_kind(dice.choice(once), dice)
        drawn.append(fault)
    if dice.random() < 0.3:
        drawn += _of_kind(dice.choice([*LASTING, FaultKind.MEMORY]), dice)
    cuts = tuple(
        PowerCut(dice.uniform(0, 5_500), dice.choice(_FATES), dice.randint(1, BOARDS), dice.choice((0.5, 2.0, 5.0)))
        for _ in range(dice.randrange(3))
    )
    return FaultPlan(tuple(drawn), cuts, dice.getrandbits(16))


def _of_kind(kind: FaultKind, dice: random.Random) -> tuple[MachineFault]:
    one, other = dice.sample(range(PACK_SIZE), 2)
    pocket, second = dice.sample(range(4), 2)
    match kind:
        case FaultKind.MISREAD:
            value, beside = one, 0
        case FaultKind.WORN | FaultKind.SWAPPED:
            value, beside = one, other
        case FaultKind.WRONG_POCKET | FaultKind.POCKET_DEAD | FaultKind.POCKET_STUCK:
            value, beside = pocket, 0
        case FaultKind.POCKETS_CROSSED:
            value, beside = pocket, second
        case FaultKind.COVER:
            value, beside = dice.randrange(100), 0
        case FaultKind.SLOW:
            value, beside = dice.randrange(110, 500), 0
        case _:
            value, beside = 0, 0
    lasting = kind in LASTING
    index, run = (0, 0) if lasting else (dice.randrange(PACK_SIZE), dice.randint(1, BOARDS))
    return (MachineFault(kind, index, run, value, beside),)


def _script(dice: random.Random) -> PersonScript:
    """A person with some slips and odd packs."""
    slips = {}
    for _ in range(dice.randrange(BOARDS // 3)):
        kind, turn = dice.choice(list(SlipKind)), dice.randint(2, BOARDS)
        slips[turn] = Slip(kind, turn, dice.randrange(PACK_SIZE) if kind in WITH_CARD else 0)
    odd = [OddPack(dice.choice(list(PackKind)), dice.randint(1, BOARDS)) for _ in range(2)]
    if dice.random() < 0.1:
        nth = dice.randint(1, 4)
        odd += [OddPack(kind, nth) for kind in (PackKind.SHORT, PackKind.STOP_CARD)]
    return PersonScript(
        boards=tuple(range(1, BOARDS + 1)),
        packs=dice.choice(list(Packs)),
        slips=tuple(slips.values()),
        odd_packs=tuple(odd),
        seed=dice.getrandbits(16),
        starts=dice.random() < 0.3,
    )


class RoughEvening:
    """One machine, one person and one program after another, on the line of `Rough`. `run` deals the evening."""

    def __init__(self, rough: Rough) -> None:
        self.rough = rough
        self.programs = 0
        self.answered = 0
        setup = Setup(
            profile=rough.profile,
            faults=rough.faults,
            script=rough.script,
            seed=rough.faults.seed,
            machine=GoCountingMachine,
        )
        core, operator = setup.build()
        assert isinstance(core, GoCountingMachine)
        assert operator is not None
        self.core: GoCountingMachine = core
        self._operator: Person = operator
        self.endpoint = MemoryEndpoint(core, line=Line.of(rough.line), person=self)
        self._clock = ManualClock(self.endpoint)
        self._deals: DealSet = deal_set(rough.script.boards, seed=rough.seed)
        self._dice = random.Random(~rough.seed)
        self._job: Job | None = None
        self._asked: NeedsOperator | None = None
        self._due = 0.0
        self._patience = 0.0
        self._fidgets = self._dice.uniform(0.0, FIDGET_WITHIN)

    def run(self, folder: Path) -> None:
        """One program after another, until all is dealt or the person goes home. What a program draws is the seed's."""
        with ExitStack() as stack:
            stack.enter_context(mock.patch("secrets.randbits", self._dice.getrandbits))
            stack.enter_context(mock.patch("secrets.token_bytes", self._dice.randbytes))
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder)))
            peer = Peer(self.core, self._operator, self.endpoint, data)
            while self.programs < PROGRAMS and not self._one_program(peer):
                self.programs += 1

    def _one_program(self, peer: Peer) -> bool:
        """A program from its start to its end; True when all is dealt."""
        answered = self.answered
        try:
            with peer.open() as machine:
                job = self._job = machine.start(self._deals, auto=self.rough.auto)
                self._patience = self.endpoint.now + TOO_LONG
                for event in job.events():
                    if isinstance(event, NeedsOperator):
                        self._asked, self._due = event, self.endpoint.now + REACTION
                        self._patience = self._due + TOO_LONG
                    if self.answered - answered > PROMPTS:
                        job.stop_now()
                    if isinstance(event, JobEnded):
                        return event.complete
        except (TransportError, ConnectionFailed):
            self._clock.wait(1.0)
        except DealingMachineError:
            pass  # a fault for a technician, or a STOP that nobody confirmed: the person begins another program
        finally:
            self._job = self._asked = None
        return False

    # The person beside the machine, as the endpoint steps it

    def next_act(self, now: float) -> float | None:
        """When the operator's hands, or an answer, are due."""
        answer = self._due if self._asked is not None else self._patience if self._job is not None else None
        fidgets = self._fidgets if self._job is not None else None
        times = [time for time in (self._operator.next_act(now), answer, fidgets) if time is not None]
        return min(times, default=None)

    def step(self, now: float) -> None:
        """The hands first; then what nobody asked for, and what is to be decided."""
        self._operator.step(now)
        if self._job is None:
            return
        if now >= self._fidgets:
            self._fidgets = now + self._dice.uniform(0.0, FIDGET_WITHIN)
            self._fidget(self._job)
        if self._asked is not None and now >= self._due:
            asked, self._asked = self._asked, None
            if asked.choices:
                self._answer(self._job, asked)
        elif self._asked is None and now >= self._patience:
            self._patience = now + TOO_LONG
            self._job.stop()

    def _fidget(self, job: Job) -> None:
        """Something that nobody asked for, at the machine or at the keyboard."""
        mechanism = self.core.mechanism
        self._dice.choice(
            (
                job.pause_after_board,
                job.go_on,
                job.deal_again,
                job.stop,
                job.stop_now,
                mechanism.open_cover,
                lambda: mechanism.press(self._dice.choice(list(Key))),
            )
        )()

    def _answer(self, job: Job, asked: NeedsOperator) -> None:
        self.answered += 1
        wanted = (Choice.GO_ON, Choice.GO, Choice.BOARD_IS_OUT, Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE)
        choice = next((one for one in wanted if one in asked.choices), asked.choices[-1])
        if self._dice.random() < 0.15:
            choice = self._dice.choice(asked.choices)
        if choice is Choice.DEAL_AGAIN and self.core.control.state is State.DONE:
            self._operator.ask_for(asked.board)
        job.decide(choice)
