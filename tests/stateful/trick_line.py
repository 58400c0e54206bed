"""A line that plays tricks with single frames, beside the shares of frames that it loses, doubles, delays or replays.

May import: firmware_sim, protocol. Read next: `world.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.line import Direction, Line, Shares, header_of, whole_frames
from protocol.codes import Kind, RequestType

NO_FAULTS = Shares()


@dataclass(slots=True)
class Trick:
    """What happens to the next `times` frames of that direction, kind and type: `act` says whether one passes."""

    direction: Direction
    kind: Kind
    type: int | None
    times: int
    act: Callable[[bytes], bool]


class TrickLine(Line):
    """A line whose `sent` are all frames ever sent, oldest first, and which plays each trick that was planned."""

    def __init__(self, seed: int = 0, shares: Shares = NO_FAULTS) -> None:
        super().__init__(
            seed,
            drop=shares.drop,
            flip=shares.flip,
            delay=shares.delay,
            split=shares.split,
            duplicate=shares.duplicate,
            replay=shares.replay,
        )
        self.tricks: list[Trick] = []
        self.sent: dict[Direction, list[bytes]] = {direction: [] for direction in Direction}

    def on_request(self, type: RequestType, act: Callable[[bytes], bool]) -> None:
        """Plans `act` for the next request of that type, on its way to the machine."""
        self.tricks.append(Trick(Direction.TO_MACHINE, Kind.REQUEST, type, 1, act))

    def on_answer(self, type: RequestType, act: Callable[[bytes], bool]) -> None:
        """Plans `act` for the next answer of that type, on its way to the host."""
        self.tricks.append(Trick(Direction.TO_HOST, Kind.ANSWER, type, 1, act))

    def on(self, direction: Direction, kind: Kind, act: Callable[[bytes], bool], times: int = 1) -> Trick:
        """Plans `act` for the next `times` frames of that kind."""
        trick = Trick(direction, kind, None, times, act)
        self.tricks.append(trick)
        return trick

    def send(self, direction: Direction, data: bytes, now: float) -> None:
        for unit in whole_frames(data):
            self.sent[direction].append(unit)
            if self._passes(direction, unit):
                super().send(direction, unit, now)

    def again(self, direction: Direction, unit: bytes, now: float) -> None:
        """A frame goes on the line although nobody sends it now."""
        super().send(direction, unit, now)

    def frames(self, direction: Direction, kind: Kind, type: int | None = None) -> list[bytes]:
        """The frames of that kind and type that were sent, oldest first."""
        return [unit for unit in self.sent[direction] if fits(unit, kind, type)]

    def requests(self, type: RequestType) -> int:
        """How often a request of that type was sent."""
        return len(self.frames(Direction.TO_MACHINE, Kind.REQUEST, type))

    def _passes(self, direction: Direction, unit: bytes) -> bool:
        for trick in self.tricks:
            if trick.direction is direction and fits(unit, trick.kind, trick.type):
                trick.times -= 1
                if not trick.times:
                    self.tricks.remove(trick)
                return trick.act(unit)
        return True


def lost(_: bytes) -> bool:
    """The trick of losing a frame."""
    return False


def fits(unit: bytes, kind: Kind, type: int | None = None) -> bool:
    """Whether the frame is of that kind and type (None = any)."""
    header = header_of(unit)
    return header is not None and header[0] == kind and type in (None, header[1])
