"""The power goes at every moment of a card, with every fate of the memory: I3, I4, and the board becomes GOOD.

Read next: `cuts.py`; PROTOCOL.md, section 10 (the second table); `test_machine_faults.py`, `test_page_memory.py`.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Final

import pytest

from driver.findings import Choice
from firmware_sim.faults import FaultPlan, PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.profile import FULL, P_ONLY, Profile
from protocol.codes import LedgerKind, Obstacle
from tests.faults.cuts import ALL, CARD, CARDS, MOMENTS, OFF, SPIN_UP, WISHES, Case, Watched, best_verdict
from tests.support.figures import Figures
from tests.support.peers import Setup
from tests.support.sitting import Sitting
from tests.support.visibility import DEALS

pytestmark = pytest.mark.usefixtures("quick_disk")

SEED: Final = 7


def covering(cases: Sequence[Case]) -> list[Case]:
    """Few of the cases, in which any two things that can come together do: each card with each fate, and so on.

    Among them each moment with each fate on the machine that can say most.
    """
    most = (CARDS[1], LedgerKind.CARD, False, 1, Choice.GO_ON)
    chosen = [one for one in cases if (one.card, one.ledger, one.by_order, one.packs, one.wish) == most]
    seen = set[tuple[object, ...]]()
    waiting = random.Random(SEED).sample(cases, len(cases))
    for least in (20, 10, 5, 2, 1):
        for case in waiting:
            values = [(field.name, getattr(case, field.name)) for field in fields(case)]
            fresh = set(combinations(values, 2)) - seen
            if len(fresh) >= least:
                chosen.append(case)
                seen |= fresh
    return chosen


def hold(cases: Sequence[Case], data: Path, figures: Figures) -> int:
    """Each case in a sitting of its own, and what came of them; how many were in the one false cell of the page."""
    verdicts: Counter[str] = Counter()
    false_cells = 0
    for number, case in enumerate(cases):
        print(case)  # what pytest shows of a failure
        with case.sitting(data / str(number)) as sitting:
            watched = Watched(case, sitting)
            watched.run()
        shutil.rmtree(data / str(number))
        verdicts.update(verdict.name for verdict in sitting.verdicts)
        false_cells += watched.is_false
        assert sitting.judged[-1].verdict is best_verdict(case.profile)
    figures.tell(
        "power cuts of the machine whose doubt and verdicts are true",
        f"{len(cases)}, {dict(verdicts)}, {false_cells} in the one false cell",
        aim=f"{len(cases)}, none wrong",
        met=sum(verdicts.values()) > 0,
        seed=SEED,
    )
    return false_cells


def test_after_a_power_cut_nothing_is_claimed_that_is_not_true_and_nothing_moves_without_a_person(
    tmp_path: Path, figures: Figures
) -> None:
    assert hold(covering(ALL), tmp_path, figures) > 0


@pytest.mark.campaign
@pytest.mark.parametrize("fate", MemoryFate, ids=lambda fate: fate.value)
@pytest.mark.parametrize("packs", [1, 2], ids=["one pack", "two packs"])
@pytest.mark.parametrize("by_order", [False, True], ids=["by identity", "by order"])
@pytest.mark.parametrize("ledger", [LedgerKind.CARD, LedgerKind.RUN], ids=lambda ledger: ledger.name)
def test_the_same_holds_for_every_five_milliseconds_of_a_card_and_all_that_may_come_with_it(
    ledger: LedgerKind, by_order: bool, packs: int, fate: MemoryFate, tmp_path: Path, figures: Figures
) -> None:
    alike = (ledger, by_order, packs, fate)
    cases = [case for case in ALL if (case.ledger, case.by_order, case.packs, case.fate) == alike]
    assert len(cases) == len(MOMENTS) * len(CARDS) * len(WISHES)
    hold(cases, tmp_path, figures)


def sitting_with(data: Path, cut: PowerCut, profile: Profile, wants: Choice) -> Sitting:
    setup = Setup(profile=profile, faults=FaultPlan(cuts=(cut,)))
    return Sitting(data, DEALS, setup, wants=wants)


def cut_at(card: int, moment: int, fate: MemoryFate) -> PowerCut:
    return PowerCut(SPIN_UP + CARD * card + moment, fate, run=1, off=OFF)


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
