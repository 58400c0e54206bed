"""A second reader of the protocol, `decoder.c`, written from PROTOCOL.md alone, reads every vector to the same fields.

Read next: `decoder.c`.
"""

from __future__ import annotations

import random
from pathlib import Path

from protocol.codec import PayloadTooShort, UnknownType, decode_prefix
from protocol.codes import Proof
from protocol.constants import CRC_SIZE
from protocol.framing import FrameDecoder, unstuff
from tests.support.c_decoder import read_in_c
from tests.support.mutations import damaged, resealed
from tests.support.vectors import dropped_runs, frames_without_message, known_bits, lines_of, vectors

MUTATED_LINES = 20_000
SEED = 20_260_101


def known(lines: list[str]) -> list[str]:
    """The lines without bits of flags that this version does not know, and text without spaces around."""
    message, cleaned = "", []
    for line in lines:
        name, value = line.split("=", 1)
        if name == "message":
            message = value
        elif name == "records":
            identity, confidence, pocket, proof, state, attempts = value.split(":")
            value = ":".join((identity, confidence, pocket, str(int(proof) & _PROOFS), state, attempts))
        elif name in (bits := known_bits(message) if message else {}):
            value = str(int(value) & bits[name])
        cleaned.append(f"{name}={value.strip()}")
    return cleaned


_PROOFS = sum(int(proof) for proof in Proof)


def in_python(wire: bytes) -> list[str]:
    """What the project's own reader finds in the bytes of one line, as the C decoder would print it."""
    lines = []
    for frame in FrameDecoder().feed(wire):
        try:
            message, taken = decode_prefix(frame)
            lines += lines_of(frame, message, len(frame.payload) - taken)
        except (UnknownType, PayloadTooShort) as error:
            head = (int(frame.kind), frame.type, frame.connection, frame.number)
            lines += [
                f"{name}={value}" for name, value in zip(("kind", "type", "connection", "number"), head, strict=True)
            ]
            lines.append(f"error={type(error).__name__}")
    return lines


def frame_heads_and_errors(lines: list[str]) -> list[str]:
    """The lines of whole messages; of a damaged one only header and error (how far a reader came is its own affair)."""
    kept: list[str] = []
    block: list[str] = []
    for line in lines:
        if line.startswith("kind="):
            block = []
        block.append(line)
        if line.startswith("error="):
            kept += [*block[:4], line]
        elif line.startswith("trailing="):
            kept += block
    return kept


def test_the_c_decoder_reads_every_vector_to_the_same_fields(decoder: Path) -> None:
    answers = read_in_c(decoder, [vector.wire.hex(" ") for vector in vectors()])
    assert len(answers) == len(vectors())
    for vector, answer in zip(vectors(), answers, strict=True):
        assert known(answer) == vector.lines(), vector.name


def test_the_c_decoder_refuses_what_is_no_message(decoder: Path) -> None:
    answers = read_in_c(decoder, [case.wire.hex() for case in frames_without_message()])
    for case, answer in zip(frames_without_message(), answers, strict=True):
        assert answer[-1] == f"error={case.error}", case.name


def test_the_c_decoder_drops_what_is_no_frame(decoder: Path) -> None:
    assert read_in_c(decoder, [wire.hex() for wire in dropped_runs().values()]) == [[]] * len(dropped_runs())


def test_the_c_decoder_survives_mutated_lines_and_agrees_with_the_other_reader(decoder: Path) -> None:
    chance = random.Random(SEED)
    originals = [vector.wire for vector in vectors()]
    bodies = [unstuff(wire[1:-1])[:-CRC_SIZE] for wire in originals]
    wires = []
    for _ in range(MUTATED_LINES):
        if chance.randrange(2):
            wires.append(resealed(chance, chance.choice(bodies)))
        else:
            wires.append(damaged(chance, chance.choice(originals), originals) + chance.choice(originals))
    frames = 0
    for wire, answer in zip(wires, read_in_c(decoder, [wire.hex() for wire in wires]), strict=True):
        expected = in_python(wire)
        assert known(frame_heads_and_errors(answer)) == expected, wire.hex(" ")
        frames += sum(line.startswith("kind=") for line in expected)
    print(f"seed {SEED}: {MUTATED_LINES} lines, {frames} frames read alike")
    assert frames > MUTATED_LINES // 2


def test_the_c_decoder_survives_text_that_is_no_hex(decoder: Path) -> None:
    chance = random.Random(SEED)
    hexes = [vector.wire.hex(" ") for vector in vectors()]
    lines = ["", "00", "0", "zz", "ff" * 100_000, "00" * 100_000, "01" * 129 + "00", "01" * 130 + "00"]
    for _ in range(2_000):
        line = list(chance.choice(hexes))
        for _ in range(chance.randint(1, 5)):
            line[chance.randrange(len(line))] = chr(chance.randint(32, 126))
        lines.append("".join(line))
    read_in_c(decoder, lines)
