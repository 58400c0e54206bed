"""The endpoint without I/O: host and machine in one thread on one manual clock, which moves only while the host waits.

May import: `base`, `rig`, `line` and the standard library. Read next: `served.py`, the endpoints with a real clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from firmware_sim.endpoints.base import Actor, Device, Endpoint, EndpointCut
from firmware_sim.endpoints.rig import Rig
from firmware_sim.line import Line


class MemoryEndpoint(Endpoint):
    """A machine reached by method calls; `now` is the only clock there is. For one thread.

    `line`, `baud` and `person` as in `Rig`. `before_wait(deadline)`, when set, runs at the start of each `read` that
    is going to wait.
    """

    def __init__(
        self, machine: Device, *, line: Line | None = None, baud: int | None = None, person: Actor | None = None
    ) -> None:
        self.rig = Rig(machine, line, baud, person)
        self.before_wait: Callable[[float], None] | None = None
        self._closed = False

    @property
    def now(self) -> float:
        """Seconds on the manual clock of both ends."""
        return self.rig.now

    def monotonic(self) -> float:
        """`now`, as the host's clock."""
        return self.rig.now

    @property
    def url(self) -> str:
        """Always "memory:"."""
        return "memory:"

    @property
    def is_cut(self) -> bool:
        """True while the cable is out."""
        return self.rig.is_cut

    @property
    def cuts(self) -> int:
        """How often the cable came out."""
        return self.rig.cuts

    def write(self, data: bytes) -> None:
        """Bytes from the host go onto the line now. Raises EndpointCut while the cable is out."""
        self._need_open()
        self.rig.from_host(data)

    def read(self, timeout: float) -> bytes:
        """What has reached the host; when nothing has, waits up to `timeout` seconds (b"" = nothing came).

        Raises EndpointCut while the cable is out, also when it comes out during the wait.
        """
        self._need_open()
        rig = self.rig
        if not rig.outbox:
            rig.exchange()
        if not rig.outbox and not rig.is_cut and timeout > 0:
            deadline = rig.now + timeout
            if self.before_wait is not None:
                self.before_wait(deadline)
            rig.run_to(deadline, until_bytes=True)
        if rig.is_cut:
            raise EndpointCut("The cable is out.")
        return rig.take_outbox()

    def pass_time(self, seconds: float) -> None:
        """Lets `seconds` pass while nobody reads; what arrives waits. Allowed while the cable is out."""
        self.rig.run_to(self.rig.now + seconds)

    @contextmanager
    def at_machine(self) -> Iterator[Rig]:
        """The rig; the clock stands still meanwhile."""
        try:
            yield self.rig
        finally:
            self.rig.exchange()

    def cut(self) -> None:
        """Pulls the cable at once: bytes under way or not yet read are lost."""
        self.rig.cut()

    def reconnect(self) -> str:
        """Puts the cable back. Raises EndpointCut while a planned cut lasts, or after `close`."""
        self._need_open()
        self.rig.reconnect()
        return self.url

    def close(self) -> None:
        """Ends the endpoint; the machine itself stays as it is."""
        self._closed = True

    def _need_open(self) -> None:
        if self._closed:
            raise EndpointCut("The endpoint is closed.")
