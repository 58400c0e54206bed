"""What is known of a stored set without opening it: the columns in the clear, its kind and how far it has come.

May import: `driver.errors`, `forms` and the standard library. Read next: `sets.py`, `states.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, unique
from pathlib import Path
from typing import Any, Final

from driver.errors import NothingOpen, StoreDamaged
from driver.store.forms import as_time, storable

LONGEST_NAME: Final = 80
_ID: Final = re.compile(r"[sS]([1-9][0-9]{0,14})")


@unique
class SetKind(Enum):
    """Where a set comes from and what rules it is under (`fairness.md`, first of the decisions on top)."""

    IMPORTED = "imported"
    """Read from a file."""
    GAME = "game"
    """Made here for a club's evening: no filter, no choice, nothing to publish."""
    CHAMPIONSHIP = "championship"
    """Made here, sealed, with the states below."""
    LESSON = "lesson"
    """Chosen, typed or filtered; never becomes anything else."""


CONTENT_KINDS: Final = (SetKind.IMPORTED, SetKind.LESSON)
"""Kinds whose boards are stored; of the others there is a secret, from which the boards are made again."""


@unique
class SetState(Enum):
    """How far a championship set has come, in this order."""

    DRAFT = "draft"
    COMMITTED = "committed"
    VALUE_FIXED = "public value fixed"
    DEALING = "dealing"
    SEALED = "sealed"
    IN_PLAY = "in play"
    ENDED = "ended"
    OPENED = "opened"


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A set as it was in the store when it was asked for; nothing in it tells a hand.

    `id` ("s12") and `name` find it again. `board_range` is for a person, `boards` how many there are. `source` is the
    name of the file it came from, "" for one made here. `state` is None but for a championship. `sealed`: it takes a
    passphrase to open. `published`: since when the promise that binds it to its boards is known outside. `thrown_away`
    sets of this kind and of this name or event were given up before this one was made.
    """

    id: str
    name: str
    kind: SetKind
    event: str
    date: str
    created: datetime
    board_range: str
    boards: int
    source: str
    state: SetState | None
    public_value: str
    published: datetime | None
    thrown_away: int
    sealed: bool

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its boards, as `board_range` has them."""
        parts = (part.partition("-") for part in self.board_range.split(", "))
        return tuple(number for first, _, last in parts for number in range(int(first), int(last or first) + 1))


@dataclass(frozen=True, slots=True)
class Added:
    """What came of adding a set: `is_new` is False when an equal one was there, which is then `stored`.

    `recovery_code` is there when the set was sealed with a passphrase just now, and never again: print it.
    """

    stored: StoredSet
    is_new: bool
    recovery_code: str | None = field(default=None, repr=False)


COLUMNS: Final = (
    "number, name, kind, event, date, created, board_range, board_count, source, state, public_value, published, "
    "thrown_away, passphrase_lock IS NOT NULL"
)
"""What `from_row` takes, in its order."""


def from_row(row: Sequence[Any], path: Path) -> StoredSet:
    """The set of a row of `COLUMNS`. Raises StoreDamaged when the row is not one that this program wrote."""
    number, name, kind, event, date, created, board_range, boards, source, state, value, published, thrown, sealed = row
    try:
        return StoredSet(
            f"s{number}",
            name,
            SetKind(kind),
            event,
            date,
            as_time(created),
            board_range,
            boards,
            source,
            None if state is None else SetState(state),
            value,
            None if published is None else as_time(published),
            thrown,
            bool(sealed),
        )
    except (ValueError, TypeError):
        raise StoreDamaged(f"The record of set s{number} was changed.", path=path) from None


def number_of(set_id: str) -> int:
    """The number in an id ("s12", in either case). Raises NothingOpen for a text that is no id."""
    match = _ID.fullmatch(set_id.strip())
    if match is None:
        raise NothingOpen("There is no set of that name.", hint="`dealctl sets` lists the sets that are there.")
    return int(match[1])


def is_id(text: str) -> bool:
    """Whether a text has the form of an id."""
    return _ID.fullmatch(text.strip()) is not None


def cleaned_name(text: str) -> str:
    """A name that can be shown and typed: one line, at most 80 characters, never empty, never of the form of an id."""
    composed = unicodedata.normalize("NFC", storable(text))
    letters = "".join(letter if letter.isprintable() else " " for letter in composed)
    name = " ".join(letters.split())[:LONGEST_NAME].strip()
    if not name:
        return "set"
    return f"set {name}" if is_id(name) else name


def name_key(name: str) -> str:
    """What two names have in common when they differ in capitals only."""
    return unicodedata.normalize("NFC", " ".join(storable(name).split()).casefold())


def source_name(path: str | None) -> str:
    """The name of a file without its folders; of an address nothing of what stands behind "?" or "#" (it may be a
    deal)."""
    if path is None:
        return ""
    if "://" in path:
        path = re.split(r"[?#]", path, maxsplit=1)[0]
    return storable(re.split(r"[/\\]", path.rstrip("/\\"))[-1])
