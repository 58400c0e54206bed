"""The messages that open, keep and stop: HELLO, BEAT, TICK, STOP, LOG (PROTOCOL.md, section 2).

May import: construct, `constants`, `fields`, `base`. Read next: `requests.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from construct import Const, Struct

from protocol.codes import Kind, ResetCause, State
from protocol.constants import MAGIC
from protocol.fields import Code, CodeField, FlagField, TextField, u8, u32, u64
from protocol.messages.base import Message


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """Asks for a connection; disturbs nothing."""

    kind = Kind.HELLO
    layout = Struct("magic" / Const(MAGIC), "nonce" / u32, "major_oldest" / u8, "major_newest" / u8)

    nonce: int
    major_oldest: int
    major_newest: int


@dataclass(frozen=True, slots=True)
class HelloAck(Message):
    """The connection offered, and who the machine is."""

    kind = Kind.HELLO_ACK
    layout = Struct(
        "nonce" / u32,
        "connection" / u32,
        "boot_id" / u32,
        "reset_cause" / CodeField(ResetCause),
        "memory_lost" / FlagField(),
        "major" / u8,
        "major_oldest" / u8,
        "major_newest" / u8,
        "serial" / TextField(16),
    )

    nonce: int
    connection: int
    boot_id: int
    reset_cause: ResetCause | Code
    memory_lost: bool
    major: int
    major_oldest: int
    major_newest: int
    serial: str


@dataclass(frozen=True, slots=True)
class Beat(Message):
    """The host is there."""

    kind = Kind.BEAT


@dataclass(frozen=True, slots=True)
class Stop(Message):
    """Motors off at once; its number is in the frame's header."""

    kind = Kind.STOP


@dataclass(frozen=True, slots=True)
class Stopped(Message):
    """Confirms the STOP with the number in the frame's header."""

    kind = Kind.STOPPED
    layout = Struct("run" / u64, "state" / CodeField(State), "index" / u8, "odometer" / u32, "doubt" / u8)

    run: int
    state: State | Code
    index: int
    odometer: int
    doubt: int


@dataclass(frozen=True, slots=True)
class Tick(Message):
    """The machine is there."""

    kind = Kind.TICK
    layout = Struct("uptime_ms" / u32, "last_event" / u32, "odometer" / u32, "state" / CodeField(State), "index" / u8)

    uptime_ms: int
    last_event: int
    odometer: int
    state: State | Code
    index: int


@dataclass(frozen=True, slots=True)
class Log(Message):
    """Text for people who build machines; never parsed."""

    kind = Kind.LOG
    layout = Struct("level" / u8, "text" / TextField(64))

    level: int
    text: str
