"""Hopper loads under the fault model of PROTOCOL.md (section 9, *Fault model*): one to three packs, dealt to their end.

May import: driver, firmware_sim, protocol, tests.support. Read next: `test_ten_thousand_boards.py`.
The chances are read from the page; everything about one load is drawn from its seed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum, unique
from fractions import Fraction
from pathlib import Path
from typing import Final, Self

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.packs import Pack
from firmware_sim.profile import Profile
from protocol.cards import HAND_SIZE, PACK_SIZE
from protocol.codes import Recognition
from tests.support.peers import Setup, hands_of
from tests.support.sitting import Sitting, pack_for
from tests.support.store import deal_set
from tests.support.tables import page_table

FAULT_MODEL: Final = "Fault model"
"""The heading of the model on the page."""
_SERIALS: Final = 100
"""The cards of one pack have the serial numbers of one hundred."""


@dataclass(frozen=True, slots=True)
class Model:
    """The chances: of n packs in the hopper, of a misread card, of its sister, of a double feed in a pack."""

    packs: dict[int, Fraction]
    misread: Fraction
    sister: Fraction
    double_feed: Fraction

    @classmethod
    def of_the_page(cls) -> Self:
        """The model that stands in PROTOCOL.md."""
        chance = {(row["for each"], row["what happens"]): Fraction(row["chance"]) for row in page_table(FAULT_MODEL)}
        model = cls(
            {number: chance.pop(("load", f"{number} in the hopper")) for number in (1, 2, 3)},
            chance.pop(("card", "is misread")),
            chance.pop(("misread card", "is taken for its sister: same rank, same colour")),
            chance.pop(("pack", "one card of it drags the next one along")),
        )
        assert not chance, f"the page has more in its model: {chance}"
        assert sum(model.packs.values()) == 1
        return model

    def faults(self, dice: random.Random, run: int, pack: Pack, *, reads: bool) -> list[MachineFault]:
        """What happens to that pack in that run of the machine."""
        drawn = []
        for index, card in enumerate(pack):
            if reads and dice.random() < self.misread:
                others = [code for code in range(PACK_SIZE) if code != card.identity]
                taken = sister(card.identity) if dice.random() < self.sister else dice.choice(others)
                drawn.append(MachineFault(FaultKind.MISREAD, index, run, taken))
        if dice.random() < self.double_feed:
            drawn.append(MachineFault(FaultKind.DOUBLE_FEED, dice.randrange(PACK_SIZE), run))
        return drawn


def sister(code: int) -> int:
    """The same rank in the other suit of the colour: spades and clubs, hearts and diamonds."""
    suit, rank = divmod(code, HAND_SIZE)
    return HAND_SIZE * (3 - suit) + rank


@unique
class Hidden(Enum):
    """Why a board may be wrong although its verdict is the best there is: rows of *What GOOD can mean*."""

    READ_AS_EACH_OTHER = "two cards read as each other"
    DOUBLE_FEED = "double feed, pack below"
    TWICE_LUCKY = "two packs in turn begin with the very card that the pack above lacks"


class LoadMachine(SimMachine):
    """A machine of one load. Being of its own class it is given back when its load is dealt, and held to I1 before."""


class HopperLoad(Sitting):
    """One load of one machine, dealt by a person who puts whole packs in again wherever a board is dealt again."""

    def __init__(self, data: Path, profile: Profile, model: Model, seed: int) -> None:
        self.model = model
        self.dice = random.Random(seed)
        self.misreads: dict[tuple[int, int], int] = {}
        """What the card of (run, index) is taken for; runs count from 1."""
        self._loaded = 0
        count = self.dice.choices(list(model.packs), [float(chance) for chance in model.packs.values()])[0]
        numbers, packs = tuple(range(1, count + 1)), self._whole_packs(profile, count)
        super().__init__(
            data,
            deal_set(numbers, seed=seed),
            Setup(profile=profile, seed=seed, machine=LoadMachine),
            load=packs,
            numbers=numbers,
            more_packs=count > 1,
            reaction=0.2,
        )
        self._draw_faults(packs)

    def _whole_packs(self, profile: Profile, count: int) -> list[Pack]:
        first = self._loaded + 1
        self._loaded += count
        return [pack_for(profile, self.dice.getrandbits(32), pack=pack) for pack in range(first, first + count)]

    def _draw_faults(self, packs: list[Pack]) -> None:
        """What happens to the packs that were put in now; of those that were taken out nothing happens any more."""
        self.mechanism.clear_faults()
        reads = self.profile.recognition is not Recognition.NONE
        for run, pack in enumerate(packs, start=self.mechanism.card_path.ordinal + 1):
            for fault in self.model.faults(self.dice, run, pack, reads=reads):
                self.mechanism.add_fault(fault)
                if fault.kind is FaultKind.MISREAD:
                    self.misreads[run, fault.index] = fault.value

    # The person

    def put_all_together(self) -> None:
        """Every card out; whole packs in, for this board and those that follow."""
        super().put_all_together()
        self.mechanism.take_hopper()
        packs = self._whole_packs(self.profile, len(self.numbers) - self.boards.index(self.wanted_board()))
        for pack in packs:
            self.mechanism.load_pack(pack, below=True)
        self._draw_faults(packs)

    # What came of it, by the truth

    def is_hidden_by(self, place: int) -> Hidden | None:
        """Why the board at that place may be wrong unseen; None = nothing that the page names explains it."""
        runs = list(dict.fromkeys(motion.run for motion in self.core.truth.motions))
        number = 1 + max(at for at, run in enumerate(runs) if self._board_of(run) is self.boards[place])
        if self.profile.recognition is not Recognition.NONE:
            if self._is_exchanged(place, number, runs[number - 1]):
                return Hidden.READ_AS_EACH_OTHER
            two = runs[number - 1 : number + 1]
            borrowed = len(two) == 2 and all(self._borrows(run) for run in two)
            return Hidden.TWICE_LUCKY if borrowed and self._has_hidden(two[0]) else None
        before = range(number - 1, max(number - 1 - place, 0) - 1, -1)
        fed_twice = any(self._has_hidden(runs[at]) for at in before)
        return Hidden.DOUBLE_FEED if fed_twice and number < len(runs) and self._borrows(runs[number]) else None

    def _board_of(self, run: int) -> object:
        drops = self.core.truth.drops(run)
        return drops[0].board if drops else None

    def _has_hidden(self, run: int) -> bool:
        return any(feed.hidden for feed in self.core.truth.feeds(run))

    def _borrows(self, run: int) -> bool:
        """Whether the last card of that run is of the pack below."""
        first, *_, last = self.core.truth.feeds(run)
        return first.card.serial // _SERIALS != last.card.serial // _SERIALS

    def _is_exchanged(self, place: int, number: int, run: int) -> bool:
        """Whether cards read as each other, and nothing else, make the pockets what they are."""
        feeds = [feed for feed in self.core.truth.feeds(run) if not feed.hidden]
        read = {feed.card.identity: self.misreads.get((number, feed.index), feed.card.identity) for feed in feeds}
        wrong = {card: taken for card, taken in read.items() if card != taken}
        pairs = all(wrong.get(taken) == card for card, taken in wrong.items())
        found = self.deals.find(self.numbers[place])
        assert found is not None
        hands = hands_of(found.deal)
        exchanged = tuple(tuple(sorted(wrong.get(card, card) for card in hand)) for hand in hands)
        return bool(wrong) and pairs and self.pockets(self.boards[place]) == exchanged
