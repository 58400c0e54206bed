"""Non-volatile memory: an append-only log of marks, what a power cut does to it, and what is read back.

May import: `ledger`, protocol and the standard library. Read next: `recall.py`, which makes sense of the marks.
A mark is `size · kind · body · CRC-16`; a mark that is not whole makes the memory torn. Identities and plan are gone
after ENDED, because the log is then written anew without them.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import Enum, IntEnum, unique
from pathlib import Path
from typing import Final

_CRC_SIZE: Final = 2


@unique
class MemoryFate(Enum):
    """What a power cut does to the memory."""

    KEPT = "kept"
    LAST_MARK_LOST = "last-mark-lost"
    TORN = "torn"
    BLANK = "blank"


@unique
class MarkKind(IntEnum):
    """Kinds of marks, in the order of PROTOCOL.md, section 6."""

    BOOT = 1
    STARTED = 2
    FEED = 3
    DROP = 4
    WHOLE = 5
    PAUSED = 6
    ENDED = 7


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark. Its repr never shows the body (it can hold cards)."""

    kind: MarkKind
    body: bytes

    def __repr__(self) -> str:
        return f"Mark({self.kind.name})"


class MemoryFailure(Exception):
    """A mark could not be made durable."""


class Memory:
    """The log. `path`: a file that holds it as well, read when it exists already.

    A new memory is as it leaves the factory: whole and empty. `fails` = the next mark cannot be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.log = bytearray()
        self.fails = False
        self._last_at = 0
        if path is not None and path.exists():
            self.log += path.read_bytes()
        else:
            self.rewrite(())

    def write(self, kind: MarkKind, body: bytes) -> None:
        """Appends a mark; durable when this returns. Raises MemoryFailure, with nothing written, when `fails`."""
        if self.fails:
            self.fails = False
            raise MemoryFailure(f"The mark {kind.name} could not be written.")
        raw = _raw(kind, body)
        self._last_at = len(self.log)
        self.log += raw
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(raw)

    def rewrite(self, marks: tuple[Mark, ...]) -> None:
        """Erases the log and writes these marks; the first byte says that the memory was written at all."""
        self.log[:] = _FORMATTED
        for mark in marks:
            self._last_at = len(self.log)
            self.log += _raw(mark.kind, mark.body)
        self._save()

    def marks(self) -> tuple[Mark, ...] | None:
        """Every mark, oldest first; None when the memory is blank or torn."""
        if not self.log.startswith(_FORMATTED):
            return None
        found = []
        at = len(_FORMATTED)
        while at < len(self.log):
            end = at + self.log[at]
            raw = bytes(self.log[at:end])
            if end > len(self.log) or len(raw) < 2 + _CRC_SIZE or _crc(raw[:-_CRC_SIZE]) != raw[-_CRC_SIZE:]:
                return None
            try:
                found.append(Mark(MarkKind(raw[1]), raw[2:-_CRC_SIZE]))
            except ValueError:
                return None
            self._last_at, at = at, end
        return tuple(found)

    def cut(self, fate: MemoryFate) -> None:
        """What the power cut leaves."""
        last = max(self._last_at, len(_FORMATTED))
        if fate is MemoryFate.LAST_MARK_LOST:
            del self.log[last:]
        elif fate is MemoryFate.TORN:
            del self.log[max((last + len(self.log)) // 2, len(self.log) - 3) :]
        elif fate is MemoryFate.BLANK:
            self.log.clear()
        if fate is not MemoryFate.KEPT:
            self._save()

    def _save(self) -> None:
        if self.path is not None:
            fresh = self.path.with_name(self.path.name + ".new")
            fresh.write_bytes(self.log)
            fresh.replace(self.path)


_FORMATTED: Final = b"\xda"


def _crc(raw: bytes) -> bytes:
    return (zlib.crc32(raw) & 0xFFFF).to_bytes(_CRC_SIZE, "little")


def _raw(kind: MarkKind, body: bytes) -> bytes:
    head = bytes((2 + len(body) + _CRC_SIZE, kind)) + body
    return head + _crc(head)
