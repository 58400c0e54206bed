"""The worked exchanges of PROTOCOL.md, executed byte for byte on the simulated machine, and read by the C decoder.

Read next: PROTOCOL.md, section 11.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_sim.core import SimMachine
from firmware_sim.packs import ordered_pack
from firmware_sim.profile import FULL
from protocol.codec import decode
from protocol.codes import Kind
from protocol.framing import FrameDecoder
from tests.support.c_decoder import read_in_c
from tests.support.tables import PAGE, section
from tests.support.vectors import heading_of

HEADING = "Worked exchanges"
TITLES = ("Opening a connection.", "The same request twice.", "ARM, GO and the first card.", "STOP.")
SEED = 1
FIELD = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")


@dataclass(slots=True)
class Line:
    """One step: its sign (`>`, `<`, `@` or `#`) and what follows; bytes and words that go on are joined."""

    sign: str
    rest: str


def blocks() -> list[list[Line]]:
    """Each exchange of the page as its steps."""
    found = []
    for text in re.findall(r"```exchange\n(.*?)```", section(HEADING), re.DOTALL):
        lines: list[Line] = []
        for raw in text.splitlines():
            sign, rest = raw[0], raw[2:]
            goes_on = lines and lines[-1].sign == sign and (sign in "<>" or rest.startswith("  "))
            if goes_on:
                lines[-1].rest += f" {rest.strip()}"
            else:
                lines.append(Line(sign, rest.strip()))
        found.append(lines)
    return found


def steps() -> list[Line]:
    """All exchanges, one after the other."""
    return [line for block in blocks() for line in block]


def frames_of(line: Line) -> list[bytes]:
    """The frames in a line of bytes, each with both its zeros."""
    return [b"\0" + run + b"\0" for run in bytes.fromhex(line.rest).split(b"\0") if run]


def test_there_are_four_exchanges_with_two_sentences_each() -> None:
    text = section(HEADING)
    assert [title for title in TITLES if f"**{title}**" in text] == list(TITLES)
    assert len(blocks()) == len(TITLES)
    assert {line.sign for line in steps()} == {"<", ">", "@", "#"}


def test_the_simulated_machine_answers_byte_for_byte_as_the_page_says() -> None:
    assert f"seed {SEED}" in section(HEADING)
    machine = SimMachine(FULL, seed=SEED)
    machine.mechanism.load_pack(ordered_pack())
    machine.mechanism.slot.insert_board(1)
    waiting = b""
    for line in steps():
        if line.sign == "@":
            assert waiting == b""
            machine.advance_to(float(line.rest))
        elif line.sign == ">":
            assert waiting == b""
            machine.receive(bytes.fromhex(line.rest))
        elif line.sign == "<":
            expected = bytes.fromhex(line.rest)
            assert waiting[: len(expected)].hex(" ") == expected.hex(" ")
            waiting = waiting[len(expected) :]
        waiting += b"".join(wire for _, wire in machine.take_output())
    assert waiting == b""
    assert machine.truth.violations() == []
    assert len(machine.truth.motions) == 1


def test_the_words_beside_the_bytes_are_what_the_c_decoder_reads_in_them(decoder: Path) -> None:
    words = ""
    read = 0
    for line in steps():
        if line.sign == "#":
            words = line.rest
        elif line.sign in "<>":
            (wire,) = frames_of(line)
            (answer,) = read_in_c(decoder, [wire.hex()])
            (frame,) = FrameDecoder().feed(wire)
            name = heading_of(type(decode(frame)))
            title = f"EVENT {name}" if frame.kind is Kind.EVENT else name
            assert f"message={type(decode(frame)).__name__}" in answer
            head, _, fields = words.partition(": ")
            assert head == (f"{title} {frame.number}" if frame.number else title)
            told = [f"{key}={value}" for key, value in FIELD.findall(fields)]
            assert [field for field in answer if field in told] == told
            read += 1
            words = ""
    assert read >= 12


def test_every_line_of_the_exchanges_fits_the_page() -> None:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith(("> 0", "< 0")):
            assert len(line) <= 120


@pytest.mark.parametrize("block", range(len(TITLES)))
def test_each_exchange_goes_both_ways(block: int) -> None:
    signs = [line.sign for line in blocks()[block]]
    assert ">" in signs
    assert "<" in signs
    assert "@" in signs
