"""Finds ports that may have a machine, without opening any of them.

May import: `driver.errors`, pyserial's port list and the standard library. Read next: `reopen.py`.
Opening a port can reset a stranger's device, so a port is only listed here; HELLO on the chosen one proves it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from driver.errors import MachineNotFound


@dataclass(frozen=True, slots=True)
class Device:
    """A USB device as the operating system names it; `serial` is never empty."""

    vendor: int
    product: int
    serial: str


@dataclass(frozen=True, slots=True)
class Port:
    """A port that exists: its address, what the operating system says about it, and the device behind it if known."""

    url: str
    description: str
    device: Device | None = None


def list_ports() -> list[Port]:
    """All serial ports of this computer that belong to a device, in the order of their names."""
    from serial.tools import list_ports as ports

    found = [port for port in ports.comports() if port.vid is not None]
    return [Port(f"serial:{port.device}", port.description or "serial port", _device(port)) for port in sorted(found)]


def the_only_port() -> str:
    """The address of the only port there is. Raises MachineNotFound when there is none, or more than one."""
    found = list_ports()
    if len(found) == 1:
        return found[0].url
    if not found:
        raise MachineNotFound("No port with a machine was found on this computer.")
    names = ", ".join(port.url for port in found)
    raise MachineNotFound(
        f"There are several ports: {names}.", hint="Say which one is the machine, with --machine ADDRESS."
    )


def device_at(path: str) -> Device | None:
    """The device behind the serial port `path` (or behind the port that it links to); None when it tells no serial."""
    url = f"serial:{os.path.realpath(path)}"
    return next((port.device for port in list_ports() if port.url == url), None)


def port_of(device: Device) -> str | None:
    """The address of the port that `device` has now; None when it is not plugged in."""
    return next((port.url for port in list_ports() if port.device == device), None)


def _device(port: Any) -> Device | None:
    return Device(port.vid, port.pid, port.serial_number) if port.serial_number else None
