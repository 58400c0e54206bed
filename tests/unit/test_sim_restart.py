"""Power cuts at every moment with every fate of the memory: the machine then never knows more than the truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault, PowerCut
from firmware_sim.memory import MarkKind, Memory, MemoryFailure, MemoryFate
from firmware_sim.packs import shuffled_pack
from firmware_sim.profile import FULL
from protocol.codes import (
    FaultCode,
    LedgerKind,
    Obstacle,
    PauseReason,
    Place,
    RecordState,
    Refusal,
    ResetCause,
    Routing,
    RunFlag,
    State,
)
from protocol.constants import UNKNOWN_COUNT
from protocol.messages import BootEvent, Clear, Closed, Pause, RunEvent
from tests.unit.sim_host import RUN, SimHost, destinations_of, hands_of, sim_host

RUN_LEDGER = replace(FULL, ledger=LedgerKind.RUN)


def cut_at(host: SimHost, time: float, fate: MemoryFate = MemoryFate.KEPT) -> None:
    """The power goes at that time and comes back a second later; the host connects again."""
    host.machine.advance_to(time)
    host.collect()
    host.machine.power_off(fate)
    host.machine.advance_to(time + 1.0)
    host.machine.power_on(ResetCause.BROWN_OUT)
    host.connect()


@pytest.mark.parametrize("fate", [MemoryFate.KEPT, MemoryFate.LAST_MARK_LOST])
@pytest.mark.parametrize("moment", range(1, 260, 4))
def test_after_a_cut_at_any_moment_the_ledger_never_claims_a_drop_that_the_truth_lacks(
    moment: int, fate: MemoryFate
) -> None:
    host = sim_host()
    host.start()
    cut_at(host, moment / 1000, fate)
    status, truth = host.status(), host.machine.truth
    dropped = len(truth.drops())
    if moment < 30 and fate is MemoryFate.LAST_MARK_LOST:
        assert status.run == 0
        assert truth.feeds() == []
        return
    assert (status.run, status.state, status.reason) == (RUN, State.PAUSED, PauseReason.RESTART)
    assert status.run_flags & RunFlag.RESTARTED
    assert status.doubt in (0, 1)
    assert status.index <= dropped
    assert status.odometer <= len(truth.feeds())
    for index, record in enumerate(host.ledger()):
        if record.state is RecordState.DROPPED:
            assert (record.identity, record.pocket) == (truth.drops()[index].card.identity, truth.drops()[index].pocket)
    in_card = (moment - 30) % 100
    if moment >= 30 and fate is MemoryFate.KEPT:
        assert status.index == (moment - 30) // 100
        assert status.doubt == (0 if 20 <= in_card < 90 else 1)
    assert host.machine.truth.violations() == []


@pytest.mark.parametrize("fate", [MemoryFate.KEPT, MemoryFate.LAST_MARK_LOST])
@pytest.mark.parametrize("moment", range(1, 260, 7))
def test_whatever_goes_on_after_a_cut_is_dealt_right_or_ends_short(moment: int, fate: MemoryFate) -> None:
    host = sim_host()
    host.start()
    cut_at(host, moment / 1000, fate)
    status = host.status()
    mechanism = host.machine.mechanism
    put_back = {}
    if status.run == 0 or status.cannot_go_on:
        return
    for place, cards in ((Place.READER, mechanism.card_path.reader), (Place.PATH, mechanism.card_path.path)):
        if cards:
            mechanism.put_card_back(mechanism.take_card(place))
            put_back = {"put_back": status.index}
    host.go_on(**put_back)
    host.wait_still()
    status = host.status()
    assert host.machine.truth.violations() == []
    if status.state is State.DONE:
        assert [set(hand) for hand in host.machine.truth.pockets_of(1)] == hands_of(destinations_of())
        assert status.run_flags & RunFlag.RESTARTED
    else:
        assert fate is MemoryFate.LAST_MARK_LOST
        assert status.fault is FaultCode.HOPPER_EMPTY


def test_a_card_in_the_path_after_a_cut_can_be_put_back_and_is_in_doubt_once_it_is_taken_out() -> None:
    host = sim_host()
    host.start()
    cut_at(host, 0.300)
    mechanism = host.machine.mechanism
    assert len(mechanism.card_path.path) == 1
    assert host.status().cannot_go_on is Obstacle.NONE
    card = mechanism.take_card(Place.PATH)
    assert host.status().doubt == 1
    mechanism.put_card_back(card)
    host.collect()
    assert host.refusal(host.arming(first=2)) == (Refusal.CANNOT_GO_ON, Obstacle.DOUBT)
    host.finish(first=2, put_back=2)
    assert host.status().state is State.DONE


def test_a_card_taken_out_while_the_power_was_off_is_in_doubt_for_good_unless_the_pause_was_marked() -> None:
    for paused_first, obstacle in ((False, Obstacle.DOUBT), (True, Obstacle.NONE)):
        host = sim_host()
        host.start()
        host.machine.advance_to(0.300)
        if paused_first:
            host.stop(1)
        host.machine.power_off()
        host.machine.mechanism.put_card_back(host.machine.mechanism.take_card(Place.PATH))
        host.machine.power_on()
        host.connect()
        status = host.status()
        assert (status.index, status.doubt, status.cannot_go_on) == (2, 1, obstacle)


def test_a_pause_with_nothing_under_way_survives_without_doubt() -> None:
    host = sim_host()
    host.start()
    host.wait(1.0)
    host.ask(Pause())
    host.wait(0.5)
    index = host.status().index
    cut_at(host, host.machine.now)
    status = host.status()
    assert (status.index, status.doubt, status.reason) == (index, 0, PauseReason.RESTART)
    assert bytes(status.pocket_counts) == bytes(len(pocket) for pocket in host.machine.truth.pockets_of(1))
    host.go_on()
    host.wait_still()
    assert host.status().state is State.DONE


def test_a_run_that_could_not_go_on_cannot_after_a_restart_either() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.DOUBLE_FEED, 4))
    host.finish()
    cut_at(host, host.machine.now)
    status = host.status()
    assert (status.fault, status.cannot_go_on) == (FaultCode.NONE, Obstacle.DOUBLE_FEED)


@pytest.mark.parametrize("profile", [FULL, RUN_LEDGER], ids=["card", "run"])
def test_a_finished_run_is_done_with_its_ledger_after_a_restart(profile: object) -> None:
    host = sim_host(profile)  # type: ignore[arg-type]
    host.finish()
    records = host.ledger()
    cut_at(host, host.machine.now)
    status = host.status()
    assert (status.state, status.index, status.doubt, status.run_flags) == (State.DONE, 52, 0, RunFlag(0))
    assert status.pack_end.proven  # type: ignore[union-attr]
    assert host.ledger() == records
    assert host.close() == Closed(RUN, State.DONE, 52, 0)


def test_with_a_ledger_for_the_run_only_a_restart_makes_the_run_unknown() -> None:
    host = sim_host(RUN_LEDGER)
    host.start()
    cut_at(host, 1.0)
    status = host.status()
    assert (status.index, status.doubt) == (UNKNOWN_COUNT, UNKNOWN_COUNT)
    assert status.cannot_go_on is Obstacle.RESTART
    assert host.ledger() == []
    assert host.refusal(host.arming(first=0)) == (Refusal.CANNOT_GO_ON, Obstacle.RESTART)
    assert host.close() == Closed(RUN, State.PAUSED, UNKNOWN_COUNT, UNKNOWN_COUNT)


def test_after_a_restart_another_plan_is_found_by_the_cards_already_dealt() -> None:
    host = sim_host()
    host.start()
    cut_at(host, 1.001)
    other = destinations_of(1)
    assert host.refusal(host.arming(first=host.status().index, destinations=other)) == (Refusal.RUN_CHANGED, 0)


def test_by_order_nothing_goes_on_after_a_restart() -> None:
    host = sim_host()
    host.start(routing=Routing.BY_ORDER)
    host.wait(0.5)
    host.stop(1)
    cut_at(host, host.machine.now)
    assert host.status().cannot_go_on is Obstacle.BY_ORDER


def test_another_board_after_a_restart_is_found_by_its_pockets() -> None:
    host = sim_host()
    host.start()
    host.machine.advance_to(2.05)
    host.machine.power_off()
    slot = host.machine.mechanism.slot
    slot.remove_board()
    slot.insert_board(1)
    host.machine.power_on()
    host.connect()
    path = host.machine.mechanism.card_path
    status = host.status()
    assert path.path or path.reader or status.doubt
    assert status.cannot_go_on in (Obstacle.BOARD, Obstacle.DOUBT)


def test_the_same_board_cannot_be_dealt_again_after_a_restart_unless_it_was_changed() -> None:
    host = sim_host()
    host.finish()
    host.close()
    host.machine.mechanism.load_pack(shuffled_pack(5))
    cut_at(host, host.machine.now)
    assert host.refusal(host.arming(run=RUN + 1)) == (Refusal.SAME_BOARD, 0)


@pytest.mark.parametrize("fate", [MemoryFate.TORN, MemoryFate.BLANK])
def test_torn_or_blank_memory_is_told_and_no_run_is_known(fate: MemoryFate) -> None:
    host = sim_host()
    host.start()
    before = host.machine.boot_id
    cut_at(host, 1.0, fate)
    assert host.machine.memory_lost
    answer = host.hello(host.nonce)
    assert answer is not None
    assert answer.memory_lost
    assert answer.reset_cause is ResetCause.BROWN_OUT
    assert answer.boot_id not in (before, before + 1)
    status = host.status()
    assert (status.run, status.state, status.odometer) == (0, State.NONE, 0)
    cut_at(host, host.machine.now)
    again = host.hello(host.nonce)
    assert again is not None
    assert (again.memory_lost, again.boot_id) == (False, answer.boot_id + 1)


def test_a_lost_last_mark_never_repeats_a_boot_id() -> None:
    host = sim_host()
    seen = {host.machine.boot_id}
    for _ in range(5):
        cut_at(host, host.machine.now + 0.1, MemoryFate.LAST_MARK_LOST)
        assert host.machine.boot_id not in seen
        seen.add(host.machine.boot_id)


def test_the_first_events_of_a_boot_are_boot_and_the_run_that_was_open() -> None:
    host = sim_host()
    host.start()
    cut_at(host, 0.300)
    entries = host.machine.ring.read(1)
    assert entries is not None
    assert [entry.type for entry in entries] == [1, 2]
    assert entries[0].data[:4] == host.machine.boot_id.to_bytes(4, "little")
    assert len(BootEvent(1, ResetCause.UNKNOWN, False).layout.build({"boot_id": 1, "reset_cause": 0, "memory_lost": 0}))
    assert RunEvent(RUN, State.PAUSED, PauseReason.RESTART, 2, 0, 0).index == host.status().index  # type: ignore[arg-type]


def test_nothing_moves_after_a_restart_until_a_new_arm_and_go() -> None:
    host = sim_host()
    token = host.start()
    cut_at(host, 0.300)
    for wire in list(host.sent):
        host.send_bytes(wire)
    host.wait(5.0)
    assert len(host.machine.truth.motions) == 1
    assert token


@pytest.mark.parametrize("fate", MemoryFate)
def test_a_planned_power_cut_happens_at_its_millisecond_and_the_machine_comes_back(fate: MemoryFate) -> None:
    plan = FaultPlan(cuts=(PowerCut(500.0, fate, off=2.0),))
    host = sim_host(plan=plan)
    host.wait(1.0)
    host.start()
    host.wait(0.7)
    assert not host.machine.powered
    assert host.machine.truth.motor_on[-1][1] == pytest.approx(1.5)
    host.wait(2.5)
    assert host.connect().memory_lost is (fate in (MemoryFate.TORN, MemoryFate.BLANK))


def test_a_second_cut_before_anything_else_changes_nothing() -> None:
    host = sim_host()
    host.start()
    cut_at(host, 0.305)
    first = host.status()
    cut_at(host, host.machine.now)
    second = host.status()
    assert (first.index, first.doubt, first.run) == (second.index, second.doubt, second.run)
    assert second.cannot_go_on is first.cannot_go_on


def test_memory_in_a_file_is_found_by_the_next_machine(tmp_path: Path) -> None:
    path = tmp_path / "memory.bin"
    host = sim_host(memory=Memory(path))
    host.start()
    host.machine.advance_to(1.05)
    again = SimHost(SimMachine(memory=Memory(path)))
    status = again.status()
    assert (status.run, status.index) == (RUN, 10)
    assert again.machine.boot_id == host.machine.boot_id + 1
    again.close()
    assert SimMachine(memory=Memory(path)).control.end_of(RUN) is not None


def test_a_mark_that_fails_is_not_written() -> None:
    memory = Memory()
    memory.fails = True
    with pytest.raises(MemoryFailure, match="BOOT"):
        memory.write(MarkKind.BOOT, b"")
    assert memory.marks() == ()


@pytest.mark.parametrize("cut", range(1, 300, 7))
def test_memory_cut_anywhere_is_whole_or_lost_and_never_raises(cut: int) -> None:
    host = sim_host()
    host.start()
    host.machine.advance_to(1.0)
    log = bytes(host.machine.memory.log)
    memory = Memory()
    memory.log[:] = log[: min(cut, len(log))]
    machine = SimMachine(memory=memory)
    assert machine.memory_lost or machine.control.odometer <= 10


def test_a_restart_with_a_pause_mark_lost_is_no_more_certain_than_the_sensors() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.WRONG_POCKET, 3, value=0))
    host.finish()
    if host.status().state is State.DONE:
        pytest.skip("the plan puts that card into pocket 0")
    cut_at(host, host.machine.now, MemoryFate.LAST_MARK_LOST)
    status = host.status()
    assert (status.index, status.doubt, status.cannot_go_on) == (3, 1, Obstacle.DOUBT)
    assert host.refusal(Clear(1)) == (Refusal.NOT_NOW, State.PAUSED)
