"""The sheet that hangs beside the machine: everything that can stop it, and what to do with the hands.

May import: `page`, `driver.catalogue` and the standard library. Read next: `driver/catalogue.toml`.
What `dealctl doctor` finds is not on it: that is said at the computer, with the one command that cures it.
"""

from __future__ import annotations

from typing import Final

from driver.catalogue import ENTRIES, Entry, Kind
from driver.paper.page import cell, page, plain, steps_cell, table
from protocol.codes import FaultClass

_CHAPTERS: Final = (
    (Kind.STOP, "The machine stops"),
    (Kind.REFUSAL, "The machine does not start"),
    (Kind.FOUND, "After an interruption"),
    (Kind.NOTICE, "Over several boards"),
    (Kind.ERROR, "The program stops"),
)
_HEADS: Final = ("Shown", "What it means", "What to do", "Then", "Code")
_SHOWN_BY: Final = (FaultClass.OPERATOR, FaultClass.SERVICE, FaultClass.FATAL)
"""What needs nobody is on no sheet."""
_CODED: Final = (Kind.STOP, Kind.ERROR)
"""Entries whose code is shown on the screen too."""
_BLANKS: Final = {
    "number": "n",
    "said": "m",
    "boards": "all boards of the run",
    "pockets": "n",
    "board": "the board",
    "k": "some",
    "obstacle": "the screen says why",
}


def fault_sheet() -> str:
    """The page."""
    parts = [
        "<h1>What to do when the machine or the program stops</h1>",
        "<p>Nothing moves until somebody decides. The first choice under “Then” is what Enter means.</p>",
    ]
    for kind, title in _CHAPTERS:
        entries = [entry for entry in ENTRIES if entry.kind is kind and entry.fault_class in _SHOWN_BY]
        parts += [f"<h2>{plain(title)}</h2>", table(_HEADS, [_row(entry.filled(**_BLANKS)) for entry in entries])]
    return page("What to do when it stops", parts)


def _row(entry: Entry) -> tuple[str, ...]:
    shown = f"{entry.sentence} {entry.question}".strip()
    return (
        cell(shown),
        cell(entry.means),
        steps_cell(entry.steps),
        cell(" · ".join(entry.next)),
        cell(entry.code if entry.kind in _CODED else ""),
    )
