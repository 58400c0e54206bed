"""Each fault of the machine on the core: what is told, what is latched, where the cards lie, how it goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.faults import FaultKind, FaultPlan, MachineFault, PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.packs import RED, ordered_pack, shuffled_pack, with_stop_card
from firmware_sim.profile import FULL, P_ONLY, R_ONLY, Profile
from protocol.cards import PACK_SIZE
from protocol.constants import (
    AnomalyMode,
    Check,
    FaultClass,
    FaultCode,
    Feature,
    NextStep,
    Obstacle,
    PauseReason,
    Place,
    Recognition,
    RecordState,
    Refusal,
    Routing,
    RunFlag,
    Sensor,
    State,
    TokenEnd,
)
from protocol.messages import Clear, Cleared, Go, Identify, Identity
from tests.unit.sim_host import SimHost, destinations_of, hands_of, pocket_of, sim_host

AT = 7
NO_THICKNESS = replace(FULL, features=FULL.features & ~Feature.THICKNESS)
READ_IN_HOPPER = replace(FULL, recognition=Recognition.HOPPER)
READER, PATH, HOPPER = Place.READER, Place.PATH, Place.HOPPER
NO_FAULT = MachineFault(FaultKind.NO_FEED, 99)

HALTS = {
    "jam in the reader": (MachineFault(FaultKind.JAM_READER, AT), FaultCode.JAM, READER),
    "jam in the path": (MachineFault(FaultKind.JAM_PATH, AT), FaultCode.JAM, PATH),
    "no feed": (MachineFault(FaultKind.NO_FEED, AT), FaultCode.NO_FEED, HOPPER),
    "double feed": (MachineFault(FaultKind.DOUBLE_FEED, AT), FaultCode.DOUBLE_FEED, READER),
    "unreadable": (MachineFault(FaultKind.UNREADABLE, AT), FaultCode.UNREADABLE, READER),
    "weak": (MachineFault(FaultKind.WEAK, AT), FaultCode.UNREADABLE, READER),
    "face up": (MachineFault(FaultKind.FACE_UP, AT), FaultCode.FACE_UP, READER),
    "foreign": (MachineFault(FaultKind.FOREIGN, AT), FaultCode.FOREIGN_CARD, READER),
    "stall": (MachineFault(FaultKind.STALL, AT), FaultCode.NO_PROGRESS, PATH),
    "slow beyond patience": (MachineFault(FaultKind.SLOW, AT, value=400), FaultCode.NO_FEED, HOPPER),
    "cover": (MachineFault(FaultKind.COVER, AT, value=60), FaultCode.COVER_OPEN, Place.UNKNOWN),
    "memory": (MachineFault(FaultKind.MEMORY, AT), FaultCode.MEMORY, Place.UNKNOWN),
}


def after_fault(fault: MachineFault, profile: Profile = FULL, **changes: object) -> SimHost:
    """A host whose run has come to a halt."""
    host = sim_host(profile, fault)
    host.finish(**changes)
    return host


def put_right(host: SimHost, place: Place) -> None:
    """A person takes the card out and puts it back into the hopper, or away when it is none of the 52."""
    mechanism = host.machine.mechanism
    card = mechanism.take_card(place)
    if card.identity < PACK_SIZE:
        mechanism.put_card_back(card)
    host.collect()


def is_dealt_as_planned(host: SimHost) -> bool:
    """Whether the truth is the plan."""
    return [set(hand) for hand in host.machine.truth.pockets_of(1)] == hands_of(destinations_of())


@pytest.mark.parametrize(("fault", "code", "place"), HALTS.values(), ids=HALTS)
def test_a_fault_halts_is_told_and_latched(fault: MachineFault, code: FaultCode, place: Place) -> None:
    host = after_fault(fault)
    status = host.status()
    assert (status.state, status.reason, status.index) == (State.PAUSED, PauseReason.FAULT, AT)
    assert (status.fault, status.fault_index, status.fault_place) == (code, AT, place)
    assert status.fault_class in (FaultClass.OPERATOR, FaultClass.SERVICE)
    assert status.may & NextStep.CLEAR
    assert host.faults() == [code]
    assert not host.machine.mechanism.card_path.motor
    assert host.machine.truth.violations() == []


@pytest.mark.parametrize("routing", Routing)
@pytest.mark.parametrize("kind", [FaultKind.UNREADABLE, FaultKind.FACE_UP, FaultKind.FOREIGN, FaultKind.WEAK])
@pytest.mark.parametrize("profile", [FULL, READ_IN_HOPPER], ids=["path", "hopper"])
def test_a_refused_card_is_put_right_and_keeps_its_index(kind: FaultKind, routing: Routing, profile: Profile) -> None:
    host = after_fault(MachineFault(kind, AT), profile, routing=routing)
    left_hopper = profile is FULL
    assert host.status().fault_place == (READER if left_hopper else HOPPER)
    assert len(host.machine.truth.feeds()) == AT + left_hopper
    put_right(host, READER if left_hopper else HOPPER)
    assert host.status().doubt == left_hopper
    assert host.status().cannot_go_on is Obstacle.NONE
    host.go_on(routing=routing, **({"put_back": AT} if left_hopper else {}))
    host.wait_still()
    status = host.status()
    assert status.state is State.DONE
    assert bool(status.run_flags & RunFlag.REFED) is left_hopper
    assert host.ledger()[AT].attempts == 1 + left_hopper
    if routing is Routing.BY_IDENTITY:
        assert is_dealt_as_planned(host)
    assert host.machine.truth.violations() == []


@pytest.mark.parametrize("kind", [FaultKind.JAM_READER, FaultKind.JAM_PATH])
def test_a_jammed_card_put_back_is_read_again_by_identity(kind: FaultKind) -> None:
    host = after_fault(MachineFault(kind, AT))
    place = READER if kind is FaultKind.JAM_READER else PATH
    assert host.status().doubt == 0
    assert host.ledger()[AT].state is RecordState.FED
    put_right(host, place)
    status = host.status()
    assert (status.doubt, status.cannot_go_on) == (1, Obstacle.NONE)
    assert host.ledger()[AT].state is RecordState.DOUBT
    host.ask(Clear(status.fault_event))
    assert host.refusal(host.arming(first=AT)) == (Refusal.CANNOT_GO_ON, Obstacle.DOUBT)
    assert host.refusal(host.arming(first=AT, put_back=AT + 1)) == (Refusal.CANNOT_GO_ON, Obstacle.DOUBT)
    assert host.refusal(host.arming(first=AT + 1, put_back=AT)) == (Refusal.CANNOT_GO_ON, Obstacle.INDEX)
    host.start(first=AT, put_back=AT)
    host.wait_still()
    assert host.status().state is State.DONE
    assert is_dealt_as_planned(host)
    assert host.machine.truth.refeeds == [(host.machine.truth.motions[0].run, AT)]


def test_a_put_back_counts_with_the_go_of_its_token_only() -> None:
    host = after_fault(MachineFault(FaultKind.JAM_PATH, AT))
    put_right(host, PATH)
    host.ask(Clear(host.status().fault_event))
    token = host.armed(first=AT, put_back=AT)
    assert host.status().doubt == 1
    host.stop(1)
    assert host.refusal(Go(token)) == (Refusal.TOKEN_DEAD, TokenEnd.STOPPED)
    assert host.refusal(host.arming(first=AT)) == (Refusal.CANNOT_GO_ON, Obstacle.DOUBT)


def test_by_order_a_jammed_card_cannot_go_on_and_status_says_so_before_anybody_asks() -> None:
    host = after_fault(MachineFault(FaultKind.JAM_PATH, AT), routing=Routing.BY_ORDER)
    status = host.status()
    assert status.cannot_go_on is Obstacle.BY_ORDER
    assert not status.may & NextStep.GO_ON


def test_clear_is_refused_while_its_cause_is_sensed() -> None:
    host = after_fault(MachineFault(FaultKind.JAM_PATH, AT))
    event = host.status().fault_event
    assert host.refusal(Clear(event)) == (Refusal.CHECK_FAILED, Check.PATH)
    assert host.refusal(Clear(event + 1)) == (Refusal.STALE, 0)
    put_right(host, PATH)
    assert host.ask(Clear(event)) == Cleared(event)
    assert host.refusal(Clear(event)) == (Refusal.NOT_NOW, State.PAUSED)


def test_the_cover_must_be_closed_before_its_fault_is_cleared() -> None:
    host = after_fault(MachineFault(FaultKind.COVER, AT, value=10))
    status = host.status()
    assert status.sensors & Sensor.COVER_OPEN
    assert (status.doubt, status.cover_edges) == (0, 1)
    assert host.refusal(Clear(status.fault_event)) == (Refusal.CHECK_FAILED, Check.COVER)
    host.machine.mechanism.close_cover()
    host.go_on()
    host.wait_still()
    assert host.status().state is State.DONE
    assert is_dealt_as_planned(host)


def test_close_keeps_a_fault_whose_cause_is_still_sensed() -> None:
    host = after_fault(MachineFault(FaultKind.JAM_PATH, AT))
    host.close()
    status = host.status()
    assert (status.state, status.fault) == (State.NONE, FaultCode.JAM)
    put_right(host, PATH)
    host.ask(Clear(status.fault_event))
    assert host.status().may == NextStep.ARM_NEW


def test_no_feed_is_tried_three_times_and_moves_no_card() -> None:
    host = after_fault(MachineFault(FaultKind.NO_FEED, AT))
    assert host.status().fault_attempt == 3
    assert len(host.machine.truth.feeds()) == host.status().odometer == AT
    host.go_on()
    host.wait_still()
    assert is_dealt_as_planned(host)
    assert {record.attempts for record in host.ledger()} == {1}


@pytest.mark.parametrize("fails", [1, 2])
def test_an_attempt_or_two_that_feed_nothing_are_no_fault(fails: int) -> None:
    host = after_fault(MachineFault(FaultKind.NO_FEED, AT, value=fails))
    assert host.status().state is State.DONE
    assert host.machine.truth.drops()[-1].time == pytest.approx(5.23 + 0.06 * fails)


@pytest.mark.parametrize("weak", [1, 2])
def test_one_or_two_weak_readings_are_read_again_and_are_no_fault(weak: int) -> None:
    host = after_fault(MachineFault(FaultKind.WEAK, AT, value=weak))
    assert host.status().state is State.DONE
    assert is_dealt_as_planned(host)
    assert host.machine.truth.drops()[-1].time == pytest.approx(5.23 + 0.02 * weak)


def test_a_slow_roller_within_patience_is_only_slow() -> None:
    host = after_fault(MachineFault(FaultKind.SLOW, AT, value=250))
    assert host.status().state is State.DONE
    assert host.machine.truth.drops()[-1].time == pytest.approx(0.03 + 0.1 * AT + 0.25 * (PACK_SIZE - AT))


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


def test_a_double_feed_that_is_seen_can_never_go_on() -> None:
    host = after_fault(MachineFault(FaultKind.DOUBLE_FEED, AT))
    mechanism = host.machine.mechanism
    for card in (mechanism.take_card(READER), mechanism.take_card(READER)):
        mechanism.put_card_back(card)
    host.collect()
    status = host.status()
    assert status.cannot_go_on is Obstacle.DOUBLE_FEED
    host.ask(Clear(status.fault_event))
    assert host.refusal(host.arming(first=AT, put_back=AT)) == (Refusal.CANNOT_GO_ON, Obstacle.DOUBLE_FEED)


def test_a_sticky_card_drags_the_next_one_along() -> None:
    pack = list(ordered_pack())
    pack[3] = replace(pack[3], sticky=True)
    host = sim_host(pack=pack)
    host.finish()
    assert host.faults() == [FaultCode.DOUBLE_FEED]


def test_a_misread_card_is_found_at_its_twin() -> None:
    pack = ordered_pack()
    host = sim_host(FULL, MachineFault(FaultKind.MISREAD, 5, value=20), pack=pack)
    host.finish()
    status = host.status()
    assert (status.fault, status.index, status.cannot_go_on) == (FaultCode.DUPLICATE_CARD, 20, Obstacle.DUPLICATE)


@pytest.mark.parametrize("kind", [FaultKind.SWAPPED, FaultKind.WORN])
def test_cards_read_as_others_go_where_the_others_belong(kind: FaultKind) -> None:
    host = after_fault(MachineFault(kind, value=4, other=30))
    swapped = kind is FaultKind.SWAPPED
    assert host.status().state is (State.DONE if swapped else State.PAUSED)
    if swapped:
        hands = host.machine.truth.pockets_of(1)
        assert 4 in hands[pocket_of(destinations_of(), 30)]


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


def test_in_report_mode_a_double_feed_is_still_a_fault() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.DOUBLE_FEED, AT))
    host.finish(routing=Routing.BY_ORDER, on_anomaly=AnomalyMode.REPORT)
    assert host.faults() == [FaultCode.DOUBLE_FEED]


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
