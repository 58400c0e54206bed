"""Frames in and out of a byte stream: zeros, COBS and CRC by hand, the header by construct.

May import: construct, `constants`, `errors` and the standard library. No clock, no I/O. Read next: `messages.py`.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

from construct import Int8ul, Int32ul, Struct

from protocol.codes import Kind
from protocol.constants import CRC_SIZE, HEADER_SIZE, MAX_FRAME, MAX_PAYLOAD
from protocol.errors import FrameError

HEADER: Final = Struct("kind" / Int8ul, "type" / Int8ul, "connection" / Int32ul, "number" / Int32ul)
_HEADER: Final = struct.Struct("<" + "".join(field.subcon.fmtstr[1:] for field in HEADER.subcons))
"""The same layout, made from it, for the one structure that every frame has: ten times as fast."""
MAX_RUN: Final = MAX_FRAME + 1
"""Longest run of bytes between two zeros that can be a frame."""
_KINDS: Final = {int(kind): kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: header fields and the raw payload (0 … 114 bytes). Its repr never shows the payload."""

    kind: Kind
    type: int
    connection: int
    number: int
    payload: bytes

    def __repr__(self) -> str:
        return (
            f"Frame({self.kind.name} {self.type} connection={self.connection:#x} #{self.number} {len(self.payload)} B)"
        )


def stuff(data: bytes) -> bytes:
    """COBS of at most 254 bytes: the result holds no zero and is one byte longer."""
    return b"".join(bytes((len(block) + 1,)) + block for block in data.split(b"\0"))


def unstuff(data: bytes) -> bytes:
    """The inverse of `stuff`. Raises FrameError when the counts do not fit the length."""
    blocks = []
    at = 0
    while at < len(data):
        count = data[at]
        end = at + count
        if not count or end > len(data):
            raise FrameError("A frame's stuffing does not fit its length.")
        blocks.append(data[at + 1 : end])
        at = end
    return b"\0".join(blocks)


def encode_frame(frame: Frame) -> bytes:
    """The frame as it goes on the wire, with a zero on both sides. Raises FrameError when a field does not fit."""
    if len(frame.payload) > MAX_PAYLOAD:
        raise FrameError(f"A payload of {len(frame.payload)} bytes is longer than {MAX_PAYLOAD}.")
    try:
        body = _HEADER.pack(frame.kind, frame.type, frame.connection, frame.number) + frame.payload
    except struct.error as error:
        raise FrameError("A number in a frame's header does not fit its place.") from error
    return b"\0" + stuff(body + zlib.crc32(body).to_bytes(CRC_SIZE, "little")) + b"\0"


def decode_run(run: bytes) -> Frame:
    """The frame in the bytes between two zeros. Raises FrameError when they are none."""
    data = unstuff(run)
    if not HEADER_SIZE + CRC_SIZE <= len(data) <= MAX_FRAME:
        raise FrameError("A frame has an impossible length.")
    body = data[:-CRC_SIZE]
    if zlib.crc32(body) != int.from_bytes(data[-CRC_SIZE:], "little"):
        raise FrameError("A frame's checksum is wrong.")
    number_of_kind, type_, connection, number = _HEADER.unpack_from(body)
    kind = _KINDS.get(number_of_kind)
    if kind is None:
        raise FrameError("A frame is of no known kind.")
    return Frame(kind, type_, connection, number, body[HEADER_SIZE:])


class FrameDecoder:
    """Splits a byte stream into frames, whatever the chunks; counts what it drops in `bad_frames`.

    It keeps at most `MAX_RUN` bytes of an unfinished run; after an over-long run all to the next zero is dropped.
    """

    __slots__ = ("_overlong", "_run", "bad_frames")

    def __init__(self) -> None:
        self.bad_frames = 0
        self._run = b""
        self._overlong = False

    def feed(self, chunk: bytes) -> list[Frame]:
        """Takes the next bytes; gives the frames that they complete, in order. Never raises."""
        frames = []
        *ended, rest = chunk.split(b"\0")
        for piece in ended:
            run, overlong = self._run + piece[: MAX_RUN + 1], self._overlong
            self._run, self._overlong = b"", False
            if overlong or len(run) > MAX_RUN:
                self.bad_frames += 1
            elif run:
                try:
                    frames.append(decode_run(run))
                except FrameError:
                    self.bad_frames += 1
        if not self._overlong:
            self._run += rest[: MAX_RUN + 1]
            if len(self._run) > MAX_RUN:
                self._run, self._overlong = b"", True
        return frames
