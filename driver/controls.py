"""One machine at the level of one run: connect, arm and go, close, read the ledger, stop, connect again.

May import: `conversation`, `link`, `transport`, `recorder`, `clock`, `errors`, `protocol`. Read next: `runner.py`.
Nothing here decides: whoever calls `begin` has a person's decision, and each GO is sent once for one call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from driver.clock import Clock, SleepWatch
from driver.connection import EventsLost, NumberedEvent
from driver.conversation import Conversation, new_connection
from driver.errors import ComputerSlept, StopNotConfirmed, TransportError
from driver.link import Link
from driver.recorder import Recorder
from driver.transport.base import Transport
from protocol.cards import PACK_SIZE
from protocol.codes import Refusal, RequestType, State, TokenEnd
from protocol.constants import LEDGER_RECORDS_MAX
from protocol.fields import LedgerRecord
from protocol.messages import (
    Arm,
    Armed,
    Clear,
    Cleared,
    Close,
    Closed,
    Go,
    Going,
    HelloAck,
    Identity,
    Ledger,
    Pause,
    Pausing,
    ReadLedger,
    Refused,
    StatusReport,
    Stopped,
)

ARM_TRIES: Final = 3
"""How often an ARM whose token expired before GO came through is sent anew, silently (PROTOCOL.md, *Refusals*)."""


class Controls:
    """The machine behind `open_transport`; `connect` first. One caller at a time.

    `open_transport` is called again for each reconnect whose transport has failed, so it may find another port name.
    `serial`: the machine that has to answer; without one the first that answers is the one from then on.
    """

    def __init__(
        self,
        open_transport: Callable[[], Transport],
        clock: Clock,
        recorder: Recorder,
        baud: int | None = None,
        *,
        serial: str | None = None,
    ) -> None:
        self.clock = clock
        self._sleep = SleepWatch(clock)
        self.recorder = recorder
        self._open_transport = open_transport
        self._connection = new_connection(baud, serial)
        self._conversation = Conversation(Link(open_transport(), clock, recorder), clock, self._connection)
        self._met: tuple[HelloAck, Identity] | None = None

    @property
    def ack(self) -> HelloAck:
        """Who the machine is; of the last connection that came about, whatever answered since."""
        assert self._met is not None, "connect first"
        return self._met[0]

    @property
    def identity(self) -> Identity:
        """Its model, limits and capabilities; of the same connection as `ack`."""
        assert self._met is not None, "connect first"
        return self._met[1]

    @property
    def last_event(self) -> int:
        """Number of the newest event that was taken."""
        return self._connection.last_event or 0

    @property
    def resends(self) -> int:
        """How often the same bytes were sent again."""
        return self._connection.resends

    @property
    def silent_for(self) -> float:
        """Seconds since the machine was last heard (I5)."""
        return self.clock.monotonic() - self._connection.last_heard

    @property
    def events_waiting(self) -> bool:
        """Whether an event is there, or known to be missing."""
        return bool(self._connection.events) or self._connection.gap is not None

    def connect(self) -> HelloAck:
        """Opens a connection on the present transport. Raises ConnectionFailed and TransportError."""
        self._meet()
        return self.ack

    def reconnect(self) -> bool:
        """A new connection, on a new transport when the old one failed; True when the machine restarted meanwhile.

        A restart is told by the reconnect that comes through, also when one that broke off had met it. Errors as in
        `connect`; `ack` and `identity` stay then.
        """
        if self._conversation.link.failed:
            self._conversation.close()
            link = Link(self._open_transport(), self.clock, self.recorder)
            self._conversation = Conversation(link, self.clock, self._connection)
        self._meet()
        restarted, self._connection.restarted = self._connection.restarted, False
        return restarted

    def close(self) -> None:
        """Ends the link. The machine finishes the card under way, if there is one, and pauses."""
        self._conversation.close()

    def check_awake(self) -> None:
        """Raises ComputerSlept once after a sleep of this computer: what was said before it stands no more."""
        if self._sleep.slept():
            raise ComputerSlept("This computer was asleep.")

    def status(self) -> StatusReport:
        """The machine's facts now."""
        return self._conversation.ask_status()

    def next_event(self, timeout: float) -> NumberedEvent | EventsLost | None:
        """The next event in order, waiting up to `timeout` seconds."""
        return self._conversation.next_event(timeout)

    def begin(self, arm: Arm, before_go: Callable[[], bool]) -> Going | Refused:
        """ARM and GO. `before_go` writes that GO may have been sent, just before it is.

        It says False when nobody wants it any more: GO is not sent then, and the refusal is the one that a machine
        gives whose token a STOP has ended.
        """
        for _ in range(ARM_TRIES):
            armed = self._conversation.ask(arm)
            if not isinstance(armed, Armed):
                return self._refusal(armed)
            if not before_go():
                return Refused(RequestType.GO, Refusal.TOKEN_DEAD, why=TokenEnd.STOPPED)
            going = self._conversation.ask(Go(armed.token))
            if isinstance(going, Going):
                return going
            refused = self._refusal(going)
            if (refused.reason, refused.why) != (Refusal.TOKEN_DEAD, TokenEnd.EXPIRED):
                break
        return refused

    def clear(self, event: int) -> Refused | None:
        """CLEAR the fault of that event; the refusal, if it was refused."""
        answer = self._conversation.ask(Clear(event))
        return None if isinstance(answer, Cleared) else self._refusal(answer)

    def close_run(self, run: int) -> Closed | Refused:
        """CLOSE the run."""
        answer = self._conversation.ask(Close(run))
        return answer if isinstance(answer, Closed) else self._refusal(answer)

    def ledger_or_refusal(self, run: int) -> tuple[LedgerRecord, ...] | Refused:
        """All records of the open run, or why the machine has none of that run."""
        records: list[LedgerRecord] = []
        while len(records) < PACK_SIZE:
            answer = self._conversation.ask(ReadLedger(run, len(records)))
            if not isinstance(answer, Ledger):
                return self._refusal(answer)
            records.extend(answer.records)
            if len(answer.records) < LEDGER_RECORDS_MAX:
                break
        return tuple(records)

    def pause(self) -> bool:
        """PAUSE: the card under way is finished. True while cards still move, False when the run pauses already."""
        return self._conversation.request(Pause(), Pausing).state == State.MOVING

    def stop(self) -> Stopped:
        """STOP: motors off at once. Raises StopNotConfirmed."""
        try:
            return self._conversation.stop()
        except TransportError as error:
            raise StopNotConfirmed("The machine could not be told to stop.") from error

    def _meet(self) -> None:
        ack, identity = self._conversation.open(), self._conversation.identity
        assert identity is not None, "it was asked when the connection was opened"
        self._met = ack, identity

    def _refusal(self, answer: object) -> Refused:
        assert isinstance(answer, Refused), "the connection fails on any other answer"
        return answer
