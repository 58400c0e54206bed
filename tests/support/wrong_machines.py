"""Machines that are broken on purpose, each in one way; the suite must find every one of them.

Each is the real machine with one small method or one collaborator replaced.
May import: firmware_sim and protocol. Read next: `firmware_sim/host_side.py`, `firmware_sim/runs.py`.
"""

from __future__ import annotations

from typing import Final

from firmware_sim.connection import Turn
from firmware_sim.core import SimMachine
from firmware_sim.dealing import Dealing
from firmware_sim.events import EventRing
from firmware_sim.recall import Recalled
from firmware_sim.runs import RunControl
from firmware_sim.senses import Change
from firmware_sim.tokens import LiveToken
from protocol.codes import Proof, State
from protocol.framing import Frame


class ExecutesDuplicates(SimMachine):
    """Takes the same bytes under the last number for a new request, and its tokens are good for ever."""

    def _turn_of(self, frame: Frame) -> Turn:
        turn = super()._turn_of(frame)
        return Turn.NEXT if turn is Turn.REPEAT else turn

    def new_control(self, told: Recalled) -> RunControl:
        return _UsesTokensTwice(self, told, 1)


class _UsesTokensTwice(RunControl):
    def go(self, token: LiveToken) -> bool:
        if self.state is State.MOVING:
            self.dealing.start(token.number)
            return True
        gone = super().go(token)
        self.tokens.live = token
        return gone


class AcceptsOldNumbers(SimMachine):
    """Executes a request whatever its number is."""

    def _turn_of(self, frame: Frame) -> Turn:
        turn = super()._turn_of(frame)
        return Turn.NEXT if turn is Turn.OTHER else turn


class TokenSurvivesCover(SimMachine):
    """Forgets that what ARM checked has changed."""

    def new_control(self, told: Recalled) -> RunControl:
        return _KeepsToken(self, told, 1)


class _KeepsToken(RunControl):
    def survives_change(self, change: Change) -> bool:
        return True


class MovesWithoutArm(SimMachine):
    """Goes on by itself as soon as its fault is cleared."""

    def new_control(self, told: Recalled) -> RunControl:
        return _GoesOnAfterClear(self, told, 1)


class _GoesOnAfterClear(RunControl):
    def clear(self) -> None:
        super().clear()
        if self.run is not None and self.state is State.PAUSED:
            self.state = State.MOVING
            self.dealing.start(0)


class LedgerBeforeCard(SimMachine):
    """Writes and tells DROP when the gate is set, before the card has left the path."""

    def new_dealing(self, control: RunControl) -> Dealing:
        return _ProvesEarly(control)


class _ProvesEarly(Dealing):
    def _gate(self) -> None:
        super()._gate()
        self._proof |= int(Proof.LEFT_PATH | Proof.SENSED)
        self.control.proven(self._pocket, self._proof)

    def _prove(self) -> None:
        self._after_card()


class EventsRestart(SimMachine):
    """Begins to number its events at 1 again after each run, and says nothing of it."""

    def new_control(self, told: Recalled) -> RunControl:
        return _ForgetsEvents(self, told, 1)


class _ForgetsEvents(RunControl):
    def finish(self) -> None:
        super().finish()
        self.machine.ring = EventRing(self.machine.profile.ring)


class IgnoresStopWhenBusy(SimMachine):
    """Answers STOP, and lets the cards move on."""

    def _stop(self, frame: Frame) -> None:
        if self.control.state is State.MOVING:
            state, self.control.state = self.control.state, State.NONE
            limit = self.control.dealing
            self.control.dealing = Dealing(self.control)
            super()._stop(frame)
            self.control.state, self.control.dealing = state, limit
        else:
            super()._stop(frame)


class StoppedWithoutNumber(SimMachine):
    """Its STOPPED always carries 0."""

    def _stopped_number(self, frame: Frame) -> int:
        return 0


class ConstantBootId(SimMachine):
    """Every boot has the same id."""

    def _new_boot_id(self, last: int) -> int:
        return 0x0BAD


class NoRunAfterLostMemory(SimMachine):
    """Finds its memory blank, and says that all is well and no run was open."""

    def _recall(self) -> Recalled | None:
        told = super()._recall()
        if told is None:
            self.memory.rewrite(())
            return Recalled(boot_id=self._drawn)
        return told


WRONG_MACHINES: Final[tuple[type[SimMachine], ...]] = (
    ExecutesDuplicates,
    AcceptsOldNumbers,
    TokenSurvivesCover,
    MovesWithoutArm,
    LedgerBeforeCard,
    EventsRestart,
    IgnoresStopWhenBusy,
    StoppedWithoutNumber,
    ConstantBootId,
    NoRunAfterLostMemory,
)
"""Every machine that is broken on purpose."""
