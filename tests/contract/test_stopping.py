"""STOP over every endpoint: at rest, with a card under way, without a connection, by the key; and what it leaves.

Read next: `test_cable.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from driver.deals.loader import load_deals
from driver.errors import StopNotConfirmed
from driver.findings import Choice
from driver.job import Job
from driver.job_events import CardDealt, JobEnded, JobEvent, NeedsOperator
from driver.machine import Machine
from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.line import Line
from protocol.cards import PACK_SIZE
from protocol.codes import Key, PauseReason, Place, Sensor, State
from protocol.messages import Armed, CardEvent, Go, Going, Status, StatusReport, Stopped
from tests.contract.conftest import MakePeer
from tests.support.by_hand import put_card_back, put_in
from tests.support.peers import REAL_SPEED, Peer, Setup, run_job, truth_equals
from tests.support.plans import arm_for
from tests.support.wire_host import WireHost

DEALS = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
AT_LEISURE = 0.5
"""A speed at which a card is in the path for 80 ms, so that something can be done meanwhile."""


def a_card_is_in_the_path(core: SimMachine) -> bool:
    return bool(core.mechanism.card_path.path)


def start_and_wait_for_card(machine: Machine, index: int) -> Job:
    """Starts board 1 and hears events until so many cards are in."""
    job = machine.start(DEALS, [1])
    for event in job.events():
        if isinstance(event, NeedsOperator):
            job.go_on()
        if isinstance(event, CardDealt) and event.index == index:
            return job
    raise AssertionError("the board ended before that card")


def check_stands_still(peer: Peer, stopped: Stopped, status: StatusReport) -> None:
    """The motors are off, every card that left the hopper is accounted for, and no other follows."""
    sensed = bool(status.sensors & Sensor.READER_CARD) + bool(status.sensors & Sensor.PATH_CARD)
    with peer.at_machine():
        truth = peer.core.truth
        fed, motions = len(truth.feeds()), len(truth.motions)
        assert truth.motor_since is None
        assert stopped.odometer == fed == stopped.index + stopped.doubt + sensed
    peer.clock().wait(0.1)
    with peer.at_machine():
        assert (len(peer.core.truth.feeds()), len(peer.core.truth.motions)) == (fed, motions)


def test_stop_at_rest_is_confirmed_and_changes_nothing(peer: Peer) -> None:
    with peer.open() as machine:
        before = machine.status()
        stopped = machine.stop()
        after = machine.status()

    assert (stopped.run, stopped.state, stopped.index, stopped.doubt) == (0, State.NONE, 0, 0)
    assert (after.state, after.odometer, after.last_event) == (before.state, before.odometer, before.last_event)
    assert peer.core.truth.motions == []


def test_stop_with_a_card_under_way_leaves_it_and_says_where_everything_is(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=AT_LEISURE))
    put_in(peer, 1)
    with peer.open() as machine:
        start_and_wait_for_card(machine, 2)
        peer.wait_for(a_card_is_in_the_path)
        stopped = machine.stop()
        status = machine.status()
        check_stands_still(peer, stopped, status)

    assert (stopped.state, status.reason, stopped.index) == (State.PAUSED, PauseReason.STOP, status.index)
    assert len(peer.core.truth.motions) == 1


def test_after_a_stop_with_a_card_in_the_path_it_is_put_back_and_the_board_goes_on(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=AT_LEISURE))
    put_in(peer, 1)
    stops: list[Stopped] = []

    def answer(job: Job, event: JobEvent) -> None:
        if stops:
            peer.set_speed(REAL_SPEED)
            put_card_back(peer, Place.PATH)
        job.go_on()

    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        for event in job.events():
            if isinstance(event, NeedsOperator) and event.choices:
                answer(job, event)
            if isinstance(event, CardDealt) and event.index == 1 and not stops:
                peer.wait_for(a_card_is_in_the_path)
                stops.append(machine.stop())

    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert truth_equals(peer, DEALS, [1])
    assert len(peer.core.truth.motions) == 2
    assert len(peer.core.truth.feeds()) == PACK_SIZE + 1


def test_a_job_stopped_at_once_ends_and_its_machine_stands_still(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=AT_LEISURE))
    put_in(peer, 1)
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        events = []
        for event in job.events():
            events.append(event)
            if isinstance(event, NeedsOperator):
                job.go_on()
            if isinstance(event, CardDealt):
                job.stop_now()
        status = machine.status()

    assert events[-1] == JobEnded(complete=False)
    assert (status.state, status.reason) == (State.PAUSED, PauseReason.STOP)
    assert peer.core.truth.motor_since is None


def test_stop_needs_no_connection_at_rest(peer: Peer) -> None:
    transport = peer.transport()
    try:
        host = WireHost(transport, peer.clock())
        stopped = host.stop()
    finally:
        transport.close()

    assert (stopped.run, stopped.state) == (0, State.NONE)
    assert peer.core.connection.current == 0


def test_stop_needs_no_connection_while_cards_move(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=AT_LEISURE))
    put_in(peer, 1)
    transport = peer.transport()
    try:
        host = WireHost(transport, peer.clock())
        host.connect()
        arm = arm_for(DEALS, 1, last_event=host.ask(Status(), StatusReport).last_event)
        host.ask(Go(host.ask(arm, Armed).token), Going)
        host.event_where(lambda event: isinstance(event, CardEvent))
        stranger = WireHost(transport, peer.clock(), stop=0x9000)
        stopped = stranger.stop()
        status = host.ask(Status(), StatusReport)
        check_stands_still(peer, stopped, status)
    finally:
        transport.close()

    assert stopped.run == arm.run
    assert (stopped.state, status.reason) == (State.PAUSED, PauseReason.STOP)


def test_a_lost_confirmation_of_stop_is_asked_for_again(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(line=Line.parse("rule=drop:to_host:STOPPED:1 rule=drop:to_machine:STOP:2")))
    with peer.open() as machine:
        stopped = machine.stop()

    assert stopped.state is State.NONE


def test_a_stop_that_nobody_confirms_says_to_switch_the_machine_off(peer: Peer) -> None:
    if peer.is_real_time:
        pytest.skip("five seconds of a real clock would show nothing more than the manual clock does")
    clock = peer.clock()
    with peer.open() as machine:
        with peer.endpoint.at_machine() as rig:
            rig.need_line().freeze(rig.now, rig.now + 60)
        begun = clock.monotonic()
        with pytest.raises(StopNotConfirmed, match="not confirmed by the machine") as caught:
            machine.stop()

    assert clock.monotonic() - begun == pytest.approx(5.0, abs=1.5 * peer.grain)
    assert "Switch the machine off" in caught.value.hint


def test_the_stop_key_stops_at_once_and_the_job_asks(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=AT_LEISURE))
    put_in(peer, 1)
    asked: list[NeedsOperator] = []
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        for event in job.events():
            if isinstance(event, NeedsOperator):
                asked.append(event)
                job.go_on() if len(asked) == 1 else job.decide(Choice.STOP)
            if isinstance(event, CardDealt) and len(asked) == 1:
                with peer.at_machine():
                    peer.core.mechanism.press(Key.STOP)
        status = machine.status()

    assert len(asked) == 2
    assert (status.state, status.reason) == (State.PAUSED, PauseReason.STOP)
    assert len(peer.core.truth.motions) == 1


def test_the_pause_key_asks_before_the_next_board_and_breaks_no_board_off(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=5.0))
    put_in(peer, 1)
    asked: list[int] = []

    def answer(job: Job, event: JobEvent) -> None:
        asked.append(event.board)
        job.go_on() if len(asked) == 1 else job.decide(Choice.STOP)

    with peer.open() as machine:
        job = machine.start(DEALS, [1, 2])
        events = []
        for event in job.events():
            events.append(event)
            if isinstance(event, NeedsOperator) and event.choices:
                answer(job, event)
            if isinstance(event, CardDealt) and event.index == 5:
                with peer.at_machine():
                    peer.core.mechanism.press(Key.PAUSE)
                    peer.core.speed = REAL_SPEED

    assert asked == [1, 2]
    assert [(board.number, board.verdict) for board in job.result.boards] == [(1, Verdict.GOOD)]
    assert len(peer.core.truth.motions) == 1


def test_a_machine_at_rest_may_be_stopped_and_dealt_on_afterwards(peer: Peer) -> None:
    put_in(peer, 1)
    with peer.open() as machine:
        machine.stop()
        job = machine.start(DEALS, [1])
        run_job(job)

    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
