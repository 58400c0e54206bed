"""Lists the ports that may have a machine, without opening any of them; and finds a device again by what it tells.

May import: `sysfs`, pyserial's port list and the standard library. Read next: `reopen.py`; `../plugged_in/`, which says
which of the ports is meant. Opening a port can reset a stranger's device, so a port is only listed here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from driver.transport.sysfs import UsbDevice, UsbPort, usb_ports

_WORD: Final = 0xFFFF
"""macOS tells an id as a number with a sign."""


@dataclass(frozen=True, slots=True)
class Device:
    """A USB device by which a machine is found again; `serial` is never empty."""

    vendor: int
    product: int
    serial: str


def list_ports() -> list[UsbPort]:
    """All serial ports of this computer that belong to a USB device, in the order of their names."""
    return usb_ports() if sys.platform.startswith("linux") else _ports_of_pyserial()


def ports_from(found: Iterable[Any]) -> list[UsbPort]:
    """The ports as pyserial tells them. Of the two names that macOS has for one port, `cu.` is the one that opens."""
    listed = {port.path: port for port in map(_port, found) if port is not None}
    return sorted(listed.values(), key=lambda port: (len(port.path), port.path))


def _ports_of_pyserial() -> list[UsbPort]:
    from serial.tools import list_ports as ports

    return ports_from(ports.comports())


def device_at(path: str) -> Device | None:
    """The device behind the serial port `path` (or behind the port that it links to); None when it tells no serial."""
    place = os.path.realpath(path)
    return next((_told(port) for port in list_ports() if port.path in (path, place)), None)


def port_of(device: Device) -> str | None:
    """The path of the port that `device` has now; None when it is not plugged in, or when two tell the same."""
    found = [port for port in list_ports() if _told(port) == device]
    places = {port.device.location for port in found}
    return min(found, key=lambda port: port.interface).path if len(places) == 1 else None


def _told(port: UsbPort) -> Device | None:
    device = port.device
    return Device(device.vendor, device.product, device.serial) if device.serial else None


def _port(port: Any) -> UsbPort | None:
    path = str(port.device).replace("/dev/tty.", "/dev/cu.", 1)
    # "1-2:1.3" on Linux, "1-2:x.3" on Windows: the place, then the interface; the place alone on macOS.
    place, _, interface = str(port.location or path).partition(":")
    number = interface.rpartition(".")[2]
    try:
        device = UsbDevice(
            int(port.vid) & _WORD,
            int(port.pid) & _WORD,
            place,
            str(port.serial_number or ""),
            str(port.manufacturer or "") if port.product else "",
            str(port.product or ""),
        )
    except (TypeError, ValueError):  # no USB device, or one that does not tell what it is
        return None
    # Windows tells the texts of its driver, not those of the device: then there is no product.
    driver = "" if port.product else str(port.description or "")
    return UsbPort(path, device, int(number) if number.isdecimal() else -1, driver)
