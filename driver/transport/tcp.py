"""A machine (or an adapter that is one) behind a TCP port.

May import: `base`, `driver.errors` and the standard library. Read next: `url.py`.
"""

from __future__ import annotations

import select
import socket

from driver.errors import MachineNotFound, TransportClosed
from driver.transport.base import Transport

CONNECT_TIMEOUT = 3.0
WRITE_TIMEOUT = 2.0
CHUNK = 4096


class TcpTransport(Transport):
    """A TCP stream to `host`:`port`. Raises MachineNotFound when nobody listens there."""

    def __init__(self, host: str, port: int) -> None:
        self.url = f"tcp:{host}:{port}"
        try:
            self._socket = socket.create_connection((host, port), CONNECT_TIMEOUT)
        except OSError as error:
            raise MachineNotFound(f"Nothing listens at {self.url}.", url=self.url, details=str(error)) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(WRITE_TIMEOUT)
        self._closed = False
        self._failure: TransportClosed | None = None

    def write(self, data: bytes) -> None:
        self._check_open()
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._lost(error) from error

    def read(self, timeout: float) -> bytes:
        self._check_open()
        try:
            ready, _, _ = select.select([self._socket], [], [], timeout)
            if not ready:
                return b""
            chunk = self._socket.recv(CHUNK)
        except (OSError, ValueError) as error:
            raise self._lost(error) from error
        if not chunk:
            raise self._lost(None)
        return chunk

    def close(self) -> None:
        self._closed = True
        self._socket.close()

    def _check_open(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._closed:
            raise TransportClosed(f"{self.url} is closed.", url=self.url)

    def _lost(self, error: Exception | None) -> TransportClosed:
        self._failure = TransportClosed(
            f"The machine at {self.url} closed the line.", url=self.url, details=str(error or "")
        )
        return self._failure
