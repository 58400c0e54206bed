"""A job line by line: for screen readers, printouts and pipes. Nothing is repainted, nothing blinks.

May import: `view`, `questions`, `text`, `driver.job_events`. Read next: `console.py`.
What is printed here may be kept in a file: how the pockets fill card by card is not in it, for that would tell the deal
of a sorted pack (invariant I7).
"""

from __future__ import annotations

from typing import Final, TextIO

from driver.cli.failures import put
from driver.cli.questions import Prompt
from driver.cli.text import board_name, boards_word, seat_word, with_steps
from driver.cli.view import JobView
from driver.job_events import (
    BoardJudged,
    BoardStarted,
    CardDealt,
    JobEnded,
    JobEvent,
    KeyPressed,
    MachineBack,
    MachineLost,
    NeedsOperator,
    Noticed,
    VerdictWithdrawn,
)
from driver.verdicts import Verdict

_MARKS: Final = (26,)
_RUB_OUT: Final = "\b \b"


class Plain:
    """Writes lines to `stream`; `asks` = a person types at this terminal."""

    def __init__(self, stream: TextIO, *, asks: bool) -> None:
        self._stream = stream
        self._asks = asks
        self._prompt: Prompt | None = None
        self._asked: tuple[int, list[str]] = 0, []
        self._typed = ""
        self._stopping = 0
        self._pauses = False
        self._stale: set[str] = set()

    def show(self, event: JobEvent, view: JobView) -> None:
        """The line or lines of `event`."""
        texts = _texts(event, view)
        if texts:
            self._end_line()
        for text in texts:
            self._put(f"{event.machine}: {text}" if event.machine else text)
        self.refresh(view)

    def refresh(self, view: JobView) -> None:
        """A question, what is typed, and what was asked of the program meanwhile.

        A question is told once, however long it waits and whatever is told beside it, and again after each answer that
        is none: so it can also be asked for.
        """
        self._tell_changes(view)
        prompt = view.prompt if self._asks else None
        asked = (0, []) if prompt is None else (prompt.misses, view.question)
        if prompt is not self._prompt or asked != self._asked:
            self._end_line()
            for line in asked[1]:
                self._put(line)
            self._prompt, self._asked = prompt, asked
        typed = "" if prompt is None else prompt.typed
        if typed != self._typed:
            if typed.startswith(self._typed):
                self._stream.write(typed[len(self._typed) :])
            else:
                self._stream.write(_RUB_OUT * (len(self._typed) - len(typed)))
            self._stream.flush()
            self._typed = typed

    def close(self, view: JobView) -> None:
        """End the line that is open."""
        self._end_line()

    def _tell_changes(self, view: JobView) -> None:
        if view.stopping > self._stopping:
            self._end_line()
            self._put("Stops after this card. Ctrl-C again stops at once." if view.stopping == 1 else "Stops at once.")
        if view.pauses_after and not self._pauses:
            self._end_line()
            self._put("Pauses after this board.")
        if view.stale and view.machine not in self._stale:
            self._end_line()
            self._put(f"{view.machine or 'The machine'} is silent for {view.silent_for:.0f} seconds.")
        (self._stale.add if view.stale else self._stale.discard)(view.machine)
        self._stopping, self._pauses = view.stopping, view.pauses_after

    def _put(self, text: str) -> None:
        put(text, self._stream)

    def _end_line(self) -> None:
        if self._typed:
            self._stream.write("\n")
            self._typed = ""


def _texts(event: JobEvent, view: JobView) -> list[str]:
    name = board_name(event.board, event.copy)
    match event:
        case BoardStarted(dealer=dealer, vulnerability=vulnerability, index=0):
            return [f"Dealing board {name}, dealer {seat_word(dealer)}, vulnerable {vulnerability}."]
        case BoardStarted(index=index):
            return [f"Board {name} goes on after card {index}."]
        case CardDealt(index=index) if index in _MARKS:
            return [f"Board {name}: {index} of 52 cards."]
        case BoardJudged(judgement=judgement):
            if judgement.verdict in (Verdict.GOOD, Verdict.COUNTED):
                time = f"{view.machine_time}{' of machine time' if view.estimate.card else ''}{view.hand_time}"
                return [f"Board {name} is {judgement.verdict.words}. {boards_word(view.left)} left, {time}."]
            said = ": this machine can prove no more" if judgement.is_settled else ""
            return [f"Board {name} is {judgement.verdict.words}{said}."]
        case NeedsOperator():
            return with_steps(event.told, event.steps)
        case VerdictWithdrawn(reason=reason):
            return with_steps(f"Board {name} is not proven any more: {reason} {event.means}".rstrip(), event.steps)
        case Noticed(text=text, means=means, steps=steps):
            return with_steps(f"{text} {means}", steps)
        case MachineLost() | MachineBack() | KeyPressed():
            text = str(event)
            return [f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"]
        case JobEnded(complete=complete):
            return ["The set is done." if complete else "Stopped."]
    return []
