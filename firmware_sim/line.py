"""The line between the two ends: pacing and everything that can go wrong with bytes on their way.

May import: `line_plan`, `protocol` and the standard library. No I/O; times are seconds of the endpoint's clock.
Read next: `endpoints/memory.py`.
One unit is one frame; other bytes travel as they were written. All dice come from one seeded generator.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, fields
from typing import Final

from firmware_sim.line_plan import Cut, Direction, Freeze, LineFault, LinePlan, OneShot, Shares
from protocol.codes import Kind
from protocol.constants import BITS_PER_BYTE
from protocol.errors import FrameError
from protocol.framing import unstuff

__all__ = ["Cut", "Direction", "Freeze", "Line", "LineCounters", "LineFault", "LinePlan", "OneShot", "Shares"]

SPLIT_GAP: Final = 0.005
"""Seconds at most between two pieces of a split frame."""
HISTORY: Final = 65_536
"""Frames of each direction that a replay chooses from."""
MAY_BE_DROPPED: Final = frozenset({int(Kind.TICK), int(Kind.LOG), int(Kind.EVENT)})
"""What a machine leaves out when its line is full; answers never."""


@dataclass(slots=True)
class LineCounters:
    """What happened in one direction, in frames (`passed` = delivered pieces, `lost` = under way when it was cut)."""

    sent: int = 0
    passed: int = 0
    lost: int = 0
    dropped: int = 0
    flipped: int = 0
    garbage: int = 0
    delayed: int = 0
    split: int = 0
    duplicated: int = 0
    replayed: int = 0

    def describe(self) -> str:
        """`sent 12 dropped 3`: the counters that are not 0."""
        counted = ((field.name, getattr(self, field.name)) for field in fields(self))
        return " ".join(f"{name} {count}" for name, count in counted if count) or "nothing sent"


class Line:
    """Both directions of one line. `send` puts bytes on it, `take` gives what has arrived by a time.

    A share is one probability for both directions or a pair (to machine, to host); see `LinePlan` for the rest.
    Without `baud` bytes take no time. A delayed frame is overtaken by later ones; nothing else changes the order.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        drop: float | tuple[float, float] = 0.0,
        flip: float | tuple[float, float] = 0.0,
        garbage: float | tuple[float, float] = 0.0,
        delay: float | tuple[float, float] = 0.0,
        split: float | tuple[float, float] = 0.0,
        duplicate: float | tuple[float, float] = 0.0,
        replay: float | tuple[float, float] = 0.0,
        delay_up_to: float = LinePlan().delay_up_to,
        rules: tuple[OneShot, ...] = (),
        freeze: tuple[Freeze, ...] = (),
        cut: tuple[Cut, ...] = (),
        baud: int | None = None,
    ) -> None:
        given = (drop, flip, garbage, delay, split, duplicate, replay)
        pairs = [share if isinstance(share, tuple) else (share, share) for share in given]
        shares = [Shares(*(pair[side] for pair in pairs)) for side in range(2)]
        self._start(LinePlan(seed, shares[0], shares[1], delay_up_to, rules, freeze, cut), baud)

    @classmethod
    def of(cls, plan: LinePlan, *, baud: int | None = None) -> Line:
        """A new line with what `plan` says."""
        line = cls(plan.seed)
        line._start(plan, baud)
        return line

    @classmethod
    def parse(cls, text: str, *, baud: int | None = None) -> Line:
        """The line that `describe` wrote down. Raises ValueError with a sentence."""
        return cls.of(LinePlan.parse(text), baud=baud)

    def _start(self, plan: LinePlan, baud: int | None) -> None:
        if baud is not None and baud <= 0:
            raise ValueError(f"A line's baud rate is above 0, not {baud}.")
        self.plan = plan
        self.baud = baud
        self.counters = {direction: LineCounters() for direction in Direction}
        self._dice = random.Random(plan.seed)
        self._sequence = 0
        self._under_way: dict[Direction, list[tuple[float, int, bytes]]] = {direction: [] for direction in Direction}
        self._free_at = dict.fromkeys(Direction, 0.0)
        self._waiting = dict.fromkeys(Direction, 0)
        self._history: dict[Direction, list[bytes]] = {direction: [] for direction in Direction}
        self._freezes = list(plan.freezes)
        self._cuts = sorted(plan.cuts, key=lambda cut: cut.at)
        self._matched = [0] * len(plan.rules)
        self._active = {
            direction: [(fault, share) for fault in LineFault if (share := plan.shares(direction).of(fault))]
            for direction in Direction
        }

    def describe(self) -> str:
        """One line that repeats this line from its start."""
        return self.plan.describe()

    def send(self, direction: Direction, data: bytes, now: float) -> None:
        """Puts bytes on the line at `now`; whole frames among them are hit one by one."""
        for unit in whole_frames(data):
            self._send_unit(direction, unit, now)

    def waiting(self, direction: Direction) -> int:
        """Bytes under way in `direction`."""
        return self._waiting[direction]

    def due(self) -> float | None:
        """When bytes arrive next or the cable comes out; None = never. A time that is past means at once."""
        times = [self._thawed(queue[0][0]) for queue in self._under_way.values() if queue]
        if self._cuts:
            times.append(self._cuts[0].at)
        return min(times, default=None)

    def take(self, direction: Direction, now: float) -> list[bytes]:
        """What has arrived in `direction` by `now`, in order of arrival."""
        queue = self._under_way[direction]
        arrived: list[bytes] = []
        if not queue or self._thawed(now) > now:
            return arrived
        while queue and queue[0][0] <= now:
            piece = heapq.heappop(queue)[2]
            self._waiting[direction] -= len(piece)
            self.counters[direction].passed += 1
            arrived.append(piece)
        return arrived

    def freeze(self, start: float, end: float) -> None:
        """Nothing passes from `start` to `end`, besides what the plan says."""
        self._freezes.append(Freeze(start, end))

    def take_cut(self, now: float) -> Cut | None:
        """The planned cut that is due by `now`, once; what is under way is lost then."""
        if not self._cuts or self._cuts[0].at > now:
            return None
        self.lose_all()
        return self._cuts.pop(0)

    def lose_all(self) -> None:
        """The cable is out: everything under way is gone."""
        for direction, queue in self._under_way.items():
            self.counters[direction].lost += len(queue)
            queue.clear()
            self._waiting[direction] = 0
            self._free_at[direction] = 0.0

    def _send_unit(self, direction: Direction, unit: bytes, now: float) -> None:
        counters = self.counters[direction]
        counters.sent += 1
        hits = self._hits(direction, unit)
        original = unit
        if LineFault.DROP in hits:
            counters.dropped += 1
        else:
            if LineFault.FLIP in hits:
                counters.flipped += 1
                bit = self._dice.randrange(8 * len(unit))
                unit = unit[: bit // 8] + bytes((unit[bit // 8] ^ 1 << bit % 8,)) + unit[bit // 8 + 1 :]
            if LineFault.GARBAGE in hits:
                counters.garbage += 1
                at = self._dice.randrange(len(unit) + 1)
                unit = unit[:at] + self._dice.randbytes(self._dice.randint(1, 8)) + unit[at:]
            late = 0.0
            if LineFault.DELAY in hits:
                counters.delayed += 1
                late = self._dice.uniform(0.0, self.plan.delay_up_to)
            if LineFault.SPLIT in hits and len(unit) > 1:
                counters.split += 1
                self._put_pieces(direction, unit, now, late)
            else:
                self._put(direction, unit, now, late)
            if LineFault.DUPLICATE in hits:
                counters.duplicated += 1
                self._put(direction, unit, now, late)
        if LineFault.REPLAY in hits and self._history[direction]:
            counters.replayed += 1
            self._put(direction, self._dice.choice(self._history[direction]), now, 0.0)
        self._remember(direction, original)

    def _hits(self, direction: Direction, unit: bytes) -> set[LineFault]:
        hits = {fault for fault, share in self._active[direction] if self._dice.random() < share}
        for at, rule in enumerate(self.plan.rules):
            if rule.direction is direction and _fits(rule, unit):
                self._matched[at] += 1
                if self._matched[at] == rule.nth:
                    hits.add(rule.fault)
        return hits

    def _put(self, direction: Direction, piece: bytes, now: float, late: float) -> None:
        arrival = max(now, self._free_at[direction])
        if self.baud:
            arrival += len(piece) * BITS_PER_BYTE / self.baud
        self._free_at[direction] = arrival
        self._sequence += 1
        self._waiting[direction] += len(piece)
        heapq.heappush(self._under_way[direction], (arrival + late, self._sequence, piece))

    def _put_pieces(self, direction: Direction, unit: bytes, now: float, late: float) -> None:
        places = sorted(self._dice.sample(range(1, len(unit)), min(len(unit) - 1, self._dice.randint(1, 3))))
        for start, end in zip((0, *places), (*places, len(unit)), strict=True):
            self._put(direction, unit[start:end], now, late)
            self._free_at[direction] += self._dice.uniform(0.0, SPLIT_GAP)

    def _remember(self, direction: Direction, unit: bytes) -> None:
        history = self._history[direction]
        if len(history) < HISTORY:
            history.append(unit)
        else:
            history[self._dice.randrange(HISTORY)] = unit

    def _thawed(self, time: float) -> float:
        """`time`, or the end of the freezes that hold what arrives then."""
        held = True
        while held:
            held = False
            for freeze in self._freezes:
                if freeze.start <= time < freeze.end:
                    time, held = freeze.end, True
        return time


def whole_frames(data: bytes) -> list[bytes]:
    """The frames in `data`, each with the zeros around it; bytes before or after that are no whole frame stay units."""
    units = []
    start = 0
    while start < len(data):
        at = start
        while at < len(data) and not data[at]:
            at += 1
        end = data.find(0, at)
        end = len(data) if end < 0 else end + 1
        units.append(data[start:end])
        start = end
    return units


def header_of(unit: bytes) -> tuple[int, int] | None:
    """Kind and type byte of the frame in `unit`, None when it is no frame."""
    try:
        data = unstuff(unit.strip(b"\0"))
    except FrameError:
        return None
    return (data[0], data[1]) if len(data) > 1 else None


def _fits(rule: OneShot, unit: bytes) -> bool:
    if rule.kind is None:
        return True
    header = header_of(unit)
    return header is not None and header[0] == rule.kind and rule.type in (None, header[1])
