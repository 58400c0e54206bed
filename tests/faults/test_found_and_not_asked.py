"""The rows of "what is found afterwards" that the next program settles by itself, or asks about in a way of their own.

Read next: PROTOCOL.md, section 10; `test_found_afterwards.py`; `driver/recovery.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from unittest import mock

import pytest

from driver.errors import OtherMachine
from driver.findings import Choice
from driver.job_events import BoardJudged, JobEnded, MachineLost
from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.line import Direction
from firmware_sim.packs import shuffled_pack
from firmware_sim.profile import FULL
from protocol.cards import PACK_SIZE
from protocol.codes import BoardSensing, Kind, RequestType, State
from protocol.constants import GIVE_UP, RESEND_EVERY
from tests.faults.grief import CARD, GO_ON, begin, finish, kill_at, kill_in_mid_board, verdicts
from tests.stateful.trick_line import lost
from tests.stateful.watch import Watch, WatchedMachine
from tests.stateful.world import World


class Unsensing(WatchedMachine):
    """A machine that does not sense its board."""

    def __init__(self, watch: Watch, seed: int) -> None:
        self._watch = watch
        SimMachine.__init__(self, replace(FULL, board=BoardSensing.NONE), seed=seed)


class Restless(WatchedMachine):
    """A machine, slow and wrong, that goes on when another connection takes effect."""

    def _take_effect(self) -> None:
        with mock.patch.object(self.control, "want_pause"):
            super()._take_effect()


def test_a_lost_arm_or_go_or_answer_is_sent_again_and_the_board_dealt_once(world: World) -> None:
    for request in (RequestType.ARM, RequestType.GO):
        world.line.on_request(request, lost)
        world.line.on_answer(request, lost)
    world.start_board()
    world.run()
    assert (world.watch.motions, world.line.requests(RequestType.GO)) == (1, 3)
    assert world.heard(BoardJudged)
    finish(world)


def test_after_five_seconds_without_an_answer_the_state_is_looked_at_on_a_new_connection(world: World) -> None:
    world.line.on(Direction.TO_HOST, Kind.ANSWER, lost, GIVE_UP // RESEND_EVERY + 1)
    world.start_board()
    world.run()
    assert world.heard(MachineLost)
    assert world.between_boards
    assert world.watch.motions == 0
    finish(world)


@pytest.mark.parametrize("world", [Restless], indirect=True)
@pytest.mark.parametrize("choice", [Choice.ASK_AGAIN, Choice.STOP])
def test_cards_that_do_not_stop_are_told_and_stop_stops_the_motors(world: World, choice: Choice) -> None:
    world.core.speed = 0.1
    kill_at(world, RequestType.GO, answer=True)
    assert begin(world) == (Choice.ASK_AGAIN, Choice.STOP)
    world.decide(choice)
    world.run()
    if choice is Choice.ASK_AGAIN:
        assert world.asked is not None
        assert world.asked.choices == (Choice.ASK_AGAIN, Choice.STOP)
        world.decide(Choice.STOP)
        world.run()
    assert world.is_over or isinstance(world.told[-1], JobEnded)
    run = world.core.control.run
    assert run is not None
    assert world.core.control.state is State.PAUSED
    assert len(world.core.truth.feeds()) < PACK_SIZE
    world.core.speed = 1.0
    finish(world)


@pytest.mark.parametrize("taken_out", [False, True])
def test_a_finished_board_whose_place_is_sensed_is_judged_and_nothing_is_asked(world: World, taken_out: bool) -> None:
    kill_at(world, RequestType.READ_LEDGER)
    if taken_out:
        world.core.mechanism.slot.remove_board()

    assert begin(world)[0] is Choice.GO
    assert verdicts(world) == [(1, Verdict.GOOD)]
    assert world.asked is not None
    assert world.asked.board == 2
    assert ("Take board 1 out" in world.asked.hands) is not taken_out
    finish(world)


WHERE: Final = (Choice.BOARD_STILL_IN, Choice.BOARD_IS_OUT, Choice.STOP)


def swap_after_the_end(world: World) -> None:
    """Board 1 is taken out and lies there again, or another one of that number does."""
    slot = world.core.mechanism.slot
    slot.insert_board(slot.remove_board())


@pytest.mark.parametrize("world", [Unsensing, WatchedMachine], indirect=True)
@pytest.mark.parametrize("choice", WHERE)
def test_a_finished_board_whose_place_nothing_senses_is_judged_and_then_asked_for(world: World, choice: Choice) -> None:
    kill_at(world, RequestType.READ_LEDGER)
    swap_after_the_end(world)

    assert begin(world) == WHERE
    assert verdicts(world) == [(1, Verdict.GOOD)]
    assert world.asked is not None
    assert "Is board 1 out of the machine?" in world.asked.text
    world.decide(choice)
    world.run()
    assert world.core.control.run is None, "its verdict is written"
    if choice is not Choice.STOP:
        assert world.asked.board == 2
        assert ("Take board 1 out" in world.asked.hands) is (choice is Choice.BOARD_STILL_IN)
    finish(world)
    assert world.watch.motions == 3


def test_a_finished_board_that_is_not_proven_is_fetched_before_it_is_dealt_again(world: World) -> None:
    """More cards of the same back lie in the hopper at the end, although no pack below was announced."""
    world.at_card(CARD, lambda: world.core.mechanism.load_pack(shuffled_pack(9, pack=1), below=True))
    kill_at(world, RequestType.READ_LEDGER)
    world.core.mechanism.slot.remove_board()

    assert Choice.DEAL_AGAIN in begin(world)
    assert verdicts(world) == [(1, Verdict.NOT_PROVEN)]
    assert world.asked is not None
    assert world.asked.hands.startswith("Fetch board 1 and put it into the machine.")
    finish(world)


def test_a_board_with_its_verdict_is_closed_by_itself_and_not_offered_again(world: World) -> None:
    everything = list(world.left)
    kill_at(world, RequestType.CLOSE)
    world.left = everything

    assert begin(world)[0] is Choice.GO
    assert world.core.control.run is None
    assert world.asked is not None
    assert world.asked.board == 2
    world.left = everything[1:]
    finish(world)


@pytest.mark.parametrize("now", [False, True], ids=["stop", "stop now"])
def test_a_stop_that_crosses_with_the_last_card_leaves_the_verdict_to_the_ledger(world: World, now: bool) -> None:
    def stop_at_the_end(_: bytes) -> bool:
        """Nothing that the machine tells of the end arrives: the STOP, or the PAUSE, was on its way already."""
        if world.core.control.state is not State.DONE:
            return True
        if not stopped:
            stopped.append(now)
            (world.job.stop_now if now else world.job.stop)()
        return False

    stopped: list[bool] = []
    world.line.on(Direction.TO_HOST, Kind.EVENT, stop_at_the_end, 100)
    world.start_board()
    world.run()

    assert stopped == [now]
    assert verdicts(world) == [(1, Verdict.GOOD)]
    assert world.is_over
    assert world.core.control.run is None
    finish(world)


def test_another_machine_on_the_port_is_refused_in_the_same_program_and_in_the_next(world: World) -> None:
    kill_in_mid_board(world)
    first = world.core.profile
    world.core.profile = replace(first, serial="SIM-0002")
    world.begin_program()
    with pytest.raises(OtherMachine):
        world.run()
    world.end_program()

    world.core.profile = first
    assert begin(world) == GO_ON
    world.core.profile = replace(first, serial="SIM-0002")
    world.cut_cable(1.0)
    world.obey(Choice.DEAL_AGAIN)
    with pytest.raises(OtherMachine):
        world.run()
    assert world.watch.motions == 1
    world.end_program()
    world.core.profile = first
    finish(world)


def test_a_finished_board_that_is_not_in_the_job_is_kept_for_a_job_that_has_it(world: World) -> None:
    everything = list(world.left)
    kill_at(world, RequestType.READ_LEDGER)
    world.left = everything[1:]
    assert begin(world) == (Choice.STOP, Choice.CLEAR_AND_CLOSE)
    world.decide(Choice.STOP)
    world.run()
    world.left = everything
    begin(world)
    assert verdicts(world) == [(1, Verdict.GOOD)]
    finish(world)


def test_go_on_takes_the_safe_choice_about_what_was_found_and_the_start_key_none(world: World) -> None:
    everything = list(world.left)
    kill_at(world, RequestType.READ_LEDGER)
    world.left = everything[1:]
    assert begin(world)[0] is Choice.STOP
    world.press_start()
    world.endpoint.pass_time(0.1)
    world.run()
    assert world.core.control.run is not None, "what was found is still there"
    world.job.go_on()
    world.run()
    assert isinstance(world.told[-1], JobEnded)
    assert world.core.control.run is not None
    world.left = everything
    finish(world)


def test_the_board_in_hand_is_asked_about_anew_when_the_machine_was_lost_meanwhile(world: World) -> None:
    kill_in_mid_board(world)
    assert begin(world) == GO_ON
    world.cut_cable(1.0)
    world.run()
    assert world.heard(MachineLost)
    assert world.asked is not None
    assert world.asked.choices == GO_ON
    finish(world)
