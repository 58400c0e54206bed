"""Pauses and stops at every moment, tokens, times, and machines that are copied in mid-card on the core."""

from __future__ import annotations

import copy
import pickle

import pytest

from firmware_sim.core import SimMachine
from firmware_sim.profile import PROFILES, Profile
from protocol.cards import PACK_SIZE
from protocol.codes import Kind, PauseReason, RecordState, Refusal, State, TokenEnd
from protocol.messages import (
    Go,
    Going,
    Pause,
    Pausing,
)
from tests.unit.sim_host import SimHost, destinations_of, hands_of, sim_host

MOMENTS = tuple(range(1, 130, 3))
"""Milliseconds after GO: spin-up to 30, the first card to 130."""


def test_a_card_takes_a_tenth_of_a_second_and_the_first_thirty_milliseconds_more() -> None:
    host = sim_host()
    began = host.machine.now
    host.finish()
    drops = [drop.time - began for drop in host.machine.truth.drops()]
    assert drops == pytest.approx([0.130 + 0.1 * index for index in range(PACK_SIZE)])


def test_the_speed_factor_scales_the_mechanism_and_neither_ticks_nor_tokens() -> None:
    host = sim_host(speed=10.0)
    host.finish()
    assert host.machine.truth.drops()[-1].time == pytest.approx(0.523)
    host.wait(2.5)
    ticks = [time for time, frame in host.frames if frame.kind is Kind.TICK]
    assert ticks[:3] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("moment", MOMENTS)
def test_pause_finishes_the_card_under_way(moment: int) -> None:
    host = sim_host()
    host.start()
    host.machine.advance_to(moment / 1000)
    answer = host.ask(Pause())
    assert isinstance(answer, Pausing)
    if moment <= 30:
        assert answer == Pausing(State.PAUSED, 0)
    host.wait(1.0)
    status = host.status()
    assert (status.state, status.reason, status.doubt) == (State.PAUSED, PauseReason.PAUSE, 0)
    assert status.index == len(host.machine.truth.drops()) == (0 if moment <= 30 else 1)
    host.go_on()
    host.wait_still()
    assert [set(hand) for hand in host.machine.truth.pockets_of(1)] == hands_of(destinations_of())


@pytest.mark.parametrize("moment", MOMENTS)
def test_stop_halts_at_once_and_the_sensors_judge_the_card(moment: int) -> None:
    host = sim_host()
    host.start()
    host.machine.advance_to(moment / 1000)
    stopped = host.stop(9)
    path, truth = host.machine.mechanism.card_path, host.machine.truth
    host.wait(1.0)
    fed, dropped = len(truth.feeds()), len(truth.drops())
    assert not path.motor
    assert stopped.state is State.PAUSED
    assert stopped.odometer == fed
    past_gate = 120 <= moment < 130
    assert (stopped.index, stopped.doubt) == (0 if moment < 130 else 1, 1 if past_gate else 0)
    assert fed == (0 if moment < 50 else 1)
    assert dropped == (0 if moment < 120 else 1)
    records = host.ledger()
    assert len(records) == fed
    if past_gate:
        assert records[0].state is RecordState.DOUBT
        assert not truth.drops()[0].proven


def test_each_stop_does_all_again_and_keeps_the_first_reason() -> None:
    host = sim_host()
    host.start()
    host.wait(0.5)
    host.ask(Pause())
    host.wait(0.5)
    assert host.paused() is PauseReason.PAUSE
    token = host.armed(first=host.status().index)
    assert host.stop(1).state is State.PAUSED
    assert host.refusal(Go(token)) == (Refusal.TOKEN_DEAD, TokenEnd.STOPPED)
    assert host.paused() is PauseReason.PAUSE


def test_stop_after_the_last_card_finds_the_run_done() -> None:
    host = sim_host()
    host.finish()
    stopped = host.stop(3)
    assert (stopped.state, stopped.index, stopped.doubt) == (State.DONE, PACK_SIZE, 0)


def test_a_pause_asked_during_the_last_card_ends_in_done() -> None:
    host = sim_host()
    host.start()
    host.wait(5.2)
    host.ask(Pause())
    host.wait_still()
    assert host.status().state is State.DONE


def test_closing_a_paused_run_ends_a_token_that_was_to_go_on_with_it() -> None:
    host = sim_host()
    host.start()
    host.wait(0.5)
    host.ask(Pause())
    host.wait(0.5)
    token = host.armed(first=host.status().index)
    host.close()
    assert host.refusal(Go(token)) == (Refusal.TOKEN_DEAD, TokenEnd.CHANGED)
    assert len(host.machine.truth.motions) == 1


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_token_dies_after_thirty_seconds_of_the_endpoints_clock(profile: Profile) -> None:
    host = sim_host(profile, speed=100.0)
    token = host.armed()
    host.wait(29.9)
    spare = copy.deepcopy(host)
    host.wait(0.1)
    assert host.refusal(Go(token)) == (Refusal.TOKEN_DEAD, TokenEnd.EXPIRED)
    assert isinstance(spare.ask(Go(token)), Going)


def test_a_machine_can_be_copied_and_pickled_in_mid_card_and_both_go_on_alike() -> None:
    host = sim_host()
    host.start()
    host.machine.advance_to(0.777)
    copied, pickled = copy.deepcopy(host.machine), pickle.loads(pickle.dumps(host.machine))
    machines = [host.machine, copied, pickled]
    assert len({machine.state_key() for machine in machines}) == 1
    for machine in machines:
        machine.take_output()
        machine.advance_to(2.0)
    assert len({machine.state_key() for machine in machines}) == 1
    outputs = [machine.take_output() for machine in machines]
    assert outputs[0] == outputs[1] == outputs[2]
    copied.mechanism.open_cover()
    assert copied.control.state is State.PAUSED
    assert host.machine.control.state is State.MOVING


def test_the_state_key_is_relative_to_now_and_leaves_the_line_counters_out() -> None:
    first, second = sim_host(), sim_host()
    second.machine.receive(b"\0rubbish\0")
    assert first.machine.state_key() == second.machine.state_key()
    token = first.armed()
    assert first.machine.state_key() != second.machine.state_key()
    second.wait(0.0)
    assert token == second.armed()
    assert first.machine.state_key() == second.machine.state_key()


def test_a_host_may_talk_all_the_time_and_no_card_is_late() -> None:
    host = sim_host()
    host.start()
    while host.machine.control.state is State.MOVING:
        host.machine.advance_to(host.machine.now + 0.005)
        host.status()
    assert host.machine.truth.drops()[-1].time == pytest.approx(5.23)
    [(began, ended)] = host.machine.truth.motor_on
    assert began == 0.0
    assert ended == pytest.approx(5.23)


def test_a_machine_that_is_off_answers_nothing_and_time_passes() -> None:
    machine = SimMachine()
    machine.power_off()
    host = SimHost(machine, connect=False)
    assert host.hello(1) is None
    machine.advance_to(5.0)
    assert machine.next_due() is None
    machine.power_on()
    assert host.hello(2) is not None


def test_time_does_not_run_backwards() -> None:
    machine = SimMachine()
    machine.advance_to(2.0)
    with pytest.raises(ValueError, match="backwards"):
        machine.advance_to(1.0)
