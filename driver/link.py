"""The link: frames in and out over one transport, beats, and the first failure kept.

May import: `transport.base`, `clock`, `recorder`, `errors`, `protocol`. Read next: `connection.py`.
One `step` reads once and beats if due. Over a cable a thread of the link's own repeats it and `close` joins it; over
a transport that drives a simulated clock whoever waits repeats it, so that both run the same code.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from driver.clock import Clock
from driver.errors import TransportError
from driver.recorder import Recorder
from driver.transport.base import READ_TIMEOUT, Transport
from protocol.codec import encode
from protocol.constants import BEAT_EVERY, OWNER_GONE
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import Beat

BACKLOG = 4096
"""Frames kept for an owner that does not take them; older ones are dropped, which shows as a gap in the numbers."""


@dataclass(slots=True)
class LinkCounters:
    """What came in: whole frames, damaged ones, echoes of our own, bytes in all."""

    frames: int = 0
    bad: int = 0
    echoes: int = 0
    bytes: int = 0


class Link:
    """Frames to and from one machine. `take` waits for the next frame; the first failure is raised for ever after."""

    def __init__(self, transport: Transport, clock: Clock, recorder: Recorder) -> None:
        self.transport = transport
        self.clock = clock
        self.recorder = recorder
        self.counters = LinkCounters()
        self.cards_move = False
        self._decoder = FrameDecoder()
        self._frames: deque[Frame] = deque(maxlen=BACKLOG)
        self._arrived = threading.Condition()
        self._writing = threading.Lock()
        self._failure: TransportError | None = None
        self._beat: Frame | None = None
        self._next_beat = 0.0
        self._last_taken = clock.monotonic()
        self._closing = threading.Event()
        self._reader: threading.Thread | None = None
        if transport.threaded:
            self._reader = threading.Thread(target=self._read_on, name=f"link {transport.url}")
            self._reader.start()

    @property
    def failed(self) -> bool:
        """Whether the transport has failed; a failed link stays so."""
        return self._failure is not None

    @property
    def pending(self) -> bool:
        """Whether a frame has arrived that nobody took."""
        return bool(self._frames)

    def check(self) -> None:
        """Raises the link's first failure, if it has failed."""
        if self._failure is not None:
            raise self._failure

    def send(self, frame: Frame) -> None:
        """Sends one frame. Raises the link's first failure."""
        self.check()
        self._write(frame)

    def beat_for(self, connection: int | None) -> None:
        """Sends BEAT for `connection` every second from now on; None stops it."""
        self._next_beat = self.clock.monotonic() + BEAT_EVERY / 1000
        self._beat = None if connection is None else encode(Beat(), connection=connection)

    def take(self, timeout: float) -> Frame | None:
        """The next frame, waiting up to `timeout` seconds; None when nothing came. Raises the link's first failure."""
        now = self.clock.monotonic()
        self._last_taken = now
        if self._reader is not None:
            with self._arrived:
                self._arrived.wait_for(lambda: self._frames or self._failure, timeout)
        else:
            deadline = now + timeout
            if not self._frames and self._failure is None:
                self.step(timeout)
            while not self._frames and self._failure is None and (now := self.clock.monotonic()) < deadline:
                self.step(deadline - now)
                if self.clock.monotonic() == now and not self._frames:
                    break  # the rest of the wait is below what the clock can show
        if self._frames:
            return self._frames.popleft()
        self.check()
        return None

    def step(self, timeout: float) -> None:
        """Reads once, waiting up to `timeout` seconds or until the next beat is due. Failures are kept, not raised."""
        try:
            now = self.clock.monotonic()
            beat = self._beat  # Looked at once: its owner may take it away at any moment.
            if beat is not None:
                if now >= self._next_beat:
                    self._next_beat = now + BEAT_EVERY / 1000
                    owner_gone = self.cards_move and now - self._last_taken > OWNER_GONE / 1000
                    if not owner_gone:
                        self._write(beat)
                timeout = min(timeout, self._next_beat - now)
            chunk = self.transport.read(timeout)
        except TransportError as failure:
            self._fail(failure)
            return
        if chunk:
            self._receive(chunk)

    def close(self) -> None:
        """Joins the reader and closes the transport. May be called twice."""
        self._closing.set()
        if self._reader is not None:
            self._reader.join()
        self.transport.close()

    def _read_on(self) -> None:
        while not self._closing.is_set() and self._failure is None:
            self.step(READ_TIMEOUT)

    def _receive(self, chunk: bytes) -> None:
        frames = self._decoder.feed(chunk)
        self.counters.bytes += len(chunk)
        self.counters.bad = self._decoder.bad_frames
        now = self.clock.monotonic()
        with self._arrived:
            for frame in frames:
                if not frame.kind.from_machine:
                    self.counters.echoes += 1
                    continue
                self.counters.frames += 1
                self.recorder.note(now, frame, outward=False)
                self._frames.append(frame)
            self._arrived.notify_all()

    def _write(self, frame: Frame) -> None:
        data = encode_frame(frame)
        with self._writing:
            self.recorder.note(self.clock.monotonic(), frame, outward=True)
            try:
                self.transport.write(data)
            except TransportError as failure:
                self._fail(failure)
                raise

    def _fail(self, failure: TransportError) -> None:
        with self._arrived:
            if self._failure is None:
                self._failure = failure
            self._arrived.notify_all()
