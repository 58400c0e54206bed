"""The cable is pulled and put back a thousand times: nothing moves until a person decides (I4), and nothing grows.

It is pulled while cards move, while a person is asked, and while a run is paused, over every endpoint of the contract
tests; descriptors and threads are as many after each replug as after the first. Read next: `belongings.py`,
`tests/contract/test_cable.py`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import pytest

from driver.deals.loader import load_deals
from driver.findings import Choice
from driver.job import Job
from driver.job_events import CardDealt, JobEvent, MachineBack, MachineLost, NeedsOperator
from driver.machine import Machine
from driver.steps import Step
from driver.verdicts import Verdict
from tests.campaign.belongings import BYTES_PER_BOARD, Belongings, check_memory
from tests.contract.conftest import ENDPOINTS, peer_on
from tests.support.by_hand import gather_all, put_in
from tests.support.figures import Figures
from tests.support.peers import Peer, Setup, truth_equals

DEALS: Final = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
CYCLES: Final = 1_000
EACH: Final = math.ceil(CYCLES / len(ENDPOINTS))
FEW: Final = 6
SET_ASIDE: Final = 0.2
"""Share of the cycles before memory is looked at first."""
SLOW: Final = 5.0
"""20 ms a card."""
EVERY: Final = 10
"""The cable is pulled at each card whose index is a multiple of this."""
STILL: Final = 0.03
"""Seconds for which nothing may move: longer than a card takes."""


class Unplugging:
    """One machine on one endpoint whose cable is pulled again and again, and a person who answers."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.pulled = self.boards = 0
        self.pulled_while: set[str] = set()
        self.looks: list[Belongings] = []
        """After each replug."""
        self.closed: list[tuple[int, Belongings]] = []
        """Boards dealt, and what was there, after each program."""
        self._cycles = self._asked = self._last_index = 0
        self._is_out = False
        self._may_move = 0
        """How many motions there may be: one more with each decision, none more once the cable was pulled."""

    def run(self, cycles: int) -> None:
        """One program deals boards until the cable was pulled so often in all, and the last of them to its end."""
        self._cycles = cycles
        with self.peer.open() as machine:
            while self.pulled < self._cycles:
                number = DEALS.numbers[self.boards % len(DEALS.numbers)]
                put_in(self.peer, number)
                self._deal(machine, number)
                self.boards += 1
                self._check_and_forget(number)
        self.closed.append((self.boards, Belongings.now(self.peer.data)))

    def _check_and_forget(self, number: int) -> None:
        """Holds the board to the truth, which forgets it then: else the truth would be what grows."""
        assert truth_equals(self.peer, DEALS, [number])
        with self.peer.at_machine():
            truth = self.peer.core.truth
            assert truth.violations() == []
            for past in (truth.motions, truth.all_feeds, truth.all_drops, truth.motor_on, truth.refeeds):
                past.clear()
            del truth.boards[:-1]
        self._may_move = 0

    def _deal(self, machine: Machine, number: int) -> None:
        self._last_index = 0
        job = machine.start(DEALS, [number])
        for event in job.events():
            self._hear(job, event)
        assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]

    def _hear(self, job: Job, event: JobEvent) -> None:
        match event:
            case CardDealt(index=index) if index % EVERY == 0 and index != self._last_index:
                self._last_index = index
                self._pull("cards move")
            case MachineLost():
                assert self._is_out, "the machine was lost with its cable in"
                self.peer.endpoint.reconnect()
            case MachineBack():
                self._is_out = False
                self._no_motion_began()
                self.looks.append(Belongings.now(self.peer.data))
                if job.step is Step.ASK_START:
                    self._decide(job, Choice.GO)  # the question still stands
            case NeedsOperator(choices=choices) if choices and not self._is_out:
                self._nothing_moves()
                self._asked += 1
                if self._asked % 3 == 0 and self.pulled < self._cycles:
                    self._pull("a person is asked" if Choice.GO in choices else "a run is paused")
                else:
                    offered = (one for one in (Choice.GO, Choice.GO_ON, Choice.DEAL_AGAIN) if one in choices)
                    self._decide(job, next(offered))
            case _:
                pass

    def _pull(self, when: str) -> None:
        if self.pulled == self._cycles or self._is_out:
            return
        self.pulled += 1
        self.pulled_while.add(when)
        with self.peer.at_machine():
            self._may_move = len(self.peer.core.truth.motions)
        self._is_out = True
        self.peer.endpoint.cut()

    def _decide(self, job: Job, choice: Choice) -> None:
        if choice is Choice.DEAL_AGAIN:
            gather_all(self.peer)
            self._last_index = 0
        with self.peer.at_machine():
            self._may_move = len(self.peer.core.truth.motions) + 1
        job.decide(choice)

    def _nothing_moves(self) -> None:
        """Cards stand still, and go on standing still while time passes."""
        for _ in range(2):
            with self.peer.at_machine():
                assert self.peer.core.truth.motor_since is None
            self._no_motion_began()
            self.peer.clock().wait(STILL)

    def _no_motion_began(self) -> None:
        with self.peer.at_machine():
            assert len(self.peer.core.truth.motions) <= self._may_move, "I4: motion that no decision stands behind"


def unplug(endpoint: str, cycles: int, folder: Path, figures: Figures) -> Unplugging:
    """So many cycles on that endpoint; fails where more is left behind than stated."""
    peer = peer_on(endpoint, folder, Setup(speed=SLOW))
    try:
        unplugging = Unplugging(peer)
        for share in (SET_ASIDE, 1.0):
            unplugging.run(math.ceil(share * cycles))
    finally:
        peer.close()
    looks = unplugging.looks
    figures.tell(
        f"cycles of unplugging and plugging in over {endpoint} with nothing moved but by a decision",
        len(looks),
        aim=f"{cycles}",
        met=len(looks) == cycles,
    )
    for name in ("descriptors", "threads"):
        numbers = sorted({getattr(look, name) for look in looks})
        same = len(numbers) == 1
        figures.tell(
            f"{name} after each replug over {endpoint}",
            numbers if not same else numbers[0],
            aim="always the same",
            met=same,
        )
    return unplugging


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_nothing_moves_and_nothing_is_left_open_after_a_replug(
    endpoint: str, quick_folder: Path, figures: Figures
) -> None:
    unplug(endpoint, FEW, quick_folder, figures)


@pytest.mark.campaign
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_a_thousand_replugs_move_nothing_and_leave_nothing_behind(
    endpoint: str, quick_folder: Path, figures: Figures
) -> None:
    unplugging = unplug(endpoint, EACH, quick_folder, figures)
    (few, first), (many, last) = unplugging.closed
    grown = (last.stored - first.stored) / (many - few)
    figures.tell(
        f"what the store grows by over {endpoint}",
        f"{grown:,.0f} bytes a board",
        aim=f"{BYTES_PER_BOARD:,} or less",
        met=grown <= BYTES_PER_BOARD,
    )
    check_memory(first, last, f"from cycle {round(SET_ASIDE * EACH)} to {EACH} over {endpoint}", figures)
    assert unplugging.pulled_while == {"cards move", "a person is asked", "a run is paused"}
