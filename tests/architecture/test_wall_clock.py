"""No duration comes from the wall clock: each place that reads the time of day or a file's time is listed, with why.

The lists are exact: a reading that is not listed fails, and so does a line of a list whose reading is gone. Read next:
`driver/clock.py`; `tests/faults/test_clock_that_jumps.py`, a job during which the wall clock jumps.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest

from tests.architecture.test_project_layout import PACKAGES, modules_of
from tests.architecture.test_project_layout import tree_of as parsed

HERE: Final = "tests/architecture/test_wall_clock.py"
PLACES: Final = {
    "driver/clock.py today: time.strftime": "the date in a record that a person reads",
    "driver/clock.py utc_now: datetime.now": "the date and time that stand in the store, for a person",
    "driver/clock.py wall_time: time.time": "what the times of files are held against, which are of the wall clock too",
    "driver/cli/recent_files.py _candidates: .st_mtime": "when a file was saved, for a person who chooses among files",
    "driver/deals/loader.py bytes_of: .st_mtime_ns": "whether a file was written to while it was read",
    "driver/store/database.py _written: .st_mtime_ns": "whether a store was written to since it was looked through",
}
"""Every reading of the wall clock: module, function and what is read; and why a date is meant there."""
ONLY_CALLERS: Final = {
    "wall_time": {"driver/cli/deal_source.py": "the age of a file, in words"},
    "timedelta": {
        "driver/cli/names.py": "an evening: for how long a name that decided something is taken unasked",
        "driver/deals/public_value.py": "the zones of the earth: on which days it can be that date somewhere",
    },
    "total_seconds": {},
    "timestamp": {},
}
"""What makes a number of seconds out of dates, and the only modules that use it."""

WALL_CLOCK: Final = frozenset(
    {
        *("time.time", "time.time_ns", "time.CLOCK_REALTIME", "time.CLOCK_TAI"),
        *("datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
        *("path.getmtime", "path.getctime", "path.getatime", "uuid.uuid1"),
    }
)
UNLESS_GIVEN: Final = {
    "time.localtime": 1,
    "time.gmtime": 1,
    "time.ctime": 1,
    "time.asctime": 1,
    "time.strftime": 2,
    "utils.localtime": 1,
    "utils.formatdate": 1,
}
"""Functions that read the wall clock when they get fewer arguments than that."""
FILE_TIMES: Final = re.compile(r"st_(?:[amc]|birth)time(?:_ns)?")
IN_SQL: Final = re.compile(r"\bCURRENT_(?:TIME|DATE|TIMESTAMP)\b|\b(?:strftime|unixepoch|julianday|datetime) ?\(")
BY_NAME: Final = frozenset({"time", "datetime"})
"""Modules of which nothing is taken by a name that only shows when it runs, or all at once."""


tree_of = cache(parsed)


class _Readings(ast.NodeVisitor):
    """Collects `function: what is read`, under whatever name it was imported."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[str] = []
        self.sleeps = False
        self._known: dict[str, str] = {}
        self._within: list[str] = []
        self._given: dict[ast.expr, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._known |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                self._known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                if node.module in BY_NAME and any(alias.name == "*" for alias in node.names):
                    self._put(f"{node.module}.*")
        self.visit(tree)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._within.append(node.name)
        self.generic_visit(node)
        self._within.pop()

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Call(self, node: ast.Call) -> None:
        self._given[node.func] = len(node.args) + len(node.keywords)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._look(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if FILE_TIMES.fullmatch(node.attr):
            self._put(f".{node.attr}")
        if not self._look(node):
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and (IN_SQL.search(node.value) or node.value in ("CLOCK_REALTIME", "CLOCK_TAI")):
            self._put(f"text {node.value[:40]!r}")

    def _look(self, node: ast.Name | ast.Attribute) -> bool:
        head, dot, rest = ast.unparse(node).partition(".")
        if head not in self._known:
            return False
        name = ".".join((self._known[head] + dot + rest).split(".")[-2:])
        self.sleeps |= name == "time.sleep"
        reads = name in WALL_CLOCK or (name in UNLESS_GIVEN and self._given.get(node, 0) < UNLESS_GIVEN[name])
        if reads:
            self._put(name)
        return reads

    def _put(self, what: str) -> None:
        self.found.append(f"{'.'.join(self._within) or 'the module'}: {what}")


def readings_of(tree: ast.Module) -> list[str]:
    """`function: what is read` for each reading of a wall clock or of a file's time."""
    return _Readings(tree).found


def names_in(tree: ast.Module) -> Iterator[str]:
    """Every name that the module imports, reads or asks an object for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def sleeps_in(tree: ast.Module) -> bool:
    """Whether it lets real time pass."""
    return _Readings(tree).sleeps


def test_each_reading_of_the_wall_clock_is_listed_with_why_and_no_line_of_the_list_is_left_over() -> None:
    found = {f"{module} {reading}" for module in modules_of(*PACKAGES) for reading in readings_of(tree_of(module))}

    assert found == set(PLACES)


@pytest.mark.parametrize("name", ONLY_CALLERS)
def test_only_the_listed_modules_hold_dates_against_each_other(name: str) -> None:
    found = {
        module for module in modules_of(*PACKAGES) if module != "driver/clock.py" and name in names_in(tree_of(module))
    }

    assert found == set(ONLY_CALLERS[name])


def test_no_test_depends_on_the_time_of_day() -> None:
    found = {
        f"{module} {reading}"
        for module in modules_of("tests")
        if module != HERE
        for reading in readings_of(tree_of(module))
        if not FILE_TIMES.search(reading)
    }

    assert found == set()


def test_only_the_clock_itself_sleeps() -> None:
    assert [m for m in modules_of("driver", "protocol", "tests") if sleeps_in(tree_of(m))] == ["driver/clock.py"]


READS: Final = (
    "import time as t\nt.time()",
    "import time\nread = time.time_ns",
    "from time import time as now\nwait = now",
    "import time\ntime.clock_gettime(time.CLOCK_REALTIME)",
    "import time\ntime.clock_gettime(getattr(time, 'CLOCK_REALTIME'))",
    "from time import *",
    "import time\ntime.localtime()",
    "import time\ntime.gmtime()",
    "import time\ntime.strftime('%Y')",
    "from time import strftime\nform = strftime",
    "import datetime\ndatetime.datetime.now()",
    "from datetime import datetime, UTC\ndatetime.now(UTC)",
    "from datetime import datetime\ndatetime.utcnow()",
    "from datetime import date\ndate.today()",
    "import os\nos.stat('x').st_mtime",
    "import os\nos.path.getmtime('x')",
    "from pathlib import Path\nPath('x').stat().st_ctime_ns",
    "SQL = 'INSERT INTO a VALUES (CURRENT_TIMESTAMP)'",
    "SQL = f\"SELECT {1}, unixepoch('now')\"",
)
QUIET: Final = (
    "import time\ntime.monotonic()",
    "import time\ntime.clock_gettime(time.CLOCK_MONOTONIC)",
    "import time\ntime.gmtime(0)",
    "import time\ntime.strftime('%Y', told)",
    "time = 3\nprint(time)",
    "from datetime import datetime\ndatetime.fromisoformat('2026-11-30')",
    "endpoint.now",
    "told.strftime('%Y')",
)


@pytest.mark.parametrize("source", READS)
def test_a_reading_of_the_wall_clock_is_found_under_any_name(source: str) -> None:
    assert readings_of(ast.parse(source))


@pytest.mark.parametrize("source", QUIET)
def test_other_clocks_are_not_taken_for_the_wall_clock(source: str) -> None:
    assert readings_of(ast.parse(source)) == []


def test_a_reading_is_told_by_its_function() -> None:
    source = "import time\nclass A:\n    def b(self):\n        return lambda: time.time()\ntime.time()"
    assert readings_of(ast.parse(source)) == ["A.b: time.time", "the module: time.time"]


@pytest.mark.parametrize(
    "source", ["import time as t\nt.sleep(1)", "from time import sleep\nsleep(1)", "import time\nwait = time.sleep"]
)
def test_a_sleep_is_found_under_any_name(source: str) -> None:
    assert sleeps_in(ast.parse(source))


@pytest.mark.parametrize("source", ["clock.sleep(1)", "import time", "sleep = 1"])
def test_a_clock_of_a_test_is_no_sleep(source: str) -> None:
    assert not sleeps_in(ast.parse(source))
