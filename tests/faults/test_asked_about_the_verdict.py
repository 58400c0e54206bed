"""A program ends while a person is asked what becomes of a finished board: the next one asks the same, and keeps what
was kept; nothing of it is dealt once more before a person says so.

Read next: PROTOCOL.md, section 10; `driver/reconcile.py`; `test_found_and_not_asked.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from unittest import mock

import pytest

from driver.controls import Controls
from driver.deals.loader import load_deals
from driver.findings import Choice
from driver.job_events import BoardJudged, JobEnded, JobEvent, NeedsOperator
from driver.under_way import to_go_on_with
from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.faults import PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.packs import ordered_pack
from firmware_sim.person_script import OddPack, PackKind, PersonScript
from firmware_sim.profile import BARE, P_ONLY, Profile
from protocol.codes import PocketSensing
from tests.cli.program import CLUB
from tests.stateful.world import ProgramEnds
from tests.support.memory import ManualClock
from tests.support.peers import Setup, memory_peer

pytestmark = pytest.mark.usefixtures("quick_disk")

BOARDS: Final = (1, 2, 3)
DEALS: Final = load_deals(CLUB)
BLIND: Final = replace(P_ONLY, pockets=PocketSensing.NO)
"""It neither reads cards nor senses pockets: nothing but a count makes its boards better."""
AGAIN: Final = (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
KEEP: Final = (Choice.KEEP, Choice.COUNT, Choice.DEAL_AGAIN, Choice.STOP)
KEEP_UNSEEN: Final = (Choice.KEEP, Choice.DEAL_AGAIN, Choice.STOP)
LONG: Final = (OddPack(PackKind.LONG, 1),)


def _is_loaded(core: SimMachine) -> bool:
    return core.mechanism.slot.board is not None and bool(core.mechanism.hopper)


class Evening:
    """One machine, a person, and one program after another over one journal."""

    def __init__(self, folder: Path, profile: Profile, odd_packs: tuple[OddPack, ...] = ()) -> None:
        self.peer = memory_peer(folder, Setup(profile=profile, script=PersonScript(boards=BOARDS, odd_packs=odd_packs)))
        clock = ManualClock(self.peer.endpoint)  # type: ignore[arg-type]
        self.peer.clock = lambda: clock  # type: ignore[method-assign]
        self.asked: list[NeedsOperator] = []
        """What the last program asked about a board that was found or dealt."""
        self.told: list[JobEvent] = []

    @property
    def motions(self) -> int:
        return len(self.peer.core.truth.motions)

    def run(self, *answers: Choice, auto: bool = False) -> None:
        """A program: it starts boards, and ends at the first question about a verdict for which no answer is left."""
        self.asked, self.told = [], []
        left = list(answers)
        with self.peer.open() as machine:
            under = next(iter(to_go_on_with(machine.store)), None)
            if under is None:
                job = machine.start(DEALS, BOARDS, auto=auto)
            else:
                assert under.job is not None
                assert under.stored is not None
                job = machine.carry_on(under.job.order.id, replace(DEALS, set_id=under.stored.id), auto=auto)
            for event in job.events():
                self.told.append(event)
                if not isinstance(event, NeedsOperator) or not event.choices:
                    continue
                if Choice.GO in event.choices:
                    self.peer.wait_for(_is_loaded)
                    job.decide(Choice.GO)
                    continue
                self.asked.append(event)
                if not left:
                    return
                if left[0] is Choice.DEAL_AGAIN:
                    self.empty_all()
                job.decide(left.pop(0))

    def empty_all(self) -> None:
        """All cards out of pockets, path and hopper, and a whole pack in."""
        mechanism, person = self.peer.core.mechanism, self.peer.person
        assert person is not None
        person.hands.take_path()
        mechanism.slot.empty_pockets()
        mechanism.take_hopper()
        mechanism.load_pack(ordered_pack())

    @property
    def choices(self) -> tuple[Choice, ...]:
        return self.asked[-1].choices

    @property
    def dealt(self) -> list[int]:
        return [event.board for event in self.told if isinstance(event, BoardJudged)]


@dataclass(frozen=True, slots=True)
class Case:
    """A machine, the packs that make its first board one that is not proven, and what is asked about it then."""

    profile: Profile
    odd_packs: tuple[OddPack, ...]
    choices: tuple[Choice, ...]


CASES: Final = {"to be dealt again": Case(P_ONLY, LONG, AGAIN), "to be kept": Case(BLIND, (), KEEP)}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def evening(tmp_path: Path, case: Case) -> Iterator[Evening]:
    made = Evening(tmp_path, case.profile, case.odd_packs)
    made.run()
    assert made.choices == case.choices
    assert made.motions == 1
    yield made
    made.peer.close()


@pytest.mark.parametrize("auto", [False, True], ids=["asked", "automatic"])
def test_the_next_program_judges_it_again_and_asks_the_same_and_nothing_moves(
    auto: bool, case: Case, evening: Evening
) -> None:
    before = evening.asked[0]
    evening.run(auto=auto)
    assert [(event.board, event.judgement.verdict) for event in evening.told if isinstance(event, BoardJudged)] == [
        (1, Verdict.NOT_PROVEN)
    ]
    assert evening.asked == [before]
    assert evening.motions == 1
    evening.run(case.choices[0], *([Choice.KEEP] * 2 if case.choices is KEEP else []), auto=auto)
    assert isinstance(evening.told[-1], JobEnded)
    assert evening.told[-1].complete
    assert evening.motions == (3 if case.choices is KEEP else 4)


@pytest.mark.parametrize("case", [CASES["to be kept"]], ids=["to be kept"])
class TestKept:
    def test_stop_where_it_may_be_kept_asks_again_the_next_time(self, evening: Evening) -> None:
        for _ in range(2):
            evening.run(Choice.STOP)
            assert [one.choices for one in evening.asked] == [KEEP]
            assert isinstance(evening.told[-1], JobEnded)
        evening.run(Choice.KEEP, Choice.STOP)
        assert evening.dealt == [1, 2], "it was judged once more, and is not dealt again"
        assert evening.motions == 2

    @pytest.mark.parametrize("fate", [MemoryFate.KEPT, MemoryFate.BLANK])
    def test_it_may_be_kept_after_the_machine_was_switched_off_too(self, fate: MemoryFate, evening: Evening) -> None:
        evening.peer.core.plan_cut(PowerCut(0, fate, 0, 1.0), evening.peer.core.now)
        evening.peer.clock().wait(2.0)
        evening.run()
        assert [(one.board, one.choices) for one in evening.asked] == [(1, KEEP_UNSEEN)]
        assert evening.dealt == []
        evening.run(Choice.KEEP, Choice.KEEP, Choice.KEEP)
        assert evening.dealt == [2, 3]
        assert evening.told[-1] == JobEnded(complete=True)
        assert evening.motions == 3


@pytest.mark.parametrize("profile", [BLIND, BARE], ids=["kept by a person", "kept by itself"])
@pytest.mark.parametrize("is_sent", [False, True], ids=["before CLOSE", "after CLOSE"])
def test_a_board_that_is_kept_is_not_dealt_again_though_the_program_dies_at_its_close(
    is_sent: bool, profile: Profile, tmp_path: Path
) -> None:
    evening = Evening(tmp_path, profile)

    def dies(controls: Controls, run: int) -> None:
        if is_sent:
            close_run(controls, run)
        raise ProgramEnds

    close_run = Controls.close_run
    with mock.patch.object(Controls, "close_run", dies), pytest.raises(ProgramEnds):
        evening.run(Choice.KEEP)
    assert evening.motions == 1

    evening.run(*[Choice.KEEP] * 2)
    assert evening.dealt == [2, 3]
    assert evening.told[-1] == JobEnded(complete=True)
    assert evening.motions == 3
    evening.peer.close()
