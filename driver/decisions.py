"""What a person decided, kept until the job looks: the one door through which other threads reach a job.

May import: `findings`, `happenings`, `job_events`. Read next: `runner.py`.
"""

from __future__ import annotations

import queue
from collections.abc import Sequence
from enum import Enum, unique

from driver.findings import Choice
from driver.happenings import Decided
from driver.job_events import NeedsOperator


@unique
class StopWish(Enum):
    """How a person wants the job to end."""

    AFTER_THIS_CARD = "after this card"
    NOW = "now"


class Decisions:
    """Decisions in the order in which they were made; `put` and `stop` from any thread, the rest from the job's."""

    def __init__(self) -> None:
        self._made: queue.SimpleQueue[tuple[Decided, NeedsOperator | None] | StopWish] = queue.SimpleQueue()
        self.stop_wished = False
        """Whether the job is to end; nothing is begun any more."""

    def put(self, choice: Choice, name: str, counts: Sequence[int], asked: NeedsOperator | None) -> None:
        """A choice, as the answer to the question `asked`; `name` and `counts` (N E S W) go with COUNT."""
        north, east, south, west = counts
        self._made.put((Decided(choice, name, (north, east, south, west)), asked))

    def stop(self, wish: StopWish) -> None:
        """The job is to end."""
        self.stop_wished = True
        self._made.put(wish)

    def take(self, asked: NeedsOperator | None) -> Decided | StopWish | None:
        """The next one that counts; None when there is none.

        What was answered to another question than `asked`, the last one, does not: nobody had seen it then (I4).
        """
        while (made := self._next()) is not None:
            if isinstance(made, StopWish):
                return made
            decided, answers = made
            if answers is asked or decided.choice is Choice.STOP:
                return decided
        return None

    def take_stop(self) -> bool:
        """Takes all there are; True when one of them ends the job. Nothing else counts while the machine is lost."""
        stop = False
        while (made := self._next()) is not None:
            stop |= isinstance(made, StopWish) or made[0].choice is Choice.STOP
        return stop

    def _next(self) -> tuple[Decided, NeedsOperator | None] | StopWish | None:
        try:
            return self._made.get_nowait()
        except queue.Empty:
            return None
