"""Opens the same way to a machine again and again, also when its cable comes back under another port name.

May import: `url`, `discovery`, `driver.errors`. Read next: `../controls.py`, which opens again after a failure.
A port is recognised by the device behind it (USB ids and serial number as the operating system tells them, never an
empty one), so no stranger's port is opened to look; HELLO then proves the machine.
"""

from __future__ import annotations

from driver.errors import MachineNotFound
from driver.transport.base import Transport
from driver.transport.discovery import Device, device_at, port_of
from driver.transport.url import open_transport, serial_path


class Reopening:
    """Call it for a new transport to `url`. Raises the TransportErrors of that way."""

    def __init__(self, url: str, *, baud: int | None = None) -> None:
        self._url = url
        self._baud = baud
        self._device: Device | None = None

    def __call__(self) -> Transport:
        try:
            transport = open_transport(self._url, baud=self._baud)
        except MachineNotFound:
            moved = None if self._device is None else port_of(self._device)
            if moved is None:
                raise
            transport = open_transport(moved, baud=self._baud)
            self._url = moved
        if self._device is None and (path := serial_path(self._url)) is not None:
            self._device = device_at(path)
        return transport
