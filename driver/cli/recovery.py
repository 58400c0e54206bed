"""The first question after an interruption: what was being dealt, what the machine counts, what is certain, what next.

May import: `driver.under_way`, `driver.recovery`, `driver.machine`, `driver.journal`, `after_backup`, `choose`,
`law_questions` (choices), `questions`. Read next: `carry_on.py`, which goes on with it. It takes counts and states
alone: no deal file and no passphrase is needed for it, and nothing moves by an answer given here: where several
machines deal, each board that was interrupted is asked about, by its machine's name, before any of them begins. Where
nobody can be asked the job itself finds what is open. After a backup was put back, another question comes before it:
whether the board was finished since.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final, Generic

from driver import under_way
from driver.cli.after_backup import ask_whether_finished
from driver.cli.choose import Opened, by_name, kept_open
from driver.cli.failures import put
from driver.cli.law_questions import ask_choice
from driver.cli.questions import somebody_there
from driver.cli.text import with_steps
from driver.cli.which_set import data_of, open_store
from driver.clock import utc_now
from driver.findings import Choice, Situation, board_name
from driver.job_events import NeedsOperator
from driver.journal import is_dealing
from driver.machine import Machine
from driver.recorder import Recorder
from driver.recovery import Look, question_about
from driver.store.database import FILE_NAME
from driver.under_way import UnderWay
from driver.used_deals import day_text
from driver.verdicts import Verdict
from protocol.errors import DealingMachineError

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
        """Question and answer; None when the job has nothing to ask that was answered."""
        return None if self.question is None or self.choice is None else (self.question, self.choice)


Pairs = Mapping[str, tuple[NeedsOperator, Choice]]
"""Questions that jobs will begin with, and the answers, by the names of the machines."""
_CARRIES_ON: Final = Answered(Next.CARRY_ON)
_AS_TYPED: Final = Answered(Next.AS_TYPED)


@dataclass(frozen=True, slots=True)
class First(Generic[Opened]):
    """What came of the first questions. `opened` is what was opened to ask them, None when none was asked.

    `carried` is what is gone on with of what was under way, as far as the command that was typed is about it; `stops` =
    nothing more is to be done now.
    """

    opened: Opened | None
    carried: tuple[UnderWay, ...] = ()
    pairs: Pairs = field(default_factory=dict)
    stops: bool = False


def ask_first(
    args: Namespace,
    recorder: Recorder,
    stack: ExitStack,
    meant: Callable[[UnderWay], bool],
    opens: Callable[[Namespace, Recorder], Opened],
) -> First[Opened]:
    """Asks before anything else where the records call a board begun and not ended; else opens nothing.

    `meant` says whether the command is about what is under way; `opens` opens what is to be asked, and then does what
    was typed; `stack` closes it.
    """
    found = left_open(args)
    if not found:
        return First(None)
    # Which machine answers at the one address is not known before; where several are named, each may have one.
    told = found if len(args.machines) > 1 else found[:1]
    tell_under_way(told)
    opened = kept_open(opens(args, recorder), stack)
    if ask_whether_finished(opened.journal, opened.store, found):
        found = under_way.left_open(opened.store)
    return ask_each(opened, found, meant, told=told)


def ask_each(
    opened: Opened,
    found: Sequence[UnderWay],
    meant: Callable[[UnderWay], bool],
    *,
    told: Sequence[UnderWay],
) -> First[Opened]:
    """Asks at each machine about the board that was begun on it; "stop" at one is "stop" at all.

    `found` is what is under way, of which a person was `told` already. Raises OtherMachine.
    """
    machines, carried, pairs, known = by_name(opened), [], {}, [*told]
    of_machine = {under.machine: under for under in reversed(found)}
    for name, machine in machines.items():
        under = of_machine.pop(machine.info.serial, None)
        if under is not None and under not in known:
            tell_under_way([under], known)
            known.append(under)
        is_meant = under is not None and not under.over and meant(under)
        answered = _ask_at(f"{name}: " if name else "", machine, under, is_meant=is_meant)
        if answered.next is Next.STOP:
            return First(opened, stops=True)
        if answered.next is Next.CARRY_ON and under is not None and is_meant:
            carried.append(under)
        if answered.pair is not None:
            pairs[name] = answered.pair
    for under in told:
        if under.machine in of_machine and not under.record.closed:
            put(_is_elsewhere(under))
    return First(opened, tuple(carried), pairs)


def left_open(args: Namespace) -> tuple[UnderWay, ...]:
    """The boards that the records call begun and not ended; none where nobody can be asked."""
    if not somebody_there(as_json=args.json) or not (data_of(args) / FILE_NAME).exists():
        return ()
    with open_store(args) as store:
        return under_way.left_open(store)


def mention_left_open(args: Namespace) -> None:
    """A line about each board that was left open, for a command that deals nothing: it asks nothing, and has other
    cares than records that cannot be read, or that another window is writing."""
    if args.json or not (data_of(args) / FILE_NAME).exists():
        return
    with suppress(DealingMachineError, OSError), open_store(args) as store:
        found = () if is_dealing(store) else under_way.left_open(store)
        for under in found:
            put(f"{_was_dealt(under)} To go on: dealctl carry-on")


def tell_under_way(found: Sequence[UnderWay], known: Sequence[UnderWay] = ()) -> None:
    """What was being dealt, by the records alone; how far each job is, but not what was told with the `known` ones."""
    for under in found:
        put(_was_dealt(under))
    before = _progress(known)
    for progress in _progress(found):
        if progress not in before:
            put(f"Of what was to be dealt {progress}.")


def _progress(found: Sequence[UnderWay]) -> list[str]:
    boards = [under for under in found if not under.record.intention.is_check]
    return [*dict.fromkeys(under.progress for under in boards if under.progress)]


def _was_dealt(under: UnderWay) -> str:
    record, stored = under.record, under.stored
    of_set = "" if stored is None else f" of {stored.name}"
    begun = "" if record.begun is None else f", begun {day_text(record.begun, utc_now().astimezone())}"
    if record.intention.is_check:
        return f"A pack or board was being checked when the program ended{begun}."
    if record.closed:
        return f"The last one was {under.name}{of_set}{begun}."
    if record.verdict is not None:
        verdict = Verdict[record.verdict].words
        return f"{_capital(under.name)}{of_set} was dealt before the program ended{begun}: it is {verdict}."
    stood = "about to be" if record.begun is None else "being"
    return f"{_capital(under.name)}{of_set} was {stood} dealt when the program ended{begun}."


def _is_elsewhere(under: UnderWay) -> str:
    """What is so of a board that another machine has, which is not asked now."""
    record, name = under.record, "A check of a pack or board" if under.record.intention.is_check else under.name
    if record.verdict is not None:
        return f"{_capital(name)} was dealt on another machine, {under.machine}: nothing is left to do for it here."
    if record.begun is None:
        return f"{_capital(name)} was to be dealt on another machine, {under.machine}, which had not begun it."
    return f"{_capital(name)} was begun on another machine, {under.machine}, and stays as it is there."


def _ask_at(at: str, machine: Machine, under: UnderWay | None, *, is_meant: bool) -> Answered:
    """Looks at the machine, tells what is certain and what is not, and asks what is to be decided.

    `at` stands before each line; `under` is what the records call under way there, `is_meant`: the command that was
    typed may go on with it.
    """
    while True:
        seen = machine.look()
        if seen.finding.situation in SETTLED:
            machine.end_found(seen)
            _tell_settled(at, seen)
            return _CARRIES_ON if is_meant and seen.record is not None else _AS_TYPED
        answered = _asked(at, machine, seen, under, is_meant=is_meant)
        if answered is not None:
            return answered


def _asked(at: str, machine: Machine, seen: Look, under: UnderWay | None, *, is_meant: bool) -> Answered | None:
    """The answer about what is open; None to look once more."""
    found, record = seen.finding, seen.record
    is_check = record is not None and record.intention.is_check
    is_meant = is_meant and record is not None and not is_check
    named = record.intention if record is not None and is_meant else None
    question = question_about(seen, named)
    for line in (found.sentence, *found.certain, *found.doubts):
        put(f"{at}{line}")
    name = _name(seen)
    if found.situation is Situation.FINISHED and is_meant:
        # The verdict needs the deal; whether the board is out is asked after it, by the job.
        now = f"Find the verdict of {name} now: nothing moves, and the next board is asked for."
        if record is not None and record.verdict is not None:
            now = f"Decide what becomes of {name} now: nothing moves by that."
        texts = [
            (now, Choice.GO),
            (_STOP_FOR_TONIGHT, Choice.STOP),
        ]
        return Answered(Next.STOP) if ask_choice(texts, at) is Choice.STOP else _CARRIES_ON
    assert question is not None, "what is not settled is asked"
    ended_or_left = record is not None and Choice.CLEAR_AND_CLOSE in question.choices
    is_beside = ended_or_left and not is_meant and not is_check
    # Nobody is sent to carry-on with what it could not go on with either.
    goes_on = under is not None and not under.over
    if is_beside:
        if under is not None and under.over:
            put(f"{at}{under.over}")
        ways = "ended or gone on with" if goes_on else "ended"
        put(f"{at}{_capital(name)} has to be {ways} before anything else is dealt.")
    else:
        for line in with_steps(found.question if is_meant else "", question.steps):
            put(f"{at}{line}")
    texts = [(choice_text(one, name, found.k), one) for one in question.choices]
    if is_beside and goes_on:
        texts = [(_stop_and_carry_on(name) if one is Choice.STOP else text, one) for text, one in texts]
    if is_beside and under is not None and under.over:
        texts = [(_CLEARED_FOR_GOOD if one is Choice.CLEAR_AND_CLOSE else text, one) for text, one in texts]
    machine.note_asked(seen, question)
    choice = ask_choice(texts, at)
    match choice:
        case Choice.ASK_AGAIN:
            return None
        case Choice.STOP:
            machine.note_left(seen)
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
        case Choice.KEEP:
            return f"Keep {name} as it is, not proven: the next board is asked for."
        case Choice.SKIP:
            return f"Leave {name}: its cards are out, it is not dealt, and the next board is asked for."
        case Choice.CLEAR_AND_CLOSE:
            return f"All cards are out of pockets, path and hopper: {name} is ended, to be done again another time."
        case Choice.ASK_AGAIN:
            return "Ask the machine again: it is not stopped."
    return _STOP_FOR_TONIGHT


def _stop_and_carry_on(name: str) -> str:
    return f"Stop, to go on with {name}: nothing is lost. Type then: dealctl carry-on"


_CLEARED_FOR_GOOD: Final = "All cards are out of pockets, path and hopper: nothing more is to be done for it here."
_STOP_FOR_TONIGHT: Final = "Stop for tonight: nothing is lost, and this is asked again the next time."


def _tell_settled(at: str, seen: Look) -> None:
    if seen.record is None:
        return
    name = _capital(_name(seen))
    if seen.finding.situation is Situation.NOT_STARTED:
        put(f"{at}{name} was not started: no card of it was dealt.")
    else:
        put(f"{at}{name} has its verdict: nothing is left to do for it.")


def _name(seen: Look) -> str:
    if seen.record is not None and seen.record.intention.is_check:
        return "the check of a pack or board"
    return board_name(None if seen.record is None else seen.record.intention)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
