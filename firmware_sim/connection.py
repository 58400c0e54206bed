"""The machine's side of a connection: ids, request numbers, the stored answer, when the host was heard.

May import: protocol and the standard library. Read next: `core.py`, which drives it. PROTOCOL.md, sections 2 and 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from protocol.codes import RequestType
from protocol.constants import HOST_LOST_AFTER, QUIET_AFTER, TICK_EVERY
from protocol.framing import Frame

HOST_LOST: Final = HOST_LOST_AFTER / 1000
TICK: Final = TICK_EVERY / 1000
QUIET: Final = QUIET_AFTER / 1000
COUNTER_MAX: Final = 0xFFFF
_VOLATILE_FROM: Final = 43
"""From here on a STATUS_REPORT holds the uptime and the counters of the line."""


class Turn(Enum):
    """What the number of a request means."""

    REPEAT = auto()
    """The last one with the same bytes: the stored answer."""
    REUSED = auto()
    """The last one with other bytes."""
    NEXT = auto()
    OTHER = auto()


@dataclass(slots=True)
class Connection:
    """The open connection, the one offered but not yet in effect, and what was answered last.

    `current` and `pending` are connection ids, 0 = none; `heard` is when the open one last sent a whole frame,
    `tick_at` when it gets the next tick (infinity while it is quiet). Times in seconds of the endpoint's clock.
    """

    current: int = 0
    pending: int = 0
    counter: int = 0
    nonce: int | None = None
    acknowledged: bytes = b""
    """The frame that answered the HELLO with `nonce`, as bytes on the wire."""
    number: int = 0
    request: tuple[int, bytes] = (0, b"")
    answer: Frame | None = None
    wire: bytes = b""
    heard: float = -math.inf
    tick_at: float = math.inf

    def offer(self, boot_id: int) -> int:
        """A new connection id, which takes effect with its first request; 0 when all are used up."""
        if self.counter >= COUNTER_MAX:
            return 0
        self.counter += 1
        self.pending = (boot_id & 0xFFFF) << 16 | self.counter
        return self.pending

    def take_effect(self, now: float) -> None:
        """The pending connection is the open one now; nothing was asked in it yet."""
        self.current, self.pending = self.pending, 0
        self.number, self.request, self.answer, self.wire = 0, (0, b""), None, b""
        self.heard = now
        self.tick_at = now + TICK

    def hear(self, now: float) -> None:
        """A whole frame of the open connection came."""
        self.heard = now
        if self.tick_at == math.inf:
            self.tick_at = now + TICK

    def turn_of(self, frame: Frame) -> Turn:
        """What the number of that request means here."""
        if frame.number == self.number + 1:
            return Turn.NEXT
        if frame.number != self.number or not self.number:
            return Turn.OTHER
        return Turn.REPEAT if (frame.type, frame.payload) == self.request else Turn.REUSED

    def store(self, frame: Frame, answer: Frame, wire: bytes) -> None:
        """Keeps the answer to that request before it is sent."""
        self.number, self.request, self.answer, self.wire = frame.number, (frame.type, frame.payload), answer, wire

    def ticked(self, now: float) -> bool:
        """A tick is due: True when it is to be sent, False when the connection is quiet."""
        if now - self.heard >= QUIET:
            self.tick_at = math.inf
            return False
        self.tick_at = now + TICK
        return True

    def state_key(self, now: float) -> tuple[object, ...]:
        """Everything that future behaviour depends on, times relative to `now`, counters of the line left out."""
        answer = self.answer
        stored: object = None
        if answer is not None:
            whole = answer.payload
            cut = answer.type == RequestType.STATUS and len(whole) > _VOLATILE_FROM
            stored = (answer.type, whole[:_VOLATILE_FROM] + whole[47:49] if cut else whole)
        return (
            self.current, self.pending, self.counter, self.nonce, self.number, self.request, stored,
            round(self.heard - now, 6), round(self.tick_at - now, 6),
        )  # fmt: skip


@dataclass(slots=True)
class LineCounts:
    """Counters of the line since the boot, for STATUS."""

    frames_in: int = 0
    bad_payloads: int = 0
    echoes: int = 0
    out_of_turn: int = 0
    frames_out: int = 0
    dropped_out: int = 0
    """Ticks, logs and events that an endpoint left out because its line was full; the endpoint counts them here."""
