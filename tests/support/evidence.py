"""Machines, plans and the evidence of flawless runs, made by hand, for the tests of the pure modules of the driver.

May import: protocol, driver. Read next: `tests/unit/test_verification.py`, `tests/unit/test_reconcile.py`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from driver.deals.model import Deal
from driver.evidence import Evidence, RunEnd
from driver.plan import Plan
from protocol.cards import PACK, PACK_SIZE, Card, Unproven
from protocol.codes import (
    BoardSensing,
    FaultClass,
    FaultCode,
    Feature,
    HopperSensing,
    LedgerKind,
    NextStep,
    Obstacle,
    PackEnd,
    PauseReason,
    PocketSensing,
    Proof,
    Recognition,
    RecordState,
    Routing,
    RunFlag,
    Sensor,
    State,
)
from protocol.fields import LedgerRecord
from protocol.messages import CardEvent, Identity, StatusReport

THRESHOLD: Final = 128

FULL: Final = Identity(
    minor=0,
    model="TEST",
    firmware="1.0",
    frame_limit=128,
    ring=32,
    in_flight=1,
    prefetch=0,
    card_limit_ms=2000,
    card_ms=100,
    threshold=THRESHOLD,
    recognition=Recognition.PATH,
    ledger=LedgerKind.CARD,
    pockets=PocketSensing.SENSED,
    board=BoardSensing.NUMBER,
    hopper=HopperSensing.EMPTY,
    features=Feature.BACKS | Feature.THICKNESS | Feature.STOP_CARD | Feature.COVER | Feature.KEYS | Feature.LOG,
)
"""P+R with every sensor."""
R_ONLY: Final = replace(
    FULL, pockets=PocketSensing.NO, board=BoardSensing.PRESENCE, features=Feature.COVER | Feature.KEYS
)
P_ONLY: Final = replace(
    FULL, recognition=Recognition.NONE, threshold=0, board=BoardSensing.PRESENCE, features=Feature.COVER
)
BARE: Final = replace(
    FULL,
    recognition=Recognition.NONE,
    threshold=0,
    pockets=PocketSensing.NO,
    board=BoardSensing.NONE,
    hopper=HopperSensing.NO,
    features=Feature(0),
)


def random_deal(seed: int) -> Deal:
    """A deal that the seed repeats."""
    owners = [card % 4 for card in PACK]
    random.Random(seed).shuffle(owners)
    return Deal(owners)


def shuffled(seed: int) -> list[Card]:
    """The pack in an order that the seed repeats."""
    cards = list(PACK)
    random.Random(seed).shuffle(cards)
    return cards


def plan_for(identity: Identity, deal: Deal, *, board: int = 7, more_packs: bool = False) -> Plan:
    """By identity where the machine reads, else by order."""
    if identity.recognition is Recognition.NONE:
        return Plan.by_order(board, deal, more_packs=more_packs)
    return Plan.by_identity(board, deal, more_packs=more_packs)


def flawless(plan: Plan, identity: Identity, order: Sequence[Card]) -> Evidence:
    """The evidence of a run of `plan` in which the pack lies in `order` and nothing goes wrong."""
    reads = identity.recognition is not Recognition.NONE
    proof = Proof.LEFT_HOPPER | Proof.GATE | Proof.LEFT_PATH
    if reads:
        proof |= Proof.READ
    if identity.pockets is PocketSensing.SENSED:
        proof |= Proof.SENSED
    records = []
    for index, card in enumerate(order):
        pocket = plan.pockets[card if plan.routing is Routing.BY_IDENTITY else index]
        code, confidence = (card, 200) if reads else (Unproven.NONE, 0)
        records.append(LedgerRecord(int(code), confidence, int(pocket), proof, RecordState.DROPPED, 1))
    pack_end = PackEnd.EMPTY if identity.hopper is HopperSensing.EMPTY else PackEnd.UNKNOWN
    end = RunEnd(State.DONE, PACK_SIZE, 0, pack_end, sensors=Sensor.BOARD_PRESENT)
    events = tuple(event_of(index, record) for index, record in enumerate(records))
    return Evidence(identity, tuple(records), events, end)


def event_of(index: int, record: LedgerRecord) -> CardEvent:
    """The CARD event that tells the same as the record."""
    return CardEvent(index, record.pocket, record.proof, record.attempts, 1000 + index, 100 * index)


def with_record(evidence: Evidence, index: int, *, event_too: bool = True, **changes: Any) -> Evidence:
    """The evidence with one ledger record changed, and its CARD event with it."""
    records = list(evidence.records or ())
    records[index] = replace(records[index], **changes)
    events = list(evidence.card_events)
    if event_too:
        events[index] = event_of(index, records[index])
        if records[index].state is not RecordState.DROPPED:
            del events[index]
    return replace(evidence, records=tuple(records), card_events=tuple(events))


def with_end(evidence: Evidence, **changes: Any) -> Evidence:
    """The evidence with another end of the run."""
    return replace(evidence, end=replace(evidence.end, **changes))


def status(**changes: Any) -> StatusReport:
    """STATUS of an idle machine, with changes."""
    idle = StatusReport(
        run=0,
        state=State.NONE,
        reason=PauseReason.NONE,
        index=0,
        doubt=0,
        pack_end=PackEnd.UNKNOWN,
        run_flags=RunFlag(0),
        sensors=Sensor.BOARD_PRESENT | Sensor.HOPPER_CARDS,
        board_number=7,
        pocket_counts=bytes(4),
        fault=FaultCode.NONE,
        fault_class=FaultClass.NONE,
        fault_index=0,
        fault_place=0,
        fault_attempt=0,
        fault_event=0,
        board_edges=3,
        cover_edges=0,
        odometer=5000,
        last_event=9,
        uptime_ms=60_000,
        may=NextStep.ARM_NEW,
        cannot_go_on=Obstacle.NONE,
        frames_in=100,
        bad_in=0,
        echoes=0,
        out_of_turn=0,
        frames_out=100,
        dropped_out=0,
    )
    return replace(idle, **changes)
