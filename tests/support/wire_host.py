"""A host of a few lines over a transport: it sends what a test says, repeats nothing by itself, and keeps what comes.

It works over every endpoint, on a manual clock or a real one. `bare_host.py` is the same on the simulated core alone.
May import: driver.transport, driver.clock, protocol. Read next: `peers.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from driver.clock import Clock
from driver.transport.base import Transport
from protocol.codec import decode, encode
from protocol.codes import Kind
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import Answer, Event, Hello, HelloAck, Identify, Identity, Message, Request, Stop, Stopped

A = TypeVar("A", bound=Message)
WITHIN: Final = 10.0
"""Seconds that an answer may take before the test fails."""


class WireHost:
    """One host on one transport. `frames` are all frames that came, oldest first."""

    def __init__(self, transport: Transport, clock: Clock, *, nonce: int = 0x1000, stop: int = 0x2000) -> None:
        self.transport = transport
        self.frames: list[Frame] = []
        self.connection = 0
        self.number = 0
        self.run = 0
        self._clock = clock
        self._nonce = nonce
        self._stop = stop
        self._decoder = FrameDecoder()

    def wire(self, message: Message, *, number: int = 0, connection: int = 0) -> bytes:
        """The bytes of a message."""
        return encode_frame(encode(message, connection=connection, number=number))

    def request_wire(self, request: Request) -> bytes:
        """The bytes of a request under the next number of the open connection."""
        self.number += 1
        return self.wire(request, number=self.number, connection=self.connection)

    def send(self, data: bytes) -> None:
        """Sends bytes."""
        self.transport.write(data)

    def frame_where(self, fits: Callable[[Frame], bool], *, after: int = 0, within: float = WITHIN) -> Frame:
        """The first frame since the `after`-th that fits, waiting for it; fails when none comes."""
        end = self._clock.monotonic() + within
        looked = after
        while True:
            for frame in self.frames[looked:]:
                if fits(frame):
                    return frame
            looked = len(self.frames)
            now = self._clock.monotonic()
            assert now < end, f"no such frame within {within} s"
            self.frames += self._decoder.feed(self.transport.read(end - now))

    def frames_for(self, seconds: float) -> list[Frame]:
        """What comes within so many seconds."""
        before, end = len(self.frames), self._clock.monotonic() + seconds
        while (left := end - self._clock.monotonic()) > 0:
            self.frames += self._decoder.feed(self.transport.read(left))
        return self.frames[before:]

    def answer_to(self, data: bytes) -> Frame:
        """Sends the bytes of one request; the answer's frame, which came after that."""
        (request,) = FrameDecoder().feed(data)
        before = len(self.frames)
        self.send(data)
        return self.frame_where(
            lambda frame: (
                (frame.kind, frame.connection, frame.number) == (Kind.ANSWER, request.connection, request.number)
            ),
            after=before,
        )

    def ask(self, request: Request, expected: type[A]) -> A:
        """The answer to a request under the next number; fails when it is of another kind."""
        answer = decode(self.answer_to(self.request_wire(request)))
        assert isinstance(answer, Answer)
        assert isinstance(answer, expected), answer
        return answer

    def hello(self) -> HelloAck:
        """The answer to a HELLO with a new nonce."""
        self._nonce += 1
        before = len(self.frames)
        self.send(self.wire(Hello(self._nonce, 1, 1)))
        ack = decode(self.frame_where(lambda frame: frame.kind is Kind.HELLO_ACK, after=before))
        assert isinstance(ack, HelloAck)
        assert ack.nonce == self._nonce
        return ack

    def connect(self) -> Identity:
        """A new connection, which takes effect with its first request, IDENTIFY."""
        self.connection, self.number = self.hello().connection, 0
        return self.ask(Identify(), Identity)

    def stop(self) -> Stopped:
        """STOP, confirmed under its own number; needs no connection."""
        self._stop += 1
        before = len(self.frames)
        self.send(self.wire(Stop(), number=self._stop))
        frame = self.frame_where(lambda frame: frame.kind is Kind.STOPPED, after=before)
        stopped = decode(frame)
        assert isinstance(stopped, Stopped)
        assert frame.number == self._stop
        return stopped

    def event_where(self, fits: Callable[[Event], bool], *, after: int = 0) -> Event:
        """The first event that fits since the `after`-th frame, waiting for it."""
        found = decode(
            self.frame_where(
                lambda frame: frame.kind is Kind.EVENT and isinstance(event := decode(frame), Event) and fits(event),
                after=after,
            )
        )
        assert isinstance(found, Event)
        return found
