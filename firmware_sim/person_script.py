"""What the simulated operator is to do, as data: boards in order, packs, reaction time and slips.

May import: the standard library. Read next: `person.py`, who does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

REACTION: Final = 0.25
"""Seconds at speed 1 that each move of the hands takes: a board out, a pack in, a board in, a fault put right."""
PATIENCE: Final = 8.0
"""Seconds at speed 1 after which a board that is not dealt is looked at again, and a slip with it put right."""
HIGHEST_BOARD: Final = 65_535


@unique
class Packs(Enum):
    """How packs get into the hopper; the value is its name in texts."""

    ONE = "one"
    """One pack for each board, when the hopper is empty."""
    TWO = "two"
    """Two packs at once with alternate backs, and another below as soon as one is used up."""


@unique
class SlipKind(Enum):
    """What a person does wrong; the value is its name in texts."""

    SAME_BOARD = "same-board"
    """Takes the dealt board out and puts the same one in again."""
    WRONG_BOARD = "wrong-board"
    """Puts in a board of another box: its number is 20 higher."""
    FULL_BOARD = "full-board"
    """Puts in a board that still holds the cards of an earlier game."""
    TURNED_BOARD = "turned-board"
    """Puts the board in the wrong way round."""
    PULLED_EARLY = "pulled-early"
    """Pulls the board out when `card` cards of it are dealt."""
    JAM_TO_POCKET = "jam-to-pocket"
    """Takes the card in the path and puts it into a pocket."""
    JAM_FORGOTTEN = "jam-forgotten"
    """Takes the card in the path and leaves it on the table."""
    NOT_CLEARED = "not-cleared"
    """Presses START at a fault without having put anything right."""
    TWO_KEYS = "two-keys"
    """Presses START and STOP at once when `card` cards are dealt."""


WITH_CARD: Final = frozenset({SlipKind.PULLED_EARLY, SlipKind.TWO_KEYS})
"""Slips that happen while cards move, after `card` of them."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One slip, once: at the `turn`-th board of the script (from 1); some kinds need `card` (0 … 51) as well."""

    kind: SlipKind
    turn: int
    card: int = 0

    def __post_init__(self) -> None:
        if self.turn < 1:
            raise ValueError(f"A slip counts boards from 1, not from {self.turn}.")
        if not 0 <= self.card <= 51:
            raise ValueError(f"A slip happens at a card from 0 to 51, not {self.card}.")

    def describe(self) -> str:
        """`wrong-board@3` or `pulled-early@3:20`."""
        return f"{self.kind.value}@{self.turn}" + (f":{self.card}" if self.kind in WITH_CARD else "")

    @classmethod
    def parse(cls, text: str) -> Slip:
        """The inverse of `describe`. Raises ValueError with a sentence."""
        name, _, where = text.partition("@")
        turn, colon, card = where.partition(":")
        try:
            kind = SlipKind(name)
            numbers = int(turn), int(card) if colon else 0
        except ValueError as error:
            known = ", ".join(kind.value for kind in SlipKind)
            raise ValueError(f"A slip reads kind@turn or kind@turn:card, not {text!r}; kinds: {known}.") from error
        return cls(kind, *numbers)


@unique
class PackKind(Enum):
    """A pack that is not as it should be; the value is its name in texts."""

    SHORT = "short"
    """51 cards."""
    LONG = "long"
    """53 cards, one of them twice."""
    SWAPPED = "swapped"
    """One card has changed places with one of the next pack."""
    STOP_CARD = "stop-card"
    """A stop card lies below it."""


@dataclass(frozen=True, slots=True)
class OddPack:
    """The `nth` pack of the script (from 1) is of that kind."""

    kind: PackKind
    nth: int

    def __post_init__(self) -> None:
        if self.nth < 1:
            raise ValueError(f"Packs are counted from 1, not from {self.nth}.")

    def describe(self) -> str:
        """`short@2`."""
        return f"{self.kind.value}@{self.nth}"

    @classmethod
    def parse(cls, text: str) -> OddPack:
        """The inverse of `describe`. Raises ValueError with a sentence."""
        name, _, nth = text.partition("@")
        try:
            kind, number = PackKind(name), int(nth)
        except ValueError as error:
            known = ", ".join(kind.value for kind in PackKind)
            raise ValueError(f"An odd pack reads kind@number, not {text!r}; kinds: {known}.") from error
        return cls(kind, number)


@dataclass(frozen=True, slots=True)
class PersonScript:
    """A whole sitting of the operator: `boards` in order (a number that comes again is another physical board).

    `starts` = also presses START when the board is ready and when a fault is put right. Times in seconds at speed 1.
    """

    boards: tuple[int, ...]
    packs: Packs = Packs.ONE
    slips: tuple[Slip, ...] = ()
    odd_packs: tuple[OddPack, ...] = ()
    seed: int = 0
    starts: bool = False
    reaction: float = REACTION
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if self.reaction <= 0 or self.patience <= 0:
            raise ValueError("Times of a person are above 0.")
        for slip in self.slips:
            if slip.turn > len(self.boards):
                raise ValueError(f"The slip {slip.describe()} is for board {slip.turn} of {len(self.boards)}.")
            if slip.kind is SlipKind.SAME_BOARD and slip.turn == 1:
                raise ValueError("The first board cannot be the same board again.")

    def describe(self) -> str:
        """One line: `person seed=3 boards=1-36 packs=two slip=wrong-board@3`; `parse` reads it."""
        words = [f"person seed={self.seed} boards={boards_text(self.boards)} packs={self.packs.value}"]
        words += ["starts=yes"] if self.starts else []
        words += [f"reaction={self.reaction!r}"] if self.reaction != REACTION else []
        words += [f"patience={self.patience!r}"] if self.patience != PATIENCE else []
        words += [f"pack={odd.describe()}" for odd in self.odd_packs]
        words += [f"slip={slip.describe()}" for slip in self.slips]
        return " ".join(words)

    @classmethod
    def parse(cls, text: str) -> PersonScript:
        """The inverse of `describe`. Raises ValueError with a sentence."""
        told: dict[str, list[str]] = {}
        for word in text.removeprefix("person ").split():
            name, _, value = word.partition("=")
            if name not in _WORDS:
                raise ValueError(f"Nothing of a person is called {name!r}.")
            told.setdefault(name, []).append(value)
        return cls(
            parse_boards(told.get("boards", [""])[-1]),
            Packs(told.get("packs", [Packs.ONE.value])[-1]),
            tuple(map(Slip.parse, told.get("slip", []))),
            tuple(map(OddPack.parse, told.get("pack", []))),
            int(told.get("seed", ["0"])[-1]),
            "starts" in told,
            float(told.get("reaction", [str(REACTION)])[-1]),
            float(told.get("patience", [str(PATIENCE)])[-1]),
        )


_WORDS: Final = frozenset({"seed", "boards", "packs", "starts", "reaction", "patience", "pack", "slip"})


def parse_boards(text: str) -> tuple[int, ...]:
    """Board numbers of a text such as "1-36" or "1-3,7,1-3", in its order. Raises ValueError with a sentence."""
    boards: list[int] = []
    for part in text.split(","):
        first, dash, last = (word.strip() for word in part.partition("-"))
        try:
            low = int(first)
            high = int(last) if dash else low
        except ValueError as error:
            raise ValueError(f"Boards read like 1-36 or 1-3,7, not {text!r}.") from error
        if not 1 <= low <= high <= HIGHEST_BOARD:
            raise ValueError(f"Boards go upward from 1 to {HIGHEST_BOARD} at most, not {part.strip()!r}.")
        boards += range(low, high + 1)
    return tuple(boards)


def boards_text(boards: tuple[int, ...]) -> str:
    """The shortest text that `parse_boards` reads as `boards`; "" for none."""
    parts: list[list[int]] = []
    for number in boards:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
