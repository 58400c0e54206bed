"""Sections 1 and 2 of PROTOCOL.md acted out on the simulated machine: HELLO, new and old connections, STOP, growth.

Read next: `test_page_rules.py` (request numbers), `tests/support/bare_host.py`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_sim import connection
from protocol.codec import encode
from protocol.codes import Kind, PauseReason, Refusal, Routing, State
from protocol.framing import Frame, encode_frame
from protocol.messages import Armed, Beat, Go, Going, Refused, Status, StatusReport, Stop, Stopped
from tests.support.bare_host import BareHost, ready_host
from tests.support.scenes import AT, IN_PATH, PAST_GATE, open_and_paused, pass_until, started
from tests.support.vectors import dropped_runs, vectors


def moving() -> BareHost:
    host = started(Routing.BY_IDENTITY)
    pass_until(host, AT, IN_PATH)
    return host


def test_hello_disturbs_nothing_and_the_same_nonce_gets_the_same_answer() -> None:
    host = moving()
    first = host.hello(77)
    assert first is not None
    assert host.hello(77) == first
    other = host.hello(78)
    assert other is not None
    assert other.connection == first.connection + 1
    host.wait(0.5)
    assert host.status().state is State.MOVING
    assert host.run_until().state is State.DONE


def test_a_new_connection_takes_effect_with_its_request_number_one_and_the_old_one_ends_then() -> None:
    host = moving()
    old = host.connection
    ack = host.hello()
    assert ack is not None
    host.send(host.wire(Beat(), connection=ack.connection))
    assert host.answer_to(Status(), number=host.number + 1) is not None
    host.connection, host.number = ack.connection, 0
    assert isinstance(host.answer_to(Status()), StatusReport)
    report = host.run_until()
    assert (report.state, report.reason, report.doubt) == (State.PAUSED, PauseReason.HOST_CHANGED, 0)
    host.connection = old
    assert host.answer_to(Status(), number=9) == Refused(2, Refusal.NO_CONNECTION, detail=ack.boot_id)
    before = report.out_of_turn
    host.send(host.wire(Beat(), connection=old))
    host.connection = ack.connection
    assert host.status().out_of_turn == before + 1


def test_a_token_dies_with_its_connection_and_a_go_of_the_old_one_moves_nothing() -> None:
    host = ready_host()
    token = host.armed().token
    old, number = host.connection, host.number
    host.connect()
    host.connection = old
    assert isinstance(host.answer_to(Go(token), number=number + 1), Refused)
    assert host.machine.truth.motions == []


def test_when_the_connection_ids_are_used_up_hello_is_not_answered_until_a_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert connection.COUNTER_MAX == 2**16 - 1
    monkeypatch.setattr(connection, "COUNTER_MAX", 20)
    host = ready_host()
    for number in range(2, 21):
        ack = host.hello()
        assert ack is not None
        assert ack.connection == ack.boot_id << 16 | number
    assert host.hello() is None
    assert isinstance(host.answer_to(Status()), StatusReport)
    host.machine.power_off()
    host.machine.power_on()
    assert host.hello() is not None


def test_without_a_common_major_version_the_machine_answers_zero_and_stop_works() -> None:
    host = ready_host()
    for oldest, newest in ((2, 9), (0, 0)):
        ack = host.hello(oldest=oldest, newest=newest)
        assert ack is not None
        assert (ack.major, ack.major_oldest, ack.major_newest) == (0, 1, 1)
        assert isinstance(host.stop(), Stopped)
    newer = host.hello(oldest=1, newest=7)
    assert newer is not None
    assert newer.major == 1


# STOP


@pytest.mark.parametrize("connected", [True, False])
def test_stop_works_at_any_moment_with_or_without_a_connection_and_is_confirmed_each_time(connected: bool) -> None:
    host = moving()
    if not connected:
        host.connection = 0
    index = host.machine.truth.feeds()[-1].index
    stopped = host.stop()
    assert (stopped.state, stopped.index, stopped.doubt) == (State.PAUSED, index, 0)
    assert not host.machine.mechanism.card_path.motor
    for _ in range(3):
        assert host.stop() == stopped
    feeds = len(host.machine.truth.feeds())
    host.machine.advance_to(host.machine.now + 10)
    assert len(host.machine.truth.feeds()) == feeds


def test_a_card_that_had_passed_the_gate_when_stop_came_is_in_doubt() -> None:
    host = started(Routing.BY_IDENTITY)
    pass_until(host, AT, PAST_GATE)
    assert host.stop().doubt == 1


def test_a_stop_whose_number_was_seen_before_stops_again() -> None:
    host = ready_host()
    stop = host.wire(Stop(), number=5)
    host.send(stop)
    host.go()
    host.machine.advance_to(host.machine.now + 0.2)
    assert [frame.number for frame in host.send(stop) if frame.kind is Kind.STOPPED] == [5]
    assert host.status().state is State.PAUSED


# Growth and rubbish


def test_bytes_after_a_request_change_nothing() -> None:
    host = ready_host()
    for request, expected in ((Status(), StatusReport), (host.plan(), Armed)):
        host.number += 1
        frame = encode(request, connection=host.connection, number=host.number)
        answer = host.answer_to_bytes(encode_frame(replace(frame, payload=frame.payload + b"\xff\xff\xff")))
        assert isinstance(answer, expected)
    assert isinstance(answer, Armed)
    host.number += 1
    go = encode(Go(answer.token), connection=host.connection, number=host.number)
    assert isinstance(host.answer_to_bytes(encode_frame(replace(go, payload=go.payload + b"\0"))), Going)


def test_frames_of_its_own_direction_are_echoes_and_are_never_answered() -> None:
    host = open_and_paused()
    before = host.status()
    own = [vector.wire for vector in vectors() if vector.kind.from_machine]
    for wire in own:
        assert host.send(wire) == []
    after = host.status()
    assert after.echoes == before.echoes + len(own)
    assert (after.state, after.index, after.run) == (before.state, before.index, before.run)


def test_what_is_no_frame_is_counted_and_never_answered() -> None:
    host = open_and_paused()
    before = host.status().bad_in
    for wire in dropped_runs().values():
        assert host.send(b"\0" + wire + b"\0") == []
    bad = host.status().bad_in - before
    assert bad >= len(dropped_runs()) - 1


def test_a_hello_that_is_damaged_inside_is_dropped() -> None:
    host = ready_host()
    for payload in (b"", b"DEAL", b"DEAR" + bytes(6)):
        assert host.send(encode_frame(Frame(Kind.HELLO, 0, 0, 0, payload))) == []


def test_every_golden_vector_sent_to_the_machine_in_any_state_moves_nothing() -> None:
    for host in (ready_host(), open_and_paused()):
        motions = len(host.machine.truth.motions)
        for _ in range(2):
            for vector in vectors():
                host.send(vector.wire)
        host.machine.advance_to(host.machine.now + 5)
        assert len(host.machine.truth.motions) == motions
