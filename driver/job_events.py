"""What a job tells its caller while it runs: typed, in order, and never a hand (invariant I7).

May import: `findings`, `verdicts` and the standard library. Read next: `scheduler.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from driver.findings import Choice
from driver.verdicts import Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """Root of what a job tells; `board` and `copy` are 0 and "" when it concerns no board.

    `machine` is the name of the machine where several deal, else "".
    """

    board: int = 0
    copy: str = ""
    machine: str = ""

    @property
    def needs_operator(self) -> bool:
        """Whether the job waits for a person now."""
        return False

    @property
    def instruction(self) -> str:
        """What to do with the hands; empty when nothing."""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardStarted(JobEvent):
    """Cards of this board begin to move, or go on at `index`."""

    dealer: str
    vulnerability: str
    index: int = 0

    def __str__(self) -> str:
        return f"board {self.board} dealer {self.dealer} vulnerable {self.vulnerability}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDealt(JobEvent):
    """A card is in its pocket: how many of the 52, and how many in each pocket N E S W."""

    index: int
    counts: tuple[int, int, int, int]

    def __str__(self) -> str:
        return f"card {self.index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsOperator(JobEvent):
    """The job waits for a person. `choices` are safest first; the first one is what Enter means.

    `text` = what happened, `means` = what it means for the board, `steps` = what to do with the hands, one after the
    other. `words` are the words of the choices where they are not the usual ones. `code` and `fault_class` are those of
    the fault that the machine reports, "" when it reports none. With no choices it waits for a change at the machine (a
    board, the hopper, the cover) and goes on by itself.
    """

    text: str
    steps: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    words: tuple[str, ...] = ()
    means: str = ""
    code: str = ""
    fault_class: str = ""

    @property
    def hands(self) -> str:
        """The steps as one text."""
        return " ".join(self.steps)

    @property
    def needs_operator(self) -> bool:
        return True

    @property
    def told(self) -> str:
        """What happened and what it means."""
        return f"{self.text} {self.means}".strip()

    @property
    def instruction(self) -> str:
        return f"{self.told} {self.hands}".strip()

    def __str__(self) -> str:
        return self.instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardJudged(JobEvent):
    """The verdict of a board."""

    judgement: Judgement
    by: str = ""

    def __str__(self) -> str:
        return f"board {self.board} {self.judgement.verdict.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictWithdrawn(JobEvent):
    """A GOOD is taken back: the next pack showed that this board's pack had not ended as announced.

    It stays so until the board is compared with its deal, or dealt again; `means` and `steps` say so.
    """

    reason: str
    means: str = ""
    steps: tuple[str, ...] = ()

    @property
    def instruction(self) -> str:
        return " ".join((self.means, *self.steps)).strip()

    def __str__(self) -> str:
        return f"board {self.board} is not proven any more: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed(JobEvent):
    """Something shows over several boards; no board waits for it. `text`, `means` and `steps` as in NeedsOperator."""

    text: str
    means: str
    steps: tuple[str, ...]
    code: str

    @property
    def instruction(self) -> str:
        return " ".join(self.steps)

    def __str__(self) -> str:
        return f"{self.text} {self.means} {self.instruction}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineLost(JobEvent):
    """The machine does not answer; the program connects again by itself, and nothing moves by that."""

    text: str
    hands: str

    @property
    def instruction(self) -> str:
        return self.hands

    def __str__(self) -> str:
        return f"{self.text} {self.hands}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineBack(JobEvent):
    """The same machine answers again."""

    def __str__(self) -> str:
        return "the machine answers again"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPressed(JobEvent):
    """A person pressed a key on the machine."""

    key: str

    def __str__(self) -> str:
        return f"{self.key} pressed at the machine"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnded(JobEvent):
    """Nothing more comes. `complete` = every board of the job has a verdict."""

    complete: bool

    def __str__(self) -> str:
        return "the set is done" if self.complete else "the job was stopped"
