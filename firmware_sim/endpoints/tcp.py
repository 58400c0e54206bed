"""The machine on a loopback TCP port: the simulator that runs on every system.

May import: `served` and the standard library; never termios, pty or fcntl (a test blocks them).
Read next: `pty.py`, the same on a serial line.
"""

from __future__ import annotations

import selectors
import socket

from firmware_sim.endpoints.served import ServedEndpoint

_READ_AT_ONCE = 65_536


class TcpEndpoint(ServedEndpoint):
    """Url "tcp:127.0.0.1:PORT", port chosen by the system. One host at a time; a newer one replaces it."""

    _listener: socket.socket | None = None
    _host: socket.socket | None = None
    _last_port = 0

    def _open_port(self) -> str:
        held = []
        listener = _listen()
        while listener.getsockname()[1] == self._last_port:
            held.append(listener)
            listener = _listen()
        for other in held:
            other.close()
        self._listener = listener
        self._last_port = listener.getsockname()[1]
        self._selector.register(listener, selectors.EVENT_READ)
        return f"tcp:127.0.0.1:{self._last_port}"

    def _close_port(self) -> None:
        self._drop_host()
        if self._listener is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None

    def _read_port(self, ready: object) -> bytes:
        if ready is self._listener and self._listener is not None:
            self._accept(self._listener)
        elif ready is self._host and self._host is not None:
            try:
                data = self._host.recv(_READ_AT_ONCE)
            except BlockingIOError:
                return b""
            except OSError:
                data = b""
            if data:
                return data
            self._drop_host()
        return b""

    def _write_port(self, data: bytes) -> int:
        if self._host is None:
            return len(data)
        try:
            return self._host.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self._drop_host()
            return len(data)

    def _watch_for_room(self, wanted: bool) -> None:
        if self._host is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if wanted else 0)
            if self._selector.get_key(self._host).events != events:
                self._selector.modify(self._host, events)

    def _accept(self, listener: socket.socket) -> None:
        try:
            host, _ = listener.accept()
        except OSError:
            return  # it went away again
        self._drop_host()
        self._rig.take_outbox()
        host.setblocking(False)
        host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(host, selectors.EVENT_READ)
        self._host = host

    def _drop_host(self) -> None:
        if self._host is not None:
            self._selector.unregister(self._host)
            self._host.close()
            self._host = None


def _listen() -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    listener.setblocking(False)
    return listener
