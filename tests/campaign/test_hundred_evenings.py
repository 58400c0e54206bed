"""A hundred evenings on one store, 36 boards each, with the faults of a usual evening: nothing grows but what must.

What is stated here is what holds: descriptors, threads and files are as many after each evening; the store grows by
the boards that were dealt and by nothing else; memory does not grow once the first evenings have passed.
Read next: `belongings.py`, `tests/support/sitting.py`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.line import Cut, Line
from firmware_sim.memory import Memory
from firmware_sim.person_script import PersonScript, Slip, SlipKind
from protocol.cards import PACK_SIZE
from tests.campaign.belongings import BYTES_PER_BOARD, Belongings, check_memory
from tests.support.figures import Figures
from tests.support.peers import Setup
from tests.support.sitting import PersonSitting
from tests.support.store import deal_set

BOARDS: Final = 36
EVENINGS: Final = 100
SET_ASIDE: Final = 20
"""Evenings before memory is looked at first: what is loaded and remembered once is there then."""
USUAL: Final = (
    FaultKind.JAM_PATH,
    FaultKind.JAM_READER,
    FaultKind.NO_FEED,
    FaultKind.DOUBLE_FEED,
    FaultKind.MISREAD,
    FaultKind.UNREADABLE,
    FaultKind.FACE_UP,
    FaultKind.FOREIGN,
    FaultKind.COVER,
)
SLIPS: Final = (SlipKind.SAME_BOARD, SlipKind.WRONG_BOARD, SlipKind.FULL_BOARD, SlipKind.TURNED_BOARD)
SLIPS_FROM: Final = range(17, BOARDS + 1)
"""Boards at which the person slips: a wrong board is 20 higher than the right one, and here none of tonight's."""
ON_A_LINE: Final = "drop=0.02/0.02 flip=0.02/0.02"


class EveningMachine(SimMachine):
    """The machine of one evening. Being of its own class it is given back when its evening is over."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What goes wrong on one evening."""

    faults: FaultPlan
    script: PersonScript
    cable_out: Cut

    @classmethod
    def of(cls, evening: int) -> Usual:
        """What that evening's number draws."""
        dice = random.Random(evening)
        runs = dice.sample(range(2, BOARDS + 1), 6)
        faults = [
            MachineFault(dice.choice(USUAL), dice.randrange(PACK_SIZE), run, dice.randrange(PACK_SIZE)) for run in runs
        ]
        slips = tuple(Slip(dice.choice(SLIPS), turn) for turn in dice.sample(SLIPS_FROM, 2))
        script = PersonScript(boards=tuple(range(1, BOARDS + 1)), slips=slips, seed=evening)
        return cls(FaultPlan(tuple(faults)), script, Cut(dice.uniform(10, 150), dice.choice((0.5, 2.0, 5.0))))


def deal_evening(evening: int, memory: Memory | None, data: Path) -> Memory:
    """Deals 36 new boards; the machine's memory as it is in the end. All boards are proven and right."""
    usual = Usual.of(evening)
    line = Line.parse(f"seed={evening} {ON_A_LINE} cut={usual.cable_out.at}/{usual.cable_out.back_after}")
    setup = Setup(faults=usual.faults, line=line, memory=memory, machine=EveningMachine, seed=evening)
    deals = deal_set(usual.script.boards, seed=evening, name=f"evening {evening}")
    with PersonSitting(data, deals, usual.script, setup) as sitting:
        sitting.run()
        assert sitting.verdicts == [Verdict.GOOD] * BOARDS, f"evening {evening}: {sitting.verdicts}"
        sitting.check_good()
        sitting.core.power_off()
        return sitting.core.memory


def deal_evenings(evenings: int, data: Path, figures: Figures) -> list[Belongings]:
    """Deals them all on one store; what was there after each. Fails where more is left behind than stated."""
    looks: list[Belongings] = []
    memory: Memory | None = None
    for evening in range(1, evenings + 1):
        memory = deal_evening(evening, memory, data)
        looks.append(Belongings.now(data))
    what = f"after each of {evenings} evenings of {BOARDS} boards"
    for name in ("descriptors", "threads", "files"):
        numbers = sorted({getattr(look, name) for look in looks})
        same = len(numbers) == 1
        figures.tell(f"{name} {what}", numbers if not same else numbers[0], aim="always the same", met=same, seed=1)
    grown = (looks[-1].stored - looks[0].stored) / (BOARDS * (evenings - 1))
    figures.tell(
        f"what the store grows by in {evenings} evenings",
        f"{grown:,.0f} bytes a board",
        aim=f"{BYTES_PER_BOARD:,} or less",
        met=grown <= BYTES_PER_BOARD,
        seed=1,
    )
    return looks


def test_two_evenings_on_one_store_leave_nothing_behind_but_boards(quick_folder: Path, figures: Figures) -> None:
    deal_evenings(2, quick_folder, figures)


@pytest.mark.campaign
def test_a_hundred_evenings_on_one_store_leave_nothing_behind_but_boards(quick_folder: Path, figures: Figures) -> None:
    looks = deal_evenings(EVENINGS, quick_folder, figures)
    check_memory(looks[SET_ASIDE - 1], looks[-1], f"from evening {SET_ASIDE} to {EVENINGS}", figures)
