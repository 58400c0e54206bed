"""Machines and hosts that are wrong on purpose, each in one rule, to show that the search finds what follows.

May import: the other modules of this folder, `tests.support.wrong_machines`, driver, firmware_sim, protocol.
Read next: `test_search.py`.
"""

from __future__ import annotations

from dataclasses import replace

from driver.connection import Connection
from firmware_sim.connection import Turn
from firmware_sim.go_on import ANY_PUT_BACK
from firmware_sim.recall import Recalled
from firmware_sim.runs import RunControl
from firmware_sim.tokens import LiveToken, Tokens
from protocol.codec import decode, encode
from protocol.codes import Obstacle, PauseReason, State, TokenEnd
from protocol.framing import Frame
from protocol.messages import Answer, Arm
from tests.stateful.searched_host import SearchedHost
from tests.stateful.searched_machine import SearchedMachine
from tests.support import wrong_machines


class ExecutesDuplicates(wrong_machines.ExecutesDuplicates, SearchedMachine):
    """Takes the last request for a new one when its bytes come again, and its tokens are good for ever."""


class AcceptsOldNumbers(wrong_machines.AcceptsOldNumbers, SearchedMachine):
    """Executes every request of its connection, whatever its number."""


class TokenSurvivesCover(wrong_machines.TokenSurvivesCover, SearchedMachine):
    """A token outlives an opened cover."""


class MovesWithoutArm(wrong_machines.MovesWithoutArm, SearchedMachine):
    """Goes on by itself when its fault is cleared."""


class IgnoresStopWhenBusy(wrong_machines.IgnoresStopWhenBusy, SearchedMachine):
    """Confirms STOP and lets the cards move on."""


class ConstantBootId(wrong_machines.ConstantBootId, SearchedMachine):
    """Every boot has the same id."""


class LastingTokens(Tokens):
    """Tokens that live on when they are used."""

    def use(self, number: int, now: float) -> LiveToken | TokenEnd:
        live = self.live
        used = super().use(number, now)
        if isinstance(used, LiveToken):
            self.live = live
        return used


class TokenLasts(SearchedMachine):
    """Its tokens may be used more than once."""

    def new_control(self, told: Recalled) -> RunControl:
        control = super().new_control(told)
        control.tokens = LastingTokens(self.boot_id)
        return control


class DeafTokens(Tokens):
    """Tokens that a STOP does not end."""

    def kill(self, end: TokenEnd, now: float) -> None:
        if end is not TokenEnd.STOPPED:
            super().kill(end, now)


class TokenSurvivesStop(SearchedMachine):
    """A token outlives a STOP."""

    def new_control(self, told: Recalled) -> RunControl:
        control = super().new_control(told)
        control.tokens = DeafTokens(self.boot_id)
        return control


class BoldControl(RunControl):
    """Every paused run may go on at any time."""

    def obstacle(self, put_back: int = ANY_PUT_BACK, first: int | None = None) -> Obstacle:
        return Obstacle.NONE


class GoesOnInDoubt(SearchedMachine):
    """A card in doubt does not keep the run from going on."""

    def new_control(self, told: Recalled) -> RunControl:
        return BoldControl(self, told, self.boot_id)


class DuplicatesOneShot(SearchedMachine):
    """Executes duplicates, but its tokens are good once."""

    def _turn_of(self, frame: Frame) -> Turn:
        turn = super()._turn_of(frame)
        return Turn.NEXT if turn is Turn.REPEAT else turn


class ArmsOverNews(SearchedMachine):
    """ARM does not look at the newest event that the host has seen."""

    def _answer_for(self, frame: Frame) -> Answer:
        message = decode(frame)
        if isinstance(message, Arm):
            newest = replace(message, last_event=0xFFFFFFFF)
            frame = encode(newest, connection=frame.connection, number=frame.number)
        return super()._answer_for(frame)


class HelloTakesEffectAtOnce(SearchedMachine):
    """HELLO ends the old connection, not the first request of the new one."""

    def _hello(self, frame: Frame) -> None:
        super()._hello(frame)
        if self.connection.pending:
            self._take_effect()


class ResumesByItself(SearchedMachine):
    """Cards that stopped because the host was silent go on when it speaks again."""

    def _execute(self, frame: Frame) -> None:
        super()._execute(frame)
        control = self.control
        if control.run is not None and control.run.reason is PauseReason.HOST_LOST and control.state is State.PAUSED:
            control.state = State.MOVING
            control.dealing.start(0)


class BelievesAnyStopped(Connection):
    """Takes every STOPPED for the answer to its last STOP."""

    def _on_stopped(self, frame: Frame, now: float) -> None:
        super()._on_stopped(replace(frame, number=self._stop_number), now)


class HostBelievesAnyStopped(SearchedHost):
    """A host that does not look at the number in STOPPED."""

    make_connection = BelievesAnyStopped


class HostRetriesByItself(SearchedHost):
    """A decision outlives a failed connection: the host arms again without a new one, naming whatever is newest."""

    keeps_decision_on_failure = True

    def _carry_on(self) -> None:
        if self.decision is not None:
            newest = self.connection.last_event or 0
            self.decision = replace(self.decision, boot=self.view.boot, seen=newest)
        super()._carry_on()
