"""Dealing from the queue after a backup was put back: nothing that may have been dealt since is dealt unasked.

Read next: `test_backup.py` for the same with `deal`; `driver/cli/after_backup.py`, `driver/cli/queued_sets.py`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import pytest

from driver.cli.simulator import Simulator
from driver.dealt import COUNTS_VARIABLE
from driver.journal import Journal
from driver.queue import CopyId, JobOrder
from driver.store.decisions import Decision
from driver.store.runs import Intention
from tests.cli.program import Ran, Terminal, dealctl
from tests.support.store import NOON, deal_set, dealt, opened

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

GOOD: Final = re.compile(r"^board (\w+) GOOD\r?$", re.MULTILINE)
COUNTS: Final = {COUNTS_VARIABLE: "1"}
START: Final = "and pack are in   (Enter)"
LEFT_OUT: Final = "1  Yes, or nobody knows: leave it out   (Enter)"


def put_back(data: Path, *orders: tuple[tuple[int, ...], tuple[str, ...]], open_copy: str = "") -> None:
    """A store that was put back: a set whose boards 1 and 2 are GOOD as copy A, and these jobs, held; their boards and
    copies. With `open_copy` the first board of the first job, of that copy, was begun and not finished."""
    with opened(data) as store:
        set_id = store.sets.add_imported(deal_set(range(1, 5), name="tuesday")).stored.id
        for board in (1, 2):
            dealt(store, set_id, board, "A")
        jobs = [store.jobs.add(JobOrder(0, set_id, boards, copies)) for boards, copies in orders]
        with Journal(store) as journal:
            for ended in store.runs.begun():
                journal.note_closed(ended.run)
            if open_copy:
                told = Intention(1, open_copy, "DM0042", 1, 0, 0, set_id, 1, False)
                run = journal.intend(told, bytes(8), copy=CopyId(jobs[0].id, 0)).run
                journal.note_go(run)
            journal.begin_anew(NOON)


def in_script(data: Path, machine: Simulator, *words: str) -> Ran:
    """Deals from the queue where nobody can be asked."""
    place = ("--auto", "--machine", machine.url, "--data", data)
    return dealctl("queue", "run", *words, *place, **COUNTS)  # type: ignore[arg-type]


def in_terminal(data: Path, machine: Simulator, *words: str) -> Terminal:
    """A terminal in which somebody deals."""
    place = ("--plain", "--quiet", "--machine", machine.url, "--data", data)
    return Terminal(*words, *place, **COUNTS)  # type: ignore[arg-type]


def test_each_copy_that_the_backup_cannot_know_is_asked_for(tmp_path: Path) -> None:
    put_back(tmp_path, ((1, 2), ("B",)))
    with (
        Simulator(["--person", "--boards", "2", "--speed", "1000"]) as machine,
        in_terminal(tmp_path, machine, "queue", "run", "1") as terminal,
    ):
        terminal.wait_for("Was board 1, copy B, of tuesday dealt after that?")
        terminal.wait_for("Number: ")
        terminal.type("\n")
        terminal.wait_for("Was board 2, copy B, of tuesday dealt after that?")
        terminal.wait_for("Number: ")
        terminal.type("2\n")
        terminal.wait_for(START)
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert "Left out, as dealt already: 1B." in terminal.shown
    assert GOOD.findall(terminal.shown) == ["2B"]
    assert "No job waits." in dealctl("queue", "--data", tmp_path).out
    with opened(tmp_path) as store:
        assert [(one.board, one.copy, one.dealt) for one in store.runs.said()] == [(1, "B", True), (2, "B", False)]


def test_one_answer_may_stand_for_all_copies_of_a_board_and_each_can_be_asked_for(tmp_path: Path) -> None:
    put_back(tmp_path, ((3, 4), ("A", "B")))
    with (
        Simulator(["--person", "--boards", "4", "--speed", "1000"]) as machine,
        in_terminal(tmp_path, machine, "queue", "run", "1") as terminal,
    ):
        for question, answer in (
            ("Was board 3 of tuesday dealt after that? Wanted are the copies A and B.", "\n"),
            ("Was board 4 of tuesday dealt after that? Wanted are the copies A and B.", "3\n"),
            ("Was board 4, copy A, of tuesday dealt after that?", "\n"),
            ("Was board 4, copy B, of tuesday dealt after that?", "2\n"),
        ):
            terminal.wait_for(question)
            terminal.wait_for("Number: ")
            terminal.type(answer)
        terminal.wait_for(START)
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert GOOD.findall(terminal.shown) == ["4B"]


def test_a_script_deals_what_it_says_was_not_dealt_and_nothing_else(tmp_path: Path) -> None:
    put_back(tmp_path, ((1, 2), ("B",)))
    with Simulator(["--person", "--boards", "1-2", "--speed", "1000"]) as machine:
        refused = in_script(tmp_path, machine, "1", "--not-dealt", "1")
        assert refused.code == 1, refused.all
        assert "whether these boards were dealt after it: 2." in refused.err
        assert "board 1" not in refused.out
        ran = in_script(tmp_path, machine, "1", "--not-dealt", "1-2")
        assert ran.code == 0, ran.all
    assert GOOD.findall(ran.out) == ["1B", "2B"]


@pytest.mark.parametrize("taken_over", [False, True])
def test_a_job_released_meanwhile_about_which_somebody_has_to_be_asked_is_not_begun(
    tmp_path: Path, taken_over: bool
) -> None:
    put_back(tmp_path, ((1, 2), ("B",)), ((3, 4), ("A",)))
    with opened(tmp_path) as store, Journal(store) as journal:
        if taken_over:
            other = store.sets.add_imported(deal_set((3, 4), seed=1, name="friday")).stored.id
            store.jobs.add(JobOrder(0, other, (3, 4), ("A",)))
            for board in (3, 4):
                journal.note_said(other, board, "A", dealt=False)
            store.decisions.append(Decision.TAKEN_OVER, "", set=other)
    job, why = ("3", "which board lies in the machine.") if taken_over else ("2", "dealt after that: 3A and 4A.")
    with (
        Simulator(["--person", "--boards", "1,2,3,4", "--speed", "1000"]) as machine,
        in_terminal(tmp_path, machine, "queue", "run", "1", "--not-dealt", "1-2") as terminal,
    ):
        terminal.wait_for(START)
        assert dealctl("queue", "release", job, "--data", tmp_path).code == 0
        terminal.type("\n")
        assert terminal.wait() == 1, terminal.shown
    assert GOOD.findall(terminal.shown) == ["1B", "2B"]
    assert f"Job {job} was released meanwhile and not begun: " in terminal.shown
    assert f"{why} To deal it: dealctl queue run {job}" in terminal.shown
    waits = dealctl("queue", "--data", tmp_path).out
    assert f"{job}  {'friday' if taken_over else 'tuesday'}: boards 3, 4, copy A; 2 boards of 2 to come; held" in waits


@pytest.mark.parametrize("words", [("queue", "run", "1"), ("carry-on",)])
def test_a_board_that_was_open_in_the_backup_is_first_asked_for_as_any_other(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    put_back(tmp_path, ((1, 2), ("B",)), open_copy="B")
    with (
        Simulator(["--person", "--boards", "2", "--speed", "1000"]) as machine,
        in_terminal(tmp_path, machine, *words) as terminal,
    ):
        terminal.wait_for("Was board 1, copy B of tuesday dealt to its end after that?")
        terminal.wait_for(LEFT_OUT)
        terminal.type("\n")
        terminal.wait_for("Was board 2, copy B, of tuesday dealt after that?")
        terminal.wait_for("Number: ")
        terminal.type("2\n")
        terminal.wait_for(START)
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert "Deal board 1, copy B again" not in terminal.shown
    assert GOOD.findall(terminal.shown) == ["2B"]
