"""A test that fails prints what repeats it: plans of faults, line and person, each a line that its `parse` reads.

Read next: `tests/conftest.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line
from firmware_sim.person_script import PersonScript
from tests.conftest import REPEAT_IT

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
FAULTS = FaultPlan.random(41, count=3)
LINE = Line(5, drop=0.25, flip=(0.1, 0.0)).plan
SCRIPT = PersonScript((1, 2, 5), seed=9)
FAILING = f"""
import pytest

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line
from firmware_sim.person import Person
from firmware_sim.person_script import PersonScript


def build():
    machine = SimMachine(faults=FaultPlan.parse({FAULTS.describe()!r}), seed=17)
    Line.parse({LINE.describe()!r})
    Person(machine, PersonScript.parse({SCRIPT.describe()!r}))
    return machine


def test_that_fails():
    build()
    raise AssertionError("on purpose")


def test_that_holds():
    SimMachine(faults=FaultPlan.random(42))
    Line(43)


def test_that_builds_nothing_and_fails():
    raise AssertionError("on purpose")


@pytest.fixture
def wrong_at_the_end():
    yield
    raise AssertionError("at the end")


def test_that_fails_at_its_end(wrong_at_the_end):
    build()
"""


def test_a_failed_test_prints_the_plans_that_repeat_it_and_no_other_test_does(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_failing.py").write_text(FAILING, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTHONPATH"] = str(CONFTEST.parents[1])
    done = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    shown = done.stdout.splitlines()
    assert "2 failed, 2 passed, 1 error" in done.stdout, done.stdout
    assert done.stdout.count(REPEAT_IT) == 2, done.stdout
    assert [FaultPlan.parse(text) for text in after("machine with seed 17, faults: ", shown)] == [FAULTS] * 2
    assert [Line.parse(text).plan for text in after("line: ", shown)] == [LINE] * 2
    assert [PersonScript.parse(text) for text in after("person: ", shown)] == [SCRIPT] * 2


def after(start: str, shown: list[str]) -> list[str]:
    """What follows `start` in the lines that begin with it."""
    return [line.removeprefix(start) for line in shown if line.startswith(start)]
