"""The run that is open: its states, its faults, its marks, and what the sensors' changes do to it.

May import: the other modules of this folder but `core` and `requests`, protocol and the standard library. Read next:
`dealing.py`, which moves the cards, and `requests.py`, which decides what may happen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from firmware_sim.go_on import ANY_PUT_BACK, GoOnFacts, obstacle_of
from firmware_sim.memory import MarkKind, MemoryFailure
from firmware_sim.recall import (
    Recalled,
    drop_mark,
    ended_mark,
    feed_mark,
    marks_without_run,
    paused_mark,
    started_mark,
    whole_mark,
)
from firmware_sim.run import EndState, LatchedFault, Run, sensors_out
from firmware_sim.senses import BOARD, COVER, HOPPER, PATH, READER, STOP_CARD, Change, Senses
from firmware_sim.state import PAUSES, TRANSITIONS, Happening
from firmware_sim.tokens import LiveToken, Tokens
from protocol.cards import PACK_SIZE
from protocol.codes import (
    FAULT_CLASS,
    FaultCode,
    LedgerKind,
    Obstacle,
    PackEnd,
    PauseReason,
    Place,
    PocketSensing,
    Proof,
    State,
    TokenEnd,
)
from protocol.constants import NOT_PUT_BACK, RUNS_KEPT
from protocol.messages import BoardEvent, CardEvent, CoverEvent, FaultEvent, HopperEvent, RunEvent

if TYPE_CHECKING:
    from firmware_sim.core import SimMachine

_BARS: Final = {
    FaultCode.DOUBLE_FEED: Obstacle.DOUBLE_FEED,
    FaultCode.DUPLICATE_CARD: Obstacle.DUPLICATE,
    FaultCode.WRONG_POCKET: Obstacle.POCKET,
    FaultCode.POCKET_SILENT: Obstacle.POCKET,
    FaultCode.BOARD_OUT: Obstacle.BOARD,
}
_REFUSED_CARD: Final = (FaultCode.FACE_UP, FaultCode.UNREADABLE, FaultCode.FOREIGN_CARD)
_U16: Final = 0xFFFF


class RunControl:
    """The firmware's control of runs. What is in it is in RAM: a restart makes a new one from the marks."""

    def __init__(self, machine: SimMachine, told: Recalled, salt: int) -> None:
        self.machine = machine
        self.state = State.NONE
        self.run: Run | None = None
        self.ended = told.ended
        self.fault: LatchedFault | None = None
        self.tokens = Tokens(salt)
        self.pause_wanted: Happening | None = None
        self.odometer = told.odometer
        self.senses = Senses(machine.mechanism, machine.profile)
        self.still_edges: int | None = 0 if told.run or told.ended else None
        """The board edge counter when the cards of the last run stood still; None = no run is known."""
        self.dealing = machine.new_dealing(self)
        if told.run is not None:
            self._restore(told.run, done=told.done)

    # What is sensed

    def notice(self) -> None:
        """Something may have changed by a person's hand: tells events, ends tokens, halts motion."""
        change, machine, senses = self.senses.change(), self.machine, self.senses
        if change is None:
            return
        if not self.survives_change(change):
            self.tokens.kill(TokenEnd.CHANGED, machine.now)
        if change.of(BOARD):
            machine.emit(BoardEvent(bool(change.now & BOARD), change.number, senses.board_edges & _U16))
        if change.of(COVER):
            machine.emit(CoverEvent(bool(change.now & COVER), senses.cover_edges & _U16))
        if change.of(HOPPER | STOP_CARD):
            machine.emit(HopperEvent(change.now & (HOPPER | STOP_CARD) == HOPPER))
        if self.state is State.MOVING:
            if change.of(BOARD):
                self.raise_fault(FaultCode.BOARD_OUT, Place.UNKNOWN)
            elif change.of(COVER) and change.now & COVER:
                self.raise_fault(FaultCode.COVER_OPEN, Place.UNKNOWN)
        elif self.run is not None and self.run.doubt(change.now) == 1:
            self.run.ledger.doubt(self.run.index)

    def survives_change(self, change: Change) -> bool:
        """Whether a token outlives a change of what ARM checked: never."""
        return False

    def obstacle(self, put_back: int = ANY_PUT_BACK, first: int | None = None) -> Obstacle:
        """Why the open run may not go on; by default at its own index and with whatever may be put back put back."""
        run, profile = self.run, self.machine.profile
        if run is None:
            return Obstacle.NONE
        pockets_sensed = profile.pockets is PocketSensing.SENSED
        facts = GoOnFacts(profile.ledger, pockets_sensed, self.senses.sensors(), self.senses.board_edges)
        return obstacle_of(run, facts, put_back=put_back, first=run.index if first is None else first)

    # What moves

    def go(self, token: LiveToken) -> bool:
        """GO was accepted: the mark, then motion. False when the mark could not be made durable."""
        arm, machine = token.arm, self.machine
        run = self.run or Run.begin(arm, self.senses.board_edges)
        if not self._mark(MarkKind.STARTED, started_mark(run, self.odometer)):
            self.raise_fault(FaultCode.MEMORY, Place.UNKNOWN)
            return False
        self.run = run
        if run.under_way is not None and arm.put_back != NOT_PUT_BACK:
            run.under_way, run.refed = None, True
            machine.truth.refeeds.append((run.id, run.index))
        run.refused = run.no_way_back = False
        run.destinations = arm.destinations
        run.sensors_out = sensors_out(arm.confirmed)
        run.reason = PauseReason.NONE
        run.since_go = machine.now
        self.pause_wanted = None
        self._become(Happening.GO)
        self._tell(0)
        self.dealing.start(token.number)
        machine.motion_began()
        return True

    def want_pause(self, happening: Happening) -> None:
        """Pauses after the card under way, or at once when there is none. Does nothing unless cards move."""
        if self.state is not State.MOVING or self.pause_wanted is not None:
            return
        if self.dealing.between_cards:
            self.pause(happening)
        else:
            self.pause_wanted = happening

    def pause_asked(self) -> None:
        """PAUSE came."""
        self.want_pause(Happening.PAUSE)

    def clear(self) -> None:
        """The latched fault is taken back."""
        self.fault = None

    def stop(self) -> None:
        """STOP, or the STOP key: motors off at once."""
        self.tokens.kill(TokenEnd.STOPPED, self.machine.now)
        self.dealing.halt()
        if self.state is State.MOVING:
            self.pause(Happening.STOP)

    def raise_fault(self, code: FaultCode, place: Place, attempt: int | None = None) -> None:
        """A fault: latched when it is the first, told in any case; moving cards halt."""
        run, machine = self.run, self.machine
        index = run.shown_index() if run else 0
        attempt = attempt if attempt is not None else run.attempt if run else 0
        fault_class = FAULT_CLASS[code]
        number = machine.emit(FaultEvent(code, fault_class, index, place, attempt))
        if self.fault is None:
            self.fault = LatchedFault(code, fault_class, index, place, attempt, number)
        self.tokens.kill(TokenEnd.FAULT, machine.now)
        machine.log(3, f"fault {code.name} at {place.name}")
        if run is not None and self.state is State.MOVING:
            run.barred = run.barred or _BARS.get(code, Obstacle.NONE)
            run.refused = code in _REFUSED_CARD
            run.no_way_back = code is FaultCode.NO_PROGRESS
            self.pause(Happening.FAULT)

    def pause(self, happening: Happening) -> None:
        """Halts, and the run is PAUSED."""
        run = self._open()
        self.dealing.halt()
        self.pause_wanted = None
        self._become(happening)
        run.reason = PAUSES[happening]
        if run.under_way is Place.HOPPER:
            run.under_way = None
        if run.under_way is not None:
            run.ledger.proof(run.index, *self.dealing.proven_so_far)
        doubt = run.doubt(self._stand_still())
        if doubt == 1:
            run.ledger.doubt(run.index)
        if not self._mark(MarkKind.PAUSED, paused_mark(run, doubt, self.odometer)):
            self.raise_fault(FaultCode.MEMORY, Place.UNKNOWN)
        self._tell(doubt)

    # Marks of the card under way

    def begin_feed(self) -> bool:
        """The card of the next index is about to be fed: its mark. False when that cannot be made durable."""
        run = self._open()
        run.attempt = (run.ledger.attempts(run.index) if run.index < run.ledger.length else 0) + 1
        if self.machine.profile.ledger is LedgerKind.CARD and not self._mark(
            MarkKind.FEED, feed_mark(run.index, run.attempt, self.odometer)
        ):
            return False
        run.under_way = Place.HOPPER
        return True

    def left_hopper(self) -> None:
        """A card left the hopper."""
        run = self._open()
        self.odometer += 1
        run.under_way = Place.READER
        run.ledger.fed(run.index, run.attempt)

    def proven(self, pocket: int, proof: int) -> None:
        """The card under way is proven in that pocket: its record, its mark, its event."""
        run, machine = self._open(), self.machine
        index = run.index
        run.ledger.proof(index, pocket, proof)
        run.ledger.dropped(index)
        durable = machine.profile.ledger is not LedgerKind.CARD or self._mark(
            MarkKind.DROP, drop_mark(index, run.ledger.raw(index))
        )
        attempt, run.attempt = run.attempt, 0
        run.index, run.under_way = index + 1, None
        since_go = round((machine.now - run.since_go) * 1000)
        machine.emit(CardEvent(index, pocket, Proof(proof), attempt, self.odometer, since_go))
        if not durable:
            self.raise_fault(FaultCode.MEMORY, Place.UNKNOWN)

    def finish(self) -> None:
        """The 52nd card is proven: the whole ledger, then DONE."""
        run = self._open()
        kept = self.machine.profile.ledger is not LedgerKind.NONE
        self.dealing.halt()
        if not self._mark(MarkKind.WHOLE, whole_mark(run, self.odometer, kept=kept)):
            self.raise_fault(FaultCode.MEMORY, Place.UNKNOWN)
            return
        self.pause_wanted = None
        self._become(Happening.FINISHED)
        self._stand_still()
        self._tell(0)

    def close(self) -> EndState:
        """CLOSE of the open run: its end state is kept, everything else of it is wiped."""
        run = self._open()
        end = EndState(run.id, self.state, run.shown_index(), run.doubt(self.senses.sensors()))
        self._mark(MarkKind.ENDED, ended_mark(end, self.odometer))
        self.ended = [*self.ended, end][-RUNS_KEPT:]
        self.machine.memory.rewrite(marks_without_run(self.ended, self.machine.boot_id, self.odometer))
        self._become(Happening.CLOSE)
        self.machine.emit(RunEvent(end.run, State.NONE, PauseReason.NONE, end.index, end.doubt, run.pack_end))
        self.run = None
        self.tokens.kill(TokenEnd.CHANGED, self.machine.now)
        return end

    def end_of(self, run: int) -> EndState | None:
        """The end state of an ended run that is still remembered."""
        return next((end for end in self.ended if end.run == run), None)

    # Inside

    def _open(self) -> Run:
        assert self.run is not None
        return self.run

    def _become(self, happening: Happening) -> None:
        self.state = TRANSITIONS[self.state, happening]

    def _stand_still(self) -> int:
        """The cards stand still: what the sensors say now."""
        self.still_edges = self.senses.board_edges
        return self.senses.look()

    def _tell(self, doubt: int) -> None:
        run = self._open()
        end = run.pack_end if self.state is State.DONE else PackEnd.UNKNOWN
        self.machine.emit(RunEvent(run.id, self.state, run.reason, run.shown_index(), doubt, end))

    def _mark(self, kind: MarkKind, body: bytes) -> bool:
        try:
            self.machine.memory.write(kind, body)
        except MemoryFailure:
            return False
        return True

    def _restore(self, run: Run, *, done: bool) -> None:
        """Takes the open run back from the marks, with what the sensors see of its card."""
        self.run = run
        if done:
            self.state = State.DONE
            return
        self.state = State.PAUSED
        run.reason = PauseReason.RESTART
        run.restarted = True
        run.board_edges = self.senses.board_edges
        if not run.known or run.index >= PACK_SIZE:
            return
        seen = self.senses.sensors()
        if seen & (READER | PATH):
            run.under_way = Place.PATH if seen & PATH else Place.READER
        if run.under_way is not None:
            run.ledger.fed(run.index, max(run.attempt, 1))
            if run.doubt(seen) == 1:
                run.ledger.doubt(run.index)

    def state_key(self) -> tuple[object, ...]:
        """Everything that future behaviour depends on, times relative to now."""
        now = self.machine.now
        return (
            self.state, self.run.state_key() if self.run else None, tuple(self.ended), self.fault,
            self.tokens.state_key(now), self.pause_wanted, self.odometer, self.still_edges,
            self.senses.state_key(), self.dealing.state_key(now),
        )  # fmt: skip
