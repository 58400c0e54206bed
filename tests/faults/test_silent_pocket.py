"""A dead pocket sensor: each board stops there; after three in a row a person may do without it, and counts.

Read next: `driver/silent_pocket.py`, PROTOCOL.md, *Confirmations*.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from driver.catalogue import Kind, entry
from driver.findings import Choice
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from protocol.codes import FaultCode
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting, pack_for
from tests.support.visibility import DEALS

pytestmark = pytest.mark.usefixtures("quick_disk")

USUAL = (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
OFFER = (Choice.DEAL_AGAIN, Choice.SENSOR_OUT, Choice.SKIP, Choice.STOP)


class Sensing(Sitting):
    """A sitting whose person does without the sensor as soon as that is offered, and counts what is in the pockets."""

    def without_sensor(self, halt: Halt) -> bool:
        if Choice.SENSOR_OUT in halt.choices:
            self.put_all_together()
            self.job.decide(Choice.SENSOR_OUT)
        elif Choice.COUNT in halt.choices:
            counted = self.boards[self.numbers.index(halt.prompt.board)]
            self.job.decide(Choice.COUNT, "Ann", [len(pocket) for pocket in counted.pockets])
        else:
            return False
        return True


def dead(pocket: int) -> Setup:
    return Setup(faults=FaultPlan((MachineFault(FaultKind.POCKET_DEAD, value=pocket),)))


@pytest.mark.parametrize("pocket", range(4), ids=list("NESW"))
def test_three_silent_boards_in_a_row_and_the_set_goes_on_counted(pocket: int, tmp_path: Path) -> None:
    load = [pack_for(dead(pocket).profile, seed, pack=seed) for seed in (1, 2)]
    with Sensing(tmp_path, DEALS, dead(pocket), load=load[:1], numbers=(1, 2)) as sitting:
        sitting.cure = sitting.without_sensor
        sitting.run()
        stops = sitting.stops()
        assert [halt.fault for halt in stops] == [FaultCode.POCKET_SILENT] * 3
        assert [halt.choices for halt in stops] == [USUAL, USUAL, OFFER]
        told = entry(Kind.NOTICE, "POCKET SENSOR").filled(pockets="NESW"[pocket])
        assert stops[2].prompt.text.startswith(told.sentence)
        assert (stops[2].prompt.means, stops[2].prompt.steps) == (told.means, told.steps)
        counted = [halt for halt in sitting.halts if Choice.COUNT in halt.choices]
        assert [halt.choices[0] for halt in counted] == [Choice.COUNT] * 2, "Enter counts: nothing else can prove it"
        assert sitting.verdicts == [Verdict.COUNTED] * 2
        assert {judgement.counted_by for judgement in sitting.judged} == {"", "Ann"}
        assert sitting.complete
        sitting.check_promises()


def test_without_a_decision_the_sensor_is_never_done_without(tmp_path: Path) -> None:
    with Sitting(tmp_path, DEALS, dead(1), wants=Choice.DEAL_AGAIN) as sitting:

        def give_up(halt: Halt) -> bool:
            if len(sitting.stops()) < 6:
                return False
            sitting.job.decide(Choice.STOP)
            return True

        sitting.cure = give_up
        sitting.run()
        assert [Choice.SENSOR_OUT in halt.choices for halt in sitting.stops()] == [False, False, True, True, True, True]
        assert sitting.verdicts == []
        sitting.check_promises()


def test_a_sensor_out_of_order_is_one_for_this_job_only(tmp_path: Path) -> None:
    with Sensing(tmp_path, DEALS, dead(2)) as sitting:
        sitting.cure = sitting.without_sensor
        sitting.run()
        assert sitting.verdicts == [Verdict.COUNTED]
        sitting.put_all_together()
        sitting.hands.put_board_in(sitting.boards[0])
        sitting.halts.clear()
        sitting.another_program()

        def give_up(halt: Halt) -> bool:
            if sitting.stops():
                sitting.job.decide(Choice.STOP)
            return bool(sitting.stops())

        sitting.cure = give_up
        sitting.run()
        assert sitting.stops()[0].choices == USUAL
