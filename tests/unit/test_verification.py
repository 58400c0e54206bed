"""The verdict against every single deviation of the evidence, at every index, and against random evidence.

Read next: `driver/verification.py`, PROTOCOL.md, "What GOOD can mean".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.model import Deal
from driver.errors import HandCountRefused, JobError
from driver.verdicts import Judgement, PocketVerdict, Reason, ReasonCode, Verdict, conclude, no_better_than
from driver.verification import PACK_NOT_WHOLE, Evidence, Plan, RunEnd, judge, release_by_hand_count, withdraw
from driver.visibility import Sight, blind_spots
from protocol.cards import PACK_SIZE, Card, Seat, Unproven
from protocol.codes import (
    FaultCode,
    Feature,
    HopperSensing,
    LedgerKind,
    PackEnd,
    PocketSensing,
    Proof,
    Recognition,
    RecordState,
    Routing,
    RunFlag,
    Sensor,
    State,
)
from protocol.fields import Code
from protocol.messages import Identity
from tests.support.evidence import (
    BARE,
    FULL,
    P_ONLY,
    R_ONLY,
    THRESHOLD,
    event_of,
    flawless,
    plan_for,
    random_deal,
    shuffled,
    status,
    with_end,
    with_record,
)
from tests.support.tables import page_table

DEAL = random_deal(1)
PLAN = Plan.by_identity(7, DEAL)
GOOD_RUN = flawless(PLAN, FULL, shuffled(2))
INDEXES = range(PACK_SIZE)
MACHINES = {"P+R": FULL, "R only": R_ONLY, "P only": P_ONLY, "bare": BARE}

D, N = Verdict.DEAL_AGAIN, Verdict.NOT_PROVEN
C = ReasonCode
Deviation = Callable[[Evidence, int], Evidence]


def record(**changes: Any) -> Deviation:
    """One record changed, its event with it."""
    return lambda evidence, index: with_record(evidence, index, **changes)


def without_proof(bit: Proof) -> Deviation:
    def deviate(evidence: Evidence, index: int) -> Evidence:
        assert evidence.records is not None
        return with_record(evidence, index, proof=evidence.records[index].proof & ~bit)

    return deviate


def next_pocket(evidence: Evidence, index: int) -> Evidence:
    assert evidence.records is not None
    return with_record(evidence, index, pocket=(evidence.records[index].pocket + 1) % 4)


def event(**changes: Any) -> Deviation:
    """One event changed, its record not."""

    def deviate(evidence: Evidence, index: int) -> Evidence:
        events = list(evidence.card_events)
        events[index] = replace(events[index], **changes)
        return replace(evidence, card_events=tuple(events))

    return deviate


def event_of_next_pocket(evidence: Evidence, index: int) -> Evidence:
    return event(pocket=(evidence.card_events[index].pocket + 1) % 4)(evidence, index)


def no_event(evidence: Evidence, index: int) -> Evidence:
    events = evidence.card_events
    return replace(evidence, card_events=events[:index] + events[index + 1 :])


def other_event_of_same_index(evidence: Evidence, index: int) -> Evidence:
    return replace(evidence, card_events=(*evidence.card_events, replace(evidence.card_events[index], odometer=9999)))


def ledger_cut_off(evidence: Evidence, index: int) -> Evidence:
    assert evidence.records is not None
    return replace(evidence, records=evidence.records[:index])


DEVIATIONS: dict[str, tuple[Deviation, Verdict, ReasonCode, bool]] = {
    "in another pocket": (next_pocket, D, C.WRONG_POCKET, False),
    "face up": (record(identity=int(Unproven.FACE_UP)), D, C.FACE_UP, False),
    "foreign": (record(identity=int(Unproven.FOREIGN)), D, C.FOREIGN_CARD, False),
    "unreadable": (record(identity=int(Unproven.UNREADABLE)), N, C.UNREAD, False),
    "not read": (record(identity=int(Unproven.NONE)), N, C.UNREAD, False),
    "a code that is no card": (record(identity=52), N, C.UNREAD, False),
    "named without the proof of reading": (without_proof(Proof.READ), N, C.UNREAD, False),
    "just below the threshold": (record(confidence=THRESHOLD - 1), N, C.WEAK_READING, False),
    "confidence not given": (record(confidence=0), N, C.WEAK_READING, False),
    "not seen leaving the path": (without_proof(Proof.LEFT_PATH), N, C.NOT_SEEN_LEAVING, True),
    "not sensed in its pocket": (without_proof(Proof.SENSED), N, C.NOT_SENSED, True),
    "in doubt, never left the hopper": (
        record(state=RecordState.DOUBT, proof=Proof(0)), N, C.IN_DOUBT, False,
    ),
    "fed, never left the hopper, run done": (
        record(state=RecordState.DOUBT, identity=int(Unproven.NONE)), N, C.IN_DOUBT, False,
    ),
    "in a state that nobody knows": (record(state=Code(9)), N, C.IN_DOUBT, False),
    "without its event": (no_event, N, C.DISAGREEMENT, False),
    "sensed elsewhere by its event": (event_of_next_pocket, D, C.OTHER_POCKET_SENSED, False),
    "with less proof in its event": (event(proof=Proof.LEFT_HOPPER), N, C.DISAGREEMENT, False),
    "told twice": (other_event_of_same_index, N, C.DISAGREEMENT, False),
    "the ledger ends before it": (ledger_cut_off, N, C.LEDGER_INCOMPLETE, False),
}  # fmt: skip


@pytest.mark.parametrize("name", DEVIATIONS)
def test_one_card_that_is_not_as_it_should_be_gives_the_verdict_of_the_rules_at_every_index(name: str) -> None:
    deviate, verdict, code, countable = DEVIATIONS[name]
    for index in INDEXES:
        found = judge(PLAN, deviate(GOOD_RUN, index))

        assert found.verdict is verdict, index
        assert code in {reason.code for reason in found.reasons}, index
        assert found.hand_count_may_release is countable, index
        assert not found.open_pack_end


@pytest.mark.parametrize("identity", [FULL, R_ONLY], ids=["P+R", "R only"])
def test_one_card_read_as_any_other_is_shown_wrong(identity: Identity) -> None:
    run = flawless(PLAN, identity, shuffled(2))
    assert run.records is not None
    for index in INDEXES:
        for other in INDEXES:
            if other != index:
                read_as = run.records[other].identity
                found = judge(PLAN, with_record(run, index, identity=read_as, pocket=int(DEAL.owner(Card(read_as)))))

                assert found.verdict is Verdict.DEAL_AGAIN
                codes = {reason.code for reason in found.reasons}
                assert {C.SAME_CARD_TWICE, C.CARD_MISSING} <= codes
                assert not found.hand_count_may_release


def test_two_readings_exchanged_within_a_pocket_do_not_matter_and_across_pockets_are_shown_wrong() -> None:
    records = GOOD_RUN.records
    assert records is not None
    for first in INDEXES:
        for second in range(first + 1, PACK_SIZE):
            one, two = records[first], records[second]
            swapped = with_record(with_record(GOOD_RUN, first, identity=two.identity), second, identity=one.identity)

            found = judge(PLAN, swapped)

            assert found.verdict is (Verdict.GOOD if one.pocket == two.pocket else Verdict.DEAL_AGAIN)


@pytest.mark.parametrize(
    "harmless",
    [
        pytest.param(without_proof(Proof.GATE), id="gate not confirmed"),
        pytest.param(record(confidence=THRESHOLD), id="just at the threshold"),
        pytest.param(record(attempts=3), id="fed three times"),
        pytest.param(
            lambda evidence, index: replace(evidence, card_events=(*evidence.card_events, evidence.card_events[index])),
            id="the same event read again",
        ),
        pytest.param(
            lambda evidence, index: replace(no_event(evidence, index), events_complete=False), id="event lost for good"
        ),
    ],
)
def test_what_does_not_matter_leaves_a_board_good_at_every_index(harmless: Deviation) -> None:
    assert all(judge(PLAN, harmless(GOOD_RUN, index)).verdict is Verdict.GOOD for index in INDEXES)


def test_a_wrong_pocket_touches_the_two_pockets_concerned_and_no_other() -> None:
    for index in INDEXES:
        found = judge(PLAN, next_pocket(GOOD_RUN, index))

        bad = [pocket for pocket in found.pockets if pocket.verdict is Verdict.DEAL_AGAIN]
        assert sorted(pocket.count or 0 for pocket in bad) == [12, 14]
        assert all(pocket.count == 13 for pocket in found.pockets if pocket.verdict is Verdict.GOOD)
        assert len(bad) == 2


@pytest.mark.parametrize(
    ("machine", "verdict"),
    [("P+R", Verdict.GOOD), ("R only", Verdict.GOOD), ("P only", Verdict.COUNTED), ("bare", Verdict.NOT_PROVEN)],
)
@pytest.mark.parametrize("more_packs", [False, True])
def test_a_flawless_run_gets_the_best_verdict_of_its_machine(machine: str, verdict: Verdict, more_packs: bool) -> None:
    identity = MACHINES[machine]
    plan = plan_for(identity, DEAL, more_packs=more_packs)

    found = judge(plan, flawless(plan, identity, shuffled(3)))

    assert found.verdict is verdict
    assert [pocket.verdict for pocket in found.pockets] == [verdict] * 4
    assert [pocket.count for pocket in found.pockets] == [13] * 4
    assert [pocket.seat for pocket in found.pockets] == list(Seat)
    assert (found.reasons == ()) is (verdict is Verdict.GOOD)
    assert found.hand_count_may_release is (machine == "bare")


BY_ORDER_DEVIATIONS: dict[str, tuple[Deviation, Verdict, ReasonCode]] = {
    "in another pocket": (next_pocket, D, C.WRONG_POCKET),
    "face up": (record(identity=int(Unproven.FACE_UP)), D, C.FACE_UP),
    "not sensed": (without_proof(Proof.SENSED), N, C.NOT_SENSED),
    "not seen leaving": (without_proof(Proof.LEFT_PATH), N, C.NOT_SEEN_LEAVING),
    "sensed elsewhere by its event": (event_of_next_pocket, D, C.OTHER_POCKET_SENSED),
}


@pytest.mark.parametrize("name", BY_ORDER_DEVIATIONS)
def test_a_machine_that_reads_no_cards_is_judged_by_its_pocket_sensors(name: str) -> None:
    deviate, verdict, code = BY_ORDER_DEVIATIONS[name]
    plan = plan_for(P_ONLY, DEAL)
    run = flawless(plan, P_ONLY, shuffled(3))
    for index in INDEXES:
        found = judge(plan, deviate(run, index))

        assert found.verdict is verdict
        assert code in {reason.code for reason in found.reasons}


def test_names_from_a_machine_that_says_it_reads_nothing_prove_nothing() -> None:
    plan = plan_for(P_ONLY, DEAL)
    run = with_record(flawless(plan, P_ONLY, shuffled(3)), 5, identity=0, confidence=255)

    assert judge(plan, run).verdict is Verdict.COUNTED


def test_by_order_a_reading_machine_must_follow_both_the_order_and_the_deal() -> None:
    plan = Plan.by_order(7, DEAL)
    run = flawless(plan, FULL, sorted(shuffled(2)))
    assert run.records is not None
    assert judge(plan, run).verdict is Verdict.GOOD
    for index in INDEXES:
        other = next(i for i in INDEXES if run.records[i].pocket != run.records[index].pocket)
        moved = with_record(
            with_record(run, index, pocket=run.records[other].pocket, identity=run.records[other].identity),
            other, pocket=run.records[index].pocket, identity=run.records[index].identity,
        )  # fmt: skip
        found = judge(plan, moved)

        assert found.verdict is Verdict.NOT_PROVEN
        assert {reason.code for reason in found.reasons} == {C.OFF_PLAN}


@pytest.mark.parametrize("kind", [LedgerKind.NONE, Code(7)], ids=["none", "unknown"])
@pytest.mark.parametrize("records_too", [True, False])
def test_without_a_ledger_no_board_is_proven_or_counted(kind: LedgerKind | Code, records_too: bool) -> None:
    for identity in (FULL, R_ONLY, P_ONLY, BARE):
        machine = replace(identity, ledger=kind)
        plan = plan_for(machine, DEAL)
        run = flawless(plan, machine, shuffled(3))

        found = judge(plan, run if records_too else replace(run, records=None))

        assert found.verdict is Verdict.NOT_PROVEN
        assert not found.hand_count_may_release
        assert found.is_best_here
        assert found.is_settled, "another run on this machine comes to the same"
    by_order = plan_for(P_ONLY, DEAL)
    run = replace(flawless(by_order, P_ONLY, shuffled(3)), identity=replace(P_ONLY, ledger=kind), records=None)
    for index in INDEXES:
        assert judge(by_order, event_of_next_pocket(run, index)).verdict is Verdict.DEAL_AGAIN


def test_a_verdict_is_the_best_here_when_only_what_the_machine_lacks_speaks_against_it() -> None:
    plans = [(plan_for(one, DEAL), one) for one in MACHINES.values()]
    flawless_runs = [judge(plan, flawless(plan, one, shuffled(3))) for plan, one in plans]
    assert all(found.is_best_here for found in flawless_runs)
    best = [Verdict.GOOD, Verdict.GOOD, Verdict.COUNTED, Verdict.NOT_PROVEN]
    assert [found.verdict for found in flawless_runs] == best
    assert [found.is_settled for found in flawless_runs] == [True, True, True, False], "a count settles the last one"
    for one in (*MACHINES.values(), replace(BARE, ledger=LedgerKind.NONE)):
        plan = plan_for(one, DEAL)
        doubled = replace(flawless(plan, one, shuffled(3)), faults=(FaultCode.DOUBLE_FEED,))
        assert not judge(plan, doubled).is_best_here, "another run may have no fault"
        assert not judge(plan, doubled).is_settled


def test_a_ledger_that_could_not_be_read_proves_nothing() -> None:
    found = judge(PLAN, replace(GOOD_RUN, records=None))

    assert found.verdict is Verdict.NOT_PROVEN
    assert {reason.code for reason in found.reasons} == {C.LEDGER_INCOMPLETE}
    assert [pocket.count for pocket in found.pockets] == [None] * 4


def test_unknown_capabilities_count_as_absent() -> None:
    plan = Plan.by_order(7, DEAL)
    machine = replace(P_ONLY, recognition=Code(9), hopper=Code(9))
    assert judge(plan, flawless(plan, P_ONLY, shuffled(3))).verdict is Verdict.COUNTED
    assert judge(plan, replace(flawless(plan, P_ONLY, shuffled(3)), identity=machine)).verdict is Verdict.COUNTED


def cut(run: Evidence, k: int, doubt: int) -> Evidence:
    """The run paused with k cards proven and the next `doubt` cards on their way to their pockets."""
    assert run.records is not None
    under_way = tuple(
        replace(record, state=RecordState.DOUBT, proof=record.proof & ~(Proof.LEFT_PATH | Proof.SENSED))
        for record in run.records[k : k + doubt]
    )
    end = replace(run.end, state=State.PAUSED, index=k, doubt=doubt, pack_end=PackEnd.UNKNOWN)
    return replace(run, records=run.records[:k] + under_way, card_events=run.card_events[:k], end=end)


def test_a_run_that_ended_early_is_shown_incomplete_at_every_index() -> None:
    for k in INDEXES:
        for doubt in (0, 1):
            found = judge(PLAN, cut(GOOD_RUN, k, doubt))
            all_fed = k + doubt == PACK_SIZE

            assert found.verdict is (Verdict.NOT_PROVEN if all_fed else Verdict.DEAL_AGAIN)
            assert found.hand_count_may_release is all_fed
            assert sum(pocket.count or 0 for pocket in found.pockets) == k
            assert found.verdict is found.pockets[0].verdict or all_fed


def test_the_last_card_in_doubt_is_not_for_a_hand_count_when_it_was_misread_or_went_astray() -> None:
    run = cut(GOOD_RUN, 51, 1)
    assert run.records is not None
    last = run.records[51]
    changes: tuple[dict[str, Any], ...] = (
        {"pocket": (last.pocket + 1) % 4},
        {"identity": int(Unproven.UNREADABLE)},
        {"confidence": THRESHOLD - 1},
        {"proof": Proof.LEFT_HOPPER},
        {"proof": Proof.READ | Proof.GATE},
        {"identity": run.records[0].identity},
    )
    for change in changes:
        records = (*run.records[:51], replace(last, **change))
        assert not judge(PLAN, replace(run, records=records)).hand_count_may_release
    assert not judge(PLAN, with_end(run, sensors=Sensor.READER_CARD)).hand_count_may_release
    assert judge(PLAN, with_end(run, sensors=Sensor.PATH_CARD)).hand_count_may_release
    assert judge(PLAN, with_end(run, fault=FaultCode.JAM)).hand_count_may_release
    assert judge(PLAN, with_end(run, fault=FaultCode.POCKET_SILENT)).hand_count_may_release
    assert not judge(PLAN, with_end(run, fault=FaultCode.DOUBLE_FEED)).hand_count_may_release


def test_by_order_the_last_card_in_doubt_is_for_a_hand_count_only_on_its_way_to_the_planned_pocket() -> None:
    plan = plan_for(P_ONLY, DEAL)
    run = cut(flawless(plan, P_ONLY, shuffled(3)), 51, 1)
    assert run.records is not None
    assert judge(plan, run).hand_count_may_release
    for pocket in {0, 1, 2, 3} - {run.records[51].pocket}:
        astray = (*run.records[:51], replace(run.records[51], pocket=pocket))
        assert not judge(plan, replace(run, records=astray)).hand_count_may_release


@pytest.mark.parametrize("state", [State.NONE, State.MOVING, State.PAUSED, Code(9)], ids=str)
def test_a_run_that_is_not_done_is_not_proven_whatever_its_ledger_says(state: State | Code) -> None:
    assert judge(PLAN, with_end(GOOD_RUN, state=state)).verdict is Verdict.NOT_PROVEN


def test_an_end_that_contradicts_itself_or_is_unknown_is_not_proven() -> None:
    for changes in ({"index": 255}, {"doubt": 255}, {"doubt": 1}, {"index": 51}, {"index": 0}):
        for state in (State.DONE, State.PAUSED):
            if state is State.PAUSED and changes == {"index": 0}:
                continue
            assert judge(PLAN, with_end(GOOD_RUN, state=state, **changes)).verdict > Verdict.COUNTED


def codes_of(run: Evidence) -> set[ReasonCode]:
    return {reason.code for reason in judge(PLAN, run).reasons}


def test_each_contradiction_between_the_end_and_the_ledger_is_named() -> None:
    last = cut(GOOD_RUN, 51, 1)
    assert codes_of(last) == {C.LAST_STEP_IN_DOUBT}
    assert codes_of(with_end(last, doubt=2)) == {C.LAST_STEP_IN_DOUBT, C.IN_DOUBT}
    assert codes_of(with_end(last, index=50, doubt=2)) == {C.LAST_STEP_IN_DOUBT, C.IN_DOUBT, C.DISAGREEMENT}
    assert codes_of(with_end(last, index=52, doubt=1)) == {C.LAST_STEP_IN_DOUBT, C.DISAGREEMENT}
    assert codes_of(replace(with_end(GOOD_RUN, index=51), records=None)) == {C.LEDGER_INCOMPLETE, C.DISAGREEMENT}
    assert codes_of(with_end(without_proof(Proof.SENSED)(GOOD_RUN, 4), state=State.PAUSED)) == {
        C.NOT_SENSED,
        C.NOT_OVER,
    }


def test_a_record_with_too_few_cards_is_named_where_all_52_should_be_in_it() -> None:
    assert C.LEDGER_INCOMPLETE not in codes_of(cut(GOOD_RUN, 30, 0))
    assert C.LEDGER_INCOMPLETE not in codes_of(cut(GOOD_RUN, 50, 1))
    assert GOOD_RUN.records is not None
    missing = replace(GOOD_RUN, records=GOOD_RUN.records[:51])
    assert C.LEDGER_INCOMPLETE in codes_of(with_end(missing, index=51))
    assert C.LEDGER_INCOMPLETE in codes_of(with_end(missing, state=State.PAUSED, index=51, doubt=1))
    assert C.LEDGER_INCOMPLETE in codes_of(with_end(cut(GOOD_RUN, 30, 0), index=255))
    assert C.LEDGER_INCOMPLETE in codes_of(with_end(cut(GOOD_RUN, 30, 0), doubt=255))


def sentences_of(run: Evidence) -> str:
    return " ".join(reason.sentence for reason in judge(PLAN, run).reasons)


def test_a_run_without_an_end_says_whether_cards_still_move_or_nobody_knows() -> None:
    assert "still moving" in sentences_of(with_end(GOOD_RUN, state=State.MOVING))
    assert "does not know the end" in sentences_of(with_end(GOOD_RUN, state=State.NONE))
    assert "where 1 card lies" in sentences_of(with_end(cut(GOOD_RUN, 30, 0), doubt=1))
    assert "where 2 cards lie" in sentences_of(with_end(cut(GOOD_RUN, 30, 0), doubt=2))


def test_a_plan_by_identity_is_no_plan_for_a_machine_that_does_not_read() -> None:
    by_identity = judge(PLAN, flawless(Plan.by_order(7, DEAL), P_ONLY, shuffled(2)))
    by_order = judge(Plan.by_order(7, DEAL), flawless(Plan.by_order(7, DEAL), P_ONLY, shuffled(2)))
    assert "needs a machine that reads" in " ".join(reason.sentence for reason in by_identity.reasons)
    assert "needs a machine that reads" not in " ".join(reason.sentence for reason in by_order.reasons)


def test_the_gravest_reason_is_named_first_and_each_once() -> None:
    run = replace(without_proof(Proof.SENSED)(GOOD_RUN, 0), faults=(FaultCode.DOUBLE_FEED, FaultCode.DOUBLE_FEED))
    reasons = judge(PLAN, run).reasons
    assert [reason.code for reason in reasons] == [C.DOUBLE_FEED, C.NOT_SENSED]


def test_a_reason_that_two_sources_give_concerns_the_pockets_of_both() -> None:
    one_pocket = event_of_next_pocket(GOOD_RUN, 0)
    first = judge(PLAN, one_pocket)
    assert [len(reason.pockets) for reason in first.reasons] == [2]
    both = judge(PLAN, replace(one_pocket, faults=(FaultCode.WRONG_POCKET,)))
    assert [(reason.code, reason.pockets) for reason in both.reasons] == [(C.OTHER_POCKET_SENSED, ())]
    assert {pocket.verdict for pocket in both.pockets} == {Verdict.DEAL_AGAIN}


def test_without_a_record_the_counts_of_the_machine_are_shown_and_without_both_none() -> None:
    unread = replace(GOOD_RUN, records=None)
    counted = judge(PLAN, with_end(unread, pocket_counts=(12, 14, 13, 13)))
    assert [pocket.count for pocket in counted.pockets] == [12, 14, 13, 13]
    assert [pocket.count for pocket in judge(PLAN, unread).pockets] == [None] * 4
    assert [pocket.count for pocket in judge(PLAN, GOOD_RUN).pockets] == [13] * 4


def test_pocket_counts_that_differ_from_the_ledger_are_a_disagreement() -> None:
    assert judge(PLAN, with_end(GOOD_RUN, pocket_counts=(13, 13, 13, 13))).verdict is Verdict.GOOD
    for counts in ((12, 14, 13, 13), (13, 13, 13, 12), (0, 0, 0, 0)):
        assert judge(PLAN, with_end(GOOD_RUN, pocket_counts=counts)).verdict is Verdict.NOT_PROVEN


@pytest.mark.parametrize("latched", [True, False])
@pytest.mark.parametrize("fault", [*list(FaultCode)[1:], Code(99)], ids=lambda fault: fault.name)
def test_each_fault_latched_or_past_leaves_the_verdict_that_it_allows(fault: FaultCode | Code, latched: bool) -> None:
    run = with_end(GOOD_RUN, fault=fault) if latched else replace(GOOD_RUN, faults=(fault,))
    shown_wrong = fault in (FaultCode.DUPLICATE_CARD, FaultCode.WRONG_POCKET, FaultCode.DOUBLE_FEED)
    settled = fault in (
        FaultCode.NO_FEED, FaultCode.HOPPER_EMPTY, FaultCode.JAM, FaultCode.FACE_UP, FaultCode.UNREADABLE,
        FaultCode.FOREIGN_CARD, FaultCode.COVER_OPEN, FaultCode.WRONG_BACK, FaultCode.PACK_SHORT,
    )  # fmt: skip

    found = judge(PLAN, run)

    expected = Verdict.DEAL_AGAIN if shown_wrong else Verdict.NOT_PROVEN
    assert found.verdict is (Verdict.GOOD if settled and not latched else expected)
    if found.verdict is Verdict.NOT_PROVEN:
        countable = fault is FaultCode.POCKET_SILENT or (fault is FaultCode.JAM and latched)
        assert found.hand_count_may_release is countable


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (FaultCode.DUPLICATE_CARD, C.SAME_CARD_TWICE),
        (FaultCode.WRONG_POCKET, C.OTHER_POCKET_SENSED),
        (FaultCode.DOUBLE_FEED, C.DOUBLE_FEED),
        (FaultCode.POCKET_SILENT, C.POCKET_SILENT),
        (FaultCode.BOARD_OUT, C.BOARD_OUT),
    ],
    ids=lambda one: one.name,
)
def test_a_fault_that_stays_with_the_board_is_named_as_what_it_is(fault: FaultCode, code: ReasonCode) -> None:
    assert codes_of(replace(GOOD_RUN, faults=(fault,))) == {code}


@pytest.mark.parametrize("sensed", [True, False], ids=["hopper sensed", "hopper not sensed"])
@pytest.mark.parametrize("more_packs", [True, False])
@pytest.mark.parametrize("pack_end", [*PackEnd, Code(9)], ids=lambda end: end.name)
def test_the_pack_must_end_as_announced(pack_end: PackEnd | Code, more_packs: bool, sensed: bool) -> None:
    plan = Plan.by_identity(7, DEAL, more_packs=more_packs)
    identity = replace(FULL, hopper=HopperSensing.EMPTY if sensed else HopperSensing.NO)
    good = (
        pack_end in (PackEnd.EMPTY, PackEnd.STOP_CARD)
        or (pack_end in (PackEnd.OPEN, PackEnd.BACK_CHANGE) and more_packs)
        or (pack_end is PackEnd.UNKNOWN and not sensed)
    )

    found = judge(plan, with_end(replace(GOOD_RUN, identity=identity), pack_end=pack_end))

    assert found.verdict is (Verdict.GOOD if good else Verdict.NOT_PROVEN)
    assert found.open_pack_end is (good and pack_end in (PackEnd.OPEN, PackEnd.UNKNOWN))
    assert not found.hand_count_may_release


@pytest.mark.parametrize("told_by", ["flag", "host"])
@pytest.mark.parametrize("pack_end", [PackEnd.EMPTY, PackEnd.OPEN, PackEnd.BACK_CHANGE, PackEnd.STOP_CARD])
@pytest.mark.parametrize("routing", list(Routing), ids=lambda routing: routing.name)
@pytest.mark.parametrize("was_in_doubt", [True, False])
def test_after_a_restart_only_identities_and_a_proven_pack_end_make_a_board_good(
    told_by: str, pack_end: PackEnd, routing: Routing, was_in_doubt: bool
) -> None:
    build = Plan.by_identity if routing is Routing.BY_IDENTITY else Plan.by_order
    plan = build(7, DEAL, more_packs=True)
    run = with_end(flawless(plan, FULL, sorted(shuffled(1))), pack_end=pack_end)
    assert judge(plan, run).verdict is Verdict.GOOD
    flags = RunFlag.RESTARTED if told_by == "flag" else RunFlag(0)
    restarted = replace(with_end(run, run_flags=flags), restarted=told_by == "host", was_in_doubt=was_in_doubt)

    good = routing is Routing.BY_IDENTITY and pack_end.proven and not was_in_doubt
    assert judge(plan, restarted).verdict is (Verdict.GOOD if good else Verdict.NOT_PROVEN)


def test_after_a_restart_a_run_short_of_the_end_by_the_cards_in_flight_is_not_called_incomplete() -> None:
    for in_flight in (0, 1, 3):
        machine = replace(FULL, in_flight=in_flight)
        for k in INDEXES:
            run = replace(cut(GOOD_RUN, k, 0), restarted=True, identity=machine)
            certain = k + max(1, in_flight) < PACK_SIZE
            assert judge(PLAN, run).verdict is (Verdict.DEAL_AGAIN if certain else Verdict.NOT_PROVEN)


def test_a_card_in_reader_or_path_at_the_end_leaves_the_board_unproven() -> None:
    assert judge(PLAN, with_end(GOOD_RUN, sensors=Sensor.READER_CARD)).reasons[0].code is C.CARD_IN_READER
    assert judge(PLAN, with_end(GOOD_RUN, sensors=Sensor.PATH_CARD)).reasons[0].code is C.CARD_IN_PATH
    others = ~(Sensor.READER_CARD | Sensor.PATH_CARD)
    assert judge(PLAN, with_end(GOOD_RUN, sensors=others)).verdict is Verdict.GOOD


def test_the_boards_of_a_simulated_machine_carry_its_mark() -> None:
    machine = replace(FULL, features=FULL.features | Feature.SIMULATED)
    assert judge(PLAN, replace(GOOD_RUN, identity=machine)).simulated
    assert judge(PLAN, replace(GOOD_RUN, identity=machine)).verdict is Verdict.GOOD
    assert not judge(PLAN, GOOD_RUN).simulated


def test_a_plan_without_a_deal_has_no_verdict() -> None:
    with pytest.raises(ValueError, match="without a deal"):
        judge(Plan.rotation(7), GOOD_RUN)


# Release, withdrawal


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(without_proof(Proof.SENSED)(GOOD_RUN, 20), id="not sensed"),
        pytest.param(without_proof(Proof.LEFT_PATH)(GOOD_RUN, 20), id="not seen leaving"),
        pytest.param(with_end(GOOD_RUN, sensors=Sensor.PATH_CARD), id="path sensor stays on"),
        pytest.param(cut(GOOD_RUN, 51, 1), id="last card in doubt"),
    ],
)
def test_a_hand_count_releases_a_board_as_counted_with_the_name(run: Evidence) -> None:
    found = judge(PLAN, run)

    released = release_by_hand_count(found, "  Ada   L. ", [13, 13, 13, 13])

    assert released.verdict is Verdict.COUNTED
    assert released.counted_by == "Ada L."
    assert [(pocket.verdict, pocket.count) for pocket in released.pockets] == [(Verdict.COUNTED, 13)] * 4
    assert set(found.reasons) < set(released.reasons)
    assert not released.hand_count_may_release


@pytest.mark.parametrize(
    ("counts", "name"), [((12, 14, 13, 13), "Ada"), ((13, 13, 13), "Ada"), ((), "Ada"), ((13, 13, 13, 13), " ")]
)
def test_a_hand_count_needs_thirteen_in_each_pocket_and_a_name(counts: tuple[int, ...], name: str) -> None:
    found = judge(PLAN, without_proof(Proof.SENSED)(GOOD_RUN, 20))
    with pytest.raises(HandCountRefused) as caught:
        release_by_hand_count(found, name, counts)
    assert isinstance(caught.value, JobError)
    assert caught.value.code == "DM504"


def test_a_hand_count_never_releases_what_a_count_cannot_settle() -> None:
    for deviate, _, _, countable in DEVIATIONS.values():
        if not countable:
            with pytest.raises(HandCountRefused):
                release_by_hand_count(judge(PLAN, deviate(GOOD_RUN, 9)), "Ada", (13, 13, 13, 13))
    both = without_proof(Proof.SENSED)(record(confidence=1)(GOOD_RUN, 9), 30)
    with pytest.raises(HandCountRefused):
        release_by_hand_count(judge(PLAN, both), "Ada", (13, 13, 13, 13))
    with pytest.raises(HandCountRefused, match="needs no hand count"):
        release_by_hand_count(judge(PLAN, GOOD_RUN), "Ada", (13, 13, 13, 13))


@pytest.mark.parametrize("machine", ["P+R", "P only"])
def test_a_verdict_with_an_open_pack_end_is_withdrawn_and_no_other(machine: str) -> None:
    identity = MACHINES[machine]
    plan = plan_for(identity, DEAL, more_packs=True)
    run = flawless(plan, identity, shuffled(3))
    opened = judge(plan, with_end(run, pack_end=PackEnd.OPEN))
    assert opened.open_pack_end

    withdrawn = withdraw(opened, "The next pack came out short.")

    assert withdrawn.verdict is Verdict.NOT_PROVEN
    assert [pocket.verdict for pocket in withdrawn.pockets] == [Verdict.NOT_PROVEN] * 4
    assert C.WITHDRAWN in {reason.code for reason in withdrawn.reasons}
    assert not withdrawn.hand_count_may_release
    assert withdraw(withdrawn, "Again.") is withdrawn
    for other in (judge(plan, run), judge(plan, next_pocket(run, 4))):
        assert withdraw(other, "The next pack came out short.") is other


def test_a_pack_that_was_short_over_or_double_says_so_for_the_board_before() -> None:
    assert judge(PLAN, GOOD_RUN).pack_not_whole == ""
    assert judge(PLAN, next_pocket(GOOD_RUN, 3)).pack_not_whole == ""
    for fault in (FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT, FaultCode.WRONG_BACK):
        assert "SHORT" in judge(PLAN, replace(GOOD_RUN, faults=(fault,))).pack_not_whole
        assert "SHORT" in judge(PLAN, with_end(cut(GOOD_RUN, 51, 0), fault=fault)).pack_not_whole
    assert "LONG" in judge(PLAN, with_end(GOOD_RUN, pack_end=PackEnd.OVER)).pack_not_whole
    assert GOOD_RUN.records is not None
    twin = with_record(GOOD_RUN, 3, identity=GOOD_RUN.records[40].identity)
    assert "TWICE" in judge(PLAN, twin).pack_not_whole
    assert "TWICE" in judge(PLAN, with_end(cut(GOOD_RUN, 20, 0), fault=FaultCode.DUPLICATE_CARD)).pack_not_whole


def test_what_is_said_of_the_board_before_at_a_fault_is_what_its_run_says_in_the_end() -> None:
    at_once = {fault: judge(PLAN, replace(GOOD_RUN, faults=(fault,))).pack_not_whole for fault in FaultCode}
    assert {fault: notice for fault, notice in at_once.items() if notice} == PACK_NOT_WHOLE


# What a machine cannot see


NEVER = {
    (row["fault"], machine)
    for row in page_table("What GOOD can mean")
    for machine in ("P+R", "R only", "P only")
    if row[machine].endswith("never") or row[machine] in ("board edge only", "the person")
}


def test_every_never_cell_of_the_visibility_table_is_told_with_the_verdict_and_no_other_cell_is() -> None:
    """On machines with nothing beyond the column's sensors, and other packs below."""
    rows = page_table("What GOOD can mean").column("fault")
    for machine in ("P+R", "R only", "P only"):
        identity = replace(MACHINES[machine], features=Feature(0), board=R_ONLY.board)
        plan = plan_for(identity, DEAL, more_packs=True)
        spots = blind_spots(Sight.of(identity), more_packs=True)
        told = judge(plan, flawless(plan, identity, shuffled(1))).cannot_prove

        assert {spot.fault for spot in spots} - {""} == {fault for fault in rows if (fault, machine) in NEVER}
        assert [spot.sentence for spot in spots] == list(told)


def test_sensors_take_their_sentences_away_and_missing_ones_are_told() -> None:
    assert [spot.fault for spot in blind_spots(Sight.of(FULL), more_packs=True)] == ["two cards read as each other"]
    separated = blind_spots(Sight.of(replace(P_ONLY, features=Feature.STOP_CARD | Feature.THICKNESS)), more_packs=True)
    assert not {spot.fault for spot in separated} & {
        "double feed, pack below",
        "51 cards, pack below",
        "53 cards, pack below",
    }
    bare = judge(plan_for(BARE, DEAL), flawless(plan_for(BARE, DEAL), BARE, shuffled(1))).cannot_prove
    assert len(bare) == 6
    assert any("hopper" in sentence for sentence in bare)


def test_lost_events_and_an_open_end_are_told_with_the_verdict() -> None:
    plan = Plan.by_identity(7, DEAL, more_packs=True)
    run = with_end(GOOD_RUN, pack_end=PackEnd.OPEN)
    usual = set(judge(plan, GOOD_RUN).cannot_prove)
    assert len(set(judge(plan, run).cannot_prove) - usual) == 1
    assert len(set(judge(plan, replace(GOOD_RUN, events_complete=False)).cannot_prove) - usual) == 1


@pytest.mark.parametrize("fault", [FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT])
def test_a_pack_that_was_filled_up_needs_a_hand_count_unless_thickness_is_sensed(fault: FaultCode) -> None:
    plan = Plan.by_identity(7, DEAL)
    thick = replace(GOOD_RUN, faults=(fault,))
    features = thick.identity.features & ~Feature.THICKNESS
    thin = replace(thick, identity=replace(thick.identity, features=features))

    assert judge(plan, thick).verdict is Verdict.GOOD
    judgement = judge(plan, thin)
    assert judgement.verdict is Verdict.NOT_PROVEN
    assert judgement.hand_count_may_release
    assert release_by_hand_count(judgement, "Ann", (13, 13, 13, 13)).verdict is Verdict.COUNTED
    with pytest.raises(HandCountRefused):
        release_by_hand_count(judgement, "Ann", (14, 13, 13, 13))


# Random evidence


ANY_CHANGE: tuple[Deviation, ...] = (
    *(deviation[0] for deviation in DEVIATIONS.values() if deviation[2] is not C.LEDGER_INCOMPLETE),
    lambda evidence, index: with_end(evidence, pack_end=list(PackEnd)[index % len(PackEnd)]),
    lambda evidence, index: with_end(evidence, sensors=Sensor(1 << index % 12)),
    lambda evidence, index: with_end(evidence, fault=list(FaultCode)[index % len(FaultCode)]),
    lambda evidence, index: with_end(evidence, index=index),
    lambda evidence, index: with_end(evidence, state=list(State)[index % 4]),
    lambda evidence, index: replace(evidence, faults=(list(FaultCode)[index % len(FaultCode)],)),
    lambda evidence, index: replace(evidence, restarted=True),
    lambda evidence, index: replace(evidence, events_complete=False),
    lambda evidence, index: with_record(evidence, index, identity=index),
)


def allowed_good(plan: Plan, evidence: Evidence) -> bool:
    """The sentence of PROTOCOL.md, written once more: when GOOD may be said at all."""
    machine, records, end = evidence.identity, evidence.records, evidence.end
    if records is None or plan.deal is None or machine.recognition is Recognition.NONE:
        return False
    senses = machine.pockets is PocketSensing.SENSED
    needed = Proof.READ | Proof.LEFT_PATH | (Proof.SENSED if senses else Proof(0))
    all_seen = len(records) == 52 and all(
        record.state is RecordState.DROPPED
        and record.identity < 52
        and record.confidence >= machine.threshold
        and needed in record.proof
        and plan.deal.owner(Card(record.identity)) == record.pocket
        for record in records
    )
    different = len({record.identity for record in records}) == 52
    told = [(event.index, event.pocket, event.proof) for event in evidence.card_events]
    kept = [(index, record.pocket, record.proof) for index, record in enumerate(records)]
    agree = Counter(told) == Counter(kept) if evidence.events_complete else Counter(told) <= Counter(kept)
    clear = not end.sensors & (Sensor.READER_CARD | Sensor.PATH_CARD)
    staying = {
        FaultCode.DUPLICATE_CARD, FaultCode.WRONG_POCKET, FaultCode.DOUBLE_FEED, FaultCode.POCKET_SILENT,
        FaultCode.BOARD_OUT, FaultCode.NO_PROGRESS, FaultCode.MEMORY,
    }  # fmt: skip
    if Feature.THICKNESS not in machine.features:
        staying |= {FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT}
    no_fault = end.fault is FaultCode.NONE and not staying & set(evidence.faults)
    done = (end.state, end.index, end.doubt) == (State.DONE, 52, 0)
    announced = end.pack_end in (PackEnd.EMPTY, PackEnd.STOP_CARD) or (
        plan.more_packs and end.pack_end in (PackEnd.OPEN, PackEnd.BACK_CHANGE)
    )
    proven = end.pack_end in (PackEnd.EMPTY, PackEnd.STOP_CARD, PackEnd.BACK_CHANGE)
    restart = not evidence.restarted or proven
    return all((all_seen, different, agree, clear, no_fault, done, announced, restart))


@given(
    seed=st.integers(0, 2**32),
    machine=st.sampled_from([FULL, R_ONLY, P_ONLY, BARE]),
    more_packs=st.booleans(),
    changes=st.lists(st.tuples(st.sampled_from(ANY_CHANGE), st.integers(0, 51)), max_size=3),
)
def test_good_is_said_exactly_when_the_rules_allow_it(
    seed: int, machine: Identity, more_packs: bool, changes: list[tuple[Deviation, int]]
) -> None:
    plan = plan_for(machine, random_deal(seed), more_packs=more_packs)
    evidence = flawless(plan, machine, shuffled(seed))
    for deviate, index in changes:
        if len(evidence.card_events) >= PACK_SIZE:
            evidence = deviate(evidence, index)

    found = judge(plan, evidence)

    assert (found.verdict is Verdict.GOOD) == allowed_good(plan, evidence)
    assert found.verdict is max(pocket.verdict for pocket in found.pockets)
    assert (found.verdict is Verdict.GOOD) == (not found.reasons)
    assert_tells_no_card(found)


@given(
    seed=st.integers(0, 2**32),
    pockets_sensed=st.booleans(),
    astray=st.dictionaries(st.integers(0, 51), st.integers(1, 3), max_size=2),
    misread=st.none() | st.tuples(st.integers(0, 51), st.integers(0, 51)),
    twin=st.none() | st.tuples(st.integers(0, 51), st.integers(0, 51)),
)
def test_good_means_that_the_pockets_equal_the_deal_when_the_evidence_is_honest(
    seed: int,
    pockets_sensed: bool,
    astray: dict[int, int],
    misread: tuple[int, int] | None,
    twin: tuple[int, int] | None,
) -> None:
    """One misread card at most, one card of the pack replaced by another's twin, cards that fall into wrong pockets."""
    deal, pack = random_deal(seed), shuffled(seed)
    machine = FULL if pockets_sensed else R_ONLY
    if twin:
        pack[twin[0]] = pack[twin[1]]
    read = list(pack)
    if misread:
        read[misread[0]] = Card(misread[1])
    plan = Plan.by_identity(7, deal)
    evidence = flawless(plan, machine, read)
    truth = [(int(deal.owner(card)) + astray.get(index, 0)) % 4 for index, card in enumerate(read)]
    if pockets_sensed:
        for index in astray:
            evidence = with_record(evidence, index, pocket=truth[index])

    found = judge(plan, evidence)

    equal = sorted(zip(pack, truth, strict=True)) == sorted((card, int(deal.owner(card))) for card in set(pack))
    equal = equal and len(set(pack)) == PACK_SIZE
    nothing_amiss = read == pack and not astray and len(set(pack)) == PACK_SIZE
    visible = pockets_sensed or not astray
    compensated = bool(twin) and bool(misread)  # A twin read as the missing card: two cards read as each other.
    if found.verdict is Verdict.GOOD and visible and not compensated:
        assert equal
    if nothing_amiss:
        assert found.verdict is Verdict.GOOD


def assert_tells_no_card(found: Judgement) -> None:
    text = " ".join([*(reason.sentence for reason in found.reasons), *found.cannot_prove])
    assert not re.search(r"spade|heart|diamond|club|\b[SHDC][AKQJT2-9]\b|north|east|south|west", text, re.IGNORECASE)


# The values themselves


def test_destinations_are_two_bits_a_card_from_the_low_end() -> None:
    for plan in (PLAN, Plan.by_order(7, DEAL), Plan.rotation(7), Plan.by_thirteens(7, DEAL)):
        packed = plan.destinations()
        assert len(packed) == 13
        assert [packed[n // 4] >> 2 * (n % 4) & 3 for n in INDEXES] == list(plan.pockets)
    assert PLAN.pockets == DEAL.owners
    assert Plan.rotation(7).destinations() == b"\xe4" * 13
    assert Plan.by_thirteens(7, DEAL).destinations().hex() == "000000545555a5aaaaeaffffff"


def test_by_order_follows_the_order_in_which_the_pack_is_sorted() -> None:
    backwards = [Card(code) for code in reversed(range(PACK_SIZE))]
    assert Plan.by_order(7, DEAL).pockets == DEAL.owners
    assert Plan.by_order(7, DEAL, pack_order=backwards).pockets == tuple(reversed(DEAL.owners))
    with pytest.raises(ValueError, match="52 cards once"):
        Plan.by_order(7, DEAL, pack_order=backwards[1:])


def test_a_plan_that_no_machine_would_take_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="13 cards"):
        Plan(7, None, (Seat.NORTH,) * 52, Routing.BY_ORDER)
    with pytest.raises(ValueError, match="by order"):
        Plan(7, DEAL, DEAL.owners, Routing.BY_IDENTITY, on_anomaly=Plan.rotation(7).on_anomaly)


def test_no_text_of_plan_evidence_or_judgement_shows_a_hand() -> None:
    judgement = judge(PLAN, next_pocket(GOOD_RUN, 3))
    for value in (PLAN, Plan.by_thirteens(7, DEAL), GOOD_RUN, judgement, judge(PLAN, GOOD_RUN)):
        for text in (repr(value), str(value)):
            assert "Card(" not in text
            assert PLAN.destinations().hex() not in text
            assert repr(PLAN.destinations()) not in text
            assert "pocket=" not in text


def test_the_end_of_a_run_is_taken_from_status() -> None:
    report = status(
        state=State.DONE, index=52, pack_end=PackEnd.EMPTY, run_flags=RunFlag.REFED, pocket_counts=bytes([13] * 4)
    )
    end = RunEnd.from_status(report)
    assert (end.state, end.index, end.doubt, end.pack_end) == (State.DONE, 52, 0, PackEnd.EMPTY)
    assert (end.pocket_counts, end.run_flags, end.sensors) == ((13,) * 4, RunFlag.REFED, report.sensors)


@pytest.mark.parametrize("written", [Verdict.NOT_PROVEN, Verdict.DEAL_AGAIN])
@pytest.mark.parametrize("code", [None, C.NO_RECOGNITION, C.POCKET_SILENT, C.FACE_UP])
def test_a_run_that_is_judged_once_more_is_never_found_better_than_it_was(
    code: ReasonCode | None, written: Verdict
) -> None:
    found = conclude(7, [] if code is None else [Reason(code, "So it is.")], [13] * 4)
    again = no_better_than(found, written)
    assert again.verdict is max(found.verdict, written)
    if written > found.verdict:
        assert again.reasons[-1].sentence == f"It was found {written.words} when it was dealt."
        assert not again.hand_count_may_release, "nobody knows here what was seen then"
    else:
        assert again == found


def test_verdicts_are_true_in_a_condition_and_order_by_gravity() -> None:
    assert all(bool(verdict) for verdict in Verdict)
    assert sorted(Verdict) == [Verdict.GOOD, Verdict.COUNTED, Verdict.NOT_PROVEN, Verdict.DEAL_AGAIN]
    assert Verdict.DEAL_AGAIN.words == "DEAL AGAIN"
    assert Reason(C.JAM, "A jam.").concerns(Seat.WEST)
    assert not PocketVerdict(Seat.NORTH, Verdict.GOOD, 13).reasons
    assert all(code.best is not Verdict.GOOD for code in ReasonCode)
    assert all(code.best is Verdict.NOT_PROVEN for code in ReasonCode if code.countable)


def test_a_deal_is_judged_by_its_cards_and_not_by_its_pattern() -> None:
    other = Deal([(owner + 1) % 4 for owner in DEAL.owners])
    found = judge(Plan.by_identity(7, other), GOOD_RUN)
    assert found.verdict is Verdict.DEAL_AGAIN
    assert event_of(0, (GOOD_RUN.records or ())[0]) == GOOD_RUN.card_events[0]
