"""What the writers of text formats share: the check that a set can be written at all.

May import: `driver.deals`, `driver.errors`. Read next: `pbn_export.py`, `lin_export.py`,
`csv_text.py`.
"""

from __future__ import annotations

from driver.deals.model import DealSet, range_text
from driver.deals.records import HIGHEST_BOARD
from driver.errors import CannotBeWritten


def check_writable(deals: DealSet) -> None:
    """Raises CannotBeWritten for a set without boards and for board numbers that no reader accepts."""
    if not deals.boards:
        raise CannotBeWritten("There is no board to write.", hint="Nothing was written. Choose a set with boards.")
    high = [board.number for board in deals if board.number > HIGHEST_BOARD]
    if high:
        raise CannotBeWritten(
            f"A board number has at most six digits, and these have more: {range_text(high)}.",
            hint="Nothing was written. Choose fewer boards with --boards.",
        )
