"""The host's end of the search: the real `Connection`, and the smallest owner of it that a person could have.

May import: driver, protocol. Read next: `search.py`. The owner does what `driver/controls.py` and `driver/runner.py`
do, without waiting: a decision is CLEAR (when a fault is known), ARM naming the newest event seen when it was made, and
GO for the token; a failed connection, a refusal, a STOP or a crash ends it. An ARM whose token expired is sent anew.
Time stands still here: the same bytes again are the line's business, which may repeat anything.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final

from driver.connection import Connection, NumberedEvent, Phase
from protocol.codes import FaultCode, Place, Refusal, Sensor, State, TokenEnd
from protocol.constants import NOT_PUT_BACK
from protocol.framing import Frame, encode_frame
from protocol.messages import (
    Answer,
    Arm,
    Armed,
    Clear,
    Cleared,
    Events,
    FaultEvent,
    Go,
    Going,
    Pause,
    ReadEvents,
    Refused,
    Request,
    RunEvent,
    Status,
    StatusReport,
)
from tests.stateful.searched_machine import Sent

IN_SIGHT: Final = Sensor.READER_CARD | Sensor.PATH_CARD
NONCES: Final = 0x100
STOPS: Final = 0x9000
STEP: Final = 0x10
"""Nonces and STOP numbers of the next process start so much higher."""
_COUNTERS: Final = ("resends", "dropped", "tick", "logs", "events", "failure")


@unique
class Move(Enum):
    """What a host can do by itself; the value is its name in a trace."""

    OPEN = "the host opens a connection"
    DECIDE = "a person decides"
    PAUSE = "the host sends PAUSE"
    STOP = "the host sends STOP"
    ASK = "the host asks STATUS"
    READ = "the host reads the events that it misses"
    CRASH = "the host crashes and starts again"


@dataclass(frozen=True, slots=True)
class View:
    """What this process knows of the machine: the boot, state, index, the latched fault's event, a card under way."""

    boot: int = 0
    state: State | None = None
    index: int = 0
    fault: int = 0
    card: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision under way: its number, and what the person had seen."""

    number: int
    boot: int
    seen: int


class SearchedHost:
    """One host process after another; `arm` is the ARM of the run, whose index, put_back and event are filled in."""

    make_connection: Callable[[int, int], Connection] = Connection
    keeps_decision_on_failure = False

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self.process = 0
        self.connection = self._new_connection()
        self.view = View()
        self.decision: Decision | None = None
        self.decided = 0
        self.void = 0
        """Decisions up to this one must lead to no motion any more: a stop after them was confirmed."""
        self.stop_after = 0
        self.stop_number = 0
        self.made: dict[Move, int] = {}
        self.sent: list[Sent] = []
        """What was sent and not yet taken."""
        self._boot_heard = 0

    def copied(self) -> SearchedHost:
        """A copy that shares nothing that changes."""
        other = copy.copy(self)
        other.connection = copy.copy(self.connection)
        other.connection.events, other.connection.logs = deque(), deque()
        other.made, other.sent = dict(self.made), []
        return other

    def node_key(self) -> tuple[object, ...]:
        """Everything that tells this state from another one; counters of the connection are left out."""
        rules = {name: value for name, value in vars(self.connection).items() if name not in _COUNTERS}
        made = tuple(sorted((move.name, count) for move, count in self.made.items()))
        return (
            tuple(rules.values()), self.process, self.view, self.decision, self.decided, self.void, self.stop_after,
            self.stop_number, made, self._boot_heard,
        )  # fmt: skip

    @property
    def believed(self) -> int:
        """The number of the STOP whose confirmation is believed now; 0 = none."""
        return self.stop_number if self.connection.stopped is not None else 0

    def take_sent(self) -> list[Sent]:
        """What the host has sent since the last call."""
        sent, self.sent = self.sent, []
        return sent

    def moves_possible(self, budget: dict[Move, int]) -> list[Move]:
        """What the host can do now, within the budget."""
        connection, view = self.connection, self.view
        idle = connection.phase is Phase.OPEN and not connection.waiting and self.decision is None
        stands = view.state in (State.NONE, State.PAUSED)
        now = {
            Move.OPEN: True,
            Move.DECIDE: idle and stands,
            Move.PAUSE: idle and view.state is State.MOVING,
            Move.STOP: True,
            Move.ASK: idle,
            Move.READ: idle and connection.gap is not None,
            Move.CRASH: True,
        }
        return [move for move, possible in now.items() if possible and self.made.get(move, 0) < budget.get(move, 0)]

    def move(self, move: Move) -> None:
        """Does it."""
        connection = self.connection
        self.made[move] = self.made.get(move, 0) + 1
        match move:
            case Move.OPEN:
                self._end_decision()
                self._send(connection.open(0.0))
            case Move.DECIDE:
                self.decided += 1
                self.decision = Decision(self.decided, self.view.boot, connection.last_event or 0)
                self._carry_on()
            case Move.PAUSE:
                self._ask(Pause())
            case Move.STOP:
                self.decision, self.stop_after = None, self.decided
                (frame,) = connection.stop()
                self.stop_number = frame.number
                self._send([frame])
            case Move.ASK:
                self._ask(Status())
            case Move.READ:
                assert connection.gap is not None
                self._ask(ReadEvents(connection.gap))
            case Move.CRASH:
                self.process += 1
                self.connection, self.view, self.decision = self._new_connection(), View(), None
                self.stop_number = self._boot_heard = 0

    def begin_search(self) -> None:
        """What was done until now does not count in the budget; decisions that were used stay used."""
        self.made = {}

    def deliver(self, sent: Sent) -> bool:
        """One frame of the machine arrives; False when the connection drops it."""
        connection = self.connection
        opening, believed = connection.phase is Phase.OPENING, connection.stopped
        dropped = connection.dropped
        connection.on_frame(sent.frame, 0.0)
        if connection.dropped > dropped:
            return False
        self._boot_heard = max(self._boot_heard, sent.boot)
        if connection.phase is Phase.FAILED:
            self._end_decision()
        elif connection.phase is Phase.OPEN and opening:
            self._ask(Status())
        if connection.stopped is not None and believed is None:
            self.void = self.stop_after
        self._hear_events()
        answer, connection.answer = connection.answer, None
        if answer is not None and connection.phase is Phase.OPEN:
            self._on_answer(answer)
            self._hear_events()
        return True

    def _hear_events(self) -> None:
        while self.connection.events:
            told = self.connection.events.popleft()
            if isinstance(told, NumberedEvent):
                self._on_event(told)

    def _on_event(self, told: NumberedEvent) -> None:
        match told.event:
            case RunEvent() as event if isinstance(event.state, State):
                card = self.view.card if event.state is State.PAUSED else False
                self.view = replace(self.view, state=event.state, index=event.index, card=card)
            case FaultEvent() as event:
                card = event.place in (Place.READER, Place.PATH)
                self.view = replace(self.view, fault=self.view.fault or told.number, card=card)

    def _on_answer(self, answer: Answer) -> None:
        match answer:
            case StatusReport():
                self._on_status(answer)
            case Events():
                self.connection.take_events(answer)
            case Cleared():
                self.view = replace(self.view, fault=0)
                if self.decision is not None:
                    self._carry_on()
            case Armed() if self.decision is not None:
                self._ask(Go(answer.token))
            case Armed():
                pass
            case Going():
                self.decision = None
                self.view = replace(self.view, state=State.MOVING)
            case Refused():
                again = (answer.reason, answer.why) == (Refusal.TOKEN_DEAD, TokenEnd.EXPIRED)
                if again and self.decision is not None:
                    self._carry_on()
                else:
                    self.decision = None

    def _on_status(self, status: StatusReport) -> None:
        connection = self.connection
        if connection.last_event is None:
            connection.start_events_after(status.last_event)
        assert isinstance(status.state, State)
        card = bool(status.doubt or status.sensors & IN_SIGHT or status.fault_place in (Place.READER, Place.PATH))
        fault = status.fault_event if status.fault is not FaultCode.NONE else 0
        self.view = View(self._boot_heard, status.state, status.index, fault, card)
        if self.decision is not None:
            self._carry_on()

    def _carry_on(self) -> None:
        """The next request of the decision: CLEAR, then ARM; GO follows ARMED."""
        view, decision = self.view, self.decision
        assert decision is not None
        if view.fault:
            self._ask(Clear(view.fault))
            return
        put_back = view.index if view.card else NOT_PUT_BACK
        self._ask(replace(self.arm, first=view.index, put_back=put_back, last_event=decision.seen))

    def _end_decision(self) -> None:
        if not self.keeps_decision_on_failure:
            self.decision = None

    def _ask(self, message: Request) -> None:
        self._send(self.connection.request(message, 0.0))

    def _send(self, frames: list[Frame]) -> None:
        told = self.decision
        for frame in frames:
            wire = encode_frame(frame)
            if told is None:
                self.sent.append(Sent(frame, wire, 0))
            else:
                self.sent.append(Sent(frame, wire, told.boot, told.number, told.seen))

    def _new_connection(self) -> Connection:
        start = self.process * STEP
        return type(self).make_connection(NONCES + start, STOPS + start)
