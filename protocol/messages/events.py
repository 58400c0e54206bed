"""What a machine tells unasked (PROTOCOL.md, section 7). The repr of CardEvent shows no pocket (I7).

May import: construct, `constants`, `fields`, `base`. Read next: `codec.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from construct import Struct

from protocol.codes import EventType, FaultClass, FaultCode, Key, PackEnd, PauseReason, Proof, ResetCause, State
from protocol.fields import Code, CodeField, FlagField, FlagsField, u8, u16, u32, u64
from protocol.messages.base import Event


@dataclass(frozen=True, slots=True)
class BootEvent(Event):
    """The machine started."""

    type = EventType.BOOT
    layout = Struct("boot_id" / u32, "reset_cause" / CodeField(ResetCause), "memory_lost" / FlagField())

    boot_id: int
    reset_cause: ResetCause | Code
    memory_lost: bool


@dataclass(frozen=True, slots=True)
class RunEvent(Event):
    """The run changed its state."""

    type = EventType.RUN
    layout = Struct(
        "run" / u64,
        "state" / CodeField(State),
        "reason" / CodeField(PauseReason),
        "index" / u8,
        "doubt" / u8,
        "pack_end" / CodeField(PackEnd),
    )

    run: int
    state: State | Code
    reason: PauseReason | Code
    index: int
    doubt: int
    pack_end: PackEnd | Code


@dataclass(frozen=True, slots=True)
class CardEvent(Event):
    """A card is in that pocket, with that proof; never which card."""

    type = EventType.CARD
    layout = Struct(
        "index" / u8,
        "pocket" / u8,
        "proof" / FlagsField(Proof, u8),
        "attempt" / u8,
        "odometer" / u32,
        "since_go_ms" / u32,
    )

    index: int
    pocket: int
    proof: Proof
    attempt: int
    odometer: int
    since_go_ms: int

    def __repr__(self) -> str:
        return f"CardEvent(index={self.index})"


@dataclass(frozen=True, slots=True)
class FaultEvent(Event):
    """A fault happened; the first one is latched."""

    type = EventType.FAULT
    layout = Struct(
        "fault" / CodeField(FaultCode),
        "fault_class" / CodeField(FaultClass),
        "index" / u8,
        "place" / u8,
        "attempt" / u8,
    )

    fault: FaultCode | Code
    fault_class: FaultClass | Code
    index: int
    place: int
    attempt: int


@dataclass(frozen=True, slots=True)
class BoardEvent(Event):
    """A board was put in or taken out."""

    type = EventType.BOARD
    layout = Struct("present" / FlagField(), "number" / u16, "edges" / u16)

    present: bool
    number: int
    edges: int


@dataclass(frozen=True, slots=True)
class CoverEvent(Event):
    """The cover was opened or closed."""

    type = EventType.COVER
    layout = Struct("open" / FlagField(), "edges" / u16)

    open: bool
    edges: int


@dataclass(frozen=True, slots=True)
class HopperEvent(Event):
    """Cards were put into the hopper, or it ran empty."""

    type = EventType.HOPPER
    layout = Struct("cards" / FlagField())

    cards: bool


@dataclass(frozen=True, slots=True)
class KeyEvent(Event):
    """A person pressed a key on the machine."""

    type = EventType.KEY
    layout = Struct("key" / CodeField(Key))

    key: Key | Code


@dataclass(frozen=True, slots=True)
class UnknownEvent(Event):
    """An event of a type that this program does not know: the number of its type, and its payload."""

    event_type: int
    data: bytes

    def __repr__(self) -> str:
        return f"UnknownEvent(type={self.event_type}, {len(self.data)} bytes)"
