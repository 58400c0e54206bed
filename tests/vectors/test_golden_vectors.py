"""The golden vectors of protocol/vectors, both ways, and one flipped bit in each.

Read next: `protocol/vectors/*.toml`, `test_c_decoder.py` (the same vectors, read in C).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

import pytest

from protocol import codec
from protocol.cards import HAND_SIZE, PACK_SIZE, RANKS
from protocol.codec import decode_prefix, encode
from protocol.codes import Kind, Refusal
from protocol.constants import MAX_PAYLOAD, MAX_WIRE
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import MESSAGES, Message
from tests.support.tables import page_table
from tests.support.vectors import (
    REBUILT,
    NoMessage,
    Vector,
    dropped_runs,
    frames_without_message,
    lines_of,
    vectors,
)

VECTORS = vectors()
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])


def only_frame(wire: bytes) -> Frame:
    decoder = FrameDecoder()
    (frame,) = decoder.feed(wire)
    assert not decoder.bad_frames
    return frame


@every_vector
def test_the_bytes_of_a_vector_are_read_to_its_fields(vector: Vector) -> None:
    frame = only_frame(vector.wire)
    assert (frame.kind, frame.type, frame.connection, frame.number) == (
        vector.kind, vector.type, vector.connection, vector.number,
    )  # fmt: skip
    message, taken = decode_prefix(frame)
    assert message == vector.expected()
    assert type(message).__name__ == vector.message
    assert len(frame.payload) - taken == vector.trailing
    assert lines_of(frame, message, vector.trailing) == vector.lines()


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if not vector.one_way], ids=lambda vector: str(vector.name)
)
def test_the_fields_of_a_vector_are_written_as_its_bytes(vector: Vector) -> None:
    frame = encode(vector.expected(), connection=vector.connection, number=vector.number)
    assert encode_frame(frame).hex(" ") == vector.wire.hex(" ")


@pytest.mark.parametrize("cls", MESSAGES, ids=lambda cls: str(cls.__name__))
def test_each_message_has_a_vector_that_is_consumed_exactly_and_goes_both_ways(cls: type[Message]) -> None:
    own = [vector for vector in VECTORS if vector.message == cls.__name__ and not vector.one_way]
    assert own
    assert not any(vector.trailing for vector in own)


@every_vector
def test_a_vector_names_every_field_of_its_layout(vector: Vector) -> None:
    message = vector.expected()
    rebuilt = REBUILT.get(vector.message, ())
    if vector.message != "UnknownEvent":
        assert list(vector.values) == [sub.name for sub in type(message).layout.subcons]
    assert [name for name in vector.values if name not in rebuilt] == [field.name for field in fields(message)]


@pytest.mark.parametrize("case", frames_without_message(), ids=lambda case: str(case.name))
def test_a_whole_frame_that_is_no_message_raises_the_error_that_its_vector_names(case: NoMessage) -> None:
    frame = only_frame(case.wire)
    assert (frame.kind, frame.type, frame.connection, frame.number) == case.frame_head
    error: type[Exception] = getattr(codec, case.error)
    with pytest.raises(error):
        decode_prefix(frame)


@pytest.mark.parametrize("name", dropped_runs())
def test_a_run_that_is_no_frame_is_dropped_and_the_next_frame_is_read(name: str) -> None:
    beat = encode_frame(Frame(Kind.BEAT, 0, 1, 0, b""))
    decoder = FrameDecoder()
    assert decoder.feed(beat + dropped_runs()[name] + beat) == [only_frame(beat)] * 2
    assert bool(decoder.bad_frames) == (name != "nothing between zeros")


def test_every_flipped_bit_of_every_vector_costs_exactly_that_one_frame() -> None:
    before = encode_frame(Frame(Kind.BEAT, 0, 0x00010000, 0, b""))
    after = encode_frame(Frame(Kind.TICK, 0, 0x00010000, 0, bytes(14)))
    clean = [only_frame(before), only_frame(after)]
    flipped = 0
    for vector in VECTORS:
        wire = bytearray(vector.wire)
        for at in range(8 * len(wire)):
            wire[at // 8] ^= 1 << at % 8
            frames = FrameDecoder().feed(before + wire + after)
            wire[at // 8] ^= 1 << at % 8
            assert frames == clean, (vector.name, at)
            flipped += 1
    assert flipped == 8 * sum(len(vector.wire) for vector in VECTORS)


def test_no_vector_is_longer_than_a_frame_may_be_and_a_full_ledger_is_the_longest() -> None:
    longest = max(VECTORS, key=lambda vector: len(vector.wire))
    assert longest.message == "Ledger"
    assert len(longest.wire) == MAX_WIRE
    assert len(only_frame(longest.wire).payload) == MAX_PAYLOAD


@pytest.mark.parametrize("vector", [vector for vector in VECTORS if vector.deal], ids=lambda vector: str(vector.name))
def test_the_destinations_of_an_arm_vector_unpack_to_the_deal_written_beside_them(vector: Vector) -> None:
    table = bytes.fromhex(vector.values["destinations"])
    pockets = [table[card // 4] >> 2 * (card % 4) & 3 for card in range(PACK_SIZE)]
    hands = [
        ".".join("".join(RANKS[rank] for rank in range(HAND_SIZE) if pockets[HAND_SIZE * suit + rank] == pocket)
                 for suit in range(4))
        for pocket in range(4)
    ]  # fmt: skip
    assert f"N:{' '.join(hands)}" == vector.deal
    assert set(Counter(pockets).values()) == {HAND_SIZE}


def test_every_refusal_of_the_page_has_a_vector() -> None:
    seen = {vector.values["reason"] for vector in VECTORS if vector.message == "Refused"}
    assert set(Refusal) <= seen


def test_refused_vectors_fill_why_and_detail_only_where_the_page_says_so() -> None:
    refusals = {int(row["code"]): row for row in page_table("Refusals")}
    for vector in VECTORS:
        if vector.message == "Refused" and vector.values["reason"] in refusals:
            row = refusals[vector.values["reason"]]
            assert bool(vector.values["why"]) == (row["why"] != "0"), vector.name
            assert bool(vector.values["detail"]) == (row["detail"] != "0"), vector.name
