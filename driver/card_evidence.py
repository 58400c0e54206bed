"""The checks card by card: each ledger record against the plan, and each CARD event against its record. Pure.

May import: `protocol`, and the values that `verification.py` judges by. Read next: `verification.py`.
Reasons tell numbers of cards and pockets, never a card (invariant I7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from driver.evidence import Evidence
from driver.plan import Plan
from driver.verdicts import Reason, ReasonCode
from driver.visibility import Sight
from protocol.cards import PACK, PACK_SIZE, Card, Seat, Unproven
from protocol.codes import Proof, RecordState, Routing
from protocol.fields import LedgerRecord
from protocol.messages import CardEvent

_TROUBLE: Final = {Unproven.FACE_UP: ReasonCode.FACE_UP, Unproven.FOREIGN: ReasonCode.FOREIGN_CARD}

# One card and several cards.
_SENTENCES: Final = {
    ReasonCode.WRONG_POCKET: (
        "{} card lies in another pocket than it should.",
        "{} cards lie in other pockets than they should.",
    ),
    ReasonCode.SAME_CARD_TWICE: (
        "{} card of the pack was read more than once; no reading of it can be trusted.",
        "{} cards of the pack were read more than once; no reading of them can be trusted.",
    ),
    ReasonCode.CARD_MISSING: ("{} card of the pack was not dealt.", "{} cards of the pack were not dealt."),
    ReasonCode.FACE_UP: ("{} card lies face up.", "{} cards lie face up."),
    ReasonCode.FOREIGN_CARD: ("{} card is none of the 52.", "{} cards are none of the 52."),
    ReasonCode.UNREAD: ("{} card was not read.", "{} cards were not read."),
    ReasonCode.WEAK_READING: ("{} card was not read with certainty.", "{} cards were not read with certainty."),
    ReasonCode.OFF_PLAN: ("{} card took another pocket than planned.", "{} cards took other pockets than planned."),
    ReasonCode.NOT_SEEN_LEAVING: (
        "{} card was not seen leaving the path.",
        "{} cards were not seen leaving the path.",
    ),
    ReasonCode.NOT_SENSED: (
        "{} card was not seen entering its pocket.",
        "{} cards were not seen entering their pockets.",
    ),
    ReasonCode.LAST_STEP_IN_DOUBT: (
        "{} card may not have reached its pocket.",
        "{} cards may not have reached their pockets.",
    ),
    ReasonCode.IN_DOUBT: ("Nobody knows where {} card lies.", "Nobody knows where {} cards lie."),
    ReasonCode.OTHER_POCKET_SENSED: (
        "{} card was seen entering another pocket than the machine's record says.",
        "{} cards were seen entering other pockets than the machine's record says.",
    ),
    ReasonCode.DISAGREEMENT: (
        "The machine's reports and its record do not agree on {} card.",
        "The machine's reports and its record do not agree on {} cards.",
    ),
}


class _Tally:
    """Cards and pockets for each reason, so that many cards make one sentence."""

    def __init__(self) -> None:
        self._cards: Counter[ReasonCode] = Counter()
        self._pockets: dict[ReasonCode, set[Seat]] = {}

    def note(self, code: ReasonCode, *pockets: int) -> None:
        """One card more; no pocket = all four."""
        self._cards[code] += 1
        self._pockets.setdefault(code, set()).update(Seat(pocket) for pocket in (pockets or Seat))

    def reasons(self) -> Iterator[Reason]:
        """One reason for each code."""
        for code, cards in self._cards.items():
            one, several = _SENTENCES[code]
            pockets = self._pockets[code]
            named = () if len(pockets) == len(Seat) else tuple(sorted(pockets))
            yield Reason(code, (one if cards == 1 else several).format(cards), named)


def card_reasons(plan: Plan, sight: Sight, evidence: Evidence) -> Iterator[Reason]:
    """What the ledger records say against the plan; nothing when there are none."""
    records = evidence.records if sight.keeps_ledger else None
    if records is None or plan.deal is None:
        return
    tally = _Tally()
    for index, record in enumerate(records[:PACK_SIZE]):
        if record.state is RecordState.DROPPED:
            for code, pockets in _dropped(plan, sight, index, record):
                tally.note(code, *pockets)
        elif _under_way_is_right(plan, sight, index, record):
            tally.note(ReasonCode.LAST_STEP_IN_DOUBT, record.pocket)
        elif record.state is not RecordState.FED or evidence.end.doubt:
            tally.note(ReasonCode.IN_DOUBT)
    if sight.reads:
        _note_pack(plan, records, tally)
    yield from tally.reasons()


def event_reasons(plan: Plan, evidence: Evidence) -> Iterator[Reason]:
    """Where CARD events and ledger disagree; without a ledger, where events of a plan by order disagree with it."""
    tally = _Tally()
    seen: dict[int, CardEvent] = {}
    records = evidence.records
    for event in evidence.card_events:
        if seen.setdefault(event.index, event) != event or event.index >= PACK_SIZE:
            tally.note(ReasonCode.DISAGREEMENT)
        elif records is None:
            if plan.routing is Routing.BY_ORDER and event.pocket != plan.pockets[event.index]:
                tally.note(ReasonCode.WRONG_POCKET, event.pocket & 3, plan.pockets[event.index])
        elif event.index >= len(records):
            tally.note(ReasonCode.DISAGREEMENT)
        else:
            _note_event(event, records[event.index], tally)
    if evidence.events_complete and records is not None:
        for index, record in enumerate(records[:PACK_SIZE]):
            if record.state is RecordState.DROPPED and index not in seen:
                tally.note(ReasonCode.DISAGREEMENT)
    yield from tally.reasons()


def _dropped(
    plan: Plan, sight: Sight, index: int, record: LedgerRecord
) -> Iterator[tuple[ReasonCode, tuple[int, ...]]]:
    """What speaks against one record that the machine calls DROPPED, and the pockets that each point concerns."""
    assert plan.deal is not None
    here = (record.pocket,)
    by_order = plan.routing is Routing.BY_ORDER
    if trouble := _TROUBLE.get(_unproven(record.identity)):
        yield trouble, here
    elif sight.reads:
        if record.identity >= PACK_SIZE or Proof.READ not in record.proof:
            yield ReasonCode.UNREAD, here
        elif record.confidence < sight.threshold:
            yield ReasonCode.WEAK_READING, here
    owner = plan.deal.owner(Card(record.identity)) if sight.reads and record.identity < PACK_SIZE else None
    if owner is not None and owner != record.pocket:
        yield ReasonCode.WRONG_POCKET, (record.pocket, owner)
    elif by_order and plan.pockets[index] != record.pocket:
        pockets = (record.pocket, plan.pockets[index])
        yield (ReasonCode.OFF_PLAN if sight.reads else ReasonCode.WRONG_POCKET), pockets
    if Proof.LEFT_PATH not in record.proof:
        yield ReasonCode.NOT_SEEN_LEAVING, here
    if sight.senses_pockets and Proof.SENSED not in record.proof:
        yield ReasonCode.NOT_SENSED, here


def _unproven(identity: int) -> Unproven:
    return Unproven(identity) if identity in tuple(Unproven) else Unproven.NONE


def _under_way_is_right(plan: Plan, sight: Sight, index: int, record: LedgerRecord) -> bool:
    """Whether only the last step of a card in doubt is in doubt: it left the hopper as itself, for its own pocket."""
    assert plan.deal is not None
    if record.state not in (RecordState.FED, RecordState.DOUBT) or Proof.LEFT_HOPPER not in record.proof:
        return False
    if plan.routing is Routing.BY_ORDER and plan.pockets[index] != record.pocket:
        return False
    if not sight.reads:
        return record.identity in (Unproven.NONE, Unproven.UNREADABLE) or record.identity < PACK_SIZE
    return (
        record.identity < PACK_SIZE
        and Proof.READ in record.proof
        and record.confidence >= sight.threshold
        and plan.deal.owner(Card(record.identity)) == record.pocket
    )


def _note_pack(plan: Plan, records: Iterable[LedgerRecord], tally: _Tally) -> None:
    """Cards read more than once and, when 52 were dealt and read, cards not read at all."""
    assert plan.deal is not None
    pockets: dict[int, list[int]] = {}
    unread = fed = 0
    for record in records:
        fed += 1
        if record.identity < PACK_SIZE:
            pockets.setdefault(record.identity, []).append(record.pocket)
        elif record.identity not in _TROUBLE:
            unread += 1
    for card in PACK:
        if len(pockets.get(card, ())) > 1:
            tally.note(ReasonCode.SAME_CARD_TWICE, *pockets[card])
    missing = [card for card in PACK if card not in pockets]
    if fed == PACK_SIZE and len(missing) > unread:
        for card in missing:
            tally.note(ReasonCode.CARD_MISSING, plan.deal.owner(card))


def _note_event(event: CardEvent, record: LedgerRecord, tally: _Tally) -> None:
    if record.state is not RecordState.DROPPED or event.proof != record.proof:
        tally.note(ReasonCode.DISAGREEMENT)
    elif event.pocket != record.pocket:
        sensed = Proof.SENSED in event.proof
        tally.note(
            ReasonCode.OTHER_POCKET_SENSED if sensed else ReasonCode.DISAGREEMENT, event.pocket & 3, record.pocket
        )
