"""The program ends, or the disk fails, at every single write of the journal: nothing is lost, nothing dealt twice.

A job of three boards; the next program finds only what lay on the disk. `world.py` watches the invariants I1 to I4, and
that each board that is GOOD truly holds its own deal. Read next: `test_journal_images.py`, `test_killed_host.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from driver.errors import JournalUnusable, StoreUnusable
from tests.faults.grief import finish
from tests.stateful.world import ProgramEnds, World
from tests.support.store import journal_in
from tests.support.watched_store import Moment, failure, watched

pytestmark = pytest.mark.usefixtures("quick_disk")

FAILURES: Final = {
    "disk full": (sqlite3.SQLITE_FULL, "disk is full"),
    "disk error": (sqlite3.SQLITE_IOERR, "disk fails"),
    "failed sync": (sqlite3.SQLITE_IOERR_FSYNC, "disk fails"),
    "read-only": (sqlite3.SQLITE_READONLY, "may be read, but not written"),
    "locked by another": (sqlite3.SQLITE_BUSY, "Another program is using"),
}
LEAST_POINTS: Final = 3 * 3
"""Each of three boards has at least an intent, a GO and a verdict."""


@pytest.fixture
def world() -> Iterator[World]:
    made = World(11)
    yield made
    made.close()


class OnceAt:
    """Raises `error` at the write of that number, once, while it is armed."""

    def __init__(self, point: int, moment: Moment, error: BaseException, *, only: str = "", armed: bool = True) -> None:
        self.came = False
        self.is_armed = armed
        self._left = point
        self._moment = moment
        self._error = error
        self._only = only

    def __call__(self, moment: Moment, sql: str, values: Sequence[object]) -> None:
        if self.came or not self.is_armed or moment != self._moment or not sql.startswith(self._only):
            return
        self._left -= 1
        if not self._left:
            self.came = True
            raise self._error


def every_motion_was_intended(world: World) -> None:
    """For every run that moved a card, intent and GO were on the disk."""
    world.end_program()
    with journal_in(world.folder) as journal:
        for motion in world.core.truth.motions:
            record = journal.record(motion.run)
            assert record is not None
            assert record.go_sent


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_program_killed_at_any_write_of_a_job_loses_nothing_and_three_right_boards_come_of_it(
    moment: Moment,
) -> None:
    for point in count(1):
        killed = OnceAt(point, moment, ProgramEnds(), only="COMMIT")
        with watched(killed):
            world = World(11)
            try:
                world.run()
                finish(world)
                killed.is_armed = False
                every_motion_was_intended(world)
            finally:
                world.close()
        if not killed.came:
            assert point > LEAST_POINTS
            return


@pytest.mark.parametrize("failure_name", FAILURES)
def test_a_disk_that_fails_at_any_write_of_a_job_moves_nothing_that_was_not_written_and_says_so(
    failure_name: str,
) -> None:
    code, sentence = FAILURES[failure_name]
    for point in count(1):
        fault = OnceAt(point, "before", failure(code), armed=False)
        with watched(fault):
            world = World(11)
            try:
                world.run()
                fault.is_armed = True
                finish(world)
                fault.is_armed = False
                every_motion_was_intended(world)
            finally:
                world.close()
        if not fault.came:
            assert point > LEAST_POINTS
            return
        (error,) = world.errors
        assert isinstance(error, JournalUnusable)
        assert sentence in str(error)
        assert error.hint


def opening(folder: Path) -> str | None:
    """The sentence with which the journal cannot be opened, None when it can."""
    try:
        with journal_in(folder):
            return None
    except StoreUnusable as error:
        return str(error)


@pytest.mark.parametrize("failure_name", FAILURES)
def test_a_disk_that_fails_while_the_store_is_made_or_opened_is_said_and_the_next_start_works(
    failure_name: str, world: World
) -> None:
    code, sentence = FAILURES[failure_name]
    world.end_program()
    for path in world.folder.iterdir():
        path.unlink()
    for point in count(1):
        fault = OnceAt(point, "before", failure(code))
        with watched(fault):
            said = opening(world.folder)
        if not fault.came:
            break
        assert said is None or sentence in said
    assert point > 3
    finish(world)
