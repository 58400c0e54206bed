"""The host program is killed in mid-board: the cards stop, the next program sees what was interrupted, nothing moves.

Real processes: the simulator on a serial line, the host by the public API; times are the simulator's own. All accidents
happen side by side, once, and each test looks at one of them. Read next: `tests/support/processes.py`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from driver import Choice, load_deals, open_machine
from driver.clock import SystemClock
from driver.controls import Controls
from driver.errors import MachineBusy
from driver.findings import Situation
from driver.job_events import JobEnded, NeedsOperator
from driver.recorder import Recorder
from driver.recovery import look
from driver.transport.url import open_transport
from driver.verdicts import Verdict
from protocol.cards import PACK_SIZE
from protocol.codes import PauseReason, RecordState, State
from protocol.constants import HOST_LOST_AFTER
from protocol.fields import LedgerRecord
from tests.cli.program import shown_hands
from tests.support.peers import hands_of
from tests.support.processes import Program, Simulator
from tests.support.store import journal_in

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has neither pseudo-terminals nor kill -9")

CLUB: Final = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
CARD: Final = 0.1
"""Seconds from card to card; one card is in flight at most."""
LIMIT: Final = HOST_LOST_AFTER / 1000 + CARD
SLACK: Final = 0.25
"""Seconds that two busy processes may take to notice what the other did."""


@dataclass(frozen=True)
class Accident:
    """What happens to the host, and after how many cards."""

    signal: signal.Signals
    after_card: int


ACCIDENTS: Final = {
    "early": Accident(signal.SIGKILL, 1),
    "middle": Accident(signal.SIGKILL, 11),
    "late": Accident(signal.SIGKILL, 20),
    "taken up again": Accident(signal.SIGKILL, 20),
    "in the last cards": Accident(signal.SIGKILL, 45),
    "interrupted by ctrl-c": Accident(signal.SIGINT, 11),
}
INTERRUPTED: Final = ("early", "middle", "late", "interrupted by ctrl-c")


@dataclass
class Scene:
    """One machine whose host is gone, and how that went. `killed_at` = the simulator's time just before and after."""

    simulator: Simulator
    data: Path
    killed_at: tuple[float, float]
    code: int
    errors: str
    truth: dict[str, Any]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Scene]]:
    """Every accident, all at the same time; each machine stands still when this is given."""
    made: dict[str, Scene] = {}
    with ExitStack() as stack:
        places = {name: tmp_path_factory.mktemp("killed") for name in ACCIDENTS}
        simulators = {name: stack.enter_context(simulator()) for name in ACCIDENTS}
        hosts = {name: stack.enter_context(host_at(simulators[name], places[name])) for name in ACCIDENTS}
        for name, accident in sorted(ACCIDENTS.items(), key=lambda pair: pair[1].after_card):
            hosts[name].line_where(f"card {accident.after_card}".__eq__)
            before = simulators[name].ask("status")["time"]
            hosts[name].send_signal(accident.signal)
            after = simulators[name].ask("status")["time"]
            code, errors = hosts[name].wait()
            made[name] = Scene(simulators[name], places[name], (before, after), code, errors, {})
        for scene in made.values():
            scene.truth = scene.simulator.ask_until("truth", motors_are_off, LIMIT + PACK_SIZE * CARD)
        yield made


def simulator() -> Simulator:
    """A machine as in life, with a person who puts pack and board 1 in."""
    return Simulator("--endpoint", "pty", "--speed", "1", "--boards", "1", "--seed", "3")


def host_at(machine: Simulator, data: Path) -> Program:
    """A program that deals board 1 on it."""
    return Program("tests.support.host_program", machine.url, data, CLUB, "1")


def motors_are_off(truth: dict[str, Any]) -> bool:
    return bool(truth["motors"]) and truth["motors"][-1][1] is not None


@pytest.fixture
def scene(scenes: dict[str, Scene], request: pytest.FixtureRequest) -> Scene:
    """The accident that the test names."""
    return scenes[request.param]


every_accident = pytest.mark.parametrize("scene", ACCIDENTS, indirect=True)
every_interrupted = pytest.mark.parametrize("scene", INTERRUPTED, indirect=True)


def pockets_of(truth: dict[str, Any]) -> list[list[int]]:
    (board,) = truth["boards"]
    return [list(pocket) for pocket in board["pockets"]]


def pockets_by_ledger(records: tuple[LedgerRecord, ...]) -> list[list[int]]:
    """The cards in each pocket in the order of their records."""
    dropped = [record for record in records if record.state is RecordState.DROPPED]
    return [[record.identity for record in dropped if record.pocket == pocket] for pocket in range(4)]


@every_accident
def test_the_cards_stop_within_three_seconds_and_the_card_in_flight(scene: Scene) -> None:
    (turned,) = scene.truth["motors"]
    before, after = scene.killed_at
    _, off = turned

    assert before < off <= after + LIMIT + SLACK
    assert len(scene.truth["motions"]) == 1
    assert scene.truth["violations"] == []


@every_accident
def test_the_killed_program_says_nothing_of_a_hand_and_ends_at_once(scene: Scene) -> None:
    assert scene.code != 0
    assert shown_hands(scene.errors, load_deals(CLUB)) == []
    assert scene.errors == "" or scene.errors.rstrip().endswith("KeyboardInterrupt")


@every_interrupted
def test_the_next_connection_finds_the_interrupted_run_with_every_card_known(scene: Scene) -> None:
    controls = Controls(lambda: open_transport(scene.simulator.url), SystemClock(), Recorder())
    with journal_in(scene.data) as journal:
        try:
            controls.connect()
            seen = look(controls, journal)
            assert seen.record is not None
            records = controls.ledger_or_refusal(seen.record.run)
        finally:
            controls.close()
    truth = scene.simulator.ask("truth")

    assert seen.finding.situation is Situation.INTERRUPTED
    assert (seen.status.state, seen.status.reason) == (State.PAUSED, PauseReason.HOST_LOST)
    assert seen.finding.k == seen.status.index == truth["feeds"] == truth["drops"]
    assert seen.status.doubt == 0
    assert isinstance(records, tuple)
    assert pockets_by_ledger(records) == pockets_of(truth)
    assert truth == scene.truth


@every_interrupted
def test_the_next_job_shows_the_interrupted_board_and_moves_nothing_until_a_person_decides(scene: Scene) -> None:
    with open_machine(scene.simulator.url, data=scene.data) as machine:
        job = machine.start(load_deals(CLUB), [1])
        told = job.events()
        asked = next(told)
        job.decide(Choice.STOP)
        ended = list(told)[-1]

    assert isinstance(asked, NeedsOperator)
    assert "interrupted" in asked.text
    assert str(scene.truth["feeds"]) in asked.text
    assert asked.choices[0] is Choice.DEAL_AGAIN
    assert Choice.GO_ON in asked.choices
    assert ended == JobEnded(complete=False)
    assert scene.simulator.ask("truth") == scene.truth


@pytest.mark.parametrize("scene", ["taken up again"], indirect=True)
def test_a_person_lets_the_interrupted_board_go_on_and_it_is_good(scene: Scene) -> None:
    deals = load_deals(CLUB)
    with open_machine(scene.simulator.url, data=scene.data) as machine:
        job = machine.start(deals, [1])
        for event in job.events():
            if isinstance(event, NeedsOperator):
                job.decide(Choice.GO_ON)
    truth = scene.simulator.ask("truth")

    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert [frozenset(pocket) for pocket in pockets_of(truth)] == list(hands_of(deals.boards[0].deal))
    assert len(truth["motions"]) == 2
    assert truth["feeds"] == PACK_SIZE


@pytest.mark.parametrize("scene", ["in the last cards"], indirect=True)
def test_a_board_that_was_finished_alone_is_judged_by_its_ledger_and_nothing_moves(scene: Scene) -> None:
    deals = load_deals(CLUB)
    with open_machine(scene.simulator.url, data=scene.data) as machine:
        job = machine.start(deals, [1])
        events = list(job.events())
    truth = scene.simulator.ask("truth")

    assert scene.truth["drops"] == PACK_SIZE
    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert events[-1] == JobEnded(complete=True)
    assert [frozenset(pocket) for pocket in pockets_of(truth)] == list(hands_of(deals.boards[0].deal))
    assert truth["motions"] == scene.truth["motions"]


def test_a_second_program_at_the_same_port_is_told_so_and_disturbs_no_card(tmp_path: Path) -> None:
    with simulator() as machine, host_at(machine, tmp_path / "first") as host:
        host.line_where("card 3".__eq__)
        with pytest.raises(MachineBusy) as caught:
            open_machine(machine.url, data=tmp_path / "second")
        host.line_where("card 6".__eq__)
        status = machine.ask("status")

    assert "other program" in caught.value.hint
    assert status["state"] == "MOVING"
