"""The machine's side of a connection: HELLO, request numbers, ticks, events, and bytes that are no frame."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.connection import COUNTER_MAX
from firmware_sim.core import SimMachine
from firmware_sim.memory import MemoryFate
from protocol.codec import decode, encode
from protocol.codes import Key, Kind, PauseReason, Refusal, RequestType, State
from protocol.framing import Frame, encode_frame
from protocol.messages import (
    Armed,
    BoardEvent,
    Go,
    Hello,
    HelloAck,
    Identify,
    Identity,
    Pause,
    Refused,
    Status,
    StatusReport,
    Tick,
)
from tests.unit.sim_host import SimHost, messages, sim_host


def test_the_same_nonce_gets_the_same_answer_and_another_nonce_another_connection() -> None:
    host = sim_host()
    first = host.hello(5)
    assert first is not None
    assert host.hello(5) == first
    other = host.hello(6)
    assert other is not None
    assert other.connection == first.connection + 1
    assert other.connection >> 16 == other.boot_id & 0xFFFF


def test_hello_disturbs_nothing_until_its_first_request_comes() -> None:
    host = sim_host()
    token = host.armed()
    offered = host.hello(9)
    assert offered is not None
    assert host.machine.connection.current == host.connection
    assert isinstance(host.ask(Identify()), Identity)
    host.start()
    assert token
    host.wait(0.25)
    host.hello(10)
    host.wait(1.0)
    assert host.machine.control.state is State.MOVING


def test_a_new_connection_takes_effect_with_its_request_number_one_only() -> None:
    host = sim_host()
    offered = host.hello(9)
    assert offered is not None
    before = host.status().out_of_turn
    late = encode(Identify(), connection=offered.connection, number=2)
    assert host.send(late) == []
    assert host.status().out_of_turn == before + 1
    old = host.frame(Identify(), host.number + 1)
    host.connection, host.number = offered.connection, 0
    assert isinstance(host.ask(Identify()), Identity)
    answer = host.answer_to(old)
    assert answer == Refused(RequestType.IDENTIFY, Refusal.NO_CONNECTION, detail=offered.boot_id)


def test_when_another_connection_takes_effect_the_token_is_unknown_and_the_card_under_way_is_finished() -> None:
    host = sim_host()
    host.start()
    host.wait(0.25)
    index = host.status().index
    host.connect()
    assert host.machine.control.state is State.MOVING
    host.wait_still()
    status = host.status()
    assert (status.reason, status.index, status.doubt) == (PauseReason.HOST_CHANGED, index + 1, 0)


def test_the_same_bytes_get_the_stored_answer_and_execute_nothing() -> None:
    host = sim_host()
    host.start()
    go = host.sent[-1]
    host.wait(0.5)
    status = host.machine.control.run
    assert status is not None
    for _ in range(3):
        back = host.send_bytes(go)
        assert [frame.kind for frame in back] == [Kind.ANSWER]
    assert len(host.machine.truth.motions) == 1


def test_a_stored_answer_is_repeated_byte_for_byte_even_when_the_facts_have_changed() -> None:
    host = sim_host()
    host.status()
    asked = host.sent[-1]
    answer = host.frames[-1][1]
    host.wait(1.5, beats=False)
    host.machine.mechanism.slot.remove_board()
    assert host.send_bytes(asked)[-1] == answer


@pytest.mark.parametrize("ahead", [-1, 2, 3, 1000])
def test_a_number_that_is_neither_the_last_nor_the_next_is_dropped_and_counted(ahead: int) -> None:
    host = sim_host()
    host.status()
    before = host.status().out_of_turn
    assert host.send(host.frame(Identify(), host.number + ahead)) == []
    assert host.status().out_of_turn == before + 1


def test_other_bytes_under_the_last_number_are_refused_and_the_stored_answer_is_kept() -> None:
    host = sim_host()
    answer = host.ask(Identify())
    assert host.answer_to(host.frame(Pause())) == Refused(RequestType.PAUSE, Refusal.NUMBER_REUSED)
    assert host.answer_to(host.frame(Identify())) == answer


def test_no_major_version_in_common_is_answered_with_major_zero_and_stop_works() -> None:
    machine = SimMachine()
    host = SimHost(machine, connect=False)
    [frame] = host.send(encode(Hello(3, 2, 5)))
    answer = decode(frame)
    assert isinstance(answer, HelloAck)
    assert (answer.major, answer.major_oldest, answer.major_newest, answer.connection) == (0, 1, 1, 0)
    assert host.stop(77).state is State.NONE


def test_a_newer_host_that_still_speaks_version_one_is_taken() -> None:
    host = SimHost(SimMachine(), connect=False)
    [frame] = host.send(encode(Hello(3, 1, 5)))
    answer = decode(frame)
    assert isinstance(answer, HelloAck)
    assert answer.major == 1


def test_hello_is_not_answered_any_more_when_all_connections_are_used_up() -> None:
    host = sim_host()
    host.machine.connection.counter = COUNTER_MAX
    assert host.hello(1000) is None
    assert isinstance(host.ask(Identify()), Identity)
    host.machine.power_off()
    host.machine.power_on()
    assert host.hello(1001) is not None


def test_a_restart_ends_the_connection_and_raises_the_boot_id_by_one() -> None:
    host = sim_host()
    before = host.machine.boot_id
    host.machine.power_off()
    assert host.send(host.frame(Identify(), host.number + 1)) == []
    host.machine.power_on()
    answer = host.ask(Identify())
    assert answer == Refused(RequestType.IDENTIFY, Refusal.NO_CONNECTION, detail=before + 1)
    assert host.connect().boot_id == before + 1


def test_a_reserved_request_is_not_supported_and_an_unknown_one_is_of_unknown_type() -> None:
    host = sim_host()
    for kind, reason in ((16, Refusal.NOT_SUPPORTED), (18, Refusal.NOT_SUPPORTED), (55, Refusal.UNKNOWN_TYPE)):
        host.number += 1
        answer = host.answer_to(Frame(Kind.REQUEST, kind, host.connection, host.number, b""))
        assert answer == Refused(kind, reason)


def test_a_damaged_payload_is_answered_and_its_number_is_used() -> None:
    host = sim_host()
    host.number += 1
    answer = host.answer_to(Frame(Kind.REQUEST, RequestType.ARM, host.connection, host.number, b"short"))
    assert answer == Refused(RequestType.ARM, Refusal.BAD_PAYLOAD)
    assert isinstance(host.ask(Identify()), Identity)


def test_trailing_bytes_of_a_request_change_nothing() -> None:
    host = sim_host()
    host.number += 1
    frame = host.frame(Status())
    longer = Frame(frame.kind, frame.type, frame.connection, frame.number, b"and more")
    assert isinstance(host.answer_to(longer), StatusReport)


def test_frames_of_its_own_direction_are_counted_as_echoes_and_damaged_ones_as_bad() -> None:
    host = sim_host()
    host.send(encode(Tick(0, 0, 0, State.NONE, 0)))
    host.send_bytes(b"\0garbage\0")
    host.send(Frame(Kind.HELLO, 0, 0, 0, b"DEA"))
    status = host.status()
    assert (status.echoes, status.bad_in) == (1, 2)


def test_a_tick_comes_each_second_until_the_host_was_silent_for_ten_and_again_when_it_speaks() -> None:
    host = sim_host()
    host.wait(30.0, beats=False)
    ticks = [time for time, frame in host.frames if frame.kind is Kind.TICK]
    assert ticks == [float(second) for second in range(1, 10)]
    assert host.machine.next_due() is None
    host.beat()
    host.wait(2.0, beats=False)
    assert len([frame for _, frame in host.frames if frame.kind is Kind.TICK]) == 11


def test_events_go_into_an_open_connection_only_and_are_kept_in_any_case() -> None:
    machine = SimMachine()
    machine.mechanism.slot.insert_board(4)
    assert machine.take_output() == []
    host = SimHost(machine)
    assert host.events == []
    machine.mechanism.slot.remove_board()
    host.collect()
    assert host.events == [(3, BoardEvent(False, 0, 2))]


def test_a_beat_of_an_unknown_connection_is_dropped_and_counted() -> None:
    host = sim_host()
    own, host.connection = host.connection, 12345
    host.beat()
    host.connection = own
    assert host.status().out_of_turn == 1


def test_only_frames_of_the_open_connection_keep_moving_cards_from_being_paused() -> None:
    host = sim_host()
    host.start()
    for _ in range(6):
        host.machine.advance_to(host.machine.now + 0.5)
        host.hello(7000 + int(host.machine.now * 2))
        host.send(encode(Identify(), connection=999, number=1))
    host.wait_still()
    assert host.paused() is PauseReason.HOST_LOST


def test_a_host_that_says_nothing_for_three_seconds_loses_the_run_after_the_card_under_way() -> None:
    host = sim_host()
    host.start()
    host.wait(4.0, beats=False)
    host.collect()
    [paused] = [time for time, frame in host.frames if frame.kind is Kind.EVENT and frame.type == 2][1:]
    assert 3.0 <= paused < 3.1 + 1e-6
    assert host.paused() is PauseReason.HOST_LOST
    assert host.status().doubt == 0


def test_stop_is_answered_with_its_own_number_without_any_connection() -> None:
    machine = SimMachine()
    host = SimHost(machine, connect=False)
    for number in (0, 1, 0xFFFFFFFF):
        assert host.stop(number).state is State.NONE


def test_keys_are_events_and_only_stop_acts_by_itself() -> None:
    host = sim_host()
    host.start()
    host.wait(0.5)
    host.machine.mechanism.press(Key.START)
    host.machine.mechanism.press(Key.PAUSE)
    assert host.machine.control.state is State.MOVING
    host.machine.mechanism.press(Key.STOP)
    host.collect()
    assert host.paused() is PauseReason.STOP
    assert len(messages([frame for _, frame in host.frames if frame.type == 8], Kind.EVENT)) == 3


def test_every_answer_comes_at_the_moment_of_its_request() -> None:
    host = sim_host()
    host.start()
    for _ in range(20):
        host.machine.advance_to(host.machine.now + 0.037)
        host.status()
        time, frame = host.frames[-1]
        assert frame.kind is Kind.ANSWER
        assert time == host.machine.now


@given(st.lists(st.binary(max_size=300), max_size=8))
def test_no_bytes_ever_raise(chunks: list[bytes]) -> None:
    machine = SimMachine()
    for chunk in chunks:
        machine.receive(chunk)
    machine.advance_to(1.0)


@given(
    st.sampled_from(Kind), st.integers(0, 255), st.integers(0, 3), st.integers(0, 4), st.binary(max_size=114), st.data()
)
def test_no_frame_ever_raises_or_moves_a_card(
    kind: Kind, sort: int, connection: int, number: int, payload: bytes, data: st.DataObject
) -> None:
    host = sim_host()
    host.machine.connection.number = data.draw(st.integers(0, 2))
    ids = (0, host.connection, host.connection + 1, 99)
    host.machine.receive(encode_frame(Frame(kind, sort, ids[connection], number, payload)))
    host.machine.advance_to(1.0)
    assert host.machine.truth.motions == []


@pytest.mark.parametrize("seed", range(40))
def test_however_frames_are_lost_repeated_and_reordered_motion_begins_once_for_each_go(seed: int) -> None:
    chance = random.Random(seed)
    host = sim_host(speed=20.0)
    machine, decided, go_on = host.machine, 0, {"put_back": 255}
    for _ in range(60):
        match chance.randrange(10):
            case 0:
                host.connect()
            case 1 | 2:
                status = host.status()
                if status.state in (State.NONE, State.PAUSED) and not status.cannot_go_on:
                    answer = host.ask(host.arming(first=status.index, **go_on))
                    if isinstance(answer, Armed):
                        decided += 1
                        host.ask(Go(answer.token))
            case 3:
                host.stop(chance.randrange(9))
            case 4 if chance.random() < 0.3:
                machine.power_off(chance.choice(list(MemoryFate)))
                machine.advance_to(machine.now + 0.2)
                machine.power_on()
                host.connect()
            case 5:
                machine.advance_to(machine.now + chance.choice([0.01, 0.1, 4.0]))
            case _:
                for wire in chance.choices(host.sent, k=3):
                    machine.receive(wire)
                host.number = machine.connection.number
                if machine.connection.current != host.connection:
                    host.connect()
        assert len(machine.truth.motions) <= decided
        assert machine.truth.violations() == []


def test_a_storm_of_old_frames_moves_nothing() -> None:
    host = sim_host()
    host.finish()
    host.close()
    host.connect()
    host.status()
    host.machine.mechanism.slot.remove_board()
    host.machine.mechanism.slot.insert_board(1)
    storm = random.Random(1)
    for _ in range(400):
        host.machine.receive(storm.choice(host.sent))
        host.machine.advance_to(host.machine.now + 0.01)
    assert len(host.machine.truth.motions) == 1
