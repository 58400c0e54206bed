"""The simulated line: what each fault does to frames, pacing, freezes, cuts, and that one text repeats it all.

Read next: `firmware_sim/line.py`, `test_sim_endpoints.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.line import (
    Cut,
    Direction,
    Freeze,
    Line,
    LineFault,
    LinePlan,
    OneShot,
    Shares,
    header_of,
    whole_frames,
)
from protocol.codes import EventType, Kind, RequestType
from protocol.framing import Frame, FrameDecoder, encode_frame

TO_MACHINE = Direction.TO_MACHINE
TO_HOST = Direction.TO_HOST
FOREVER = 1_000.0


def frame(number: int, kind: Kind = Kind.REQUEST, kind_type: int = RequestType.STATUS) -> bytes:
    return encode_frame(Frame(kind, kind_type, 0x10001, number, b"\0\1\2\0"))


def through(line: Line, frames: list[bytes], direction: Direction = TO_MACHINE) -> list[bytes]:
    for at, data in enumerate(frames):
        line.send(direction, data, float(at))
    return line.take(direction, FOREVER)


def numbers(pieces: list[bytes]) -> list[int]:
    return [found.number for found in FrameDecoder().feed(b"".join(pieces))]


FRAMES = [frame(number) for number in range(1, 101)]


def test_a_line_without_faults_delivers_every_frame_at_once_and_in_order() -> None:
    line = Line()
    line.send(TO_HOST, FRAMES[0], 2.0)

    assert line.due() == 2.0
    assert line.take(TO_MACHINE, 2.0) == []
    assert line.take(TO_HOST, 2.0) == [FRAMES[0]]
    assert line.due() is None


def test_a_dropped_frame_never_arrives_and_is_counted() -> None:
    line = Line(seed=3, drop=0.3)

    arrived = through(line, FRAMES)

    assert len(arrived) == 100 - line.counters[TO_MACHINE].dropped
    assert 15 <= line.counters[TO_MACHINE].dropped <= 45
    assert numbers(arrived) == sorted(numbers(arrived))


def test_a_flip_changes_exactly_one_bit_and_costs_exactly_its_frame() -> None:
    line = Line(seed=1, flip=0.2)

    arrived = through(line, FRAMES)

    changed = [(old, new) for old, new in zip(FRAMES, arrived, strict=True) if old != new]
    assert len(changed) == line.counters[TO_MACHINE].flipped > 5
    for old, new in changed:
        assert sum((a ^ b).bit_count() for a, b in zip(old, new, strict=True)) == 1
    kept = [number for number, (old, new) in enumerate(zip(FRAMES, arrived, strict=True), 1) if old == new]
    assert numbers(arrived) == kept


def test_split_frames_arrive_in_pieces_that_make_the_same_bytes() -> None:
    line = Line(seed=1, split=1.0)

    arrived = through(line, FRAMES)

    assert len(arrived) > 150
    assert b"".join(arrived) == b"".join(FRAMES)


def test_a_delayed_frame_is_overtaken_and_never_later_than_the_limit() -> None:
    line = Line(seed=1, delay=0.5, delay_up_to=4.0)

    arrived = through(line, FRAMES)

    assert sorted(numbers(arrived)) == list(range(1, 101))
    assert numbers(arrived) != list(range(1, 101))
    line = Line(seed=1, delay=1.0, delay_up_to=4.0)
    line.send(TO_MACHINE, FRAMES[0], 0.0)
    due = line.due()
    assert due is not None
    assert 0 < due <= 4.0


def test_duplicates_follow_their_frame_and_replays_bring_any_earlier_one() -> None:
    twice = through(Line(seed=1, duplicate=1.0), FRAMES[:3])
    assert numbers(twice) == [1, 1, 2, 2, 3, 3]

    line = Line(seed=1, replay=1.0)
    replayed = numbers(through(line, FRAMES))
    assert len(replayed) == 199
    assert line.counters[TO_MACHINE].replayed == 99
    for place, number in enumerate(replayed[1:], 1):
        assert number <= max(replayed[:place]) + 1


def test_garbage_never_costs_more_than_the_frame_it_hits() -> None:
    line = Line(seed=1, garbage=0.3)

    arrived = through(line, FRAMES)

    assert 100 - line.counters[TO_MACHINE].garbage <= len(numbers(arrived)) < 100
    assert len(b"".join(arrived)) > len(b"".join(FRAMES))


def test_a_share_can_differ_between_the_directions() -> None:
    line = Line(drop=(1.0, 0.0))

    assert through(line, FRAMES[:5]) == []
    assert through(line, FRAMES[:5], TO_HOST) == FRAMES[:5]


def test_a_frozen_line_holds_everything_and_then_delivers_it_in_order() -> None:
    line = Line(freeze=(Freeze(1.0, 3.0), Freeze(3.0, 4.0)))
    line.send(TO_MACHINE, FRAMES[0], 0.5)
    line.send(TO_MACHINE, FRAMES[1], 1.0)
    line.send(TO_HOST, FRAMES[2], 2.0)

    assert line.due() == 0.5
    assert line.take(TO_MACHINE, 0.5) == [FRAMES[0]]
    assert line.due() == 4.0
    assert line.take(TO_MACHINE, 3.5) == []
    assert line.take(TO_MACHINE, 4.0) == [FRAMES[1]]
    assert line.take(TO_HOST, 4.0) == [FRAMES[2]]


def test_a_line_can_be_frozen_while_frames_are_under_way() -> None:
    line = Line(baud=1_000)
    line.send(TO_HOST, FRAMES[0], 0.0)
    line.freeze(0.0, 60.0)

    assert line.due() == 60.0


def test_a_cut_loses_what_is_under_way_and_comes_once() -> None:
    line = Line(cut=(Cut(5.0, 2.0), Cut(1.0)), baud=1_200)
    line.send(TO_HOST, FRAMES[0], 0.95)

    assert line.due() == 1.0
    assert line.take_cut(0.9) is None
    assert line.take_cut(1.0) == Cut(1.0)
    assert line.take(TO_HOST, FOREVER) == []
    assert line.waiting(TO_HOST) == 0
    assert line.counters[TO_HOST].lost == 1
    assert line.take_cut(4.9) is None
    assert line.take_cut(5.5) == Cut(5.0, 2.0)
    assert line.take_cut(FOREVER) is None


def test_bytes_are_paced_to_ten_bits_each_one_frame_after_the_other() -> None:
    line = Line(baud=9_600)
    line.send(TO_MACHINE, FRAMES[0], 1.0)
    line.send(TO_MACHINE, FRAMES[1], 1.0)
    line.send(TO_HOST, FRAMES[2], 1.0)
    frame_time = len(FRAMES[0]) * 10 / 9_600

    assert line.due() == pytest.approx(1.0 + frame_time)
    assert line.waiting(TO_MACHINE) == 2 * len(FRAMES[0])
    assert line.take(TO_MACHINE, 1.0 + 1.5 * frame_time) == [FRAMES[0]]
    assert line.take(TO_MACHINE, 1.0 + 2.01 * frame_time) == [FRAMES[1]]
    assert line.take(TO_HOST, 1.0 + 1.01 * frame_time) == [FRAMES[2]]


def test_one_rule_hits_one_frame_counted_in_its_direction() -> None:
    line = Line(rules=(OneShot(LineFault.DROP, TO_MACHINE, 3),))

    assert numbers(through(line, FRAMES[:5])) == [1, 2, 4, 5]
    assert len(through(line, FRAMES[:5], TO_HOST)) == 5


def test_a_rule_with_a_kind_and_type_counts_only_such_frames() -> None:
    frames = [
        frame(1, Kind.EVENT, EventType.RUN),
        frame(2, Kind.ANSWER, RequestType.GO),
        frame(3, Kind.ANSWER, RequestType.ARM),
        frame(4, Kind.ANSWER, RequestType.GO),
    ]
    by_type = Line(rules=(OneShot(LineFault.DROP, TO_HOST, 2, Kind.ANSWER, RequestType.GO),))
    by_kind = Line(rules=(OneShot(LineFault.DUPLICATE, TO_HOST, 2, Kind.ANSWER),))

    assert numbers(through(by_type, frames, TO_HOST)) == [1, 2, 3]
    assert numbers(through(by_kind, frames, TO_HOST)) == [1, 2, 3, 3, 4]


def test_bytes_that_are_no_frame_still_travel() -> None:
    assert whole_frames(b"AT\r") == [b"AT\r"]
    assert whole_frames(b"\0\0") == [b"\0\0"]
    assert whole_frames(b"") == []
    assert whole_frames(FRAMES[0] + FRAMES[1] + FRAMES[2][:5]) == [FRAMES[0], FRAMES[1], FRAMES[2][:5]]
    assert header_of(b"AT\r") is None
    assert header_of(FRAMES[0]) == (Kind.REQUEST, RequestType.STATUS)


@given(st.binary(max_size=200))
def test_cutting_bytes_into_units_loses_none(data: bytes) -> None:
    assert b"".join(whole_frames(data)) == data


def test_the_same_seed_repeats_everything_and_another_does_not() -> None:
    def run(seed: int) -> list[bytes]:
        line = Line(seed, drop=0.1, flip=0.1, garbage=0.1, delay=0.1, split=0.1, duplicate=0.1, replay=0.1)
        return through(line, FRAMES)

    assert run(7) == run(7)
    assert run(7) != run(8)


SHARE = st.sampled_from((0.0, 0.05, 0.15, 1.0))
RULES = st.builds(
    OneShot,
    st.sampled_from(LineFault),
    st.sampled_from(Direction),
    st.integers(1, 99),
    st.sampled_from(Kind),
    st.none() | st.integers(0, 255),
)
TIMES = st.floats(0, 1e4, allow_nan=False)


@given(
    st.builds(
        LinePlan,
        st.integers(0, 2**32),
        st.builds(Shares, *[SHARE] * len(LineFault)),
        st.builds(Shares, *[SHARE] * len(LineFault)),
        TIMES,
        st.lists(RULES, max_size=3).map(tuple),
        st.lists(TIMES.map(lambda start: Freeze(start, start + 1)), max_size=2).map(tuple),
        st.lists(st.builds(Cut, TIMES, TIMES), max_size=2).map(tuple),
    )
)
def test_one_line_of_text_repeats_any_plan(plan: LinePlan) -> None:
    text = plan.describe()

    assert "\n" not in text
    assert LinePlan.parse(text) == plan
    assert Line.parse(text).describe() == text


def test_a_text_may_give_both_directions_one_share() -> None:
    assert LinePlan.parse("drop=0.25").to_host == LinePlan.parse("drop=0.25").to_machine == Shares(drop=0.25)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("drop", "name=value"),
        ("melt=0.1", "melt"),
        ("drop=often", "often"),
        ("drop=1.5", "0 to 1"),
        ("rule=drop:to_host", "fault:direction"),
        ("rule=drop:sideways:1", "fault:direction"),
        ("rule=drop:to_host:0", "fault:direction"),
        ("rule=drop:to_host:SHOUT:1", "fault:direction"),
        ("freeze=3..1", "ends"),
        ("cut=x", "number"),
    ],
)
def test_a_text_that_is_wrong_is_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        LinePlan.parse(text)


def test_a_baud_rate_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="baud"):
        Line(baud=0)
