"""Small things for every text on a screen: clean letters, names of boards and seats, what a terminal can show.

May import: the standard library. Read next: `display.py`, `plain.py`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TextIO

_ASCII: Final = str.maketrans(
    {"–": "-", "—": "-", "…": "...", "·": "-", "’": "'", "“": '"', "”": '"', "→": "->", "×": "x", "−": "-"}
)
_SEATS: Final = {"N": "North", "E": "East", "S": "South", "W": "West"}


def clean(text: str) -> str:
    """`text` without anything that a terminal would obey: each such sign becomes "?"."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def board_name(board: int, copy: str = "") -> str:
    """ "7", "7A" for copy A, "7 red" for a copy with a longer name."""
    return f"{board}{copy}" if len(copy) < 2 else f"{board} {copy}"


def seat_word(letter: str) -> str:
    """ "North" for "N"."""
    return _SEATS.get(letter, letter)


def with_steps(told: str, steps: Sequence[str]) -> list[str]:
    """Lines: what happened, then each step with its number; a single step stands behind what happened."""
    if len(steps) < 2:
        return [" ".join((told, *steps)).strip()]
    return [told, *(f"{number}. {step}" for number, step in enumerate(steps, start=1))]


def boards_word(number: int) -> str:
    """ "1 board", "2 boards"."""
    return f"{number} board" if number == 1 else f"{number} boards"


def speaks_unicode(stream: TextIO) -> bool:
    """Whether signs beyond ASCII reach the reader of `stream`."""
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "").startswith("utf")


def as_ascii(text: str) -> str:
    """`text` with its typographic signs written in ASCII, and "?" for other letters."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def can_repaint(stream: TextIO) -> bool:
    """Whether `stream` is a terminal that understands cursor movement."""
    if not stream.isatty() or os.environ.get("TERM", "") == "dumb":
        return False
    return os.name != "nt" or _windows_repaints()


def _windows_repaints() -> bool:
    os.system("")  # switches the Windows console to understand the same sequences
    return True


def wants_colour() -> bool:
    """Whether colours are welcome: not when NO_COLOR is set, as no-color.org has it."""
    return not os.environ.get("NO_COLOR")
