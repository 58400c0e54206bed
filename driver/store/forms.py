"""Times and texts as the store writes them, so that a person can read them in a copy of the file.

May import: the standard library. Read next: `store.py`, which is given a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

LONGEST_TEXT: Final = 2_000
"""Characters of a text that are kept."""

Now = Callable[[], datetime]
"""Gives the time of day, with its zone."""


def as_text(time: datetime) -> str:
    """UTC to the second: "2026-11-30T19:04:05+00:00". Raises ValueError for a time without a zone."""
    if time.tzinfo is None:
        raise ValueError("a time in the store has a zone")
    return time.astimezone(UTC).isoformat(timespec="seconds")


def as_time(text: str) -> datetime:
    """The time that was written, in UTC. Raises ValueError for any other text."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("a time in the store has a zone")
    return time.astimezone(UTC)


def storable(text: str) -> str:
    """The beginning of a text, with a question mark for what is no character: no name is refused for its encoding."""
    return text[:LONGEST_TEXT].encode("utf-8", "replace").decode()
