"""The machine behind method calls on the real clock: what carries the fake USB where host and machine are two threads.

May import: `served` and the standard library. Read next: `fake_usb.py`; `memory.py` for the same on a manual clock.
"""

from __future__ import annotations

from typing import Final

from firmware_sim.endpoints.base import EndpointCut
from firmware_sim.endpoints.served import ServedEndpoint

FIFO: Final = 512
"""Bytes that wait for the host here; the rest waits in the machine, which drops what may be dropped."""


class CalledEndpoint(ServedEndpoint):
    """A machine that another thread writes to and reads from. Url "called:N", another N after each cut."""

    _times_opened = 0
    _arrived = b""

    @property
    def cuts(self) -> int:
        """How often the cable came out."""
        with self._state:
            return self._rig.cuts

    def write(self, data: bytes) -> None:
        """Bytes from the host. Raises EndpointCut while the cable is out or after `close`."""
        with self.at_machine() as rig:
            self._need_port()
            rig.from_host(data)

    def read(self, timeout: float) -> bytes:
        """Waits up to `timeout` seconds for bytes to the host; b"" = none came. Raises EndpointCut as `write`."""
        with self._state:
            self._state.wait_for(lambda: self._arrived or self._url is None, timeout)
            self._need_port()
            arrived, self._arrived = self._arrived, b""
            if arrived:
                self._wake_up()
            return arrived

    def _need_port(self) -> None:
        if self._url is None:
            raise EndpointCut("The cable is out.")

    def _open_port(self) -> str:
        self._times_opened += 1
        return f"called:{self._times_opened}"

    def _close_port(self) -> None:
        self._arrived = b""

    def _read_port(self, ready: object) -> bytes:
        return b""

    def _write_port(self, data: bytes) -> int:
        taken = data[: FIFO - len(self._arrived)]
        self._arrived += taken
        self._state.notify_all()
        return len(taken)

    def _watch_for_room(self, wanted: bool) -> None:
        """`read` wakes the thread when there is room."""
