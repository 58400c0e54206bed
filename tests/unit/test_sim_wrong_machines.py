"""Each machine that is broken on purpose is whole in everything else, and wrong in its one way."""

from __future__ import annotations

import pytest

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.memory import MemoryFate
from firmware_sim.profile import FULL
from protocol.codec import encode
from protocol.codes import Kind, Place, State
from protocol.messages import Clear, Go, Going, Identify, Stop
from tests.support import wrong_machines as wrong
from tests.unit.sim_host import destinations_of, hands_of, sim_host


@pytest.mark.parametrize("machine", wrong.WRONG_MACHINES, ids=lambda machine: machine.__name__)
def test_with_nothing_lost_or_broken_a_wrong_machine_deals_as_a_right_one(machine: type[SimMachine]) -> None:
    host = sim_host(machine=machine)
    host.finish()
    assert host.machine.control.state is State.DONE
    assert [set(hand) for hand in host.machine.truth.pockets_of(1)] == hands_of(destinations_of())
    assert host.machine.truth.violations() == []


def test_duplicates_of_go_start_motion_again() -> None:
    host = sim_host(machine=wrong.ExecutesDuplicates)
    host.start()
    go = host.sent[-1]
    host.wait(0.5)
    host.send_bytes(go)
    assert len(host.machine.truth.motions) == 2
    assert host.machine.truth.violations() != []


def test_an_old_number_is_executed() -> None:
    host = sim_host(machine=wrong.AcceptsOldNumbers)
    host.status()
    assert host.send(host.frame(Identify(), 40)) != []


def test_a_token_outlives_the_cover() -> None:
    host = sim_host(machine=wrong.TokenSurvivesCover)
    token = host.armed()
    host.machine.mechanism.open_cover()
    assert isinstance(host.ask(Go(token)), Going)


def test_motion_begins_without_a_go() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.JAM_PATH, 3), machine=wrong.MovesWithoutArm)
    host.finish()
    host.machine.mechanism.take_card(Place.PATH)
    host.ask(Clear(host.status().fault_event))
    assert host.machine.truth.violations() == ["Motion began 1 times without a GO."]


def test_a_drop_is_told_that_has_not_happened() -> None:
    host = sim_host(machine=wrong.LedgerBeforeCard)
    host.start()
    host.machine.advance_to(0.110)
    assert host.status().index == 1
    assert host.machine.truth.drops() == []


def test_event_numbers_begin_again() -> None:
    host = sim_host(machine=wrong.EventsRestart)
    host.finish()
    assert host.status().last_event == 0


def test_stop_is_answered_and_the_cards_move_on() -> None:
    host = sim_host(machine=wrong.IgnoresStopWhenBusy)
    host.start()
    host.wait(0.5)
    host.stop(1)
    before = len(host.machine.truth.drops())
    host.wait(0.5)
    assert len(host.machine.truth.drops()) > before


def test_stopped_has_no_number() -> None:
    host = sim_host(machine=wrong.StoppedWithoutNumber)
    [frame] = host.send(encode(Stop(), number=9))
    assert (frame.kind, frame.number) == (Kind.STOPPED, 0)


def test_two_boots_have_one_id() -> None:
    host = sim_host(machine=wrong.ConstantBootId)
    first = host.machine.boot_id
    host.machine.power_off()
    host.machine.power_on()
    assert host.machine.boot_id == first


def test_a_lost_memory_is_not_told() -> None:
    host = sim_host(machine=wrong.NoRunAfterLostMemory)
    host.start()
    host.machine.power_off(MemoryFate.BLANK)
    host.machine.power_on()
    answer = host.connect()
    assert not answer.memory_lost
    assert host.status().run == 0
