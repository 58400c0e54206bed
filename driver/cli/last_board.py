"""The question at the end of a run on a machine that reads no board numbers: which board came out last?

May import: `driver.last_board`, `driver.machine`, `json_lines`, `questions`. Read next: `driver/last_board.py`.
Enter alone is no answer: somebody has to look at the board. A number mistyped once costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.questions import ask_line, somebody_there
from driver.cli.ranges import parse_board
from driver.dealt import is_rehearsal
from driver.job_events import Noticed
from driver.job_result import BoardResult
from driver.journal import Journal
from driver.last_board import doubt_all, last_to_ask
from driver.machine import MachineInfo

TRIES: Final = 3
"""So often Enter alone is no answer."""


def ask_last_board(
    info: MachineInfo,
    journal: Journal,
    results: Sequence[BoardResult],
    name: str = "",
    *,
    complete: bool,
    as_json: bool,
) -> Noticed | None:
    """Asks if it is needed; what to tell where the boards have shifted, and then no board of the run is proven.

    Where nobody is there it says what to look at. `name` is the machine's, where there are several; `complete` = the
    last board was taken out, and none is half dealt.
    """
    last = last_to_ask(info.identity, results)
    if last is None or is_rehearsal(simulated=info.simulated):
        return None
    if as_json:
        put_object({"event": "look", "last_board": last.number}, sys.stdout)
        return None
    said = _number(name, complete=complete) if somebody_there(as_json=as_json) else None
    if said not in (None, last.number):
        put(f"You typed {said}. Please look at the number on that board once more.")
        said = _number(name, complete=complete)
    if said is None:
        put(f"This machine reads no board numbers. Look at the board dealt last: it has to be board {last.number}.")
        put("If it is another one, these boards have shifted. Compare them: dealctl check-board N")
    elif said != last.number:
        return doubt_all(journal, results, said)
    return None


def _number(name: str, *, complete: bool) -> int | None:
    """The number that somebody reads from the board; None when nobody does."""
    which = "you took out last" if complete else "that was finished last"
    at = f"{name}: " if name else ""
    for _ in range(TRIES):
        try:
            return parse_board(ask_line(f"{at}Which number is on the board {which}? "))
        except ValueError:
            put("Type the number that is printed on the board, then Enter.")
    return None
