"""Time as the driver sees it: seconds of a clock that never jumps.

May import: the standard library. The only module of the driver that asks the machine's clock. Read next: `link.py`.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Seconds that only grow; unrelated to the time of day."""

    def monotonic(self) -> float:
        """Seconds since some moment in the past."""
        ...

    def wait(self, seconds: float) -> None:
        """Lets `seconds` pass."""
        ...


class SystemClock:
    """The clock of this computer."""

    def monotonic(self) -> float:
        """Seconds since some moment in the past."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Lets `seconds` pass."""
        time.sleep(seconds)


def today() -> str:
    """The date on this computer as YYYY-MM-DD, for records that a person reads; never for durations."""
    return time.strftime("%Y-%m-%d")


def wall_time() -> float:
    """Seconds since the beginning of 1970, to tell a person the age of a file; never for durations."""
    return time.time()


def utc_now() -> datetime:
    """The time of day in UTC, as the store writes it; never for durations."""
    return datetime.now(UTC)
