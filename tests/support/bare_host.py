"""A host of a few lines that speaks straight to the simulated core: what it asks, the machine answers at once.

For tests of the page and of the machine; it has no driver in it, resends nothing and decides nothing.
May import: protocol, firmware_sim and the standard library. Read next: `tests/faults/test_page_rules.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultPlan
from firmware_sim.memory import Memory
from firmware_sim.packs import Pack, shuffled_pack
from firmware_sim.profile import FULL, Profile
from protocol.cards import PACK_SIZE
from protocol.codec import decode, encode
from protocol.codes import AnomalyMode, Confirmation, EventType, Kind, Recognition, Routing, State
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import (
    Answer,
    Arm,
    Armed,
    Beat,
    Close,
    Closed,
    Event,
    Go,
    Going,
    Hello,
    HelloAck,
    Ledger,
    Message,
    Pause,
    ReadLedger,
    Refused,
    Request,
    Status,
    StatusReport,
    Stop,
    Stopped,
)

A = TypeVar("A", bound=Message)

RUN: Final = 0x5E1F_0000_0007
PLAN_TAG: Final = bytes.fromhex("9b1d00c44e7a0af3")
CONFIRMED_ALL: Final = Confirmation.BOARD_NUMBER | Confirmation.POCKETS_EMPTY | Confirmation.HOPPER_LOADED
ROTATION: Final = tuple(index % 4 for index in range(PACK_SIZE))
"""Card (or index) to pocket: round and round."""


def destinations(pockets: Sequence[int]) -> bytes:
    """The 13 bytes of ARM for the pocket of each card (BY_IDENTITY) or index (BY_ORDER)."""
    table = bytearray(13)
    for number, pocket in enumerate(pockets):
        table[number // 4] |= pocket << 2 * (number % 4)
    return bytes(table)


class BareHost:
    """One host on one machine. `frames` are all frames that the machine sent, oldest first.

    `connection`, `number` (of the last request), `token` and `run` (of the next ARM) are for tests to read and to set.
    """

    def __init__(self, machine: SimMachine) -> None:
        self.machine = machine
        self.frames: list[Frame] = []
        self.connection = 0
        self.number = 0
        self.token = 0
        self.run = RUN
        self._nonce = 0x1000
        self._stop = 0x2000
        self._decoder = FrameDecoder()

    # Bytes and frames

    def send(self, data: bytes) -> list[Frame]:
        """Sends bytes at this moment; gives the frames that come back at this moment."""
        self.machine.receive(data)
        return self.take()

    def take(self) -> list[Frame]:
        """The frames that the machine has sent since the last call."""
        new = [frame for _, data in self.machine.take_output() for frame in self._decoder.feed(data)]
        self.frames += new
        return new

    def wire(self, message: Message, *, number: int = 0, connection: int = 0) -> bytes:
        """The bytes of a message."""
        return encode_frame(encode(message, connection=connection, number=number))

    def wait(self, seconds: float, *, beat: bool = True) -> list[Frame]:
        """Lets time pass, with a BEAT each half second."""
        end, new = self.machine.now + seconds, []
        while self.machine.now < end:
            self.machine.advance_to(min(end, self.machine.now + 0.5))
            new += self.take()
            if beat and self.connection:
                new += self.send(self.wire(Beat(), connection=self.connection))
        return new

    def short_wire(self, message: Message, *, number: int = 0, connection: int = 0) -> bytes:
        """The bytes of a message whose payload lost its last byte on the way into the frame."""
        frame = encode(message, connection=connection, number=number)
        return encode_frame(replace(frame, payload=frame.payload[:-1]))

    # Connection

    def hello(self, nonce: int | None = None, oldest: int = 1, newest: int = 1) -> HelloAck | None:
        """The answer to a HELLO (a new nonce, unless given)."""
        if nonce is None:
            self._nonce += 1
            nonce = self._nonce
        acks = [
            decode(frame)
            for frame in self.send(self.wire(Hello(nonce, oldest, newest)))
            if frame.kind is Kind.HELLO_ACK
        ]
        if not acks:
            return None
        (ack,) = acks
        assert isinstance(ack, HelloAck)
        return ack

    def connect(self) -> StatusReport:
        """A new connection, which takes effect with its first request: STATUS."""
        ack = self.hello()
        assert ack is not None
        self.connection, self.number = ack.connection, 0
        return self.status()

    # Requests

    def answer_to(self, request: Request, *, number: int | None = None) -> Answer | None:
        """The answer to a request with the next number (or the one given), or None when it was dropped."""
        if number is None:
            self.number += 1
            number = self.number
        return self.answer_to_bytes(self.wire(request, number=number, connection=self.connection))

    def answer_to_bytes(self, data: bytes) -> Answer | None:
        """The answer to the bytes of one request."""
        answers = [decode(frame) for frame in self.send(data) if frame.kind is Kind.ANSWER]
        if not answers:
            return None
        (answer,) = answers
        assert isinstance(answer, Answer)
        return answer

    def ask(self, request: Request, expected: type[A]) -> A:
        """As `answer_to`; fails when the answer is of another kind."""
        answer = self.answer_to(request)
        assert isinstance(answer, expected), answer
        return answer

    def status(self) -> StatusReport:
        """The machine's facts now."""
        return self.ask(Status(), StatusReport)

    def plan(self, **changes: Any) -> Arm:
        """An ARM that an idle machine with board 1 accepts: all confirmed, newest event seen; with these changes."""
        identity_read = self.machine.profile.recognition is not Recognition.NONE
        arm = Arm(
            run=self.run,
            plan_tag=PLAN_TAG,
            board=1,
            routing=Routing.BY_IDENTITY if identity_read else Routing.BY_ORDER,
            on_anomaly=AnomalyMode.STOP,
            more_packs=False,
            confirmed=CONFIRMED_ALL,
            put_back=255,
            first=0,
            last_event=2**32 - 1,
            destinations=destinations(ROTATION),
        )
        return replace(arm, **changes)

    def arm(self, **changes: Any) -> Armed | Refused:
        """The answer to `plan`."""
        answer = self.answer_to(self.plan(**changes))
        assert isinstance(answer, Armed | Refused), answer
        return answer

    def armed(self, **changes: Any) -> Armed:
        """As `arm`; fails when it is refused."""
        answer = self.arm(**changes)
        assert isinstance(answer, Armed), answer
        return answer

    def go(self, **changes: Any) -> Going:
        """ARM and GO."""
        return self.ask(Go(self.armed(**changes).token), Going)

    def deal_until(self, index: int, **changes: Any) -> None:
        """ARM, GO, and time until `index` cards are proven or the run no longer moves."""
        self.go(**changes)
        self.run_until(index)

    def deal_whole(self, **changes: Any) -> None:
        """ARM, GO, and time until the run is DONE; fails when it is not."""
        self.go(**changes)
        self.deal_done()

    def deal_done(self) -> None:
        """Time passes until the run is DONE; fails when it pauses."""
        report = self.run_until()
        assert report.state is State.DONE, report

    def run_until(self, index: int = PACK_SIZE) -> StatusReport:
        """Time passes until `index` cards are proven or the run no longer moves."""
        for _ in range(2_000):
            report = self.status()
            if report.state is not State.MOVING or report.index >= index:
                return report
            self.machine.advance_to(self.machine.now + 0.02)
            self.take()
        raise AssertionError("the run neither ends nor pauses")

    def pause(self) -> None:
        """PAUSE, and time until the card under way is done."""
        self.answer_to(Pause())
        self.run_until()

    def stop(self) -> Stopped:
        """STOP, confirmed."""
        self._stop += 1
        (frame,) = [frame for frame in self.send(self.wire(Stop(), number=self._stop)) if frame.kind is Kind.STOPPED]
        stopped = decode(frame)
        assert isinstance(stopped, Stopped)
        assert frame.number == self._stop
        return stopped

    def close(self, run: int = RUN) -> Closed:
        """CLOSE of the open run."""
        return self.ask(Close(run), Closed)

    # What came

    def events(self) -> list[tuple[int, Event]]:
        """Every event that was sent, with its number, oldest first."""
        return [
            (frame.number, event)
            for frame in self.frames
            if frame.kind is Kind.EVENT and isinstance(event := decode(frame), Event)
        ]

    def last_event(self, *kinds: EventType) -> int:
        """Number of the newest event of these types that was sent."""
        self.take()
        return max(number for number, event in self.events() if event.type in kinds)

    def newest_event(self) -> int:
        """Number of the newest event that was sent, 0 = none."""
        self.take()
        return max((number for number, _ in self.events()), default=0)

    def ledger(self, run: int = RUN) -> Ledger:
        """The first 26 records."""
        return self.ask(ReadLedger(run, 0), Ledger)


def ready_host(
    profile: Profile = FULL,
    faults: FaultPlan | None = None,
    *,
    packs: int = 1,
    pack: Pack | None = None,
    board: int | None = 1,
    memory: Memory | None = None,
) -> BareHost:
    """A host with its connection to a machine with `packs` shuffled packs (or `pack`) and board `board` in the slot."""
    machine = SimMachine(profile, memory=memory, faults=faults, seed=7)
    host = BareHost(machine)
    host.connect()
    if pack is None:
        pack = tuple(card for number in range(packs) for card in shuffled_pack(number + 7, pack=number + 1))
    machine.mechanism.load_pack(pack)
    if board is not None:
        machine.mechanism.slot.insert_board(board)
    host.take()
    return host
