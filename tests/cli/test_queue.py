"""Boards that are left for now and offered at the end, on a terminal; and dealing from the queue.

Read next: `program.py`, `driver/cli/queue.py`; `tests/unit/test_cli_queue.py` for the steps without a machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from driver.cli.main import main
from driver.cli.simulator import Simulator
from driver.dealt import COUNTS_VARIABLE
from tests.cli.program import CLUB, Terminal, dealctl

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

GOOD = re.compile(r"^board (\w+) GOOD\r?$", re.MULTILINE)


def answer(terminal: Terminal, question: str, typed: str, then: str) -> None:
    """Types an answer when its question stands there, and again until `then` is shown: right after another answer no
    key counts for a moment, for nobody can have read the question."""
    terminal.wait_for(question)

    def is_taken() -> bool:
        if then not in terminal.shown:
            terminal.type(typed)
        return then in terminal.shown

    terminal.wait_until(is_taken)


def test_a_board_left_for_now_is_offered_at_the_end(tmp_path: Path) -> None:
    with (
        Simulator(["--person", "--boards", "2,3,1", "--speed", "20", "--profile", "r-only"]) as machine,
        Terminal(
            *("deal", CLUB, "--boards", "1-3", "--plain", "--quiet", "--machine", machine.url, "--data", tmp_path),
            **{COUNTS_VARIABLE: "1"},  # type: ignore[arg-type]
        ) as terminal,
    ):
        terminal.wait_for("2  leave this board for now (s)")
        terminal.type("s\n")
        answer(terminal, "Board 2 comes next.", "\n", "Dealing board 2")
        answer(terminal, "Board 1 was left.", "\n", "Dealing board 1")
        terminal.wait_for("Which number is on the board you took out last? ")
        terminal.type("1\n")
        assert terminal.wait() == 0, terminal.shown
    assert GOOD.findall(terminal.shown) == ["2", "3", "1"]


@pytest.fixture
def queue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """What this program, which is the other window, shows of the queue, or of the error."""

    def shown(*words: str | Path, code: int = 0) -> list[str]:
        assert main(["queue", *map(str, words), "--data", str(tmp_path)]) == code
        read = capsys.readouterr()
        return (read.err if code else read.out).splitlines()

    return shown


def test_what_another_window_changes_in_the_queue_is_dealt_so(tmp_path: Path, queue: Callable[..., list[str]]) -> None:
    """While board 1 is dealt, job 3 is put before job 2 and both are released; job 4 stays held."""

    queue("add", CLUB, "--boards", "1-2", "--released")
    for board in ("3", "4", "5"):
        queue("add", CLUB, "--boards", board)
    run = ("queue", "run", "--plain", "--quiet", "--data", tmp_path)
    with (
        Simulator(["--person", "--boards", "1,2,4,3", "--speed", "5", "--profile", "r-only"]) as machine,
        Terminal(*run, "--machine", machine.url) as terminal,
    ):
        terminal.wait_for("(Enter)")
        terminal.type("\n")
        terminal.wait_for("Dealing board 1")
        assert [line[0] for line in queue("move", "3", "before", "2")] == ["1", "3", "2", "4"]
        queue("release", "2")
        queue("release", "3")
        assert queue("remove", "1", code=1)[0] == "Job 1 is being dealt, so it stays where it is."
        assert terminal.wait() == 0, terminal.shown
    assert GOOD.findall(terminal.shown) == ["1", "2", "4", "3"]
    assert queue() == ["4  club36: board 5; 1 board of 1 to come; held"]


def test_what_was_broken_off_waits_held_and_goes_on_when_somebody_names_it(tmp_path: Path) -> None:
    place = ("--data", tmp_path)
    dealctl("queue", "add", CLUB, "--boards", "1-3", "--released", *place)
    with Simulator(["--person", "--boards", "1-3", "--speed", "20"]) as machine:
        run = ("queue", "run", "--plain", "--quiet", "--machine", machine.url, *place)
        with Terminal(*run) as terminal:
            terminal.wait_for("(Enter)")
            terminal.type("\n")
            terminal.wait_for("Dealing board 2")
            terminal.type("p")
            answer(terminal, "start: board 3 and pack are in", "3\n", "board 1 GOOD")
            terminal.wait()
        waits = dealctl("queue", *place).out
        assert waits == "1  club36: boards 1-3; 1 board of 3 to come; held\n"
        held = dealctl(*run, "--auto")
        assert (held.code, "No job is released." in held.err) == (2, True)
        went_on = dealctl("queue", "run", "1", *run[2:], "--auto")
        assert went_on.code == 0, went_on.all
    assert GOOD.findall(went_on.out) == ["3"]
    assert "No job waits." in dealctl("queue", *place).out


def test_what_a_program_dealt_waits_held_also_when_it_was_killed_between_two_boards(
    tmp_path: Path, queue: Callable[..., list[str]]
) -> None:
    queue("add", CLUB, "--boards", "1-2", "--released")
    with Simulator(["--person", "--boards", "1", "--speed", "20"]) as machine:
        place = ("--auto", "--plain", "--quiet", "--machine", machine.url, "--data", tmp_path)
        with Terminal("queue", "run", *place) as terminal:
            terminal.wait_for("Put the empty board 2")
            terminal.kill()
    assert queue() == ["1  club36: boards 1, 2; 1 board of 2 to come; held"]
    assert queue("release", "1") == ["1  club36: boards 1, 2; 1 board of 2 to come; released"]
    assert queue()[0].endswith("; released"), "what a person releases then stays released"


def test_what_a_killed_program_dealt_is_shown_as_interrupted_and_may_be_moved_and_removed(
    tmp_path: Path, queue: Callable[..., list[str]]
) -> None:
    """Nothing is lost with the job: the first thing that the next program shows is the board that was interrupted."""
    queue("add", CLUB, "--boards", "1-2", "--released")
    queue("add", CLUB, "--boards", "3")
    with Simulator(["--person", "--boards", "1-3", "--speed", "1"]) as machine:
        place = ("--plain", "--quiet", "--machine", machine.url, "--data", tmp_path)
        with Terminal("queue", "run", *place) as terminal:
            terminal.wait_for("(Enter)")
            terminal.press_until("Dealing board 1")
            assert queue()[0].endswith("; is being dealt")
            assert queue("move", "1", "last", code=1)[0] == "Job 1 is being dealt, so it stays where it is."
            terminal.kill()
        waits = "2 boards of 2 to come; held; board 1 was interrupted, to go on: dealctl carry-on"
        assert queue()[0] == f"1  club36: boards 1, 2; {waits}"
        assert [line[0] for line in queue("move", "1", "last")] == ["2", "1"]
        told = "Cards of board 1 may lie in a machine still. To look after them: dealctl carry-on"
        assert queue("remove", "1")[1:] == [told]
        with Terminal("carry-on", *place) as terminal:
            terminal.wait_for("Board 1 of club36 was being dealt when the program ended")
            terminal.wait_for("2  Go on with card ")
            terminal.wait_for("Number: ")
            terminal.type("2\n")
            assert terminal.wait() == 0, terminal.shown
    assert GOOD.findall(terminal.shown) == ["1"]
    assert queue() == ["2  club36: board 3; 1 board of 1 to come; held"]
