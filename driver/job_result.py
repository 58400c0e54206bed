"""The verdicts of a job, as they stand.

May import: `happenings`, `queue`, `verdicts`. Read next: `runner.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from driver.happenings import Item
from driver.queue import CopyId
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
    """The verdicts of a job so far, in the order of dealing; a board dealt again has its last one.

    `parts` are the results of several machines that share a job.
    """

    def __init__(self, parts: Iterable[JobResult] = ()) -> None:
        self._boards: dict[tuple[CopyId, int, str], BoardResult] = {}
        for part in parts:
            self._boards |= part._boards  # noqa: SLF001 - of the same class

    @property
    def boards(self) -> tuple[BoardResult, ...]:
        """One result for each board copy that was judged."""
        return tuple(self._boards.values())

    def find(self, number: int, copy: str) -> BoardResult | None:
        """The newest result of a board copy of that name; None when this job has not judged it."""
        found = [result for result in self._boards.values() if (result.number, result.copy) == (number, copy)]
        return found[-1] if found else None

    def put(self, item: Item, judgement: Judgement) -> BoardResult:
        """Keeps the verdict of `item`."""
        result = BoardResult(item.board, item.copy, judgement)
        self._boards[item.place, item.board, item.copy] = result
        return result
