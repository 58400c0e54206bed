"""What a person decided, kept until the job looks: the one door through which other threads reach a job.

May import: `findings`, `happenings`. Read next: `runner.py`.
"""

from __future__ import annotations

import queue
from collections.abc import Sequence
from enum import Enum, unique

from driver.findings import Choice
from driver.happenings import Decided


@unique
class StopWish(Enum):
    """How a person wants the job to end."""

    AFTER_THIS_CARD = "after this card"
    NOW = "now"


class Decisions:
    """Decisions in the order in which they were made; `put` and `stop` from any thread, the rest from the job's."""

    def __init__(self) -> None:
        self._made: queue.SimpleQueue[Decided | StopWish] = queue.SimpleQueue()
        self.stop_wished = False
        """Whether the job is to end; nothing is begun any more."""

    def put(self, choice: Choice, name: str, counts: Sequence[int]) -> None:
        """A choice; `name` and `counts` (N E S W) go with COUNT."""
        north, east, south, west = counts
        self._made.put(Decided(choice, name, (north, east, south, west)))

    def stop(self, wish: StopWish) -> None:
        """The job is to end."""
        self.stop_wished = True
        self._made.put(wish)

    def take(self) -> Decided | StopWish | None:
        """The next one; None when there is none."""
        try:
            return self._made.get_nowait()
        except queue.Empty:
            return None

    def take_stop(self) -> bool:
        """Takes all there are; True when one of them ends the job. Nothing else counts while the machine is lost."""
        stop = False
        while (made := self.take()) is not None:
            stop |= isinstance(made, StopWish) or made.choice is Choice.STOP
        return stop
