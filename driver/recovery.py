"""Looks at a machine after an interruption: gathers what `reconcile.py` needs from journal and machine.

May import: `controls`, `journal`, `reconcile`, `findings`, `protocol`. Read next: `reconcile.py`, `runner.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from driver.controls import Controls
from driver.findings import Choice, Finding, Situation, board_name
from driver.job_events import NeedsOperator
from driver.journal import Journal, RunRecord
from driver.reconcile import EndState, Found, Intent, reconcile
from driver.verdicts import Verdict
from protocol.codes import Refusal, State
from protocol.messages import Refused, StatusReport

SETTLE: Final = 0.25
"""Seconds between two looks at a machine whose card is still under way; its own limits end that."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was found: the journal's run (None = none open), the machine's facts, and the conclusion."""

    record: RunRecord | None
    status: StatusReport
    finding: Finding


def look_at_rest(controls: Controls, journal: Journal) -> Look:
    """As `look`, once no card is under way any more; the machine's own limits see to that."""
    while controls.status().state == State.MOVING:
        controls.clock.wait(SETTLE)
    return look(controls, journal)


def look(controls: Controls, journal: Journal) -> Look:
    """Asks the machine and concludes. Moves nothing."""
    status = controls.status()
    record = journal.open_run(controls.ack.serial)
    if record is None and status.run:
        record = journal.record(status.run)
    return Look(record, status, reconcile(_intent(record), _found(controls, record, status)))


def question_about(seen: Look, *, in_this_job: bool) -> NeedsOperator:
    """What to ask a person about what was found; a board that is not in this job can only be cleared away."""
    found, record = seen.finding, seen.record
    if in_this_job or record is None:
        text = f"{found.text} {found.question}"
        return NeedsOperator(text=text, hands=found.instruction, choices=found.choices)
    name = board_name(record.intention)
    text = f"{found.text} It is {name}, which is not in this job."
    hands = f"Deal {name} again another time. Now take all cards out of the pockets, the path and the hopper."
    return NeedsOperator(text=text, hands=hands, choices=(Choice.CLEAR_AND_CLOSE, Choice.STOP))


def end_found(controls: Controls, journal: Journal, seen: Look) -> None:
    """Ends what was found, in the machine and in the journal: it was settled, or a person cleared the cards away."""
    if seen.status.run:
        controls.close_run(seen.status.run)
    if seen.record is not None and not seen.record.closed:
        journal.note_closed(seen.record.run)


def is_settled(look_found: Look) -> bool:
    """Whether there is nothing to decide: no run is open, or it never started, or its verdict is written."""
    return look_found.finding.situation in (Situation.NOTHING_OPEN, Situation.NOT_STARTED, Situation.JUDGED)


def _intent(record: RunRecord | None) -> Intent | None:
    if record is None:
        return None
    told = record.intention
    return Intent(
        run=record.run,
        plan_tag=record.plan_tag,
        board=told.board,
        copy=told.copy,
        machine_serial=told.serial,
        boot_id=told.boot_id,
        odometer=told.odometer,
        board_edges=told.board_edges,
        go_sent=record.go_sent,
        verdict=None if record.verdict is None else Verdict[record.verdict],
        closed=record.closed,
    )


def _found(controls: Controls, record: RunRecord | None, status: StatusReport) -> Found:
    run_end, ledger = None, None
    if record is not None:
        answer = controls.ledger_or_refusal(record.run)
        if not isinstance(answer, Refused):
            ledger = answer
        elif answer.reason == Refusal.RUN_KNOWN:
            run_end = EndState.from_refusal(answer)
    ack = controls.ack
    return Found(ack.serial, ack.boot_id, ack.memory_lost, status, run_end, ledger, controls.identity)
