"""The machine on a serial line of its own: a pseudo-terminal, for hosts that open a serial port.

May import: `served` and the standard library with os, pty and tty, which Windows has not.
Read next: `memory.py` for the same without a clock.
"""

from __future__ import annotations

import os
import pty
import selectors
import tty

from firmware_sim.endpoints.served import ServedEndpoint

_READ_AT_ONCE = 65_536


class PtyEndpoint(ServedEndpoint):
    """Url "serial:/dev/pts/N" (or what the system calls it). Raw; a host may come and go; after a cut the name is new.

    The slave's end is kept open here, so that a host that leaves does not end the line.
    """

    _master = -1
    _slave = -1
    _last_name = ""

    def _open_port(self) -> str:
        master, slave = pty.openpty()
        held = []
        while os.ttyname(slave) == self._last_name:
            held += [master, slave]
            master, slave = pty.openpty()
        for other in held:
            os.close(other)
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._master, self._slave = master, slave
        self._last_name = os.ttyname(slave)
        self._selector.register(master, selectors.EVENT_READ)
        return f"serial:{self._last_name}"

    def _close_port(self) -> None:
        if self._master >= 0:
            self._selector.unregister(self._master)
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1

    def _read_port(self, ready: object) -> bytes:
        if ready != self._master:
            return b""
        try:
            return os.read(self._master, _READ_AT_ONCE)
        except BlockingIOError:
            return b""

    def _write_port(self, data: bytes) -> int:
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0

    def _watch_for_room(self, wanted: bool) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if wanted else 0)
        if self._selector.get_key(self._master).events != events:
            self._selector.modify(self._master, events)
