"""Addresses of machines as text, and the transport that each asks for.

May import: `base`, `protocol.usb` and, when one is opened, the module of that way. Read next: `discovery.py`.
"""

from __future__ import annotations

import re
from typing import Final

from driver.errors import ConfigError
from driver.transport.base import Transport
from protocol.usb import SERIAL

SCHEMES: Final = ("serial:/dev/ttyACM0", "usb:DM0042", "tcp:127.0.0.1:7001")
"""One example of each address that `open_transport` understands."""
_ADDRESS: Final = re.compile(r"[a-z]+:.|/|COM\d+$|\\\\[.?]\\", re.IGNORECASE)


def open_transport(url: str, *, baud: int | None = None) -> Transport:
    """Opens the transport that `url` names; a bare path is a serial port, "usb:DM0042@1-2" the machine in that place.

    Raises ConfigError for an address that is none, and the TransportErrors of that way.
    """
    scheme, colon, rest = url.partition(":")
    if scheme == "tcp" and colon:
        host, _, port = rest.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise _no_address(url)
        from driver.transport.tcp import TcpTransport

        return TcpTransport(host, int(port))
    if scheme == "usb" and colon:
        number, _, place = rest.partition("@")
        if not SERIAL.fullmatch(number):
            raise _no_address(url)
        from driver.transport.usb_bulk import UsbTransport

        return UsbTransport(number, path=place)
    path = serial_path(url)
    if path is None:
        raise _no_address(url)
    from driver.transport.serial_port import SerialTransport

    return SerialTransport(path) if baud is None else SerialTransport(path, baud)


def is_address(text: str) -> bool:
    """Whether that is an address, and no name that has to be looked for."""
    return _ADDRESS.match(text) is not None


def serial_path(url: str) -> str | None:
    """The port in an address of a serial machine; None for any other address."""
    scheme, colon, rest = url.partition(":")
    if colon and scheme == "serial":
        return rest or None
    is_port = url.startswith("/") or url.upper().startswith("COM")
    return url if is_port or (url and not colon) else None


def _no_address(url: str) -> ConfigError:
    *others, last = SCHEMES
    hint = f"Write {', '.join(others)} or {last}."
    return ConfigError(f"{url!r} is no address of a machine.", key="machine", value=url, hint=hint)
