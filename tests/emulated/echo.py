"""A device that sends back what it gets.

May import: the standard library. Read next: `firmware_sim/endpoints/base.py`, what an endpoint asks of a device.
"""

from __future__ import annotations


class Echo:
    """What an endpoint drives in place of the simulated machine."""

    def __init__(self) -> None:
        self.now = 0.0
        self._waiting: list[tuple[float, bytes]] = []

    def receive(self, data: bytes) -> None:
        self._waiting.append((self.now, data))

    def advance_to(self, time: float) -> None:
        self.now = time

    def take_output(self) -> list[tuple[float, bytes]]:
        waiting, self._waiting = self._waiting, []
        return waiting

    def next_due(self) -> float | None:
        return None
