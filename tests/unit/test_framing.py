"""Frames in and out of a byte stream: chunks, rubbish, damage, bounds.

Read next: `protocol/framing.py`, `tests/support/mutations.py`, `tests/vectors/test_golden_vectors.py` (each bit).
"""

from __future__ import annotations

import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import framing
from protocol.codes import Kind
from protocol.constants import MAX_FRAME, MAX_PAYLOAD, MAX_WIRE
from protocol.errors import FrameError
from protocol.framing import MAX_RUN, Frame, FrameDecoder, decode_run, encode_frame, stuff, unstuff
from tests.support.figures import Figures
from tests.support.mutations import damaged
from tests.support.strategies import chunks_of, frames, raw_frames, rubbish
from tests.support.vectors import vectors

SEED = 40_521
MUTATED_FRAMES = 40_000
MUTATED_FRAMES_IN_A_CAMPAIGN = 1_000_000
BEFORE = Frame(Kind.BEAT, 0, 0x000E0001, 0, b"")
AFTER = Frame(Kind.TICK, 0, 0x000E0001, 0, bytes(range(14)))


def kept_bytes(decoder: FrameDecoder) -> int:
    """Bytes of an unfinished run that the decoder keeps, whatever its attributes are called."""
    values = (getattr(decoder, name) for name in FrameDecoder.__slots__)
    return sum(len(value) for value in values if isinstance(value, bytes | bytearray))


def decoded(data: bytes) -> tuple[list[Frame], int]:
    decoder = FrameDecoder()
    return decoder.feed(data), decoder.bad_frames


@given(st.binary(max_size=254))
def test_unstuffing_undoes_stuffing_which_leaves_no_zero_and_adds_one_byte(data: bytes) -> None:
    stuffed = stuff(data)
    assert 0 not in stuffed
    assert len(stuffed) == len(data) + 1
    assert unstuff(stuffed) == data


@given(raw_frames)
def test_a_frame_comes_back_whole_from_the_shortest_wire_that_can_hold_it(frame: Frame) -> None:
    wire = encode_frame(frame)
    assert len(wire) == len(frame.payload) + 17 <= MAX_WIRE
    assert decoded(wire) == ([frame], 0)


@given(st.data())
def test_any_chunking_gives_the_same_frames_and_the_same_count_of_bad_ones(data: st.DataObject) -> None:
    parts = data.draw(st.lists(st.one_of(frames.map(encode_frame), rubbish), max_size=6))
    stream = b"".join(parts)
    whole = decoded(stream)
    decoder = FrameDecoder()
    assert (
        [frame for chunk in data.draw(chunks_of(stream)) for frame in decoder.feed(chunk)],
        decoder.bad_frames,
    ) == whole
    decoder = FrameDecoder()
    assert ([frame for byte in stream for frame in decoder.feed(bytes((byte,)))], decoder.bad_frames) == whole


@given(rubbish, st.lists(frames, min_size=1, max_size=3), rubbish)
def test_rubbish_around_clean_frames_raises_nothing_and_costs_none_of_them(
    first: bytes, clean: list[Frame], last: bytes
) -> None:
    wire = b"".join(encode_frame(frame) for frame in clean)
    found, _ = decoded(first + b"\0" + wire + last)
    start = len(decoded(first + b"\0")[0])
    assert found[start : start + len(clean)] == clean


@given(rubbish.filter(lambda data: 0 not in data), st.lists(frames, min_size=1, max_size=3))
def test_rubbish_without_a_zero_costs_nothing_even_right_before_a_frame(noise: bytes, clean: list[Frame]) -> None:
    assert decoded(noise + b"".join(encode_frame(frame) for frame in clean)) == (clean, int(bool(noise)))


@given(frames, st.integers(1, 14), st.data())
def test_a_frame_that_lost_bytes_in_the_middle_costs_only_itself(frame: Frame, lost: int, data: st.DataObject) -> None:
    wire = encode_frame(frame)
    at = data.draw(st.integers(1, len(wire) - 1 - lost))
    hurt = wire[:at] + wire[at + lost :]
    assert decoded(encode_frame(BEFORE) + hurt + encode_frame(AFTER)) == ([BEFORE, AFTER], 1)


def run_mutations(seed: int, count: int, figures: Figures) -> None:
    """Damages `count` frames; every frame that is read must be one that was sent, and the clean ones must all be."""
    chance = random.Random(seed)
    originals = [vector.wire for vector in vectors()]
    sent = {decode_run(wire[1:-1]) for wire in originals}
    clean = [BEFORE, AFTER]
    before, after = encode_frame(BEFORE), encode_frame(AFTER)
    accepted = 0
    for number in range(count):
        hurt = damaged(chance, originals[number % len(originals)], originals)
        frames_read = FrameDecoder().feed(before + hurt + after)
        if frames_read == clean:
            continue
        # What stands between the clean ones: the wounds changed nothing that counts, or brought in another whole frame.
        assert frames_read[0] == BEFORE, (seed, number)
        assert frames_read[-1] == AFTER, (seed, number)
        assert all(frame in sent for frame in frames_read[1:-1]), (seed, number)
        accepted += 1
    figures.tell(
        "damaged frames of which nothing was read but what was sent",
        f"{count:,}, {accepted:,} of them read as one that was sent",
        aim="nine in ten are read as nothing",
        met=accepted < count // 10,
        seed=seed,
    )


def test_nothing_damaged_is_accepted_in_tens_of_thousands_of_mutated_frames(figures: Figures) -> None:
    run_mutations(SEED, MUTATED_FRAMES, figures)


@pytest.mark.campaign
def test_nothing_damaged_is_accepted_in_a_million_mutated_frames(figures: Figures) -> None:
    run_mutations(SEED + 1, MUTATED_FRAMES_IN_A_CAMPAIGN, figures)


def test_a_run_that_is_too_long_is_dropped_to_the_next_zero_and_counted_once() -> None:
    long = bytes((1,)) * (MAX_RUN + 1)
    for length in (MAX_RUN + 1, MAX_RUN + 2, 2 * MAX_RUN, 5_000):
        noise = b"\0" + long[:1] * length + b"\0"
        assert decoded(noise + encode_frame(AFTER)) == ([AFTER], 1)
        decoder = FrameDecoder()
        read = [frame for byte in noise + encode_frame(AFTER) for frame in decoder.feed(bytes((byte,)))]
        assert (read, decoder.bad_frames) == ([AFTER], 1)


def test_the_longest_frame_is_read_and_one_byte_more_is_not() -> None:
    frame = Frame(Kind.LOG, 0, 0, 0, b"x" * MAX_PAYLOAD)
    assert len(encode_frame(frame)) == MAX_WIRE
    assert decoded(encode_frame(frame)) == ([frame], 0)
    body = bytes((Kind.LOG,)) + bytes(9) + b"x" * (MAX_PAYLOAD + 1)
    wire = b"\0" + stuff(body + zlib.crc32(body).to_bytes(4, "little")) + b"\0"
    assert len(wire) == MAX_FRAME + 4
    assert decoded(wire) == ([], 1)
    with pytest.raises(FrameError):
        encode_frame(Frame(Kind.LOG, 0, 0, 0, b"x" * (MAX_PAYLOAD + 1)))


def test_zeros_between_frames_are_neither_frames_nor_bad_ones() -> None:
    assert decoded(bytes(500)) == ([], 0)
    assert decoded(bytes(3) + encode_frame(BEFORE) + bytes(7) + encode_frame(AFTER) + bytes(2)) == ([BEFORE, AFTER], 0)


def test_one_zero_between_two_frames_is_enough() -> None:
    assert decoded(encode_frame(BEFORE) + encode_frame(AFTER)[1:]) == ([BEFORE, AFTER], 0)


def test_ten_megabytes_without_a_zero_are_one_bad_run_and_leave_next_to_nothing_behind() -> None:
    chance = random.Random(SEED)
    decoder = FrameDecoder()
    most = 0
    chunk = bytes(chance.randint(1, 255) for _ in range(100_000))
    for _ in range(100):
        assert decoder.feed(chunk) == []
        most = max(most, kept_bytes(decoder))
    assert most <= MAX_RUN
    assert decoder.feed(b"\0" + encode_frame(AFTER)) == [AFTER]
    assert decoder.bad_frames == 1
    assert kept_bytes(decoder) == 0


@given(rubbish, rubbish)
def test_the_decoder_never_keeps_more_than_one_run(first: bytes, second: bytes) -> None:
    decoder = FrameDecoder()
    for chunk in (first, second, first):
        decoder.feed(chunk)
        assert kept_bytes(decoder) <= MAX_RUN


def test_the_work_for_a_stream_grows_with_its_length_and_not_with_its_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the runs and the bytes that are unstuffed: each byte of a run that can be a frame is looked at once."""
    runs: list[int] = []

    def counting(run: bytes) -> Frame:
        runs.append(len(run))
        return decode_run(run)

    monkeypatch.setattr(framing, "decode_run", counting)
    one = encode_frame(BEFORE) + b"\1" * 1_000 + encode_frame(AFTER) + bytes(50)
    for copies in (1, 10, 100):
        stream = one * copies
        for size in (1, 7, len(stream)):
            runs.clear()
            decoder = FrameDecoder()
            most = 0
            for at in range(0, len(stream), size):
                decoder.feed(stream[at : at + size])
                most = max(most, kept_bytes(decoder))
            assert len(runs) == 2 * copies
            assert sum(runs) == copies * (len(encode_frame(BEFORE)) + len(encode_frame(AFTER)) - 4)
            assert most <= MAX_RUN


def test_the_repr_of_a_frame_shows_no_payload_and_no_checksum() -> None:
    frame = Frame(Kind.REQUEST, 3, 0x000E0001, 9, bytes.fromhex("deadbeefcafe"))
    checksum = encode_frame(frame)[-5:-1].hex()
    for hidden in ("dead", "beef", "cafe", r"\xde", "222, 173", checksum):
        assert hidden not in repr(frame).lower()
    assert repr(frame) == "Frame(REQUEST 3 connection=0xe0001 #9 6 B)"
