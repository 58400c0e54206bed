"""What the journal keeps of the cards of a run: of each its place, its proof, and whether it went where it should.

May import: `plan`, `store.entries` (the row), `protocol`. Read next: `dealing.py`, which writes them. Pure.
No row tells a card or a pocket (invariant I7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median_low
from typing import Final

from driver.plan import Plan
from driver.store.entries import CardEvidence
from protocol.cards import PACK_SIZE
from protocol.codes import RecordState, Routing
from protocol.fields import LedgerRecord
from protocol.messages import CardEvent

_STEPS_NEEDED: Final = 10
"""Fewer do not show what is usual."""


def card_rows(plan: Plan, records: Iterable[LedgerRecord] | None) -> tuple[CardEvidence, ...]:
    """A row for each ledger record of the run, in the order of the pack; none when the ledger could not be read."""
    return tuple(
        CardEvidence(index, int(record.state), int(record.proof), _as_planned(plan, index, record))
        for index, record in enumerate(tuple(records or ())[:PACK_SIZE])
    )


def usual_card_ms(cards: Mapping[int, CardEvent]) -> int | None:
    """The usual time from one card to the next, by the machine's clock; None when too few follow each other.

    Pauses between two cards do not count.
    """
    steps = [
        event.since_go_ms - cards[index - 1].since_go_ms
        for index, event in cards.items()
        if index - 1 in cards and event.since_go_ms > cards[index - 1].since_go_ms
    ]
    return median_low(steps) if len(steps) >= _STEPS_NEEDED else None


def _as_planned(plan: Plan, index: int, record: LedgerRecord) -> bool | None:
    if record.state is not RecordState.DROPPED:
        return None
    place = index if plan.routing is Routing.BY_ORDER else record.identity
    return plan.pockets[place] == record.pocket if place < PACK_SIZE else None
