"""The narrow interface of everything that shows a job, and which one fits the place where we are.

May import: `view`, `driver.job_events`. Read next: `display.py`, `plain.py`, `json_lines.py`.
"""

from __future__ import annotations

import sys
from typing import Protocol

from driver.cli.text import can_repaint
from driver.cli.view import JobView
from driver.job_events import JobEvent


class Screen(Protocol):
    """Shows a job. Calls come one at a time."""

    def show(self, event: JobEvent, view: JobView) -> None:
        """`event` has happened, and `view` is the picture after it."""
        ...

    def refresh(self, view: JobView) -> None:
        """Time has passed or a key was pressed; called a few times a second."""
        ...

    def close(self, view: JobView) -> None:
        """Nothing more comes; leave the terminal as it was."""
        ...


def choose_screen(*, as_json: bool, plain: bool) -> Screen:
    """JSON lines when asked for, the repainted display in a terminal, else line by line."""
    if as_json:
        from driver.cli.json_lines import JsonLines

        return JsonLines(sys.stdout)
    if plain or not can_repaint(sys.stdout):
        from driver.cli.plain import Plain

        return Plain(sys.stdout, asks=sys.stdin is not None and sys.stdin.isatty())
    from driver.cli.display import Display

    return Display(sys.stdout)
