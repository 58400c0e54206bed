"""A host of few lines that drives the simulated machine's core by messages, and nothing else.

May import: firmware_sim and protocol. Read next: `test_sim_runs.py`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultPlan, MachineFault
from firmware_sim.memory import Memory
from firmware_sim.packs import SimCard, shuffled_pack
from firmware_sim.profile import FULL, Profile
from protocol.cards import PACK_SIZE
from protocol.codec import decode, encode
from protocol.codes import (
    AnomalyMode,
    BoardSensing,
    Confirmation,
    FaultCode,
    HopperSensing,
    Kind,
    PauseReason,
    Place,
    PocketSensing,
    Refusal,
    Routing,
    State,
)
from protocol.constants import NOT_PUT_BACK
from protocol.fields import LedgerRecord
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import (
    Answer,
    Arm,
    Armed,
    Beat,
    Clear,
    Close,
    Event,
    FaultEvent,
    Go,
    Going,
    Hello,
    HelloAck,
    Ledger,
    Message,
    ReadLedger,
    Refused,
    Request,
    RunEvent,
    Status,
    StatusReport,
    Stop,
    Stopped,
)

RUN: Final = 7 << 32 | 1
TAG: Final = b"plan-tag"


def destinations_of(seed: int = 0) -> bytes:
    """Thirteen cards for each pocket, chosen by `seed`, as ARM carries them."""
    order = list(range(PACK_SIZE))
    random.Random(seed).shuffle(order)
    packed = bytearray(13)
    for place, code in enumerate(order):
        packed[code // 4] |= place % 4 << 2 * (code % 4)
    return bytes(packed)


def pocket_of(destinations: bytes, slot: int) -> int:
    """The pocket that the plan gives to card or index `slot`."""
    return destinations[slot // 4] >> 2 * (slot % 4) & 3


def hands_of(destinations: bytes) -> list[set[int]]:
    """The card codes that the plan gives to each pocket."""
    return [{code for code in range(PACK_SIZE) if pocket_of(destinations, code) == pocket} for pocket in range(4)]


def confirmations_for(profile: Profile) -> Confirmation:
    """What a person confirms on such a machine, because it cannot sense it."""
    confirmed = Confirmation(0)
    if profile.board is not BoardSensing.NUMBER:
        confirmed |= Confirmation.BOARD_NUMBER
    if profile.pockets is PocketSensing.NO:
        confirmed |= Confirmation.POCKETS_EMPTY
    if profile.hopper is HopperSensing.NO:
        confirmed |= Confirmation.HOPPER_LOADED
    return confirmed


class SimHost:
    """A machine with a host. `frames` holds all that came, `events` the numbered events, `seen` the newest number."""

    def __init__(self, machine: SimMachine, *, connect: bool = True) -> None:
        self.machine = machine
        self.connection = 0
        self.number = 0
        self.nonce = 100
        self.seen = 0
        self.frames: list[tuple[float, Frame]] = []
        self.events: list[tuple[int, Event]] = []
        self.sent: list[bytes] = []
        self._decoder = FrameDecoder()
        if connect:
            self.connect()

    def send(self, frame: Frame) -> list[Frame]:
        """Sends a frame; what comes back at once."""
        wire = encode_frame(frame)
        self.sent.append(wire)
        return self.send_bytes(wire)

    def send_bytes(self, wire: bytes) -> list[Frame]:
        """Sends bytes; the frames that come back at once."""
        self.collect()
        self.machine.receive(wire)
        return self.collect()

    def collect(self) -> list[Frame]:
        """Takes what the machine sent."""
        fresh = []
        for time, wire in self.machine.take_output():
            for frame in self._decoder.feed(wire):
                self.frames.append((time, frame))
                fresh.append(frame)
                if frame.kind is Kind.EVENT:
                    event = decode(frame)
                    assert isinstance(event, Event)
                    self.events.append((frame.number, event))
                    self.seen = max(self.seen, frame.number)
        return fresh

    def hello(self, nonce: int) -> HelloAck | None:
        """Sends HELLO; its answer, if one came."""
        for frame in self.send(encode(Hello(nonce, 1, 1))):
            if frame.kind is Kind.HELLO_ACK:
                answer = decode(frame)
                assert isinstance(answer, HelloAck)
                return answer
        return None

    def connect(self) -> HelloAck:
        """A new connection, in effect, and the newest event number known."""
        self.nonce += 1
        answer = self.hello(self.nonce)
        assert answer is not None
        self.connection, self.number = answer.connection, 0
        self.seen = self.status().last_event
        return answer

    def frame(self, request: Request, number: int | None = None) -> Frame:
        """The frame of a request, by default of the last number used."""
        return encode(request, connection=self.connection, number=self.number if number is None else number)

    def ask(self, request: Request) -> Answer:
        """The next request; its answer."""
        self.number += 1
        return self.answer_to(self.frame(request))

    def answer_to(self, frame: Frame) -> Answer:
        """The answer that came at once to that frame."""
        answers = [back for back in self.send(frame) if back.kind is Kind.ANSWER]
        assert len(answers) == 1
        assert (answers[0].connection, answers[0].number) == (frame.connection, frame.number)
        answer = decode(answers[0])
        assert isinstance(answer, Answer)
        return answer

    def refusal(self, request: Request) -> tuple[Refusal, int]:
        """Reason and `why` of a request that must be refused."""
        answer = self.ask(request)
        assert isinstance(answer, Refused), answer
        assert isinstance(answer.reason, Refusal)
        return answer.reason, answer.why

    def status(self) -> StatusReport:
        """STATUS."""
        answer = self.ask(Status())
        assert isinstance(answer, StatusReport)
        return answer

    def beat(self) -> None:
        """One BEAT."""
        self.send(encode(Beat(), connection=self.connection))

    def stop(self, number: int = 1) -> Stopped:
        """STOP; what STOPPED says."""
        for frame in self.send(encode(Stop(), number=number)):
            if frame.kind is Kind.STOPPED:
                assert frame.number == number
                answer = decode(frame)
                assert isinstance(answer, Stopped)
                return answer
        raise AssertionError("no STOPPED")

    def wait(self, seconds: float, *, beats: bool = True) -> None:
        """Lets time pass, with a BEAT each second."""
        until = self.machine.now + seconds
        while self.machine.now < until:
            self.machine.advance_to(min(until, self.machine.now + 1.0))
            self.collect()
            if beats:
                self.beat()

    def wait_still(self, limit: float = 20.0) -> None:
        """Lets time pass until no card moves."""
        until = self.machine.now + limit
        while self.machine.control.state is State.MOVING:
            assert self.machine.now < until, "the cards never stop"
            self.wait(0.5)

    def arming(self, **changes: object) -> Arm:
        """ARM of run RUN on board 1, whole, with what this machine needs confirmed; `changes` replace fields."""
        profile = self.machine.profile
        fields: dict[str, object] = {
            "run": RUN,
            "plan_tag": TAG,
            "board": 1,
            "routing": Routing.BY_IDENTITY if profile.recognition else Routing.BY_ORDER,
            "on_anomaly": AnomalyMode.STOP,
            "more_packs": False,
            "confirmed": confirmations_for(profile),
            "put_back": NOT_PUT_BACK,
            "first": 0,
            "last_event": self.seen,
            "destinations": destinations_of(),
        } | changes
        return Arm(**fields)  # type: ignore[arg-type]

    def armed(self, **changes: object) -> int:
        """The token of an ARM that must be accepted."""
        answer = self.ask(self.arming(**changes))
        assert isinstance(answer, Armed), answer
        return answer.token

    def start(self, **changes: object) -> int:
        """ARM and GO; the token."""
        token = self.armed(**changes)
        answer = self.ask(Go(token))
        assert isinstance(answer, Going), answer
        return token

    def go_on(self, **changes: object) -> int:
        """Clears a latched fault, then ARM and GO at the machine's own index."""
        status = self.status()
        if status.fault:
            self.ask(Clear(status.fault_event))
        return self.start(**{"first": status.index, **changes})

    def finish(self, **changes: object) -> None:
        """ARM, GO, and the time until no card moves."""
        self.start(**changes)
        self.wait_still()

    def close(self, run: int = RUN) -> Answer:
        """CLOSE."""
        return self.ask(Close(run))

    def ledger(self, run: int = RUN) -> list[LedgerRecord]:
        """All records of the open run."""
        records: list[LedgerRecord] = []
        for first in (0, 26):
            answer = self.ask(ReadLedger(run, first))
            assert isinstance(answer, Ledger)
            records += answer.records
        return records

    def faults(self) -> list[FaultCode]:
        """Codes of the FAULT events seen."""
        return [event.fault for _, event in self.events if isinstance(event, FaultEvent)]  # type: ignore[misc]

    def run_events(self) -> list[tuple[int, int]]:
        """(state, reason) of the RUN events seen."""
        return [(event.state, event.reason) for _, event in self.events if isinstance(event, RunEvent)]

    def paused(self) -> PauseReason:
        """The pause reason of a run that must be paused."""
        status = self.status()
        assert status.state is State.PAUSED, status
        assert isinstance(status.reason, PauseReason)
        return status.reason


def sim_host(
    profile: Profile = FULL,
    *faults: MachineFault,
    plan: FaultPlan | None = None,
    pack: Sequence[SimCard] | None = None,
    memory: Memory | None = None,
    speed: float = 1.0,
    board: int | None = 1,
    machine: type[SimMachine] = SimMachine,
) -> SimHost:
    """A connected host with a machine that has a pack in the hopper and board 1 in its slot."""
    made = machine(profile, memory=memory, faults=plan or FaultPlan(faults), speed=speed)
    made.mechanism.load_pack(shuffled_pack(3) if pack is None else pack)
    if board is not None:
        made.mechanism.slot.insert_board(board)
    return SimHost(made)


def after_fault(fault: MachineFault, profile: Profile = FULL, **changes: object) -> SimHost:
    """A host whose run has come to a halt."""
    host = sim_host(profile, fault)
    host.finish(**changes)
    return host


def put_right(host: SimHost, place: Place) -> None:
    """A person takes the card out and puts it back into the hopper, or away when it is none of the 52."""
    mechanism = host.machine.mechanism
    card = mechanism.take_card(place)
    if card.identity < PACK_SIZE:
        mechanism.put_card_back(card)
    host.collect()


def messages(frames: list[Frame], kind: Kind) -> list[Message]:
    """The messages of that kind among the frames."""
    return [decode(frame) for frame in frames if frame.kind is kind]
