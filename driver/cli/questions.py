"""Questions to a person: before a job on one line, and during a job as choices that never hold the machine up.

May import: `driver.findings` (the choices), `refusals`, `text`. Read next: `console.py`.
In a terminal ask, with the safe answer on Enter alone; elsewhere refuse and name the option.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from driver.cli.refusals import NobodyToAsk
from driver.cli.text import clean
from driver.findings import Choice
from protocol.cards import HAND_SIZE, Seat

LONGEST_LINE: Final = 60
END_OF_INPUT: Final = "\x04"
SKIP_KEY: Final = "s"
_RUB_OUT: Final = "\x08\x7f"
_LABELS: Final = {
    Choice.GO: "start: board {board} and pack are in",
    Choice.GO_ON: "go on: board {board} is in",
    Choice.DEAL_AGAIN: "deal board {board} again, emptied",
    Choice.KEEP: "keep board {board} as it is, not proven",
    Choice.SKIP: f"{Choice.SKIP.value} for now ({SKIP_KEY})",
    Choice.SENSOR_OUT: "take the sensor as out of order, deal board {board} again, emptied",
}
"""Whatever makes cards move names the board: who chooses it confirms the number."""


def somebody_there(*, as_json: bool) -> bool:
    """Whether a person sits at a terminal and may be asked."""
    return not as_json and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def check_needs_somebody(what: str) -> NobodyToAsk:
    """The refusal of a check where nobody can say that `what` is so."""
    return NobodyToAsk(
        f"Nobody is here to say that {what}.",
        hint="Nothing moved. Run it in a terminal, or with --ready when all is in: then it asks nothing.",
    )


def ask_yes(question: str) -> bool:
    """A yes or no with "no" on Enter alone, and at the end of the input."""
    return ask_line(f"{question} [y/N] ").lower() in ("y", "yes")


def ask_line(question: str) -> str:
    """One line of text without blanks around it; "" at the end of the input."""
    try:
        return input(clean(question)).strip()
    except EOFError:
        print()
        return ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person chose; `name` and `counts` (N E S W) go with COUNT."""

    choice: Choice
    name: str = ""
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)


@unique
class _Asks(Enum):
    CHOICE = "choice"
    NAME = "name"
    COUNTS = "counts"


@dataclass(slots=True)
class Prompt:
    """The question of a job about `board`: `choices` with the safe one first.

    Keys go in with `press`, at last an answer comes out.

    No single key but Enter decides anything; Enter alone means the first choice, "s" leaves the board where that is
    offered. `words` are the words of the choices where they are not the usual ones. `misses` counts what was typed and
    is no answer; `remark` says what would be one.
    """

    choices: Sequence[Choice]
    board: str = ""
    words: Sequence[str] = ()
    misses: int = 0
    typed: str = ""
    remark: str = ""
    _asks: _Asks = _Asks.CHOICE
    _name: str = ""
    _last: str = field(default="", repr=False)

    @property
    def lines(self) -> list[str]:
        """The question as lines, without what is typed."""
        if self._asks is _Asks.NAME:
            lines = ["Who counts? Type the name, then Enter. (Enter alone: back)"]
        elif self._asks is _Asks.COUNTS:
            lines = ["How many cards are in North, East, South, West? For example: 13 13 13 13 (Enter alone: back)"]
        else:
            words = self.words or [label(choice, self.board) for choice in self.choices]
            lines = [
                f"{number}  {word}{'   (Enter)' if number == 1 else ''}" for number, word in enumerate(words, start=1)
            ]
        return [self.remark, *lines] if self.remark else lines

    def press(self, key: str) -> Answer | None:
        """One key; the answer when it completes one. The end of the input means STOP where that is a choice."""
        windows_pair, self._last = self._last + key == "\r\n", key
        if key in "\r\n":
            return None if windows_pair else self._enter()
        if key == END_OF_INPUT:
            return Answer(Choice.STOP if Choice.STOP in self.choices else self.choices[0])
        if key in _RUB_OUT:
            self.typed = self.typed[:-1]
        elif key.isprintable() and len(self.typed) < LONGEST_LINE:
            self.typed += key
        return None

    def _enter(self) -> Answer | None:
        typed, self.typed, self.remark = self.typed.strip(), "", ""
        if self._asks is _Asks.CHOICE:
            return self._choose(typed)
        if not typed:
            self._asks = _Asks.CHOICE
        elif self._asks is _Asks.NAME:
            self._name, self._asks = typed, _Asks.COUNTS
        else:
            return self._count(typed)
        return None

    def _choose(self, typed: str) -> Answer | None:
        words = {str(number): choice for number, choice in enumerate(self.choices, start=1)}
        if Choice.SKIP in self.choices:
            words[SKIP_KEY] = Choice.SKIP
        choice = self.choices[0] if not typed else words.get(typed.casefold())
        if choice is None:
            self._miss(f"Type a number from 1 to {len(self.choices)}, then Enter.")
        elif choice is Choice.COUNT:
            self._asks = _Asks.NAME
        else:
            return Answer(choice)
        return None

    def _count(self, typed: str) -> Answer | None:
        words = typed.replace(",", " ").split()
        if len(words) != len(Seat) or not all(word.isascii() and word.isdigit() and len(word) < 3 for word in words):
            self._miss(f"Four numbers are needed, {HAND_SIZE} {HAND_SIZE} {HAND_SIZE} {HAND_SIZE} if all is well.")
            return None
        north, east, south, west = (int(word) for word in words)
        return Answer(Choice.COUNT, self._name, (north, east, south, west))

    def _miss(self, remark: str) -> None:
        self.remark = remark
        self.misses += 1


def label(choice: Choice, board: str = "") -> str:
    """The words of a choice on a screen; `board` is the name of the board that it is about."""
    return " ".join(_LABELS.get(choice, choice.value).format(board=board).split())
