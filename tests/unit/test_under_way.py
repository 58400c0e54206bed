"""What the records call under way, and why nobody goes on with some of it.

Read next: `driver/under_way.py`; `tests/cli/test_recovery.py` for what a person is asked.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from driver.journal import Journal
from driver.queue import JobOrder, Stand
from driver.store.runs import Intention
from driver.store.store import Store
from driver.under_way import left_open, taken_up
from tests.support.store import deal_set, opened

LEFT, RIGHT = "SIM-LEFT", "SIM-RIGHT"
BOARD: Final = Intention(2, "", RIGHT, 1, 0, 0, "", 2, False)


def begun(journal: Journal, intention: Intention) -> int:
    """The run of a board of which cards have moved."""
    run = journal.intend(intention, bytes(8)).run
    journal.note_go(run)
    return run


def set_in(store: Store) -> str:
    """The id of a set of three boards."""
    return store.sets.add_imported(deal_set((1, 2, 3))).stored.id


@pytest.mark.parametrize(
    ("changes", "verdict", "closed", "over"),
    [
        ({}, "GOOD", True, True),
        ({}, "NOT_PROVEN", True, True),
        ({}, None, False, True),
        ({}, None, True, False),
        ({"copy": "B"}, "GOOD", True, False),
        ({"board": 3, "deal_board": 3}, "GOOD", True, False),
        ({"board": 9}, "GOOD", True, False),
        ({"simulated": True}, "GOOD", True, False),
        ({"is_check": True}, "GOOD", True, False),
    ],
)
def test_a_board_that_was_dealt_meanwhile_elsewhere_is_over_where_it_lies(
    changes: dict[str, object], verdict: str | None, closed: bool, over: bool, tmp_path: Path
) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        board = replace(BOARD, deal_set=set_in(store))
        open_there = begun(journal, board)
        (before,) = left_open(store)
        assert before.over == ""
        later = begun(journal, replace(board, serial=LEFT, **changes))  # type: ignore[arg-type]
        if verdict is not None:
            journal.note_verdict(later, verdict)
        if closed:
            journal.note_closed(later)
        (there,) = [under for under in left_open(store) if under.machine == RIGHT]
        assert there.record.run == open_there
        assert there.over == ("Board 2 was dealt meanwhile on machine SIM-LEFT." if over else "")


def test_a_board_whose_job_was_removed_is_a_job_again_and_as_it_was_left(tmp_path: Path) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        set_id = set_in(store)
        job = store.jobs.add(JobOrder(0, set_id, (1, 2, 3))).id
        run = begun(journal, replace(BOARD, deal_set=set_id, board=12))
        store.jobs.follow(lambda queue: queue.remove(job))
        (under,) = left_open(store)
        assert under.job is None
        again = taken_up(store, under).job
        assert again is not None
        assert [(one.board, one.deal_board, one.stand, one.machine, one.run) for one in again.copies] == [
            (12, 2, Stand.OPEN, RIGHT, run)
        ]
        (under,) = left_open(store)
        assert under.job == again
        assert taken_up(store, under) is under, "it is put in once"
