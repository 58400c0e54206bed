"""Three patterns of the terminal's bell: a board is done, somebody is needed, the set is done.

May import: the standard library. Read next: `console.py`, which calls `tick` a few times a second.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, unique
from typing import Final, TextIO

BELL: Final = "\a"


@unique
class Pattern(Enum):
    """When the bell rings, in seconds after the event."""

    BOARD_DONE = (0.0,)
    NEEDS_YOU = (0.0, 0.4, 0.8)
    SET_DONE = (0.0, 0.4, 1.2, 1.6)


class Sound:
    """Rings on `stream`; a later pattern takes the place of one that still rings. With `quiet` nothing is heard."""

    def __init__(self, stream: TextIO, clock: Callable[[], float], *, quiet: bool = False) -> None:
        self._stream = stream
        self._clock = clock
        self._quiet = quiet or not stream.isatty()
        self._due: list[float] = []

    def play(self, pattern: Pattern) -> None:
        """Begin a pattern."""
        now = self._clock()
        self._due = [now + delay for delay in pattern.value]
        self.tick()

    def tick(self) -> None:
        """Ring what is due."""
        now = self._clock()
        due = [time for time in self._due if time <= now]
        self._due = self._due[len(due) :]
        if due and not self._quiet:
            self._stream.write(BELL)
            self._stream.flush()
