"""The time of hands between boards is measured, kept with the run, and is the next evening's first estimate.

Read next: `driver/dealing.py`, `driver/cli/view.py` (what is shown of it); `tests/faults/test_clock_that_jumps.py`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median

from driver.deals.loader import load_deals
from driver.findings import Choice
from driver.job_events import BoardJudged, BoardStarted, NeedsOperator
from driver.machine import Machine
from firmware_sim.faults import FaultPlan
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from tests.cli.program import CLUB
from tests.support.peers import Peer, Setup, memory_peer

BOARDS = (1, 2, 3, 4)
THINKS = 45.0


def dealt(peer: Peer, machine: Machine) -> list[float]:
    """Deals the boards; the seconds of the simulated clock from each verdict to the first card after it."""
    clock, judged, changes = peer.clock(), 0.0, []
    job = machine.start(load_deals(CLUB), BOARDS)
    for event in job.events():
        match event:
            case BoardStarted(index=0, board=board) if board > 1:
                changes.append(clock.monotonic() - judged)
            case BoardJudged():
                judged = clock.monotonic()
            case NeedsOperator() if event.choices:
                clock.wait(THINKS)
                job.decide(Choice.GO_ON if Choice.GO_ON in event.choices else Choice.GO)
    return changes


def test_an_evening_begins_with_what_was_measured_on_the_one_before(tmp_path: Path) -> None:
    # The time at the question about the jam is neither the machine's nor that of a change of boards.
    setup = Setup(script=PersonScript(boards=BOARDS), faults=FaultPlan.parse("jam-path@2/20"))
    peer = memory_peer(tmp_path, setup)
    with peer.open() as machine:
        assert machine.hand_seconds is None, "nothing was measured yet"
        changes = dealt(peer, machine)
        kept = [run.hand_ms for run in machine.journal.begun()]
        assert kept[0] is None, "nothing was judged before the first board"
        measured = [hand_ms / 1000 for hand_ms in kept if hand_ms is not None]
    assert len(measured) == len(changes) == len(BOARDS) - 1
    assert max(abs(one - other) for one, other in zip(measured, changes, strict=True)) < 0.1
    assert max(measured) < THINKS

    with memory_peer(tmp_path, setup).open() as machine:
        assert machine.hand_seconds == median(measured)
    other = Setup(script=setup.script, profile=replace(FULL, serial="DM0777"))
    with memory_peer(tmp_path, other).open() as machine:
        assert machine.hand_seconds is None, "another machine, perhaps in another room"
