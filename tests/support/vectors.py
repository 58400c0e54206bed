"""The golden vectors of protocol/vectors, and messages as `name=value` lines that every language can print.

May import: protocol and the standard library. Read next: `tests/vectors/test_golden_vectors.py`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from enum import IntFlag
from functools import cache
from pathlib import Path
from typing import Any, Final

from protocol.codes import Kind, Proof
from protocol.fields import Code, CodeField, EventEntry, FlagsField, LedgerRecord
from protocol.framing import Frame
from protocol.messages import MESSAGES, Event, Message, UnknownEvent

FOLDER: Final = Path(__file__).resolve().parents[2] / "protocol" / "vectors"
CLASSES: Final[dict[str, type[Message]]] = {cls.__name__: cls for cls in (*MESSAGES, UnknownEvent)}
REBUILT: Final = {"Hello": ("magic",), "Ledger": ("count",), "Events": ("count",)}
"""Fields of a layout that its dataclass has not: construct knows or counts them."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One golden vector; `values` are the fields as the file gives them."""

    name: str
    file: str
    message: str
    kind: Kind
    type: int
    connection: int
    number: int
    values: dict[str, Any]
    wire: bytes
    one_way: bool
    trailing: int
    deal: str | None

    def expected(self) -> Message:
        """The message that these fields make."""
        cls = CLASSES[self.message]
        types = {sub.name: sub.subcon for sub in cls.layout.subcons}
        skipped = REBUILT.get(self.message, ())
        return cls(**{
            name: _typed(value, types.get(name)) for name, value in self.values.items() if name not in skipped
        })  # fmt: skip

    def lines(self) -> list[str]:
        """What a decoder prints for this vector: header, name of the message, then each field."""
        head = [f"kind={int(self.kind)}", f"type={self.type}", f"connection={self.connection}", f"number={self.number}"]
        return [*head, f"message={self.message}", *_lines(self.values), f"trailing={self.trailing}"]


@dataclass(frozen=True, slots=True)
class NoMessage:
    """A whole frame that is no message; `error` names the exception of the codec."""

    name: str
    error: str
    frame_head: tuple[int, int, int, int]
    wire: bytes


def _typed(value: Any, field: Any) -> Any:
    """The value of a field as its dataclass holds it."""
    if isinstance(field, CodeField):
        known = {int(code): code for code in field.codes}
        return known[value] if value in known else Code(value)
    if isinstance(field, FlagsField):
        return field.flags(value)
    if isinstance(value, list):
        return tuple(
            EventEntry(entry[0], bytes.fromhex(entry[1])) if len(entry) == 2 else _record(entry) for entry in value
        )
    if isinstance(value, str) and type(field).__name__ != "TextField":
        return bytes.fromhex(value)
    return value


def _record(values: list[int]) -> LedgerRecord:
    identity, confidence, pocket, proof, state, attempts = values
    raw = bytes((identity, confidence, pocket, 0))
    known = LedgerRecord.from_bytes(bytes((*raw[:3], state)))
    return LedgerRecord(identity, confidence, pocket, Proof(proof), known.state, attempts)


def _lines(values: dict[str, Any]) -> list[str]:
    lines = []
    for name, value in values.items():
        if isinstance(value, list):
            lines += [f"{name}={':'.join(map(str, entry))}" for entry in value]
        else:
            lines.append(f"{name}={int(value) if isinstance(value, bool) else value}")
    return lines


def lines_of(frame: Frame, message: Message, trailing: int) -> list[str]:
    """As `Vector.lines`, for a message that was decoded from `frame`; flags show the known bits only."""
    values: dict[str, Any] = {"magic": "DEAL"} if frame.kind is Kind.HELLO else {}
    for field in fields(message):
        value = getattr(message, field.name)
        if isinstance(value, tuple):
            values["count"] = len(value)
            value = [
                [entry.type, entry.data.hex()] if isinstance(entry, EventEntry) else
                [entry.identity, entry.confidence, entry.pocket, int(entry.proof), int(entry.state), entry.attempts]
                for entry in value
            ]  # fmt: skip
        elif isinstance(value, bytes):
            value = value.hex()
        elif not isinstance(value, bool | str):
            value = int(value)
        values[field.name] = value
    head = [f"kind={int(frame.kind)}", f"type={frame.type}", f"connection={frame.connection}", f"number={frame.number}"]
    return [*head, f"message={type(message).__name__}", *_lines(values), f"trailing={trailing}"]


def known_bits(message: str) -> dict[str, int]:
    """For each flags field of that message the bits that this version knows."""
    return {
        sub.name: sum(int(flag) for flag in flags)
        for sub in CLASSES[message].layout.subcons
        if isinstance(sub.subcon, FlagsField) and issubclass(flags := sub.subcon.flags, IntFlag)
    }


def heading_of(cls: type[Message]) -> str:
    """The name of a message on the page: HelloAck is HELLO_ACK, BootEvent is BOOT."""
    name = cls.__name__.removesuffix("Event") if issubclass(cls, Event) else cls.__name__
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


@cache
def _file(path: Path) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _head(entry: dict[str, Any]) -> tuple[int, int, int, int]:
    return entry["kind"], entry["type"], entry["connection"], entry["number"]


@cache
def vectors() -> tuple[Vector, ...]:
    """Every golden vector, file by file."""
    return tuple(
        Vector(
            name=entry["name"], file=path.name, message=entry["message"], kind=Kind(entry["kind"]), type=entry["type"],
            connection=entry["connection"], number=entry["number"], values=entry["fields"],
            wire=bytes.fromhex(entry["wire"]), one_way=entry.get("one_way", False), trailing=entry.get("trailing", 0),
            deal=entry.get("deal"),
        )
        for path in sorted(FOLDER.glob("*.toml"))
        for entry in _file(path).get("vector", [])
    )  # fmt: skip


@cache
def frames_without_message() -> tuple[NoMessage, ...]:
    """Whole frames whose type is unknown or whose payload is damaged."""
    return tuple(
        NoMessage(entry["name"], entry["error"], _head(entry), bytes.fromhex(entry["wire"]))
        for path in sorted(FOLDER.glob("*.toml"))
        for entry in _file(path).get("no_message", [])
    )


@cache
def dropped_runs() -> dict[str, bytes]:
    """Bytes that hold no frame at all, by name."""
    return {
        entry["name"]: bytes.fromhex(entry["wire"])
        for path in sorted(FOLDER.glob("*.toml"))
        for entry in _file(path).get("dropped", [])
    }
