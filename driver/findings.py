"""The situations that can be found after an interruption: what to tell the person, and what the person may choose.

May import: the standard library. Read next: `reconcile.py`, which finds the situation.
The conclusions and the order of the choices are PROTOCOL.md, "Restart, reconnect, and what is found afterwards".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final, Protocol


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
    SKIP = "leave this board"


@unique
class Situation(Enum):
    """What journal and machine show together; the value is the sentence for it."""

    NOTHING_OPEN = "Nothing is open."
    NOT_STARTED = "The board was not started."
    MOVING = "Cards are still moving."
    INTERRUPTED = "The board was interrupted."
    FINISHED = "The board is dealt, and its verdict is still to be found."
    JUDGED = "The board has its verdict."
    IN_DOUBT = "A card of the board is in doubt."
    CANNOT_GO_ON = "The board cannot go on."
    BOARD_MOVED = "The board was moved."
    OTHER_MACHINE = "This is another machine."
    UNKNOWN = "Nobody knows how far the board came."
    ENDED = "The run ended while nobody watched."
    FOREIGN_RUN = "The machine holds a board that somebody else began."


@dataclass(frozen=True, slots=True)
class Finding:
    """What is certain and what is not, in sentences, and at most three choices, safest first; the first is the default.

    `k` is the number of cards proven in the pockets, None when nobody knows. `question` and `choices` are empty when
    there is nothing to decide; `instruction` says what to do with the hands first, and is empty when nothing.
    `board_is_out` = the board is known to lie outside the machine.
    """

    situation: Situation
    certain: tuple[str, ...]
    uncertain: tuple[str, ...]
    k: int | None
    choices: tuple[Choice, ...]
    question: str
    instruction: str
    board_is_out: bool = False

    @property
    def text(self) -> str:
        """What was found, in sentences: the situation, what is certain, what is not."""
        return " ".join((self.situation.value, *self.certain, *self.uncertain))


class BoardNamed(Protocol):
    """Whatever names a board and its copy."""

    @property
    def board(self) -> int:
        """The board's number."""

    @property
    def copy(self) -> str:
        """The copy, "" for the only one."""


@dataclass(frozen=True, slots=True)
class _Text:
    choices: tuple[Choice, ...]
    question: str
    instruction: str = ""


_EMPTY_ALL: Final = "Take all cards out of the pockets, the path and the reader; put the pack together, 52 cards."
_CHECK: Final = "Look into hopper, path and pockets; take the cards out of path and pockets, put the pack together."

_DEAL_AGAIN: Final = (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)

# `{board}` is the board with its copy, `{k}` the number of cards in the pockets.
_TEXTS: Final = {
    Situation.NOTHING_OPEN: _Text((), ""),
    Situation.NOT_STARTED: _Text(
        (Choice.GO, Choice.STOP),
        "Deal {board} now?",
        "See that {board} lies empty in the machine, and the pack in the hopper.",
    ),
    Situation.MOVING: _Text((Choice.ASK_AGAIN, Choice.STOP), "Ask the machine again, or stop it?"),
    Situation.INTERRUPTED: _Text(
        (Choice.DEAL_AGAIN, Choice.GO_ON, Choice.STOP),
        "{board} was interrupted after {k} of 52 cards. Deal it again, go on with the next card, or stop?",
        "To deal again, empty the pockets and put the whole pack into the hopper.",
    ),
    Situation.FINISHED: _Text(
        (Choice.BOARD_STILL_IN, Choice.BOARD_IS_OUT, Choice.STOP),
        "Is {board} out of the machine?",
        "Look which board lies in the machine.",
    ),
    Situation.JUDGED: _Text((), ""),
    Situation.IN_DOUBT: _Text(_DEAL_AGAIN, "Deal {board} again?", _EMPTY_ALL),
    Situation.CANNOT_GO_ON: _Text(_DEAL_AGAIN, "Deal {board} again?", _EMPTY_ALL),
    Situation.BOARD_MOVED: _Text(_DEAL_AGAIN, "Deal {board} again?", "Put {board} into the machine. " + _EMPTY_ALL),
    Situation.OTHER_MACHINE: _Text((), "", "Connect the machine that {board} was begun on."),
    Situation.UNKNOWN: _Text(_DEAL_AGAIN, "Deal {board} again?", _CHECK),
    Situation.ENDED: _Text(_DEAL_AGAIN, "Deal {board} again?", _EMPTY_ALL),
    Situation.FOREIGN_RUN: _Text(
        (Choice.CLEAR_AND_CLOSE, Choice.STOP),
        "Are pockets, path and hopper cleared, so that it can be ended?",
        "Take all cards out of the pockets, the path and the hopper.",
    ),
}  # fmt: skip


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
    hands: str = "",
) -> Finding:
    """The finding of a situation with its texts and choices; `hands` goes in front of the instruction."""
    text = _TEXTS[situation]
    name = board_name(named)
    question, instruction = (
        _capital(part.format(board=name, k=k)) for part in (text.question, f"{hands} {text.instruction}".strip())
    )
    return Finding(situation, certain, uncertain, k, text.choices, question, instruction)


def finished(
    named: BoardNamed, *, certain: tuple[str, ...], uncertain: tuple[str, ...], k: int, board_is_out: bool | None
) -> Finding:
    """The finding of a board that is dealt to the end; a person is asked where it is when nothing senses it (None)."""
    found = finding(Situation.FINISHED, named, certain=certain, uncertain=uncertain, k=k)
    if board_is_out is None:
        return found
    return replace(found, choices=(), question="", instruction="", board_is_out=board_is_out)


def put_back_or_again(in_doubt: Finding, named: BoardNamed) -> Finding:
    """The finding of a doubt that a person can lift, by laying that one card back on top of the hopper."""
    return replace(
        in_doubt,
        choices=(Choice.DEAL_AGAIN, Choice.GO_ON, Choice.STOP),
        question=f"Deal {board_name(named)} again, or lay that card back on top of the hopper and go on?",
        instruction=f"To deal again: {_EMPTY_ALL}",
    )


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
