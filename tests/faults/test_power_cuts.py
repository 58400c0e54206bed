"""The power goes at every moment of a card, with every fate of the memory: I3, I4, and the board becomes GOOD.

Read next: PROTOCOL.md, section 10 (the second table), `test_machine_faults.py`, `test_page_memory.py`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from driver.findings import Choice
from driver.job_events import CardDealt, MachineBack, MachineLost
from driver.verdicts import Verdict
from firmware_sim.faults import FaultPlan, PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.profile import FULL, P_ONLY, Profile
from protocol.codes import LedgerKind, Obstacle, PauseReason, RecordState, State
from protocol.constants import UNKNOWN_COUNT
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting
from tests.support.visibility import DEALS, LAST

pytestmark = pytest.mark.usefixtures("quick_disk")

SPIN_UP, CARD, STEP = 30, 100, 5
"""Milliseconds from GO to the first feed, from feed to feed, and between two cuts."""
MOMENTS: Final = range(0, CARD, STEP)
CARDS: Final = (0, 26, LAST)
LEDGERS: Final = {"card": FULL, "run": replace(FULL, ledger=LedgerKind.RUN)}
LOST_MEMORY: Final = (MemoryFate.TORN, MemoryFate.BLANK)
OFF: Final = 2.0
"""Seconds until the power comes back."""


def sitting_with(data: Path, cut: PowerCut, profile: Profile, wants: Choice) -> Sitting:
    setup = Setup(profile=profile, faults=FaultPlan(cuts=(cut,)))
    return Sitting(data, DEALS, setup, wants=wants)


def cut_at(card: int, moment: int, fate: MemoryFate) -> PowerCut:
    return PowerCut(SPIN_UP + CARD * card + moment, fate, run=1, off=OFF)


@pytest.mark.parametrize("ledger", LEDGERS)
@pytest.mark.parametrize("fate", MemoryFate, ids=lambda fate: fate.value)
@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_power_cut_nothing_is_claimed_that_is_not_true_and_nothing_moves_without_a_person(
    moment: int, card: int, fate: MemoryFate, ledger: str, tmp_path: Path
) -> None:
    profile = LEDGERS[ledger]
    with sitting_with(tmp_path, cut_at(card, moment, fate), profile, Choice.GO_ON) as sitting:
        motions: list[int] = []
        false_cells: list[str] = []

        def before_deciding(halt: Halt) -> bool:
            if len(sitting.halts) == 2:
                motions.append(len(sitting.core.truth.motions))
                if not check_knowledge(sitting, halt, fate, profile):
                    false_cells.append(f"dropped index {halt.index} 2 times.")
            return False

        sitting.cure = before_deciding
        sitting.run()
        assert motions == [1], "one motion until the person decided"
        assert [type(event) for event in sitting.events if isinstance(event, MachineLost | MachineBack)] == [
            MachineLost, MachineBack,
        ]  # fmt: skip
        assert sitting.complete
        assert sitting.judged[-1].verdict is Verdict.GOOD
        assert sitting.is_right()
        found = sitting.core.truth.violations()
        assert all(sentence.endswith(tuple(false_cells)) for sentence in found), found


def check_knowledge(sitting: Sitting, halt: Halt, fate: MemoryFate, profile: Profile) -> bool:
    """I3: what machine and host say of the run against the truth. False in the one false cell of the page."""
    truth, run = sitting.core.truth, sitting.core.control.run
    fallen = {drop.index: drop.pocket for drop in truth.drops()}
    told = [event for event in sitting.events if isinstance(event, CardDealt)]
    assert len(told) <= len(fallen), "the host never tells of a card that did not fall"
    assert halt.choices[-1] is Choice.STOP
    keeps_cards = profile.ledger is LedgerKind.CARD
    if fate in LOST_MEMORY:
        assert sitting.core.memory_lost
    if run is None:
        check_lost_run(halt, moved=bool(truth.feeds()) or fate in LOST_MEMORY or not keeps_cards)
        assert fate in LOST_MEMORY or (fate is MemoryFate.LAST_MARK_LOST and (not keeps_cards or not fallen))
        return True
    assert (halt.state, halt.reason) == (State.PAUSED, PauseReason.RESTART)
    assert Choice.DEAL_AGAIN in halt.choices
    if not keeps_cards:
        assert (halt.index, halt.doubt) == (UNKNOWN_COUNT, UNKNOWN_COUNT)
        assert Choice.GO_ON not in halt.choices
        return True
    assert halt.doubt <= 1, "no more than the cards in flight"
    dropped = [
        (index, run.ledger.raw(index)[2] & 3)
        for index in range(run.ledger.length)
        if run.ledger.raw(index)[3] & 15 == RecordState.DROPPED
    ]
    assert all(fallen.get(index) == pocket for index, pocket in dropped), "nothing is claimed that did not fall"
    assert len(dropped) == halt.index
    unknown = len(fallen) - halt.index
    assert unknown in (0, 1)
    pockets_agree = halt.obstacle is not Obstacle.BOARD
    assert (Choice.GO_ON in halt.choices) == (not halt.doubt and pockets_agree)
    is_false = bool(unknown and not halt.doubt)
    assert not is_false or fate is MemoryFate.LAST_MARK_LOST
    return not is_false


def check_lost_run(halt: Halt, *, moved: bool) -> None:
    """The machine knows no run; only where no card can have moved it counts as not started."""
    assert halt.state is State.NONE
    if moved:
        assert halt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
        assert "Whether cards of this board were dealt, and how many." in halt.prompt.text
    else:
        assert halt.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
        assert halt.prompt.text == "The board was not started."


@pytest.mark.parametrize("fate", [MemoryFate.KEPT, MemoryFate.LAST_MARK_LOST], ids=lambda fate: fate.value)
@pytest.mark.parametrize("moment", range(0, CARD, 10))
def test_after_a_power_cut_the_board_may_always_be_dealt_again(moment: int, fate: MemoryFate, tmp_path: Path) -> None:
    with sitting_with(tmp_path, cut_at(26, moment, fate), FULL, Choice.DEAL_AGAIN) as sitting:
        sitting.run()
        assert len(sitting.core.truth.motions) == 2
        sitting.check_good()


@pytest.mark.parametrize("moment", MOMENTS)
def test_by_order_a_run_never_goes_on_after_a_power_cut(moment: int, tmp_path: Path) -> None:
    with sitting_with(tmp_path, cut_at(26, moment, MemoryFate.KEPT), P_ONLY, Choice.GO_ON) as sitting:
        sitting.run()
        (halt,) = sitting.stops()
        assert halt.obstacle is not Obstacle.NONE
        assert halt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
        sitting.check_good()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_card_taken_away_while_the_power_is_off_is_in_doubt(moment: int, tmp_path: Path) -> None:
    """The person tidies up before anybody could see the card: then nothing shows where it was."""
    with sitting_with(tmp_path, cut_at(26, moment, MemoryFate.KEPT), FULL, Choice.GO_ON) as sitting:
        went: list[float] = []

        def tidy_up(now: float) -> None:
            if not sitting.core.powered and not went:
                went.append(now)
                sitting.hands.put_path_on_table()

        sitting.meanwhile = tidy_up
        sitting.run()
        assert went
        halt = sitting.stops()[0]
        assert (halt.doubt, halt.choices) == (1, (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP))
        sitting.check_good()


@pytest.mark.parametrize("auto", [False, True])
def test_the_automatic_setting_never_goes_on_after_a_restart(auto: bool, tmp_path: Path) -> None:
    with sitting_with(tmp_path, cut_at(26, 60, MemoryFate.KEPT), FULL, Choice.GO_ON) as sitting:
        sitting.new_job(auto=auto)
        sitting.run()
        (halt,) = sitting.stops()
        assert halt.choices == (Choice.GO_ON, Choice.DEAL_AGAIN, Choice.STOP)
        assert len(sitting.core.truth.motions) == 2
        sitting.check_good()
