"""Each fault of the machine on the core: what is told, what is latched, where the cards lie, how it goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.packs import ordered_pack
from firmware_sim.profile import FULL, Profile
from protocol.cards import PACK_SIZE
from protocol.codes import (
    AnomalyMode,
    Check,
    FaultClass,
    FaultCode,
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
from protocol.messages import Clear, Cleared, Go
from tests.unit.sim_host import SimHost, after_fault, destinations_of, hands_of, pocket_of, put_right, sim_host

AT = 7
READ_IN_HOPPER = replace(FULL, recognition=Recognition.HOPPER)
READER, PATH, HOPPER = Place.READER, Place.PATH, Place.HOPPER

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


def test_in_report_mode_a_double_feed_is_still_a_fault() -> None:
    host = sim_host(FULL, MachineFault(FaultKind.DOUBLE_FEED, AT))
    host.finish(routing=Routing.BY_ORDER, on_anomaly=AnomalyMode.REPORT)
    assert host.faults() == [FaultCode.DOUBLE_FEED]
