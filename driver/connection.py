"""The rules of a connection as a pure state machine: HELLO, numbered requests, resends, events without gaps, STOP.

May import: `errors`, `protocol` and the standard library; no clock, no I/O: times come in, frames go out. It can be
copied at any moment, which the search for hidden motion does. Read next: `conversation.py`, the blocking shell.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import Enum, unique

from driver.errors import (
    AnswerTimeout,
    ConnectionFailed,
    MachineRestarted,
    NotAMachine,
    OtherMachine,
    RequestRefused,
    UnexpectedAnswer,
)
from protocol.codec import decode, encode, event_from_entry
from protocol.codes import Kind, Refusal
from protocol.constants import GIVE_UP, HELLO_FOR, LOST_AFTER, MAJOR_NEWEST, MAJOR_OLDEST, RESEND_EVERY
from protocol.errors import DealingMachineError, MessageError, UnsupportedVersion
from protocol.framing import Frame
from protocol.messages import (
    Answer,
    Event,
    Events,
    Hello,
    HelloAck,
    Log,
    Refused,
    Request,
    StatusReport,
    Stop,
    Stopped,
    Tick,
)

NUMBERS = 1 << 32


@unique
class Phase(Enum):
    """How far the connection is."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event with its number; events of one boot come in order and without gaps."""

    number: int
    event: Event


@dataclass(frozen=True, slots=True)
class EventsLost:
    """Events from `first` on were overwritten in the machine before they could be read; STATUS and ledger decide."""

    first: int


@dataclass(frozen=True, slots=True)
class Outstanding:
    """What was sent and not yet answered; times in seconds."""

    frame: Frame
    first_sent: float
    last_sent: float


class Connection:
    """One host's side of a connection. Every method takes the present time in seconds where time matters.

    Frames to send are returned; what came in is left in `ack`, `answer`, `events` and `stopped`. The first failure is
    latched in `failure`; a new connection is opened with `open`. `restarted` is True once the machine came back with
    another boot id; whoever has reconciled that sets it to False. `serial` is the machine that has to answer; without
    one the first that answers is the one from then on.
    """

    def __init__(
        self, nonce: int, stop_number: int, resend_every: float = RESEND_EVERY / 1000, serial: str | None = None
    ) -> None:
        self.phase = Phase.CLOSED
        self.failure: DealingMachineError | None = None
        self.ack: HelloAck | None = None
        self.answer: Answer | None = None
        self.events: deque[NumberedEvent | EventsLost] = deque()
        self.stopped: Stopped | None = None
        self.tick: Tick | None = None
        self.logs: deque[Log] = deque(maxlen=50)
        self.last_event: int | None = None
        self.last_heard = 0.0
        self.restarted = False
        self.resends = 0
        self.dropped = 0
        self._nonce = nonce
        self._stop_number = stop_number
        self._resend_every = resend_every
        self._connection = 0
        self._number = 0
        self._outstanding: Outstanding | None = None
        self._newest_event = 0
        self._expected_boot: int | None = None
        self._expected_serial = serial

    @property
    def id(self) -> int:
        """The connection's id, 0 = none."""
        return self._connection

    @property
    def waiting(self) -> bool:
        """Whether a HELLO or a request has no answer yet."""
        return self._outstanding is not None

    @property
    def gap(self) -> int | None:
        """Number of the first event that is missing; None when all known ones came."""
        if self.phase is not Phase.OPEN or self.last_event is None or self._newest_event <= self.last_event:
            return None
        return self.last_event + 1

    def open(self, now: float) -> list[Frame]:
        """Begins a new connection with a new nonce; the old one is forgotten here."""
        self._nonce = (self._nonce + 1) % NUMBERS
        self._connection = self._number = 0
        self.phase, self.failure, self.answer = Phase.OPENING, None, None
        self.last_heard = now
        frame = encode(Hello(self._nonce, MAJOR_OLDEST, MAJOR_NEWEST))
        self._outstanding = Outstanding(frame, now, now)
        return [frame]

    def request(self, message: Request, now: float) -> list[Frame]:
        """Sends one request under the next number. Raises the latched failure, or ValueError while one is out."""
        if self.failure is not None:
            raise self.failure
        if self.phase is not Phase.OPEN or self._outstanding is not None:
            raise ValueError("one request at a time, on an open connection")
        self._number += 1
        self.answer = None
        frame = encode(message, connection=self._connection, number=self._number)
        self._outstanding = Outstanding(frame, now, now)
        return [frame]

    def stop(self) -> list[Frame]:
        """A new STOP; `stopped` is None until the machine confirms this one."""
        self._stop_number = (self._stop_number + 1) % NUMBERS
        self.stopped = None
        return self.stop_again()

    def stop_again(self) -> list[Frame]:
        """The same STOP once more."""
        return [encode(Stop(), number=self._stop_number)]

    def start_events_after(self, number: int) -> None:
        """Events up to `number` are history: of a machine met for the first time, or one that restarted."""
        self.last_event = number

    def due(self) -> float | None:
        """When `on_time` is wanted next, in seconds; None when nothing is due."""
        if self._outstanding is not None:
            limit = HELLO_FOR if self.phase is Phase.OPENING else GIVE_UP
            return min(self._outstanding.last_sent + self._resend_every, self._outstanding.first_sent + limit / 1000)
        return self.last_heard + LOST_AFTER / 1000 if self.phase is Phase.OPEN else None

    def on_time(self, now: float) -> list[Frame]:
        """The same bytes again when due; latches a failure when the time to give up has come."""
        sent = self._outstanding
        if sent is None:
            if self.phase is Phase.OPEN and now >= self.last_heard + LOST_AFTER / 1000:
                self._fail(ConnectionFailed("Nothing has been heard from the machine for three seconds."))
            return []
        limit = HELLO_FOR if self.phase is Phase.OPENING else GIVE_UP
        if now >= sent.first_sent + limit / 1000:
            if self.phase is Phase.OPENING:
                self._fail(NotAMachine("Nothing that speaks this protocol answers at the port."))
            else:
                self._fail(AnswerTimeout("The machine did not answer for five seconds."))
            return []
        if now >= sent.last_sent + self._resend_every:
            self._outstanding = replace(sent, last_sent=now)
            self.resends += 1
            return [sent.frame]
        return []

    def on_frame(self, frame: Frame, now: float) -> None:
        """Takes one frame from the machine; what does not belong here is dropped and counted."""
        try:
            if frame.kind is Kind.HELLO_ACK:
                self._on_hello_ack(frame, now)
            elif frame.kind is Kind.STOPPED:
                self._on_stopped(frame, now)
            elif self.phase is not Phase.OPEN or frame.connection != self._connection:
                self.dropped += 1
            else:
                self.last_heard = now
                self._on_own_frame(frame, now)
        except MessageError:
            self.dropped += 1

    def take_events(self, answer: Events) -> None:
        """Fills a gap with the answer to READ_EVENTS; a damaged entry counts as lost."""
        for number, entry in enumerate(answer.entries, start=answer.first):
            self._newest_event = max(self._newest_event, number)
            if self.last_event is not None and number == self.last_event + 1:
                self.last_event = number
                self.events.append(NumberedEvent(number, event_from_entry(entry)))

    def lose_events(self, newest: int) -> None:
        """The gap cannot be filled (GONE): goes on after event `newest`, which STATUS names."""
        self.events.append(EventsLost((self.last_event or 0) + 1))
        self.last_event = newest

    def _on_hello_ack(self, frame: Frame, now: float) -> None:
        ack = decode(frame)
        assert isinstance(ack, HelloAck)
        if self.phase is not Phase.OPENING or ack.nonce != self._nonce:
            self.dropped += 1
            return
        self.last_heard = now
        self._outstanding = None
        self.ack = ack
        if not ack.major:
            theirs = (ack.major_oldest, ack.major_newest)
            self._fail(UnsupportedVersion((MAJOR_OLDEST, MAJOR_NEWEST), theirs))
        elif self._expected_serial is not None and ack.serial != self._expected_serial:
            self._fail(OtherMachine(f"This is machine {ack.serial}, not {self._expected_serial}."))
        else:
            self._connection = ack.connection
            self.phase = Phase.OPEN
            if ack.boot_id != self._expected_boot:
                self.restarted = self._expected_boot is not None
                self.last_event, self._newest_event = None, 0
            self._expected_boot = ack.boot_id
            self._expected_serial = ack.serial

    def _on_stopped(self, frame: Frame, now: float) -> None:
        if frame.number != self._stop_number:
            self.dropped += 1
            return
        message = decode(frame)
        assert isinstance(message, Stopped)
        self.last_heard = now
        self.stopped = message

    def _on_own_frame(self, frame: Frame, now: float) -> None:
        message = decode(frame)
        if isinstance(message, Answer):
            self._on_answer(frame, message, now)
        elif isinstance(message, Event):
            self._on_event(frame.number, message)
        elif isinstance(message, Tick):
            self.tick = message
            self._newest_event = max(self._newest_event, message.last_event)
        elif isinstance(message, Log):
            self.logs.append(message)

    def _on_event(self, number: int, event: Event) -> None:
        self._newest_event = max(self._newest_event, number)
        if self.last_event is not None and number == self.last_event + 1:
            self.last_event = number
            self.events.append(NumberedEvent(number, event))

    def _on_answer(self, frame: Frame, answer: Answer, now: float) -> None:
        sent = self._outstanding
        if sent is None or frame.number != self._number:
            self.dropped += 1
            return
        if isinstance(answer, Refused):
            if answer.request != sent.frame.type:
                self.dropped += 1
                return
            self._on_refusal(answer)
        elif answer.type != sent.frame.type:
            self._fail(UnexpectedAnswer("The machine answered something else than what it was asked."))
        elif isinstance(answer, StatusReport):
            self._newest_event = max(self._newest_event, answer.last_event)
        self.answer = answer
        self._outstanding = None

    def _on_refusal(self, refused: Refused) -> None:
        if refused.reason == Refusal.NO_CONNECTION:
            if refused.detail != self._expected_boot:
                self._fail(MachineRestarted("The machine was restarted."))
            else:
                self._fail(ConnectionFailed("The machine has ended this connection."))
        elif refused.reason == Refusal.NUMBER_REUSED:
            reused = "The machine got two requests under one number."
            self._fail(RequestRefused(reused, reason=refused.reason))

    def _fail(self, failure: DealingMachineError) -> None:
        if self.failure is None:
            self.failure = failure
        self.phase = Phase.FAILED
        self._outstanding = None
        self._connection = 0
