"""What a transport is: a byte stream both ways, and nothing that knows frames.

May import: the standard library. Read next: `serial_port.py`, then `../link.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

READ_TIMEOUT = 0.05
"""Seconds that a reader waits before it looks at its stop flag."""


class Transport(ABC):
    """A byte stream to one machine.

    One thread reads and any thread writes, one at a time. Every failure is a TransportError of `driver.errors`; after
    TransportClosed every further call raises it again. `threaded` says whether a reader thread of its own may wait in
    `read` while others write; a transport that drives a simulated clock says no and is read by whoever waits.
    """

    url: str
    threaded: bool = True

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Sends all of `data`. Raises TransportClosed."""

    @abstractmethod
    def read(self, timeout: float) -> bytes:
        """Waits up to `timeout` seconds; gives what has come, b"" when nothing. Raises TransportClosed."""

    @abstractmethod
    def close(self) -> None:
        """Closes the stream. May be called twice; never while another thread is in `read`."""
