"""The machine's end of the search: the real core, stepped from frame to frame, with what physically happened beside it.

May import: firmware_sim, protocol, `tests.support.bare_host`. Read next: `searched_host.py`, then `search.py`.
Left out, because nothing that moves depends on it: TICK and LOG frames, the counters of the line, the uptime. The clock
moves only by acts: a card goes on, a jam is noticed, a token expires. `HOST_LOST` says that the host was silent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from firmware_sim.connection import LineCounts
from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.steps import Step
from protocol.cards import PACK_SIZE
from protocol.codes import REFUSED, EventType, FaultCode, Kind, Place, RequestType, State
from protocol.constants import HOST_LOST_AFTER, TICK_EVERY, TOKEN_LIVES
from protocol.framing import Frame, decode_run
from protocol.messages import Answer

NEWS: Final = (EventType.FAULT, EventType.RUN, EventType.BOARD, EventType.COVER)
"""What a person must have seen before cards move (check 9 of ARM)."""
CARDS: Final = 2
"""Cards that are left in the hopper when the search begins."""
_NOT_SENT: Final = (Kind.TICK, Kind.LOG)


@unique
class Act(Enum):
    """What can happen at the machine without a frame; the value is its name in a trace."""

    CARD_GOES_ON = "a card goes on"
    JAM = "a card jams"
    HOST_LOST = "the host is silent for three seconds"
    PUT_BACK = "a person puts the card back"
    COVER = "a person opens and closes the cover"
    TOKEN_EXPIRES = "thirty seconds pass"
    RESTART = "the machine restarts"


@unique
class Violation(Enum):
    """What must never happen; the value is one sentence."""

    UNDECIDED = "Motion began more often than a person decided."
    FALSE_STOP = "A stop is believed that the machine never made."
    UNSEEN = "Cards move over news that the person who decided had not seen."
    TWICE_DROPPED = "An index was dropped twice, or more cards were fed than permitted."
    TOKEN_TWICE = "Motion began twice with one token, or with none."
    EXECUTED_TWICE = "One request was executed twice."
    HELLO_DISTURBED = "A HELLO disturbed the run or the connection."
    MOTION_AFTER_STOP = "Motion began after a confirmed stop without a new decision."


@dataclass(frozen=True, slots=True)
class Sent:
    """A frame that was sent, for ever on the line. `boot` = the boot that sent it, or that the person saw who decided.

    `decision` and `seen` go with ARM and GO: which decision it carries out, and the newest event seen then.
    """

    frame: Frame
    wire: bytes
    boot: int
    decision: int = 0
    seen: int = 0

    @property
    def name(self) -> str:
        """Kind, type and number, for a trace."""
        frame = self.frame
        types: dict[Kind, type[RequestType] | type[EventType]] = {
            Kind.REQUEST: RequestType,
            Kind.ANSWER: RequestType,
            Kind.EVENT: EventType,
        }
        kind = types.get(frame.kind)
        named = f" {kind(frame.type).name}" if kind is not None and frame.type != REFUSED else ""
        refused = " REFUSED" if frame.kind is Kind.ANSWER and frame.type == REFUSED else named
        return f"{frame.kind.name}{refused} {frame.number} of {frame.connection:#x}"

    @property
    def to_machine(self) -> bool:
        """True for what a host sent."""
        return not self.frame.kind.from_machine


@dataclass(slots=True)
class Witness:
    """What physically happened since the search began; the machine does not know it."""

    boot: int = 1
    motions: int = 0
    decisions: frozenset[int] = frozenset()
    """Decisions that have led to motion."""
    tokens: frozenset[tuple[int, int]] = frozenset()
    stops: frozenset[int] = frozenset()
    """Numbers of the STOPs after which the motors stood still."""
    dropped: frozenset[int] = frozenset()
    feeds: int = 0
    refeeds: int = 0
    executed: tuple[int, int] = (0, 0)
    """Connection and number of the last request that was executed."""
    acts: dict[Act, int] = field(default_factory=dict)

    def key(self) -> tuple[object, ...]:
        """All of it."""
        acts = tuple(sorted((act.name, count) for act, count in self.acts.items()))
        return (
            self.boot, self.motions, self.decisions, self.tokens, self.stops, self.dropped, self.feeds, self.refeeds,
            self.executed, acts,
        )  # fmt: skip


class SearchedMachine(SimMachine):
    """The real core with a witness. Uptime stands still, so that frames do not differ by it."""

    witness: Witness | None = None
    wrong: Violation | None = None
    overlooked: frozenset[Violation] = frozenset()
    """What the witness does not tell."""

    def uptime_ms(self) -> int:
        return 0

    def _answer_for(self, frame: Frame) -> Answer:
        if self.witness is not None:
            executed = (frame.connection, frame.number)
            if executed <= self.witness.executed:
                self.wrong = Violation.EXECUTED_TWICE
            self.witness.executed = max(executed, self.witness.executed)
        return super()._answer_for(frame)

    def begin_witness(self) -> None:
        """From now on what happens is witnessed."""
        self.witness = Witness()
        self._settle()

    def begin_search(self, overlooked: frozenset[Violation]) -> None:
        """Motions count from here. One card stays in each pocket: that is all that a sensor sees."""
        witness = self.need_witness
        assert self.index == PACK_SIZE - CARDS
        witness.motions = 0
        self.overlooked = overlooked
        board = self.mechanism.slot.board
        assert board is not None
        for pocket in board.pockets:
            del pocket[1:]

    @property
    def index(self) -> int:
        """Cards proven in pockets of the open run."""
        return 0 if self.control.run is None else self.control.run.index

    @property
    def need_witness(self) -> Witness:
        """The witness, who must be there."""
        assert self.witness is not None
        return self.witness

    def deliver(self, sent: Sent) -> Violation | None:
        """One frame arrives; what it broke, None = nothing."""
        witness = self.need_witness
        news = self.ring.newest_of(NEWS)
        before = (self.control.state_key(), self.connection.current)
        self.receive(sent.wire)
        kind = sent.frame.kind
        if kind is Kind.STOP and self.control.state is not State.MOVING and not self.mechanism.card_path.motor:
            witness.stops |= {sent.frame.number}
        found = self._look(sent, news)
        if kind is Kind.HELLO and before != (self.control.state_key(), self.connection.current):
            found.append(Violation.HELLO_DISTURBED)
        return self._told(found)

    def acts_possible(self, budget: dict[Act, int]) -> list[Act]:
        """What can happen now, within the budget."""
        control, path = self.control, self.mechanism.card_path
        moving = control.state is State.MOVING
        now = {
            Act.CARD_GOES_ON: moving,
            Act.JAM: moving and control.dealing.step is not Step.POCKET,
            Act.HOST_LOST: moving and control.pause_wanted is None,
            Act.PUT_BACK: not moving and bool(path.reader or path.path),
            Act.COVER: not moving,
            Act.TOKEN_EXPIRES: not moving and control.tokens.live is not None,
            Act.RESTART: True,
        }
        done = self.need_witness.acts
        return [act for act, possible in now.items() if possible and done.get(act, 0) < budget.get(act, 1 << 30)]

    def act(self, act: Act, *, counted: bool) -> Violation | None:
        """Lets it happen; what it broke, None = nothing."""
        news = self.ring.newest_of(NEWS)
        witness = self.need_witness
        if counted:
            witness.acts[act] = witness.acts.get(act, 0) + 1
        match act:
            case Act.CARD_GOES_ON:
                self._card_goes_on()
            case Act.JAM:
                self._jam()
            case Act.HOST_LOST:
                self.connection.heard = self.now - HOST_LOST_AFTER / 1000
                self.advance_to(self.now)
            case Act.PUT_BACK:
                place = Place.PATH if self.mechanism.card_path.path else Place.READER
                self.mechanism.put_card_back(self.mechanism.take_card(place))
            case Act.COVER:
                self.mechanism.open_cover()
                self.mechanism.close_cover()
            case Act.TOKEN_EXPIRES:
                self.advance_to(self.now + TOKEN_LIVES / 1000)
            case Act.RESTART:
                self.power_off()
                self.power_on()
                witness.boot += 1
        return self._told(self._look(None, news))

    def take_sent(self) -> list[Sent]:
        """What the machine has sent since the last call; ticks and logs are left out."""
        boot = self.need_witness.boot
        frames = [(decode_run(wire.strip(b"\0")), wire) for _, wire in self.take_output()]
        return [Sent(frame, wire, boot) for frame, wire in frames if frame.kind not in _NOT_SENT]

    def node_key(self) -> tuple[object, ...]:
        """The machine and its witness, for telling states apart."""
        return self.state_key(), self.need_witness.key()

    def _card_goes_on(self) -> None:
        """To the next of three places: in the path, past the gate, in its pocket."""
        control, start = self.control, self.index
        while control.state is State.MOVING and self.index == start:
            due = self.next_due()
            assert due is not None
            self.advance_to(due)
            if control.dealing.step in (Step.GATE, Step.POCKET):
                return

    def _jam(self) -> None:
        control = self.control
        self.mechanism.add_fault(MachineFault(FaultKind.JAM_PATH, self.index))
        while control.state is State.MOVING:
            due = self.next_due()
            assert due is not None
            self.advance_to(due)
        assert control.fault is not None
        assert control.fault.code is FaultCode.JAM

    def _look(self, sent: Sent | None, news: int) -> list[Violation]:
        """Takes the new truth into the witness; `news` was the newest event to be seen before."""
        witness, truth = self.need_witness, self.truth
        found = [] if self.wrong is None else [self.wrong]
        for motion in truth.motions:
            witness.motions += 1
            if not motion.token or (witness.boot, motion.token) in witness.tokens:
                found.append(Violation.TOKEN_TWICE)
            witness.tokens |= {(witness.boot, motion.token)}
            if sent is None or not sent.decision or sent.decision in witness.decisions:
                found.append(Violation.UNDECIDED)
            elif sent.boot != witness.boot or sent.seen < news:
                found.append(Violation.UNSEEN)
            if sent is not None:
                witness.decisions |= {sent.decision}
        for drop in truth.drops():
            if drop.index in witness.dropped:
                found.append(Violation.TWICE_DROPPED)
            witness.dropped |= {drop.index}
        witness.feeds += len(truth.feeds())
        witness.refeeds += len(truth.refeeds)
        if witness.feeds > PACK_SIZE + witness.refeeds:
            found.append(Violation.TWICE_DROPPED)
        self.wrong = None
        self._forget_truth()
        return found

    def _told(self, found: list[Violation]) -> Violation | None:
        self._settle()
        return next((violation for violation in found if violation not in self.overlooked), None)

    def _settle(self) -> None:
        """Clocks and counters as if the host had just been heard, so that they make no difference between states."""
        if self.connection.current:
            self.connection.heard, self.connection.tick_at = self.now, self.now + TICK_EVERY / 1000
        self.counts = LineCounts()
        if self.control.run is not None:
            self.control.run.since_go = self.now

    def _forget_truth(self) -> None:
        truth = self.truth
        for record in (truth.motions, truth.all_feeds, truth.all_drops, truth.motor_on, truth.refeeds):
            record.clear()
