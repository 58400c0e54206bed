"""The same over pty, TCP and the fake USB, in turn in one run: round trips, bytes, and what an open line costs idle.

May import: driver, firmware_sim, `tests.support`. Read next: `measures.py`.
Host and machine are threads of one process, so the ratios say what a transport costs, not what a cable carries.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Final

from driver.clock import SystemClock
from driver.transport.base import Transport
from driver.transport.url import open_transport
from driver.transport.usb_bulk import UsbTransport
from firmware_sim.endpoints.called import CalledEndpoint
from firmware_sim.endpoints.fake_usb import FakeUsb, FakeUsbDevice
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.endpoints.tcp import TcpEndpoint
from protocol.codes import Kind
from protocol.constants import MAX_PAYLOAD
from protocol.framing import Frame, encode_frame
from protocol.usb import UsbIdentity
from tests.bench.jobs import data_folder
from tests.support.peers import Peer, Setup, served_peer, usb_peer

USB: Final = "fake USB"
PORTS: Final = ("pty", "tcp", USB)
LONGEST_FRAME: Final = encode_frame(Frame(Kind.ANSWER, 0, 0, 1, bytes(range(1, MAX_PAYLOAD + 1))))
AT_ONCE: Final = 16
"""Frames under way; the echo of more could fill the line while nobody reads."""


class Mirror:
    """Sends everything back at once."""

    now = 0.0

    def __init__(self) -> None:
        self._heard: list[tuple[float, bytes]] = []

    def receive(self, data: bytes) -> None:
        self._heard.append((self.now, data))

    def advance_to(self, time: float) -> None:
        self.now = time

    def take_output(self) -> list[tuple[float, bytes]]:
        heard, self._heard = self._heard, []
        return heard

    def next_due(self) -> float | None:
        return None


def ports_here() -> tuple[str, ...]:
    """Those of `PORTS` that this system has."""
    return tuple(port for port in PORTS if port != "pty" or find_spec("pty") is not None)


def in_turn(runs: int, measure: Callable[[str], float]) -> dict[str, tuple[float, ...]]:
    """Measures each port once in every run, one after the other; nothing for a port that this system lacks."""
    taken: dict[str, list[float]] = {port: [] for port in PORTS}
    for _ in range(runs):
        for port in ports_here():
            taken[port].append(measure(port))
    return {port: tuple(figures) for port, figures in taken.items()}


def status_per_second(port: str, trips: int) -> float:
    """STATUS and its answer so many times, each waited for."""
    with open_peer(port) as peer, peer.open() as machine:
        start = time.perf_counter()
        for _ in range(trips):
            machine.status()
        return trips / (time.perf_counter() - start)


def bytes_per_second(port: str, frames: int) -> float:
    """The longest frame to the machine and back so many times; counted once, not for each way."""
    with _mirror(port) as transport:
        begun = time.perf_counter()
        burst = LONGEST_FRAME * AT_ONCE
        for _ in range(max(1, frames // AT_ONCE)):
            for _ in range(AT_ONCE):
                transport.write(LONGEST_FRAME)
            back = b""
            while len(back) < len(burst):
                back += transport.read(1.0)
            assert back == burst
        return max(1, frames // AT_ONCE) * len(burst) / (time.perf_counter() - begun)


def idle_share(seconds: float) -> dict[str, float]:
    """Share of one processor that the host's reader of a quiet, open connection takes; empty where nobody tells."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return {}
    with ExitStack() as stack:
        readers: dict[str, int] = {}
        for port in ports_here():
            before = set(threading.enumerate())
            stack.enter_context(stack.enter_context(open_peer(port)).open()).status()
            (reader,) = (one for one in set(threading.enumerate()) - before if one.name.startswith("link"))
            assert reader.ident is not None
            readers[port] = time.pthread_getcpuclockid(reader.ident)
        before_all, begun = {port: time.clock_gettime(clock) for port, clock in readers.items()}, time.monotonic()
        SystemClock().wait(seconds)
        wall = time.monotonic() - begun
        return {port: (time.clock_gettime(clock) - before_all[port]) / wall for port, clock in readers.items()}


@contextmanager
def open_peer(port: str) -> Iterator[Peer]:
    """A machine behind that port, on this computer's clock."""
    with data_folder() as data:
        peer = usb_peer(data, Setup(), real_clock=True) if port == USB else served_peer(data, Setup(), _served(port))
        try:
            yield peer
        finally:
            peer.close()


def _served(port: str) -> type[ServedEndpoint]:
    if port == "tcp":
        return TcpEndpoint
    from firmware_sim.endpoints.pty import PtyEndpoint

    return PtyEndpoint


@contextmanager
def _mirror(port: str) -> Iterator[Transport]:
    """A transport to a mirror behind that port."""
    endpoint = CalledEndpoint(Mirror()) if port == USB else _served(port)(Mirror())
    with endpoint:
        if isinstance(endpoint, CalledEndpoint):
            bus = FakeUsb(FakeUsbDevice(UsbIdentity("MIRROR"), endpoint))
            transport: Transport = UsbTransport("MIRROR", backend=bus)
        else:
            transport = open_transport(endpoint.url)
        try:
            yield transport
        finally:
            transport.close()
