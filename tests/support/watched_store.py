"""A store's connection that lets a test do something just before and just after each statement that matters to a disk.

May import: driver. Read next: `tests/faults/test_journal_crashes.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal
from unittest import mock

from driver.store import database
from driver.store.database import StoreConnection

Moment = Literal["before", "after"]
Watcher = Callable[[Moment, str, Sequence[object]], None]
"""What is done at a moment of a statement with those values; it may raise what SQLite or a killed program raises."""

WRITES: Final = ("BEGIN", "INSERT INTO journal", "INSERT INTO intents", "INSERT INTO evidence", "COMMIT")
"""How the statements of the journal begin that write."""


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """While it lasts, every connection that is opened to a store tells `watcher` of the statements that write."""

    class Watched(StoreConnection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return self._told(sql, super().execute, *values)

        def executemany(self, sql: str, *values: Any) -> sqlite3.Cursor:
            return self._told(sql, super().executemany, *values)

        def _told(self, sql: str, call: Callable[..., sqlite3.Cursor], *values: Any) -> sqlite3.Cursor:
            if not sql.startswith(WRITES):
                return call(sql, *values)
            told = values[0] if sql.startswith("INSERT") and isinstance(values[0], tuple) else ()
            watcher("before", sql, told)
            cursor = call(sql, *values)
            watcher("after", sql, told)
            return cursor

    with mock.patch.object(database, "StoreConnection", Watched):
        yield


def failure(code: int) -> sqlite3.OperationalError:
    """The error with which SQLite tells that result code."""
    error = sqlite3.OperationalError("as the disk says")
    error.sqlite_errorcode = code
    error.sqlite_errorname = "SQLITE_TEST"
    return error
