"""Finds ports that may have a machine, without opening any of them.

May import: `driver.errors`, pyserial's port list and the standard library. Read next: `../machine.py`.
Opening a port can reset a stranger's device, so a port is only listed here; HELLO on the chosen one proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

from driver.errors import MachineNotFound


@dataclass(frozen=True, slots=True)
class Port:
    """A port that exists: its address, and what the operating system says about it."""

    url: str
    description: str


def list_ports() -> list[Port]:
    """All serial ports of this computer that belong to a device, in the order of their names."""
    from serial.tools import list_ports as ports

    found = [port for port in ports.comports() if port.vid is not None]
    return [Port(f"serial:{port.device}", port.description or "serial port") for port in sorted(found)]


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
