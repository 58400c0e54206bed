"""A line whose other end is played by the test: what comes in is laid ready with its time, what goes out is kept.

May import: driver, protocol. Read next: `tests/unit/test_link.py`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from driver.errors import TransportClosed
from driver.transport.base import Transport
from protocol.framing import Frame, FrameDecoder, encode_frame


@dataclass(slots=True)
class ScriptedClock:
    """Time passes only while somebody waits; the computer never sleeps."""

    now: float = 100.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def asleep(self) -> float:
        return 0.0


@dataclass(slots=True)
class ScriptedLine(Transport):
    """A transport that is read by whoever waits; `answer` gives what the machine says to a frame."""

    clock: ScriptedClock
    answer: Callable[[Frame], list[Frame]] = lambda _: []
    url: str = "scripted"
    threaded: bool = False
    sent: list[tuple[float, Frame]] = field(default_factory=list)
    """The frames that went out, with their times."""
    reads: int = 0
    closed: int = 0
    broken: TransportClosed | None = None
    _coming: deque[tuple[float, bytes]] = field(default_factory=deque)
    _decoder: FrameDecoder = field(default_factory=FrameDecoder)

    def lay(self, data: bytes, *, at: float = 0.0) -> None:
        """Bytes that arrive at a time, or at once."""
        self._coming.append((at, data))

    def say(self, *frames: Frame, at: float = 0.0) -> None:
        """Frames that arrive in one piece."""
        self.lay(b"".join(map(encode_frame, frames)), at=at)

    def write(self, data: bytes) -> None:
        if self.broken is not None:
            raise self.broken
        for frame in self._decoder.feed(data):
            self.sent.append((self.clock.now, frame))
            if answers := self.answer(frame):
                self.say(*answers)

    def read(self, timeout: float) -> bytes:
        self.reads += 1
        if self.broken is not None:
            raise self.broken
        if self._coming and self._coming[0][0] <= self.clock.now + timeout:
            at, data = self._coming.popleft()
            self.clock.now = max(self.clock.now, at)
            return data
        self.clock.now += timeout
        return b""

    def close(self) -> None:
        self.closed += 1
