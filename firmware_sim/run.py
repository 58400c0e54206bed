"""What the firmware knows of the open run, and of the ended ones.

May import: `ledger`, protocol and the standard library. Read next: `go_on.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_sim.ledger import Ledger
from protocol.codes import (
    Confirmation,
    FaultClass,
    FaultCode,
    Obstacle,
    PackEnd,
    PauseReason,
    Place,
    Routing,
    RunFlag,
    Sensor,
    State,
)
from protocol.constants import UNKNOWN_COUNT
from protocol.messages import Arm

_IN_SIGHT = int(Sensor.READER_CARD | Sensor.PATH_CARD)


def pocket_in(destinations: bytes, slot: int) -> int:
    """The pocket that thirteen bytes of destinations give to card code or index `slot`."""
    return destinations[slot >> 2] >> 2 * (slot & 3) & 3


def sensors_out(confirmed: Confirmation) -> int:
    """A bit for each pocket whose sensor a person called out of order."""
    return int(confirmed) // Confirmation.SENSOR_N_OUT & 15


@dataclass(frozen=True, slots=True)
class EndState:
    """What is kept of a run after CLOSE."""

    run: int
    state: State
    index: int
    doubt: int


@dataclass(frozen=True, slots=True)
class LatchedFault:
    """The first fault since the last CLEAR; `event` is the number to name there."""

    code: FaultCode
    fault_class: FaultClass
    index: int
    place: Place
    attempt: int
    event: int


@dataclass(slots=True)
class Run:
    """The open run.

    `under_way`: where the sensors last placed the card of `index` while it has no proof, None = no card is under way,
    UNKNOWN = it may have passed the gate. `refused`: that card was face up, unreadable or foreign. `barred`: why the
    run can never go on. `board_edges`: the edge counter at the first GO (or at the restart). `destinations` is None
    after a restart, because the plan is not in memory. `sensors_out`: a bit for each pocket whose sensor a person
    called out of order, by the ARM of the present motion.
    """

    id: int
    plan_tag: bytes
    board: int
    routing: int
    on_anomaly: int
    more_packs: bool
    destinations: bytes | None
    board_edges: int
    ledger: Ledger = field(default_factory=Ledger)
    index: int = 0
    known: bool = True
    under_way: Place | None = None
    refused: bool = False
    attempt: int = 0
    reason: PauseReason = PauseReason.NONE
    barred: Obstacle = Obstacle.NONE
    no_way_back: bool = False
    restarted: bool = False
    refed: bool = False
    pack_end: PackEnd = PackEnd.UNKNOWN
    back: str | None = None
    since_go: float = 0.0
    sensors_out: int = 0

    @classmethod
    def begin(cls, arm: Arm, board_edges: int) -> Run:
        """A new run as ARM told it."""
        return cls(
            arm.run, arm.plan_tag, arm.board, int(arm.routing), int(arm.on_anomaly), arm.more_packs,
            arm.destinations, board_edges,
        )  # fmt: skip

    def pocket_for(self, slot: int) -> int:
        """The pocket that the plan gives to card code (BY_IDENTITY) or index (BY_ORDER) `slot`."""
        assert self.destinations is not None
        return pocket_in(self.destinations, slot)

    def agrees_with(self, destinations: bytes) -> bool:
        """Whether that is the plan; after a restart, whether it puts the cards dealt by identity where they lie."""
        if self.destinations is not None:
            return self.destinations == destinations
        if self.routing != Routing.BY_IDENTITY:
            return True
        return all(pocket == pocket_in(destinations, code) for code, pocket in self.ledger.dealt())

    def doubt(self, sensors: int) -> int:
        """Cards in doubt, as the sensors (bits of `Sensor`) show it now; 255 = unknown."""
        if not self.known:
            return UNKNOWN_COUNT
        if self.under_way is None or self.under_way is Place.HOPPER or sensors & _IN_SIGHT:
            return 0
        return 1

    def shown_index(self) -> int:
        """The index as the wire carries it; 255 = unknown."""
        return self.index if self.known else UNKNOWN_COUNT

    def flags(self) -> RunFlag:
        """The run flags of STATUS."""
        flags = RunFlag(0)
        if self.restarted:
            flags |= RunFlag.RESTARTED
        if self.refed:
            flags |= RunFlag.REFED
        if self.more_packs:
            flags |= RunFlag.MORE_PACKS
        return flags

    def __repr__(self) -> str:
        return f"Run({self.id:#x}, index={self.index})"

    def state_key(self) -> tuple[object, ...]:
        """Everything that future behaviour depends on (times left out)."""
        return (
            self.id, self.plan_tag, self.board, self.routing, self.on_anomaly, self.more_packs, self.destinations,
            self.board_edges, self.ledger.whole(), self.ledger.length, self.index, self.known, self.under_way,
            self.refused, self.attempt, self.reason, self.barred, self.no_way_back, self.restarted, self.refed,
            self.pack_end, self.back, self.sensors_out,
        )  # fmt: skip
