"""The run under way as the host sees it: its plan, its place in the journal, and the evidence gathered so far.

May import: `evidence`, `happenings`, `plan`, `store.runs`, `verdicts`, `protocol`. Read next: `runner.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from driver.evidence import Evidence, RunEnd
from driver.happenings import Item
from driver.plan import Plan
from driver.store.runs import RunRecord
from driver.verdicts import Judgement
from protocol.codes import Confirmation, FaultCode, RunFlag
from protocol.constants import NOT_PUT_BACK
from protocol.fields import Code, LedgerRecord
from protocol.messages import Arm, CardEvent, Identity, StatusReport


def arm_for(
    record: RunRecord,
    plan: Plan,
    *,
    confirmed: Confirmation,
    last_event: int,
    first: int = 0,
    put_back: int = NOT_PUT_BACK,
) -> Arm:
    """The ARM of a run that is written in the journal, by its plan."""
    return Arm(
        run=record.run,
        plan_tag=record.plan_tag,
        board=plan.board,
        routing=plan.routing,
        on_anomaly=plan.on_anomaly,
        more_packs=plan.more_packs,
        confirmed=confirmed,
        put_back=put_back,
        first=first,
        last_event=last_event,
        destinations=plan.destinations(),
    )


@dataclass(slots=True)
class CurrentRun:
    """One run of `item` by `plan`; `cards` are its card events by index, and grow as they come.

    `found_in_pockets`: cards that already lay in the pockets N E S W when this program found the run.
    """

    record: RunRecord
    item: Item
    plan: Plan
    cards: dict[int, CardEvent] = field(default_factory=dict, repr=False)
    found_in_pockets: tuple[int, ...] = (0, 0, 0, 0)
    faults: list[FaultCode | Code] = field(default_factory=list)
    restarted: bool = False
    was_in_doubt: bool = False
    events_complete: bool = True
    judgement: Judgement | None = None

    @property
    def pocket_counts(self) -> tuple[int, int, int, int]:
        """Cards known to lie in the pockets N E S W."""
        counts = [*self.found_in_pockets]
        for card in self.cards.values():
            counts[card.pocket & 3] += 1
        north, east, south, west = counts
        return north, east, south, west

    def take_card(self, event: CardEvent) -> bool:
        """Keeps a card's event; False when this index is already known."""
        return self.cards.setdefault(event.index, event) is event

    def go_sent(self) -> None:
        """GO may have been sent."""
        self.record = replace(self.record, go_sent=True)

    def arm(self, *, first: int, confirmed: Confirmation, last_event: int, put_back: int = NOT_PUT_BACK) -> Arm:
        """The ARM that begins this run, or lets it go on at index `first`."""
        return arm_for(
            self.record, self.plan, first=first, confirmed=confirmed, last_event=last_event, put_back=put_back
        )

    def evidence(self, identity: Identity, records: tuple[LedgerRecord, ...] | None, status: StatusReport) -> Evidence:
        """All that is known of the run, for the verdict."""
        return Evidence(
            identity=identity,
            records=records,
            card_events=tuple(self.cards.values()),
            end=RunEnd.from_status(status),
            faults=tuple(self.faults),
            restarted=self.restarted or RunFlag.RESTARTED in status.run_flags,
            was_in_doubt=self.was_in_doubt,
            events_complete=self.events_complete,
        )
