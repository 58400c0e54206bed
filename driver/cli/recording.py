"""After every failure the last traffic with the machine is kept in a file, without its content (I7); -v shows it too.

May import: `driver.recorder`, `driver.machine`, `exit_codes`, `failures`. Read next: `driver/recorder.py`, `deal.py`.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.data_folder import data_folder
from driver.recorder import Recorder

LAST_TRAFFIC: Final = "last-failure.txt"
"""File in the data folder that keeps the last frames before the last failure."""
_NO_FAILURE: Final = (Exit.ALL_GOOD, Exit.INTERRUPTED)


@contextmanager
def recorded(args: Namespace, recorder: Recorder, folder: Path | None = None) -> Iterator[Callable[[], None]]:
    """Keeps the last traffic in `folder` (None = the data folder) after any error; Ctrl-C alone is none.

    `folder` is gone at the end, so it is not named to the person. Gives a function for failures that raise nothing: a
    lost link, a question that nobody answers, an unconfirmed STOP.
    """

    def keep() -> None:
        place = folder or args.data or data_folder()
        lines = keep_traffic(recorder, place)
        if args.verbose and lines:
            where = [] if folder is not None else [f"(The same is in {place / LAST_TRAFFIC}.)"]
            with suppress(OSError):
                for line in (*lines, *where):
                    put(line, sys.stderr)

    try:
        yield keep
    except Exception:
        keep()
        raise


def keep_traffic(recorder: Recorder, folder: Path) -> list[str]:
    """Writes the file, once for each recorder; its lines. A disk that does not take it hides no other error."""
    with suppress(OSError):
        was_there = folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        lines = recorder.dump_once(folder / LAST_TRAFFIC)
        if not lines and not was_there:
            folder.rmdir()  # nothing was said yet, so nothing is left behind
        return lines
    return []


def is_failure(code: Exit, *, unconfirmed: bool, lost: bool) -> bool:
    """Whether a job that raised nothing failed; a stop that a person asked for and the machine confirmed is none.

    `lost`: a machine was lost and did not come back, whether somebody then waited for it or stopped.
    """
    return unconfirmed or lost or code not in _NO_FAILURE
