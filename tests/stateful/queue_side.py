"""One machine of a queue's world, with its line, its clock, and a careful person beside it.

May import: driver, firmware_sim, protocol, the other modules of this folder, tests.support. Read next:
`queue_world.py`.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

from driver.controls import Controls
from driver.errors import TransportClosed
from driver.findings import Choice
from driver.happenings import Item
from driver.job_events import NeedsOperator
from driver.steps import Step
from driver.transport.base import Transport
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.faults import PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.profile import FULL
from protocol.codes import State
from tests.stateful.patient import PatientJob
from tests.stateful.person_hands import PersonHands
from tests.stateful.stepped_jobs import SteppedJobs
from tests.stateful.trick_line import TrickLine
from tests.stateful.watch import Watch, WatchedMachine
from tests.support.memory import ManualClock, MemoryTransport

PATIENCE: Final = 3
"""So often in a row a person tries to let a board go on."""
_ASKS: Final = (
    Step.ASK_START, Step.WAITING, Step.ASK_PAUSED, Step.ASK_FOUND, Step.ASK_VERDICT, Step.ASK_LEFT, Step.IDLE
)  # fmt: skip
_WITH_A_BOARD: Final = (Step.ASK_START, Step.STARTING, Step.WAITING, Step.DEALING, Step.ASK_PAUSED)


class Side:
    """One machine, its line and the person beside it; `job` is what the present program does there, `jobs` at all."""

    def __init__(self, name: str, seed: int, chance: random.Random) -> None:
        self.name = name
        self.serial = f"SIM-{name}"
        self.watch = Watch(auto=False)
        self.core = WatchedMachine(self.watch, seed, replace(FULL, serial=self.serial))
        self.watch.machine = self.core
        self.hands = PersonHands(self.core.mechanism, self.watch, chance)
        self.endpoint = MemoryEndpoint(self.core, line=TrickLine(seed))
        self.clock = ManualClock(self.endpoint)
        self.controls: Controls | None = None
        self.job: PatientJob | None = None
        self.jobs: SteppedJobs | None = None
        self.shown: NeedsOperator | None = None
        self.answered: NeedsOperator | None = None
        """The question that the person has answered: the same one is answered again only when it is told again."""
        self.cable_back_at = 0.0
        self.beside: tuple[Side, ...] = ()
        """The other machines, which the person reaches, too."""
        self._went_on = 0
        """How often in a row the person let a board go on."""

    @property
    def runs(self) -> bool:
        """Whether the present program still deals there."""
        return self.job is not None

    @property
    def in_a_board(self) -> bool:
        """Whether cards of a board lie in its pockets that is not at its end."""
        return self.core.powered and self.core.control.run is not None and self.core.control.state is not State.DONE

    @property
    def asked(self) -> NeedsOperator | None:
        """The question that was shown and is open here, until it is answered."""
        if self.job is None or self.job.step not in _ASKS or self.job.asked is not self.shown:
            return None
        if self.shown is self.answered or self.asks_about:
            return None
        return self.job.asked

    @property
    def asks_about(self) -> bool:
        """Whether a person is asked about this machine as a whole, which is lost or deals no more."""
        return self.jobs is not None and self.jobs.asks_about(self.name)

    def open_transport(self) -> Transport:
        """As the program reaches it."""
        if self.endpoint.is_cut:
            if self.clock.monotonic() < self.cable_back_at:
                raise TransportClosed("the cable is out", url=self.endpoint.url)
            self.endpoint.reconnect()
        return MemoryTransport(self.endpoint)

    def cut_cable(self, seconds: float) -> None:
        """The cable comes out; it is back so many seconds later."""
        self.endpoint.cut()
        self.cable_back_at = self.clock.monotonic() + seconds

    def cut_power(self, fate: MemoryFate) -> None:
        """The power goes at this moment and is back two seconds later."""
        self.watch.lost_mark |= fate is MemoryFate.LAST_MARK_LOST
        self.core.plan_cut(PowerCut(0, fate, 0, 2.0), self.core.now)
        self.core.advance_to(self.core.now)

    @property
    def claims(self) -> list[Item]:
        """The board that the program asks for or deals here, when it says so: none while it looks what comes next."""
        if self.job is None or self.job.item is None or self.job.step not in _WITH_A_BOARD:
            return []
        return [self.job.item]

    @property
    def asks_for_board(self) -> bool:
        """Whether the program only asks for its board here, so that it may lie in another machine's slot."""
        return self.job is not None and self.job.step in (Step.ASK_START, Step.STARTING, Step.WAITING)

    def decide(self, choice: Choice) -> None:
        """The person decides, at the machine's prompt."""
        assert self.jobs is not None
        self.watch.decided()
        self.jobs.decide(choice, machine=self.name)

    def obey(self, choice: Choice | None) -> None:
        """Does with the hands what is asked, and chooses; None where there is nothing to choose."""
        asked = self.answered = self.asked
        assert asked is not None
        if choice is None:
            if asked.board:
                self.hands.put_board_in(asked.board)
            return
        self._went_on = self._went_on + 1 if choice is Choice.GO_ON else 0
        if choice is Choice.GO:
            self.hands.put_board_in(asked.board)
        elif choice is Choice.GO_ON:
            self.hands.put_right()
        elif choice in (Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE):
            self.hands.gather(asked.board)
        elif choice is Choice.CONTINUE_EMPTIED:
            for other in (one for one in self.beside if one.serial in asked.text):
                other.empty()
        self.decide(choice)

    def empty(self) -> None:
        """The person takes all cards out, and the board."""
        self.hands.gather(0)
        self.core.mechanism.slot.remove_board()

    def wanted(self) -> Choice | None:
        """What a careful person chooses, who wants every board dealt: what does not go on is dealt again in the end."""
        assert self.asked is not None
        if self._went_on > PATIENCE and Choice.DEAL_AGAIN in self.asked.choices:
            return Choice.DEAL_AGAIN
        where = Choice.BOARD_IS_OUT if self.core.mechanism.slot.board is None else Choice.BOARD_STILL_IN
        last = (Choice.CLEAR_AND_CLOSE, Choice.ASK_AGAIN, Choice.STOP)
        wanted = (Choice.GO, Choice.GO_ON, where, Choice.DEAL_AGAIN, Choice.DEAL_THEM, Choice.CONTINUE_EMPTIED, *last)
        return next((one for one in wanted if one in self.asked.choices), None)

    def end(self) -> None:
        """The program does nothing here any more."""
        self.job, self.shown, self.answered = None, None, None
        self.close_controls()

    def close_controls(self) -> None:
        """The program lets go of the machine."""
        if self.controls is not None:
            self.controls.close()
            self.controls = None

    @property
    def need_item(self) -> Item:
        """The board that the program deals or asks for here."""
        assert self.job is not None
        assert self.job.item is not None
        return self.job.item
