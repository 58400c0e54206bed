"""Two things that happen within 50 ms of each other, in either order, and the state in which machine and program end.

May import: driver, firmware_sim, protocol, tests.support. Read next: `test_pairs.py`, the table of end states.
What a person does, at the keyboard or at the machine, is done at its time; the last card and a jam come when they come,
so the other one of the pair is timed by them. Nobody answers a question before the end state was looked at.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, unique
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Final

from driver.deals.loader import load_deals
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import shuffled_pack
from protocol.cards import PACK_SIZE
from protocol.codes import FaultCode, Key, PauseReason, State
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting

DEALS: Final = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
CARD: Final = 20
"""The card during which a pair happens, unless the last card is one of the two."""
MOMENT: Final = 0.06
"""Seconds after that card began to move: it is in the path."""
MOMENTS: Final = (0.01, MOMENT, 0.095)
"""In the hopper, in the path, past the gate."""
SETTLED: Final = 10.0
"""Seconds after the second of a pair at which the state is looked at: longer than any wait of either end."""
STILL: Final = 5.0
"""Seconds for which the state must stay as it is, before anybody answers."""


@unique
class Act(Enum):
    """One of a pair; the value is its name in the table."""

    PAUSE = "pause"
    """`p` at the keyboard: ask before the next board."""
    GO_ON = "go on"
    """Enter at the keyboard."""
    STOP = "stop"
    """Ctrl-C: the job ends after this card."""
    STOP_NOW = "stop now"
    """Ctrl-C again: motors off at once, the job ends."""
    JAM = "jam"
    """The machine finds that a card is stuck."""
    UNPLUG = "unplug"
    """The cable comes out; it is put back when the program says so."""
    DONE = "done"
    """The last card is in its pocket."""
    START_KEY = "START key"
    PAUSE_KEY = "PAUSE key"
    STOP_KEY = "STOP key"


BY_ITSELF: Final = (Act.JAM, Act.DONE)
"""What comes when it comes."""
KEYS: Final = {Act.START_KEY: Key.START, Act.PAUSE_KEY: Key.PAUSE, Act.STOP_KEY: Key.STOP}


@dataclass(frozen=True, slots=True)
class Pair:
    """`first`, and `gap` seconds later `second`; `moment` as in MOMENTS, where neither comes by itself."""

    first: Act
    second: Act
    gap: float
    moment: float = MOMENT

    def __str__(self) -> str:
        return f"{self.first.value}, {1000 * self.gap:.0f} ms later {self.second.value} ({1000 * self.moment:.0f} ms)"

    @property
    def jams_at(self) -> tuple[int, int] | None:
        """Run (from 1) and index of the card that jams; None = no card does."""
        if Act.JAM not in (self.first, self.second):
            return None
        if self.first is Act.DONE:
            return 2, 0
        return (1, PACK_SIZE - 1) if self.second is Act.DONE else (1, CARD)

    def times(self) -> Iterator[tuple[float, Act]]:
        """When a person does what of the pair: seconds on the machine's clock."""
        for own, other, sign in ((self.first, self.second, -1), (self.second, self.first, 1)):
            if own in BY_ITSELF:
                continue
            if other in BY_ITSELF:
                yield natural(other) + sign * self.gap, own
            else:
                yield natural(Act.PAUSE) + self.moment + (self.gap if sign > 0 else 0.0), own


def pairs(step: float, moments: tuple[float, ...]) -> list[Pair]:
    """All pairs in both orders, `step` seconds between the gaps of 0 … 50 ms."""
    gaps = [number * step for number in range(round(0.05 / step) + 1)]
    found = []
    for first, second in permutations(Act, 2):
        natural_ones = sum(act in BY_ITSELF for act in (first, second))
        found += [
            Pair(first, second, gap, moment)
            for gap in (gaps if natural_ones < 2 else gaps[:1])
            for moment in (moments if not natural_ones else moments[:1])
        ]
    return found


@dataclass(frozen=True, slots=True)
class EndState:
    """Where the program is (the word of its `Step`, or ENDED), and how the machine stands."""

    program: str
    machine: State
    reason: PauseReason = PauseReason.NONE
    fault: FaultCode = FaultCode.NONE

    def __str__(self) -> str:
        why = "".join(f" {one.name}" for one in (self.reason, self.fault) if one)
        return f"{self.program:<30} machine {self.machine.name}{why}"


ENDED: Final = "ended"


def _time(planned: tuple[float, Act]) -> float:
    return planned[0]


class PairSitting(Sitting):
    """Two boards to deal, what is to happen and when, and nobody who answers until the end state was looked at.

    `jams_at` as in `Pair`.
    """

    def __init__(self, data: Path, to_do: Iterable[tuple[float, Act]], jams_at: tuple[int, int] | None) -> None:
        faults = () if jams_at is None else (MachineFault(FaultKind.JAM_PATH, jams_at[1], jams_at[0]),)
        super().__init__(data, DEALS, Setup(faults=FaultPlan(faults)), load=[shuffled_pack(1)], numbers=(1, 2))
        self.to_do = sorted(to_do, key=_time)
        self.seen: dict[Act, float] = {}
        """When the last card, a jam and the card of the pair (under PAUSE) came."""
        self.look_at = self.to_do[-1][0] + SETTLED if self.to_do else 20.0
        self.answers_from = self.look_at + STILL
        self.states: list[tuple[EndState, int]] = []
        """The end state, and how many cards were fed until then; twice."""
        self.is_over = False
        self.cure = self._holds_back

    def _holds_back(self, halt: Halt) -> bool:
        """Nothing is answered yet, but the question for the first board."""
        if len(self.halts) == 1 or self.endpoint.now >= self.answers_from:
            return False
        self.wait_more(self.answers_from - self.endpoint.now)
        return True

    def next_act(self, now: float) -> float | None:
        looks = (self.look_at, self.answers_from)[len(self.states) : 2]
        times = [
            time for time in (super().next_act(now), *looks, *(when for when, _ in self.to_do[:1])) if time is not None
        ]
        return min(times, default=None)

    def step(self, now: float) -> None:
        self._note_times(now)
        while self.to_do and now >= self.to_do[0][0]:
            self._happen(self.to_do.pop(0)[1])
        if len(self.states) < 2 and now >= (self.look_at, self.answers_from)[len(self.states)]:
            self.states.append((self.end_state(), len(self.core.truth.feeds())))
        super().step(now)

    def _note_times(self, now: float) -> None:
        control = self.core.control
        if control.state is State.DONE:
            self.seen.setdefault(Act.DONE, now)
        if control.fault is not None:
            self.seen.setdefault(Act.JAM, now)
        if control.run is not None and control.run.index == CARD:
            self.seen.setdefault(Act.PAUSE, now)

    def _happen(self, act: Act) -> None:
        match act:
            case Act.PAUSE:
                self.job.pause_after_board()
            case Act.GO_ON:
                self.job.go_on()
            case Act.STOP:
                self.job.stop()
            case Act.STOP_NOW:
                self.job.stop_now()
            case Act.UNPLUG:
                self.endpoint.cut()
            case _:
                self.mechanism.press(KEYS[act])

    def end_state(self) -> EndState:
        """Where program and machine are now."""
        control = self.core.control
        step = self.job.step
        program = ENDED if self.is_over else step.value
        return EndState(
            program,
            control.state,
            control.run.reason if control.run is not None else PauseReason.NONE,
            control.fault.code if control.fault is not None else FaultCode.NONE,
        )

    def run_on(self) -> None:
        """Runs the job, and time on to the second look when the job ends before it."""
        self.is_over = False
        self.run()
        self.is_over = True
        if len(self.states) < 2:
            self.endpoint.pass_time(self.answers_from - self.endpoint.now + 0.001)

    def finish(self) -> None:
        """The way out: the same program deals what is left, by its own questions."""
        good = {board.number for board in self.job.result.boards if board.verdict is Verdict.GOOD}
        left = [number for number in self.numbers if number not in good]
        if left:
            self.job = self.machine.start(self.deals, left)
            self.run_on()
            assert [(board.number, board.verdict) for board in self.job.result.boards] == [
                (number, Verdict.GOOD) for number in left
            ]


@cache
def natural(act: Act) -> float:
    """When that comes by itself, in seconds, while nothing else happens; PAUSE = the card of a pair begins to move."""
    jams_at = (1, CARD) if act is Act.JAM else None
    with tempfile.TemporaryDirectory() as data, PairSitting(Path(data), (), jams_at) as sitting:
        sitting.run_on()
        return sitting.seen[act]
