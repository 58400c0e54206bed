"""`dealctl` that kills itself with SIGKILL at one exact point, or tells of every point that it comes by.

`python -m tests.support.killed_dealctl FILE POINT WORD...`: with POINT "" it writes the points to FILE, one a line, and
lives. A point is a step at the border that lasts to its end or has not begun, and how often a step like it came.
May import: driver, `border`. Read next: `tests/faults/test_killed_at_any_point.py`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import Counter
from pathlib import Path

from driver.cli.main import main
from driver.transport.tcp import TcpTransport
from tests.support.border import Passing, Step, observed


class Points:
    """Numbers the points of this process, whichever thread comes by, and dies at `last`."""

    def __init__(self, last: str) -> None:
        self.passed: list[str] = []
        self._last = last
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, step: Step) -> None:
        if step.passing is Passing.RECEIVE and step.moment == "before":
            return  # nobody knows yet what will come
        with self._lock:
            for name in step.names:
                alike = f"{step.passing.value}, {step.moment}: {name}"
                self._counts[alike] += 1
                self.passed.append(f"{alike} #{self._counts[alike]}")
                if self.passed[-1] == self._last:
                    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    file, last, *words = sys.argv[1:]
    points = Points(last)
    with observed(TcpTransport, points):
        code = main(words)
    Path(file).write_text("\n".join(points.passed), encoding="utf-8")
    sys.exit(code)
