"""An ARM, a GO or an answer lost until the host gives the link up: the run keeps its id, and nothing moves twice.

Read next: PROTOCOL.md, section 10; `driver/recovery.py`; `test_lossy_line.py`, the same by chance.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from driver import load_deals
from driver.job_events import NeedsOperator
from driver.machine import Machine
from driver.store.database import FILE_NAME
from firmware_sim.line import Direction, Line, LineFault, OneShot
from firmware_sim.person_script import PersonScript
from protocol.codes import Kind, RequestType
from protocol.constants import GIVE_UP, RESEND_EVERY
from tests.support.peers import Peer, Setup, memory_peer, run_job, truth_equals

CLUB = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
SENDINGS = GIVE_UP // RESEND_EVERY + 1


def peer_that_loses(data: Path, request: RequestType, kind: Kind, sendings: int = SENDINGS) -> Peer:
    """A machine with pack and board 1 in it; the first so many of these requests, or of their answers, are lost."""
    direction = Direction.TO_MACHINE if kind is Kind.REQUEST else Direction.TO_HOST
    lost = (OneShot(LineFault.DROP, direction, nth, kind, request) for nth in range(1, sendings + 1))
    peer = memory_peer(data, Setup(script=PersonScript(boards=(1,)), line=Line(rules=tuple(lost))))
    peer.wait_for(lambda core: core.mechanism.slot.board is not None and bool(core.mechanism.card_path.hopper))
    return peer


def deal_board_1(machine: Machine) -> None:
    """Deals board 1 of the club's file, as far as it goes by itself; where there is a choice, it goes on."""
    job = machine.start(load_deals(CLUB), range(1, 2), auto=True)
    run_job(job, lambda job, event: job.go_on() if isinstance(event, NeedsOperator) and event.choices else None)
    assert [board.verdict.name for board in job.result.boards] == ["GOOD"]


def intended_runs(data: Path) -> list[int]:
    """The run id of each intent in the journal, oldest first."""
    with closing(sqlite3.connect(data / FILE_NAME)) as connection:
        return [run for (run,) in connection.execute("SELECT run FROM intents ORDER BY sequence")]


@pytest.mark.parametrize("kind", [Kind.REQUEST, Kind.ANSWER], ids=["request", "answer"])
@pytest.mark.parametrize("request_type", [RequestType.ARM, RequestType.GO], ids=lambda each: str(each.name))
def test_a_run_keeps_its_id_when_the_link_is_given_up_before_its_answer_came(
    tmp_path: Path, request_type: RequestType, kind: Kind
) -> None:
    peer = peer_that_loses(tmp_path, request_type, kind)
    with peer.open() as machine:
        deal_board_1(machine)
    assert len(set(intended_runs(tmp_path))) == 1
    assert {motion.run for motion in peer.core.truth.motions} == set(intended_runs(tmp_path))
    assert truth_equals(peer, load_deals(CLUB), [1])
    assert peer.core.truth.violations() == []
    assert len(peer.core.truth.feeds()) == 52


@pytest.mark.parametrize("request_type", [RequestType.ARM, RequestType.GO], ids=lambda each: str(each.name))
def test_an_answer_that_comes_at_the_last_sending_needs_no_new_connection(
    tmp_path: Path, request_type: RequestType
) -> None:
    peer = peer_that_loses(tmp_path, request_type, Kind.ANSWER, sendings=SENDINGS - 1)
    with peer.open() as machine:
        deal_board_1(machine)
    assert len(intended_runs(tmp_path)) == 1
    assert len(peer.core.truth.motions) == 1
    assert len(peer.core.truth.feeds()) == 52
