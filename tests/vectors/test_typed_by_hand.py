"""The bytes of the golden vectors against bytes that were typed by hand from PROTOCOL.md alone.

Nothing of `protocol/` takes part: the wire is unstuffed and checked by the few lines here, written from section 1.
Read next: `typed_by_hand.toml`, `protocol/vectors/`.
"""

from __future__ import annotations

import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

HERE: Final = Path(__file__).resolve().parent
VECTORS: Final = HERE.parents[1] / "protocol" / "vectors"
HEADER, CRC = 10, 4


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden vector: the name of its message, and its bytes as they go over the line."""

    message: str
    wire: bytes
    one_way: bool


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed for a vector."""

    vector: str
    header: bytes
    payload: bytes


def entries(path: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))[name]
    return found


GOLDEN: Final = {
    entry["name"]: Golden(entry["message"], bytes.fromhex(entry["wire"]), entry.get("one_way", False))
    for path in sorted(VECTORS.glob("*.toml"))
    for entry in entries(path, "vector")
}
TYPED: Final = [
    Typed(entry["vector"], bytes.fromhex(entry["header"]), bytes.fromhex(" ".join(entry["payload"])))
    for entry in entries(HERE / "typed_by_hand.toml", "typed")
]


def unstuffed(wire: bytes) -> bytes:
    """Header, payload and CRC of one frame: zeros off, then block by block a count, its bytes, and an implied zero."""
    assert wire[0] == wire[-1] == 0
    run, frame = wire[1:-1], b""
    while run:
        count = run[0]
        block, run = run[1:count], run[count:]
        frame += block + (b"\0" if run and count < 255 else b"")
    return frame


@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: str(typed.vector))
def test_a_golden_vector_holds_what_was_typed_by_hand(typed: Typed) -> None:
    frame = unstuffed(GOLDEN[typed.vector].wire)

    assert frame[:HEADER].hex(" ") == typed.header.hex(" ")
    assert frame[HEADER:-CRC].hex(" ") == typed.payload.hex(" ")
    assert zlib.crc32(frame[:-CRC]) == int.from_bytes(frame[-CRC:], "little")


def test_every_message_was_typed_once_at_least_and_no_vector_twice() -> None:
    names = [typed.vector for typed in TYPED]

    assert len(set(names)) == len(names)
    assert {GOLDEN[name].message for name in names} == {golden.message for golden in GOLDEN.values()} - {"UnknownEvent"}
    assert not any(GOLDEN[name].one_way for name in names)


def test_one_wrong_bit_in_what_was_typed_would_be_seen() -> None:
    """The comparison is of all bytes: none is left out."""
    for typed in TYPED:
        assert len(unstuffed(GOLDEN[typed.vector].wire)) == len(typed.header) + len(typed.payload) + CRC
