"""A machine on a serial port, over pyserial. The only module that knows pyserial and its exceptions.

May import: `base`, `holder`, `driver.errors`, pyserial and the standard library. Read next: `url.py`.
pyserial fails differently in each call after an unplug (SerialException, OSError, termios.error, TypeError while
closing); all of that ends here. One fixed read timeout: changing it reconfigures the port.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import sys
from typing import Any, Final

import serial

from driver.errors import MachineBusy, MachineNotFound, PermissionDenied, TransportClosed, TransportError
from driver.transport.base import READ_TIMEOUT, Transport
from driver.transport.holder import holder_of
from protocol.constants import DEFAULT_BAUD

WRITE_TIMEOUT: Final = 2.0

_port_failures: tuple[type[Exception], ...] = (serial.SerialException, OSError, TypeError, ValueError)
if sys.platform != "win32":
    import termios

    _port_failures += (termios.error,)
PORT_FAILURES: Final = _port_failures
_CONTROL_FLAGS: Final = 2
"""Which of the settings of a terminal holds HUPCL."""


class SerialTransport(Transport):
    """The serial port `path` (a device or a link to one), 8N1, opened for this program alone.

    Raises MachineNotFound, PermissionDenied, MachineBusy or TransportError when it cannot be opened.
    """

    def __init__(self, path: str, baud: int = DEFAULT_BAUD) -> None:
        self.url = f"serial:{path}"
        self._closed = False
        self._failure: TransportClosed | None = None
        try:
            self._port = serial.Serial(
                path, baud, timeout=READ_TIMEOUT, write_timeout=WRITE_TIMEOUT, exclusive=_exclusive()
            )
            if sys.platform != "win32":
                self._take_alone()
                self._keep_modem_lines()
        except PORT_FAILURES as error:
            raise self._cannot_open(path, error) from error

    def write(self, data: bytes) -> None:
        self._check_open()
        try:
            self._port.write(data)
        except PORT_FAILURES as error:
            raise self._lost(error) from error

    def read(self, timeout: float) -> bytes:
        self._check_open()
        try:
            if sys.platform != "win32":
                ready, _, _ = select.select([self._port.fileno()], [], [], timeout)
                if not ready:
                    return b""
            chunk: bytes = self._port.read(max(1, self._port.in_waiting))
        except PORT_FAILURES as error:
            raise self._lost(error) from error
        return chunk

    def close(self) -> None:
        self._closed = True
        with contextlib.suppress(*PORT_FAILURES):
            self._port.close()

    def _take_alone(self) -> None:
        """The kernel lets nobody else open the port from here on, except root; the lock of `exclusive` is advice."""
        import fcntl

        fcntl.ioctl(self._port.fileno(), termios.TIOCEXCL)

    def _keep_modem_lines(self) -> None:
        """Closing leaves the lines raised (-hupcl), so that the next opening does not reset a controller again."""
        settings = termios.tcgetattr(self._port.fileno())
        settings[_CONTROL_FLAGS] &= ~termios.HUPCL
        termios.tcsetattr(self._port.fileno(), termios.TCSANOW, settings)

    def _check_open(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._closed:
            raise TransportClosed(f"{self.url} is closed.", url=self.url)

    def _lost(self, error: Exception) -> TransportClosed:
        self._failure = TransportClosed(
            f"The line to the machine at {self.url} broke.",
            url=self.url,
            hint="Push the cable in at both ends. If it happens again, see that no other program uses this port.",
            details=str(error),
        )
        return self._failure

    def _cannot_open(self, path: str, error: Exception) -> TransportError:
        details: dict[str, Any] = {"url": self.url, "details": str(error)}
        number = getattr(error, "errno", None)
        if not os.path.exists(path) and sys.platform != "win32":
            return MachineNotFound(f"There is no port {path}.", **details)
        if sys.platform == "win32" and "PermissionError" in str(error):  # there a port is denied to nobody else
            return MachineBusy(f"Another program uses {path}.", **details)
        if number in (errno.EACCES, errno.EPERM):
            return PermissionDenied(f"This user may not open {path}.", **details)
        if number in (errno.EAGAIN, errno.EBUSY) or "exclusively lock" in str(error):
            holder = holder_of(path)
            return MachineBusy(
                f"Another program uses {path}." if holder is None else f"{path} is held by {holder}.", **details
            )
        return MachineNotFound(f"{path} cannot be opened as a serial port.", **details)


def _exclusive() -> bool | None:
    return True if sys.platform != "win32" else None
