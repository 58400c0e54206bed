"""What follows the end of a run, and what of a board that was ended before it was right may still lie in the machine.

May import: `happenings`, `prompts`, `sentences`, `protocol`. Pure. Read next: `scheduler.py`.
A machine that reads no cards does not see the rest of an old pack in its hopper: whatever is asked for next, the person
is told to take all cards out first, until another run starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from driver import prompts
from driver.happenings import Item
from driver.job_events import NeedsOperator
from driver.sentences import ALL_OUT, refusal_entry
from protocol.codes import Check, Refusal
from protocol.messages import Refused

_OF_THAT_BOARD: Final = (Refusal.SAME_BOARD, Refusal.WRONG_BOARD)


@unique
class After(Enum):
    """What follows the end of a run."""

    NEXT = "next"
    KEEP = "keep"
    LEAVE = "leave"
    AGAIN = "again"
    STOP = "stop"
    FIRST = "first"


@dataclass(slots=True)
class LeftInside:
    """The board that was ended before it was right, until another run starts; None: the machine is known to be clear.

    Nothing else was dealt since, so the board that lies in the slot untouched is this one.
    """

    item: Item | None = None

    def ended(self, item: Item | None, after: After) -> None:
        """The run of `item` was ended."""
        self.item = item if after in (After.AGAIN, After.LEAVE) else None

    @property
    def all_out(self) -> tuple[str, ...]:
        """What the hands do first."""
        return () if self.item is None else (ALL_OUT,)

    def start(self, item: Item, before: str, steps: tuple[str, ...], means: str) -> NeedsOperator:
        """Whether the board may start; as `prompts.start`."""
        if self.item is None or steps:
            return prompts.start(item, before, steps, means=means)
        return prompts.again(item, before) if item == self.item else prompts.another(item, self.all_out, before)

    def lies_there(self, item: Item) -> NeedsOperator:
        """As `prompts.lies_there`."""
        return prompts.lies_there(item, self.all_out)

    def refused(self, item: Item | None, refused: Refused) -> NeedsOperator | None:
        """What to ask when the start of `item` is refused because of that board or its cards; None for all else."""
        if item is None or self.item is None:
            return None
        if (refused.reason, refused.why) == (
            Refusal.CHECK_FAILED,
            Check.PATH,
        ) or refused.reason == Refusal.POCKETS_NOT_EMPTY:
            return self.start(item, refusal_entry(refused).sentence, (), "")
        if refused.reason in _OF_THAT_BOARD and refused.detail in (0, self.item.board):
            return prompts.still_in(item, self.item)
        return None
