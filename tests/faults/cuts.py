"""A power cut of the machine at one moment of one card, and what host and machine may say of it: I3 against the truth.

May import: driver, firmware_sim, protocol, tests.support. Read next: `test_power_cuts.py`; PROTOCOL.md, section 10.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Final

from driver.findings import Choice
from driver.job_events import CardDealt
from driver.store.runs import RunRecord
from driver.verdicts import Verdict
from firmware_sim.faults import FaultPlan, PowerCut
from firmware_sim.memory import MemoryFate
from firmware_sim.profile import FULL, P_ONLY, Profile
from protocol.cards import PACK_SIZE, Card
from protocol.codes import LedgerKind, Obstacle, PauseReason, Recognition, RecordState, State
from protocol.constants import UNKNOWN_COUNT
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting, pack_for
from tests.support.visibility import DEALS, LAST

SPIN_UP, CARD, STEP = 30, 100, 5
"""Milliseconds from GO to the first feed, from a card's feed to its drop, and between two cuts."""
MOMENTS: Final = range(0, CARD, STEP)
CARDS: Final = (0, 26, LAST)
LOST_MEMORY: Final = (MemoryFate.TORN, MemoryFate.BLANK)
OFF: Final = 2.0
"""Seconds until the power comes back."""
WISHES: Final = (Choice.GO_ON, Choice.DEAL_AGAIN, Choice.SKIP)
"""What the person wants when the power is back, where it is offered; else the board is dealt again."""


@dataclass(frozen=True, slots=True)
class Case:
    """One power cut. `moment` is in milliseconds from the feed of card `card` of the first run."""

    moment: int
    card: int
    fate: MemoryFate
    ledger: LedgerKind
    by_order: bool
    packs: int
    wish: Choice

    @property
    def profile(self) -> Profile:
        """The machine: one that deals by order reads no card."""
        return replace(P_ONLY if self.by_order else FULL, ledger=self.ledger)

    @property
    def cut(self) -> PowerCut:
        """When and how the power goes."""
        return PowerCut(SPIN_UP + CARD * self.card + self.moment, self.fate, run=1, off=OFF)

    def sitting(self, data: Path) -> Sitting:
        """The job: one board for each pack, all packs in the hopper at once."""
        return Sitting(
            data,
            DEALS,
            Setup(profile=self.profile, faults=FaultPlan(cuts=(self.cut,))),
            load=[pack_for(self.profile, number, pack=number) for number in range(1, self.packs + 1)],
            numbers=tuple(range(1, self.packs + 1)),
            more_packs=self.packs > 1,
            wants=Choice.DEAL_AGAIN if self.wish is Choice.SKIP else self.wish,
        )


ALL: Final = tuple(
    Case(*values)
    for values in product(MOMENTS, CARDS, MemoryFate, (LedgerKind.CARD, LedgerKind.RUN), (False, True), (1, 2), WISHES)
)


class Watched:
    """Holds one sitting to the promises: what is said when the power is back, and what stands at the end."""

    def __init__(self, case: Case, sitting: Sitting) -> None:
        self.case = case
        self.sitting = sitting
        self.is_false = False
        """The one false cell of the page: a card fell, and by the machine's memory it never left the hopper."""
        self.was_asked = False
        sitting.cure = self._before_deciding
        if case.wish is Choice.SKIP:
            sitting.choose = self._leave

    def run(self) -> None:
        """Deals to the end, with every check."""
        sitting = self.sitting
        sitting.run()
        assert self.was_asked, "nobody was asked after the power cut (I4)"
        assert sitting.complete, "a board that was left is offered again at the end"
        truth = sitting.core.truth
        found = truth.violations()
        assert self.is_false or found == []
        assert all(is_of_the_false_cell(sentence) for sentence in found), found
        for place, number in enumerate(sitting.numbers):
            result = sitting.job.result.find(number, "")
            assert result is not None, f"board {number} never came to a verdict"
            is_good = result.verdict in (Verdict.GOOD, Verdict.COUNTED)
            assert not is_good or sitting.is_right(place), f"I2: board {number} is wrong, and nobody says so"
        for record in sitting.machine.journal.begun():
            self._check_verdict(record)

    def _leave(self, halt: Halt) -> Choice | None:
        if not self._leaves(halt):
            return None
        self.sitting.put_all_together()
        return Choice.SKIP

    def _leaves(self, halt: Halt) -> bool:
        """Whether the person leaves the board at that question: the one after the power cut."""
        asked = self.sitting.halts
        return self.case.wish is Choice.SKIP and Choice.SKIP in halt.choices and halt in asked[1:2]

    def _before_deciding(self, halt: Halt) -> bool:
        """Called with the start, with the question after the cut, and with what may follow it."""
        if len(self.sitting.halts) == 2:
            self.was_asked = True
            assert len(self.sitting.core.truth.motions) == 1, "I4: one motion until the person decided"
            self.is_false = not self._is_true(halt)
        if Choice.DEAL_THEM in halt.choices:
            self.sitting.hands.take_board_out()  # as that question says
        return False

    def _is_true(self, halt: Halt) -> bool:
        """I3 while the person is asked. False in the one false cell."""
        case, core = self.case, self.sitting.core
        truth, run = core.truth, core.control.run
        fallen = {drop.index: drop.pocket for drop in truth.drops()}
        told = [event for event in self.sitting.events if isinstance(event, CardDealt)]
        assert len(told) <= len(fallen), "the host never tells of a card that did not fall"
        assert halt.choices[-1] is Choice.STOP
        keeps_cards = case.ledger is LedgerKind.CARD
        if case.fate in LOST_MEMORY:
            assert core.memory_lost
        if run is None:
            check_lost_run(halt, moved=bool(truth.feeds()) or case.fate in LOST_MEMORY or not keeps_cards)
            lost_it = case.fate is MemoryFate.LAST_MARK_LOST and (not keeps_cards or not fallen)
            assert case.fate in LOST_MEMORY or lost_it
            return True
        assert (halt.state, halt.reason) == (State.PAUSED, PauseReason.RESTART)
        assert Choice.DEAL_AGAIN in halt.choices
        if not keeps_cards:
            assert (halt.index, halt.doubt) == (UNKNOWN_COUNT, UNKNOWN_COUNT)
            assert Choice.GO_ON not in halt.choices
            return True
        assert halt.doubt <= self.sitting.machine.info.identity.in_flight, "no more than the cards in flight"
        records = [run.ledger.raw(index) for index in range(run.ledger.length)]
        dropped = {
            index: record[2] & 3 for index, record in enumerate(records) if record[3] & 15 == RecordState.DROPPED
        }
        assert dropped.items() <= fallen.items(), "nothing is claimed that did not fall"
        assert len(dropped) == halt.index
        unknown = len(fallen) - halt.index
        assert unknown in (0, 1)
        may_go_on = not case.by_order and not halt.doubt and halt.obstacle is not Obstacle.BOARD
        assert (Choice.GO_ON in halt.choices) == may_go_on
        is_false = bool(unknown and not halt.doubt)
        assert not is_false or case.fate is MemoryFate.LAST_MARK_LOST
        return not is_false

    def _check_verdict(self, record: RunRecord) -> None:
        """I3 at the verdict of a run: what the journal claims of each card, and how many it does not know."""
        claims = self.sitting.machine.journal.evidence(record.run)
        fallen = {drop.index: drop for drop in self.sitting.core.truth.drops(record.run)}
        if record.verdict is None:
            assert claims == (), "a run that was given up claims nothing"
            return
        board = self.sitting.deals.find(record.intention.board)
        assert board is not None
        doubtful = 0
        for claim in claims:
            if claim.state != RecordState.DROPPED:
                doubtful += 1
                continue
            assert claim.card in fallen, "I3: a drop is claimed that never was"
            drop = fallen[claim.card]
            is_as_planned = drop.pocket == board.deal.owner(Card(drop.card.identity))
            assert claim.as_planned in (is_as_planned, None), "I3: a card is claimed where it does not lie"
        assert doubtful <= self.sitting.machine.info.identity.in_flight, "I3: more in doubt than was in flight"
        assert len(fallen) - len(claims) <= self.is_false, "I3: a card fell of which the verdict knows nothing"


def is_of_the_false_cell(violation: str) -> bool:
    """Whether that breach of "exactly once" is one that only a lost mark brings: PROTOCOL.md, section 10."""
    return "dropped index" in violation or violation.endswith(f"fed {PACK_SIZE + 1} cards, {PACK_SIZE} permitted.")


def check_lost_run(halt: Halt, *, moved: bool) -> None:
    """The machine knows no run; only where no card can have moved it counts as not started."""
    assert halt.state is State.NONE
    if moved:
        assert halt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
        assert "Not certain: whether cards of this board were dealt, and how many." in halt.prompt.text
    else:
        assert halt.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
        assert halt.prompt.text == "The board was not started."


def best_verdict(profile: Profile) -> Verdict:
    """The best that such a machine can give."""
    return Verdict.COUNTED if profile.recognition is Recognition.NONE else Verdict.GOOD
