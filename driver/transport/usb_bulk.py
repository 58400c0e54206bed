"""A machine on USB, over pyusb: the bulk pair of its vendor interface. The only module that knows pyusb's exceptions.

May import: `base`, `holder`, `driver.errors`, `protocol.usb`, pyusb, libusb-package where it is installed, and the
standard library. Read next: `url.py`; PROTOCOL.md, section 14, for what a machine on USB says of itself.

The backend is always named: the system's libusb 1.0, else the one of the extra `usb`; tests give one of their own. A
read asks for one packet, because a machine need not send an empty one after a full one, and a longer read would wait
for it. Packet borders and empty packets mean nothing. pyusb remembers that a device had no strings, and opens again
what was disposed of: each opening looks for the device anew, and a closed transport knows itself that it is closed.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import math
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto, unique
from typing import Any, Final

import usb.backend.libusb1
import usb.core
import usb.util

from driver.errors import (
    MachineBusy,
    MachineNotFound,
    PermissionDenied,
    TransportClosed,
    TransportError,
    UsbSupportMissing,
)
from driver.transport.base import Transport
from driver.transport.holder import holder_of
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import MANUFACTURER, PRODUCT, VENDOR_CLASS

WRITE_TIMEOUT: Final = 2.0
USB_FAILURES: Final = (OSError, ValueError, LookupError, NotImplementedError)
"""What pyusb raises: USBError is an OSError, and a missing string, driver or descriptor has an exception of its own."""

# pyusb can be told by the environment to write all that it carries to a file: the cards of a board are in that (I7).
logging.getLogger("usb").setLevel(logging.CRITICAL + 1)


@unique
class _Cause(Enum):
    TIMEOUT = auto()
    DENIED = auto()
    BUSY = auto()
    GONE = auto()
    UNSUPPORTED = auto()
    OTHER = auto()


_BY_LIBUSB: Final = {
    usb.backend.libusb1.LIBUSB_ERROR_TIMEOUT: _Cause.TIMEOUT,
    usb.backend.libusb1.LIBUSB_ERROR_ACCESS: _Cause.DENIED,
    usb.backend.libusb1.LIBUSB_ERROR_BUSY: _Cause.BUSY,
    usb.backend.libusb1.LIBUSB_ERROR_NO_DEVICE: _Cause.GONE,
    usb.backend.libusb1.LIBUSB_ERROR_NOT_SUPPORTED: _Cause.UNSUPPORTED,
}
_BY_ERRNO: Final = {
    errno.ETIMEDOUT: _Cause.TIMEOUT,
    errno.EACCES: _Cause.DENIED,
    errno.EPERM: _Cause.DENIED,
    errno.EBUSY: _Cause.BUSY,
    errno.ENODEV: _Cause.GONE,
    errno.ESHUTDOWN: _Cause.GONE,
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """Where a device is, as the bus shows it to everybody: nothing was opened to learn this.

    `path` is bus and ports, as in "1-2.4" ("" where the system does not tell ports); `node` what Linux opens for it.
    """

    path: str
    node: str


class UsbTransport(Transport):
    """The vendor interface of the machine with that serial number, for this program alone.

    `path` chooses between machines that say the same serial number. Raises MachineNotFound, PermissionDenied,
    MachineBusy, UsbSupportMissing or TransportError when it cannot be opened.
    """

    def __init__(self, serial: str, *, path: str = "", backend: Any = None) -> None:
        self.url = f"usb:{serial}@{path}" if path else f"usb:{serial}"
        self._closed = False
        self._failure: TransportClosed | None = None
        self._writing = threading.Lock()
        self._device = _the_one(self.url, serial, path, backend)
        try:
            self._in, self._out, packet = self._claim()
        except USB_FAILURES as error:
            _dispose(self._device)
            raise _cannot_open(self.url, _seen(self._device), error) from error
        except TransportError:
            _dispose(self._device)
            raise
        self._packet = usb.util.create_buffer(packet)

    def write(self, data: bytes) -> None:
        if not data:
            return
        with self._writing:
            self._check_open()
            try:
                written = self._device.write(self._out, data, _milliseconds(WRITE_TIMEOUT))
            except USB_FAILURES as error:
                raise self._lost(error) from error
            if written != len(data):
                raise self._lost(f"{written} of {len(data)} bytes went out in {WRITE_TIMEOUT} s")

    def read(self, timeout: float) -> bytes:
        self._check_open()
        end = time.monotonic() + timeout
        while True:
            try:
                size = self._device.read(self._in, self._packet, _milliseconds(timeout))
            except USB_FAILURES as error:
                if _cause(error) is _Cause.TIMEOUT:
                    return b""
                raise self._lost(error) from error
            timeout = end - time.monotonic()
            if size or timeout <= 0:
                chunk: bytes = self._packet[:size].tobytes()
                return chunk

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            _dispose(self._device)

    def _claim(self) -> tuple[int, int, int]:
        """Takes the vendor interface; gives the addresses of the bulk pair, in and out, and the size of a packet.

        Whatever another program left behind in the pair (a halt, half a transfer) ends here.
        """
        try:
            configuration = self._device.get_active_configuration()
        except usb.core.USBError as error:
            if _cause(error) is not _Cause.OTHER:
                raise
            self._device.set_configuration()
            configuration = self._device.get_active_configuration()
        for interface in configuration:
            pair = _bulk_pair(interface)
            if pair is not None:
                usb.util.claim_interface(self._device, interface.bInterfaceNumber)
                for endpoint in pair:
                    self._device.clear_halt(endpoint.bEndpointAddress)
                return pair[0].bEndpointAddress, pair[1].bEndpointAddress, int(pair[0].wMaxPacketSize)
        raise TransportError(
            f"The machine at {self.url} has no interface of its own on USB.",
            url=self.url,
            hint="Use its serial port instead: leave the address away, or ask for help with the machine.",
        )

    def _check_open(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._closed:
            raise TransportClosed(f"{self.url} is closed.", url=self.url)

    def _lost(self, why: Exception | str) -> TransportClosed:
        gone = isinstance(why, Exception) and _cause(why) is _Cause.GONE
        self._failure = TransportClosed(
            f"The machine at {self.url} was unplugged or switched off."
            if gone
            else f"The line to the machine at {self.url} broke.",
            url=self.url,
            hint="Push the cable in at both ends and see that the machine is on.",
            details=str(why),
        )
        return self._failure


def _the_one(url: str, serial: str, path: str, backend: Any) -> Any:
    """The device with that serial number. Raises MachineNotFound for none or several, or why none could be asked."""
    named: list[Any] = []
    others: list[str] = []
    refused: TransportError | None = None
    for device in _found(backend):
        if path and _seen(device).path != path:
            continue
        try:
            texts = _strings(device)
        except USB_FAILURES as error:
            refused = refused or _cannot_open(url, _seen(device), error)
            continue
        finally:
            _dispose(device)
        if texts[:2] == (MANUFACTURER, PRODUCT):
            if texts[2] == serial:
                named.append(device)
            else:
                others.append(texts[2])
    if len(named) == 1:
        return named[0]
    if named:
        paths = ", ".join(f"usb:{serial}@{_seen(device).path}" for device in named)
        raise MachineNotFound(
            f"Several machines on USB have the serial number {serial}.",
            url=url,
            hint=f"Say which one, by where it is plugged in: --machine with one of {paths}.",
        )
    if refused is not None:
        raise refused
    seen = f"; there is {', '.join(f'usb:{other}' for other in sorted(others))}" if others else ""
    raise MachineNotFound(f"No machine with the serial number {serial} is on USB{seen}.", url=url)


def _found(backend: Any) -> Iterator[Any]:
    """pyusb's devices with the ids of a machine, new objects each time."""
    try:
        yield from usb.core.find(
            find_all=True, idVendor=USB_VENDOR, idProduct=USB_PRODUCT, backend=_libusb() if backend is None else backend
        )
    except USB_FAILURES as error:
        raise TransportError("The USB ports of this computer cannot be looked at.", details=str(error)) from error


def _libusb() -> Any:
    """The backend of the system's libusb 1.0, else of libusb-package. Raises UsbSupportMissing."""
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        with contextlib.suppress(ImportError):
            import libusb_package

            backend = usb.backend.libusb1.get_backend(find_library=libusb_package.find_library)
    if backend is None:
        raise UsbSupportMissing(
            "This computer lacks libusb, which a machine on USB needs.",
            hint="On Debian, Ubuntu and Raspberry Pi OS: `sudo apt install libusb-1.0-0`. On Windows and macOS install "
            'this program as "dealing-machine[usb]". Or use the machine\'s serial port.',
        )
    return backend


def _seen(device: Any) -> _Seen:
    ports = ".".join(str(number) for number in device.port_numbers or ())
    path = f"{device.bus}-{ports}" if ports else ""
    return _Seen(path, f"/dev/bus/usb/{device.bus or 0:03}/{device.address or 0:03}")


def _strings(device: Any) -> tuple[str, str, str]:
    """Manufacturer, product and serial number; asked for one by one, so that pyusb remembers no refusal."""
    languages = usb.util.get_langids(device)
    if not languages:
        return "", "", ""
    indices = (device.iManufacturer, device.iProduct, device.iSerialNumber)
    maker, product, serial = (usb.util.get_string(device, index, languages[0]) or "" for index in indices)
    return maker, product, serial


def _bulk_pair(interface: Any) -> tuple[Any, Any] | None:
    """The endpoints in and out of a vendor interface; None for any other interface."""
    if interface.bInterfaceClass != VENDOR_CLASS or interface.bAlternateSetting:
        return None
    bulk = [one for one in interface if usb.util.endpoint_type(one.bmAttributes) == usb.util.ENDPOINT_TYPE_BULK]
    directions = {usb.util.endpoint_direction(one.bEndpointAddress): one for one in bulk}
    if set(directions) != {usb.util.ENDPOINT_IN, usb.util.ENDPOINT_OUT}:
        return None
    return directions[usb.util.ENDPOINT_IN], directions[usb.util.ENDPOINT_OUT]


def _cannot_open(url: str, device: _Seen, error: Exception) -> TransportError:
    details: dict[str, Any] = {"url": url, "details": str(error)}
    cause = _cause(error)
    if cause is _Cause.DENIED and sys.platform.startswith("linux"):
        return PermissionDenied(
            "This user may not open the machine on USB.",
            hint="Install the file udev/70-dealing-machine.rules (udev/README.md says how), then plug the machine in "
            f"again. The device is {device.node}.",
            **details,
        )
    if cause in (_Cause.DENIED, _Cause.BUSY):  # Windows and macOS know no permission here, only who came first.
        holder = holder_of(device.node)
        return MachineBusy(
            "Another program uses the machine on USB."
            if holder is None
            else f"The machine on USB is held by {holder}.",
            **details,
        )
    if cause is _Cause.UNSUPPORTED:
        return UsbSupportMissing(
            "This computer has no driver for the machine on USB.",
            hint="Unplug the machine and plug it in again; Windows then fetches the driver by itself. If that does "
            "not help, use the machine's serial port.",
            **details,
        )
    return MachineNotFound("The machine on USB went away or does not answer.", **details)


def _cause(error: Exception) -> _Cause:
    """What an exception of pyusb means, by libusb's number first, by the system's where there is none."""
    if isinstance(error, NotImplementedError):
        return _Cause.UNSUPPORTED
    by_libusb = _BY_LIBUSB.get(getattr(error, "backend_error_code", None) or 0)
    return by_libusb or _BY_ERRNO.get(getattr(error, "errno", None) or 0, _Cause.OTHER)


def _dispose(device: Any) -> None:
    with contextlib.suppress(*USB_FAILURES):
        usb.util.dispose_resources(device)


def _milliseconds(seconds: float) -> int:
    """libusb's timeout; 0 would mean for ever."""
    return max(1, math.ceil(1000 * seconds))
