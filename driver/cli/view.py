"""What a person must know of a running job, kept up to date from its events: one state, one next step, a few numbers.

May import: `driver.job_events`, `driver.verdicts`, `questions`, `text`. Pure; time comes in from outside.
Read next: `display.py` (paints it), `plain.py`, `console.py` (feeds it).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from statistics import median
from typing import Final

from driver.cli.questions import Prompt
from driver.cli.text import board_name
from driver.job_events import (
    BoardJudged,
    BoardStarted,
    CardDealt,
    JobEnded,
    JobEvent,
    MachineBack,
    MachineLost,
    NeedsOperator,
    Noticed,
    VerdictWithdrawn,
)
from driver.verdicts import Verdict
from protocol.cards import PACK_SIZE

STALE_AFTER: Final = 2.0
"""Seconds of silence after which the machine's values are shown as old (I5)."""
_LONGEST_STEP: Final = 3.0
"""A longer time between two cards is no machine time: something was done by hand."""


@unique
class Mood(Enum):
    """What kind of state it is; screens give each its colour and sign."""

    MOVES = "moves"
    WAITS = "waits"
    NEEDS_YOU = "needs you"
    LOST = "lost"
    DONE = "done"


@dataclass(slots=True)
class Estimate:
    """The time that is left: of the machine, measured between cards without pauses; of hands, between boards.

    It begins with what is known from earlier: `card`, the seconds for a card, 0 = not known; `hands`, those from board
    to board, None = not known. What is measured in this job takes their place.
    """

    card: float = 0.0
    hands: float | None = None
    _seen: int = 0
    _spent: float = 0.0
    _last: tuple[float, int] | None = None
    _done_at: float | None = None
    _changes: list[float] = field(default_factory=list)

    def start(self, now: float, index: int) -> None:
        """Cards begin to move."""
        self._last = now, index
        if index == 0 and self._done_at is not None:
            self._changes.append(now - self._done_at)
        self._done_at = None

    def board_done(self, now: float) -> None:
        """The board is judged; until the next one starts hands are at work."""
        self._last, self._done_at = None, now

    def card_dealt(self, now: float, index: int) -> None:
        """Card number `index` of the board is in its pocket."""
        if self._last is not None:
            passed, cards = now - self._last[0], index - self._last[1]
            if cards > 0 and 0 <= passed <= _LONGEST_STEP * cards:
                self._seen += cards
                self._spent += passed
                self.card = self._spent / self._seen
        self._last = now, index

    def pause(self) -> None:
        """What passes from here on is no machine time."""
        self._last = None

    def text(self, boards: float, index: int) -> str:
        """ "about 14 min"; `boards` are left, the present one at `index` included."""
        if not self.card:
            return "machine time not known yet"
        return _minutes(max(0.0, boards * PACK_SIZE - index) * self.card)

    def by_hand(self, changes: float) -> str:
        """The time of hands for so many more changes of boards, to stand behind it: ", about 5 min by hand".

        By the usual change in this job, so that a long break does not count; before the first, by the usual one of
        earlier jobs, which it says; where there was none, it says that nobody knows. "" when no change is left.
        """
        if changes <= 0:
            return ""
        if self._changes:
            return f", {_minutes(changes * median(self._changes))} by hand"
        if self.hands is not None:
            return f", {_minutes(changes * self.hands)} by hand as on earlier evenings"
        return ", time by hand not known yet"


def _minutes(seconds: float) -> str:
    return "under a minute" if seconds < 60 else f"about {round(seconds / 60)} min"


@dataclass(slots=True)
class JobView:
    """The present picture. `take` each event, then paint. `by_order`: how the pockets fill tells the deal; hide it.

    `machine` is its machine's name where several deal, `beside` a line for each of the others, and `share` its part of
    the boards that are left.
    """

    total: int
    machine: str = ""
    beside: tuple[str, ...] = ()
    share: float = 1.0
    by_order: bool = False
    estimate: Estimate = field(default_factory=Estimate)
    mood: Mood = Mood.WAITS
    state: str = "Getting ready"
    step: str = ""
    means: str = ""
    steps: tuple[str, ...] = ()
    board: int = 0
    copy: str = ""
    dealer: str = ""
    vulnerability: str = ""
    index: int = 0
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    left: int = 0
    prompt: Prompt | None = None
    silent_for: float = 0.0
    pauses_after: bool = False
    stopping: int = 0
    last_verdict: str = ""
    _is_judged: bool = False
    _is_lost: bool = False
    notice: str = ""

    @property
    def stale(self) -> bool:
        """Whether the values are old because the machine is silent; of one that is lost this was told already."""
        waits = self.mood in (Mood.MOVES, Mood.WAITS, Mood.NEEDS_YOU) and not self._is_lost
        return waits and self.silent_for > STALE_AFTER

    @property
    def name(self) -> str:
        """The board's name, "" before the first."""
        return board_name(self.board, self.copy) if self.board else ""

    @property
    def question(self) -> list[str]:
        """What is asked, line by line; empty when nothing is."""
        if self.prompt is None:
            return []
        return [f"{self.machine}: {line}" if self.machine else line for line in self.prompt.lines]

    @property
    def machine_time(self) -> str:
        """The machine's time that is left: "about 14 min"."""
        return self.estimate.text(self.left * self.share, 0 if self._is_judged else self.index)

    @property
    def hand_time(self) -> str:
        """The time of hands that is left: ", about 5 min by hand"; the board that is dealt or put in needs no more."""
        return self.estimate.by_hand(self.left * self.share - (0 if self._is_judged else 1))

    def take(self, event: JobEvent, now: float, left: int) -> None:
        """Bring the picture up to `event`; `left` boards have no verdict yet."""
        self.left, self.total = left, max(self.total, left)
        match event:
            case BoardStarted():
                self._on_start(event, now)
            case CardDealt():
                self.index, self.counts = event.index, event.counts
                self.estimate.card_dealt(now, event.index)
                if event.index == PACK_SIZE:
                    self._say(Mood.MOVES, f"Checking board {self.name}", "Leave the board in.")
            case NeedsOperator():
                self._on_need(event)
            case BoardJudged():
                self._on_verdict(event, now)
            case VerdictWithdrawn():
                self.notice = f"Board {board_name(event.board, event.copy)} is not proven any more."
            case Noticed():
                self.notice = event.text
            case MachineLost():
                self._is_lost = True
                self.estimate.pause()
                self._say(Mood.LOST, "No answer from the machine", f"{event.text} {event.hands}".strip())
            case MachineBack():
                self._is_lost, self.prompt = False, None
                self._say(Mood.WAITS, "The machine answers again", "")
            case JobEnded():
                self.prompt = None
                self._say(Mood.DONE, "All boards are dealt" if event.complete else "Stopped", "")

    def _say(self, mood: Mood, state: str, step: str, means: str = "", steps: tuple[str, ...] = ()) -> None:
        self.mood, self.state, self.step, self.means, self.steps = mood, state, step, means, steps

    def _on_start(self, event: BoardStarted, now: float) -> None:
        self._is_judged = False
        fresh = (event.board, event.copy) != (self.board, self.copy) or event.index == 0
        self.board, self.copy = event.board, event.copy
        self.dealer, self.vulnerability = event.dealer, event.vulnerability
        self.index = event.index
        if fresh:
            self.counts = (0, 0, 0, 0)
        self.prompt = None
        self.pauses_after = self.pauses_after and not fresh
        self.estimate.start(now, event.index)
        self._say(Mood.MOVES, f"Dealing board {self.name}", "Nothing to do. Keep your hands off.")

    def _on_need(self, event: NeedsOperator) -> None:
        self.estimate.pause()
        name = board_name(event.board, event.copy)
        self.prompt = Prompt(event.choices, name, words=event.words) if event.choices else None
        if event.board and (event.board, event.copy) != (self.board, self.copy):
            self.board, self.copy, self.dealer, self.vulnerability = event.board, event.copy, "", ""
            self.index, self.counts = 0, (0, 0, 0, 0)
        if event.choices:
            self._say(Mood.NEEDS_YOU, "Your turn", event.text, event.means, event.steps)
        else:
            self._say(Mood.WAITS, "Waiting for you", event.text, event.means, event.steps)

    def _on_verdict(self, event: BoardJudged, now: float) -> None:
        self.estimate.board_done(now)
        verdict = event.judgement.verdict
        name = board_name(event.board, event.copy)
        self.last_verdict = f"Board {name}: {verdict.words}."
        self._is_judged = verdict in (Verdict.GOOD, Verdict.COUNTED)
        if event.judgement.is_settled:
            self._say(Mood.WAITS, f"Board {name} is {verdict.words}", "")
