"""What the firmware senses: the sensors that this machine has, and the edges of board and cover since the boot.

May import: `mechanism`, `profile`, protocol and the standard library. Read next: `runs.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_sim.mechanism import Mechanism
from firmware_sim.profile import Profile
from protocol.codes import BoardSensing, Feature, HopperSensing, PocketSensing, Sensor

COVER: Final = int(Sensor.COVER_OPEN)
BOARD: Final = int(Sensor.BOARD_PRESENT)
HOPPER: Final = int(Sensor.HOPPER_CARDS)
STOP_CARD: Final = int(Sensor.STOP_CARD)
READER: Final = int(Sensor.READER_CARD)
PATH: Final = int(Sensor.PATH_CARD)
POCKETS: Final = 15 * int(Sensor.POCKET_N)


@dataclass(frozen=True, slots=True)
class Change:
    """What was sensed before and is now, as bits of `Sensor`, with the board's number now."""

    before: int
    now: int
    number: int

    def of(self, sensor: int) -> bool:
        """True when that sensor changed."""
        return bool((self.before ^ self.now) & sensor)


def sensors_of(profile: Profile) -> int:
    """The bits of `Sensor` that such a machine has."""
    bits = READER | PATH
    bits |= COVER if profile.has(Feature.COVER) else 0
    bits |= BOARD if profile.board is not BoardSensing.NONE else 0
    bits |= int(Sensor.BOARD_TURNED) if profile.board is BoardSensing.NUMBER else 0
    bits |= HOPPER if profile.hopper is HopperSensing.EMPTY else 0
    bits |= STOP_CARD if profile.has(Feature.STOP_CARD) else 0
    return bits | (POCKETS if profile.pockets is PocketSensing.SENSED else 0)


class Senses:
    """The firmware's view of the sensors; `board_edges` and `cover_edges` count since the boot."""

    def __init__(self, mechanism: Mechanism, profile: Profile) -> None:
        self.board_edges = 0
        self.cover_edges = 0
        self._mechanism = mechanism
        self._mask = sensors_of(profile)
        self._reads_number = profile.board is BoardSensing.NUMBER
        self._seen = (self.sensors(), self.board_number())

    def sensors(self) -> int:
        """What the sensors say now, as bits of `Sensor`."""
        return self._mechanism.sensed() & self._mask

    def board_number(self) -> int:
        """The number of the board in the slot; 0 = none, or not read."""
        board = self._mechanism.slot.board
        return board.number if board is not None and self._reads_number else 0

    def change(self) -> Change | None:
        """What changed since the last look, with its edges counted; None = nothing did."""
        before, now = self._seen, (self.sensors(), self.board_number())
        if before == now:
            return None
        self._seen = now
        change = Change(before[0], *now)
        self.board_edges += change.of(BOARD)
        self.cover_edges += change.of(COVER)
        return change

    def look(self) -> int:
        """Takes what is sensed now as seen (the machine itself moved the cards), and gives it."""
        self._seen = (self.sensors(), self.board_number())
        return self._seen[0]

    def state_key(self) -> tuple[object, ...]:
        """Everything that future behaviour depends on."""
        return self.board_edges, self.cover_edges, self._seen
