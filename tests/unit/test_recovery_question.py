"""What is asked about a board that was found and is of no use to the job that begins: one sentence, and what to do.

Read next: `driver/recovery.py`; `tests/cli/test_recovery.py` for the same question before a job.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from driver.findings import Choice, Situation, finding
from driver.recovery import Look, question_about
from driver.store.runs import Intention, RunRecord
from tests.support.evidence import status

INTENTION = Intention(1, "B", "M1", 7, 100, 3, "", 1, False)
RECORD = RunRecord(7, bytes(8), INTENTION)
CLEARED = "all cards are out: board 1, copy B is ended, to be done again another time"


def look(situation: Situation, record: RunRecord = RECORD) -> Look:
    return Look(record, status(run=7), finding(situation, record.intention, k=26))


@pytest.mark.parametrize("situation", [Situation.INTERRUPTED, Situation.IN_DOUBT, Situation.ENDED, Situation.UNKNOWN])
def test_an_open_board_beside_the_job_is_cleared_away_or_left_for_carry_on(situation: Situation) -> None:
    question = question_about(look(situation), None)
    assert question is not None
    assert "It is board 1, copy B, which is not in this job." in question.text
    assert question.steps == ("Take all cards out of the pockets, the path and the hopper.",)
    assert question.choices == (Choice.CLEAR_AND_CLOSE, Choice.STOP)
    assert question.words == (CLEARED, "stop; to go on with it: dealctl carry-on")


def test_a_finished_board_beside_the_job_is_left_first_so_that_its_verdict_can_be_found() -> None:
    question = question_about(look(Situation.FINISHED), None)
    assert question is not None
    assert question.steps == ("Stop, then find its verdict: dealctl carry-on",), "one thing to do"
    assert question.choices == (Choice.STOP, Choice.CLEAR_AND_CLOSE)
    assert question.words == ("stop", CLEARED)


def test_a_board_that_is_not_proven_beside_the_job_is_left_first_so_that_it_can_be_decided_about() -> None:
    question = question_about(look(Situation.NOT_GOOD), None)
    assert question is not None
    assert question.steps == ("Stop, then decide what becomes of it: dealctl carry-on",)
    assert question.choices == (Choice.STOP, Choice.CLEAR_AND_CLOSE)
    assert question.words == ("stop", CLEARED)


@pytest.mark.parametrize("situation", [Situation.INTERRUPTED, Situation.FINISHED])
def test_a_check_that_was_interrupted_is_no_board_and_nobody_is_sent_to_carry_it_on(situation: Situation) -> None:
    check = replace(RECORD, intention=replace(INTENTION, is_check=True))
    question = question_about(look(situation, check), None)
    assert question is not None
    assert "It is the check of a pack or board, which is not in this job." in question.text
    assert question.choices == (Choice.CLEAR_AND_CLOSE, Choice.STOP)
    assert "board 1" not in " ".join((question.text, *question.steps, *question.words))
    assert "carry-on" not in " ".join((*question.steps, *question.words))


@pytest.mark.parametrize("situation", [Situation.NOT_STARTED, Situation.JUDGED])
def test_what_is_settled_is_not_asked(situation: Situation) -> None:
    assert question_about(look(situation), None) is None


@pytest.mark.parametrize("item", [None, INTENTION], ids=["beside the job", "of the job"])
@pytest.mark.parametrize("situation", [Situation.IN_DOUBT, Situation.INTERRUPTED, Situation.FOREIGN_RUN])
def test_what_is_not_certain_is_asked_as_that_and_never_stated(situation: Situation, item: Intention | None) -> None:
    doubts = ("Where 1 card lies that has left the hopper.", "Which cards lie in the pockets.")
    found = finding(situation, INTENTION, certain=("It is so.",), uncertain=doubts, k=26)
    question = question_about(Look(RECORD, status(run=7), found), item)
    assert question is not None
    told = "Not certain: where 1 card lies that has left the hopper. Not certain: which cards lie in the pockets."
    assert told in question.text
    assert not any(doubt in question.text for doubt in doubts)
