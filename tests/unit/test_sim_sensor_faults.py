"""Faults of pockets, cover, board, hopper and memory on the core, and whole fault plans as one line of text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.faults import FaultKind, FaultPlan, MachineFault, PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.packs import RED, shuffled_pack, with_stop_card
from firmware_sim.profile import FULL, P_ONLY, R_ONLY, Profile
from protocol.cards import PACK_SIZE
from protocol.codes import (
    Check,
    FaultClass,
    FaultCode,
    Feature,
    Obstacle,
    Place,
    Recognition,
    RecordState,
    Refusal,
    State,
    TokenEnd,
)
from protocol.messages import Clear, Go, Identify, Identity
from tests.unit.sim_host import after_fault, put_right, sim_host

AT = 7
NO_THICKNESS = replace(FULL, features=FULL.features & ~Feature.THICKNESS)
READ_IN_HOPPER = replace(FULL, recognition=Recognition.HOPPER)
PATH, HOPPER = Place.PATH, Place.HOPPER


def test_a_double_feed_that_nobody_sees_puts_two_cards_into_one_pocket_and_ends_short() -> None:
    host = after_fault(MachineFault(FaultKind.DOUBLE_FEED, AT), NO_THICKNESS)
    assert host.faults() == [FaultCode.HOPPER_EMPTY]
    status = host.status()
    assert (status.index, status.odometer) == (51, 51)
    truth = host.machine.truth
    assert len(truth.feeds()) == len(truth.drops()) == PACK_SIZE
    first, second = truth.drops()[AT : AT + 2]
    assert second.hidden
    assert first.pocket == second.pocket
    assert truth.violations() == []
    assert host.refusal(Clear(status.fault_event)) == (Refusal.CHECK_FAILED, Check.HOPPER)


@pytest.mark.parametrize("pocket", range(4))
def test_a_card_in_a_wrong_pocket_is_seen_where_pockets_are_sensed(pocket: int) -> None:
    fault = MachineFault(FaultKind.WRONG_POCKET, AT, value=pocket)
    for profile, seen in ((FULL, True), (P_ONLY, True), (R_ONLY, False)):
        host = after_fault(fault, profile)
        meant = host.machine.mechanism.card_path.gate
        if seen and host.status().state is State.PAUSED:
            status = host.status()
            assert pocket != meant
            assert (status.fault, status.fault_place) == (FaultCode.WRONG_POCKET, Place.POCKET_0 + pocket)
            assert (status.doubt, status.cannot_go_on) == (1, Obstacle.POCKET)
            assert host.ledger()[AT].state is RecordState.DOUBT
        else:
            assert host.status().state is State.DONE


@pytest.mark.parametrize("pocket", range(4))
def test_a_dead_pocket_sensor_is_silent_and_the_run_cannot_go_on(pocket: int) -> None:
    host = after_fault(MachineFault(FaultKind.POCKET_DEAD, value=pocket))
    status = host.status()
    assert (status.fault, status.fault_place) == (FaultCode.POCKET_SILENT, Place.POCKET_0 + pocket)
    assert status.cannot_go_on is Obstacle.POCKET
    drops = host.machine.truth.drops()
    assert [drop.pocket for drop in drops].count(pocket) == 1


def test_a_pocket_sensor_that_is_stuck_keeps_arm_from_passing() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.POCKET_STUCK, value=2))
    assert host.refusal(host.arming()) == (Refusal.POCKETS_NOT_EMPTY, 4)


def test_crossed_pocket_sensors_are_a_wrong_pocket() -> None:
    host = after_fault(MachineFault(FaultKind.POCKETS_CROSSED, value=0, other=2))
    assert host.faults() == [FaultCode.WRONG_POCKET]


@pytest.mark.parametrize("milliseconds", range(0, 100, 5))
def test_the_board_pulled_out_while_cards_move_ends_the_run(milliseconds: int) -> None:
    host = sim_host()
    host.start()
    host.machine.advance_to(0.330 + milliseconds / 1000)
    slot = host.machine.mechanism.slot
    board = slot.remove_board()
    slot.insert_board(board)
    host.wait(1.0)
    status = host.status()
    assert (status.fault, status.cannot_go_on) == (FaultCode.BOARD_OUT, Obstacle.BOARD)
    past_gate = milliseconds >= 90
    assert status.doubt == past_gate
    assert sum(map(len, slot.loose)) == past_gate


@pytest.mark.parametrize("milliseconds", range(0, 131, 5))
def test_the_cover_opened_at_any_moment_leaves_no_doubt_but_past_the_gate(milliseconds: int) -> None:
    host = sim_host()
    host.start()
    host.machine.advance_to(milliseconds / 1000)
    host.machine.mechanism.open_cover()
    host.wait(1.0)
    assert host.status().doubt == (1 if 120 <= milliseconds < 130 else 0)
    assert host.faults() == [FaultCode.COVER_OPEN]


def test_a_pack_of_another_back_and_a_stop_card_are_seen_before_they_are_fed() -> None:
    mixed = (*shuffled_pack(1)[:20], *shuffled_pack(2, back=RED))
    for pack, code in ((mixed, FaultCode.WRONG_BACK), (with_stop_card(shuffled_pack(1)[:20]), FaultCode.PACK_SHORT)):
        host = sim_host(pack=pack)
        host.finish()
        status = host.status()
        assert (status.fault, status.fault_place, status.index, status.doubt) == (code, HOPPER, 20, 0)


def test_a_stop_card_on_top_is_no_card_to_begin_with() -> None:
    host = sim_host(pack=with_stop_card(()))
    assert host.refusal(host.arming()) == (Refusal.CHECK_FAILED, Check.HOPPER)


def test_an_empty_hopper_that_is_not_sensed_is_no_feed() -> None:
    blind = replace(FULL, hopper=type(FULL.hopper)(0))
    host = sim_host(blind, pack=shuffled_pack(3)[:10])
    host.finish()
    assert host.faults() == [FaultCode.NO_FEED]


def test_only_the_first_cause_is_latched() -> None:
    host = after_fault(MachineFault(FaultKind.JAM_PATH, AT))
    first = host.status().fault_event
    host.machine.memory.fails = True
    put_right(host, PATH)
    host.machine.mechanism.open_cover()
    host.wait(0.1)
    status = host.status()
    assert (status.fault, status.fault_event) == (FaultCode.JAM, first)


def test_a_mark_that_cannot_be_made_durable_starts_nothing() -> None:
    host = sim_host()
    token = host.armed()
    host.machine.memory.fails = True
    assert host.refusal(Go(token)) == (Refusal.TOKEN_DEAD, TokenEnd.FAULT)
    status = host.status()
    assert (status.fault, status.fault_class, status.state) == (FaultCode.MEMORY, FaultClass.SERVICE, State.NONE)
    assert host.machine.truth.motions == []


def test_progress_is_measured_from_the_last_card_not_from_go() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.STALL, 30))
    host.finish()
    [stopped] = [off for _, off in host.machine.truth.motor_on]
    assert stopped == pytest.approx(0.03 + 3.0 + 2.0)
    assert host.status().cannot_go_on is Obstacle.DOUBT


def test_hostile_text_comes_as_it_is_and_is_cleaned_by_the_codec() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.HOSTILE_TEXT))
    answer = host.ask(Identify())
    assert isinstance(answer, Identity)
    assert answer.model.isprintable()
    assert b"\x1b" in host.frames[-1][1].payload


def test_a_fault_of_the_second_run_waits_for_it() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.JAM_PATH, 3, run=2), speed=20.0)
    host.finish()
    assert host.status().state is State.DONE
    host.close()
    slot = host.machine.mechanism.slot
    slot.remove_board()
    slot.insert_board(1)
    host.machine.mechanism.load_pack(shuffled_pack(1))
    host.status()
    host.finish(run=99)
    assert (host.status().fault, host.status().index) == (FaultCode.JAM, 3)


FAULTS = st.builds(
    MachineFault,
    st.sampled_from(FaultKind),
    st.integers(0, 51),
    st.integers(0, 3),
    st.integers(0, 500),
    st.integers(0, 60),
).map(lambda fault: replace(fault, index=0, run=0) if "@" not in fault.describe() else fault)
CUTS = st.builds(
    PowerCut, st.integers(0, 5000), st.sampled_from(MemoryFate), st.integers(0, 2), st.sampled_from([0.5, 2.0])
)


@given(
    st.builds(
        FaultPlan,
        st.lists(FAULTS, max_size=4).map(tuple),
        st.lists(CUTS, max_size=2).map(tuple),
        st.integers(0, 2**32),
    )
)
def test_a_plan_is_told_in_one_line_that_repeats_it(plan: FaultPlan) -> None:
    line = plan.describe()
    assert "\n" not in line
    assert FaultPlan.parse(line) == plan


@pytest.mark.parametrize("word", ["jam", "jam-path@x", "power-cut@5", "misread@1:2:3", "jam-path@1 nonsense"])
def test_a_word_that_is_no_fault_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        FaultPlan.parse(word)


@given(st.integers(0, 100_000), st.sampled_from([FULL, READ_IN_HOPPER, NO_THICKNESS, R_ONLY, P_ONLY]))
def test_whatever_goes_wrong_every_run_comes_to_rest_and_is_dealt_once(seed: int, profile: Profile) -> None:
    plan = FaultPlan.random(seed, count=2)
    host = sim_host(profile, plan=plan)
    if plan.faults and host.machine.control.senses.sensors() & 0xF00:
        assert host.refusal(host.arming())[0] is Refusal.POCKETS_NOT_EMPTY
        return
    host.start()
    host.wait_still(limit=60.0)
    status = host.status()
    assert status.state in (State.DONE, State.PAUSED), plan.describe()
    assert host.machine.truth.violations() == [], plan.describe()
    assert status.doubt in (0, 1)
    dropped = len({drop.index for drop in host.machine.truth.drops()})
    assert status.index <= dropped <= status.index + 1, plan.describe()
