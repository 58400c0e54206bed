"""Ten thousand boards under the fault model of PROTOCOL.md: none that stands as GOOD is wrong, but where it says so.

Each board is judged at the end of its hopper load and compared with what truly lies in its pockets (I2). The seeds are
those of the loads; a load is drawn from its seed alone. Read next: `hopper_loads.py`, how a load is dealt.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from driver.verdicts import Verdict
from driver.visibility import Sight, blind_spots
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import Pack, shuffled_pack
from firmware_sim.profile import Profile
from protocol.codes import Recognition
from tests.campaign.hopper_loads import FAULT_MODEL, Hidden, HopperLoad, Model
from tests.support.figures import Figures
from tests.support.peers import Setup
from tests.support.sitting import Sitting
from tests.support.tables import page_table
from tests.support.visibility import COLUMNS, DEALS, P_AND_R

MODEL: Final = Model.of_the_page()
FEW: Final = {"P+R": 60, "R only": 20, "P only": 20}
MANY: Final = {"P+R": 10_000, "R only": 3_000, "P only": 3_000}
READ_AS_EACH_OTHER: Final = 135
"""The seed of a load in which that happened to a machine that senses its pockets."""
DOUBLE_FEED: Final = 2
"""The seed of a load in which that happened to a machine that reads no cards."""


@dataclass
class Tally:
    """What became of the boards of many loads of one kind of machine."""

    column: str
    boards: int = 0
    loads: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    withdrawn: int = 0
    hidden: Counter[Hidden] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Boards whose verdict is the best there is, that are wrong, and that nothing on the page explains."""

    @property
    def profile(self) -> Profile:
        """The machine."""
        return COLUMNS[self.column]

    @property
    def best(self) -> Verdict:
        """The best verdict of that machine."""
        return Verdict.COUNTED if self.profile.recognition is Recognition.NONE else Verdict.GOOD

    def deal(self, seed: int, folder: Path) -> None:
        """Deals the load of that seed to its end, and looks at every board."""
        with (
            tempfile.TemporaryDirectory(dir=folder) as data,
            HopperLoad(Path(data), self.profile, MODEL, seed) as load,
        ):
            load.run()
            assert load.complete, f"seed {seed}: not all boards were dealt"
            assert load.core.truth.violations() == [], f"seed {seed}"
            self.loads += 1
            self.withdrawn += len(load.withdrawn)
            for place, verdict in enumerate(load.verdicts):
                self.boards += 1
                self.verdicts[verdict] += 1
                if verdict <= self.best and not load.is_right(place):
                    self._is_wrong(load, place, f"seed {seed}, board {place + 1} of {len(load.numbers)}")

    def _is_wrong(self, load: HopperLoad, place: int, where: str) -> None:
        hidden = load.is_hidden_by(place)
        if hidden is None:
            self.wrong.append(where)
            return
        self.hidden[hidden] += 1
        if hidden is not Hidden.TWICE_LUCKY:
            (cell,) = [row[self.column] for row in page_table("What GOOD can mean") if row["fault"] == hidden.value]
            assert "never" in cell, f"{where}: the page says {cell!r} of {hidden.value}"
            spots = blind_spots(Sight.of(self.profile.identity()), more_packs=load.more_packs)
            (sentence,) = [spot.sentence for spot in spots if spot.fault == hidden.value]
            assert sentence in load.job.result.boards[place].judgement.cannot_prove, where

    def tell(self, figures: Figures, aim: int) -> None:
        """Prints the figures; fails where a board is wrong that stands as the best there is."""
        best = self.best.name
        figures.list(
            f"fault model ({self.column})",
            [f"{row['chance']:>6}  {row['for each']}: {row['what happens']}" for row in page_table(FAULT_MODEL)],
        )
        told = [f"{number:7,} {verdict.name}" for verdict, number in sorted(self.verdicts.items())]
        told.append(f"{self.withdrawn:7,} taken back when the next pack showed it")
        told += [f"{number:7,} wrong and {best}, never seen: {hidden.value}" for hidden, number in self.hidden.items()]
        figures.list(f"{self.loads:,} hopper loads ({self.column})", told)
        figures.tell(
            f"wrong boards {best} among {self.boards:,} boards ({self.column}), those of the never cells apart",
            len(self.wrong),
            aim=f"0 among {aim:,} or more",
            met=not self.wrong and self.boards >= aim,
            seed=1,
        )


def deal_boards(column: str, boards: int, folder: Path) -> Tally:
    """Loads from seed 1 on, until so many boards were dealt."""
    tally = Tally(column)
    for seed in count(1):
        tally.deal(seed, folder)
        if tally.boards >= boards:
            break
    return tally


def test_the_page_tells_the_model_that_boards_are_dealt_under() -> None:
    assert MODEL.misread > 0
    assert MODEL.double_feed > 0
    assert list(MODEL.packs) == [1, 2, 3]
    assert all(MODEL.packs.values())


@pytest.mark.parametrize("column", COLUMNS)
def test_no_board_that_stands_is_wrong_but_where_the_page_says_so(
    column: str, quick_folder: Path, figures: Figures
) -> None:
    deal_boards(column, FEW[column], quick_folder).tell(figures, FEW[column])


@pytest.mark.campaign
@pytest.mark.parametrize("column", COLUMNS)
def test_no_board_of_ten_thousand_that_stands_is_wrong_but_where_the_page_says_so(
    column: str, quick_folder: Path, figures: Figures
) -> None:
    tally = deal_boards(column, MANY[column], quick_folder)
    tally.tell(figures, MANY[column])
    reads = tally.best is Verdict.GOOD
    assert tally.hidden[Hidden.READ_AS_EACH_OTHER if reads else Hidden.DOUBLE_FEED], "the never cell was not reached"


@pytest.mark.parametrize(
    ("column", "seed", "hidden"),
    [("P+R", READ_AS_EACH_OTHER, Hidden.READ_AS_EACH_OTHER), ("P only", DOUBLE_FEED, Hidden.DOUBLE_FEED)],
)
def test_a_board_that_a_never_cell_hides_is_counted_apart(
    column: str, seed: int, hidden: Hidden, quick_folder: Path
) -> None:
    tally = Tally(column)
    tally.deal(seed, quick_folder)

    assert tally.hidden == {hidden: 1}
    assert tally.wrong == []


def test_two_packs_in_turn_that_begin_with_the_missing_card_hide_a_double_feed(tmp_path: Path) -> None:
    """As the page says below its fault model: the third pack comes out short, and the second board is doubted."""
    first = shuffled_pack(1, pack=1)
    hidden = first[21].identity
    load = (first, *(beginning_with(shuffled_pack(seed, pack=seed), hidden) for seed in (2, 3)))
    setup = Setup(profile=P_AND_R, faults=FaultPlan((MachineFault(FaultKind.DOUBLE_FEED, 20, run=1),)))
    with Sitting(tmp_path, DEALS, setup, load=load, numbers=(1, 2, 3), more_packs=True) as sitting:
        sitting.run()

        assert sitting.verdicts == [Verdict.GOOD, Verdict.NOT_PROVEN, Verdict.GOOD]
        assert [sitting.is_right(place) for place in range(3)] == [False, True, True]


def beginning_with(pack: Pack, code: int) -> Pack:
    """The pack with that card on top."""
    return tuple(sorted(pack, key=lambda card: card.identity != code))
