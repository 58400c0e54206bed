"""The printed table of the scheduler says what the scheduler does, and what it says of motion holds.

Read next: `driver/SCHEDULER.md`, `tests/support/scheduler_table.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from driver import happenings
from driver.steps import Step
from tests.support.scheduler_table import HAPPENINGS, SITUATIONS, table

PAGE = Path(__file__).resolve().parents[2] / "driver" / "SCHEDULER.md"


def test_the_printed_table_is_what_the_scheduler_does() -> None:
    printed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert printed == table(), "python -m tests.support.scheduler_table prints it anew"


def test_the_table_has_every_state_and_every_kind_of_happening() -> None:
    assert {come().step for come in SITUATIONS.values()} == set(Step)
    assert all(come().step.name == name.partition(",")[0] for name, come in SITUATIONS.items())
    assert {type(happening) for happening in HAPPENINGS.values()} == set(get_args(happenings.Happening))


def test_the_page_explains_every_command() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for command in get_args(happenings.Command):
        assert f"**{command.__name__}**" in page
