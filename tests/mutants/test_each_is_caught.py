"""Each machine and host that is broken on purpose is found by the tests that are named for it, and by their assertions.

Each is run by a pytest of its own, because it takes the place of the right one before anything is imported.
Read next: `broken.py`, the table; `plugin.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants.broken import BROKEN

ROOT = Path(__file__).resolve().parents[2]
WRONG_ONES = {
    "executes duplicates",
    "accepts old numbers",
    "token survives an opened cover",
    "motion without a new ARM",
    "ledger written before the card left",
    "events restart silently",
    "STOP ignored when busy",
    "STOPPED without its number",
    "constant boot id",
    '"no run" after lost memory',
    "host retries under a new run",
    "host trusts counts without identities",
}
ALL_GOOD, SOME_FAILED = 0, 1
pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one test: passed, failed or skipped, and the exception that it ended with ("-" = none)."""

    outcome: str
    exception: str
    test: str


def run(tests: Iterable[str], folder: Path, *options: str) -> tuple[int, str, list[Outcome]]:
    """Runs the tests in a pytest of their own: its exit code, what it printed, and the outcome of each test."""
    file = folder / "outcomes"
    own = ["-p", "tests.mutants.plugin", "-p", "no:cacheprovider", "--outcomes", str(file), "-q", "--tb=line"]
    command = [sys.executable, "-m", "pytest", *own, "--basetemp", str(folder / "temp"), *options, *tests]
    repeatable = {**os.environ, "CI": "1"}
    ended = subprocess.run(command, cwd=ROOT, env=repeatable, capture_output=True, text=True, timeout=100, check=False)
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    outcomes = [Outcome(*line.split(" ", 2)) for line in lines]
    return ended.returncode, ended.stdout + ended.stderr, outcomes


def named(test: str, names: Iterable[str]) -> list[str]:
    """Which of the names in the table mean that test."""
    return [name for name in names if test == name or test.startswith(f"{name}[")]


def test_the_twelve_that_must_be_found_are_there_and_each_has_tests_that_find_it() -> None:
    assert set(BROKEN) == WRONG_ONES
    assert [name for name, broken in BROKEN.items() if not broken.caught_by] == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_wrong_machine_or_host_is_found_by_each_test_that_is_named_for_it(name: str, tmp_path: Path) -> None:
    caught_by = BROKEN[name].caught_by
    code, printed, outcomes = run(caught_by, tmp_path, "--broken", name)
    assert code == SOME_FAILED, printed
    assert [one for one in outcomes if (one.outcome, one.exception) != ("failed", "AssertionError")] == [], printed
    assert {found for one in outcomes for found in named(one.test, caught_by)} == set(caught_by)


def test_the_right_machine_and_host_pass_every_one_of_these_tests(tmp_path: Path) -> None:
    tests = sorted({test for broken in BROKEN.values() for test in broken.caught_by})
    code, printed, outcomes = run(tests, tmp_path)
    assert code == ALL_GOOD, printed
    assert {one.outcome for one in outcomes} == {"passed"}, printed
    assert {found for one in outcomes for found in named(one.test, tests)} == set(tests)
