"""The driver's transport and clock over the simulator's memory endpoint: one thread, one manual clock.

May import: driver, firmware_sim. Read next: `peers.py`.
"""

from __future__ import annotations

from driver.errors import TransportClosed
from driver.transport.base import Transport
from firmware_sim.endpoints.base import EndpointCut
from firmware_sim.endpoints.memory import MemoryEndpoint


class MemoryTransport(Transport):
    """A transport over `endpoint`; reading drives the simulated clock, so it has no reader thread."""

    threaded = False

    def __init__(self, endpoint: MemoryEndpoint) -> None:
        self.url = endpoint.url
        self._endpoint = endpoint
        self._closed = False
        self._failure: TransportClosed | None = None

    def write(self, data: bytes) -> None:
        self._check_open()
        try:
            self._endpoint.write(data)
        except EndpointCut as error:
            raise self._lost(error) from error

    def read(self, timeout: float) -> bytes:
        self._check_open()
        try:
            return self._endpoint.read(timeout)
        except EndpointCut as error:
            raise self._lost(error) from error

    def close(self) -> None:
        self._closed = True

    def _check_open(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._closed:
            raise TransportClosed("closed", url=self.url)

    def _lost(self, error: EndpointCut) -> TransportClosed:
        self._failure = TransportClosed(str(error), url=self.url)
        return self._failure


class ManualClock:
    """The driver's clock over the memory endpoint's."""

    def __init__(self, endpoint: MemoryEndpoint) -> None:
        self._endpoint = endpoint
        self._slept = 0.0

    def monotonic(self) -> float:
        return self._endpoint.now - self._slept

    def asleep(self) -> float:
        return self._slept

    def sleep(self, seconds: float) -> None:
        """The computer sleeps; for everybody else time passes."""
        self._endpoint.pass_time(seconds)
        self._slept += seconds

    def wait(self, seconds: float) -> None:
        self._endpoint.pass_time(seconds)
