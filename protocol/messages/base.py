"""What every message is, and the three roots: request, answer, event.

May import: construct, `constants` and the standard library. Read next: `connection.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from construct import Struct

from protocol.codes import Kind


@dataclass(frozen=True, slots=True)
class Message:
    """Root of all messages: `kind` and `type` are its header bytes, `layout` its payload."""

    kind: ClassVar[Kind]
    type: ClassVar[int] = 0
    layout: ClassVar[Any] = Struct()


class Request(Message):
    """Root of what a host asks."""

    __slots__ = ()
    kind = Kind.REQUEST


class Answer(Message):
    """Root of what a machine answers."""

    __slots__ = ()
    kind = Kind.ANSWER


class Event(Message):
    """Root of what a machine tells unasked; numbered in the frame's header."""

    __slots__ = ()
    kind = Kind.EVENT
