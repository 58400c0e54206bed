"""What a machine answers (PROTOCOL.md, section 3). The repr of Ledger shows none of its records (I7).

May import: construct, `constants`, `fields`, `base`. Read next: `events.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from construct import Bytes, Rebuild, Struct, len_, this

from protocol.codes import (
    REFUSED,
    BoardSensing,
    FaultClass,
    FaultCode,
    Feature,
    HopperSensing,
    LedgerKind,
    NextStep,
    Obstacle,
    PackEnd,
    PauseReason,
    PocketSensing,
    Recognition,
    Refusal,
    RequestType,
    RunFlag,
    Sensor,
    State,
)
from protocol.fields import (
    EVENT_ENTRY_SIZE,
    RECORD_SIZE,
    Code,
    CodeField,
    EventEntries,
    EventEntry,
    FlagsField,
    LedgerRecord,
    LedgerRecords,
    TextField,
    u8,
    u16,
    u32,
    u64,
)
from protocol.messages.base import Answer


@dataclass(frozen=True, slots=True)
class Identity(Answer):
    """Model, limits and capabilities."""

    type = RequestType.IDENTIFY
    layout = Struct(
        "minor" / u8,
        "model" / TextField(16),
        "firmware" / TextField(16),
        "frame_limit" / u8,
        "ring" / u8,
        "in_flight" / u8,
        "prefetch" / u8,
        "card_limit_ms" / u16,
        "card_ms" / u16,
        "threshold" / u8,
        "recognition" / CodeField(Recognition),
        "ledger" / CodeField(LedgerKind),
        "pockets" / CodeField(PocketSensing),
        "board" / CodeField(BoardSensing),
        "hopper" / CodeField(HopperSensing),
        "features" / FlagsField(Feature, u16),
    )

    minor: int
    model: str
    firmware: str
    frame_limit: int
    ring: int
    in_flight: int
    prefetch: int
    card_limit_ms: int
    card_ms: int
    threshold: int
    recognition: Recognition | Code
    ledger: LedgerKind | Code
    pockets: PocketSensing | Code
    board: BoardSensing | Code
    hopper: HopperSensing | Code
    features: Feature


@dataclass(frozen=True, slots=True)
class StatusReport(Answer):
    """Facts at the moment of the answer."""

    type = RequestType.STATUS
    layout = Struct(
        "run" / u64,
        "state" / CodeField(State),
        "reason" / CodeField(PauseReason),
        "index" / u8,
        "doubt" / u8,
        "pack_end" / CodeField(PackEnd),
        "run_flags" / FlagsField(RunFlag, u8),
        "sensors" / FlagsField(Sensor, u16),
        "board_number" / u16,
        "pocket_counts" / Bytes(4),
        "fault" / CodeField(FaultCode),
        "fault_class" / CodeField(FaultClass),
        "fault_index" / u8,
        "fault_place" / u8,
        "fault_attempt" / u8,
        "fault_event" / u32,
        "board_edges" / u16,
        "cover_edges" / u16,
        "odometer" / u32,
        "last_event" / u32,
        "uptime_ms" / u32,
        "may" / FlagsField(NextStep, u8),
        "cannot_go_on" / CodeField(Obstacle),
        "frames_in" / u32,
        "bad_in" / u16,
        "echoes" / u16,
        "out_of_turn" / u16,
        "frames_out" / u32,
        "dropped_out" / u16,
    )

    run: int
    state: State | Code
    reason: PauseReason | Code
    index: int
    doubt: int
    pack_end: PackEnd | Code
    run_flags: RunFlag
    sensors: Sensor
    board_number: int
    pocket_counts: bytes
    fault: FaultCode | Code
    fault_class: FaultClass | Code
    fault_index: int
    fault_place: int
    fault_attempt: int
    fault_event: int
    board_edges: int
    cover_edges: int
    odometer: int
    last_event: int
    uptime_ms: int
    may: NextStep
    cannot_go_on: Obstacle | Code
    frames_in: int
    bad_in: int
    echoes: int
    out_of_turn: int
    frames_out: int
    dropped_out: int


@dataclass(frozen=True, slots=True)
class Armed(Answer):
    """The token for one GO."""

    type = RequestType.ARM
    layout = Struct("run" / u64, "token" / u32, "lives_ms" / u16, "first" / u8)

    run: int
    token: int
    lives_ms: int
    first: int


@dataclass(frozen=True, slots=True)
class Going(Answer):
    """GO was accepted, once; the cards follow as events."""

    type = RequestType.GO
    layout = Struct("run" / u64, "state" / CodeField(State), "index" / u8)

    run: int
    state: State | Code
    index: int


@dataclass(frozen=True, slots=True)
class Pausing(Answer):
    """PAUSE was heard; state and index as they are now."""

    type = RequestType.PAUSE
    layout = Struct("state" / CodeField(State), "index" / u8)

    state: State | Code
    index: int


@dataclass(frozen=True, slots=True)
class Cleared(Answer):
    """The fault is taken back."""

    type = RequestType.CLEAR
    layout = Struct("event" / u32)

    event: int


@dataclass(frozen=True, slots=True)
class Closed(Answer):
    """The run's end state; the machine keeps no card of it."""

    type = RequestType.CLOSE
    layout = Struct("run" / u64, "state" / CodeField(State), "index" / u8, "doubt" / u8)

    run: int
    state: State | Code
    index: int
    doubt: int


@dataclass(frozen=True, slots=True)
class Ledger(Answer):
    """Records from index `first`; fewer than 26 = there are no more."""

    type = RequestType.READ_LEDGER
    layout = Struct(
        "run" / u64,
        "first" / u8,
        "count" / Rebuild(u8, len_(this.records)),
        "records" / LedgerRecords(Bytes(this.count * RECORD_SIZE)),
    )

    run: int
    first: int
    records: tuple[LedgerRecord, ...]

    def __repr__(self) -> str:
        return f"Ledger(run={self.run:#x}, first={self.first}, {len(self.records)} records)"


@dataclass(frozen=True, slots=True)
class Events(Answer):
    """Events from number `first`; fewer than 7 = there are no more."""

    type = RequestType.READ_EVENTS
    layout = Struct(
        "first" / u32,
        "count" / Rebuild(u8, len_(this.entries)),
        "entries" / EventEntries(Bytes(this.count * EVENT_ENTRY_SIZE)),
    )

    first: int
    entries: tuple[EventEntry, ...]

    def __repr__(self) -> str:
        return f"Events(first={self.first}, {len(self.entries)} entries)"


@dataclass(frozen=True, slots=True)
class Refused(Answer):
    """The machine said no; `why` and `detail` mean what the table *Refusals* says."""

    type = REFUSED
    layout = Struct(
        "request" / u8, "reason" / CodeField(Refusal), "why" / u8, "index" / u8, "doubt" / u8, "detail" / u32
    )

    request: int
    reason: Refusal | Code
    why: int = 0
    index: int = 0
    doubt: int = 0
    detail: int = 0
