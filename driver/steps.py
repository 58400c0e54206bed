"""The states of one machine's part in a job.

May import: the standard library. Read next: `scheduler.py`, which goes from one to the next.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Final


@unique
class Step(Enum):
    """Where the job is; the value is the state line's word."""

    TAKING = "looks what comes next"
    ASK_START = "waits for you"
    STARTING = "starts"
    WAITING = "waits for a board"
    DEALING = "deals"
    ASK_PAUSED = "stopped, waits for you"
    ASK_FOUND = "found something, waits for you"
    JUDGING = "checks"
    ASK_VERDICT = "not proven, waits for you"
    CLOSING = "ends the board"
    IDLE = "has nothing to deal now"
    ASK_LEFT = "offers the boards that were left"
    ENDED = "done"


ASKING: Final = (Step.ASK_START, Step.ASK_PAUSED, Step.ASK_FOUND, Step.ASK_VERDICT, Step.ASK_LEFT)
"""A person is asked, and only what is offered counts."""
BETWEEN: Final = (Step.TAKING, Step.ASK_START, Step.WAITING, Step.IDLE, Step.JUDGING, Step.CLOSING)
"""No cards move: the board in the slot may change."""
