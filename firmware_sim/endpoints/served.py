"""What pty and tcp share: one thread that runs the rig on the real clock and moves bytes through a selector.

May import: `base`, `rig`, `line` and the standard library, but nothing that exists on one system only.
Read next: `tcp.py`, `pty.py`.
Everything that touches the machine from another thread goes through `at_machine`: one lock, one wake-up.
Ports are opened and closed by the endpoint's own thread alone, so no other thread can close what it waits for.
"""

from __future__ import annotations

import selectors
import socket
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from firmware_sim.endpoints.base import Actor, Device, Endpoint, EndpointCut
from firmware_sim.endpoints.rig import Rig
from firmware_sim.line import Line

_READ_AT_ONCE = 65_536


class ServedEndpoint(Endpoint):
    """A machine behind a port of this computer; `start` opens it, `close` joins the thread.

    `line`, `baud`, `person` as in `Rig`. `on_url(url)` is called from the endpoint's thread when the cable came back
    under a new url. `clock` gives seconds; the machine's time goes on from what it was at `start`.
    """

    def __init__(
        self,
        machine: Device,
        *,
        line: Line | None = None,
        baud: int | None = None,
        person: Actor | None = None,
        on_url: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rig = Rig(machine, line, baud, person)
        self._on_url = on_url
        self._clock = clock
        self._epoch = 0.0
        self._state = threading.Condition(threading.RLock())
        self._selector = selectors.DefaultSelector()
        self._wake_end, self._wake = socket.socketpair()
        for end in (self._wake_end, self._wake):
            end.setblocking(False)
        self._selector.register(self._wake_end, selectors.EVENT_READ)
        self._thread: threading.Thread | None = None
        self._url: str | None = None
        self._alive = False
        self._stopping = False
        self._released = False

    def start(self) -> str:
        """Opens the port, starts the thread and gives the url. Once."""
        if self._thread is not None or self._stopping:
            raise RuntimeError("An endpoint starts once.")
        self._url = self._open_port()
        self._epoch = self._clock() - self._rig.machine.now
        self._alive = True
        self._thread = threading.Thread(target=self._run, name=f"simulator {self._url}")
        self._thread.start()
        return self._url

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """What the host opens now. Raises EndpointCut while the cable is out or before `start`."""
        with self._state:
            if self._url is None:
                raise EndpointCut("The cable is out.")
            return self._url

    @property
    def is_cut(self) -> bool:
        """True while the cable is out."""
        with self._state:
            return self._rig.is_cut

    @contextmanager
    def at_machine(self) -> Iterator[Rig]:
        """The rig, brought up to this moment, for this thread alone; what was done to it takes effect at the end."""
        with self._state:
            self._catch_up()
            try:
                yield self._rig
            finally:
                self._catch_up()
                self._wake_up()

    def cut(self) -> None:
        """Pulls the cable; the port is gone when this returns."""
        with self.at_machine() as rig:
            rig.cut()
        with self._state:
            self._state.wait_for(lambda: self._url is None or not self._alive)

    def reconnect(self) -> str:
        """Puts the cable back under a new url. Raises EndpointCut while a planned cut lasts, or after `close`."""
        with self.at_machine() as rig:
            rig.reconnect()
        with self._state:
            self._state.wait_for(lambda: self._url is not None or not self._alive)
            if self._url is None:
                raise EndpointCut("The endpoint is closed.")
            return self._url

    def close(self) -> None:
        """Stops the thread, joins it and releases the port. A second call does nothing."""
        with self._state:
            self._stopping = True
            self._wake_up()
        if self._thread is not None:
            self._thread.join()
        if not self._released:
            self._released = True
            self._selector.close()
            self._wake_end.close()
            self._wake.close()

    @abstractmethod
    def _open_port(self) -> str:
        """Opens the port, registers it and gives its url, another than the last one."""

    @abstractmethod
    def _close_port(self) -> None:
        """Unregisters and closes whatever is open."""

    @abstractmethod
    def _read_port(self, ready: object) -> bytes:
        """Bytes of the host after `ready` (a registered file object) became readable; b"" = none."""

    @abstractmethod
    def _write_port(self, data: bytes) -> int:
        """Writes as much as fits without waiting; gives the number of bytes taken. Without a host all are lost."""

    @abstractmethod
    def _watch_for_room(self, wanted: bool) -> None:
        """Asks the selector to say when more can be written, or not to."""

    def _now(self) -> float:
        return max(self._clock() - self._epoch, self._rig.now)

    def _catch_up(self) -> None:
        if self._alive:
            self._rig.run_to(self._now())

    def _wake_up(self) -> None:
        if not self._released:
            try:
                self._wake.send(b"\0")
            except BlockingIOError:
                return  # a wake-up is waiting already

    def _run(self) -> None:
        try:
            while True:
                with self._state:
                    if self._stopping:
                        return
                    self._catch_up()
                    self._follow_cable()
                    self._flush()
                    pause = self._pause()
                ready = self._selector.select(pause)
                with self._state:
                    for key, events in ready:
                        if key.fileobj is self._wake_end:
                            self._wake_end.recv(_READ_AT_ONCE)
                        elif events & selectors.EVENT_READ:
                            self._take(self._read_port(key.fileobj))
        finally:
            with self._state:
                self._alive = False
                self._close_port()
                self._url = None
                self._state.notify_all()

    def _take(self, data: bytes) -> None:
        self._catch_up()
        if data and not self._rig.is_cut:
            self._rig.from_host(data)

    def _follow_cable(self) -> None:
        """Makes the port what the rig says of the cable."""
        rig = self._rig
        if rig.back_at is not None and rig.now >= rig.back_at:
            self._shut()
            rig.reconnect()
        if rig.is_cut:
            self._shut()
        elif self._url is None:
            self._url = self._open_port()
            if self._on_url is not None:
                self._on_url(self._url)
            self._state.notify_all()

    def _shut(self) -> None:
        if self._url is not None:
            self._close_port()
            self._url = None
            self._state.notify_all()

    def _flush(self) -> None:
        rig = self._rig
        if rig.is_cut:
            return
        if rig.outbox:
            data = rig.take_outbox()
            written = self._write_port(data)
            if written < len(data):
                rig.put_back(data[written:])
        self._watch_for_room(bool(rig.outbox))

    def _pause(self) -> float | None:
        """Seconds until something is due; None = until somebody wakes the thread."""
        at = self._rig.next_due(float("inf"))
        if self._rig.back_at is not None:
            at = min(at, self._rig.back_at)
        return None if at == float("inf") else max(0.0, at - self._now())
