"""The queue on the command line: what is added is held, and each step shows the jobs as they stand then.

Read next: `driver/cli/queue.py`; `tests/unit/test_queue.py` for what the steps do, `tests/cli/test_queue.py` for
dealing from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driver.cli.main import main
from driver.deals.formats import pbn_export
from driver.journal import Journal
from driver.queue import Stand
from driver.store.runs import Intention
from driver.store.store import Store
from tests.support.store import deal_set, dealt, opened

Runs = Callable[..., list[str]]


@pytest.fixture
def queue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runs:
    """Runs `dealctl queue` with these words; the lines shown, or those of the error."""
    for name, seed in (("tuesday", 0), ("friday", 1)):
        (tmp_path / f"{name}.pbn").write_bytes(pbn_export.write(deal_set(range(1, 5), seed=seed)))

    def run(*words: str, code: int = 0) -> list[str]:
        named = [str(tmp_path / word) if word.endswith(".pbn") else word for word in words]
        assert main(["queue", *named, "--data", str(tmp_path / "data")]) == code
        shown = capsys.readouterr()
        return (shown.err if code else shown.out).splitlines()

    return run


def test_a_job_is_held_until_it_is_released(queue: Runs) -> None:
    added = queue("add", "tuesday.pbn", "--copies", "A,B", "--by-board", "--descending")
    line = "1  tuesday: boards 1-4, copies A and B, board by board, the highest first; 8 boards of 8 to come; held"
    assert added[-2:] == [line, "It is held. Let it be dealt: dealctl queue release 1"]
    assert queue() == [line]
    assert queue("release", "1") == [line.replace("held", "released")]
    assert queue("hold", "1") == [line]


def test_jobs_are_moved_and_removed_by_numbers_that_never_change(queue: Runs) -> None:
    queue("add", "tuesday.pbn", "--boards", "1-2")
    queue("add", "friday.pbn", "--released")
    queue("add", "friday", "--copies", "B")
    assert [line[0] for line in queue("move", "3", "before", "1")] == ["3", "1", "2"]
    assert [line[0] for line in queue("move", "3", "last")] == ["1", "2", "3"]
    assert [line[0] for line in queue("remove", "1")] == ["2", "3"]
    added = queue("add", "tuesday.pbn", "--boards", "3")
    assert added[-2].startswith("4  tuesday: board 3; 1 board of 1 to come")
    assert queue("remove", "1", code=2)[0] == "There is no job 1 in the queue."


def test_an_empty_queue_says_how_a_job_comes_in(queue: Runs) -> None:
    assert queue() == ["No job waits. Put one in: dealctl queue add FILE"]
    assert queue("--json") == []


@pytest.mark.parametrize("words", [("move", "1", "before"), ("move", "1", "last", "2")])
def test_where_a_job_is_to_come_must_be_clear(words: tuple[str, ...], queue: Runs) -> None:
    queue("add", "tuesday.pbn")
    assert "Nothing was changed. Say: dealctl queue move 1 before ID" in queue(*words, code=2)[1]


def claimed(store: Store, *, begun: bool) -> int:
    """What a program writes of the first board that waits, before cards move or also after it has said GO; the run."""
    (copy, *_) = store.jobs.queue().copies(Stand.WAITING)
    board = store.jobs.queue().copy(copy).board
    with Journal(store) as journal:
        store.jobs.follow(lambda queue: queue.with_copy(copy, stand=Stand.CLAIMED, machine="M1"))
        run = journal.intend(Intention(board, "", "M1", 1, 0, 0, "s1", board, False), bytes(8), copy=copy).run
        if begun:
            journal.note_go(run)
    return run


def test_the_job_that_runs_stays_where_it_is(queue: Runs, tmp_path: Path) -> None:
    queue("add", "tuesday.pbn", "--boards", "1-2", "--released")
    queue("add", "friday.pbn")
    with opened(tmp_path / "data") as store:
        claimed(store, begun=True)
        with Journal(store):
            (copy, *_) = store.jobs.queue().copies(Stand.OPEN)
            store.jobs.follow(lambda queue: queue.release(1).with_copy(copy, stand=Stand.BEGUN))
            assert queue()[0].endswith("; is being dealt")
            for words in (("remove", "1"), ("move", "1", "last"), ("move", "2", "before", "1")):
                assert "is being dealt, so it stays where it is." in queue(*words, code=1)[0]
            assert queue("hold", "1")[0].endswith("; held after the board that is being dealt")


@pytest.mark.parametrize("begun", [False, True])
def test_nothing_is_being_dealt_when_no_program_is_at_work(begun: bool, queue: Runs, tmp_path: Path) -> None:
    queue("add", "tuesday.pbn", "--boards", "1-2", "--released")
    queue("add", "friday.pbn", "--boards", "3", "--released")
    with opened(tmp_path / "data") as store:
        run = claimed(store, begun=begun)
    shown = "held; board 1 was interrupted, to go on: dealctl carry-on" if begun else "held"
    assert queue() == [
        f"1  tuesday: boards 1, 2; 2 boards of 2 to come; {shown}",
        "2  friday: board 3; 1 board of 1 to come; held",
    ]
    assert [line[0] for line in queue("move", "1", "last")] == ["2", "1"]
    removed = queue("remove", "1")
    told = "Cards of board 1 may lie in a machine still. To look after them: dealctl carry-on"
    assert removed[1:] == ([told] if begun else [])
    with opened(tmp_path / "data") as store:
        (record,) = store.runs.left_open()
    assert (record.run, record.go_sent) == (run, begun)


def test_a_job_whose_program_died_is_released_by_a_person_as_ever(queue: Runs, tmp_path: Path) -> None:
    queue("add", "tuesday.pbn", "--boards", "1-2", "--released")
    with opened(tmp_path / "data") as store:
        claimed(store, begun=True)
    assert "; released; board 1 was interrupted" in queue("release", "1")[0]
    assert "; released; board 1 was interrupted" in queue()[0]
    added = queue("add", "tuesday", "--boards", "1-3")
    assert "; held; board 1 was interrupted" in added[-2], "the board goes over to the newer job as it stands"
    assert len(queue()) == 1


def test_what_was_left_is_told(queue: Runs, tmp_path: Path) -> None:
    queue("add", "tuesday.pbn", "--released")
    with opened(tmp_path / "data") as store:
        copy = store.jobs.queue().copies(Stand.WAITING)[1]
        store.jobs.follow(lambda queue: queue.with_copy(copy, stand=Stand.LEFT))
    assert queue()[0].endswith("4 boards of 4 to come, 1 of them left for later; released")


def test_boards_dealt_already_are_asked_about_when_the_job_is_put_in(queue: Runs, tmp_path: Path) -> None:
    queue("add", "tuesday.pbn", "--boards", "4")
    with opened(tmp_path / "data") as store:
        stored = store.sets.find("tuesday")
        run = dealt(store, stored.id, 1)
        (board,) = (board for board in store.sets.boards_of(stored) if board.number == 1)
        store.register.note(board.deal, stored.id, 1, "", run, store.copies.of_set(stored.id)[0].begun)
    assert "--used replace, --used copy" in " ".join(queue("add", "tuesday.pbn", code=7))
    assert "copy B" in queue("add", "tuesday.pbn", "--boards", "1", "--used", "copy")[-2]


def test_a_script_gets_each_job_with_its_boards(queue: Runs) -> None:
    added = json.loads(queue("add", "tuesday.pbn", "--boards", "1,2", "--copies", "T1,T2", "--json")[-1])
    assert (added["id"], added["name"], added["left"], added["released"]) == (1, "tuesday", 4, False)
    assert added["boards"][0] == {"board": 1, "copy": "T1", "stand": "waiting"}
    assert [json.loads(line) for line in queue("--json")] == [added]
