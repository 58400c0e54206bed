"""The log of decisions, looks and exports: append-only, each entry chained to the one before, without a card.

May import: `driver.errors`, `database`, `keys`, `forms` and the standard library. Read next: `store.py`.
Rules: `fairness.md` 4.6 (each record is SHA-256 of the one before and the canonical JSON of the entry). Beside the
chain, which anybody can compute again, stands a mark with the store's key, which only this user's program can.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, unique
from types import MappingProxyType
from typing import Any, Final

from driver.errors import StoreDamaged
from driver.store.database import StoreConnection, reading, transaction
from driver.store.forms import Now, as_text, as_time, storable
from driver.store.keys import Keys, KeyUse

Detail = str | int | bool | None | tuple["Detail", ...]
"""What may stand in an entry: texts, small numbers, yes or no, and rows of these."""

NOTHING_BEFORE: Final = bytes(32)
LARGEST_NUMBER: Final = 2**63 - 1
"""No number beyond this is written: a deal's number is larger as a rule, and has no place in the log."""

_MARK: Final = b"entry of decisions"


@unique
class Decision(Enum):
    """What was decided or done; the value is what stands in the log and never changes."""

    USED_DEAL_STOPPED = "used deals: stopped"
    USED_DEAL_SAME_SESSION = "used deals: same session again"
    USED_DEAL_REPLACED = "used deals: replaced"
    USED_DEAL_ANOTHER_COPY = "used deals: another copy"
    USED_DEAL_SAME_EVENT = "used deals: another room, club or evening of the same event"
    USED_DEAL_REPLAY = "used deals: replay of past deals, or a lesson"
    SUSPECT_CONFIRMED = "what looks like a mistake: confirmed"
    LOOKED_AT_HAND = "looked at a hand"
    EXPORTED = "exported"
    DEALT_AGAIN = "dealt again"
    NEW_HANDS = "new hands"
    COPY_CHANGED = "copy changed after another existed"
    CARD_SEEN = "a card's face was seen"
    LEFT_FOR_DIRECTOR = "left for the director"
    INSTRUCTION = "instruction of the director"
    SET_IMPORTED = "set imported"
    SET_MADE = "set made"
    SET_THROWN_AWAY = "set thrown away"
    COMMITTED = "committed"
    PUBLIC_VALUE_FIXED = "public value fixed"
    DEALING_BEGUN = "dealing begun"
    SEALED = "sealed"
    IN_PLAY = "in play"
    ENDED = "ended"
    SHEET_CODE = "code of the control sheet"
    PACK_COLOURS = "back colours of the packs"
    MACHINE_NAMED = "machine named"
    USUAL_DIRECTOR = "usual director"
    DEALERS_PLAY = "those who deal also play, or not"
    HANDED_OVER = "handed over to another computer"
    TAKEN_OVER = "taken over from another computer"
    TAKEN_BACK = "taken back: not dealt on another computer"
    BOARD_IN_MACHINE = "what lay in the machine after taking over"
    OPENED = "opened"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log; numbers count from 0 without a gap. `chain` is its 32 bytes, the head when it is last."""

    number: int
    time: datetime
    what: Decision
    who: str
    details: Mapping[str, Detail]
    chain: bytes


def chained(before: bytes, record: Mapping[str, Any]) -> bytes:
    """The next link: SHA-256 of the 32 bytes before it and the record's canonical JSON (UTF-8, sorted, no spaces)."""
    return hashlib.sha256(before + _canonical(record).encode()).digest()


class Decisions:
    """The log of one open store. All of it raises StoreUnusable, and StoreDamaged for an entry that cannot be read."""

    def __init__(self, connection: StoreConnection, keys: Keys, now: Now) -> None:
        self._connection = connection
        self._keys = keys
        self._now = now

    def append(self, what: Decision, who: str, **details: Detail) -> Entry:
        """Writes an entry, durably. `who` is a free text. Details must not tell a card: see `Detail`.

        Raises TypeError or ValueError for details of another kind.
        """
        return self.append_of(as_text(self._now()), what, who, details)

    def append_of(self, time: str, what: Decision, who: str, details: Mapping[str, Detail]) -> Entry:
        """As `append`, for an entry that another computer wrote at that time."""
        who = storable(who)
        text = _canonical({name: _allowed(value) for name, value in details.items()})
        with transaction(self._connection):
            last = self._connection.execute(
                "SELECT number, chain FROM decisions ORDER BY number DESC LIMIT 1"
            ).fetchone()
            number, before = (0, NOTHING_BEFORE) if last is None else (last[0] + 1, last[1])
            chain = chained(before, _record(number, time, what.value, who, text))
            self._connection.execute(
                "INSERT INTO decisions (number, time, what, who, details, chain, mark) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, time, what.value, who, text, chain, self._mark(chain)),
            )
        return self._entry(number, time, what.value, who, text, chain)

    def newest_first(self) -> list[Entry]:
        """All entries, the newest first."""
        with reading(self._connection):
            rows = self._connection.execute(
                "SELECT number, time, what, who, details, chain FROM decisions ORDER BY number DESC"
            ).fetchall()
        return [self._entry(*row) for row in rows]

    def head(self) -> bytes:
        """The chain's last 32 bytes, as they are printed on sheets; zeros for an empty log."""
        with reading(self._connection):
            row = self._connection.execute("SELECT chain FROM decisions ORDER BY number DESC LIMIT 1").fetchone()
        return NOTHING_BEFORE if row is None else bytes(row[0])

    def verify(self) -> None:
        """Follows the chain from its beginning. Raises StoreDamaged where an entry is missing or was changed."""
        expected, before = 0, NOTHING_BEFORE
        with reading(self._connection):
            rows = self._connection.execute(
                "SELECT number, time, what, who, details, chain, mark FROM decisions ORDER BY number"
            ).fetchall()
            for number, time, what, who, text, chain, mark in rows:
                if number != expected:
                    raise self._damaged(f"Entry {expected} of the log of decisions is missing.")
                try:
                    before = chained(before, _record(number, time, what, who, text))
                except (ValueError, TypeError, RecursionError):
                    before = b""
                if not _equal(before, chain) or not _equal(self._mark(before), mark):
                    raise self._damaged(f"Entry {number} of the log of decisions was changed after it was written.")
                expected += 1
            # SQLite itself keeps the highest number that was ever given.
            given = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'decisions'").fetchone()
        if given is not None and given[0] >= expected:
            raise self._damaged(f"Entry {expected} of the log of decisions is missing.")

    def _mark(self, chain: bytes) -> bytes:
        return self._keys.tag(KeyUse.DECISIONS, _MARK, chain)

    def _entry(self, number: int, time: str, what: str, who: str, text: str, chain: bytes) -> Entry:
        try:
            details = MappingProxyType({name: _allowed(value) for name, value in _details(text).items()})
            return Entry(number, as_time(time), Decision(what), who, details, chain)
        except (ValueError, TypeError, RecursionError):
            raise self._damaged(f"Entry {number} of the log of decisions cannot be read.") from None

    def _damaged(self, sentence: str) -> StoreDamaged:
        hint = "Nothing was changed. Keep a copy of the folder, and tell the director that the log is not whole."
        return StoreDamaged(sentence, path=self._connection.path, hint=hint)


def _record(number: int, time: str, what: str, who: str, text: str) -> dict[str, Any]:
    return {"n": number, "time": time, "what": what, "who": who, "details": _details(text)}


def _details(text: str) -> dict[str, Any]:
    details = json.loads(text)
    if not isinstance(details, dict):
        raise ValueError("details are names with values")
    return details


def _canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _allowed(value: object) -> Detail:
    # By exact type: a card is a number too, and must not get in.
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return storable(value)
    if type(value) is int:
        if abs(value) > LARGEST_NUMBER:
            raise ValueError("a number in the log of decisions is a small one")
        return value
    if type(value) in (tuple, list):
        return tuple(_allowed(part) for part in value)  # type: ignore[attr-defined]
    raise TypeError(f"the log of decisions takes no {type(value).__name__}")


def _equal(ours: bytes, stored: object) -> bool:
    return isinstance(stored, bytes) and hmac.compare_digest(ours, stored)
