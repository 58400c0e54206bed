"""What a decision carries with it: what is cleared and confirmed at a start, and what a question leaves behind it.

Read next: `test_scheduler.py`, `driver/consent.py`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from driver.findings import Choice, Situation
from driver.happenings import (
    AtTheMachine,
    Closed,
    Decided,
    Done,
    GoOn,
    Happening,
    Judged,
    NotStarted,
    Options,
    QueueChanged,
    Reconnected,
    Started,
    StartRun,
    Taken,
    TakeNext,
    Unknown,
)
from driver.scheduler import Scheduler
from driver.sentences import refusal_entry
from driver.steps import Step
from protocol.codes import BoardSensing, Check, Confirmation, FaultCode, Obstacle, PauseReason, Place, Refusal
from protocol.messages import CoverEvent
from tests.support.evidence import FULL
from tests.support.play import (
    BOARD_IN,
    BOARD_OUT,
    COUNTABLE,
    GOOD,
    ITEMS,
    NOT_PROVEN,
    REFUSALS,
    Play,
    asked,
    found,
    paused,
    refused,
)

PRESENCE = replace(FULL, board=BoardSensing.PRESENCE)
EMPTIED = Confirmation.SAME_BOARD_EMPTIED
UNKNOWN = Unknown("Nobody knows.", "Look.")


def start_of(play: Play) -> StartRun:
    """The one command, which starts a board."""
    (command,) = play.commands
    assert isinstance(command, StartRun)
    return command


def waits() -> Play:
    """The second board is to start by itself."""
    return Play().dealing().dealt()


def by_itself() -> dict[str, Play]:
    """Each way in which a board starts without anybody asked."""
    elsewhere = Play().dealing().dealt().tell(BOARD_IN, Started()).dealt().tell(BOARD_OUT, BOARD_IN)
    return {
        "the board was changed": waits().tell(BOARD_OUT, BOARD_IN),
        "the board was changed before": Play().dealing().tell(Done(), BOARD_OUT, BOARD_IN).dealt(),
        "the cover was closed": waits()
        .tell(BOARD_IN, refused(Refusal.CHECK_FAILED, Check.COVER))
        .tell(AtTheMachine(CoverEvent(False, 2))),
        "the third board": elsewhere,
        "news crossed with the start": waits().tell(BOARD_IN, refused(Refusal.STALE, detail=70)),
        "the automatic setting begins": Play(auto=True),
        "the automatic setting begins what was found": Play(auto=True).tell(found(Situation.NOT_STARTED)),
        "the automatic setting begins again": Play(auto=True).tell(NotStarted()),
        "no number is read": Play(PRESENCE).dealing().dealt().tell(BOARD_OUT, BOARD_IN),
        "another board of the job lies there": waits().tell(BOARD_IN, refused(Refusal.WRONG_BOARD, detail=3)),
    }


@pytest.mark.parametrize("how", by_itself())
def test_a_board_that_starts_by_itself_takes_no_fault_back_that_a_person_has_not_seen(how: str) -> None:
    assert not start_of(by_itself()[how]).clear


def test_a_start_that_a_person_decided_takes_back_the_fault_that_is_still_latched() -> None:
    for play in (
        Play().decide(Choice.GO),
        waits().tell(refused(Refusal.CHECK_FAILED, Check.PATH)).decide(Choice.GO),
        Play().dealing().tell(paused()).decide(Choice.DEAL_AGAIN).tell(Closed()),
        Play().tell(found(Situation.NOT_STARTED)).decide(Choice.GO),
    ):
        assert start_of(play).clear


def emptied(*, auto: bool) -> Scheduler:
    return Scheduler(FULL, Options(auto=auto, emptied=True))


def confirmed_by(scheduler: Scheduler, *happenings: Happening) -> bool:
    """Whether the start that the last thing brings confirms that the board was emptied."""
    for happening in happenings:
        commands = scheduler.on(happening)
    (command,) = commands
    assert isinstance(command, StartRun)
    return EMPTIED in command.confirmed


def test_who_deals_the_last_board_again_has_emptied_it_however_the_first_start_comes_about() -> None:
    stale = refused(Refusal.STALE, detail=70)
    taken, go = Taken(ITEMS[0]), Decided(Choice.GO)
    for auto, happenings in (
        (False, [taken, go]),
        (True, [taken]),
        (True, [taken, stale]),
        (True, [taken, NotStarted()]),
        (True, [taken, found(Situation.NOT_STARTED)]),
        (False, [taken, found(Situation.NOT_STARTED), go]),
        (False, [taken, go, refused(Refusal.CHECK_FAILED, Check.PATH), go]),
    ):
        scheduler = emptied(auto=auto)
        scheduler.begin()
        assert confirmed_by(scheduler, *happenings), happenings


def test_it_is_confirmed_of_no_other_board() -> None:
    scheduler = emptied(auto=False)
    scheduler.begin()
    first = (Taken(ITEMS[0]), Decided(Choice.GO), Started(), Done(), Judged(NOT_PROVEN), Decided(Choice.SKIP), Closed())
    for happening in first:
        scheduler.on(happening)
    assert not confirmed_by(scheduler, Taken(ITEMS[1]), Decided(Choice.GO))


@pytest.mark.parametrize("happening", [Reconnected(False), Reconnected(True)])
def test_dealing_again_after_an_interruption_still_says_that_the_board_was_emptied(happening: Happening) -> None:
    play = Play().dealing().tell(paused()).decide(Choice.DEAL_AGAIN).tell(happening, Closed())
    assert EMPTIED in start_of(play.decide(Choice.GO)).confirmed


def test_who_leaves_a_board_after_a_question_is_asked_before_the_next() -> None:
    going_on_refused = Play().dealing().tell(paused()).decide(Choice.GO_ON)
    going_on_refused.tell(refused(Refusal.CANNOT_GO_ON, Obstacle.BOARD))
    for what, play in (
        ("a fault", Play().dealing().tell(paused(cannot_go_on=Obstacle.DOUBT))),
        ("an unknown end", Play().dealing().tell(UNKNOWN)),
        ("no proof", Play().dealing().tell(Done(), Judged(NOT_PROVEN))),
        ("a find", waits().tell(found(Situation.CANNOT_GO_ON))),
        ("a refusal", waits().tell(BOARD_IN, refused(Refusal.CHECK_FAILED, Check.PATH))),
        ("going on was refused", going_on_refused),
    ):
        assert Choice.SKIP in play.prompt.choices, what
        play.decide(Choice.SKIP)
        if play.step is Step.CLOSING:
            play.tell(Closed())
        assert play.step is Step.ASK_START, what
        assert not play.tell(BOARD_OUT, BOARD_IN).moves, what


def test_where_a_finished_board_is_was_asked_so_the_next_one_is_asked_for_too() -> None:
    play = Play().dealing().tell(Done(asked(Situation.FINISHED)), Judged(GOOD))
    play.decide(Choice.BOARD_IS_OUT).tell(Closed())
    assert play.step is Step.ASK_START


def test_the_automatic_setting_that_began_what_was_found_starts_the_next_board_too() -> None:
    play = Play(auto=True).tell(found(Situation.NOT_STARTED), Started()).dealt()
    assert play.step is Step.WAITING
    assert play.tell(BOARD_OUT, BOARD_IN).starts(2)


@pytest.mark.parametrize(("reason", "why"), REFUSALS)
def test_a_start_that_is_refused_says_what_the_refusal_means_and_what_to_do(reason: Refusal, why: int) -> None:
    told = refused(reason, why)
    entry = refusal_entry(told.refused)
    prompt = Play().decide(Choice.GO).tell(told).prompt
    assert (prompt.text, prompt.means) == (entry.sentence, entry.means)
    assert prompt.steps == entry.steps or not entry.steps


def test_who_lets_a_paused_board_go_on_lets_the_next_one_start_by_itself() -> None:
    play = Play().dealing().tell(paused()).decide(Choice.GO_ON).tell(Started()).dealt()
    assert play.step is Step.WAITING
    assert play.tell(BOARD_OUT, BOARD_IN).starts(2)


def test_a_person_who_let_a_board_go_on_is_asked_again_when_that_crossed_with_news() -> None:
    play = Play(auto=True).dealing().tell(paused()).decide(Choice.GO_ON)
    assert not play.tell(refused(Refusal.STALE, detail=70)).moves
    assert play.step is Step.ASK_PAUSED


def test_the_automatic_setting_goes_on_once_more_when_that_crossed_with_news_but_not_for_ever() -> None:
    play = Play(auto=True).dealing().tell(paused(PauseReason.HOST_LOST))
    assert [type(command) for command in play.commands] == [GoOn]
    assert play.tell(refused(Refusal.STALE, detail=70)).moves
    assert not play.tell(refused(Refusal.STALE, detail=70)).moves
    assert play.prompt.choices[0] is Choice.GO_ON


def test_a_board_that_went_on_is_started_as_a_new_one_when_it_is_dealt_again() -> None:
    play = Play().dealing().tell(paused()).decide(Choice.GO_ON)
    play.tell(refused(Refusal.CANNOT_GO_ON, Obstacle.BOARD)).decide(Choice.DEAL_AGAIN).tell(Closed())
    assert play.starts(1)
    assert Choice.GO in play.tell(refused(Refusal.CHECK_FAILED, Check.PATH)).prompt.choices


def test_a_run_whose_end_nobody_knows_is_not_counted_by_hand_and_its_board_stays_the_next() -> None:
    play = Play().dealing().tell(UNKNOWN)
    assert play.prompt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
    again = play.tell(Closed()).prompt
    assert again.board == 1
    assert "dealt again" in again.text


def test_a_start_that_belongs_to_no_board_of_the_job_takes_one_first() -> None:
    scheduler = Scheduler(FULL)
    scheduler.begin()
    scheduler.on(found(Situation.NOT_STARTED))
    assert scheduler.on(Decided(Choice.GO)) == [TakeNext(None)]
    assert scheduler.step is Step.TAKING


def test_the_start_key_answers_only_where_a_start_is_asked() -> None:
    assert Play().scheduler.start_key_counts
    assert waits().scheduler.start_key_counts
    assert Play().tell(found(Situation.NOT_STARTED)).scheduler.start_key_counts
    assert not Play().tell(found(Situation.INTERRUPTED)).scheduler.start_key_counts
    assert not Play().tell(found(Situation.FOREIGN_RUN)).scheduler.start_key_counts


def silent(pocket: Place) -> Happening:
    return paused(fault=FaultCode.POCKET_SILENT, fault_place=pocket)


def test_a_sensor_that_is_silent_three_times_in_a_row_may_be_called_out_of_order_and_stays_so() -> None:
    play = Play().dealing()
    for time in range(3):
        assert (Choice.SENSOR_OUT in play.tell(silent(Place.POCKET_0)).prompt.choices) is (time == 2)
        if time < 2:
            play.decide(Choice.DEAL_AGAIN).tell(Closed(), Started())
    play.decide(Choice.SENSOR_OUT).tell(Closed())
    assert Confirmation.SENSOR_N_OUT in start_of(play).confirmed
    play.tell(Started()).dealt().tell(BOARD_OUT, BOARD_IN)
    assert Confirmation.SENSOR_N_OUT in start_of(play).confirmed


def test_a_board_that_was_dealt_in_between_breaks_the_row() -> None:
    play = Play().dealing()
    for _ in range(2):
        play.tell(silent(Place.POCKET_0)).decide(Choice.DEAL_AGAIN).tell(Closed(), Started())
    play.dealt().tell(BOARD_OUT, BOARD_IN, Started(), silent(Place.POCKET_0))
    assert Choice.SENSOR_OUT not in play.prompt.choices


def test_what_was_counted_is_being_judged_and_nothing_is_asked_meanwhile() -> None:
    play = Play().dealing().tell(Done(), Judged(COUNTABLE)).tell(Decided(Choice.COUNT, "Ann", (13,) * 4))
    assert play.step is Step.JUDGING
    assert play.tell(QueueChanged()).commands == []
