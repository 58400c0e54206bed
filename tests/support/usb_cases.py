"""What can go wrong on USB, as one table: what libusb says, and what the transport makes of it.

The same cases run over the bus that is not there, over the real libusb on an emulated device, and over a real kernel.
May import: driver, protocol, pyusb. Read next: `tests/unit/test_usb_cases.py`, `tests/emulated/test_usbfs.py`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import pytest
import usb.core
import usb.util

from driver.errors import MachineBusy, PermissionDenied, TransportClosed, TransportError
from driver.transport.usb_bulk import UsbTransport
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import VENDOR_IN, VENDOR_INTERFACE, VENDOR_OUT


class Bench(Protocol):
    """One machine on USB that a test can spoil. `backend` is what pyusb is to use, None = the system's libusb."""

    @property
    def serial(self) -> str:
        """Its serial number."""

    @property
    def backend(self) -> Any:
        """pyusb's backend for it."""

    def denied(self) -> AbstractContextManager[None]:
        """Meanwhile this user may not open it."""

    def deaf(self) -> AbstractContextManager[None]:
        """Meanwhile it takes no bytes."""

    def halt(self, endpoint: int) -> None:
        """The endpoint answers with a stall from now on."""

    def send_long_packet(self) -> None:
        """It sends a packet that is longer than a packet may be."""

    def pull(self) -> None:
        """The cable is out when this returns."""

    def put_back(self) -> None:
        """The cable is in again, and the system has seen it, when this returns."""


@dataclass(frozen=True, slots=True)
class Case:
    """One row: what happens, the errno that pyusb raises, the error that the transport makes of it."""

    name: str
    happens: Callable[[Bench], None]
    number: int
    error: type[TransportError]

    def check(self, bench: Bench) -> None:
        """Fails unless it comes out as the row says."""
        with pytest.raises(self.error) as caught:
            self.happens(bench)
        assert f"[Errno {self.number}]" in caught.value.details
        assert caught.value.hint


@contextmanager
def opened(bench: Bench) -> Iterator[UsbTransport]:
    """The driver's transport to it."""
    transport = UsbTransport(bench.serial, backend=bench.backend)
    try:
        yield transport
    finally:
        transport.close()


def _write_to_the_deaf(bench: Bench) -> None:
    with opened(bench) as transport, bench.deaf():
        transport.write(b"\0")


def _open_twice(bench: Bench) -> None:
    with opened(bench), opened(bench):
        raise AssertionError("two programs have the same interface")


def _open_denied(bench: Bench) -> None:
    with bench.denied(), opened(bench):
        raise AssertionError("opened without permission")


def _read_halted(bench: Bench) -> None:
    with opened(bench) as transport:
        bench.halt(VENDOR_IN)
        transport.read(1.0)


def _write_halted(bench: Bench) -> None:
    with opened(bench) as transport:
        bench.halt(VENDOR_OUT)
        transport.write(b"\0")


def _read_long_packet(bench: Bench) -> None:
    with opened(bench) as transport:
        transport.write(b"\0")
        bench.send_long_packet()
        _read_until_closed(transport)


def _read_unplugged(bench: Bench) -> None:
    with opened(bench) as transport:
        bench.pull()
        _read_until_closed(transport)


def _write_unplugged(bench: Bench) -> None:
    with opened(bench) as transport:
        bench.pull()
        transport.write(b"\0")


def _read_until_closed(transport: UsbTransport) -> None:
    for _ in range(100):
        transport.read(1.0)
    raise AssertionError("the line never broke")


CASES: tuple[Case, ...] = (
    Case("timeout of a write", _write_to_the_deaf, errno.ETIMEDOUT, TransportClosed),
    Case("busy", _open_twice, errno.EBUSY, MachineBusy),
    Case("denied", _open_denied, errno.EACCES, PermissionDenied),
    Case("stall of a read", _read_halted, errno.EPIPE, TransportClosed),
    Case("stall of a write", _write_halted, errno.EPIPE, TransportClosed),
    Case("overflow", _read_long_packet, errno.EOVERFLOW, TransportClosed),
    Case("unplug before a read", _read_unplugged, errno.ENODEV, TransportClosed),
    Case("unplug before a write", _write_unplugged, errno.ENODEV, TransportClosed),
)
"""Every failure. A read in which nothing comes is none, and replugging is what follows one: `check_silence`,
`check_replug`."""

EVERY_CASE = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def check_silence(bench: Bench) -> None:
    """A read in which nothing comes: errno ETIMEDOUT of pyusb, no bytes of the transport, which stays open."""
    device = usb.core.find(idVendor=USB_VENDOR, idProduct=USB_PRODUCT, backend=bench.backend)
    try:
        usb.util.claim_interface(device, VENDOR_INTERFACE)
        with pytest.raises(usb.core.USBTimeoutError) as caught:
            device.read(VENDOR_IN, 64, 20)
    finally:
        usb.util.dispose_resources(device)
    assert caught.value.errno == errno.ETIMEDOUT
    with opened(bench) as transport:
        assert [transport.read(0.02) for _ in range(3)] == [b""] * 3
        transport.write(b"\0")


def check_replug(bench: Bench) -> None:
    """The old transport stays closed; a new one opens the same machine, and whatever spoiled the old one is gone."""
    with opened(bench) as transport:
        bench.halt(VENDOR_OUT)
        bench.pull()
        with pytest.raises(TransportClosed):
            _read_until_closed(transport)
        bench.put_back()
        for _ in range(2):
            with pytest.raises(TransportClosed):
                transport.write(b"\0")
            with pytest.raises(TransportClosed):
                transport.read(0.0)
        with opened(bench) as again:
            again.write(b"\0")
            again.read(0.02)


def check_permission_repaired(bench: Bench) -> None:
    """Who was refused is let in once the permission is right, in the same program."""
    with bench.denied(), pytest.raises(PermissionDenied):
        UsbTransport(bench.serial, backend=bench.backend)
    with opened(bench) as transport:
        transport.write(b"\0")
