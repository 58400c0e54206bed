"""Which copies of which boards were dealt, by which run, and with what verdict: the journal, asked by set.

May import: `driver.errors`, `driver.verdicts`, `database`, `forms`, `stored` and the standard library. Read next:
`runs.py`, `driver/journal.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from driver.errors import StoreDamaged
from driver.store.database import StoreConnection, reading
from driver.store.forms import as_time
from driver.store.stored import number_of
from driver.verdicts import Verdict

_COLUMNS: Final = "r.go, r.run, r.set_number, r.deal_board, r.copy, r.simulated, g.time, v.value, v.time"
_FROM: Final = "runs r JOIN journal g ON g.sequence = r.go LEFT JOIN journal v ON v.sequence = r.judged"


@dataclass(frozen=True, slots=True)
class DealtCopy:
    """One run that dealt a board of a stored set; `verdict` and `judged` are None until there is one.

    `place` is where the journal has its beginning: which of two was later is told by it, never by the times of day.
    """

    place: int
    run: int
    set_id: str
    board: int
    copy: str
    simulated: bool
    begun: datetime
    verdict: Verdict | None
    judged: datetime | None


class Copies:
    """The dealt copies of one open store. All of it raises StoreUnusable and StoreDamaged."""

    def __init__(self, connection: StoreConnection) -> None:
        self._connection = connection

    def of_set(self, set_id: str) -> list[DealtCopy]:
        """All copies of a set in the order in which they were begun."""
        return self._where("r.set_number = ?", (number_of(set_id),))

    def of_board(self, set_id: str, board: int) -> list[DealtCopy]:
        """All copies of one board in the order in which they were begun."""
        return self._where("r.set_number = ? AND r.deal_board = ?", (number_of(set_id), board))

    def _where(self, condition: str, values: Sequence[object]) -> list[DealtCopy]:
        with reading(self._connection):
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM {_FROM} WHERE NOT r.is_check AND {condition} ORDER BY r.go", tuple(values)
            ).fetchall()
        return [self._copy(row) for row in rows]

    def _copy(self, row: Sequence[Any]) -> DealtCopy:
        place, run, number, board, copy, simulated, begun, verdict, judged = row
        try:
            return DealtCopy(
                place,
                run,
                f"s{number}",
                board,
                copy,
                bool(simulated),
                as_time(begun),
                None if verdict is None else Verdict[verdict],
                None if judged is None else as_time(judged),
            )
        except (ValueError, TypeError, KeyError):
            raise StoreDamaged("The record of a dealt copy was changed.", path=self._connection.path) from None
