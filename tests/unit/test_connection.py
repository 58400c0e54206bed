"""The rules of a connection without a line: HELLO, numbers, resends, times, events without gaps, STOP, what is dropped.

The frames are typed here as a machine sends them; nobody waits. Read next: `driver/connection.py`, PROTOCOL.md,
"Connection".
"""

from __future__ import annotations

import pytest

from driver.connection import Connection, EventsLost, NumberedEvent, Phase
from driver.errors import (
    AnswerTimeout,
    ConnectionFailed,
    MachineRestarted,
    NotAMachine,
    OtherMachine,
    RequestRefused,
    UnexpectedAnswer,
)
from protocol.codec import decode, encode
from protocol.codes import Kind, Refusal, ResetCause, State
from protocol.constants import MAJOR_NEWEST, MAJOR_OLDEST
from protocol.errors import UnsupportedVersion
from protocol.fields import EventEntry
from protocol.framing import Frame
from protocol.messages import (
    CoverEvent,
    Events,
    Hello,
    HelloAck,
    HopperEvent,
    Identify,
    Log,
    Message,
    Pausing,
    Refused,
    Status,
    Stop,
    Stopped,
    Tick,
)
from tests.support.entries import event_entry
from tests.support.evidence import status

NONCE, STOP_NUMBER = 100, 200
LARGEST = 2**32 - 1
BOOT, OFFERED = 7, 7 << 16 | 1
RESEND = 0.3
EVENT = HopperEvent(True)


def new(nonce: int = NONCE, stop_number: int = STOP_NUMBER) -> Connection:
    return Connection(nonce, stop_number)


def ack_for(hello: Frame, *, connection: int = OFFERED, boot: int = BOOT, major: int = 1, serial: str = "A") -> Frame:
    sent = decode(hello)
    assert isinstance(sent, Hello)
    return encode(HelloAck(sent.nonce, connection, boot, ResetCause.POWER_ON, False, major, 1, 1, serial))


def opened(*, boot: int = BOOT, events: int | None = 0) -> Connection:
    """An open connection; events up to number `events` are history."""
    connection = new()
    connection.on_frame(ack_for(connection.open(0.0)[0], boot=boot), 0.0)
    if events is not None:
        connection.start_events_after(events)
    return connection


def from_machine(connection: Connection, message: Message, *, number: int = 0, now: float = 0.0) -> None:
    connection.on_frame(encode(message, connection=connection.id, number=number), now)


def ended_by(connection: Connection) -> type[Exception] | None:
    """The kind of the failure that is latched."""
    return None if connection.failure is None else type(connection.failure)


def gap_of(connection: Connection) -> int | None:
    return connection.gap


def numbers_of(connection: Connection) -> list[int]:
    return [one.number for one in connection.events if isinstance(one, NumberedEvent)]


# HELLO


def test_a_new_connection_is_closed_waits_for_nothing_and_has_nothing_due() -> None:
    connection = new()
    assert (connection.phase, connection.id, connection.waiting, connection.due()) == (Phase.CLOSED, 0, False, None)
    assert (connection.resends, connection.dropped, connection.restarted) == (0, 0, False)
    assert connection.on_time(1e9) == []
    assert connection.failure is None


def test_hello_offers_every_version_under_a_new_nonce_each_time_and_numbers_wrap_around() -> None:
    connection = new(nonce=LARGEST)
    [first], [second] = connection.open(0.0), connection.open(1.0)
    assert decode(first) == Hello(0, MAJOR_OLDEST, MAJOR_NEWEST)
    assert decode(second) == Hello(1, MAJOR_OLDEST, MAJOR_NEWEST)
    assert (first.connection, first.number) == (0, 0)
    assert connection.waiting


def test_a_hello_that_is_answered_opens_the_connection_that_was_offered() -> None:
    connection = new()
    [hello] = connection.open(0.0)
    connection.on_frame(ack_for(hello), 1.0)
    assert (connection.phase, connection.id, connection.waiting) == (Phase.OPEN, OFFERED, False)
    assert connection.ack is not None
    assert connection.ack.serial == "A"
    assert connection.last_heard == 1.0
    assert not connection.restarted


def test_an_answer_to_an_older_hello_is_dropped_and_so_is_one_that_nobody_waits_for() -> None:
    connection = new()
    [old], [hello] = connection.open(0.0), connection.open(1.0)
    connection.on_frame(ack_for(old), 2.0)
    assert (connection.phase, connection.dropped, connection.last_heard) == (Phase.OPENING, 1, 1.0)
    connection.on_frame(ack_for(hello), 2.0)
    connection.on_frame(ack_for(hello, connection=9), 3.0)
    assert (connection.id, connection.dropped, connection.last_heard) == (OFFERED, 2, 2.0)


def test_a_hello_is_repeated_with_the_same_bytes_for_three_seconds_and_then_nothing_is_there() -> None:
    connection = new()
    [hello] = connection.open(10.0)
    assert connection.due() == pytest.approx(10.0 + RESEND)
    assert connection.on_time(10.29) == []
    assert connection.on_time(10.31) == [hello]
    assert connection.resends == 1
    assert connection.due() == pytest.approx(10.31 + RESEND)
    assert connection.on_time(12.99) == [hello]
    assert connection.due() == pytest.approx(13.0)
    assert connection.on_time(13.0) == []
    assert isinstance(connection.failure, NotAMachine)
    assert (connection.phase, connection.waiting, connection.due()) == (Phase.FAILED, False, None)


def test_a_machine_without_a_common_version_is_refused_and_both_ranges_are_named() -> None:
    connection = new()
    connection.on_frame(ack_for(connection.open(0.0)[0], major=0), 0.0)
    assert isinstance(connection.failure, UnsupportedVersion)
    assert (connection.phase, connection.id) == (Phase.FAILED, 0)
    assert connection.ack is not None
    assert connection.ack.boot_id == BOOT


def test_another_machine_on_the_same_port_is_refused_and_the_first_one_is_taken_back() -> None:
    connection = opened()
    connection.on_frame(ack_for(connection.open(1.0)[0], serial="B"), 1.0)
    assert (ended_by(connection), connection.id) == (OtherMachine, 0)
    connection.on_frame(ack_for(connection.open(2.0)[0], serial="A"), 2.0)
    assert (ended_by(connection), connection.id) == (None, OFFERED)


def test_a_machine_that_comes_back_as_it_was_keeps_its_events_and_one_that_restarted_has_none() -> None:
    connection = opened(events=5)
    from_machine(connection, Tick(0, 9, 0, State.NONE, 0))
    connection.on_frame(ack_for(connection.open(1.0)[0], connection=8), 1.0)
    assert (connection.restarted, connection.last_event, connection.gap) == (False, 5, 6)

    connection.on_frame(ack_for(connection.open(2.0)[0], boot=BOOT + 1), 2.0)
    assert (connection.restarted, connection.last_event, connection.gap) == (True, None, None)
    connection.start_events_after(0)
    assert connection.gap is None


# Requests


def test_requests_are_numbered_from_one_within_each_connection() -> None:
    connection = opened()
    for number in (1, 2):
        [frame] = connection.request(Identify(), 0.0)
        assert (frame.kind, frame.connection, frame.number) == (Kind.REQUEST, OFFERED, number)
        from_machine(connection, Refused(frame.type, Refusal.NOT_NOW), number=number)
    connection.on_frame(ack_for(connection.open(1.0)[0], connection=9), 1.0)
    [frame] = connection.request(Identify(), 0.0)
    assert (frame.connection, frame.number) == (9, 1)


def test_one_request_is_out_at_a_time_and_none_without_a_connection() -> None:
    connection = new()
    with pytest.raises(ValueError, match="one request"):
        connection.request(Status(), 0.0)
    connection.open(0.0)
    with pytest.raises(ValueError, match="one request"):
        connection.request(Status(), 0.0)
    connection = opened()
    connection.request(Status(), 0.0)
    with pytest.raises(ValueError, match="one request"):
        connection.request(Status(), 0.0)


def test_an_answer_is_taken_once_and_belongs_to_the_newest_request() -> None:
    connection = opened()
    connection.request(Status(), 0.0)
    from_machine(connection, status(), number=2)
    assert (connection.waiting, connection.answer, connection.dropped) == (True, None, 1)
    from_machine(connection, status(), number=1)
    assert (connection.waiting, connection.answer) == (False, status())
    from_machine(connection, status(index=9), number=1)
    assert (connection.answer, connection.dropped) == (status(), 2)
    connection.request(Status(), 0.0)
    assert connection.answer is None


def test_the_answer_to_another_question_ends_the_connection() -> None:
    connection = opened()
    connection.request(Status(), 0.0)
    from_machine(connection, Pausing(State.MOVING, 0), number=1)
    assert isinstance(connection.failure, UnexpectedAnswer)
    assert connection.id == 0


def test_a_refusal_is_the_answer_of_the_request_that_it_names_and_of_no_other() -> None:
    connection = opened()
    [frame] = connection.request(Status(), 0.0)
    from_machine(connection, Refused(frame.type + 1, Refusal.NOT_NOW), number=1)
    assert (connection.waiting, connection.dropped) == (True, 1)
    refused = Refused(frame.type, Refusal.NOT_NOW)
    from_machine(connection, refused, number=1)
    assert (connection.answer, connection.waiting, connection.phase) == (refused, False, Phase.OPEN)


@pytest.mark.parametrize(
    ("refusal", "boot", "failure"),
    [
        (Refusal.NO_CONNECTION, BOOT, ConnectionFailed),
        (Refusal.NO_CONNECTION, BOOT + 1, MachineRestarted),
        (Refusal.NUMBER_REUSED, BOOT, RequestRefused),
    ],
)
def test_a_refusal_that_ends_the_connection_says_why(
    refusal: Refusal, boot: int, failure: type[ConnectionFailed]
) -> None:
    connection = opened()
    [frame] = connection.request(Status(), 0.0)
    from_machine(connection, Refused(frame.type, refusal, detail=boot), number=1)
    assert type(connection.failure) is failure
    assert (connection.phase, connection.id, connection.waiting) == (Phase.FAILED, 0, False)
    if isinstance(connection.failure, RequestRefused):
        assert connection.failure.reason == refusal


def test_a_request_is_repeated_with_the_same_bytes_for_five_seconds_and_its_outcome_is_unknown_then() -> None:
    connection = opened()
    [frame] = connection.request(Status(), 20.0)
    assert connection.on_time(20.2) == []
    sent = [eighths for eighths in range(160, 210) if connection.on_time(eighths / 8) == [frame]]
    assert sent == list(range(163, 200, 3))
    assert connection.resends == len(sent)
    assert isinstance(connection.failure, AnswerTimeout)
    with pytest.raises(AnswerTimeout):
        connection.request(Status(), 26.0)


def test_giving_up_is_due_even_when_the_next_repetition_would_be_later() -> None:
    connection = opened()
    connection.request(Status(), 20.0)
    connection.on_time(24.9)
    assert connection.due() == pytest.approx(25.0)
    connection.on_time(25.0)
    assert connection.failure is not None


def test_a_slow_line_repeats_later() -> None:
    connection = Connection(NONCE, STOP_NUMBER, resend_every=0.5)
    [hello] = connection.open(0.0)
    assert connection.on_time(0.4) == []
    assert connection.on_time(0.5) == [hello]


# Hearing the machine


def test_after_three_seconds_without_a_word_the_connection_is_lost() -> None:
    connection = opened()
    from_machine(connection, Tick(0, 0, 0, State.NONE, 0), now=4.0)
    assert connection.tick is not None
    assert connection.due() == pytest.approx(7.0)
    assert connection.on_time(6.99) == []
    assert ended_by(connection) is None
    connection.on_time(7.0)
    assert ended_by(connection) is ConnectionFailed
    assert connection.due() is None


def test_a_damaged_frame_of_its_own_connection_shows_that_the_machine_is_there() -> None:
    connection = opened()
    connection.on_frame(Frame(Kind.TICK, 0, connection.id, 0, b"\1"), 2.0)
    assert (connection.dropped, connection.tick, connection.last_heard) == (1, None, 2.0)


def test_frames_of_another_connection_are_dropped_and_are_no_sign_of_life() -> None:
    connection = opened()
    connection.on_frame(encode(EVENT, connection=connection.id + 1, number=1), 2.0)
    assert (connection.dropped, connection.last_heard, list(connection.events)) == (1, 0.0, [])
    connection.open(3.0)
    connection.on_frame(encode(EVENT, connection=0, number=1), 4.0)
    assert (connection.dropped, connection.last_heard) == (2, 3.0)


def test_the_first_failure_is_kept() -> None:
    connection = opened()
    connection.request(Status(), 0.0)
    connection.on_time(9.0)
    connection.open(10.0)
    assert connection.failure is None
    connection.on_frame(ack_for(connection.open(11.0)[0], serial="B"), 11.0)
    first = connection.failure
    connection.on_time(99.0)
    assert connection.failure is first


def test_text_for_builders_is_kept_as_it_came_the_last_fifty() -> None:
    connection = opened()
    for number in range(60):
        from_machine(connection, Log(1, f"line {number}"))
    assert [log.text for log in connection.logs] == [f"line {number}" for number in range(10, 60)]


# Events


def test_events_come_in_order_and_once_and_none_before_one_knows_which_are_history() -> None:
    connection = opened(events=None)
    from_machine(connection, EVENT, number=4)
    assert (numbers_of(connection), gap_of(connection)) == ([], None)
    connection.start_events_after(5)
    for number in (5, 6, 6, 7, 3):
        from_machine(connection, EVENT, number=number)
    assert list(connection.events) == [NumberedEvent(6, EVENT), NumberedEvent(7, EVENT)]
    assert connection.gap is None


@pytest.mark.parametrize("told_by", ["event", "tick", "status"])
def test_a_missing_event_is_a_gap_whoever_tells_of_it(told_by: str) -> None:
    connection = opened(events=5)
    if told_by == "event":
        from_machine(connection, EVENT, number=7)
    elif told_by == "tick":
        from_machine(connection, Tick(0, 7, 0, State.NONE, 0))
    else:
        connection.request(Status(), 0.0)
        from_machine(connection, status(last_event=7), number=1)
    assert (numbers_of(connection), gap_of(connection)) == ([], 6)
    from_machine(connection, EVENT, number=6)
    assert (numbers_of(connection), gap_of(connection)) == ([6], 7)


def test_an_older_word_about_the_newest_event_closes_no_gap() -> None:
    connection = opened(events=5)
    from_machine(connection, Tick(0, 8, 0, State.NONE, 0))
    from_machine(connection, Tick(0, 5, 0, State.NONE, 0))
    from_machine(connection, EVENT, number=2)
    assert connection.gap == 6
    connection.start_events_after(6)
    assert connection.gap == 7
    connection.open(1.0)
    assert connection.gap is None


def test_a_gap_is_filled_in_order_and_once_by_what_was_read_back() -> None:
    connection = opened(events=5)
    from_machine(connection, EVENT, number=9)
    connection.take_events(Events(5, tuple(event_entry(EVENT) for _ in range(3))))
    assert (numbers_of(connection), gap_of(connection)) == ([6, 7], 8)
    connection.take_events(Events(9, (event_entry(EVENT),)))
    assert connection.gap == 8
    connection.take_events(Events(8, (event_entry(CoverEvent(True, 3)), event_entry(EVENT))))
    assert connection.events[-2] == NumberedEvent(8, CoverEvent(True, 3))
    assert (numbers_of(connection), gap_of(connection)) == ([6, 7, 8, 9], None)


def test_what_was_read_back_tells_of_newer_events() -> None:
    connection = opened(events=5)
    connection.take_events(Events(8, (event_entry(EVENT),)))
    assert (numbers_of(connection), gap_of(connection)) == ([], 6)


def test_an_event_of_an_unknown_type_is_given_and_leaves_no_gap() -> None:
    connection = opened(events=5)
    connection.take_events(Events(6, (EventEntry(250, b"new"), event_entry(EVENT))))
    assert (numbers_of(connection), gap_of(connection)) == ([6, 7], None)


def test_events_that_are_gone_are_told_as_lost_from_the_first_missing_one() -> None:
    connection = opened(events=5)
    from_machine(connection, EVENT, number=40)
    connection.lose_events(41)
    assert list(connection.events) == [EventsLost(6)]
    assert connection.gap is None
    from_machine(connection, EVENT, number=42)
    assert connection.events[-1] == NumberedEvent(42, EVENT)


def test_events_lost_before_any_was_known_are_lost_from_the_first() -> None:
    connection = opened(events=None)
    connection.lose_events(3)
    assert list(connection.events) == [EventsLost(1)]


def test_events_that_come_while_older_ones_are_given_up_stay_a_gap() -> None:
    connection = opened(events=5)
    from_machine(connection, EVENT, number=9)
    connection.lose_events(7)
    assert connection.gap == 8


# STOP


def test_every_stop_has_a_new_number_and_its_repetition_the_same() -> None:
    connection = new(stop_number=LARGEST)
    [first], [second] = connection.stop(), connection.stop()
    assert (decode(first), first.connection, first.number, second.number) == (Stop(), 0, 0, 1)
    assert connection.stop_again() == [second]


def test_a_stop_is_confirmed_by_its_own_number_alone_whatever_the_connection() -> None:
    for connection in (new(), opened()):
        [stop] = connection.stop()
        confirmed = Stopped(0, State.NONE, 0, 5, 0)
        connection.on_frame(encode(confirmed, number=stop.number - 1), 3.0)
        assert (connection.stopped, connection.dropped, connection.last_heard) == (None, 1, 0.0)
        connection.on_frame(encode(confirmed, number=stop.number), 4.0)
        assert (connection.stopped, connection.last_heard) == (confirmed, 4.0)
        connection.stop()
        assert connection.stopped is None


def test_a_damaged_confirmation_of_stop_confirms_nothing() -> None:
    connection = new()
    [stop] = connection.stop()
    connection.on_frame(Frame(Kind.STOPPED, 0, 0, stop.number, b""), 1.0)
    assert (connection.stopped, connection.dropped) == (None, 1)
