"""Hosts that are broken on purpose, each in one way; the suite must find every one of them.

Each is a part of the real driver that does one thing wrong.
May import: driver and protocol. Read next: `broken.py`; the wrong machines are in `tests/support/wrong_machines.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from driver.dealing import Dealing
from driver.evidence import Evidence
from driver.plan import Plan
from driver.verdicts import Reason, ReasonCode
from driver.visibility import Sight
from protocol.cards import HAND_SIZE, Seat
from protocol.codes import RecordState
from protocol.messages import Going, Refused


class RetriesUnderANewRun(Dealing):
    """Takes a lost answer for a refusal: it forgets its intent and begins anew, under another run id."""

    def begin(self, *what: Any, **how: Any) -> Going | Refused:
        self.run = None
        return super().begin(*what, **how)


def counts_alone(plan: Plan, sight: Sight, evidence: Evidence) -> Iterator[Reason]:
    """Trusts counts without identities: thirteen cards in each pocket are good enough, whichever they are."""
    del plan, sight
    dropped = [record for record in evidence.records or () if record.state is RecordState.DROPPED]
    counts = Counter(record.pocket for record in dropped)
    if any(counts[seat] != HAND_SIZE for seat in Seat):
        yield Reason(ReasonCode.CARD_MISSING, "A pocket does not hold thirteen cards.")
