"""The cable is pulled, the line is silent, the machine restarts: found out in time, told, and nothing moves by itself.

Read next: `tests/faults/test_lossy_line.py`; PROTOCOL.md, section 10.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from driver.deals.loader import load_deals
from driver.errors import MachineRestarted, TransportClosed
from driver.findings import Choice
from driver.job import Job
from driver.job_events import CardDealt, JobEvent, MachineBack, MachineLost, NeedsOperator
from driver.machine import Machine
from driver.transport.base import Transport
from driver.verdicts import Verdict
from firmware_sim.endpoints.memory import MemoryEndpoint
from protocol.cards import PACK_SIZE
from protocol.codes import PauseReason, State
from protocol.constants import LOST_AFTER, STALE_AFTER
from tests.contract.conftest import MakePeer
from tests.support.by_hand import gather_all, put_in
from tests.support.jobs import controls_of
from tests.support.peers import PATIENCE, REAL_SPEED, Peer, Setup, run_job, truth_equals

DEALS = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
SLOW: Final = 5.0
"""20 ms a card."""
AT_CARD: Final = 10


def read_until_closed(transport: Transport, peer: Peer) -> None:
    """Reads what is left, until the transport tells that the cable is out."""
    clock = peer.clock()
    end = clock.monotonic() + PATIENCE
    while clock.monotonic() < end:
        try:
            transport.read(0.5)
        except TransportClosed:
            return
    raise AssertionError("the transport never told that the cable is out")


def nothing_moves(peer: Peer) -> None:
    """The cards stand still, and go on standing still while time passes."""
    with peer.at_machine():
        before = (len(peer.core.truth.feeds()), len(peer.core.truth.motions))
        assert peer.core.truth.motor_since is None
    peer.clock().wait(0.1)
    with peer.at_machine():
        assert (len(peer.core.truth.feeds()), len(peer.core.truth.motions)) == before


def path_is_clear(peer: Peer) -> bool:
    with peer.at_machine():
        path = peer.core.mechanism.card_path
        return not path.reader and not path.path


def deal_with_accident(
    peer: Peer, accident: Callable[[Machine], None], *, auto: bool = False
) -> tuple[Job, list[JobEvent]]:
    """Deals board 1; the accident happens at the tenth card, the cable comes back when the machine was lost.

    When a person is asked after that, nothing may move until the answer: to go on where that is offered and no card
    lies in the path, else to deal again with the pack gathered.
    """
    events: list[JobEvent] = []
    happened = False
    put_in(peer, 1)
    with peer.open() as machine:
        job = machine.start(DEALS, [1], auto=auto)
        for event in job.events():
            events.append(event)
            if isinstance(event, CardDealt) and event.index == AT_CARD and not happened:
                happened = True
                accident(machine)
            elif isinstance(event, MachineLost) and peer.endpoint.is_cut:
                peer.endpoint.reconnect()
            elif isinstance(event, NeedsOperator) and event.choices:
                nothing_moves(peer)
                if happened:
                    peer.set_speed(REAL_SPEED)
                if Choice.GO in event.choices or (Choice.GO_ON in event.choices and path_is_clear(peer)):
                    job.go_on()
                else:
                    gather_all(peer)
                    job.deal_again()
    return job, events


def kinds(events: list[JobEvent]) -> list[str]:
    """What was told but cards, in order."""
    return [type(event).__name__ for event in events if not isinstance(event, CardDealt)]


def test_every_call_after_the_cable_came_out_says_that_the_line_is_closed(peer: Peer) -> None:
    transport = peer.transport()
    try:
        peer.endpoint.cut()
        read_until_closed(transport, peer)
        for _ in range(3):
            with pytest.raises(TransportClosed):
                transport.write(b"\x00")
            with pytest.raises(TransportClosed):
                transport.read(0.0)
    finally:
        transport.close()


def test_every_call_after_closing_says_that_the_line_is_closed(peer: Peer) -> None:
    transport = peer.transport()
    transport.close()
    transport.close()
    for _ in range(2):
        with pytest.raises(TransportClosed):
            transport.write(b"\x00")
        with pytest.raises(TransportClosed):
            transport.read(0.0)


def test_a_closed_line_stays_closed_when_the_cable_is_back(peer: Peer) -> None:
    transport = peer.transport()
    try:
        peer.endpoint.cut()
        read_until_closed(transport, peer)
        peer.endpoint.reconnect()
        with pytest.raises(TransportClosed):
            transport.write(b"\x00")
        with pytest.raises(TransportClosed):
            transport.read(0.0)
    finally:
        transport.close()


def test_the_first_failure_of_a_machine_is_kept_until_it_is_opened_again(peer: Peer) -> None:
    with peer.open() as machine:
        peer.endpoint.cut()
        with pytest.raises(TransportClosed) as first:
            machine.status()
        peer.endpoint.reconnect()
        with pytest.raises(TransportClosed) as second:
            machine.status()
    with peer.open() as machine:
        assert machine.status().state is State.NONE

    assert second.value is first.value
    assert first.value.hint


def test_a_cable_that_comes_back_has_another_port_name(peer: Peer) -> None:
    if not peer.is_real_time:
        pytest.skip("a line inside one process has one name")
    before = peer.endpoint.url
    peer.endpoint.cut()

    assert peer.endpoint.reconnect() != before


def test_after_a_cut_in_mid_board_the_same_machine_is_found_and_waits_for_a_person(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))
    job, events = deal_with_accident(peer, lambda _: peer.endpoint.cut())

    assert kinds(events) == [
        "NeedsOperator", "BoardStarted", "MachineLost", "MachineBack", "NeedsOperator", "BoardStarted", "BoardJudged",
        "JobEnded",
    ]  # fmt: skip
    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert truth_equals(peer, DEALS, [1])
    assert len(peer.core.truth.motions) == 2
    assert len(peer.core.truth.feeds()) == PACK_SIZE


def test_the_explicit_automatic_setting_goes_on_after_a_cut_with_a_new_go(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))
    job, events = deal_with_accident(peer, lambda _: peer.endpoint.cut(), auto=True)

    assert "NeedsOperator" not in kinds(events)
    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert truth_equals(peer, DEALS, [1])
    assert len(peer.core.truth.motions) == len({motion.token for motion in peer.core.truth.motions}) == 2


def test_a_board_that_was_finished_while_the_cable_was_out_is_judged_by_its_ledger(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))

    def cut_until_done(_: Machine) -> None:
        peer.endpoint.cut()
        peer.set_speed(REAL_SPEED)
        peer.wait_for(lambda core: core.control.state is State.DONE)

    job, events = deal_with_accident(peer, cut_until_done)

    assert kinds(events) == ["NeedsOperator", "BoardStarted", "MachineLost", "MachineBack", "BoardJudged", "JobEnded"]
    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert truth_equals(peer, DEALS, [1])
    assert len(peer.core.truth.motions) == 1


def test_a_cut_between_question_and_start_is_reconnected_and_nothing_moves(peer: Peer) -> None:
    put_in(peer, 1)
    told: list[JobEvent] = []
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        for event in job.events():
            told.append(event)
            if isinstance(event, NeedsOperator):
                peer.endpoint.cut()
            elif isinstance(event, MachineLost):
                peer.endpoint.reconnect()
            elif isinstance(event, MachineBack):
                break
        assert machine.status().state is State.NONE

    assert kinds(told) == ["NeedsOperator", "MachineLost", "MachineBack"]
    assert peer.core.truth.motions == []


def restart(peer: Peer) -> None:
    with peer.at_machine():
        peer.core.power_off()
        peer.core.power_on()


def restart_and_ask(peer: Peer, machine: Machine) -> None:
    """The restart is found out by the next question; without one, by three seconds of silence."""
    restart(peer)
    with pytest.raises(MachineRestarted):
        machine.status()


def test_a_restart_is_seen_by_its_new_boot_id_and_moves_nothing(peer: Peer) -> None:
    put_in(peer, 1)
    with controls_of(peer) as controls:
        before = controls.ack.boot_id
        restart(peer)
        with pytest.raises(MachineRestarted) as caught:
            controls.status()
        restarted = controls.reconnect()
        after = controls.ack.boot_id
        nothing_moves(peer)

    assert restarted
    assert after == before + 1
    assert "decide" in caught.value.hint
    assert peer.core.truth.motions == []


def test_after_a_restart_in_mid_board_nothing_moves_until_a_person_decides(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))
    _, events = deal_with_accident(peer, lambda machine: restart_and_ask(peer, machine))
    told = kinds(events)

    assert told[:5] == ["NeedsOperator", "BoardStarted", "MachineLost", "MachineBack", "NeedsOperator"]
    asked = [event for event in events if isinstance(event, NeedsOperator)]
    assert len(asked) == len(peer.core.truth.motions) == 2


def test_not_even_the_automatic_setting_goes_on_after_a_restart(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))
    _, events = deal_with_accident(peer, lambda machine: restart_and_ask(peer, machine), auto=True)

    asked = [event for event in events if isinstance(event, NeedsOperator) and event.choices]
    assert len(asked) == 1
    assert len(peer.core.truth.motions) == 2


def test_a_silent_line_is_stale_first_and_lost_then(peer: Peer) -> None:
    waits: list[tuple[float, float]] = []
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        told = job.events()
        next(told)
        if isinstance(peer.endpoint, MemoryEndpoint):
            clock = peer.clock()
            peer.endpoint.before_wait = lambda deadline: waits.append((clock.monotonic(), job.silent_for))
        begun = peer.clock().monotonic()
        with peer.endpoint.at_machine() as rig:
            rig.need_line().freeze(rig.now, rig.now + 3.2)
        lost = next(told)
        lost_at, silent_for = peer.clock().monotonic(), job.silent_for
        back = next(told)

    assert isinstance(lost, MachineLost)
    assert isinstance(back, MachineBack)
    assert silent_for >= LOST_AFTER / 1000 > STALE_AFTER / 1000
    assert peer.core.truth.motions == []
    if peer.is_real_time:
        return
    last_heard = lost_at - silent_for
    assert begun - 1 <= last_heard <= begun
    assert silent_for == pytest.approx(LOST_AFTER / 1000, abs=1.5 * peer.grain)
    assert [silent for at, silent in waits if at < lost_at] == [
        pytest.approx(at - last_heard) for at, _ in waits if at < lost_at
    ]
    stale = [at for at, silent in waits if STALE_AFTER / 1000 <= silent < LOST_AFTER / 1000]
    assert stale
    assert stale[0] == pytest.approx(last_heard + STALE_AFTER / 1000, abs=0.11)


def test_a_board_finishes_its_card_when_the_line_is_silent_and_says_why_it_waits(peer: Peer) -> None:
    """The machine's own limit: three seconds after it last heard the host, then the card under way."""
    if peer.is_real_time:
        pytest.skip("at the speed of a real clock's tests the board is dealt before the machine misses its host")
    put_in(peer, 1)
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        asked: list[NeedsOperator] = []
        for event in job.events():
            if isinstance(event, CardDealt) and event.index == AT_CARD and len(asked) == 1:
                with peer.endpoint.at_machine() as rig:
                    rig.need_line().freeze(rig.now, rig.now + 10.0)
            if isinstance(event, NeedsOperator) and event.choices:
                asked.append(event)
                if len(asked) == 2:
                    status = machine.status()
                    nothing_moves(peer)
                job.go_on()

    assert status.reason is PauseReason.HOST_LOST
    assert status.doubt == 0
    assert AT_CARD + 20 <= status.index <= AT_CARD + 31
    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert len(peer.core.truth.motions) == 2


def test_a_board_without_accident_is_dealt_by_the_same_steps(make_peer: MakePeer) -> None:
    peer = make_peer(Setup())
    put_in(peer, 1)
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        events = run_job(job)

    assert kinds(events) == ["NeedsOperator", "BoardStarted", "BoardJudged", "JobEnded"]
    assert truth_equals(peer, DEALS, [1])
