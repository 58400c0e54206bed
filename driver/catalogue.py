"""What can happen, as it is told to a person: the entries of `catalogue.toml`, the only place for these texts.

May import: `protocol` and the standard library. Read next: `catalogue.toml`, then `sentences.py`, which finds the entry
for what a machine says. The terminal, --json and the printed sheet (`paper/fault_sheet.py`) all show these entries.
"""

from __future__ import annotations

import pkgutil
import tomllib
from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Any, Final

from protocol.codes import FaultClass


@unique
class Kind(Enum):
    """What an entry is about; the value is its table in the file."""

    STOP = "stop"
    REFUSAL = "refusal"
    FOUND = "found"
    NOTICE = "notice"
    ERROR = "error"
    DOCTOR = "doctor"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can happen; see the head of `catalogue.toml`.

    `next` are the words of `findings.Choice`, or for errors what a person may do; () when nothing is decided. `rows`
    are rows of the go-on table (PROTOCOL.md, section 5), `question` what is asked where something was found, `command`
    what is typed to cure what `dealctl doctor` found.
    """

    kind: Kind
    code: str
    fault_class: FaultClass
    sentence: str
    means: str
    steps: tuple[str, ...]
    next: tuple[str, ...] = ()
    default: str = ""
    rows: tuple[str, ...] = ()
    question: str = ""
    command: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether the board may go on at the same card."""
        return "go on" in self.next

    @property
    def hands(self) -> str:
        """The steps as one text."""
        return " ".join(self.steps)

    @property
    def hint(self) -> str:
        """What it means and what to do, as one text."""
        return f"{self.means} {self.hands}".strip()

    def filled(self, **words: object) -> Entry:
        """The entry with its braces filled."""
        return replace(
            self,
            sentence=self.sentence.format(**words),
            means=self.means.format(**words),
            steps=tuple(step.format(**words) for step in self.steps),
            question=self.question.format(**words),
            command=self.command.format(**words),
        )


def _entry(kind: Kind, row: dict[str, Any]) -> Entry:
    return Entry(
        kind,
        row["code"],
        FaultClass[row["class"]],
        row["sentence"],
        row["means"],
        tuple(row["steps"]),
        tuple(row.get("next", ())),
        row.get("default", ""),
        tuple(row.get("rows", ())),
        row.get("question", ""),
        row.get("command", ""),
    )


def _read() -> dict[str, Any]:
    text = pkgutil.get_data("driver", "catalogue.toml")
    assert text is not None, "the catalogue is part of the program"
    return tomllib.loads(text.decode())


_FILE: Final = _read()
ENTRIES: Final = tuple(_entry(kind, row) for kind in Kind for row in _FILE[kind.value])
OBSTACLES: Final[dict[str, str]] = _FILE["obstacles"]
"""Why a board cannot go on, by the name of the obstacle: the end of "This board cannot go on: "."""
UNKNOWN: Final = "UNKNOWN"
"""The code of what this program does not know."""

_BY_CODE: Final = {(entry.kind, entry.code): entry for entry in reversed(ENTRIES)}
_STOPS: Final = {(entry.code, entry.goes_on): entry for entry in ENTRIES if entry.kind is Kind.STOP}


def entry(kind: Kind, code: str) -> Entry:
    """The entry of that code; the one of the unknown for another, in kinds that have it (else KeyError)."""
    return _BY_CODE.get((kind, code)) or _BY_CODE[kind, UNKNOWN]


def stop_entry(cause: str, *, goes_on: bool) -> Entry:
    """The entry of a fault or pause by its name, for a board that may go on or not.

    A board may be unable to go on whatever the cause (it was taken out): then the cause's own sentence, with the steps
    of any board that is dealt again.
    """
    found = _STOPS.get((cause, goes_on))
    if found is not None:
        return found
    there = entry(Kind.STOP, cause)
    other = _STOPS["RESTART", goes_on]
    return replace(other, code=there.code, fault_class=there.fault_class, sentence=there.sentence, rows=())


def error_hints() -> dict[str, str]:
    """What to do with the hands, by the code of each error."""
    return {one.code: one.hint for one in ENTRIES if one.kind is Kind.ERROR}
