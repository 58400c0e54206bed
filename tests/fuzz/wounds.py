"""Input that nobody meant: random bytes, signs of a format in any order, whole files cut or wounded, pieces repeated.

May import: `corpus.py` and the standard library. Read next: `judge.py`.

Every input comes from a seed of its own, so that one number repeats it.
"""

from __future__ import annotations

import random
from typing import Final

from tests.fuzz.corpus import Target

_WOUNDS: Final = 6
_CARDS: Final = b"AKQJT98765432"


def hostile(target: Target, seed: int, longest: int) -> bytes:
    """An input of at most `longest` bytes, the same for the same seed."""
    chance = random.Random(f"{target.name} {seed}")
    match chance.randrange(12):
        case 0:
            data = chance.randbytes(chance.randint(0, 2_000))
        case 1:
            signs = sorted(set(chance.choice(target.samples)))
            data = bytes(chance.choices(signs, k=chance.randint(1, 2_000)))
        case 2:
            parts = [*target.pieces, *(_part(chance, target) for _ in range(4)), b"\n", b"\x00", b"\xff\xfe"]
            data = b"".join(chance.choices(parts, k=chance.randint(1, 60)))
        case 3:
            data = _part(chance, target) * chance.randint(2, 30_000)
        case 4:
            sample = chance.choice(target.samples)
            data = sample[: chance.randint(0, len(sample))]
        case _:
            data = _wounded(chance, target)
    return data[:longest]


def changed_bytes(chance: random.Random, data: bytes, *, longest: int = 3) -> bytes:
    """`data` with one to `longest` bytes in a row changed, and no byte moved."""
    wounded = bytearray(data)
    length = chance.randint(1, longest)
    start = chance.randint(0, len(data) - length)
    wounded[start : start + length] = chance.randbytes(length)
    return bytes(wounded)


def _part(chance: random.Random, target: Target) -> bytes:
    """A piece, or a run of bytes of a whole file."""
    if chance.randrange(2):
        return chance.choice(target.pieces)
    sample = chance.choice(target.samples)
    start = chance.randrange(len(sample))
    return sample[start : start + chance.choice((1, 2, 5, 13, 26, 78, 128, 156, 400))]


def _wounded(chance: random.Random, target: Target) -> bytes:
    data = bytearray(chance.choice(target.samples))
    for _ in range(chance.randint(1, _WOUNDS)):
        _wound(chance, data, target)
    return bytes(data)


def _wound(chance: random.Random, data: bytearray, target: Target) -> None:
    at = chance.randrange(len(data)) if data else 0
    length = chance.choice((1, 1, 2, 4, 13, 78, 156))
    match chance.randrange(10):
        case 0 if data:
            data[at] ^= 1 << chance.randrange(8)
        case 1 if data:
            data[at] = chance.choice((0, 9, 10, 13, 26, 32, 255, chance.randrange(256)))
        case 2:
            del data[at : at + length]
        case 3:
            data[at:at] = _part(chance, target)
        case 4:
            part = _part(chance, target)
            data[at : at + len(part)] = part
        case 5:
            data[at:at] = data[at : at + length] * chance.randint(1, 5)
        case 6 if data:
            there = chance.randrange(len(data))
            data[at], data[there] = data[there], data[at]
        case 7:
            _exchange_cards(chance, data)
        case 8:
            _change_figure(chance, data)
        case _:
            del data[at + chance.randrange(200) :]


def _exchange_cards(chance: random.Random, data: bytearray) -> None:
    """Two signs of ranks change places: the likeliest way to another whole deal."""
    places = [place for place, sign in enumerate(data) if sign in _CARDS]
    if len(places) > 1:
        one, other = chance.sample(places, 2)
        data[one], data[other] = data[other], data[one]


def _change_figure(chance: random.Random, data: bytearray) -> None:
    """A figure becomes another number: none, large, negative, not of ASCII."""
    places = [place for place, sign in enumerate(data) if sign in b"0123456789"]
    if places:
        place = chance.choice(places)
        numbers = (b"0", b"-1", b"9", b"99999999999999999999", b"1e9", "٣".encode(), b"", b"256", b"1.5")
        data[place : place + 1] = chance.choice(numbers)
