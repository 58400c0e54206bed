"""A job of three boards is interrupted at every moment; what goes on names its board first, and offers no finished one.

The program ends at every write of the journal, or the cable, the machine's power or the computer's sleep comes between.
Whatever it was: before cards move again a person has answered a question that names just that board.
Read next: `driver/under_way.py`, `driver/cli/recovery.py`; `test_journal_crashes.py` for the writes themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from driver.deals.loader import load_deals
from driver.findings import Choice
from driver.job import Job
from driver.job_events import BoardJudged, BoardStarted, CardDealt, JobEvent, NeedsOperator
from driver.machine import Machine
from driver.under_way import to_go_on_with
from driver.verdicts import Verdict
from firmware_sim.faults import PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.packs import shuffled_pack
from firmware_sim.person_script import PersonScript
from tests.cli.program import CLUB
from tests.faults.test_journal_crashes import LEAST_POINTS, OnceAt
from tests.stateful.world import ProgramEnds
from tests.support.memory import ManualClock
from tests.support.peers import Peer, Setup, memory_peer, truth_equals
from tests.support.watched_store import Moment, watched

pytestmark = pytest.mark.usefixtures("quick_disk")

BOARDS: Final = (1, 2, 3)
DEALS: Final = load_deals(CLUB)


class Evening:
    """One machine with a person who puts the boards in, and one program after another over one journal."""

    def __init__(self, folder: Path) -> None:
        self.peer: Peer = memory_peer(folder, Setup(script=PersonScript(boards=BOARDS)))
        self.clock = ManualClock(self.peer.endpoint)  # type: ignore[arg-type]
        self.peer.clock = lambda: self.clock  # type: ignore[method-assign]
        self.good: set[int] = set()
        self.confirmed: int | None = None
        """The board that was named in the last question before which everything stood still; None while cards flow."""

    def run(self, begin: Callable[[Machine], Job], meanwhile: Callable[[JobEvent], None] = lambda _: None) -> None:
        """A program over the journal: begins a job and answers its questions, until it ends."""
        with self.peer.open() as machine:
            job = begin(machine)
            for event in job.events():
                self.hear(job, event)
                meanwhile(event)

    def hear(self, job: Job, event: JobEvent) -> None:
        """What the person does; nothing that is finished is offered, and what was interrupted names its board first."""
        if isinstance(event, NeedsOperator) and event.choices:
            assert event.board not in self.good, "a finished board is offered"
            self.confirmed = event.board
            self.peer.wait_for(lambda core: core.mechanism.slot.board is not None and bool(core.mechanism.hopper))
            choice = next(one for one in (Choice.GO_ON, Choice.GO, Choice.DEAL_AGAIN) if one in event.choices)
            if choice is Choice.DEAL_AGAIN:
                self.empty_all()
            job.decide(choice)
        elif isinstance(event, BoardStarted):
            assert self.confirmed in (event.board, None), "another board than the one that was named"
            self.confirmed = None
        elif isinstance(event, BoardJudged) and event.judgement.verdict is Verdict.GOOD:
            self.good.add(event.board)

    def empty_all(self) -> None:
        """All cards out of pockets, path and hopper, and a whole pack in."""
        mechanism, person = self.peer.core.mechanism, self.peer.person
        assert person is not None
        person.hands.take_path()
        mechanism.slot.empty_pockets()
        mechanism.take_hopper()
        mechanism.load_pack(shuffled_pack(9, pack=9))

    def interrupted(self) -> None:
        """From here on nothing may begin before a question was answered."""
        self.confirmed = -1

    def check(self) -> None:
        """Three right boards, and no promise broken."""
        assert truth_equals(self.peer, DEALS, BOARDS)
        assert self.peer.core.truth.violations() == []
        assert self.good == set(BOARDS)


def begins(machine: Machine) -> Job:
    return machine.start(DEALS, BOARDS)


def carries_on(machine: Machine) -> Job:
    """What the journal and the queue call under way; anew where the program ended before anything was."""
    under = next(iter(to_go_on_with(machine.store)), None)
    if under is None or under.job is None or under.stored is None:
        return begins(machine)
    for one in under.left:
        record = machine.journal.last_of_copy(one.board, one.copy)
        assert record is None or record.verdict != Verdict.GOOD.name, "what is proven is not left"
    return machine.carry_on(under.job.order.id, replace(DEALS, set_id=under.stored.id))


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    made.peer.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_the_program_ends_at_any_write_and_what_is_left_is_gone_on_with(moment: Moment, tmp_path: Path) -> None:
    for point in count(1):
        evening = Evening(tmp_path / str(point))
        killed = OnceAt(point, moment, ProgramEnds(), only="COMMIT")
        with watched(killed):
            try:
                evening.run(begins)
            except ProgramEnds:
                killed.is_armed = False
                evening.interrupted()
                with evening.peer.open() as machine:
                    done = [machine.journal.last_of_copy(board, "") for board in BOARDS]
                    evening.good |= {one.intention.board for one in done if one is not None and one.verdict == "GOOD"}
                if evening.good != set(BOARDS):
                    evening.run(carries_on)
        evening.check()
        evening.peer.close()
        if not killed.came:
            assert point > LEAST_POINTS
            return


def cable(evening: Evening) -> None:
    evening.peer.endpoint.cut()


def power(evening: Evening) -> None:
    core = evening.peer.core
    core.plan_cut(PowerCut(0, MemoryFate.KEPT, 0, 2.0), core.now)
    core.advance_to(core.now)


def sleep(evening: Evening) -> None:
    evening.clock.sleep(600.0)


MOMENTS: Final[dict[str, Callable[[JobEvent], bool]]] = {
    "in mid-board": lambda event: isinstance(event, CardDealt) and (event.index, event.board) == (10, 2),
    "at the verdict": lambda event: isinstance(event, BoardJudged) and event.board == 1,
    "between boards": lambda event: isinstance(event, NeedsOperator) and not event.choices and event.board == 2,
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("interruption", [cable, power, sleep], ids=lambda one: one.__name__)
def test_before_cards_move_again_the_board_was_named_and_confirmed(
    interruption: Callable[[Evening], None], moment: str, evening: Evening
) -> None:
    came: list[JobEvent] = []

    def meanwhile(event: JobEvent) -> None:
        if not came and MOMENTS[moment](event):
            came.append(event)
            interruption(evening)
            evening.interrupted()

    evening.run(begins, meanwhile)
    assert came
    evening.check()
