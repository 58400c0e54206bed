"""The verdicts of a job, as they stand.

May import: `happenings`, `verdicts`. Read next: `runner.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from driver.happenings import Item
from driver.verdicts import Judgement, Verdict


@dataclass(slots=True)
class BoardResult:
    """The verdict of one board copy, as it stands now; a GOOD may still be withdrawn by the next pack."""

    number: int
    copy: str
    judgement: Judgement

    @property
    def verdict(self) -> Verdict:
        """GOOD, COUNTED, NOT_PROVEN or DEAL_AGAIN."""
        return self.judgement.verdict


class JobResult:
    """The verdicts of a job so far, in the order of dealing; a board dealt again has its last one."""

    def __init__(self) -> None:
        self._boards: dict[tuple[int, str], BoardResult] = {}

    @property
    def boards(self) -> tuple[BoardResult, ...]:
        """One result for each board copy that was judged."""
        return tuple(self._boards.values())

    def find(self, number: int, copy: str) -> BoardResult | None:
        """The result of that board copy; None when this job has not judged it."""
        return self._boards.get((number, copy))

    def put(self, item: Item, judgement: Judgement) -> BoardResult:
        """Keeps the verdict of `item`."""
        result = BoardResult(item.board, item.copy, judgement)
        self._boards[item.board, item.copy] = result
        return result
