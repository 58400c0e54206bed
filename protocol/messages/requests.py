"""What a host asks (PROTOCOL.md, section 3). The repr of Arm shows nothing of the plan (I7).

May import: construct, `constants`, `fields`, `base`. Read next: `answers.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from construct import Bytes, Struct

from protocol.codes import AnomalyMode, Confirmation, RequestType, Routing
from protocol.fields import Code, CodeField, FlagField, FlagsField, u8, u16, u32, u64
from protocol.messages.base import Request


@dataclass(frozen=True, slots=True)
class Identify(Request):
    """What are you?"""

    type = RequestType.IDENTIFY


@dataclass(frozen=True, slots=True)
class Status(Request):
    """How do you stand?"""

    type = RequestType.STATUS


@dataclass(frozen=True, slots=True)
class Arm(Request):
    """Checks that a run may begin or go on; moves nothing. `destinations` are 13 bytes, two bits a card."""

    type = RequestType.ARM
    layout = Struct(
        "run" / u64,
        "plan_tag" / Bytes(8),
        "board" / u16,
        "routing" / CodeField(Routing),
        "on_anomaly" / CodeField(AnomalyMode),
        "more_packs" / FlagField(),
        "confirmed" / FlagsField(Confirmation, u8),
        "put_back" / u8,
        "first" / u8,
        "last_event" / u32,
        "destinations" / Bytes(13),
    )

    run: int
    plan_tag: bytes
    board: int
    routing: Routing | Code
    on_anomaly: AnomalyMode | Code
    more_packs: bool
    confirmed: Confirmation
    put_back: int
    first: int
    last_event: int
    destinations: bytes

    def __repr__(self) -> str:
        return f"Arm(run={self.run:#x}, board={self.board}, first={self.first})"


@dataclass(frozen=True, slots=True)
class Go(Request):
    """Starts motion: the only message that does."""

    type = RequestType.GO
    layout = Struct("token" / u32)

    token: int


@dataclass(frozen=True, slots=True)
class Pause(Request):
    """Finish the card under way, then pause."""

    type = RequestType.PAUSE


@dataclass(frozen=True, slots=True)
class Clear(Request):
    """Takes back the latched fault whose event has this number."""

    type = RequestType.CLEAR
    layout = Struct("event" / u32)

    event: int


@dataclass(frozen=True, slots=True)
class Close(Request):
    """Ends the open run."""

    type = RequestType.CLOSE
    layout = Struct("run" / u64)

    run: int


@dataclass(frozen=True, slots=True)
class ReadLedger(Request):
    """Asks for up to 26 ledger records of the open run from index `first`."""

    type = RequestType.READ_LEDGER
    layout = Struct("run" / u64, "first" / u8)

    run: int
    first: int


@dataclass(frozen=True, slots=True)
class ReadEvents(Request):
    """Asks for up to 7 events from number `first`."""

    type = RequestType.READ_EVENTS
    layout = Struct("first" / u32)

    first: int
