"""A board that is left with cards in the machine, and a person who does exactly what the prompt says, and no more.

Read next: `driver/left_inside.py`, `tests/support/sitting.py`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from driver.findings import Choice
from driver.sentences import ALL_OUT
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.profile import FULL, P_ONLY, R_ONLY, Profile
from firmware_sim.slot import SimBoard
from protocol.codes import BoardSensing, HopperSensing
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting, pack_for
from tests.support.visibility import DEALS

pytestmark = pytest.mark.usefixtures("quick_disk")

CARD: Final = 20
NONE: Final = FaultPlan()
NEXT: Final = (ALL_OUT, "Take board 1 out.", "Put the empty board 2 and a pack in.")
UNNUMBERED: Final = replace(FULL, board=BoardSensing.PRESENCE)
NO_HOPPER: Final = replace(P_ONLY, hopper=HopperSensing.NO)
PROFILES: Final = {"full": FULL, "r-only": R_ONLY, "p-only": P_ONLY, "p-only, hopper not sensed": NO_HOPPER}


class LiteralSitting(Sitting):
    """The person leaves board 1 when it stops, and obeys each prompt to the letter: what it does not say stays.

    Only a card in sight is taken out of the path without a word.
    Board 1 stops because it was pulled out, or by `faults`. `forgets` so many prompts after it was left: Enter is
    pressed, and nothing done.
    """

    def __init__(self, data: Path, profile: Profile, *numbers: int, forgets: int = 0, faults: FaultPlan = NONE) -> None:
        super().__init__(data, DEALS, Setup(profile=profile, faults=faults), numbers=numbers)
        self.choose = self.leave_what_stops
        self.meanwhile = self.pull_board_1
        self.forgets = forgets
        self._packs = 0
        self._pulled = faults is not NONE

    def pull_board_1(self, now: float) -> None:
        """Out and in again in the middle: no machine can go on with it, and no card is lost."""
        if len(self.core.truth.feeds()) == CARD and not self._pulled:
            self._pulled = True
            self.mechanism.slot.insert_board(self.mechanism.slot.remove_board())

    def leave_what_stops(self, halt: Halt) -> Choice | None:
        return Choice.SKIP if halt.choices and halt.choices[0] is Choice.DEAL_AGAIN else None

    def prepare(self, choice: Choice, halt: Halt) -> None:
        if choice is Choice.SKIP:
            self.hands.take_path()
        if choice is Choice.SKIP or not self.core.truth.motions:
            return
        if self.forgets:
            self.forgets -= 1
            return
        said, slot = halt.prompt.hands, self.mechanism.slot
        if ALL_OUT in said:
            self.hands.take_path()
            slot.empty_pockets()
            self.mechanism.take_hopper()
        if "Take board" in said:
            self.hands.take_board_out()
        if "Put the empty board" in said or ("or put it in" in said and slot.board is None):
            board = SimBoard(halt.prompt.board)
            self.boards[self.numbers.index(board.number)] = board
            self.hands.put_board_in(board)
        if choice is Choice.GO and "pack" in said:
            self._packs += 1
            self.mechanism.load_pack(pack_for(self.profile, 60 + self._packs, pack=20 + self._packs), below=True)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_the_board_after_one_that_was_left_is_right_because_all_cards_come_out_first(
    profile: Profile, tmp_path: Path
) -> None:
    with LiteralSitting(tmp_path, profile, 1, 2) as sitting:
        sitting.run()
        (after,) = (halt for halt in sitting.halts if halt.prompt.board == 2 and Choice.GO in halt.choices)
        assert after.prompt.steps == NEXT
        sitting.check_good()
        assert len(sitting.core.truth.motions) == 3


@pytest.mark.parametrize("forgets", [0, 1], ids=["taken out", "still in the slot, with its cards"])
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_the_only_board_that_was_left_is_dealt_again_where_it_is(
    profile: Profile, forgets: int, tmp_path: Path
) -> None:
    with LiteralSitting(tmp_path, profile, 1, forgets=forgets) as sitting:
        sitting.run()
        stopped, left, again = sitting.halts[-3:]
        assert stopped.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
        assert left.choices == (Choice.DEAL_THEM, Choice.LEAVE_THEM)
        assert again.prompt.text == "Board 1 is to be dealt again."
        assert again.prompt.steps[0] == ALL_OUT
        assert again.prompt.steps[-1] == "Leave the empty board 1 in, or put it in."
        sitting.check_good()
        assert len(sitting.core.truth.motions) == 2


@pytest.mark.parametrize("profile", [FULL, UNNUMBERED], ids=["its number is read", "it is not read"])
def test_a_board_that_was_left_and_still_lies_there_is_not_called_dealt(profile: Profile, tmp_path: Path) -> None:
    faults = FaultPlan((MachineFault(FaultKind.DOUBLE_FEED, CARD, run=1),))
    with LiteralSitting(tmp_path, profile, 1, 2, forgets=1, faults=faults) as sitting:
        sitting.run()
        (still,) = (halt for halt in sitting.halts if halt.prompt.text == "Board 1 still lies in the machine.")
        assert still.prompt.steps == NEXT
        sitting.check_good()


def test_a_board_that_was_left_with_its_number_read_is_not_taken_for_a_wrong_one(tmp_path: Path) -> None:
    with LiteralSitting(tmp_path, FULL, 1, 2, forgets=1) as sitting:
        sitting.run()
        (still,) = (halt for halt in sitting.halts if halt.prompt.text == "Board 1 still lies in the machine.")
        assert still.prompt.steps == NEXT, "the rest of its pack has to come out too"
        sitting.check_good()


def test_cards_in_the_pockets_of_a_board_that_was_left_come_out_with_all_the_others(tmp_path: Path) -> None:
    with LiteralSitting(tmp_path, P_ONLY, 1, 2, forgets=1) as sitting:
        sitting.run()
        (full,) = (halt for halt in sitting.halts if halt.prompt.text.startswith("There are cards in pocket"))
        assert full.prompt.steps == (ALL_OUT, NEXT[-1])
        sitting.check_good()
