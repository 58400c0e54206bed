"""The first question after an interruption: what was being dealt, what the machine counts, what is certain, what next.

May import: `driver.under_way`, `driver.recovery`, `driver.machine`, `law_questions` (choices), `questions`. Read next:
`carry_on.py`, which goes on with it. It takes counts and states alone: no deal file and no passphrase is needed for it,
and nothing moves by an answer given here. Where nobody can be asked the job itself finds what is open.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from driver import under_way
from driver.cli.choose import open_chosen
from driver.cli.failures import put
from driver.cli.law_questions import ask_choice
from driver.cli.questions import somebody_there
from driver.cli.text import with_steps
from driver.cli.which_set import data_of, open_store
from driver.clock import utc_now
from driver.findings import Choice, Situation
from driver.job_events import NeedsOperator
from driver.machine import Machine
from driver.recorder import Recorder
from driver.recovery import Look, question_about
from driver.store.database import FILE_NAME
from driver.under_way import UnderWay
from driver.used_deals import day_text

SETTLED: Final = (Situation.NOTHING_OPEN, Situation.NOT_STARTED, Situation.JUDGED)
"""Nothing is left to decide; what is still open is ended."""


@unique
class Next(Enum):
    """What comes after the first question."""

    STOP = "stop"
    CARRY_ON = "carry on"
    AS_TYPED = "as typed"


@dataclass(frozen=True, slots=True)
class Answered:
    """What a person answered; `question` is the job's own question of which `choice` is the answer, if it has one."""

    next: Next
    question: NeedsOperator | None = None
    choice: Choice | None = None

    @property
    def pair(self) -> tuple[NeedsOperator, Choice] | None:
        """Question and answer, for the console; None when the job has nothing to ask that was answered."""
        return None if self.question is None or self.choice is None else (self.question, self.choice)


CARRIES_ON: Final = Answered(Next.CARRY_ON)
_AS_TYPED: Final = Answered(Next.AS_TYPED)


@dataclass(frozen=True, slots=True)
class First:
    """What came of the first question: the machine, open since it was asked, and the answer; no machine: none was.

    `meant` is what is left of what was under way, as far as the command that was typed is about it.
    """

    machine: Machine | None
    meant: UnderWay | None
    answered: Answered

    @property
    def carries_on(self) -> bool:
        """Whether what was under way is gone on with."""
        return self.answered.next is Next.CARRY_ON and self.meant is not None


def ask_first(
    args: Namespace, recorder: Recorder, stack: ExitStack, meant: Callable[[UnderWay], UnderWay | None]
) -> First:
    """Asks before anything else where the records call a board begun and not ended; else opens nothing.

    `meant` says how far the command is about what is under way, None for not at all; `stack` closes the machine. Where
    several machines deal, each asks about its own when the job begins.
    """
    under = None if len(args.machines) > 1 else left_open(args)
    if under is None:
        return First(None, None, _AS_TYPED)
    tell_under_way(under)
    machine = stack.enter_context(open_chosen(args, recorder))
    found = meant(under)
    return First(machine, found, ask_what_was_found(machine, under, is_meant=found is not None))


def left_open(args: Namespace) -> UnderWay | None:
    """The board that the records call begun and not ended; None without one, and where nobody can be asked."""
    if not somebody_there(as_json=args.json) or not (data_of(args) / FILE_NAME).exists():
        return None
    with open_store(args) as store:
        return under_way.left_open(store)


def tell_under_way(under: UnderWay) -> None:
    """What was being dealt, by the records alone."""
    record, stored = under.record, under.stored
    of_set = "" if stored is None else f" of {stored.name}"
    begun = "" if record.begun is None else f", begun {day_text(record.begun, utc_now().astimezone())}"
    if record.intention.is_check:
        put(f"A pack or board was being checked when the program ended{begun}.")
        return
    if record.closed:
        put(f"The last one was {under.name}{of_set}{begun}.")
    else:
        stood = "about to be" if record.begun is None else "being"
        put(f"{_capital(under.name)}{of_set} was {stood} dealt when the program ended{begun}.")
    if progress := under.progress:
        put(f"Of what was to be dealt {progress}.")


def ask_what_was_found(machine: Machine, under: UnderWay | None, *, is_meant: bool) -> Answered:
    """Looks at the machine, tells what is certain and what is not, and asks what is to be decided.

    `is_meant`: the command that was typed may go on with that board. Raises OtherMachine.
    """
    while True:
        seen = machine.look()
        if seen.finding.situation in SETTLED:
            machine.end_found(seen)
            _tell_settled(seen, under)
            return CARRIES_ON if is_meant and seen.record is not None else _AS_TYPED
        answered = _asked(machine, seen, under, is_meant=is_meant)
        if answered is not None:
            return answered


def _asked(machine: Machine, seen: Look, under: UnderWay | None, *, is_meant: bool) -> Answered | None:
    """The answer about what is open; None to look once more."""
    found, record = seen.finding, seen.record
    is_meant = is_meant and record is not None and not record.intention.is_check
    named = record.intention if record is not None and is_meant else None
    question = question_about(seen, named)
    for line in (found.sentence, *found.certain):
        put(line)
    for line in found.uncertain:
        put(f"Not certain: {line[:1].lower()}{line[1:]}")
    name = "the board" if under is None else under.name
    if found.situation is Situation.FINISHED and is_meant:
        # The verdict needs the deal; whether the board is out is asked after it, by the job.
        texts = [
            (f"Find the verdict of {name} now: nothing moves, and the next board is asked for.", Choice.GO),
            (_STOP_FOR_TONIGHT, Choice.STOP),
        ]
        return Answered(Next.STOP) if ask_choice(texts) is Choice.STOP else CARRIES_ON
    assert question is not None, "what is not settled is asked"
    if not is_meant and record is not None and not record.intention.is_check:
        put(f"It is {name}, and not what was asked for now. To go on with it: stop, then dealctl carry-on")
    for line in with_steps(found.question if is_meant else "", question.steps):
        put(line)
    choice = ask_choice([(choice_text(one, name, found.k), one) for one in question.choices])
    match choice:
        case Choice.ASK_AGAIN:
            return None
        case Choice.STOP:
            if found.situation is Situation.MOVING:
                machine.stop()
            return Answered(Next.STOP)
        case Choice.CLEAR_AND_CLOSE:
            machine.end_found(seen)
            return _AS_TYPED
    return Answered(Next.CARRY_ON, question, choice)


def choice_text(choice: Choice, name: str, k: int | None) -> str:
    """A choice with what follows from it; `name` is the board's, and `k` so many of its cards are in the pockets.

    What makes cards move names the board that is to lie in the machine: choosing it confirms the number.
    """
    match choice:
        case Choice.DEAL_AGAIN:
            return f"Deal {name} again, the same hands: it lies emptied in the machine, and the whole pack is in."
        case Choice.GO_ON:
            return f"Go on with card {(k or 0) + 1}: {name} lies in the machine with its {k or 0} cards as they were."
        case Choice.SKIP:
            return f"Leave {name}: its cards are out, it is not dealt, and the next board is asked for."
        case Choice.CLEAR_AND_CLOSE:
            return f"All cards are out: {name} is ended, and has to be dealt again another time."
        case Choice.ASK_AGAIN:
            return "Ask the machine again: it is not stopped."
    return _STOP_FOR_TONIGHT


_STOP_FOR_TONIGHT: Final = "Stop for tonight: nothing is lost, and this is asked again the next time."


def _tell_settled(seen: Look, under: UnderWay | None) -> None:
    found, record = seen.finding, seen.record
    name = "The board" if record is None else _capital(under.name if under is not None else "the board")
    if found.situation is Situation.NOT_STARTED:
        put(f"{name} was not started: no card of it was dealt.")
    elif record is not None:
        put(f"{name} has its verdict: nothing is left to do for it.")
    elif under is not None and not under.record.closed:
        put(f"It was begun on another machine, {under.record.intention.serial}, and stays as it is there.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
