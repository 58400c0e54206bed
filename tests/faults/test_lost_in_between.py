"""The link is given up between two steps of a job: before an intent, while judging, while closing; each is done once.

Read next: `test_lost_answers.py`, ARM and GO; `driver/runner.py`; `test_lossy_line.py`, all by chance.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from driver import load_deals
from driver.errors import MachineFault
from driver.job_events import BoardJudged, BoardStarted, JobEnded, JobEvent, MachineBack, MachineLost, NeedsOperator
from driver.verdicts import Verdict
from firmware_sim.line import Direction, Line, LineFault, OneShot
from firmware_sim.packs import shuffled_pack
from firmware_sim.person_script import PersonScript
from protocol.codes import Kind, RequestType
from protocol.constants import GIVE_UP, RESEND_EVERY, RING_SIZE
from tests.support.peers import Peer, Setup, memory_peer, truth_equals

CLUB = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
SENDINGS = GIVE_UP // RESEND_EVERY + 1
"""How often a request is sent until the link is given up."""


def peer_that_loses(data: Path, request: RequestType, kind: Kind, first: int) -> Peer:
    """A machine with two boards' worth of person; such requests, or their answers, are lost from the `first` on."""
    direction = Direction.TO_MACHINE if kind is Kind.REQUEST else Direction.TO_HOST
    lost = [OneShot(LineFault.DROP, direction, nth, kind, request) for nth in range(first, first + SENDINGS)]
    peer = memory_peer(data, Setup(script=PersonScript(boards=(1, 2)), line=Line(rules=tuple(lost))))
    peer.wait_for(lambda core: core.mechanism.slot.board is not None and bool(core.mechanism.hopper))
    return peer


def deal_two_boards(peer: Peer) -> list[JobEvent]:
    """Deals boards 1 and 2 by themselves; nobody is there to decide anything."""
    events = []
    with peer.open() as machine:
        for event in machine.start(load_deals(CLUB), [1, 2], auto=True).events():
            events.append(event)
            assert not (isinstance(event, NeedsOperator) and event.choices), event
    return events


def check_dealt_once(peer: Peer, events: list[JobEvent]) -> None:
    """Two boards, each begun, judged GOOD and closed once, the link lost once, and the truth agrees."""
    kinds = [type(event) for event in events]

    assert kinds.count(MachineLost) == kinds.count(MachineBack) == 1
    assert kinds.count(BoardStarted) == 2
    assert [event.judgement.verdict for event in events if isinstance(event, BoardJudged)] == [Verdict.GOOD] * 2
    assert events[-1] == JobEnded(complete=True)
    assert truth_equals(peer, load_deals(CLUB), [1, 2])
    assert len(peer.core.truth.motions) == 2


@pytest.mark.parametrize("kind", [Kind.REQUEST, Kind.ANSWER], ids=["request", "answer"])
@pytest.mark.parametrize(
    ("request_type", "first"),
    [(RequestType.STATUS, 3), (RequestType.READ_LEDGER, 1), (RequestType.READ_LEDGER, 2), (RequestType.CLOSE, 1)],
    ids=["before-the-intent", "first-half-of-the-ledger", "second-half", "close"],
)
def test_a_step_that_was_given_up_is_taken_again_and_done_once(
    request_type: RequestType, first: int, kind: Kind, tmp_path: Path
) -> None:
    peer = peer_that_loses(tmp_path, request_type, kind, first)

    check_dealt_once(peer, deal_two_boards(peer))


def test_a_fault_of_the_line_is_never_told_as_one_of_the_machine(tmp_path: Path) -> None:
    peer = peer_that_loses(tmp_path, RequestType.READ_LEDGER, Kind.ANSWER, 1)
    try:
        events = deal_two_boards(peer)
    except MachineFault as fault:
        raise AssertionError("the machine is blamed for its line") from fault

    (lost,) = [event for event in events if isinstance(event, MachineLost)]
    assert "did not answer" in lost.text
    assert "cable" in lost.hands


def test_a_board_whose_event_was_overwritten_while_the_cable_was_out_is_found_and_dealt(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(1,))))
    mechanism = peer.core.mechanism
    events = []

    with peer.open() as machine:
        for event in machine.start(load_deals(CLUB), [1, 2], auto=True).events():
            events.append(event)
            assert not (isinstance(event, NeedsOperator) and event.choices), event
            was_lost = any(isinstance(told, MachineLost) for told in events)
            if isinstance(event, NeedsOperator) and event.board == 2 and not was_lost:
                peer.wait_for(lambda core: core.mechanism.slot.board is None)
                peer.endpoint.cut()
                mechanism.slot.insert_board(2)
                mechanism.load_pack(shuffled_pack(2))
                for _ in range(RING_SIZE):
                    mechanism.open_cover()
                    mechanism.close_cover()

    check_dealt_once(peer, events)
