"""The host's computer sleeps at any moment of a job: one question names the board, and nothing moves before.

For the machine the time passes; the program is not there, hears nothing and sends nothing.
Read next: `driver/clock.py`, `driver/runner.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from driver.deals.loader import load_deals
from driver.errors import ComputerSlept
from driver.findings import Choice
from driver.job_events import (
    BoardJudged,
    BoardStarted,
    CardDealt,
    JobEvent,
    MachineBack,
    MachineLost,
    NeedsOperator,
)
from firmware_sim.person_script import PersonScript
from tests.cli.program import CLUB
from tests.support.memory import ManualClock
from tests.support.peers import Peer, Setup, memory_peer, truth_equals

NIGHT: Final = 600.0
BOARDS: Final = (1, 2, 3)


@dataclass
class Evening:
    """A job of three boards that sleeps once; what was told after that, up to the end."""

    peer: Peer
    told: list[JobEvent]
    motions: int

    @property
    def asked(self) -> list[NeedsOperator]:
        return questions(self.told)


def questions(told: list[JobEvent]) -> list[NeedsOperator]:
    """The questions among what was told."""
    return [event for event in told if isinstance(event, NeedsOperator) and event.choices]


def evening(folder: Path, falls_asleep: Callable[[JobEvent], bool], *, auto: bool = False) -> Evening:
    """Deals, and sleeps after the first event of which `falls_asleep` says so; a person answers one question."""
    peer = memory_peer(folder, Setup(script=PersonScript(boards=BOARDS)))
    told: list[JobEvent] = []
    slept_at: int | None = None
    clock = ManualClock(peer.endpoint)  # type: ignore[arg-type]
    peer.clock = lambda: clock  # type: ignore[method-assign]
    with peer.open() as machine:
        job = machine.start(load_deals(CLUB), BOARDS, auto=auto)
        for event in job.events():
            if slept_at is not None:
                told.append(event)
            if slept_at is None and falls_asleep(event):
                clock.sleep(NIGHT)
                slept_at = len(peer.core.truth.motions)
            if isinstance(event, NeedsOperator) and event.choices:
                if slept_at is not None and len(questions(told)) == 1:
                    assert len(peer.core.truth.motions) == slept_at, "nothing moved before the question"
                peer.wait_for(lambda core: core.mechanism.slot.board is not None and bool(core.mechanism.hopper))
                job.decide(Choice.GO_ON if Choice.GO_ON in event.choices else Choice.GO)
        assert [board.verdict.name for board in job.result.boards] == ["GOOD"] * len(BOARDS)
    assert truth_equals(peer, load_deals(CLUB), BOARDS)
    assert peer.core.truth.violations() == []
    assert slept_at is not None
    return Evening(peer, told, slept_at)


MOMENTS: Final[dict[str, tuple[Callable[[JobEvent], bool], int]]] = {
    "the first card is in": (lambda event: isinstance(event, CardDealt) and event.index == 1, 1),
    "in mid-board": (lambda event: isinstance(event, CardDealt) and event.index == 10, 1),
    "the last card is in": (lambda event: isinstance(event, CardDealt) and event.index == 52, 2),
    "the board is judged": (lambda event: isinstance(event, BoardJudged), 2),
    "the next board is waited for": (lambda event: isinstance(event, NeedsOperator) and not event.choices, 2),
    "the second board has begun": (lambda event: isinstance(event, BoardStarted) and event.board == 2, 2),
}
"""When it sleeps, and the board that is asked about then."""


@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_sleep_one_question_names_the_board_and_nothing_moves_before_it(moment: str, tmp_path: Path) -> None:
    falls_asleep, board = MOMENTS[moment]
    slept = evening(tmp_path, falls_asleep)

    (lost,) = [event for event in slept.told if isinstance(event, MachineLost)]
    assert lost.text == "This computer was asleep."
    assert lost.hands == ComputerSlept("").hint
    assert "which board lies in the machine" in lost.hands
    assert [asked.board for asked in slept.asked] == [board], slept.asked


def test_a_start_that_was_answered_before_the_sleep_is_asked_once_more(tmp_path: Path) -> None:
    slept = evening(tmp_path, lambda event: isinstance(event, NeedsOperator) and bool(event.choices))

    assert [type(event) for event in slept.told[:3]] == [MachineLost, MachineBack, NeedsOperator]
    assert [asked.board for asked in slept.asked] == [1]


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_automatic_setting_goes_on_after_a_sleep_as_after_any_reconnect(moment: str, tmp_path: Path) -> None:
    falls_asleep, _ = MOMENTS[moment]
    slept = evening(tmp_path, falls_asleep, auto=True)

    assert slept.asked == []
