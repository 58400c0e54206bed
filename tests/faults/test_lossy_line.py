"""A line that loses and damages frames both ways: 36 boards are dealt exactly once, and nothing moves without a GO.

One thread on a manual clock, with the automatic start; the seed repeats a case. Read next: `tests/support/peers.py`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from driver.deals.loader import load_deals
from driver.errors import ConnectionFailed, TransportError
from driver.job_events import JobEnded, JobEvent, MachineBack, NeedsOperator
from driver.machine import Machine
from driver.recorder import Recorded, Recorder
from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.line import Line
from firmware_sim.person_script import PersonScript
from protocol.cards import PACK_SIZE
from protocol.codes import PauseReason, State
from protocol.framing import Frame
from protocol.messages import Answer, Event, Going, RunEvent
from tests.support.figures import Figures
from tests.support.peers import Peer, Setup, memory_peer, truth_equals

CLUB: Final = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
BOARDS: Final = 36
LOSS: Final = "drop=0.15/0.15 flip=0.15/0.15"
HEAVY_LOSS: Final = "drop=0.45/0.45 flip=0.15/0.15 duplicate=0.1/0.1 replay=0.1/0.1"


def trouble(seed: int) -> str:
    """A line that loses less, and whose cable comes out and falls silent again and again while 36 boards are dealt."""
    dice = random.Random(seed)
    cuts = [f"cut={dice.uniform(0.1, 220):.3f}/{dice.choice((0, 0.2, 1.0, 3.5, 8.0))}" for _ in range(12)]
    starts = [dice.uniform(0.0, 220) for _ in range(8)]
    freezes = [f"freeze={start:.2f}..{start + dice.choice((0.4, 1.5, 3.1, 6.0)):.2f}" for start in starts]
    shares = "drop=0.15/0.15 flip=0.1/0.1 duplicate=0.1/0.1 delay=0.05/0.05 replay=0.1/0.1"
    return " ".join((shares, *cuts, *freezes))


class CountingMachine(SimMachine):
    """The machine, with a count of the GOs that it accepted and of its pauses by reason."""

    def _start_ram(self) -> None:
        super()._start_ram()
        self.gos = 0
        self.pauses: Counter[int] = Counter()

    def _answer_for(self, frame: Frame) -> Answer:
        answer = super()._answer_for(frame)
        self.gos += isinstance(answer, Going)
        return answer

    def emit(self, event: Event) -> int:
        if isinstance(event, RunEvent) and event.state is State.PAUSED:
            self.pauses[event.reason] += 1
        return super().emit(event)


@dataclass
class ResendCount:
    """Counts the frames that went out again with the same number; HELLO and requests."""

    resends: int = 0
    _last: tuple[str, int] = field(default=("", -1))

    def note(self, line: Recorded) -> None:
        """One frame, as the recorder tells it."""
        if line.outward and line.kind in ("HELLO", "REQUEST"):
            sent = (line.kind, line.number)
            self.resends += sent == self._last
            self._last = sent
        elif not line.outward and line.kind == "HELLO_ACK":
            self._last = ("", -1)


@dataclass
class Dealt:
    """What came of a job over a lossy line."""

    events: list[JobEvent]
    machine: CountingMachine
    resends: int
    truth_equal: bool
    good: int

    @property
    def reopened(self) -> int:
        """How often the connection was opened anew."""
        return sum(isinstance(event, MachineBack) for event in self.events)

    @property
    def asked(self) -> list[str]:
        """What a person was asked to decide, with the board."""
        return [
            f"board {event.board}: {event}"
            for event in self.events
            if isinstance(event, NeedsOperator) and event.choices
        ]


def opened(peer: Peer, recorder: Recorder) -> Machine:
    """The machine, opened; a person tries again when the line was too bad for the handshake."""
    for _ in range(10):
        try:
            return peer.open(recorder)
        except (ConnectionFailed, TransportError):
            peer.clock().wait(1.0)
    raise AssertionError("the machine could not be opened in ten tries")


def deal_over(line: str, folder: Path) -> Dealt:
    """Deals the 36 boards by itself over such a line; nobody answers, so a question ends it."""
    deals = load_deals(CLUB)
    script = PersonScript(boards=tuple(range(1, BOARDS + 1)))
    peer = memory_peer(folder, Setup(script=script, line=Line.parse(line), machine=CountingMachine))
    counted = ResendCount()
    events = []
    with opened(peer, Recorder(counted.note)) as machine:
        job = machine.start(deals, auto=True)
        for event in job.events():
            events.append(event)
            if isinstance(event, NeedsOperator) and event.choices:
                break
    assert isinstance(peer.core, CountingMachine)
    good = sum(board.verdict is Verdict.GOOD for board in job.result.boards)
    return Dealt(events, peer.core, counted.resends, truth_equals(peer, deals) if good == BOARDS else False, good)


def check_all_was_dealt_once(dealt: Dealt) -> None:
    """36 GOOD, 1,872 feeds, the truth equal, nobody asked, and no motion without its GO."""
    truth = dealt.machine.truth
    assert dealt.asked == []
    assert isinstance(dealt.events[-1], JobEnded)
    assert dealt.events[-1].complete
    assert dealt.good == BOARDS
    assert dealt.truth_equal
    assert len(truth.feeds()) == len(truth.drops()) == BOARDS * PACK_SIZE == 1_872
    assert truth.violations() == []
    assert len(truth.motions) == dealt.machine.gos
    assert all(motion.token and motion.run for motion in truth.motions)
    assert len({motion.run for motion in truth.motions}) == BOARDS


def lines_of(kind: str, seed: int) -> str:
    """The line of that kind and seed."""
    return f"seed={seed} " + {"lossy": LOSS, "heavy": HEAVY_LOSS, "troubled": trouble(seed)}[kind]


def deal_and_tell(kind: str, seeds: Collection[int], folder: Path, figures: Figures) -> None:
    """Deals 36 boards over each line, checks what came of them and prints what it cost."""
    cost: Counter[str] = Counter()
    for seed in seeds:
        print(f"a {kind} line with seed {seed}")  # what pytest shows of a failure
        data = folder / str(seed)
        dealt = deal_over(lines_of(kind, seed), data)
        check_all_was_dealt_once(dealt)
        cost += Counter(
            {
                "boards": BOARDS,
                "resends": dealt.resends,
                "reopened connections": dealt.reopened,
                "pauses without the host": dealt.machine.pauses[PauseReason.HOST_LOST],
            }
        )
    figures.tell(
        f"boards dealt exactly once over {kind} lines, nobody asked",
        ", ".join(f"{number:,} {name}" for name, number in cost.items()),
        aim="36 GOOD for each seed",
        met=cost["boards"] > 0,
        seed=min(seeds),
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_36_boards_are_dealt_exactly_once_over_a_line_that_loses_and_damages_frames(
    seed: int, tmp_path: Path, figures: Figures
) -> None:
    deal_and_tell("lossy", (seed,), tmp_path, figures)


@pytest.mark.parametrize("seed", [5, 7, 117])
def test_36_boards_are_dealt_exactly_once_where_most_frames_are_lost_and_old_ones_come_again(
    seed: int, tmp_path: Path, figures: Figures
) -> None:
    deal_and_tell("heavy", (seed,), tmp_path, figures)


@pytest.mark.parametrize("seed", [5, 52, 88, 168])
def test_36_boards_are_dealt_exactly_once_while_the_cable_comes_out_and_falls_silent(
    seed: int, tmp_path: Path, figures: Figures
) -> None:
    deal_and_tell("troubled", (seed,), tmp_path, figures)


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(1, 101, 25))
@pytest.mark.parametrize("kind", ["lossy", "heavy", "troubled"])
def test_the_same_holds_for_many_seeds(kind: str, first: int, tmp_path: Path, figures: Figures) -> None:
    deal_and_tell(kind, range(first, first + 25), tmp_path, figures)
