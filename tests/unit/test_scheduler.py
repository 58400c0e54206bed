"""The scheduler alone: consent, the automatic setting, refusals, leaving and dealing again, stop at each step (I1, I4).

Read next: `driver/scheduler.py`, `tests/faults/test_person_faults.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from driver.findings import Choice, Situation, finding
from driver.happenings import (
    AtTheMachine,
    Closed,
    CloseRun,
    Decided,
    Done,
    EndJob,
    GoOn,
    Happening,
    Judged,
    JudgeRun,
    LeaveOpen,
    LookAgain,
    NoMore,
    NotStarted,
    OfferEmptied,
    QueueChanged,
    Reconnected,
    Release,
    Started,
    StartRun,
    Taken,
    TakeNext,
    Tell,
    Unknown,
)
from driver.job_events import NeedsOperator
from driver.scheduler import Scheduler
from driver.steps import Step
from driver.verdicts import Judgement
from protocol.codes import (
    BoardSensing,
    Check,
    Confirmation,
    FaultCode,
    Obstacle,
    PauseReason,
    Place,
    Refusal,
    RunFlag,
    Sensor,
)
from protocol.messages import BoardEvent, CoverEvent, HopperEvent
from tests.support.evidence import BARE, FULL
from tests.support.play import (
    BEST_BUT_COUNT,
    BEST_HERE,
    BOARD_IN,
    BOARD_OUT,
    COUNTABLE,
    COUNTED,
    GOOD,
    ITEMS,
    NOT_PROVEN,
    REFUSALS,
    STOP_KEY,
    Play,
    asked,
    found,
    paused,
    refused,
)

# Starting


def test_nothing_starts_before_a_person_says_so() -> None:
    play = Play()
    assert play.prompt.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
    assert "board 1" in play.prompt.hands
    news = AtTheMachine(HopperEvent(True)), AtTheMachine(CoverEvent(False, 2)), AtTheMachine(BoardEvent(True, 1, 2))
    assert not play.tell(BOARD_OUT, *news).moves
    assert play.decide(Choice.GO).starts(1)


def test_a_decision_carries_over_to_the_boards_that_follow() -> None:
    play = Play().dealing()
    for number in (2, 3):
        play.dealt()
        assert play.step is Step.WAITING
        assert play.prompt.choices == ()
        assert not play.tell(BOARD_OUT).moves
        assert play.tell(BOARD_IN).starts(number)
        play.tell(Started())
    assert play.dealt().commands == [EndJob(complete=True)]


def test_a_board_that_was_changed_before_the_run_was_closed_starts_at_once() -> None:
    play = Play().dealing().tell(Done(), BOARD_OUT, BOARD_IN, Judged(GOOD))
    assert play.tell(Closed()).starts(2)


def test_the_board_that_was_only_taken_out_does_not_start_the_next() -> None:
    play = Play().dealing().dealt().tell(BOARD_OUT)
    assert not play.moves
    assert not play.tell(AtTheMachine(CoverEvent(False, 2)), AtTheMachine(HopperEvent(True))).moves


@pytest.mark.parametrize(
    ("what", "happenings"),
    [
        ("a fault", [paused(), Decided(Choice.DEAL_AGAIN), Closed(), Started()]),
        ("a verdict", [Done(), Judged(NOT_PROVEN), Decided(Choice.DEAL_AGAIN), Closed(), Started()]),
    ],
)
def test_a_new_decision_carries_over_again(what: str, happenings: list[Happening]) -> None:
    play = Play().dealing().tell(*happenings).dealt().tell(BOARD_OUT, BOARD_IN)
    assert play.starts(2), what


@pytest.mark.parametrize(
    ("what", "happenings"),
    [
        ("a fault", [paused(cannot_go_on=Obstacle.DOUBT), Decided(Choice.SKIP)]),
        ("a pause", [paused(PauseReason.PAUSE), Decided(Choice.STOP)]),
        ("the host was lost", [paused(PauseReason.HOST_LOST)]),
        ("a restart", [Reconnected(True), paused(PauseReason.RESTART)]),
        ("a reconnect", [Reconnected(False), Done(), Judged(GOOD), Closed()]),
        ("a stop at the machine", [STOP_KEY, Done(), Judged(GOOD), Closed()]),
        ("an unknown end", [Unknown("Nobody knows.", "Look.")]),
        ("a verdict that is no proof", [Done(), Judged(NOT_PROVEN)]),
    ],
)
def test_consent_ends_at(what: str, happenings: list[Happening]) -> None:
    play = Play().dealing()
    for happening in happenings:
        assert not play.tell(happening).moves, what
    if what == "a fault":
        play.tell(Closed())
    assert not play.tell(BOARD_OUT, BOARD_IN).moves, what


@pytest.mark.parametrize("happening", [Reconnected(False), Reconnected(True), STOP_KEY])
def test_who_waits_for_a_board_is_asked_anew_after_a_reconnect_and_after_stop(happening: Happening) -> None:
    play = Play().dealing().dealt()
    assert Choice.GO in play.tell(happening).prompt.choices
    assert not play.tell(BOARD_OUT, BOARD_IN).moves
    assert play.decide(Choice.GO).starts(2)


def test_what_was_asked_between_boards_is_told_again_after_a_reconnect() -> None:
    waiting = Play(auto=True).dealing().dealt()
    assert waiting.step is Step.WAITING
    asked = waiting.prompt
    assert waiting.tell(Reconnected(False)).commands == [Tell(asked)]
    idle = Play().dealing()
    idle.tell(Done(), Judged(GOOD))
    idle.scheduler.on(Closed())
    (told,) = idle.scheduler.on(NoMore(busy=True))
    assert idle.scheduler.on(Reconnected(False)) == [told]


def test_a_machine_that_senses_no_board_asks_before_each() -> None:
    play = Play(replace(BARE, board=BoardSensing.NONE)).dealing()
    for number in (2, 3):
        assert Choice.GO in play.dealt(COUNTED).prompt.choices
        assert not play.tell(BOARD_OUT, BOARD_IN).moves
        assert play.decide(Choice.GO).starts(number)
        play.tell(Started())


def test_a_machine_that_senses_no_board_never_starts_by_itself() -> None:
    play = Play(BARE, auto=True)
    assert Choice.GO in play.prompt.choices
    play.dealing()
    assert not play.tell(paused(PauseReason.HOST_LOST)).moves
    assert not play.tell(NotStarted()).moves


def test_who_wants_to_be_asked_before_each_board_is() -> None:
    play = Play(ask_each=True).dealing()
    assert Choice.GO in play.dealt().prompt.choices
    assert not play.tell(BOARD_OUT, BOARD_IN).moves
    play.decide(Choice.GO).tell(Started(), paused()).decide(Choice.GO_ON).tell(Started())
    assert Choice.GO in play.dealt().prompt.choices
    play.decide(Choice.GO).tell(Started(), paused()).decide(Choice.DEAL_AGAIN).tell(Closed(), Started())
    assert play.dealt().step is Step.ENDED


def test_a_person_who_starts_confirms_what_the_machine_cannot_sense() -> None:
    (command,) = Play().decide(Choice.GO).commands
    assert isinstance(command, StartRun)
    assert command.confirmed == Confirmation.BOARD_NUMBER | Confirmation.POCKETS_EMPTY | Confirmation.HOPPER_LOADED
    assert command.clear
    chained = Play().dealing().dealt().tell(BOARD_IN).commands[0]
    assert isinstance(chained, StartRun)
    assert not chained.clear, "a fault is taken back only by a person"


# Pauses that were asked for


@pytest.mark.parametrize("auto", [False, True])
@pytest.mark.parametrize("waits", [False, True])
def test_a_pause_that_was_asked_for_comes_before_the_next_board(auto: bool, waits: bool) -> None:
    play = Play(auto=auto).dealing()
    if waits:
        play.dealt()
        play.scheduler.pause_wanted = True
        play.tell(BOARD_OUT, BOARD_IN)
    else:
        play.scheduler.pause_wanted = True
        play.dealt()
    assert play.prompt.text == "Paused, as you asked."
    assert not play.tell(BOARD_OUT, BOARD_IN).moves
    assert play.decide(Choice.GO).starts(2)
    assert not play.scheduler.pause_wanted


# The automatic setting (I4)


def test_the_automatic_setting_starts_the_first_board_and_the_following_ones() -> None:
    play = Play(auto=True)
    assert play.starts(1)
    play.tell(Started()).dealt()
    assert play.tell(BOARD_OUT, BOARD_IN).starts(2)


@pytest.mark.parametrize("reason", [PauseReason.HOST_LOST, PauseReason.HOST_CHANGED])
def test_the_automatic_setting_goes_on_where_nobody_but_the_host_was_away(reason: PauseReason) -> None:
    play = Play(auto=True).dealing().tell(Reconnected(False), paused(reason))
    (command,) = play.commands
    assert isinstance(command, GoOn)
    assert not command.put_back
    assert play.tell(Started()).dealt().tell(BOARD_IN).starts(2)


@pytest.mark.parametrize("reason", list(PauseReason))
def test_the_automatic_setting_goes_on_after_no_other_pause(reason: PauseReason) -> None:
    play = Play(auto=True).dealing().tell(paused(reason))
    assert play.moves == (reason in (PauseReason.HOST_LOST, PauseReason.HOST_CHANGED))


@pytest.mark.parametrize(
    "changes",
    [
        {"cannot_go_on": Obstacle.BOARD},
        {"doubt": 1},
        {"sensors": Sensor.PATH_CARD},
        {"sensors": Sensor.READER_CARD},
    ],
)
def test_the_automatic_setting_touches_no_card_that_lies_about(changes: dict[str, Any]) -> None:
    assert not Play(auto=True).dealing().tell(paused(PauseReason.HOST_LOST, **changes)).moves


def test_the_automatic_setting_starts_again_what_never_started_but_not_after_a_restart_or_a_stop() -> None:
    for happenings, goes in (
        ([Reconnected(False)], True),
        ([Reconnected(True)], False),
        ([STOP_KEY, Reconnected(False)], False),
    ):
        play = Play(auto=True).tell(*happenings, NotStarted())
        assert play.starts(1) == goes
        assert play.moves == goes
        assert goes or play.decide(Choice.GO).starts(1)


def test_without_the_automatic_setting_a_person_starts_again_what_never_started() -> None:
    play = Play().decide(Choice.GO).tell(Reconnected(False), NotStarted())
    assert play.prompt.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
    assert play.decide(Choice.GO).starts(1)


def test_the_automatic_setting_waits_on_after_a_reconnect_but_not_after_a_restart() -> None:
    assert Play(auto=True).dealing().dealt().tell(Reconnected(False), BOARD_OUT, BOARD_IN).starts(2)
    assert not Play(auto=True).dealing().dealt().tell(Reconnected(True), BOARD_OUT, BOARD_IN).moves


# Pauses


def test_what_may_go_on_is_asked_and_goes_on_only_by_that() -> None:
    play = Play().dealing().tell(paused())
    assert play.prompt.choices == (Choice.GO_ON, Choice.DEAL_AGAIN, Choice.STOP)
    assert play.prompt.code == "JAM"
    assert not play.tell(BOARD_OUT, BOARD_IN, AtTheMachine(CoverEvent(False, 2))).moves
    assert [type(command) for command in play.decide(Choice.GO_ON).commands] == [GoOn]


@pytest.mark.parametrize("obstacle", [each for each in Obstacle if each])
def test_what_may_not_go_on_is_not_offered_and_not_done(obstacle: Obstacle) -> None:
    play = Play().dealing().tell(paused(cannot_go_on=obstacle))
    prompt = play.prompt
    assert prompt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
    assert "cannot go on" in prompt.text
    assert play.decide(Choice.GO_ON).prompt == prompt, "it is asked again"
    assert play.decide(Choice.GO).prompt == prompt


def test_a_card_in_doubt_after_a_restart_is_never_offered_to_go_on() -> None:
    changes: dict[str, Any] = {"doubt": 1, "run_flags": RunFlag.RESTARTED}
    play = Play().dealing().tell(Reconnected(True), paused(PauseReason.RESTART, **changes))
    assert play.prompt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)


@pytest.mark.parametrize(
    ("changes", "put_back"),
    [
        ({"fault": FaultCode.NO_FEED, "fault_place": Place.HOPPER}, False),
        ({"fault_place": Place.PATH}, True),
        ({"fault_place": Place.READER}, True),
        ({"sensors": Sensor.READER_CARD}, True),
        ({"doubt": 1}, True),
        ({}, False),
    ],
)
def test_a_card_that_left_the_hopper_is_named_as_put_back(changes: dict[str, Any], put_back: bool) -> None:
    (command,) = Play().dealing().tell(paused(**changes)).decide(Choice.GO_ON).commands
    assert isinstance(command, GoOn)
    assert command.put_back == put_back


# What was found


@pytest.mark.parametrize("situation", [each for each in Situation if finding(each, None).choices])
def test_what_was_found_is_asked_with_the_choices_of_its_finding_and_nothing_moves(situation: Situation) -> None:
    play = Play().tell(found(situation))
    assert play.prompt.choices == finding(situation, None).choices
    assert play.step is Step.ASK_FOUND
    assert not play.tell(BOARD_OUT, BOARD_IN, AtTheMachine(CoverEvent(False, 2))).moves


def test_each_choice_about_what_was_found_does_what_it_says() -> None:
    assert Play().tell(found(Situation.NOT_STARTED)).decide(Choice.GO).starts(1)
    play = Play().tell(found(Situation.INTERRUPTED, sensors=Sensor.PATH_CARD)).decide(Choice.GO_ON)
    assert play.commands == [GoOn(True, Confirmation.BOARD_NUMBER | Confirmation.HOPPER_LOADED)]
    play = Play().tell(found(Situation.UNKNOWN)).decide(Choice.DEAL_AGAIN)
    assert play.commands == [CloseRun()]
    assert play.tell(Closed()).starts(1)
    play = Play().tell(found(Situation.IN_DOUBT)).decide(Choice.SKIP).tell(Closed())
    assert "board 2" in play.prompt.hands
    play = Play().tell(found(Situation.FOREIGN_RUN)).decide(Choice.CLEAR_AND_CLOSE)
    assert play.commands == [CloseRun()]
    assert Choice.GO in play.tell(Closed()).prompt.choices
    assert Play().tell(found(Situation.MOVING)).decide(Choice.ASK_AGAIN).commands == [LookAgain()]
    assert Play().tell(found(Situation.MOVING)).decide(Choice.STOP).commands == [EndJob(complete=False, halt=True)]


@pytest.mark.parametrize("judgement", [GOOD, NOT_PROVEN], ids=["GOOD", "NOT_PROVEN"])
def test_where_the_finished_board_is_is_asked_after_its_verdict(judgement: Judgement) -> None:
    for is_out in (False, True):
        play = Play().tell(Done(asked(Situation.FINISHED)))
        assert play.commands == [JudgeRun()]
        play.tell(Judged(judgement))
        assert play.prompt.choices == (Choice.BOARD_STILL_IN, Choice.BOARD_IS_OUT, Choice.STOP)
        play.decide(Choice.BOARD_IS_OUT if is_out else Choice.BOARD_STILL_IN)
        if judgement is GOOD:
            assert play.commands == [CloseRun()]
            assert ("Take board 1 out." in play.tell(Closed()).prompt.hands) is not is_out
        else:
            assert play.prompt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
            assert ("Fetch board 1" in play.prompt.hands) is is_out


def test_a_finished_board_that_is_sensed_to_be_out_is_not_asked_for() -> None:
    play = Play().tell(Done(is_out=True), Judged(GOOD), Closed())
    assert "Take board 1 out" not in play.prompt.hands
    assert "Put the empty board 2" in play.prompt.hands


def test_the_automatic_setting_begins_what_was_not_started_once_and_never_after_a_restart_or_a_stop() -> None:
    assert Play(auto=True).tell(found(Situation.NOT_STARTED)).starts(1)
    for happening in (Reconnected(True), STOP_KEY):
        assert not Play(auto=True).tell(happening, found(Situation.NOT_STARTED)).moves
    assert Play(auto=True).tell(found(Situation.INTERRUPTED)).moves
    assert not Play(auto=True).tell(found(Situation.INTERRUPTED, PauseReason.RESTART)).moves
    assert not Play(auto=True).tell(found(Situation.BOARD_MOVED)).moves


def test_dealing_again_ends_the_run_first_and_says_that_the_board_was_emptied() -> None:
    play = Play().dealing().tell(paused()).decide(Choice.DEAL_AGAIN)
    assert play.commands == [CloseRun()]
    (command,) = play.tell(Closed()).commands
    assert isinstance(command, StartRun)
    assert command.item.board == 1
    assert Confirmation.SAME_BOARD_EMPTIED in command.confirmed
    play.tell(refused(Refusal.POCKETS_NOT_EMPTY, 0b0001)).decide(Choice.GO)
    (again,) = play.commands
    assert isinstance(again, StartRun)
    assert Confirmation.SAME_BOARD_EMPTIED in again.confirmed, "what was said stays said"
    assert play.tell(Started()).dealt().step is Step.WAITING


@pytest.mark.parametrize("happening", [Reconnected(False), Reconnected(True), STOP_KEY])
def test_dealing_again_is_asked_anew_when_something_came_between(happening: Happening) -> None:
    play = Play().dealing().tell(paused()).decide(Choice.DEAL_AGAIN).tell(happening, Closed())
    assert not play.moves
    assert play.prompt.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
    assert play.decide(Choice.GO).starts(1)


# Refusals

CURED_BY_A_CHANGE: Final = {
    (Refusal.SAME_BOARD, 0), (Refusal.WRONG_BOARD, 0), (Refusal.BOARD_TURNED, 0), (Refusal.POCKETS_NOT_EMPTY, 0),
    (Refusal.CHECK_FAILED, Check.COVER), (Refusal.CHECK_FAILED, Check.BOARD_MISSING),
    (Refusal.CHECK_FAILED, Check.HOPPER),
}  # fmt: skip


@pytest.mark.parametrize(("reason", "why"), REFUSALS)
def test_a_start_that_is_refused_asks_the_person_who_wanted_it(reason: Refusal, why: int) -> None:
    play = Play().decide(Choice.GO).tell(refused(reason, why))
    assert play.prompt.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
    assert play.prompt.text
    assert play.prompt.hands
    assert not play.tell(BOARD_OUT, BOARD_IN).moves


@pytest.mark.parametrize(("reason", "why"), REFUSALS)
def test_a_board_that_would_start_by_itself_waits_only_for_what_the_machine_senses(reason: Refusal, why: int) -> None:
    play = Play().dealing().dealt().tell(BOARD_IN).tell(refused(reason, why, detail=0))
    if reason is Refusal.STALE:
        play.tell(refused(reason, why, detail=0))
    if (reason, why) in CURED_BY_A_CHANGE:
        assert play.step is Step.WAITING
        assert play.prompt.choices == ()
        assert play.tell(BOARD_OUT, BOARD_IN).starts(2)
    else:
        assert play.prompt.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
        assert not play.tell(BOARD_OUT, BOARD_IN).moves


@pytest.mark.parametrize(
    ("check", "cure"),
    [(Check.COVER, AtTheMachine(CoverEvent(False, 2))), (Check.HOPPER, AtTheMachine(HopperEvent(True)))],
)
def test_a_cover_that_is_closed_and_a_pack_that_is_put_in_start_the_waiting_board(
    check: Check, cure: Happening
) -> None:
    play = Play().dealing().dealt().tell(BOARD_IN, refused(Refusal.CHECK_FAILED, check))
    assert play.tell(cure).starts(2)


def test_a_wrong_board_waits_for_another_one_and_for_nothing_else() -> None:
    play = Play().dealing().dealt().tell(BOARD_IN, refused(Refusal.WRONG_BOARD, detail=9))
    assert not play.tell(AtTheMachine(HopperEvent(True)), AtTheMachine(CoverEvent(False, 2)), BOARD_OUT).moves
    assert play.tell(BOARD_IN).starts(2)


def test_news_that_crossed_with_the_start_is_taken_and_the_board_started_once_more() -> None:
    play = Play().dealing().dealt().tell(BOARD_IN, refused(Refusal.STALE, detail=70))
    assert play.starts(2)
    assert Choice.GO in play.tell(refused(Refusal.STALE, detail=70)).prompt.choices, "but not for ever"


def test_going_on_that_is_refused_offers_only_what_the_machine_will_do() -> None:
    play = Play().dealing().tell(paused()).decide(Choice.GO_ON)
    assert play.tell(refused(Refusal.CHECK_FAILED, Check.PATH)).prompt.choices[0] is Choice.GO_ON
    play.decide(Choice.GO_ON).tell(refused(Refusal.CANNOT_GO_ON, Obstacle.BOARD))
    assert play.prompt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)


# Verdicts


@pytest.mark.parametrize("judgement", [NOT_PROVEN, COUNTABLE], ids=["not countable", "countable"])
def test_a_board_that_is_not_proven_is_asked_and_counted_only_where_a_count_may_release_it(
    judgement: Judgement,
) -> None:
    play = Play().dealing().tell(Done(), Judged(judgement))
    countable = judgement is COUNTABLE
    expected = (Choice.DEAL_AGAIN, *([Choice.COUNT] if countable else []), Choice.SKIP, Choice.STOP)
    assert play.prompt.choices == expected
    count = Decided(Choice.COUNT, "Ann", (13, 13, 13, 13))
    assert play.tell(count).commands == ([Release("Ann", (13,) * 4)] if countable else play.commands)
    assert not play.moves


@pytest.mark.parametrize("judgement", [GOOD, COUNTED], ids=["GOOD", "COUNTED"])
def test_a_board_that_is_proven_is_closed_without_a_question(judgement: Judgement) -> None:
    assert Play().dealing().tell(Done(), Judged(judgement)).commands == [CloseRun()]


def test_a_board_that_this_machine_can_never_prove_is_kept_as_it_is_and_the_next_one_comes() -> None:
    """No answer of a person could make it better, and dealing it again neither: a question would come for ever."""
    play = Play(boards=2).dealing()
    assert play.tell(Done(), Judged(BEST_HERE)).commands == [CloseRun()]
    assert play.tell(Closed()).prompt.board == 2
    assert play.waiting == []
    play.tell(BOARD_OUT, BOARD_IN)
    assert play.starts(2), "the consent of the first start holds"
    play.tell(Started(), Done(), Judged(BEST_HERE), Closed())
    assert play.commands == [EndJob(complete=True)]


def test_a_board_that_only_a_count_makes_better_is_kept_by_enter_alone_and_may_be_counted_or_dealt_again() -> None:
    play = Play(boards=1).dealing().tell(Done(), Judged(BEST_BUT_COUNT))
    assert play.prompt.choices == (Choice.KEEP, Choice.COUNT, Choice.DEAL_AGAIN, Choice.STOP)
    assert "Dealing it again does not change that." in play.prompt.text
    assert "out" not in play.prompt.hands, "nothing is taken out of a board that is kept"
    count = Decided(Choice.COUNT, "Ann", (13,) * 4)
    assert copy.deepcopy(play).tell(count).commands == [Release("Ann", (13,) * 4)]
    assert play.decide(Choice.KEEP).commands == [CloseRun()]
    assert play.tell(Closed()).commands == [EndJob(complete=True)]


def test_the_end_that_is_told_twice_is_judged_once() -> None:
    play = Play().dealing().tell(Done(), Judged(NOT_PROVEN))
    assert play.tell(Done()).commands == []


# Leaving and stopping


def test_boards_that_were_left_are_offered_at_the_end_and_dealt_or_left() -> None:
    play = Play(boards=3).decide(Choice.SKIP, Choice.SKIP)
    assert "board 3" in play.prompt.hands
    play.decide(Choice.GO).tell(Started()).dealt()
    assert play.step is Step.ASK_LEFT
    assert "Boards 1, 2 were left" in play.prompt.text
    assert "Take board 3 out" in play.prompt.hands
    assert play.prompt.choices == (Choice.DEAL_THEM, Choice.LEAVE_THEM)
    assert not play.tell(BOARD_OUT, BOARD_IN).moves
    play.decide(Choice.DEAL_THEM)
    assert "board 1" in play.prompt.hands
    play.decide(Choice.GO).tell(Started()).dealt().decide(Choice.SKIP)
    assert "Board 2 was left" in play.prompt.text
    assert play.decide(Choice.LEAVE_THEM).commands == [EndJob(complete=False)]


def test_boards_that_are_open_elsewhere_are_dealt_here_only_when_a_person_says_that_they_are_empty() -> None:
    for choice, commands in (
        (Choice.LEAVE_THEM, [LeaveOpen(), EndJob(complete=False)]),
        (Choice.CONTINUE_EMPTIED, [OfferEmptied(), TakeNext(None)]),
    ):
        scheduler = STEPS[Step.IDLE]().scheduler
        (told,) = scheduler.on(NoMore(elsewhere=(("2", "SIM-RIGHT"), ("4B", "SIM-THIRD"))))
        assert isinstance(told, Tell)
        asked = told.event
        assert isinstance(asked, NeedsOperator)
        assert "Cards of board 2 lie in another machine, SIM-RIGHT." in asked.text
        assert "Cards of board 4B lie in another machine, SIM-THIRD." in asked.text
        assert "To deal boards 2, 4B here, take all cards out there first" in asked.hands
        assert asked.choices == (Choice.LEAVE_THEM, Choice.CONTINUE_EMPTIED), "the safe one is the default"
        assert scheduler.on(Decided(choice)) == commands


def test_boards_that_come_back_and_are_dealt_make_the_job_complete() -> None:
    play = Play(boards=2).decide(Choice.SKIP).decide(Choice.GO).tell(Started()).dealt()
    play.decide(Choice.DEAL_THEM, Choice.GO).tell(Started())
    assert play.dealt().commands == [EndJob(complete=True)]


# The board in the slot, where its number is read


def test_the_board_that_lies_in_the_slot_is_the_one_that_is_asked_for_and_dealt() -> None:
    play = Play().tell(AtTheMachine(BoardEvent(True, 3, 2)))
    assert "Board 3 lies in the machine" in play.prompt.text
    assert not play.moves
    assert play.decide(Choice.GO).starts(3)
    play.tell(Started()).dealt()
    assert "board 1" in play.prompt.hands
    assert play.tell(BOARD_OUT, AtTheMachine(BoardEvent(True, 2, 4))).starts(2)


def test_the_board_that_lies_there_at_the_beginning_is_the_first() -> None:
    scheduler = Scheduler(FULL)
    assert scheduler.begin(in_slot=3) == [TakeNext(3)]


def test_the_board_that_came_before_the_run_was_closed_is_dealt_next() -> None:
    play = Play().dealing().tell(Done(), BOARD_OUT, AtTheMachine(BoardEvent(True, 3, 2)), Judged(GOOD))
    assert play.tell(Closed()).starts(3)


def test_a_start_that_is_refused_for_another_board_of_the_job_takes_that_board() -> None:
    play = Play().decide(Choice.GO).tell(refused(Refusal.WRONG_BOARD, detail=3))
    assert "Board 3 lies in the machine" in play.prompt.text, "a person is asked"
    assert play.decide(Choice.GO).starts(3)
    play = Play(auto=True).tell(refused(Refusal.WRONG_BOARD, detail=3))
    assert play.starts(3), "the automatic setting begins it"
    play = Play(auto=True).tell(refused(Refusal.WRONG_BOARD, detail=9))
    assert play.step is Step.WAITING
    assert not play.moves


@pytest.mark.parametrize("number", [0, 1, 9])
def test_a_board_in_the_slot_that_does_not_wait_changes_nothing(number: int) -> None:
    play = Play().tell(AtTheMachine(BoardEvent(True, number, 2)))
    assert play.commands == []
    assert play.decide(Choice.GO).starts(1)


def test_a_machine_that_reads_no_number_deals_what_comes_next() -> None:
    play = Play(replace(FULL, board=BoardSensing.PRESENCE)).tell(AtTheMachine(BoardEvent(True, 3, 2)))
    assert play.decide(Choice.GO).starts(1)


# Several machines


def test_who_has_nothing_to_deal_waits_for_the_others_and_deals_what_comes_back() -> None:
    play = Play(boards=1).dealing().tell(Done(), Judged(GOOD))
    assert play.scheduler.on(Closed()) == [TakeNext()]
    (told,) = play.scheduler.on(NoMore(busy=True))
    assert isinstance(told, Tell)
    assert play.step is Step.IDLE
    assert play.scheduler.on(QueueChanged()) == [TakeNext(from_others=False)]
    assert play.scheduler.on(NoMore(busy=True)) == [], "it is told once"
    (told,) = play.scheduler.on(Taken(ITEMS[1]))
    assert isinstance(told, Tell)
    assert "board 2" in str(told.event)
    assert play.scheduler.step is Step.WAITING
    play.taken = ITEMS[1]
    assert play.tell(BOARD_OUT, BOARD_IN).starts(2)


def test_who_has_nothing_to_deal_takes_the_board_that_is_put_in_from_whoever_only_asks_for_it() -> None:
    play = Play(boards=1).dealing().tell(Done(), Judged(GOOD))
    play.scheduler.on(Closed())
    play.scheduler.on(NoMore(busy=True))
    assert not play.tell(BOARD_OUT).moves
    assert play.scheduler.on(BOARD_IN) == [TakeNext(2)]
    assert play.scheduler.on(NoMore(busy=True)) == [], "the other one has begun it"
    assert play.scheduler.on(QueueChanged()) == [TakeNext(2, from_others=False)], "one with it in its slot keeps it"
    assert play.tell(Taken(ITEMS[1])).starts(2)


def test_who_must_be_asked_is_asked_about_what_comes_back_too() -> None:
    play = Play(boards=1, ask_each=True).dealing().tell(Done(), Judged(GOOD))
    play.scheduler.on(Closed())
    play.scheduler.on(NoMore(busy=True))
    assert Choice.GO in play.tell(Taken(ITEMS[1])).prompt.choices


@pytest.mark.parametrize("come", [Play, lambda: Play().dealing().dealt()], ids=["asked", "waiting"])
def test_who_asks_for_a_board_that_another_machine_has_in_its_slot_asks_for_the_next(come: Callable[[], Play]) -> None:
    play = come()
    assert play.scheduler.on(QueueChanged()) == [TakeNext(from_others=False)]
    (told,) = play.scheduler.on(Taken(ITEMS[2]))
    assert isinstance(told, Tell)
    assert "board 3" in str(told.event)
    play = come()
    play.scheduler.on(QueueChanged())
    play.scheduler.on(NoMore(busy=True))
    assert play.step is Step.IDLE


def test_who_waits_for_the_others_ends_when_they_are_done() -> None:
    for complete in (False, True):
        play = Play(boards=1).dealing().tell(Done(), Judged(GOOD))
        play.scheduler.on(Closed())
        play.scheduler.on(NoMore(busy=True))
        assert play.scheduler.on(NoMore(complete=complete)) == [EndJob(complete)]


def test_a_paused_board_that_is_left_is_closed_and_the_next_one_asked() -> None:
    play = Play(boards=2).dealing().tell(paused(cannot_go_on=Obstacle.DOUBT)).decide(Choice.SKIP)
    assert play.commands == [CloseRun()]
    assert Choice.GO in play.tell(Closed()).prompt.choices
    assert not play.tell(BOARD_OUT, BOARD_IN).moves


def taking() -> Play:
    """The queue has not answered yet."""
    play = Play()
    play.scheduler, play.commands = Scheduler(FULL), []
    play.scheduler.begin()
    return play


def idle() -> Play:
    """Other machines have the last boards."""
    play = taking()
    play.commands = play.scheduler.on(NoMore(busy=True))
    return play


STEPS: Final[dict[Step, Callable[[], Play]]] = {
    Step.ASK_START: Play,
    Step.STARTING: lambda: Play().decide(Choice.GO),
    Step.WAITING: lambda: Play().dealing().dealt(),
    Step.DEALING: lambda: Play().dealing(),
    Step.ASK_PAUSED: lambda: Play().dealing().tell(paused()),
    Step.ASK_FOUND: lambda: Play().tell(found(Situation.UNKNOWN)),
    Step.JUDGING: lambda: Play().dealing().tell(Done()),
    Step.ASK_VERDICT: lambda: Play().dealing().tell(Done(), Judged(NOT_PROVEN)),
    Step.CLOSING: lambda: Play().dealing().tell(Done(), Judged(GOOD)),
    Step.TAKING: taking,
    Step.IDLE: idle,
    Step.ASK_LEFT: lambda: Play(boards=1).decide(Choice.SKIP),
    Step.ENDED: lambda: Play().decide(Choice.STOP),
}


@pytest.mark.parametrize("step", list(Step))
def test_stop_ends_the_job_wherever_it_waits_for_a_person(step: Step) -> None:
    play = STEPS[step]()
    assert play.step is step
    play.decide(Choice.STOP)
    if step is Step.ASK_VERDICT:
        assert play.commands == [CloseRun()], "the verdict is written, so the run is not left open"
        play.tell(Closed())
    waits = step in (Step.ASK_START, Step.WAITING, Step.ASK_PAUSED, Step.ASK_FOUND, Step.ASK_VERDICT, Step.IDLE)
    if step is Step.ASK_LEFT:
        play.decide(Choice.LEAVE_THEM)
        waits = True
    assert play.commands == ([EndJob(complete=False)] if waits else [])
    assert (play.step is Step.ENDED) == (waits or step is Step.ENDED)


@pytest.mark.parametrize("step", list(Step))
@pytest.mark.parametrize("choice", list(Choice))
def test_a_choice_that_was_not_offered_moves_nothing(step: Step, choice: Choice) -> None:
    play = STEPS[step]()
    asking = (Step.ASK_START, Step.ASK_PAUSED, Step.ASK_FOUND, Step.ASK_VERDICT, Step.ASK_LEFT)
    offered = play.prompt.choices if step in asking else ()
    told = play.commands
    play.decide(choice)
    if choice not in offered and not (
        (step is Step.WAITING and choice in (Choice.GO, Choice.SKIP, Choice.STOP))
        or (step is Step.IDLE and choice is Choice.STOP)
    ):
        assert not play.moves
        assert play.step is step
        assert play.commands == (told if offered else [])


def test_nothing_happens_after_the_end() -> None:
    play = STEPS[Step.ENDED]()
    for happening in (BOARD_IN, Started(), paused(PauseReason.HOST_LOST), Done(), Closed(), NotStarted()):
        assert play.tell(happening).commands == []
