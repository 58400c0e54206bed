"""Damage to bytes, drawn from a seeded generator: quick enough for a million frames.

May import: protocol and the standard library. Read next: `tests/unit/test_framing.py`.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence

from protocol.constants import HEADER_SIZE, MAX_PAYLOAD
from protocol.framing import stuff


def damaged(chance: random.Random, wire: bytes, others: Sequence[bytes]) -> bytes:
    """`wire` with one to three wounds: bits, bytes, holes, insertions, swaps, or a piece of another frame."""
    data = bytearray(wire)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data)) if data else 0
        match chance.randrange(8):
            case 0 | 1 if data:
                data[at] ^= 1 << chance.randrange(8)
            case 2 if data:
                data[at] = chance.randrange(256)
            case 3:
                del data[at : at + chance.randint(1, 4)]
            case 4:
                data[at:at] = chance.randbytes(chance.randint(1, 4))
            case 5:
                del data[at:]
            case 6:
                other = chance.choice(others)
                data[at : at + chance.randint(1, 20)] = other[at : at + chance.randint(1, 20)]
            case _ if len(data) > 1:
                there = chance.randrange(len(data))
                data[at], data[there] = data[there], data[at]
    return bytes(data)


def resealed(chance: random.Random, body: bytes) -> bytes:
    """A whole frame (right checksum) whose header and payload are those of `body` after some wounds."""
    data = bytearray(body)
    match chance.randrange(4):
        case 0:
            del data[chance.randint(HEADER_SIZE, len(data)) :]
        case 1:
            data += chance.randbytes(chance.randint(1, 8))
        case _:
            for _ in range(chance.randint(1, 6)):
                data[chance.randrange(len(data))] = chance.randrange(256)
    if not chance.randrange(50):
        data[:2] = chance.randbytes(2)
    del data[HEADER_SIZE + MAX_PAYLOAD :]
    return b"\0" + stuff(bytes(data) + zlib.crc32(data).to_bytes(4, "little")) + b"\0"
