"""The steps of one card and their times.

May import: the standard library. Read next: `dealing.py`.
Milliseconds from the start of a feed at speed 1, from 0 on: motor; 20 left the hopper; 45 read; 50 in the path; 75 gate
set; 90 past the gate, where no sensor sees it; 100 in the pocket, and the next feed starts.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

SPIN_UP_MS: Final = 30
LEAVES_MS: Final = 20
READ_MS: Final = 45
READING_MS: Final = 20
PATH_MS: Final = 50
GATE_MS: Final = 75
PAST_MS: Final = 90
POCKET_MS: Final = 100
PATIENCE: Final = 3
"""A sensor may take three times its time."""
FEED_ATTEMPTS: Final = 3
READINGS: Final = 3


class Step(Enum):
    """What comes next in the motion of a run."""

    IDLE = auto()
    SPIN_UP = auto()
    """The motors reach their speed; the first card starts."""
    TOP = auto()
    """The top card of the hopper is read once more."""
    LEAVES = auto()
    READ = auto()
    PATH = auto()
    GATE = auto()
    PAST = auto()
    POCKET = auto()
    NO_FEED = auto()
    """No card left the hopper in three times its time."""
    JAM_READER = auto()
    JAM_PATH = auto()
    SILENT = auto()
    """No pocket sensor saw the card in three times its time."""
    STALLED = auto()
    """The gate does not get there; only CARD_LIMIT ends it."""
