"""Keeps this computer awake while a job runs, as far as it lets a program do so.

May import: wakepy, which no other module imports, and the standard library. Read next: `cli/deal.py`, which runs jobs
within it; `clock.py`, which notices a sleep that came all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def kept_awake() -> Iterator[bool]:
    """Inside, the computer does not fall asleep by itself; gives whether it agreed. The screen may go dark.

    One that does not agree (no desktop session, no such service) deals all the same: whatever goes wrong here is no
    reason to stop, and after a sleep the job asks which board lies in the machine.
    """
    mode = None
    with suppress(Exception):
        from wakepy import keep

        mode = keep.running(on_fail="pass").__enter__()
    try:
        yield mode is not None and bool(mode.active)
    finally:
        with suppress(Exception):
            if mode is not None:
                mode.__exit__(None, None, None)
