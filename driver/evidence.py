"""What is known of a run when it is judged: what the machine is, its ledger, its events, and how it stood at the end.

May import: `protocol`. Read next: `verification.py`. No repr here shows a card or a pocket (invariant I7).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from protocol.codes import FaultCode, PackEnd, RunFlag, Sensor, State
from protocol.fields import Code, LedgerRecord
from protocol.messages import CardEvent, Identity, StatusReport

_NO_FLAG: Final = RunFlag(0)
_NOTHING_SENSED: Final = Sensor(0)


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run stood when its evidence was taken; the words are those of STATUS_REPORT.

    `fault` is the latched one; `pocket_counts` are cards proven in the pockets N E S W, None when not asked.
    """

    state: State | Code
    index: int
    doubt: int
    pack_end: PackEnd | Code
    run_flags: RunFlag = _NO_FLAG
    fault: FaultCode | Code = FaultCode.NONE
    sensors: Sensor = _NOTHING_SENSED
    pocket_counts: tuple[int, ...] | None = field(default=None, repr=False)

    @classmethod
    def from_status(cls, status: StatusReport) -> RunEnd:
        """As a STATUS_REPORT of the open run says."""
        return cls(
            status.state,
            status.index,
            status.doubt,
            status.pack_end,
            status.run_flags,
            status.fault,
            status.sensors,
            tuple(status.pocket_counts),
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """All evidence of one run.

    `records` is the ledger from index 0, None when it could not be read. `card_events` are those of this run in any
    order; `events_complete` is False when some were lost for good. `faults` are all that happened during the run,
    cleared or not. `restarted`: the machine restarted during the run. `was_in_doubt`: at some pause of the run a card
    was in doubt.
    """

    identity: Identity
    records: tuple[LedgerRecord, ...] | None
    card_events: tuple[CardEvent, ...]
    end: RunEnd
    faults: tuple[FaultCode | Code, ...] = ()
    restarted: bool = False
    was_in_doubt: bool = False
    events_complete: bool = True
