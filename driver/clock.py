"""Time as the driver sees it: seconds of a clock that never jumps, and how long this computer slept.

May import: the standard library. The only module of the driver that asks the machine's clock. Read next: `link.py`.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import Final, Protocol

SLEEPS_OVER: Final = 5.0
"""Seconds above which it was a sleep, and not the time between two readings."""
_THROUGH_AND_AWAKE: Final = (("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"), ("CLOCK_MONOTONIC_RAW", "CLOCK_UPTIME_RAW"))
"""Pairs of clocks that nobody sets, one that goes on in a sleep and one that stands: of Linux, and of macOS."""


class Clock(Protocol):
    """Seconds that only grow; unrelated to the time of day."""

    def monotonic(self) -> float:
        """Seconds since some moment in the past."""
        ...

    def wait(self, seconds: float) -> None:
        """Lets `seconds` pass."""
        ...

    def asleep(self) -> float:
        """Seconds that this computer has slept since some moment in the past."""
        ...


class SystemClock:
    """The clock of this computer."""

    def monotonic(self) -> float:
        """Seconds since some moment in the past."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Lets `seconds` pass."""
        time.sleep(seconds)

    def asleep(self) -> float:
        """Seconds that this computer has slept since some moment in the past.

        No clock tells it alone, so two are compared: one that goes on in a sleep is ahead of one that stands. The time
        of day is neither, for then a clock that somebody sets would look like a sleep; a system that has no such pair
        never seems to sleep.
        """
        if os.name == "nt":
            return time.monotonic() - _awake_on_windows()
        for through, awake in _THROUGH_AND_AWAKE:
            if hasattr(time, through) and hasattr(time, awake):
                return time.clock_gettime(getattr(time, through)) - time.clock_gettime(getattr(time, awake))
        return 0.0


class SleepWatch:
    """Notices a sleep of this computer."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asleep = clock.asleep()

    def slept(self) -> bool:
        """Whether it slept since this was asked last, or since the beginning."""
        before, self._asleep = self._asleep, self._clock.asleep()
        return self._asleep - before > SLEEPS_OVER


def _awake_on_windows() -> float:
    """Seconds that this computer was awake since it was started."""
    import ctypes

    ticks = ctypes.c_uint64()
    ctypes.windll.kernel32.QueryUnbiasedInterruptTime(ctypes.byref(ticks))  # type: ignore[attr-defined]
    return ticks.value / 10_000_000


def today() -> str:
    """The date on this computer as YYYY-MM-DD, for records that a person reads; never for durations."""
    return time.strftime("%Y-%m-%d")


def wall_time() -> float:
    """Seconds since the beginning of 1970, to tell a person the age of a file; never for durations."""
    return time.time()


def utc_now() -> datetime:
    """The time of day in UTC, as the store writes it; never for durations."""
    return datetime.now(UTC)
