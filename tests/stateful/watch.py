"""The invariants I1 to I4, held against what physically happens while it happens.

May import: driver (values only), firmware_sim, protocol, tests.support. Read next: `world.py`.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

from driver.deals.model import Deal
from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.profile import FULL, Profile
from protocol.codes import PauseReason, RecordState, ResetCause, State
from protocol.constants import UNKNOWN_COUNT
from protocol.framing import Frame
from protocol.messages import Answer, Event, RunEvent
from tests.support.peers import hands_of

if TYPE_CHECKING:
    from firmware_sim.truth import Drop


class Watch:
    """What was decided, what ended decisions, and whether motion kept to it."""

    machine: SimMachine

    def __init__(self, auto: bool) -> None:
        self.lost_mark = False
        """The machine lost its last mark once: the one false cell of the table of power cuts is in play."""
        self.motions = 0
        self._auto = auto
        self._order = count(1)
        self._decision = 0
        self._consent = 0
        self._opened = 0
        self._soft_end = 0
        self._hard_end = 0
        self._board_in = 0
        self._moved = 0
        self._executed: set[tuple[int, int]] = set()

    def decided(self) -> None:
        """A person decided; with the automatic setting that lasts until cards stop for a fault, STOP or restart."""
        self._decision = next(self._order)
        if self._auto:
            self._consent = self._decision

    def asked(self) -> None:
        """A person is asked: what was decided before was carried out or came to nothing."""
        self._decision = 0

    def board_put_in(self) -> None:
        """A person puts a board in."""
        self._board_in = next(self._order)

    def program_began(self) -> None:
        """A new program: what a person decided before does not count any more (I4)."""
        self._opened = next(self._order)

    def job_began(self) -> None:
        """With the automatic setting that is a person's decision to deal, unless a run is open (I4)."""
        if self._auto and self.machine.control.run is None:
            self._consent = next(self._order)

    def connection_began(self) -> None:
        """A connection takes effect: decisions before it do not count any more (I4)."""
        self._opened = next(self._order)

    def machine_began(self) -> None:
        """The machine restarted: nothing moves until a person decides, whatever the setting (I4)."""
        self._hard_end = next(self._order)

    def paused(self, reason: PauseReason) -> None:
        """Cards stopped: the consent of a person ends; after a fault or STOP that of the setting as well."""
        self._soft_end = next(self._order)
        if reason in (PauseReason.FAULT, PauseReason.STOP, PauseReason.RESTART):
            self._hard_end = self._soft_end

    def motion_began(self) -> None:
        """Cards begin to move: a decision that still counts is used up (I1, I4)."""
        self.motions += 1
        ended = max(self._opened, self._hard_end)
        if self._decision > ended:
            self._consent, self._decision = self._decision, 0
        elif self._auto:
            assert self._consent > self._hard_end, "I4: motion by itself after a fault, a STOP or a restart"
        else:
            consent = self._consent > max(ended, self._soft_end) and self._board_in > self._moved
            assert consent, "I1, I4: motion that no decision stands behind"
        self._moved = next(self._order)

    def executed(self, connection: int, number: int) -> None:
        """A request is executed: for the first time (I1)."""
        assert (connection, number) not in self._executed, "I1: a request is executed again"
        self._executed.add((connection, number))

    def check_cards(self) -> None:
        """I1 and I3, against all that happened so far."""
        truth, control = self.machine.truth, self.machine.control
        assert len(truth.motions) == self.motions, "motion began beside GO"
        for violation in truth.violations():
            assert self.lost_mark, violation
            assert "dropped index" in violation, violation
        proven = Counter((drop.run, drop.index) for drop in truth.drops() if drop.proven and not drop.hidden)
        assert all(times == 1 for times in proven.values()), "an index was proven twice"
        run = control.run
        if run is None or not self.machine.powered:
            return
        dropped = {drop.index: drop for drop in truth.drops(run.id) if not drop.hidden}
        for index, record in enumerate(self._records()):
            if record is not None:
                drop = dropped.get(index)
                assert drop is not None, f"I3: the ledger claims a drop of index {index} that never was"
        doubt = run.doubt(control.senses.sensors())
        assert doubt <= 1 or doubt == UNKNOWN_COUNT, f"I3: {doubt} cards in doubt"

    def _records(self) -> list[int | None]:
        run = self.machine.control.run
        assert run is not None
        records = [*run.ledger.read(0), *run.ledger.read(26)]
        return [record.pocket if record.state is RecordState.DROPPED else None for record in records]

    def check_verdict(self, verdict: Verdict, run: int, deal: Deal) -> None:
        """I2: GOOD says that the four pockets of the one board hold exactly the deal."""
        if verdict is not Verdict.GOOD:
            return
        drops: list[Drop] = self.machine.truth.drops(run)
        boards = {id(drop.board): drop.board for drop in drops}
        assert len(boards) == 1, "I2: GOOD, and the cards fell into more than one board"
        (board,) = boards.values()
        assert board is not None, "I2: GOOD, and no board was there"
        pockets = tuple(frozenset(card.identity for card in pocket) for pocket in board.pockets)
        assert sum(map(len, board.pockets)) == sum(map(len, pockets)), "I2: GOOD, and a card lies there twice"
        assert pockets == hands_of(deal), "I2: GOOD, and the pockets do not hold the deal"


class WatchedMachine(SimMachine):
    """The real core, which tells the watch when a connection, a boot or motion begins and when cards stop."""

    def __init__(self, watch: Watch, seed: int, profile: Profile = FULL) -> None:
        self._watch = watch
        super().__init__(profile, seed=seed)

    def power_on(self, cause: ResetCause = ResetCause.POWER_ON) -> None:
        if not self.powered:
            self._watch.machine_began()
        super().power_on(cause)

    def motion_began(self) -> None:
        super().motion_began()
        self._watch.motion_began()

    def emit(self, event: Event) -> int:
        if isinstance(event, RunEvent) and event.state is State.PAUSED and isinstance(event.reason, PauseReason):
            self._watch.paused(event.reason)
        return super().emit(event)

    def _take_effect(self) -> None:
        self._watch.connection_began()
        super()._take_effect()

    def _answer_for(self, frame: Frame) -> Answer:
        self._watch.executed(frame.connection, frame.number)
        return super()._answer_for(frame)
