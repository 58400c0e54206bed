"""The situations that can be found after an interruption: what to tell the person, and what the person may choose.

May import: `catalogue` and the standard library. Read next: `reconcile.py`, which finds the situation.
The conclusions and the order of the choices are PROTOCOL.md, "Restart, reconnect, and what is found afterwards".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final, Protocol

from driver.catalogue import Entry, Kind, entry


@unique
class Choice(Enum):
    """What a person can choose; the value is the word for it. None of them moves a card by itself."""

    GO = "start"
    DEAL_AGAIN = "deal again"
    GO_ON = "go on"
    STOP = "stop"
    CLEAR_AND_CLOSE = "all cards are out, close"
    BOARD_STILL_IN = "no, still in"
    BOARD_IS_OUT = "yes, it is out"
    ASK_AGAIN = "ask again"
    COUNT = "count by hand"
    SENSOR_OUT = "take the sensor as out of order, deal again"
    SKIP = "leave this board"
    KEEP = "keep it as it is, not proven"
    DEAL_THEM = "deal them now"
    LEAVE_THEM = "leave them"
    WAIT = "wait"
    CONTINUE = "continue"
    CONTINUE_EMPTIED = "continue, its cards are out"


@unique
class Situation(Enum):
    """What journal and machine show together; the catalogue has the texts of each by its name."""

    NOTHING_OPEN = "nothing open"
    NOT_STARTED = "not started"
    MOVING = "moving"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"
    JUDGED = "judged"
    NOT_GOOD = "judged, and not good"
    IN_DOUBT = "in doubt"
    CANNOT_GO_ON = "cannot go on"
    BOARD_MOVED = "board moved"
    OTHER_MACHINE = "other machine"
    UNKNOWN = "unknown"
    ENDED = "ended"
    FOREIGN_RUN = "foreign run"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is certain and what is not, in sentences, and at most three choices, safest first; the first is the default.

    `k` is the number of cards proven in the pockets, None when nobody knows. `question` and `choices` are empty when
    there is nothing to decide; `steps` say what to do with the hands first.
    `board_is_out` = the board is known to lie outside the machine.
    """

    situation: Situation
    sentence: str
    certain: tuple[str, ...]
    uncertain: tuple[str, ...]
    k: int | None
    choices: tuple[Choice, ...]
    question: str
    steps: tuple[str, ...]
    board_is_out: bool = False

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is not certain, each as a sentence that says so."""
        return tuple(f"Not certain: {doubt[:1].lower()}{doubt[1:]}" for doubt in self.uncertain)

    @property
    def text(self) -> str:
        """What was found, in sentences: the situation, what is certain, what is not."""
        return " ".join((self.sentence, *self.certain, *self.doubts))

    @property
    def instruction(self) -> str:
        """The steps as one text."""
        return " ".join(self.steps)


class BoardNamed(Protocol):
    """Whatever names a board and its copy."""

    @property
    def board(self) -> int:
        """The board's number."""

    @property
    def copy(self) -> str:
        """The copy, "" for the only one."""


MAY_BE_PUT_BACK: Final = f"{Situation.IN_DOUBT.name}, MAY BE PUT BACK"
"""The entry of a doubt that a person can lift."""
MAY_BE_KEPT: Final = f"{Situation.NOT_GOOD.name}, MAY BE KEPT"
"""The entry of a board that is not proven, on a machine that can prove none."""
FINISHED_NOT_GOOD: Final = f"{Situation.FINISHED.name}, NOT GOOD"
"""The entry of a finished board that was judged, and of which nobody decided yet what becomes of it."""


def choices_of(found: Entry) -> tuple[Choice, ...]:
    """What may be chosen by that entry, safest first."""
    return tuple(Choice(word) for word in found.next)


def board_name(named: BoardNamed | None) -> str:
    """ "board 7", "board 7, copy A", or "the board"."""
    if named is None:
        return "the board"
    return f"board {named.board}, copy {named.copy}" if named.copy else f"board {named.board}"


def finding(
    situation: Situation,
    named: BoardNamed | None,
    *,
    certain: tuple[str, ...] = (),
    uncertain: tuple[str, ...] = (),
    k: int | None = None,
    first: tuple[str, ...] = (),
) -> Finding:
    """The finding of a situation with its texts and choices; `first` are steps that go in front."""
    found = _filled(situation.name, named, k)
    return Finding(
        situation, found.sentence, certain, uncertain, k, choices_of(found), found.question, (*first, *found.steps)
    )


def finished(
    named: BoardNamed,
    *,
    certain: tuple[str, ...],
    uncertain: tuple[str, ...],
    k: int,
    board_is_out: bool | None,
    is_judged: bool = False,
) -> Finding:
    """The finding of a board that is dealt to the end; a person is asked where it is when nothing senses it (None).

    `is_judged` = it has a verdict, which is no proof.
    """
    found = finding(Situation.FINISHED, named, certain=certain, uncertain=uncertain, k=k)
    if is_judged:
        found = replace(found, sentence=_filled(FINISHED_NOT_GOOD, named, k).sentence)
    if board_is_out is None:
        return found
    return replace(found, choices=(), question="", steps=(), board_is_out=board_is_out)


def put_back_or_again(in_doubt: Finding, named: BoardNamed) -> Finding:
    """The finding of a doubt that a person can lift, by laying that one card back on top of the hopper."""
    found = _filled(MAY_BE_PUT_BACK, named, in_doubt.k)
    return replace(in_doubt, choices=choices_of(found), question=found.question, steps=found.steps)


def keep_or_again(not_good: Finding, named: BoardNamed) -> Finding:
    """The finding of a board that is not proven, and that would not be if it were dealt again."""
    found = _filled(MAY_BE_KEPT, named, not_good.k)
    return replace(not_good, choices=choices_of(found), question=found.question, steps=found.steps)


def _filled(code: str, named: BoardNamed | None, k: int | None) -> Entry:
    found = entry(Kind.FOUND, code).filled(board=board_name(named), k=k)
    return replace(found, question=_capital(found.question), steps=tuple(_capital(step) for step in found.steps))


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
