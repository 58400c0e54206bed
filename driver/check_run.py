"""A run that checks instead of dealing: a pack in rotation, or a dealt board back into its own pockets.

May import: `controls`, `current_run`, `journal`, `plan`, `sentences`, `errors`, `protocol`. Read next: `pack_check.py`.
Called for a person's command; it moves cards once and ends its run, as far as the machine can be reached.
"""

from __future__ import annotations

from typing import Final

from driver.controls import Controls
from driver.current_run import arm_for
from driver.errors import MachineFault, RequestRefused
from driver.journal import Journal
from driver.plan import Plan
from driver.sentences import fault_entry, refusal_entry
from driver.store.runs import Intention
from protocol.codes import Confirmation, FaultCode, Feature, State
from protocol.fields import LedgerRecord
from protocol.messages import Refused, RunEvent, StatusReport

_SAID: Final = Confirmation.BOARD_NUMBER | Confirmation.POCKETS_EMPTY | Confirmation.HOPPER_LOADED
_WAIT: Final = 0.5
"""Seconds of one wait for an event; the machine's own limits end the run."""
_PACK_ENDED: Final = (FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT)


def run_check(
    controls: Controls, journal: Journal, plan: Plan, *, emptied: bool = False
) -> tuple[tuple[LedgerRecord, ...], StatusReport]:
    """Runs `plan` once; the ledger's records, and the status at the end. A pack that ends early is a result.

    `emptied` = a person emptied the pockets of the board that lies in the machine since the last run.
    Raises RequestRefused when the machine does not start, MachineFault when it stops with a fault; an interruption of
    the program (Ctrl-C) stops the motors first.
    """
    status = controls.status()
    told = Intention(
        board=plan.board,
        copy="check",
        serial=controls.ack.serial,
        boot_id=controls.ack.boot_id,
        odometer=status.odometer,
        board_edges=status.board_edges,
        deal_set="",
        deal_board=plan.board,
        simulated=Feature.SIMULATED in controls.identity.features,
        is_check=True,
    )
    record = journal.intend(told, journal.plan_tag(plan.board, plan.routing, plan.destinations()))
    while controls.events_waiting:
        controls.next_event(0)
    confirmed = _SAID | Confirmation.SAME_BOARD_EMPTIED if emptied else _SAID
    arm = arm_for(record, plan, confirmed=confirmed, last_event=controls.last_event)

    def before_go() -> bool:
        journal.note_go(record.run)
        return True

    answer = controls.begin(arm, before_go)
    if isinstance(answer, Refused):
        journal.note_closed(record.run)
        found = refusal_entry(answer)
        raise RequestRefused(
            found.sentence, reason=answer.reason, why=answer.why, detail=answer.detail, hint=found.hint
        )
    try:
        _wait_for_end(controls, record.run)
    except KeyboardInterrupt:
        controls.stop()
        controls.close_run(record.run)
        journal.note_closed(record.run)
        raise
    status = controls.status()
    records = controls.ledger_or_refusal(record.run)
    controls.close_run(record.run)
    journal.note_closed(record.run)
    if isinstance(records, Refused) or (status.state != State.DONE and status.fault not in _PACK_ENDED):
        fault = fault_entry(status.fault)
        raise MachineFault(fault.sentence, fault=status.fault, hint=fault.hands)
    return records, status


def _wait_for_end(controls: Controls, run: int) -> None:
    while True:
        numbered = controls.next_event(_WAIT)
        event = getattr(numbered, "event", None)
        if isinstance(event, RunEvent) and event.run == run and event.state != State.MOVING:
            return
        if numbered is None and controls.status().state != State.MOVING:
            return
