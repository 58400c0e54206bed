"""Looks at a machine after an interruption: gathers what `reconcile.py` needs from journal and machine.

May import: `controls`, `dealing`, `journal`, `reconcile`, `findings`, `scheduler`, `sentences`, `errors`, `work`,
`protocol`. Read next: `reconcile.py`, which concludes; `scheduler.py`, which asks; `runner.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from driver.controls import Controls
from driver.dealing import Dealing
from driver.errors import CannotGoOn, OtherMachine
from driver.findings import BoardNamed, Choice, Finding, Situation, board_name
from driver.happenings import Command, Done, Found
from driver.job_events import NeedsOperator
from driver.journal import Journal
from driver.reconcile import EndState, Intent, reconcile
from driver.reconcile import Found as Facts
from driver.scheduler import Scheduler
from driver.sentences import pause_entry
from driver.store.runs import RunRecord
from driver.verdicts import Verdict
from driver.work import Work
from protocol.codes import Refusal, State
from protocol.messages import Closed, Refused, StatusReport

SETTLE: Final = 0.25
"""Seconds between two looks at a machine whose card is still under way."""
DEALT: Final = (Situation.FINISHED, Situation.NOT_GOOD)
"""The whole board was dealt; its cards may lie in it."""
STILL_MOVES: Final = 3
"""After so many times the limit for one card a machine that still moves cards is told to a person."""

_CARRY_ON: Final = {
    Situation.FINISHED: "Stop, then find its verdict: dealctl carry-on",
    Situation.NOT_GOOD: "Stop, then decide what becomes of it: dealctl carry-on",
}


@dataclass(frozen=True, slots=True)
class Look:
    """What was found: the journal's run (None = none open), the machine's facts, and the conclusion."""

    record: RunRecord | None
    status: StatusReport
    finding: Finding


def look_at_rest(controls: Controls, journal: Journal) -> Look:
    """As `look`, once no card is under way any more; the machine's own limit should see to that."""
    clock = controls.clock
    until = clock.monotonic() + STILL_MOVES * controls.identity.card_limit_ms / 1000
    while controls.status().state == State.MOVING and clock.monotonic() < until:
        clock.wait(SETTLE)
    return look(controls, journal)


def look(controls: Controls, journal: Journal, *, cards_seen: bool = False) -> Look:
    """Asks the machine and concludes. Moves nothing. Raises OtherMachine for a run that was begun on another one.

    `cards_seen`: this program saw cards of the open run fall.
    """
    status = controls.status()
    record = journal.open_run(controls.ack.serial)
    if record is None and status.run:
        record = journal.record(status.run)
    kept = record is not None and journal.jobs.is_dealt(record.run)
    intent = _intent(record, cards_seen=cards_seen, kept=kept)
    seen = Look(record, status, reconcile(intent, _facts(controls, record, status)))
    if seen.finding.situation is Situation.OTHER_MACHINE:
        raise OtherMachine(seen.finding.text, hint=seen.finding.instruction)
    return seen


def question_about(seen: Look, item: BoardNamed | None) -> NeedsOperator | None:
    """What to ask a person about what was found of `item`; None when there is nothing to decide.

    A board that is not in this job (None) can only be cleared away, or left for a job that has it.
    """
    found, status = seen.finding, seen.status
    if seen.record is not None and item is None and found.situation not in (Situation.MOVING, Situation.FOREIGN_RUN):
        return _question_beside_the_job(seen, seen.record)
    if not found.choices:
        return None
    text, steps = f"{found.text} {found.question}", found.steps
    if found.situation is Situation.FINISHED:
        text = f"{board_name(item)} was dealt to the end before this program began. {found.question}"
        text = text[:1].upper() + text[1:]
    elif found.situation is Situation.INTERRUPTED:  # its question says how far the board came
        text = " ".join((*found.doubts, found.question))
    if status.state == State.PAUSED and item is not None:
        goes_on = Choice.GO_ON in found.choices
        pause = pause_entry(status, goes_on=goes_on)
        text = f"{pause.sentence} {text}"
        steps = (*steps, f"To go on: {pause.hands}") if goes_on else steps
    board, copy = (0, "") if item is None else (item.board, item.copy)
    code = status.fault.name if status.fault else ""
    return NeedsOperator(board=board, copy=copy, text=text, steps=steps, choices=found.choices, code=code)


def _question_beside_the_job(seen: Look, record: RunRecord) -> NeedsOperator | None:
    found, is_check = seen.finding, record.intention.is_check
    name = "the check of a pack or board" if is_check else board_name(record.intention)
    if found.situation in (Situation.NOTHING_OPEN, Situation.NOT_STARTED, Situation.JUDGED):
        return None
    text = f"{found.text} It is {name}, which is not in this job."
    cleared = f"all cards are out: {name} is ended, to be done again another time"
    if found.situation in DEALT and not is_check:
        return NeedsOperator(
            text=text,
            steps=(_CARRY_ON[found.situation],),
            choices=(Choice.STOP, Choice.CLEAR_AND_CLOSE),
            words=(Choice.STOP.value, cleared),
        )
    return NeedsOperator(
        text=text,
        steps=("Take all cards out of the pockets, the path and the hopper.",),
        choices=(Choice.CLEAR_AND_CLOSE, Choice.STOP),
        words=(cleared, Choice.STOP.value if is_check else f"{Choice.STOP.value}; to go on with it: dealctl carry-on"),
    )


def note_asked(journal: Journal, seen: Look, question: NeedsOperator | None) -> None:
    """Before that question is shown: where it tells a person to empty a finished board, nobody takes it for full then,
    also when the program dies before the answer."""
    empties = question is not None and Choice.CLEAR_AND_CLOSE in question.choices
    if seen.record is not None and empties and seen.finding.situation in DEALT:
        journal.note_emptying(seen.record.run, asked=True)


def note_left(journal: Journal, seen: Look) -> None:
    """A person has answered to leave what was found as it is: the cards of a finished board still lie in it."""
    if seen.record is not None and seen.finding.situation in DEALT:
        journal.note_emptying(seen.record.run, asked=False)


def end_found(controls: Controls, journal: Journal, seen: Look) -> None:
    """Ends what was found, in the machine and in the journal: it was settled, or a person cleared the cards away.

    Raises CannotGoOn when the machine does not end it.
    """
    if seen.status.run:
        answer = controls.close_run(seen.status.run)
        if not isinstance(answer, Closed) and answer.reason not in (Refusal.RUN_KNOWN, Refusal.GONE):
            raise CannotGoOn("The machine does not end the board that was found in it.", details=repr(answer))
    if seen.record is not None and not seen.record.closed:
        journal.note_closed(seen.record.run)


def recover(
    controls: Controls, work: Work, dealing: Dealing, scheduler: Scheduler
) -> tuple[Look | None, list[Command]]:
    """What a job begins with: what is settled is ended, and a person is asked where there is a choice.

    The first is what was found as long as it is not ended; the second what is to be done now.
    """
    seen = look_at_rest(controls, dealing.journal)
    record, situation = seen.record, seen.finding.situation
    settled = situation in (Situation.NOTHING_OPEN, Situation.NOT_STARTED, Situation.JUDGED)
    item = None
    if record is not None:
        machine = controls.ack.serial
        item = dealing.item_of(record, work.may_be_of(record.run, machine))
        if item is not None:
            done = [one for one in work.items() if dealing.is_done(one)]
            work.resume(item, machine, record.run, begun=not settled, done=done)
            scheduler.item = item
    question = question_about(seen, item)
    if settled:
        end_found(controls, dealing.journal, seen)
        return None, scheduler.begin(seen.status.board_number or None) if question is None else scheduler.on(
            Found(question, seen.status)
        )
    if record is not None and item is not None and seen.status.run == record.run:
        dealing.adopt(record, item, seen.status)
        if situation is Situation.FINISHED:
            return None, scheduler.on(Done(question, seen.finding.board_is_out))
    assert question is not None, "what is not settled is asked"
    note_asked(dealing.journal, seen, question)
    return seen, scheduler.on(Found(question, seen.status))


def _intent(record: RunRecord | None, *, cards_seen: bool, kept: bool) -> Intent | None:
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
        cards_seen=cards_seen,
        may_be_emptied=record.may_be_emptied,
        kept=kept,
    )


def _facts(controls: Controls, record: RunRecord | None, status: StatusReport) -> Facts:
    run_end, ledger = None, None
    if record is not None:
        answer = controls.ledger_or_refusal(record.run)
        if not isinstance(answer, Refused):
            ledger = answer
        elif answer.reason == Refusal.RUN_KNOWN:
            run_end = EndState.from_refusal(answer)
    ack = controls.ack
    return Facts(ack.serial, ack.boot_id, ack.memory_lost, status, run_end, ledger, controls.identity)
