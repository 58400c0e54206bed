"""What the scheduler asks a person: the words and choices of each of its questions, apart from when they are asked.

May import: `catalogue`, `findings`, `happenings`, `job_events`, `sentences`, `verdicts`. Pure. Read next:
`scheduler.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from driver.catalogue import Entry
from driver.findings import Choice
from driver.happenings import Item
from driver.job_events import NeedsOperator
from driver.sentences import ALL_OUT, EMPTY_ALL
from driver.verdicts import Judgement

START_CHOICES: Final = (Choice.GO, Choice.SKIP, Choice.STOP)
_KEPT: Final = "Leave the cards as they are, or count them in each pocket."
PAUSED: Final = "Paused, as you asked."


def name_of(item: Item | None) -> str:
    """ "7B", "7 red", or nothing where no board is known."""
    if item is None:
        return ""
    return f"{item.board}{item.copy}" if len(item.copy) < 2 else f"{item.board} {item.copy}"


def asked(
    item: Item | None, text: str, steps: tuple[str, ...], choices: tuple[Choice, ...], means: str = ""
) -> NeedsOperator:
    """A question about `item`."""
    board, copy = (0, "") if item is None else (item.board, item.copy)
    return NeedsOperator(board=board, copy=copy, text=text, steps=steps, choices=choices, means=means)


def start(item: Item | None, before: str = "", steps: tuple[str, ...] = (), *, means: str = "") -> NeedsOperator:
    """Whether the board may start; `before` says what happened, "" when nothing did."""
    name = name_of(item)
    return asked(
        item,
        before or f"Board {name} comes next.",
        steps or (f"Put the empty board {name} and a pack into the machine.",),
        START_CHOICES,
        means=means,
    )


def lies_there(item: Item, first: tuple[str, ...]) -> NeedsOperator:
    """Whether the board may start that was found in the slot, where the machine reads its number."""
    return start(item, f"Board {name_of(item)} lies in the machine.", (*first, "Put a pack in if there is none."))


def another(item: Item, take_out: tuple[str, ...], before: str = "") -> NeedsOperator:
    """Whether the next board may start; the one before has to come out first."""
    return start(item, before, (*take_out, f"Put the empty board {name_of(item)} and a pack in."))


def again(item: Item, before: str = "") -> NeedsOperator:
    """Whether the board may start that was ended before it was right, and may still lie in the machine."""
    name = name_of(item)
    steps = (*EMPTY_ALL[:-1], f"Leave the empty board {name} in, or put it in.")
    return start(item, before or f"Board {name} is to be dealt again.", steps)


def still_in(item: Item, left: Item) -> NeedsOperator:
    """Whether the next board may start: the one that was left before it still lies in the machine, not dealt."""
    name = name_of(left)
    return another(item, (ALL_OUT, f"Take board {name} out."), f"Board {name} still lies in the machine.")


def after_a_pause(item: Item, take_out: tuple[str, ...]) -> NeedsOperator:
    """The same after a pause that a person asked for."""
    return start(item, PAUSED, (*take_out, f"Put board {name_of(item)} in."))


def waiting(item: Item, take_out: tuple[str, ...]) -> NeedsOperator:
    """What a board that starts by itself waits for."""
    return asked(item, take_out[0], (*take_out[1:], f"Put the empty board {name_of(item)} in."), ())


def nothing_here(take_out: tuple[str, ...]) -> NeedsOperator:
    """Other machines have the last boards; one of them may come back."""
    text, *steps = take_out or ("No board waits for this machine.",)
    return asked(None, text, (*steps, "The other machine deals the last boards."), ())


def skipped(names: Sequence[str], take_out: tuple[str, ...]) -> NeedsOperator:
    """The boards that were left, at the end, as one list."""
    text = f"{'Board' if len(names) == 1 else 'Boards'} {', '.join(names)} {'was' if len(names) == 1 else 'were'} left."
    steps = (*take_out, "Put the first of them in when it is asked for.")
    return asked(None, text, steps, (Choice.DEAL_THEM, Choice.LEAVE_THEM))


def open_elsewhere(places: Sequence[tuple[str, str]], take_out: tuple[str, ...]) -> NeedsOperator:
    """The boards that are open at other machines, each with its machine: they are dealt here only when they are empty
    there."""
    boards = f"{'board' if len(places) == 1 else 'boards'} {', '.join(name for name, _ in places)}"
    found = " ".join(f"Cards of board {name} lie in another machine, {machine}." for name, machine in places)
    steps = (*take_out, f"To deal {boards} here, take all cards out there first: out of pockets, path and hopper.")
    question = asked(None, found, steps, (Choice.LEAVE_THEM, Choice.CONTINUE_EMPTIED))
    words = (f"leave {boards} open there, to go on on that machine", f"all cards are out there: deal {boards} here")
    return replace(question, words=words)


def not_proven(item: Item | None, judgement: Judgement, choices: tuple[Choice, ...], *, is_out: bool) -> NeedsOperator:
    """What to do with a board whose verdict is no proof."""
    name = name_of(item)
    reasons = " ".join(reason.sentence for reason in judgement.reasons)
    text = f"Board {name} is not proven. {reasons}"
    if Choice.KEEP in choices:
        return asked(item, f"{text} Dealing it again does not change that.", (_KEPT,), choices)
    fetch = (f"Fetch board {name} and put it into the machine.",) if is_out else ()
    return asked(item, text, (*fetch, *EMPTY_ALL), choices)


def paused(
    item: Item | None, found: Entry, choices: tuple[Choice, ...], *, because: str = "", is_fault: bool = False
) -> NeedsOperator:
    """What to do with a board whose run pauses; `because` says why it cannot go on."""
    why = f" This board cannot go on: {because}." if because else ""
    question = asked(item, f"{found.sentence}{why}", found.steps, choices, found.means)
    return replace(question, code=found.code, fault_class=found.fault_class.name) if is_fault else question
