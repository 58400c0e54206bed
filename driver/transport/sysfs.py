"""What a Linux kernel tells of USB devices and their serial ports, read from its files; nothing is opened.

May import: the standard library. Read next: `discovery.py`, which gives the same on every system.
pyserial's own list fails as a whole when one device tells something that it does not expect; here one that cannot be
read is left out, and the others are listed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SYS: Final = Path("/sys")
_LONGEST: Final = 126
"""Characters that a text of a USB device can have."""


@dataclass(frozen=True, slots=True)
class UsbInterface:
    """One interface of a device: its number, its class, and the driver that has it ("" = none)."""

    number: int
    kind: int
    driver: str


@dataclass(frozen=True, slots=True)
class UsbDevice:
    """A USB device as it tells itself; texts are "" when it tells none. `location` is where it is plugged in: "1-2".

    `node` is the file of the device itself ("" on systems that have none), `problem` why the system cannot use it.
    """

    vendor: int
    product: int
    location: str
    serial: str = ""
    manufacturer: str = ""
    name: str = ""
    node: str = ""
    interfaces: tuple[UsbInterface, ...] = ()
    problem: str = ""


def is_same(one: UsbDevice, other: UsbDevice) -> bool:
    """Whether two records are of one device: by its place, and by all its numbers where a place is none of a socket.

    Windows names the place of a port by sockets and that of a device by the device itself.
    """
    if one.location == other.location:
        return True
    told_by_itself = bool(one.serial) and one.serial in (one.location, other.location)
    return told_by_itself and (one.vendor, one.product, one.serial) == (other.vendor, other.product, other.serial)


@dataclass(frozen=True, slots=True)
class UsbPort:
    """A serial port of a USB device: its path, the device, and which of its interfaces it is (-1 = not told)."""

    path: str
    device: UsbDevice
    interface: int
    driver: str


def usb_devices(root: Path = SYS) -> list[UsbDevice]:
    """All USB devices but hubs, in the order of their places."""
    places = sorted(_children(root / "bus/usb/devices"), key=lambda place: _place(place.name))
    found = [_device(place) for place in places if ":" not in place.name]
    return [device for device in found if device is not None and not _is_hub(device)]


def usb_ports(root: Path = SYS) -> list[UsbPort]:
    """The serial ports that belong to USB devices, in the order of their names."""
    entries = sorted(_children(root / "class/tty"), key=lambda entry: (len(entry.name), entry.name))
    found = [_port(entry.name, Path(os.path.realpath(entry))) for entry in entries]
    return [port for port in found if port is not None]


def _port(name: str, place: Path) -> UsbPort | None:
    for folder in place.parents:
        number = _number(folder, "bInterfaceNumber")
        if number is not None:
            device = _device(folder.parent)
            return None if device is None else UsbPort(f"/dev/{name}", device, number, _driver(folder))
    return None


def _device(place: Path) -> UsbDevice | None:
    """The device of that folder; None when it does not tell what it is."""
    vendor, product = _number(place, "idVendor"), _number(place, "idProduct")
    if vendor is None or product is None:
        return None
    bus, number = _text(place, "busnum"), _text(place, "devnum")
    return UsbDevice(
        vendor,
        product,
        place.name,
        _text(place, "serial"),
        _text(place, "manufacturer"),
        _text(place, "product"),
        f"/dev/bus/usb/{int(bus):03d}/{int(number):03d}" if bus.isdecimal() and number.isdecimal() else "",
        tuple(_interfaces(place)),
    )


def _interfaces(place: Path) -> Iterator[UsbInterface]:
    for folder in sorted(_children(place)):
        number, kind = _number(folder, "bInterfaceNumber"), _number(folder, "bInterfaceClass")
        if number is not None and kind is not None:
            yield UsbInterface(number, kind, _driver(folder))


def _is_hub(device: UsbDevice) -> bool:
    return any(interface.kind == _HUB for interface in device.interfaces)


_HUB: Final = 9


def _place(name: str) -> list[tuple[int, str]]:
    """A key that puts 1-2 before 1-10."""
    return [(int(part) if part.isdecimal() else -1, part) for part in name.replace(".", "-").split("-")]


def _driver(folder: Path) -> str:
    try:
        return os.path.basename(os.readlink(folder / "driver"))
    except OSError:
        return ""


def _number(folder: Path, name: str) -> int | None:
    try:
        return int(_text(folder, name), 16)
    except ValueError:
        return None


def _text(folder: Path, name: str) -> str:
    """The first line of a file of the kernel; "" when there is none. What is no character is left out."""
    try:
        raw = (folder / name).read_bytes()[: 4 * _LONGEST]
    except (OSError, ValueError):
        return ""
    line = raw.decode("utf-8", "ignore").partition("\n")[0].strip()
    return "".join(sign for sign in line if sign.isprintable())[:_LONGEST]


def _children(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
