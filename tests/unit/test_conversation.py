"""Questions and answers over a line that the test plays: opening, waiting, gaps, STOP, what is said of a wrong port.

Read next: `driver/conversation.py`, `tests/support/scripted_line.py`; the rules alone: `test_connection.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from driver.connection import EventsLost, NumberedEvent
from driver.conversation import Conversation, new_connection, resend_every
from driver.errors import (
    AnswerTimeout,
    ConnectionFailed,
    NotAMachine,
    RequestRefused,
    StopNotConfirmed,
    TransportClosed,
    UnexpectedAnswer,
)
from driver.link import Link
from driver.recorder import Recorder
from driver.sentences import refusal_entry
from protocol.codec import decode, encode
from protocol.codes import Kind, PackEnd, PauseReason, Refusal, ResetCause, State
from protocol.errors import UnsupportedVersion
from protocol.framing import Frame
from protocol.messages import (
    Answer,
    Event,
    Events,
    Go,
    Going,
    Hello,
    HelloAck,
    HopperEvent,
    Identify,
    Identity,
    Pause,
    Pausing,
    ReadEvents,
    Refused,
    Request,
    RunEvent,
    Status,
    Stop,
    Stopped,
    Tick,
)
from tests.support.entries import event_entry
from tests.support.evidence import FULL, status
from tests.support.scripted_line import ScriptedClock, ScriptedLine

START, BOOT, OFFERED = 100.0, 7, 7 << 16 | 1
STOPPED = Stopped(0, State.PAUSED, 3, 5, 0)
EVENT = HopperEvent(True)


@dataclass(slots=True)
class Played:
    """A machine that the test plays, and what it answers to each kind of request; others are not answered."""

    major: int = 1
    last_event: int = 5
    answers: dict[type[Request], Callable[[Request], Answer | None]] = field(default_factory=dict)
    hellos: int = 1
    """Of so many HELLOs the last is answered."""
    stops: int = 1

    def __call__(self, frame: Frame) -> list[Frame]:
        message = decode(frame)
        match message:
            case Hello(nonce=nonce):
                self.hellos -= 1
                ack = HelloAck(nonce, OFFERED, BOOT, ResetCause.POWER_ON, False, self.major, 1, 1, "A")
                return [encode(ack)] if self.hellos <= 0 else []
            case Stop():
                self.stops -= 1
                return [encode(STOPPED, number=frame.number)] if not self.stops else []
            case Request() if type(message) in self.answers:
                answer = self.answers[type(message)](message)
            case Identify():
                answer = FULL
            case Status():
                answer = status(last_event=self.last_event)
            case _:
                answer = None
        return [] if answer is None else [encode(answer, connection=OFFERED, number=frame.number)]


class Talk:
    """A conversation with a played machine."""

    def __init__(self, machine: Played) -> None:
        self.clock = ScriptedClock(START)
        self.machine = machine
        self.line = ScriptedLine(self.clock, machine, url="tcp:there:1")
        link = Link(self.line, self.clock, Recorder())
        self.conversation = Conversation(link, self.clock, new_connection())

    def tell(self, *events: tuple[int, Event], at: float = 0.0) -> None:
        self.line.say(*(encode(event, connection=OFFERED, number=number) for number, event in events), at=at)

    def sent(self, kind: Kind) -> list[tuple[float, Frame]]:
        return [(at, frame) for at, frame in self.line.sent if frame.kind is kind]

    def asked(self) -> list[object]:
        return [decode(frame) for _, frame in self.sent(Kind.REQUEST)]


@pytest.fixture
def talk() -> Talk:
    opened = Talk(Played())
    opened.conversation.open()
    return opened


# Opening


def test_opening_asks_who_and_how_and_takes_older_events_for_history() -> None:
    talk = Talk(Played())
    ack = talk.conversation.open()
    assert ack.serial == "A"
    assert talk.asked() == [Identify(), Status()]
    assert talk.conversation.identity == FULL
    assert talk.conversation.status == status(last_event=5)
    talk.tell((5, EVENT), (6, EVENT))
    assert talk.conversation.next_event(0) == NumberedEvent(6, EVENT)
    assert talk.conversation.next_event(0) is None


def test_a_machine_opened_again_in_the_same_boot_keeps_the_events_that_came_since(talk: Talk) -> None:
    talk.machine.last_event = 6
    talk.machine.answers[ReadEvents] = lambda _: Events(6, (event_entry(EVENT),))
    talk.conversation.open()
    assert talk.conversation.next_event(0) == NumberedEvent(6, EVENT)


def test_an_open_connection_beats_every_second_until_it_is_closed(talk: Talk) -> None:
    for second in range(1, 6):
        talk.line.say(encode(Tick(0, 5, 0, State.NONE, 0), connection=OFFERED), at=START + second)
    assert talk.conversation.next_event(5.5) is None
    assert [at for at, _ in talk.sent(Kind.BEAT)] == [START + second for second in range(1, 6)]
    assert {frame.connection for _, frame in talk.sent(Kind.BEAT)} == {OFFERED}
    talk.conversation.close()
    for _ in range(3):
        talk.conversation.link.step(1)
    assert len(talk.sent(Kind.BEAT)) == 5
    assert talk.line.closed == 1


def test_hello_is_repeated_until_it_is_answered() -> None:
    talk = Talk(Played(hellos=3))
    talk.conversation.open()
    hellos = talk.sent(Kind.HELLO)
    assert [round(at - START, 6) for at, _ in hellos] == [0, 0.3, 0.6]
    assert len({frame.payload for _, frame in hellos}) == 1


def test_a_machine_of_a_version_that_is_not_spoken_is_named_as_one() -> None:
    talk = Talk(Played(major=0))
    with pytest.raises(UnsupportedVersion):
        talk.conversation.open()
    assert talk.asked() == []


@pytest.mark.parametrize("heard", ["nothing", "noise", "echo"])
def test_a_port_without_a_machine_is_told_by_what_comes_from_it(heard: str) -> None:
    talk = Talk(Played(hellos=99))
    if heard == "noise":
        talk.line.lay(b"OK\r\n")
    elif heard == "echo":
        talk.line.answer = lambda frame: [frame]

    with pytest.raises(NotAMachine) as caught:
        talk.conversation.open()

    words = {"nothing": "Nothing answers", "noise": "does not answer as a dealing machine", "echo": "only sends back"}
    assert words[heard] in str(caught.value)
    assert "tcp:there:1" in str(caught.value)
    assert talk.clock.now == pytest.approx(START + 3)
    hints = {"nothing": "", "noise": "--machine", "echo": "test plug"}
    assert hints[heard] in caught.value.hint


def test_two_connections_begin_with_different_numbers() -> None:
    hellos = {new_connection().open(0.0)[0].payload for _ in range(4)}
    assert len(hellos) == 4
    stops = {new_connection().stop()[0].number for _ in range(4)}
    assert len(stops) == 4


def test_a_slow_line_repeats_after_three_frame_times_and_a_fast_one_after_the_usual_time() -> None:
    assert resend_every(None) == resend_every(115_200) == 0.3
    assert resend_every(1200) == pytest.approx(3 * 131 * 10 / 1200)
    slow = new_connection(4800)
    slow.open(0.0)
    assert slow.due() == pytest.approx(resend_every(4800))


# Questions


def test_a_refusal_is_an_answer_to_ask_and_an_error_to_request(talk: Talk) -> None:
    refused = Refused(int(Pause.type), Refusal.NOT_NOW, why=State.DONE, detail=4)
    talk.machine.answers[Pause] = lambda _: refused
    assert talk.conversation.ask(Pause()) == refused
    with pytest.raises(RequestRefused) as caught:
        talk.conversation.request(Pause(), Pausing)
    assert (caught.value.reason, caught.value.why, caught.value.detail) == (Refusal.NOT_NOW, State.DONE, 4)
    assert (str(caught.value), caught.value.hint) == (refusal_entry(refused).sentence, refusal_entry(refused).hint)


def test_an_answer_of_another_kind_than_was_expected_is_told(talk: Talk) -> None:
    with pytest.raises(UnexpectedAnswer, match="StatusReport instead of Identity"):
        talk.conversation.request(Status(), Identity)


def test_a_question_that_is_not_answered_is_given_up_after_five_seconds_and_the_beats_end(talk: Talk) -> None:
    with pytest.raises(AnswerTimeout):
        talk.conversation.ask(Pause())
    assert talk.clock.now == pytest.approx(START + 5)
    beats = len(talk.sent(Kind.BEAT))
    assert beats in (4, 5)
    for _ in range(3):
        talk.conversation.link.step(1)
    assert len(talk.sent(Kind.BEAT)) == beats


def test_a_line_that_is_out_is_told_before_anything_is_sent(talk: Talk) -> None:
    talk.line.broken = TransportClosed("out", url="there")
    with pytest.raises(TransportClosed):
        talk.conversation.next_event(1)
    talk.line.broken = None
    sent = len(talk.line.sent)
    for _ in range(2):
        with pytest.raises(TransportClosed):
            talk.conversation.ask(Status())
    assert len(talk.line.sent) == sent


def stops_beating(talk: Talk) -> bool:
    """Whether the link stops beating when its owner takes nothing for long, as it does while cards move."""
    talk.conversation.link.take(0)
    for _ in range(20):
        talk.conversation.link.step(1.0)
    return talk.sent(Kind.BEAT)[-1][0] < talk.clock.now - 5


def test_cards_move_after_go_and_not_before(talk: Talk) -> None:
    talk.machine.answers[Go] = lambda _: Refused(int(Go.type), Refusal.NOT_NOW)
    talk.conversation.ask(Go(9))
    assert not stops_beating(talk)
    talk.machine.answers[Go] = lambda _: Going(1, State.MOVING, 0)
    talk.conversation.ask(Go(9))
    assert stops_beating(talk)


@pytest.mark.parametrize("state", [State.MOVING, State.PAUSED])
@pytest.mark.parametrize("told_by", ["event", "status"])
def test_cards_move_as_long_as_the_machine_says_so(talk: Talk, state: State, told_by: str) -> None:
    talk.conversation.link.cards_move = state is not State.MOVING
    if told_by == "event":
        talk.tell((6, RunEvent(1, state, PauseReason.NONE, 3, 0, PackEnd.UNKNOWN)), (7, EVENT))
        assert [talk.conversation.next_event(0), talk.conversation.next_event(0)][1] == NumberedEvent(7, EVENT)
    else:
        talk.machine.answers[Status] = lambda _: status(state=state, last_event=5)
        talk.conversation.ask_status()
    assert stops_beating(talk) is (state is State.MOVING)


# Events


def test_waiting_for_an_event_ends_with_it_or_with_the_time(talk: Talk) -> None:
    talk.tell((6, EVENT), at=START + 1)
    assert talk.conversation.next_event(2) == NumberedEvent(6, EVENT)
    assert talk.clock.now == START + 1
    assert talk.conversation.next_event(0.5) is None
    assert talk.clock.now == START + 1.5


def test_an_event_that_has_arrived_behind_other_frames_is_found_without_waiting(talk: Talk) -> None:
    tick = encode(Tick(0, 5, 0, State.NONE, 0), connection=OFFERED)
    talk.line.say(tick, tick, encode(EVENT, connection=OFFERED, number=6))
    assert talk.conversation.next_event(0) == NumberedEvent(6, EVENT)
    assert talk.clock.now == START


def test_a_gap_is_read_back_before_later_events_are_given(talk: Talk) -> None:
    talk.machine.answers[ReadEvents] = lambda _: Events(6, (event_entry(EVENT), event_entry(EVENT)))
    talk.tell((7, EVENT))
    assert [talk.conversation.next_event(0) for _ in range(2)] == [NumberedEvent(6, EVENT), NumberedEvent(7, EVENT)]
    assert talk.asked()[2:] == [ReadEvents(6)]


@pytest.mark.parametrize(
    "answer", [Refused(int(ReadEvents.type), Refusal.GONE), Events(6, ()), Events(7, (event_entry(EVENT),))]
)
def test_events_that_cannot_be_read_back_are_told_as_lost_and_it_goes_on_after_them(talk: Talk, answer: Answer) -> None:
    talk.machine.answers[ReadEvents] = lambda _: answer
    talk.machine.last_event = 9
    talk.tell((8, EVENT))
    assert talk.conversation.next_event(0) == EventsLost(6)
    talk.tell((10, EVENT))
    assert talk.conversation.next_event(0) == NumberedEvent(10, EVENT)


def test_a_machine_that_refuses_to_read_back_for_another_reason_is_told(talk: Talk) -> None:
    talk.machine.answers[ReadEvents] = lambda _: Refused(int(ReadEvents.type), Refusal.NOT_NOW, why=State.MOVING)
    talk.tell((8, EVENT))
    with pytest.raises(RequestRefused) as caught:
        talk.conversation.next_event(0)
    assert (caught.value.reason, caught.value.why) == (Refusal.NOT_NOW, State.MOVING)


def test_a_silent_machine_is_lost_after_three_seconds_even_in_a_long_wait(talk: Talk) -> None:
    with pytest.raises(ConnectionFailed):
        talk.conversation.next_event(60)
    assert talk.clock.now == pytest.approx(START + 3)


# STOP


def test_a_stop_is_repeated_until_it_is_confirmed_and_cards_move_no_more(talk: Talk) -> None:
    talk.conversation.link.cards_move = True
    talk.machine.stops = 3
    assert talk.conversation.stop() == STOPPED
    stops = talk.sent(Kind.STOP)
    assert [round(at - START, 6) for at, _ in stops] == [0, 0.3, 0.6]
    assert len({frame.number for _, frame in stops}) == 1
    assert not talk.conversation.link.cards_move


def test_a_stop_that_nobody_confirms_is_given_up_after_five_seconds() -> None:
    talk = Talk(Played(stops=99))
    with pytest.raises(StopNotConfirmed):
        talk.conversation.stop()
    assert talk.clock.now == pytest.approx(START + 5)
    assert len(talk.sent(Kind.STOP)) == 17


def test_while_a_stop_is_waited_for_other_frames_are_taken_too(talk: Talk) -> None:
    talk.machine.stops = 2
    talk.tell((6, EVENT), at=START + 0.1)
    talk.conversation.stop()
    assert talk.conversation.next_event(0) == NumberedEvent(6, EVENT)
