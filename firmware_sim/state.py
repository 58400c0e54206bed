"""The states of a run and what leads from one to the next: the table of PROTOCOL.md, section 4, as data.

May import: protocol and the standard library. Read next: `runs.py`, which lives by it. A test compares it with that.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from protocol.codes import PauseReason, State


class Happening(Enum):
    """What can change the state of a run."""

    GO = auto()
    PAUSE = auto()
    HOST_LOST = auto()
    HOST_CHANGED = auto()
    FAULT = auto()
    STOP = auto()
    FINISHED = auto()
    """The 52nd card is proven and the whole ledger is durable."""
    RESTART = auto()
    CLOSE = auto()


PAUSES: Final = {
    Happening.PAUSE: PauseReason.PAUSE,
    Happening.HOST_LOST: PauseReason.HOST_LOST,
    Happening.HOST_CHANGED: PauseReason.HOST_CHANGED,
    Happening.FAULT: PauseReason.FAULT,
    Happening.STOP: PauseReason.STOP,
}
"""What pauses moving cards, and the reason that is then given."""

TRANSITIONS: Final = {
    (State.NONE, Happening.GO): State.MOVING,
    (State.PAUSED, Happening.GO): State.MOVING,
    **{(State.MOVING, pause): State.PAUSED for pause in PAUSES},
    (State.MOVING, Happening.FINISHED): State.DONE,
    (State.MOVING, Happening.RESTART): State.PAUSED,
    (State.PAUSED, Happening.RESTART): State.PAUSED,
    (State.DONE, Happening.RESTART): State.DONE,
    (State.PAUSED, Happening.CLOSE): State.NONE,
    (State.DONE, Happening.CLOSE): State.NONE,
}
"""Every transition there is; whatever is not here does not happen."""
