"""The blocking shell around `connection.py`: opens it, asks and waits, gives events, stops.

May import: `link`, `connection`, `clock`, `errors`, `sentences`, `protocol`. Read next: `machine.py`.
One caller at a time, the one that owns the machine.
"""

from __future__ import annotations

import math
import secrets
from typing import TypeVar

from driver.clock import Clock
from driver.connection import Connection, EventsLost, NumberedEvent, Phase
from driver.errors import NotAMachine, RequestRefused, StopNotConfirmed, UnexpectedAnswer
from driver.link import Link
from driver.sentences import refusal_entry
from protocol.codes import Refusal, State
from protocol.constants import BITS_PER_BYTE, MAX_WIRE, RESEND_EVERY, STOP_CONFIRM
from protocol.errors import UnsupportedVersion
from protocol.framing import Frame
from protocol.messages import (
    Answer,
    Events,
    Going,
    HelloAck,
    Identify,
    Identity,
    ReadEvents,
    Refused,
    Request,
    RunEvent,
    Status,
    StatusReport,
    Stopped,
)

A = TypeVar("A", bound=Answer)


def resend_every(baud: int | None) -> float:
    """Seconds between resends: RESEND_EVERY or three frame times of the line (PROTOCOL.md, *Times*)."""
    frame_time = 0.0 if baud is None else MAX_WIRE * BITS_PER_BYTE / baud
    return max(RESEND_EVERY / 1000, 3 * frame_time)


def new_connection(baud: int | None = None, serial: str | None = None) -> Connection:
    """A connection whose nonce and STOP number start random, as each process must; `serial` as in Connection."""
    return Connection(secrets.randbits(32), secrets.randbits(32), resend_every(baud), serial)


class Conversation:
    """Questions and answers with one machine over one link. After a failure `open` begins a new connection."""

    def __init__(self, link: Link, clock: Clock, connection: Connection) -> None:
        self.link = link
        self.clock = clock
        self.connection = connection
        self.identity: Identity | None = None
        self.status: StatusReport | None = None

    def open(self) -> HelloAck:
        """Opens a connection and asks IDENTIFY and STATUS. Raises NotAMachine, UnsupportedVersion, OtherMachine."""
        self._send(self.connection.open(self.clock.monotonic()))
        try:
            while self.connection.phase is Phase.OPENING:
                self._turn(math.inf)
        except NotAMachine:
            raise self._what_is_there() from None
        ack = self.connection.ack
        assert ack is not None
        self.link.beat_for(self.connection.id)
        self.identity = self.request(Identify(), Identity)
        status = self.ask_status()
        if self.connection.last_event is None:
            self.connection.start_events_after(status.last_event)
        return ack

    def ask(self, message: Request) -> Answer:
        """The answer to `message`, a refusal included. Raises AnswerTimeout and the other failures, latched."""
        self.link.check()
        self._send(self.connection.request(message, self.clock.monotonic()))
        while self.connection.waiting:
            self._turn(math.inf)
        answer = self.connection.answer
        assert answer is not None
        if isinstance(answer, Going):
            self.link.cards_move = True
        return answer

    def request(self, message: Request, expect: type[A]) -> A:
        """As `ask`, but a refusal is raised as RequestRefused."""
        answer = self.ask(message)
        if isinstance(answer, Refused):
            found = refusal_entry(answer)
            raise RequestRefused(
                found.sentence, reason=answer.reason, why=answer.why, detail=answer.detail, hint=found.hint
            )
        if not isinstance(answer, expect):
            raise UnexpectedAnswer(f"The machine answered {type(answer).__name__} instead of {expect.__name__}.")
        return answer

    def ask_status(self) -> StatusReport:
        """The machine's facts now; their age counts from the first sending."""
        self.status = self.request(Status(), StatusReport)
        self.link.cards_move = self.status.state == State.MOVING
        return self.status

    def next_event(self, timeout: float) -> NumberedEvent | EventsLost | None:
        """The next event in order, waiting up to `timeout` seconds; gaps are filled before it is given."""
        deadline = self.clock.monotonic() + timeout
        looked = False
        while True:
            if self.connection.events:
                event = self.connection.events.popleft()
                if isinstance(event, NumberedEvent) and isinstance(event.event, RunEvent):
                    self.link.cards_move = event.event.state == State.MOVING
                return event
            if self.connection.gap is not None:
                self._fill_gap(self.connection.gap)
            elif looked and not self.link.pending and self.clock.monotonic() >= deadline:
                return None
            else:
                self._turn(deadline)
                looked = True

    def stop(self) -> Stopped:
        """Stops the motors, whatever the connection's state. Raises StopNotConfirmed after five seconds."""
        now = self.clock.monotonic()
        give_up, again = now + STOP_CONFIRM / 1000, now + RESEND_EVERY / 1000
        self._send(self.connection.stop())
        while self.connection.stopped is None:
            now = self.clock.monotonic()
            if now >= give_up:
                raise StopNotConfirmed("Stopped, but not confirmed by the machine.")
            if now >= again:
                again = now + RESEND_EVERY / 1000
                self._send(self.connection.stop_again())
            frame = self.link.take(min(again, give_up) - now)
            if frame is not None:
                self.connection.on_frame(frame, self.clock.monotonic())
        self.link.cards_move = False
        return self.connection.stopped

    def close(self) -> None:
        """Stops beating and closes the link."""
        self.link.beat_for(None)
        self.link.close()

    def _fill_gap(self, first: int) -> None:
        answer = self.ask(ReadEvents(first))
        if isinstance(answer, Events) and answer.first == first and answer.entries:
            self.connection.take_events(answer)
        elif isinstance(answer, Refused) and answer.reason != Refusal.GONE:
            raise RequestRefused(refusal_entry(answer).sentence, reason=answer.reason, why=answer.why)
        else:
            self.connection.lose_events(self.ask_status().last_event)

    def _turn(self, deadline: float) -> None:
        """Waits for one frame, until `deadline` or until something is due; what is due is done when none came.

        Frames that arrived while nobody looked are taken before their absence is judged.
        """
        now = self.clock.monotonic()
        due = self.connection.due()
        until = deadline if due is None else min(deadline, due)
        frame = self.link.take(max(0.0, until - now))
        now = self.clock.monotonic()
        if frame is not None:
            self.connection.on_frame(frame, now)
        else:
            self._send(self.connection.on_time(now))
        self._raise_failure()

    def _send(self, frames: list[Frame]) -> None:
        for frame in frames:
            self.link.send(frame)

    def _raise_failure(self) -> None:
        failure = self.connection.failure
        if failure is not None:
            if not isinstance(failure, UnsupportedVersion):
                self.link.beat_for(None)
            raise failure

    def _what_is_there(self) -> NotAMachine:
        counters, url = self.link.counters, self.link.transport.url
        if counters.echoes:
            return NotAMachine(
                f"{url} only sends back what this program says: no dealing machine is there.",
                hint="A test plug or a cable without a machine may be on that port. Name the port of the machine.",
            )
        if counters.bytes:
            return NotAMachine(
                f"What talks at {url} does not answer as a dealing machine does.",
                hint="Name the port of the machine with --machine; if it is this one, check cable and speed of line.",
            )
        return NotAMachine(f"Nothing answers at {url}.")
