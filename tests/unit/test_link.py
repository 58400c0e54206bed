"""The link over a line that the test plays: frames and their order, beats and their times, failures, waiting, closing.

Read next: `driver/link.py`, `tests/support/scripted_line.py`; over real lines: `tests/contract`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from driver.errors import TransportClosed
from driver.link import BACKLOG, Link
from driver.recorder import Recorded, Recorder
from protocol.codec import encode
from protocol.codes import Kind, State
from protocol.framing import Frame, encode_frame
from protocol.messages import Identify, Status, Tick
from tests.support.scripted_line import ScriptedClock, ScriptedLine

START = 100.0


def tick(index: int) -> Frame:
    return encode(Tick(0, 0, 0, State.NONE, index), connection=5)


class Lain:
    """A link, its line, its clock, and the lines that its recorder gave."""

    def __init__(self) -> None:
        self.clock = ScriptedClock(START)
        self.line = ScriptedLine(self.clock)
        self.recorded: list[Recorded] = []
        self.link = Link(self.line, self.clock, Recorder(self.recorded.append))

    @property
    def state(self) -> tuple[bool, bool]:
        """Whether a frame waits, and whether the line has failed."""
        return self.link.pending, self.link.failed

    @property
    def beats(self) -> list[float]:
        return [at for at, frame in self.line.sent if frame.kind is Kind.BEAT]


@pytest.fixture
def lain() -> Lain:
    return Lain()


def test_frames_are_taken_one_by_one_in_the_order_in_which_they_came(lain: Lain) -> None:
    lain.line.say(tick(1), tick(2))
    lain.line.say(tick(3))
    assert lain.link.take(1) == tick(1)
    assert lain.state == (True, False)
    assert lain.link.take(1) == tick(2)
    assert lain.state == (False, False)
    assert lain.link.take(1) == tick(3)
    assert lain.clock.now == START


def test_a_frame_that_arrived_is_taken_without_reading_the_line_again(lain: Lain) -> None:
    lain.line.say(tick(1), tick(2))
    lain.link.take(1)
    reads = lain.line.reads
    assert lain.link.take(1) == tick(2)
    assert lain.line.reads == reads


def test_taking_waits_as_long_as_it_was_told_and_no_longer(lain: Lain) -> None:
    lain.line.say(tick(1), at=START + 3)
    assert lain.link.take(2) is None
    assert lain.clock.now == START + 2
    assert lain.link.take(2) == tick(1)
    assert lain.clock.now == START + 3


def test_looking_without_waiting_reads_once(lain: Lain) -> None:
    lain.line.say(tick(1))
    assert lain.link.take(0) == tick(1)
    assert lain.link.take(0) is None
    assert (lain.line.reads, lain.clock.now) == (2, START)


def test_a_frame_that_comes_in_pieces_is_waited_for_to_its_end(lain: Lain) -> None:
    wire = encode_frame(tick(1))
    for at, part in ((0.5, wire[:4]), (1.0, wire[4:7]), (1.5, wire[7:])):
        lain.line.lay(part, at=START + at)
    assert lain.link.take(2) == tick(1)
    assert lain.clock.now == START + 1.5


def test_a_frame_that_never_ends_is_waited_for_no_longer_than_one_that_does_not_come(lain: Lain) -> None:
    lain.line.lay(encode_frame(tick(1))[:4], at=START + 0.5)
    assert lain.link.take(2) is None
    assert lain.clock.now == START + 2


class CoarseLine(ScriptedLine):
    """A line whose clock shows nothing below a millisecond."""

    def read(self, timeout: float) -> bytes:
        return super().read(timeout if timeout >= 0.001 else 0.0)


def test_a_wait_too_short_for_the_clock_to_show_ends() -> None:
    line = CoarseLine(ScriptedClock(START))
    assert Link(line, line.clock, Recorder()).take(0.0005) is None
    assert line.reads == 2


def test_what_came_in_is_counted_and_an_echo_is_never_given(lain: Lain) -> None:
    echo = encode_frame(encode(Status(), connection=5, number=1))
    wrong = bytearray(encode_frame(tick(9)))
    wrong[6] ^= 0x80
    data = echo + encode_frame(tick(1)) + bytes(wrong) + encode_frame(tick(2)) + echo
    lain.line.lay(data)
    lain.line.lay(b"\0\0")
    assert [lain.link.take(1), lain.link.take(1), lain.link.take(1)] == [tick(1), tick(2), None]
    counters = lain.link.counters
    assert (counters.frames, counters.echoes, counters.bad, counters.bytes) == (2, 2, 1, len(data) + 2)


def test_an_owner_that_takes_nothing_finds_the_newest_frames_later(lain: Lain) -> None:
    for index in range(2 * BACKLOG):
        lain.line.say(encode(Status(), connection=index, number=1) if index < 2 else tick(index % 250))
        lain.link.step(0)
    taken = 0
    while lain.link.pending:
        lain.link.take(0)
        taken += 1
    assert taken == BACKLOG == 4096


def test_what_goes_out_and_comes_in_is_recorded_with_its_direction(lain: Lain) -> None:
    lain.link.send(encode(Identify(), connection=5, number=1))
    lain.line.say(tick(1), at=START + 2)
    lain.link.take(3)
    assert [(one.outward, one.kind, one.time) for one in lain.recorded] == [
        (True, "REQUEST", START),
        (False, "TICK", START + 2),
    ]


# Beats


def test_a_beat_goes_out_every_second_while_somebody_waits_and_carries_the_connection(lain: Lain) -> None:
    lain.link.beat_for(5)
    assert lain.link.take(3.5) is None
    assert lain.beats == [START + 1, START + 2, START + 3]
    assert {frame.connection for _, frame in lain.line.sent} == {5}
    assert [one.kind for one in lain.recorded] == ["BEAT"] * 3


def test_beats_stop_when_told_and_follow_a_new_connection(lain: Lain) -> None:
    lain.link.beat_for(5)
    lain.link.take(1.5)
    lain.link.beat_for(None)
    lain.link.take(5)
    assert len(lain.beats) == 1
    lain.link.beat_for(6)
    lain.link.take(1.5)
    assert [frame.connection for _, frame in lain.line.sent] == [5, 6]


def test_a_beat_that_is_late_goes_out_at_once_and_the_next_a_second_later(lain: Lain) -> None:
    lain.link.beat_for(5)
    lain.clock.now += 4
    lain.link.take(0)
    lain.link.take(1.5)
    assert lain.beats == [START + 4, START + 5]


@pytest.mark.parametrize("cards_move", [True, False])
def test_who_forgot_a_moving_machine_for_ten_seconds_beats_no_more(lain: Lain, cards_move: bool) -> None:
    if cards_move:
        lain.link.cards_move = True
    lain.link.beat_for(5)
    for _ in range(14):
        lain.link.step(1.0)
    assert lain.beats == [START + second for second in range(1, 11 if cards_move else 14)]
    lain.link.take(0)
    assert lain.beats[-1] == START + 14


# Failures


def test_the_first_failure_is_raised_for_ever_after_the_frames_that_came_before_it(lain: Lain) -> None:
    lain.line.say(tick(1), tick(2))
    assert lain.link.take(1) == tick(1)
    lain.link.check()
    assert lain.state == (True, False)
    first = lain.line.broken = TransportClosed("out", url="scripted")
    lain.link.step(1)
    lain.line.broken = TransportClosed("later", url="scripted")
    lain.link.step(1)
    assert lain.state == (True, True)
    assert lain.link.take(1) == tick(2)
    attempts: list[Callable[[], object]] = [lambda: lain.link.take(1), lain.link.check, lambda: lain.link.send(tick(3))]
    for attempt in attempts:
        with pytest.raises(TransportClosed) as caught:
            attempt()
        assert caught.value is first


def test_a_failed_link_waits_no_longer(lain: Lain) -> None:
    lain.line.broken = TransportClosed("out", url="scripted")
    with pytest.raises(TransportClosed):
        lain.link.take(100)
    assert lain.clock.now == START
    reads = lain.line.reads
    with pytest.raises(TransportClosed):
        lain.link.take(100)
    assert lain.line.reads == reads


def test_a_frame_that_could_not_be_sent_fails_the_link(lain: Lain) -> None:
    lain.line.broken = TransportClosed("out", url="scripted")
    with pytest.raises(TransportClosed):
        lain.link.send(encode(Identify(), connection=5, number=1))
    assert lain.link.failed


def test_a_beat_that_could_not_be_sent_fails_the_link(lain: Lain) -> None:
    lain.link.beat_for(5)
    lain.clock.now += 2
    lain.line.broken = TransportClosed("out", url="scripted")
    lain.link.step(1)
    assert lain.link.failed
    assert lain.line.reads == 0


# A reader of its own


class Doorbell(ScriptedLine):
    """A line with a reader: `read` waits in real time for what is laid."""

    def __init__(self, clock: ScriptedClock) -> None:
        super().__init__(clock, threaded=True)
        self.laid = threading.Condition()
        self.ready: list[bytes] = []

    def ring(self, *frames: Frame, broken: TransportClosed | None = None) -> None:
        with self.laid:
            self.ready += map(encode_frame, frames)
            self.broken = broken
            self.laid.notify_all()

    def read(self, timeout: float) -> bytes:
        with self.laid:
            self.laid.wait_for(lambda: self.ready or self.broken, timeout)
            if self.broken is not None:
                raise self.broken
            return self.ready.pop(0) if self.ready else b""


def woken(link: Link, wake: Callable[[], None]) -> list[object]:
    """What somebody got who waited for ten minutes at most, and was woken a little later."""
    got: list[object] = []

    def wait() -> None:
        try:
            got.append(link.take(600))
        except TransportClosed as failure:
            got.append(failure)

    waiting = threading.Thread(target=wait, daemon=True)
    alarm = threading.Timer(0.05, wake)
    waiting.start()
    alarm.start()
    waiting.join(20)
    alarm.join()
    return got


def test_a_reader_of_its_own_wakes_who_waits_at_a_frame_and_at_a_failure_and_ends_with_the_link() -> None:
    line = Doorbell(ScriptedClock())
    threads = threading.active_count()
    link = Link(line, line.clock, Recorder())
    assert threading.active_count() == threads + 1
    try:
        assert link.take(0) is None
        assert woken(link, lambda: line.ring(tick(1))) == [tick(1)]
        out = TransportClosed("out", url="scripted")
        assert woken(link, lambda: line.ring(broken=out)) == [out]
    finally:
        link.close()
    assert threading.active_count() == threads
    link.close()
    assert line.closed == 2


def test_closing_ends_a_reader_that_hears_nothing() -> None:
    line = Doorbell(ScriptedClock())
    threads = threading.active_count()
    Link(line, line.clock, Recorder()).close()
    assert (threading.active_count(), line.closed) == (threads, 1)
