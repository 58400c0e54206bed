"""Opens the same way to a machine again and again, also when its cable comes back under another port name.

May import: `url`, `discovery`, `driver.errors`. Read next: `../controls.py`, which opens again after a failure.
A port is recognised by the device behind it (USB ids and serial number as the operating system tells them, never an
empty one), so no stranger's port is opened to look, nor the one that took the machine's name; HELLO then proves the
machine.
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
        path = serial_path(self._url)
        if path is not None and self._device is not None and device_at(path) != self._device:
            path = port_of(self._device)
            if path is None:
                raise MachineNotFound("The machine is not plugged in any more.", url=self._url)
            self._url = f"serial:{path}"
        transport = open_transport(self._url, baud=self._baud)
        if path is not None and self._device is None:
            self._device = device_at(path)
        return transport
