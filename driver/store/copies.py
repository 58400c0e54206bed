"""Which copies of which boards were dealt, by which run, and with what verdict.

May import: `driver.errors`, `driver.verdicts`, `database`, `forms`, `stored` and the standard library. Read next:
`driver/journal.py`, which stays the record that dealing itself relies on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from driver.errors import NothingOpen, StoreDamaged, WrongState
from driver.store.database import StoreConnection, reading, transaction
from driver.store.forms import as_text, as_time
from driver.store.stored import number_of
from driver.verdicts import Verdict

_COLUMNS: Final = "run, set_number, board, copy, simulated, begun, verdict, judged"


@dataclass(frozen=True, slots=True)
class DealtCopy:
    """One run that dealt a board of a stored set; `verdict` and `judged` are None until there is one."""

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

    def begun(self, run: int, set_id: str, board: int, copy: str, time: datetime, *, simulated: bool) -> None:
        """A run begins to deal a copy. The same run may be said again, for another copy too, until it is judged.

        Raises NothingOpen when there is no such set, WrongState when the run has a verdict.
        """
        number = number_of(set_id)
        with transaction(self._connection):
            if self._connection.execute("SELECT 1 FROM sets WHERE number = ?", (number,)).fetchone() is None:
                raise NothingOpen(f"There is no set {set_id}.")
            written = self._connection.execute(
                f"INSERT INTO copies ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, NULL, NULL) "
                "ON CONFLICT (run) DO UPDATE SET set_number = excluded.set_number, board = excluded.board, "
                "copy = excluded.copy, simulated = excluded.simulated, begun = excluded.begun WHERE verdict IS NULL",
                (run, number, board, copy, int(simulated), as_text(time)),
            ).rowcount
            if not written:
                raise WrongState(f"Board {board} was judged already in this run.")

    def judged(self, run: int, verdict: Verdict, time: datetime) -> None:
        """The verdict of a run, or a later change of it. Raises NothingOpen for a run that never began."""
        with transaction(self._connection):
            written = self._connection.execute(
                "UPDATE copies SET verdict = ?, judged = ? WHERE run = ?", (verdict.name, as_text(time), run)
            ).rowcount
            if not written:
                raise NothingOpen("No copy was begun in this run.")

    def of_set(self, set_id: str) -> list[DealtCopy]:
        """All copies of a set in the order in which they were begun."""
        return self._where("set_number = ?", (number_of(set_id),))

    def of_board(self, set_id: str, board: int) -> list[DealtCopy]:
        """All copies of one board in the order in which they were begun."""
        return self._where("set_number = ? AND board = ?", (number_of(set_id), board))

    def _where(self, condition: str, values: Sequence[object]) -> list[DealtCopy]:
        with reading(self._connection):
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM copies WHERE {condition} ORDER BY begun, run", tuple(values)
            ).fetchall()
        return [self._copy(row) for row in rows]

    def _copy(self, row: Sequence[Any]) -> DealtCopy:
        run, number, board, copy, simulated, begun, verdict, judged = row
        try:
            return DealtCopy(
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
