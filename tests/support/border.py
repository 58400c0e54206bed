"""All that passes between the program and the world around it: each write of the journal, each send, each receive.

May import: driver, protocol, `watched_store`. Read next: `tests/faults/test_host_crashes.py`, `killed_dealctl.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final
from unittest import mock

from driver.transport.base import Transport
from protocol.codec import decode
from protocol.errors import MessageError
from protocol.framing import Frame, FrameDecoder
from protocol.messages import RunEvent
from tests.support.watched_store import Moment, watched

ENTRY_KIND: Final = 1
"""Where the values of an entry of the journal have its kind."""


@unique
class Passing(Enum):
    """What passes the border."""

    WRITE = "journal write"
    SEND = "send"
    RECEIVE = "receive"


@dataclass(frozen=True, slots=True)
class Step:
    """One step at the border. `names` tell what passes, empty when nothing does, and before something is received."""

    passing: Passing
    moment: Moment
    names: tuple[str, ...]


@contextmanager
def observed(transport: type[Transport], observer: Callable[[Step], None]) -> Iterator[None]:
    """While it lasts, `observer` is told of each step: of every store, and of each transport of that class.

    It may raise what a killed program raises, or end the process.
    """
    plain_write, plain_read = transport.write, transport.read
    entry = ""

    def on_statement(moment: Moment, sql: str, values: Sequence[object]) -> None:
        nonlocal entry
        word = sql.split()[0]
        if sql.startswith("INSERT INTO journal"):
            entry = f" of {values[ENTRY_KIND]}"
        if not sql.startswith("INSERT INTO evidence"):
            observer(Step(Passing.WRITE, moment, (word if word == "BEGIN" else word + entry,)))
        if (word, moment) == ("COMMIT", "after"):
            entry = ""

    def write(self: Transport, data: bytes) -> None:
        names = names_in(data)
        observer(Step(Passing.SEND, "before", names))
        plain_write(self, data)
        observer(Step(Passing.SEND, "after", names))

    def read(self: Transport, timeout: float) -> bytes:
        observer(Step(Passing.RECEIVE, "before", ()))
        data = plain_read(self, timeout)
        observer(Step(Passing.RECEIVE, "after", names_in(data)))
        return data

    with (
        watched(on_statement),
        mock.patch.object(transport, "write", write),
        mock.patch.object(transport, "read", read),
    ):
        yield


def names_in(data: bytes) -> tuple[str, ...]:
    """The names of the whole frames in the bytes; of the rest, that there is one."""
    frames = FrameDecoder().feed(data)
    return tuple(map(_name, frames)) or (("part of a frame",) if data else ())


def _name(frame: Frame) -> str:
    try:
        message = decode(frame)
    except MessageError:
        return frame.kind.name
    state = getattr(message, "state", None) if isinstance(message, RunEvent) else None
    return type(message).__name__ if state is None else f"{type(message).__name__} {state.name}"
