"""A machine, the line to it and the person beside it, on one clock: what every endpoint drives.

May import: `base`, `core`, `line` and the standard library. No I/O and no clock of its own. Read next: `memory.py`.
Event driven: time jumps straight to the next thing that happens, so a board costs its messages and no ticking.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from firmware_sim.core import SimMachine
from firmware_sim.endpoints.base import Actor, Device, EndpointCut
from firmware_sim.line import MAY_BE_DROPPED, Direction, Line

FULL: Final = 8_192
"""Bytes on the way to the host from which the machine drops whole ticks, logs and events."""
HARD_LIMIT: Final = 262_144
"""Bytes from which everything is dropped: a host that asks for ever and never reads."""
_STUCK: Final = 100_000
"""Steps that may pass without the clock moving; more means that something is due for ever."""
_KIND_AT: Final = 2
"""Where a frame's kind stands on the wire: after the zero and the first count."""


class Rig:
    """Machine, line and person. `outbox` holds what has reached the host's side and is not read yet; `cuts` counts how
    often the cable came out.

    `line` brings faults and pacing; `baud` alone paces only; neither: bytes arrive at once. The person is stepped
    after everything that happens and whenever it is due.
    """

    __slots__ = (
        "_back_at",
        "_cut",
        "cuts",
        "dropped_out",
        "line",
        "machine",
        "now",
        "outbox",
        "outbox_bytes",
        "person",
    )

    def __init__(self, machine: Device, line: Line | None, baud: int | None, person: Actor | None) -> None:
        if line is None and baud is not None:
            line = Line()
        if line is not None and baud is not None:
            line.baud = baud
        self.machine = machine
        self.line = line
        self.person = person
        self.now = machine.now
        self.outbox: deque[bytes] = deque()
        self.outbox_bytes = 0
        self.dropped_out = 0
        self.cuts = 0
        self._cut = False
        self._back_at: float | None = None

    @property
    def is_cut(self) -> bool:
        """True while the cable is out."""
        return self._cut

    @property
    def back_at(self) -> float | None:
        """Until when a planned cut lasts; None = the cable is in, or somebody pulled it."""
        return self._back_at

    def need_line(self) -> Line:
        """The line; a perfect one is laid when there is none yet."""
        if self.line is None:
            self.line = Line()
        return self.line

    def from_host(self, data: bytes) -> None:
        """Bytes that the host writes at `now`. Raises EndpointCut while the cable is out."""
        if self._cut:
            raise EndpointCut("The cable is out.")
        if self.line is None:
            self.machine.receive(data)
        else:
            self.line.send(Direction.TO_MACHINE, data, self.now)
        self.exchange()

    def take_outbox(self) -> bytes:
        """What the host reads now."""
        arrived = b"".join(self.outbox)
        self.outbox.clear()
        self.outbox_bytes = 0
        return arrived

    def put_back(self, data: bytes) -> None:
        """The end of what `take_outbox` gave, which the port did not take."""
        self.outbox.appendleft(data)
        self.outbox_bytes += len(data)

    def next_due(self, limit: float) -> float:
        """The next time at which anything happens: not after `limit`, not before now."""
        at = limit
        due = self.machine.next_due()
        if due is not None and due < at:
            at = due
        if self.line is not None:
            due = self.line.due()
            if due is not None and due < at:
                at = due
        if self.person is not None:
            due = self.person.next_act(self.now)
            if due is not None and due < at:
                at = due
        return max(at, self.now)

    def run_to(self, time: float, *, until_bytes: bool = False) -> None:
        """Lets time pass to `time`; with `until_bytes` not past the moment at which bytes reach the host or a cut."""
        idle = 0
        while True:
            at = self.next_due(time)
            idle = 0 if at > self.now else idle + 1
            if idle > _STUCK:
                raise RuntimeError(f"Something is due for ever at {at} s.")
            self.now = at
            self.machine.advance_to(at)
            self.exchange()
            if self.person is not None:
                self.person.step(at)
                self.exchange()
            if at >= time or (until_bytes and (self.outbox or self._cut)):
                return

    def exchange(self) -> None:
        """Moves bytes between the two ends as far as they get at this moment."""
        line = self.line
        if line is None:
            for _, data in self.machine.take_output():
                if not self._cut and self._has_room(data):
                    self._to_outbox(data)
            return
        planned = line.take_cut(self.now)
        if planned is not None:
            self.cut()
            self._back_at = planned.at + planned.back_after
        for data in line.take(Direction.TO_MACHINE, self.now):
            self.machine.receive(data)
        for sent, data in self.machine.take_output():
            if not self._cut and self._has_room(data):
                line.send(Direction.TO_HOST, data, sent)
        for data in line.take(Direction.TO_HOST, self.now):
            self._to_outbox(data)

    def cut(self) -> None:
        """Pulls the cable: bytes under way or not yet read are lost."""
        self._cut = True
        self.cuts += 1
        self._back_at = None
        self.outbox.clear()
        self.outbox_bytes = 0
        self.machine.take_output()
        if self.line is not None:
            self.line.lose_all()

    def reconnect(self) -> None:
        """Puts the cable back. Raises EndpointCut while a planned cut lasts."""
        if self._back_at is not None and self.now < self._back_at:
            raise EndpointCut("The cable is still out.")
        self._cut = False
        self._back_at = None
        self.exchange()

    def _to_outbox(self, data: bytes) -> None:
        self.outbox.append(data)
        self.outbox_bytes += len(data)

    def _has_room(self, data: bytes) -> bool:
        """False when the line is full and `data` may be left out: ticks, logs and events, never answers."""
        backlog = self.outbox_bytes + (self.line.waiting(Direction.TO_HOST) if self.line is not None else 0)
        if backlog < FULL or (backlog < HARD_LIMIT and data[_KIND_AT : _KIND_AT + 1][0] not in MAY_BE_DROPPED):
            return True
        self.dropped_out += 1
        if isinstance(self.machine, SimMachine):
            self.machine.counts.dropped_out += 1
        return False
