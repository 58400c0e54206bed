"""A memory that tells what it was asked to make durable, and can cut the power at a given mark.

May import: firmware_sim and the standard library. Read next: `tests/faults/test_page_rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.memory import MarkKind, Memory


class PowerGone(BaseException):
    """The power went at this mark; the test cuts it at the machine as well."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The `count`-th mark of that kind, just before it is written or just after."""

    kind: MarkKind
    count: int
    written: bool


class WatchedMemory(Memory):
    """A memory as the machine's own; `written` are the kinds of all marks since it was made.

    `seen` is called with the kind of each mark, once it is durable.
    """

    def __init__(self) -> None:
        super().__init__()
        self.written: list[MarkKind] = []
        self.cut_at: Moment | None = None
        self.seen: Callable[[MarkKind], None] | None = None

    def write(self, kind: MarkKind, body: bytes) -> None:
        moment = self.cut_at
        due = moment is not None and moment.kind is kind and self.written.count(kind) + 1 == moment.count
        if moment is not None and due and not moment.written:
            raise PowerGone
        super().write(kind, body)
        self.written.append(kind)
        if self.seen is not None:
            self.seen(kind)
        if due:
            raise PowerGone
