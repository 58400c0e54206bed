"""What is told of a board that was under way, by the records alone: what is so of it, and each thing once.

Read next: `driver/cli/recovery.py`; `tests/cli/test_recovery.py` and `tests/cli/test_several.py` for whole commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from driver import claims
from driver.cli.recovery import ask_each, tell_under_way
from driver.journal import Journal
from driver.machine import Machine
from driver.queue import JobOrder, Stand
from driver.store.runs import Intention
from driver.store.store import Store
from driver.under_way import UnderWay, left_open
from driver.verdicts import Verdict
from tests.support.peers import Setup, memory_peer
from tests.support.store import deal_set

OURS, OTHER = "SIM-0001", "SIM-OTHER"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine in which nothing is open, with the journal of this computer."""
    with memory_peer(tmp_path, Setup()).open() as found:
        yield found


def left(
    store: Store, journal: Journal, serial: str, board: int, *, go: bool = True, verdict: Verdict | None = None
) -> None:
    """A run of that board of the one job, on that machine, as a program left it that was killed."""
    stored = store.sets.add_imported(deal_set(range(1, 5))).stored
    if not store.jobs.queue().jobs:
        store.jobs.add(JobOrder(0, stored.id, (1, 2, 3, 4)), released=True)
    store.jobs.follow(lambda queue: claims.claim(queue, serial, number=board)[0])
    copy = next(one for one in store.jobs.queue().copies(Stand.CLAIMED) if store.jobs.queue().copy(one).board == board)
    intention = Intention(board, "", serial, 1, 0, 0, stored.id, board, simulated=True)
    run = journal.intend(intention, bytes(8), copy=copy).run
    if go:
        journal.note_go(run)
    if verdict is not None:
        journal.note_verdict(run, verdict.name)


def told_by(found: tuple[UnderWay, ...], capsys: pytest.CaptureFixture[str]) -> list[str]:
    tell_under_way(found)
    return capsys.readouterr().out.splitlines()


def test_a_board_that_has_its_verdict_was_dealt_and_is_not_called_interrupted(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    left(machine.store, machine.journal, OTHER, 1, verdict=Verdict.GOOD)
    first = told_by(left_open(machine.store), capsys)[0]
    assert first.startswith("Board 1 of ")
    assert " was dealt before the program ended, begun today at " in first
    assert first.endswith(": it is GOOD.")


@pytest.mark.parametrize(
    ("go", "verdict", "told"),
    [
        (False, None, "Board 3 was to be dealt on another machine, SIM-OTHER, which had not begun it."),
        (True, None, "Board 3 was begun on another machine, SIM-OTHER, and stays as it is there."),
        (
            True,
            Verdict.GOOD,
            "Board 3 was dealt on another machine, SIM-OTHER: nothing is left to do for it here.",
        ),
    ],
    ids=["intent alone", "begun", "judged"],
)
def test_of_a_board_on_another_machine_is_told_what_is_so(
    go: bool, verdict: Verdict | None, told: str, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    left(machine.store, machine.journal, OTHER, 3, go=go, verdict=verdict)
    found = left_open(machine.store)
    ask_each(machine, found, lambda under: False, told=found)
    assert capsys.readouterr().out.splitlines() == [told]


def test_how_far_a_job_of_two_machines_is_is_told_once_when_one_of_them_is_opened(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    left(machine.store, machine.journal, OURS, 1, go=False)
    left(machine.store, machine.journal, OTHER, 2)
    found = left_open(machine.store)
    assert [under.machine for under in found] == [OTHER, OURS]
    tell_under_way(found[:1])
    ask_each(machine, found, lambda under: False, told=found[:1])
    lines = capsys.readouterr().out.splitlines()
    assert sum("Of what was to be dealt" in line for line in lines) == 1
    assert any(line.startswith("Board 1 of ") and "about to be dealt" in line for line in lines)
