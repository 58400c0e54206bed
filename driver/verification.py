"""The intended deal against the evidence of a run: the verdict on the board and on each of its pockets. Pure.

May import: `protocol`, `driver.deals.model`, and the modules that it names below. Read next: `verdicts.py` (what a
verdict is), `plan.py` (what was intended), `card_evidence.py` (the checks card by card), `pack_check.py` (`check-pack`
and `check-board`). The rules are PROTOCOL.md, "What GOOD can mean".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from driver.card_evidence import card_reasons, event_reasons
from driver.evidence import Evidence, RunEnd
from driver.plan import Plan
from driver.verdicts import (
    Judgement,
    PocketVerdict,
    Reason,
    ReasonCode,
    Verdict,
    conclude,
    release_by_hand_count,
    withdraw,
)
from driver.visibility import Sight, blind_spots
from protocol.cards import PACK_SIZE, Seat
from protocol.codes import FaultCode, Feature, PackEnd, RecordState, Routing, RunFlag, Sensor, State
from protocol.constants import UNKNOWN_COUNT
from protocol.fields import Code

__all__ = [
    "Evidence",
    "Judgement",
    "Plan",
    "PocketVerdict",
    "Reason",
    "ReasonCode",
    "RunEnd",
    "Verdict",
    "judge",
    "release_by_hand_count",
    "withdraw",
]

# Faults after which a run cannot be proven, cleared or not. The rest are settled when the run came to its end.
_STAYING_FAULTS = {
    FaultCode.DUPLICATE_CARD: Reason(
        ReasonCode.SAME_CARD_TWICE, "The machine read the same card twice; neither reading can be trusted."
    ),
    FaultCode.WRONG_POCKET: Reason(
        ReasonCode.OTHER_POCKET_SENSED, "The sensor of another pocket saw a card than the one it was sent to."
    ),
    FaultCode.DOUBLE_FEED: Reason(ReasonCode.DOUBLE_FEED, "Two cards left the hopper as one."),
    FaultCode.POCKET_SILENT: Reason(
        ReasonCode.POCKET_SILENT, "No pocket sensor saw a card that was sent to its pocket."
    ),
    FaultCode.BOARD_OUT: Reason(ReasonCode.BOARD_OUT, "The board left the machine while cards moved."),
}
_JAM = Reason(ReasonCode.JAM, "A card was jammed at the end, and the jam was not cleared.")
_RAN_OUT = frozenset({FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT})
_FILLED_UP = Reason(
    ReasonCode.FILLED_UP,
    "The pack ran out early and a card was put in; two cards may have left as one, which this machine cannot see.",
)
_SHORT = _RAN_OUT | {FaultCode.WRONG_BACK}
_CAME_SHORT, _CAME_OVER, _CAME_TWICE = "SHORT PACK AFTER", "LONG PACK AFTER", "CARD TWICE AFTER"
PACK_NOT_WHOLE: Final[dict[int, str]] = {**dict.fromkeys(_SHORT, _CAME_SHORT), FaultCode.DUPLICATE_CARD: _CAME_TWICE}
"""Faults that show at once that a pack is short, or that a card came twice, and the notice about the board before."""
_SETTLED_BY_THE_END = frozenset(
    {
        FaultCode.NO_FEED,
        FaultCode.HOPPER_EMPTY,
        FaultCode.JAM,
        FaultCode.FACE_UP,
        FaultCode.UNREADABLE,
        FaultCode.FOREIGN_CARD,
        FaultCode.COVER_OPEN,
        FaultCode.WRONG_BACK,
        FaultCode.PACK_SHORT,
    }
)


def judge(plan: Plan, evidence: Evidence) -> Judgement:
    """The verdict that the evidence allows on the board of `plan`. Raises ValueError when the plan has no deal."""
    if plan.deal is None:
        raise ValueError("a plan without a deal has no verdict")
    sight = Sight.of(evidence.identity)
    reasons = [
        *_machine_reasons(plan, sight),
        *_end_reasons(evidence),
        *_ledger_reasons(sight, evidence),
        *card_reasons(plan, sight, evidence),
        *event_reasons(plan, evidence),
        *_fault_reasons(sight, evidence),
        *_pack_end_reasons(plan, sight, evidence.end),
        *_restart_reasons(plan, sight, evidence),
    ]
    if evidence.end.state is not State.DONE and all(reason.code.best is Verdict.COUNTED for reason in reasons):
        reasons.append(Reason(ReasonCode.NOT_OVER, "The run did not come to its end."))
    return conclude(
        plan.board,
        _once(reasons),
        _counts(evidence),
        cannot_prove=_cannot_prove(plan, sight, evidence),
        open_pack_end=evidence.end.pack_end in (PackEnd.OPEN, PackEnd.UNKNOWN),
        simulated=sight.has(Feature.SIMULATED),
        pack_not_whole=_pack_not_whole(reasons, evidence),
    )


def _once(reasons: list[Reason]) -> list[Reason]:
    """Each code once, the worst first: what two sources say of the same thing is one reason."""
    first: dict[ReasonCode, Reason] = {}
    for reason in reasons:
        known = first.setdefault(reason.code, reason)
        if known is not reason:
            pockets = set(known.pockets) | set(reason.pockets) if known.pockets and reason.pockets else set()
            first[reason.code] = Reason(known.code, known.sentence, tuple(sorted(pockets)))
    return sorted(first.values(), key=lambda reason: -reason.code.best)


def _machine_reasons(plan: Plan, sight: Sight) -> Iterator[Reason]:
    if not sight.keeps_ledger:
        yield Reason(ReasonCode.NO_LEDGER, "This machine keeps no record of its own, so it can prove no board.")
    if sight.reads:
        return
    yield Reason(ReasonCode.NO_RECOGNITION, "This machine does not read the cards.")
    if not sight.senses_pockets:
        yield Reason(ReasonCode.NOTHING_WATCHED, "This machine neither reads the cards nor senses the pockets.")
    if plan.routing is not Routing.BY_ORDER:
        yield Reason(ReasonCode.OFF_PLAN, "The plan needs a machine that reads the cards.")


def _end_reasons(evidence: Evidence) -> Iterator[Reason]:
    end = evidence.end
    if end.state is State.MOVING:
        yield Reason(ReasonCode.NOT_OVER, "Cards are still moving.")
    elif UNKNOWN_COUNT in (end.index, end.doubt):
        yield Reason(ReasonCode.NOT_OVER, "The machine does not know how many cards lie in the pockets.")
    elif end.state is State.DONE:
        if end.index != PACK_SIZE or end.doubt:
            yield Reason(ReasonCode.DISAGREEMENT, "The machine calls the run done and does not count 52 proven cards.")
    elif end.state is State.PAUSED:
        # After a restart the machine's index may lag behind by the cards that were under way.
        lag = max(1, evidence.identity.in_flight) if _restarted(evidence) else 0
        if end.index + end.doubt + lag < PACK_SIZE:
            sentence = f"The run ended when {end.index} of {PACK_SIZE} cards were in the pockets."
            yield Reason(ReasonCode.UNFINISHED, sentence)
        elif not end.doubt:
            yield Reason(ReasonCode.NOT_OVER, "The run did not come to its end.")
    else:
        yield Reason(ReasonCode.NOT_OVER, "The machine does not know the end of this run.")
    if Sensor.READER_CARD in end.sensors:
        yield Reason(ReasonCode.CARD_IN_READER, "A card lies in the reader.")
    if Sensor.PATH_CARD in end.sensors:
        yield Reason(ReasonCode.CARD_IN_PATH, "A card lies in the path.")


def _ledger_reasons(sight: Sight, evidence: Evidence) -> Iterator[Reason]:
    records, end = evidence.records, evidence.end
    if records is None or not sight.keeps_ledger:
        if sight.keeps_ledger:
            yield Reason(ReasonCode.LEDGER_INCOMPLETE, "The machine's record of this run could not be read.")
        return
    known = UNKNOWN_COUNT not in (end.index, end.doubt)
    if len(records) != PACK_SIZE and (end.state is State.DONE or not known or end.index + end.doubt >= PACK_SIZE):
        sentence = f"The machine's record of this run has {len(records)} cards, not {PACK_SIZE}."
        yield Reason(ReasonCode.LEDGER_INCOMPLETE, sentence)
    dropped = sum(record.state is RecordState.DROPPED for record in records)
    if known and dropped != end.index:
        yield Reason(ReasonCode.DISAGREEMENT, "The machine's record and its count of cards do not agree.")
    if known and end.doubt > len(records) - dropped:
        yield Reason(ReasonCode.IN_DOUBT, _in_doubt_sentence(end.doubt))
    if known and end.pocket_counts is not None and list(end.pocket_counts) != _ledger_counts(evidence):
        yield Reason(ReasonCode.DISAGREEMENT, "The machine's record and its pocket counts do not agree.")


def _in_doubt_sentence(cards: int) -> str:
    return f"Nobody knows where {cards} {'card lies' if cards == 1 else 'cards lie'}."


def _fault_reasons(sight: Sight, evidence: Evidence) -> Iterator[Reason]:
    latched = evidence.end.fault
    if _RAN_OUT & set(evidence.faults) and not sight.has(Feature.THICKNESS):
        yield _FILLED_UP
    for fault in (latched, *evidence.faults):
        if isinstance(fault, Code):
            yield Reason(ReasonCode.FAULT_OPEN, f"The machine reported a fault that nobody knows here ({int(fault)}).")
        elif fault in _STAYING_FAULTS:
            yield _STAYING_FAULTS[fault]
        elif fault is not FaultCode.NONE and fault not in _SETTLED_BY_THE_END:
            yield Reason(ReasonCode.FAULT_OPEN, "The machine reported a fault of its own during the run.")
    if latched is FaultCode.JAM:
        yield _JAM
    elif latched is not FaultCode.NONE and latched not in _STAYING_FAULTS:
        yield Reason(ReasonCode.FAULT_OPEN, "A fault was open when the run ended.")


def _pack_end_reasons(plan: Plan, sight: Sight, end: RunEnd) -> Iterator[Reason]:
    """A proven end is always as good as announced; an open one must be announced, or beyond the machine's sight."""
    if end.state is not State.DONE or end.pack_end in (PackEnd.EMPTY, PackEnd.STOP_CARD):
        return
    if end.pack_end is PackEnd.UNKNOWN and sight.senses_hopper:
        yield Reason(ReasonCode.PACK_END, "The machine did not tell how the pack ended.")
    elif end.pack_end is PackEnd.OVER or (end.pack_end in (PackEnd.OPEN, PackEnd.BACK_CHANGE) and not plan.more_packs):
        yield Reason(ReasonCode.PACK_END, "Cards are left in the hopper, though no pack lies below.")
    elif isinstance(end.pack_end, Code):
        yield Reason(ReasonCode.PACK_END, "The machine told a pack end that nobody knows here.")


def _pack_not_whole(reasons: list[Reason], evidence: Evidence) -> str:
    """The notice by which the verdict on the board before, if its pack end is open, is withdrawn; "" for none."""
    faults = {evidence.end.fault, *evidence.faults}
    if faults & _SHORT:
        return _CAME_SHORT
    if evidence.end.pack_end is PackEnd.OVER:
        return _CAME_OVER
    if ReasonCode.SAME_CARD_TWICE in {reason.code for reason in reasons}:
        return _CAME_TWICE
    return ""


def _restarted(evidence: Evidence) -> bool:
    return evidence.restarted or RunFlag.RESTARTED in evidence.end.run_flags


def _restart_reasons(plan: Plan, sight: Sight, evidence: Evidence) -> Iterator[Reason]:
    """After a restart the last mark may be missing, so that only identities and a proven pack end tell the whole."""
    if not _restarted(evidence):
        return
    end = evidence.end
    pack_end_proven = isinstance(end.pack_end, PackEnd) and end.pack_end.proven
    if not (sight.reads and plan.routing is Routing.BY_IDENTITY):
        yield Reason(ReasonCode.RESTARTED, "The machine restarted, and by order a card's place is not proven again.")
    elif not pack_end_proven:
        yield Reason(
            ReasonCode.RESTARTED, "The machine restarted, and the pack was not seen to end with the last card."
        )
    elif evidence.was_in_doubt or end.doubt:
        yield Reason(ReasonCode.RESTARTED, "The machine restarted, and a card of this run had been in doubt.")


def _counts(evidence: Evidence) -> list[int | None]:
    """Cards proven in each pocket: by the ledger, else by the machine's counts, else nobody knows."""
    if evidence.records is not None:
        return [*_ledger_counts(evidence)]
    if evidence.end.pocket_counts is not None:
        return [*evidence.end.pocket_counts]
    return [None] * len(Seat)


def _ledger_counts(evidence: Evidence) -> list[int]:
    records = evidence.records or ()
    return [sum(record.state is RecordState.DROPPED and record.pocket == seat for record in records) for seat in Seat]


def _cannot_prove(plan: Plan, sight: Sight, evidence: Evidence) -> list[str]:
    sentences = [spot.sentence for spot in blind_spots(sight, more_packs=plan.more_packs)]
    if evidence.end.pack_end is PackEnd.OPEN:
        sentences.append("The end of this pack shows only when the next pack of the load ends as it should.")
    if not evidence.events_complete:
        sentences.append("Some reports of the machine were lost; its own record stands for them.")
    return sentences
