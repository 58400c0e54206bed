"""Whole runs on the core: what is dealt, told, kept, and in which order; pauses and stops at every moment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.memory import MarkKind
from firmware_sim.packs import RED, ordered_pack, shuffled_pack, with_stop_card
from firmware_sim.profile import BARE, FULL, P_ONLY, PROFILES, R_ONLY, Profile
from protocol.cards import PACK_SIZE
from protocol.codes import (
    AnomalyMode,
    Kind,
    LedgerKind,
    PackEnd,
    PauseReason,
    PocketSensing,
    Proof,
    Recognition,
    RecordState,
    Refusal,
    Routing,
    State,
)
from protocol.messages import (
    CardEvent,
    Close,
    Closed,
    Events,
    Go,
    Going,
    HopperEvent,
    ReadEvents,
    ReadLedger,
    Refused,
    RunEvent,
)
from tests.unit.sim_host import RUN, destinations_of, hands_of, pocket_of, sim_host

READ_IN_HOPPER = replace(FULL, recognition=Recognition.HOPPER)


@pytest.mark.parametrize("profile", [FULL, R_ONLY, READ_IN_HOPPER], ids=["full", "r-only", "hopper"])
def test_by_identity_each_card_lies_where_the_plan_puts_it(profile: Profile) -> None:
    host = sim_host(profile)
    host.finish()
    assert host.status().state is State.DONE
    assert [set(hand) for hand in host.machine.truth.pockets_of(1)] == hands_of(destinations_of())
    assert host.machine.truth.violations() == []


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_by_order_the_nth_card_goes_where_the_plan_puts_the_index(profile: Profile) -> None:
    pack = shuffled_pack(8)
    host = sim_host(profile, pack=pack)
    host.finish(routing=Routing.BY_ORDER)
    hands = host.machine.truth.pockets_of(1)
    for index, card in enumerate(pack):
        assert card.identity in hands[pocket_of(destinations_of(), index)]


def test_the_ledger_holds_what_was_read_and_proven_and_agrees_with_the_truth() -> None:
    host = sim_host()
    host.finish()
    records = host.ledger()
    drops = host.machine.truth.drops(RUN)
    assert [(record.identity, record.pocket) for record in records] == [
        (drop.card.identity, drop.pocket) for drop in drops
    ]
    assert {record.state for record in records} == {RecordState.DROPPED}
    assert {record.proof for record in records} == {Proof(31)}
    assert {record.attempts for record in records} == {1}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_machine_proves_no_more_than_it_senses(profile: Profile) -> None:
    host = sim_host(profile)
    host.finish()
    proofs = {event.proof for _, event in host.events if isinstance(event, CardEvent)}
    expected = Proof.LEFT_HOPPER | Proof.GATE | Proof.LEFT_PATH
    expected |= Proof.READ if profile.recognition else Proof(0)
    expected |= Proof.SENSED if profile.pockets is PocketSensing.SENSED else Proof(0)
    assert proofs == {expected}


def test_events_come_in_order_without_gaps_and_name_no_card() -> None:
    host = sim_host(pack=ordered_pack())
    host.finish()
    numbers = [number for number, _ in host.events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    cards = [event for _, event in host.events if isinstance(event, CardEvent)]
    assert [card.index for card in cards] == list(range(PACK_SIZE))
    assert [card.odometer for card in cards] == list(range(1, PACK_SIZE + 1))
    assert isinstance(host.events[-1][1], RunEvent)


def test_no_frame_but_the_ledger_depends_on_which_cards_are_dealt() -> None:
    def traffic(seed: int) -> list[bytes]:
        host = sim_host(pack=shuffled_pack(seed))
        host.finish(routing=Routing.BY_ORDER)
        host.close()
        return [frame.payload for _, frame in host.frames]

    assert traffic(1) == traffic(2)


def test_going_is_answered_before_any_card_and_after_the_mark_is_durable() -> None:
    host = sim_host()
    token = host.armed()
    marks = len(host.machine.memory.marks() or ())
    answer = host.ask(Go(token))
    assert answer == Going(RUN, State.MOVING, 0)
    written = (host.machine.memory.marks() or ())[marks:]
    assert [mark.kind for mark in written] == [MarkKind.STARTED]
    assert host.machine.truth.feeds() == []


def test_each_card_is_marked_before_the_motor_turns_and_after_its_proof() -> None:
    host = sim_host()
    host.finish()
    marks = [mark.kind for mark in host.machine.memory.marks() or ()]
    assert marks[2:] == [MarkKind.STARTED, *[MarkKind.FEED, MarkKind.DROP] * PACK_SIZE, MarkKind.WHOLE]


def test_with_a_ledger_for_the_run_only_the_whole_is_marked() -> None:
    host = sim_host(replace(FULL, ledger=LedgerKind.RUN))
    host.finish()
    assert [mark.kind for mark in host.machine.memory.marks() or ()][2:] == [MarkKind.STARTED, MarkKind.WHOLE]


def test_close_wipes_the_cards_and_keeps_the_end_state() -> None:
    host = sim_host()
    host.finish()
    whole = host.machine.control.run
    assert whole is not None
    records = whole.ledger.whole()
    assert host.close() == Closed(RUN, State.DONE, PACK_SIZE, 0)
    assert host.run_events()[-1] == (State.NONE, PauseReason.NONE)
    memory = bytes(host.machine.memory.log)
    assert records[:8] not in memory
    assert destinations_of() not in memory
    for request in (Close(RUN), ReadLedger(RUN, 0), host.arming()):
        answer = host.ask(request)
        assert isinstance(answer, Refused)
        assert (answer.reason, answer.why, answer.index, answer.doubt) == (Refusal.RUN_KNOWN, State.DONE, 52, 0)


def test_the_last_eight_ended_runs_are_known_and_older_ones_are_gone() -> None:
    host = sim_host(speed=50.0)
    for run in range(1, 10):
        host.finish(run=run, confirmed=2)
        host.close(run)
        slot = host.machine.mechanism.slot
        slot.remove_board()
        slot.insert_board(1)
        host.machine.mechanism.load_pack(shuffled_pack(run))
        host.status()
    assert host.refusal(Close(1)) == (Refusal.GONE, 0)
    assert host.refusal(Close(2)) == (Refusal.RUN_KNOWN, State.DONE)
    host.machine.power_off()
    host.machine.power_on()
    host.connect()
    assert host.refusal(Close(2)) == (Refusal.RUN_KNOWN, State.DONE)
    assert host.refusal(ReadLedger(99, 0)) == (Refusal.GONE, 0)


def test_the_ring_keeps_the_last_events_and_says_which_is_the_oldest() -> None:
    host = sim_host()
    host.finish()
    newest = host.seen
    answer = host.ask(ReadEvents(1))
    assert answer == Refused(9, Refusal.GONE, detail=newest - 31)
    answer = host.ask(ReadEvents(newest - 31))
    assert isinstance(answer, Events)
    assert len(answer.entries) == 7
    answer = host.ask(ReadEvents(newest))
    assert isinstance(answer, Events)
    assert len(answer.entries) == 1
    assert host.ask(ReadEvents(newest + 1)) == Events(newest + 1, ())


@pytest.mark.parametrize(
    ("below", "more_packs", "expected"),
    [
        ((), False, PackEnd.EMPTY),
        (shuffled_pack(9), True, PackEnd.OPEN),
        (shuffled_pack(9), False, PackEnd.OVER),
        (shuffled_pack(9, back=RED), True, PackEnd.BACK_CHANGE),
        (with_stop_card(())[:1], False, PackEnd.STOP_CARD),
    ],
    ids=["empty", "open", "over", "back-change", "stop-card"],
)
def test_the_pack_end_is_what_lies_in_the_hopper_after_the_last_card(
    below: tuple[object, ...], more_packs: bool, expected: PackEnd
) -> None:
    host = sim_host(pack=(*shuffled_pack(3), *below))  # type: ignore[arg-type]
    host.finish(more_packs=more_packs)
    assert host.status().pack_end is expected
    assert host.events[-1][1] == RunEvent(RUN, State.DONE, PauseReason.NONE, PACK_SIZE, 0, expected)


def test_a_machine_that_does_not_sense_its_hopper_knows_no_pack_end() -> None:
    host = sim_host(BARE)
    host.finish()
    assert host.status().pack_end is PackEnd.UNKNOWN
    assert not any(isinstance(event, HopperEvent) for _, event in host.events)


def test_a_machine_without_a_ledger_gives_none() -> None:
    host = sim_host(BARE)
    host.finish()
    assert host.refusal(ReadLedger(RUN, 0)) == (Refusal.NOT_SUPPORTED, 0)


def test_a_board_is_the_same_until_an_edge_came_after_its_cards_stood_still() -> None:
    host = sim_host(R_ONLY)
    host.finish()
    slot = host.machine.mechanism.slot
    host.close()
    host.machine.mechanism.load_pack(shuffled_pack(4))
    assert host.refusal(host.arming(run=RUN + 1)) == (Refusal.SAME_BOARD, 0)
    slot.remove_board()
    slot.insert_board(2)
    host.status()
    host.collect()
    host.start(run=RUN + 1, board=2)


def test_a_board_changed_before_close_is_another_board() -> None:
    host = sim_host()
    host.finish()
    slot = host.machine.mechanism.slot
    slot.remove_board()
    slot.insert_board(2)
    host.close()
    host.machine.mechanism.load_pack(shuffled_pack(4))
    host.status()
    host.finish(run=RUN + 1, board=2)
    assert host.status().state is State.DONE


def test_in_report_mode_odd_cards_are_dealt_on_and_stand_in_the_ledger() -> None:
    faults = (
        MachineFault(FaultKind.FACE_UP, 3),
        MachineFault(FaultKind.UNREADABLE, 5),
        MachineFault(FaultKind.WEAK, 7),
        MachineFault(FaultKind.MISREAD, 9, value=11),
    )
    host = sim_host(FULL, *faults, pack=ordered_pack())
    host.finish(routing=Routing.BY_ORDER, on_anomaly=AnomalyMode.REPORT)
    assert host.status().state is State.DONE
    records = host.ledger()
    assert [records[at].identity for at in (3, 5, 7, 9, 11)] == [252, 254, 7, 11, 11]
    assert records[7].confidence < FULL.threshold
    assert not records[3].proof & Proof.READ


def test_nothing_that_a_person_may_read_tells_a_card() -> None:
    host = sim_host()
    host.start()
    host.wait(1.0)
    machine = host.machine
    shown = [machine.truth, machine.mechanism.hopper[-1], machine.mechanism.slot.board, machine.control.run]
    run = machine.control.run
    assert run is not None
    text = " ".join(map(repr, [*shown, run.ledger, *(machine.memory.marks() or ())]))
    assert "identity" not in text
    assert destinations_of().hex() not in text


def test_the_profile_without_recognition_deals_by_order_only() -> None:
    host = sim_host(P_ONLY)
    assert host.refusal(host.arming(routing=Routing.BY_IDENTITY)) == (Refusal.NOT_SUPPORTED, 0)


def test_log_lines_come_only_from_machines_that_have_them_and_only_into_a_connection() -> None:
    for profile, expected in ((FULL, True), (R_ONLY, False)):
        host = sim_host(profile, MachineFault(FaultKind.JAM_PATH, 2))
        host.finish()
        assert any(frame.kind is Kind.LOG for _, frame in host.frames) is expected
