"""Every slip of the person ends in a named state, with the right question, and in a board that is right.

Read next: `firmware_sim/person_script.py` (the kinds), `tests/support/sitting.py`, `test_machine_faults.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from driver.findings import Choice
from driver.job_events import KeyPressed, MachineBack, MachineLost
from driver.steps import Step
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.line import Line
from firmware_sim.packs import with_stop_card
from firmware_sim.person_script import PersonScript, Slip, SlipKind
from firmware_sim.profile import FULL, Profile
from firmware_sim.slot import SimBoard
from protocol.codes import FaultCode, Key, LedgerKind, Obstacle, PauseReason, Place, State
from tests.support.peers import Setup
from tests.support.sitting import Halt, PersonSitting, Sitting, pack_for
from tests.support.visibility import DEALS, LAST, P_AND_R

pytestmark = pytest.mark.usefixtures("quick_disk")

CARDS: Final = (0, 26, LAST)
BOARDS: Final = (1, 2, 3)
RUN_LEDGER: Final = replace(FULL, ledger=LedgerKind.RUN)
ASK_GO: Final = (Choice.GO, Choice.SKIP, Choice.STOP)
MAY_GO_ON: Final = (Choice.GO_ON, Choice.DEAL_AGAIN, Choice.STOP)
ONLY_AGAIN: Final = (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
LEAVES, CARD_TIME = 0.020, 100
"""Seconds from the feed's begin until the card leaves the hopper; milliseconds from feed to feed."""
LEDGERS: Final = pytest.mark.parametrize("profile", [FULL, RUN_LEDGER], ids=["LEDGER=card", "LEDGER=run"])
TURNS: Final = pytest.mark.parametrize("turn", BOARDS, ids=lambda turn: f"board {turn}")
AT_CARDS: Final = pytest.mark.parametrize("card", CARDS, ids=lambda card: f"card {card}")


@dataclass(frozen=True, slots=True)
class BoardSlip:
    """A slip with a board: what the prompt says on a machine that senses everything, and where only pockets are."""

    text: Callable[[int], str]
    hands: str
    text_by_pockets: str = ""


FULL_POCKETS: Final = "There are cards in pocket N and E and S and W."
OUT_AND_NEXT: Final = "Take it out and put the right board in."
BOARD_SLIPS: Final = {
    SlipKind.SAME_BOARD: BoardSlip(lambda turn: f"This is board {turn - 1}.", OUT_AND_NEXT, FULL_POCKETS),
    SlipKind.WRONG_BOARD: BoardSlip(lambda turn: f"This is board {turn + 20}.", OUT_AND_NEXT),
    SlipKind.FULL_BOARD: BoardSlip(
        lambda turn: FULL_POCKETS,
        "Look at its number before you take any card out. Take the board out and empty it, or put another in.",
        FULL_POCKETS,
    ),
    SlipKind.TURNED_BOARD: BoardSlip(
        lambda turn: "The board lies the wrong way round.", "Take it out, turn it, put it in again."
    ),
}
CARD_SLIPS: Final = {
    SlipKind.PULLED_EARLY,
    SlipKind.JAM_TO_POCKET,
    SlipKind.JAM_FORGOTTEN,
    SlipKind.NOT_CLEARED,
    SlipKind.TWO_KEYS,
}


def test_every_kind_of_slip_has_its_test_here() -> None:
    assert set(BOARD_SLIPS) | CARD_SLIPS == set(SlipKind)


def slipping(data: Path, slip: Slip, profile: Profile = FULL, *faults: MachineFault) -> PersonSitting:
    """A sitting of three boards with that slip; nothing moves while the person has not decided."""
    setup = Setup(profile=profile, faults=FaultPlan(faults))
    return PersonSitting(data, DEALS, PersonScript(boards=BOARDS, slips=(slip,)), setup)


def check_all_good(sitting: Sitting, motions: int) -> None:
    """All boards are proven and true, and the motors were started so many times and no more."""
    sitting.check_good()
    assert len(sitting.core.truth.motions) == motions


# Boards


@TURNS
@pytest.mark.parametrize("kind", BOARD_SLIPS, ids=lambda kind: kind.value)
def test_a_slip_with_a_board_is_said_and_nothing_moves_until_it_is_put_right(
    kind: SlipKind, turn: int, tmp_path: Path
) -> None:
    if kind is SlipKind.SAME_BOARD and turn == 1:
        turn = 2
    with slipping(tmp_path, Slip(kind, turn)) as sitting:
        sitting.run()
        halts = [halt for halt in sitting.halts if halt.prompt.text == BOARD_SLIPS[kind].text(turn)]
        assert halts
        assert {halt.prompt.hands for halt in halts} == {BOARD_SLIPS[kind].hands}
        assert {halt.choices for halt in halts} == ({ASK_GO} if turn == 1 else {()}), "the first board is a question"
        assert all(halt.state is State.NONE for halt in halts)
        check_all_good(sitting, len(BOARDS))


@pytest.mark.parametrize("kind", [SlipKind.SAME_BOARD, SlipKind.FULL_BOARD], ids=lambda kind: kind.value)
def test_a_board_that_is_not_empty_is_seen_by_its_pockets_alone(kind: SlipKind, tmp_path: Path) -> None:
    with slipping(tmp_path, Slip(kind, 2), P_AND_R) as sitting:
        sitting.run()
        assert BOARD_SLIPS[kind].text_by_pockets in [halt.prompt.text for halt in sitting.halts]
        check_all_good(sitting, len(BOARDS))


@LEDGERS
@TURNS
@AT_CARDS
def test_a_board_pulled_early_stops_everything_and_is_dealt_again(
    card: int, turn: int, profile: Profile, tmp_path: Path
) -> None:
    with slipping(tmp_path, Slip(SlipKind.PULLED_EARLY, turn, card), profile) as sitting:
        sitting.run()
        (halt,) = sitting.stops()
        assert (halt.fault, halt.index, halt.obstacle) == (FaultCode.BOARD_OUT, card, Obstacle.BOARD)
        assert halt.choices == ONLY_AGAIN
        assert halt.prompt.code == "BOARD_OUT"
        assert len(sitting.judged) == len(BOARDS), "the pulled board had no verdict"
        check_all_good(sitting, len(BOARDS) + 1)


# Cards


@LEDGERS
@pytest.mark.parametrize("place", [FaultKind.JAM_READER, FaultKind.JAM_PATH], ids=lambda kind: kind.value)
@AT_CARDS
def test_a_stuck_card_put_into_a_pocket_is_missed_at_the_end(
    card: int, place: FaultKind, profile: Profile, tmp_path: Path
) -> None:
    fault = MachineFault(place, card, run=2)
    with slipping(tmp_path, Slip(SlipKind.JAM_TO_POCKET, 2), profile, fault) as sitting:
        sitting.run()
        jam, *rest = sitting.stops()
        assert (jam.fault, jam.index, jam.choices) == (FaultCode.JAM, card, MAY_GO_ON)
        if card < LAST:
            (end,) = rest
            assert (end.fault, end.index) == (FaultCode.HOPPER_EMPTY, LAST), "one card of the pack does not come"
        assert len(sitting.judged) == len(BOARDS), "the board that lacked a card had no verdict"
        sitting.check_good()


@LEDGERS
@pytest.mark.parametrize("place", [FaultKind.JAM_READER, FaultKind.JAM_PATH], ids=lambda kind: kind.value)
@pytest.mark.parametrize("card", [0, 26, 50])
def test_a_stuck_card_that_was_forgotten_is_missed_at_the_end_and_then_found(
    card: int, place: FaultKind, profile: Profile, tmp_path: Path
) -> None:
    fault = MachineFault(place, card, run=2)
    with slipping(tmp_path, Slip(SlipKind.JAM_FORGOTTEN, 2), profile, fault) as sitting:
        sitting.run()
        jam, end = sitting.stops()
        assert (jam.fault, jam.index, jam.choices) == (FaultCode.JAM, card, MAY_GO_ON)
        assert (end.fault, end.index, end.choices) == (FaultCode.HOPPER_EMPTY, LAST, MAY_GO_ON)
        assert "Look on the table" in end.prompt.hands
        check_all_good(sitting, len(BOARDS) + 2)


CLEARABLE: Final = {
    FaultKind.JAM_READER: "A card lies in the machine's path.",
    FaultKind.JAM_PATH: "A card lies in the machine's path.",
    FaultKind.FACE_UP: "A card lies in the machine's path.",
    FaultKind.UNREADABLE: "A card lies in the machine's path.",
    FaultKind.FOREIGN: "A card lies in the machine's path.",
    FaultKind.COVER: "The cover is open.",
}


@AT_CARDS
@pytest.mark.parametrize("kind", CLEARABLE, ids=lambda kind: kind.value)
@pytest.mark.parametrize("key", [False, True], ids=["on the screen", "START key"])
def test_going_on_without_putting_anything_right_moves_nothing_and_asks_again(
    key: bool, kind: FaultKind, card: int, tmp_path: Path
) -> None:
    plan = FaultPlan((MachineFault(kind, card, value=60 if kind is FaultKind.COVER else 0),))
    with Sitting(tmp_path, DEALS, Setup(faults=plan)) as sitting:

        def too_early(halt: Halt) -> bool:
            stops = sitting.stops()
            if not 1 <= len(stops) <= 2:
                return False
            if key:
                sitting.mechanism.press(Key.START)
            else:
                sitting.job.decide(Choice.GO_ON)
            return True

        sitting.cure = too_early
        sitting.run()
        first, again, last = sitting.stops()
        assert first.choices == again.choices == last.choices == MAY_GO_ON
        assert (again.prompt.text, again.index) == (CLEARABLE[kind], card)
        assert last.prompt == again.prompt
        check_all_good(sitting, 2)


@TURNS
def test_start_pressed_at_a_fault_before_it_is_cured_asks_again(turn: int, tmp_path: Path) -> None:
    fault = MachineFault(FaultKind.JAM_PATH, 26, run=turn)
    with slipping(tmp_path, Slip(SlipKind.NOT_CLEARED, turn), FULL, fault) as sitting:
        sitting.run()
        first, again = sitting.stops()
        assert (first.fault, again.prompt.text) == (FaultCode.JAM, CLEARABLE[FaultKind.JAM_PATH])
        assert again.choices == MAY_GO_ON
        check_all_good(sitting, len(BOARDS) + 1)


# Keys


@TURNS
@AT_CARDS
def test_start_and_stop_pressed_at_once_stop(card: int, turn: int, tmp_path: Path) -> None:
    with slipping(tmp_path, Slip(SlipKind.TWO_KEYS, turn, card)) as sitting:
        sitting.run()
        (halt,) = sitting.stops()
        assert (halt.reason, halt.index) == (PauseReason.STOP, card)
        assert halt.choices == (MAY_GO_ON if halt.obstacle is Obstacle.NONE else ONLY_AGAIN)
        check_all_good(sitting, len(BOARDS) + 1)


@pytest.mark.parametrize("moment", range(0, 100, 5))
@pytest.mark.parametrize("keys", [(Key.START, Key.STOP), (Key.STOP, Key.START)], ids=["START first", "STOP first"])
def test_two_keys_at_any_moment_of_a_card_leave_the_machine_stopped_until_somebody_decides(
    keys: tuple[Key, Key], moment: int, tmp_path: Path
) -> None:
    with Sitting(tmp_path, DEALS) as sitting:
        pressed: list[float] = []

        def press(now: float) -> None:
            feeds = sitting.core.truth.feeds()
            if len(feeds) == 20 and sitting.alarm is None:
                sitting.alarm = feeds[-1].time - LEAVES + (CARD_TIME + moment) / 1000
            if sitting.alarm is not None and now >= sitting.alarm and not pressed:
                pressed.append(now)
                for key in keys:
                    sitting.mechanism.press(key)

        sitting.meanwhile = press
        sitting.run()
        assert pressed
        (halt,) = sitting.stops()
        assert (halt.reason, halt.index) == (PauseReason.STOP, 20)
        assert halt.choices == (ONLY_AGAIN if halt.doubt else MAY_GO_ON)
        assert [event.key for event in sitting.events if isinstance(event, KeyPressed)] == [key.name for key in keys]
        check_all_good(sitting, 2)


def test_start_pressed_at_odd_times_moves_nothing_that_was_not_asked_for(tmp_path: Path) -> None:
    """While cards move, between two boards, and on the board just dealt."""
    with Sitting(tmp_path, DEALS, numbers=(1, 2)) as sitting:
        times: list[float] = []

        def press(now: float) -> None:
            if now >= (times[-1] if times else 0) + 0.3:
                times.append(now)
                if sitting.job.step is not Step.ASK_START:
                    sitting.mechanism.press(Key.START)

        sitting.meanwhile = press
        sitting.run()
        assert len(times) > 30
        check_all_good(sitting, 2)


def test_start_pressed_while_the_cable_was_out_does_not_count_when_it_is_back(tmp_path: Path) -> None:
    """The person pressed, saw nothing move, and has the hands in the machine by now."""
    line = Line.parse("seed=1 cut=3.0/20.0")
    with Sitting(tmp_path, DEALS, Setup(line=line)) as sitting:
        pressed: list[float] = []

        def press(now: float) -> None:
            if now >= 15 and not pressed:
                pressed.append(now)
                assert sitting.endpoint.is_cut
                sitting.mechanism.press(Key.START)

        sitting.meanwhile = press
        motions: list[int] = []

        def count(halt: Halt) -> bool:
            motions.append(len(sitting.core.truth.motions))
            return False

        sitting.cure = count
        sitting.run()
        assert pressed
        assert [event.key for event in sitting.events if isinstance(event, KeyPressed)] == ["START"]
        (halt,) = sitting.stops()
        assert (halt.reason, halt.choices) == (PauseReason.HOST_LOST, MAY_GO_ON)
        assert motions == [0, 1], "nothing moved between the reconnect and the decision"
        check_all_good(sitting, 2)


def test_a_whole_set_is_dealt_with_the_start_key_alone(tmp_path: Path) -> None:
    script = PersonScript(boards=BOARDS, starts=True)
    faults = FaultPlan((MachineFault(FaultKind.JAM_PATH, 9, run=1), MachineFault(FaultKind.NO_FEED, 30, run=2)))
    with PersonSitting(tmp_path, DEALS, script, Setup(faults=faults)) as sitting:
        sitting.cure = lambda halt: True
        sitting.run()
        check_all_good(sitting, len(BOARDS) + 2)


@pytest.mark.parametrize("key", [Key.START, Key.PAUSE, Key.STOP])
def test_a_key_pressed_when_only_dealing_again_is_offered_moves_nothing(key: Key, tmp_path: Path) -> None:
    plan = FaultPlan((MachineFault(FaultKind.DOUBLE_FEED, 11),))
    with Sitting(tmp_path, DEALS, Setup(faults=plan)) as sitting:

        def press(halt: Halt) -> bool:
            if len(sitting.stops()) != 1 or sitting.dealt_again:
                return False
            sitting.mechanism.press(key)
            if key is not Key.START:
                sitting.prepare(Choice.DEAL_AGAIN, halt)
                sitting.job.decide(Choice.DEAL_AGAIN)
            return True

        sitting.cure = press
        sitting.run()
        assert all(halt.choices == ONLY_AGAIN for halt in sitting.stops())
        assert len(sitting.stops()) == (2 if key is Key.START else 1), "START asks the same once more"
        check_all_good(sitting, 2)


def test_pause_at_the_machine_asks_before_the_next_board(tmp_path: Path) -> None:
    with Sitting(tmp_path, DEALS, numbers=(1, 2)) as sitting:
        pressed: list[float] = []

        def press(now: float) -> None:
            if sitting.core.control.state is State.MOVING and not pressed:
                pressed.append(now)
                sitting.mechanism.press(Key.PAUSE)

        sitting.meanwhile = press
        sitting.run()
        assert [halt.choices for halt in sitting.halts] == [ASK_GO, ASK_GO]
        assert sitting.halts[1].prompt.text == "Paused, as you asked."
        check_all_good(sitting, 2)


# In between


@LEDGERS
@pytest.mark.parametrize("emptied", [False, True], ids=["another board", "the same board"])
def test_a_board_swapped_while_the_cable_is_out_is_dealt_again(emptied: bool, profile: Profile, tmp_path: Path) -> None:
    line = Line.parse("seed=1 cut=3.0/20.0")
    with Sitting(tmp_path, DEALS, Setup(line=line, profile=profile)) as sitting:
        swapped: list[float] = []

        def swap(now: float) -> None:
            if now >= 12 and not swapped:
                swapped.append(now)
                slot = sitting.mechanism.slot
                old = slot.remove_board()
                slot.insert_board(old if emptied else SimBoard(1))

        sitting.meanwhile = swap
        sitting.run()
        (halt,) = sitting.stops()
        assert (halt.reason, halt.obstacle) == (PauseReason.HOST_LOST, Obstacle.BOARD)
        assert halt.choices == ONLY_AGAIN
        lost = [event for event in sitting.events if isinstance(event, MachineLost | MachineBack)]
        assert [type(event) for event in lost] == [MachineLost, MachineBack]
        check_all_good(sitting, 2)


@pytest.mark.parametrize("closed", [True, False], ids=["and closed", "and left open"])
@AT_CARDS
def test_a_cover_opened_between_the_pause_and_going_on_is_closed_first(card: int, closed: bool, tmp_path: Path) -> None:
    plan = FaultPlan((MachineFault(FaultKind.NO_FEED, card),))
    with Sitting(tmp_path, DEALS, Setup(faults=plan)) as sitting:

        def open_cover(halt: Halt) -> bool:
            if len(sitting.stops()) != 1:
                return False
            sitting.mechanism.open_cover()
            if closed:
                sitting.mechanism.close_cover()
            sitting.job.decide(Choice.GO_ON)
            return True

        sitting.cure = open_cover
        sitting.run()
        assert [halt.prompt.text for halt in sitting.stops()[1:]] == ([] if closed else ["The cover is open."])
        check_all_good(sitting, 2)


def test_a_cover_opened_between_two_boards_keeps_the_next_one_waiting_until_it_is_closed(tmp_path: Path) -> None:
    with Sitting(tmp_path, DEALS, numbers=(1, 2)) as sitting:

        def open_cover(halt: Halt) -> bool:
            if len(sitting.halts) == 2:
                sitting.mechanism.open_cover()
                sitting.next_board()
                return True
            if len(sitting.halts) == 3:
                sitting.mechanism.close_cover()
                return True
            return False

        sitting.cure = open_cover
        sitting.run()
        waits = sitting.halts[2]
        assert (waits.prompt.text, waits.prompt.hands, waits.choices) == ("The cover is open.", "Close the cover.", ())
        check_all_good(sitting, 2)


def test_a_stop_card_on_top_keeps_the_next_board_waiting_until_it_is_taken_off(tmp_path: Path) -> None:
    load = [with_stop_card(pack_for(FULL, 1)), pack_for(FULL, 2, pack=2)]
    with Sitting(tmp_path, DEALS, load=load, numbers=(1, 2), more_packs=True) as sitting:

        def take_off(halt: Halt) -> bool:
            if len(sitting.halts) == 3:
                assert sitting.mechanism.take_card(Place.HOPPER).stop
            return len(sitting.halts) == 3

        sitting.cure = take_off
        sitting.run()
        waits = sitting.halts[2]
        assert waits.choices == ()
        assert (waits.prompt.text, "stop card" in waits.prompt.hands) == ("No pack is ready in the hopper.", True)
        assert not any(judgement.open_pack_end for judgement in sitting.judged[:1])
        check_all_good(sitting, 2)


def test_stop_pressed_between_two_boards_makes_the_next_one_a_question(tmp_path: Path) -> None:
    with Sitting(tmp_path, DEALS, numbers=(1, 2)) as sitting:

        def stop(halt: Halt) -> bool:
            if len(sitting.halts) == 2:
                sitting.mechanism.press(Key.STOP)
                sitting.next_board()
                return True
            return False

        sitting.cure = stop
        sitting.run()
        assert sitting.halts[2].prompt.text == "STOP was pressed at the machine."
        assert sitting.halts[2].choices == ASK_GO
        check_all_good(sitting, 2)


def test_a_person_who_leaves_a_jam_in_the_path_and_deals_again_is_told_and_comes_through(tmp_path: Path) -> None:
    plan = FaultPlan((MachineFault(FaultKind.JAM_PATH, 20),))
    with Sitting(tmp_path, DEALS, Setup(faults=plan), wants=Choice.DEAL_AGAIN) as sitting:

        def forget_the_path(halt: Halt) -> bool:
            if len(sitting.stops()) == 1 and halt.state is State.PAUSED:
                sitting.mechanism.slot.empty_pockets()
                sitting.job.decide(Choice.DEAL_AGAIN)
                return True
            return False

        sitting.cure = forget_the_path
        sitting.run()
        told = [halt.prompt.text for halt in sitting.halts[2:]]
        assert told[0] == "A card lies in the machine's path."
        assert sitting.judged[-1].board == 1
        sitting.check_promises()
        assert sitting.complete
