"""A job as JSON, one object a line, for other programs. Never a hand, nor how the pockets fill (invariant I7).

May import: `view`, `driver.job_events`. Read next: `report.py`, whose last line says the verdicts.
Each line has "event", and "machine" where several deal; lines about a board have "board" and, where there is one,
"copy".
"""

from __future__ import annotations

import json
from typing import Any, Final, TextIO

from driver.cli.text import clean
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
from driver.verdicts import Judgement

NAMES: Final[dict[type[JobEvent], str]] = {
    BoardStarted: "board-started",
    CardDealt: "card",
    NeedsOperator: "needs-operator",
    BoardJudged: "board-judged",
    VerdictWithdrawn: "verdict-withdrawn",
    Noticed: "noticed",
    MachineLost: "machine-lost",
    MachineBack: "machine-back",
    KeyPressed: "key",
    JobEnded: "job-ended",
}


def as_object(event: JobEvent) -> dict[str, Any]:
    """The JSON object of an event."""
    found: dict[str, Any] = {"event": NAMES.get(type(event), "other")}
    if event.machine:
        found["machine"] = event.machine
    if event.board:
        found["board"] = event.board
    if event.copy:
        found["copy"] = event.copy
    match event:
        case BoardStarted(dealer=dealer, vulnerability=vulnerability, index=index):
            found |= {"dealer": dealer, "vul": vulnerability, "index": index}
        case CardDealt(index=index):
            found["index"] = index
        case NeedsOperator(text=text, means=means, steps=steps, choices=choices, code=code, fault_class=fault_class):
            words = [choice.value for choice in choices]
            found |= {"text": text, "means": means, "steps": list(steps), "choices": words}
            found |= {"default": words[0] if words else "", "code": code, "class": fault_class}
        case BoardJudged(judgement=judgement):
            found |= verdict_object(judgement)
        case VerdictWithdrawn(reason=reason, means=means, steps=steps):
            found |= {"reason": reason, "means": means, "steps": list(steps)}
        case Noticed(text=text, means=means, steps=steps, code=code):
            found |= {"text": text, "means": means, "steps": list(steps), "code": code}
        case MachineLost(text=text, hands=hands):
            found |= {"text": text, "hands": hands}
        case KeyPressed(key=key):
            found["key"] = key
        case JobEnded(complete=complete):
            found["complete"] = complete
    return found


def verdict_object(judgement: Judgement) -> dict[str, Any]:
    """The verdict of a board: word, reasons, and who counted by hand."""
    found: dict[str, Any] = {"verdict": judgement.verdict.name}
    if judgement.reasons:
        found["reasons"] = [{"code": reason.code.text, "text": reason.sentence} for reason in judgement.reasons]
    if judgement.counted_by:
        found["counted_by"] = judgement.counted_by
    return found


def put_object(found: dict[str, Any], stream: TextIO) -> None:
    """One line; texts are clean of anything that a terminal would obey."""
    print(json.dumps({key: _cleaned(value) for key, value in found.items()}), file=stream, flush=True)


def _cleaned(value: Any) -> Any:
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    return clean(value) if isinstance(value, str) else value


class JsonLines:
    """Writes each event to `stream`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, event: JobEvent, view: JobView) -> None:
        """The line of `event`."""
        put_object(as_object(event), self._stream)

    def refresh(self, view: JobView) -> None:
        """Nothing."""

    def close(self, view: JobView) -> None:
        """Nothing."""
