"""Every cell of the table *What GOOD can mean* (PROTOCOL.md, section 9), acted out at every card where it applies.

The words of the cell decide what must happen: a changed cell is a changed test. Whatever happens, a board that stands
as proven is right (I2), but for the cells that the table calls never.
Read next: `tests/support/visibility.py` (how each row comes about), `tests/support/sitting.py` (machine and person).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from driver.findings import Choice
from driver.verdicts import Verdict
from driver.visibility import Sight, blind_spots
from firmware_sim.person_script import PersonScript, Slip, SlipKind
from firmware_sim.profile import Profile
from protocol.codes import BoardSensing, FaultCode, Feature, PocketSensing, Recognition, State
from tests.support.peers import Setup
from tests.support.sitting import PersonSitting, Sitting, pack_for
from tests.support.store import journal_in
from tests.support.tables import page_table
from tests.support.visibility import COLUMNS, DEALS, LAST, SCENES, Case, Scene, deal

pytestmark = pytest.mark.usefixtures("quick_disk")

TABLE: Final = page_table("What GOOD can mean")
CELLS: Final = [
    (row["fault"], column, index) for row in TABLE for column in COLUMNS for index in SCENES[row["fault"]].indices
]
CELL_TEXT: Final = {(row["fault"], column): row[column] for row in TABLE for column in COLUMNS}
_EARLY_IN_THE_PACK: Final = (FaultCode.HOPPER_EMPTY,)
"""Faults after which a person may go on: the rest of the pack may lie on the table."""


def best_of(profile: Profile) -> Verdict:
    """The best verdict that a machine gives."""
    return Verdict.COUNTED if profile.recognition is Recognition.NONE else Verdict.GOOD


def stops_unproven(sitting: Sitting, case: Case) -> None:
    """The machine stopped at that card with that fault, and a proof is not to be had any more."""
    (halt,) = [halt for halt in sitting.halts if halt.state is State.PAUSED]
    assert (halt.fault, halt.index) == (case.fault, case.seen_at)
    assert halt.prompt.code == case.fault.name
    assert (Choice.GO_ON in halt.choices) == (case.fault in (*_EARLY_IN_THE_PACK, FaultCode.WRONG_BACK))
    assert Choice.DEAL_AGAIN in halt.choices
    assert len(sitting.judged) == len(sitting.verdicts), "the board that stopped has no verdict"
    sitting.check_promises()


def is_never_seen(fault: str, sitting: Sitting, *, more_packs: bool) -> None:
    """Nothing was seen, and every verdict is the best there is; what it cannot prove stands beside it."""
    best = best_of(sitting.profile)
    assert sitting.verdicts == [best] * len(sitting.numbers)
    assert sitting.complete
    assert sitting.withdrawn == []
    spots = blind_spots(Sight.of(sitting.profile.identity()), more_packs=more_packs)
    (sentence,) = [spot.sentence for spot in spots if spot.fault == fault]
    assert all(sentence in judgement.cannot_prove for judgement in sitting.judged)
    assert sitting.core.truth.violations() == []


# The words of the cells

Expectation = Callable[[str, Scene, Profile, int, Path], None]


def at_once(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    case = scene.build(profile, index)
    assert case.seen_at == index
    stops_unproven(deal(data, case), case)


def at_the_twin(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    case = scene.build(profile, index)
    assert (case.fault, case.seen_at > index) == (FaultCode.DUPLICATE_CARD, True)
    stops_unproven(deal(data, case), case)


def never(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    case = (scene.deep or scene.build)(profile, index)
    sitting = deal(data, case)
    is_never_seen(fault, sitting, more_packs=case.more_packs)
    assert not all(sitting.is_right(place) for place in range(len(case.numbers))), "the fault did not come about"


def not_applicable(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    assert profile.recognition is Recognition.NONE, "whoever reads cards can misread them"
    sitting = deal(data, scene.build(profile, index))
    assert sitting.verdicts == [Verdict.COUNTED]
    sitting.check_promises()


def hopper_empty_early(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    case = scene.build(profile, index)
    assert (case.fault, case.seen_at) == (FaultCode.HOPPER_EMPTY, LAST)
    stops_unproven(deal(data, case), case)


def at_the_duplicate_else_at_the_end(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    assert scene.luck is not None
    hidden_is_of_the_next_pack = fault == "double feed, pack below" and index == LAST
    if not hidden_is_of_the_next_pack:
        case = scene.build(profile, index)
        assert case.fault is FaultCode.DUPLICATE_CARD
        sitting = deal(data, case)
        stops_unproven(sitting, case)
        assert sitting.verdicts == [], "it is seen before the first board is judged"
    at_the_next_end(deal(data / "luck", scene.luck(profile, index)), scene.luck(profile, index))


def at_the_next_end(sitting: Sitting, case: Case) -> None:
    """The first board looked whole, and the next pack's end took that back."""
    assert [judgement.verdict for judgement in sitting.judged] == [best_of(sitting.profile)]
    assert sitting.judged[0].open_pack_end
    assert sitting.withdrawn == [1]
    assert sitting.verdicts == [Verdict.NOT_PROVEN]
    stops_unproven(sitting, case)
    with journal_in(sitting.peer.data) as journal:
        record = journal.last_of_board(1)
    assert record is not None
    assert record.verdict == Verdict.NOT_PROVEN.name, "the journal takes it back as well"


def next_end_or_never(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    assert scene.luck is not None
    at_the_next_end(deal(data, scene.luck(profile, index)), scene.luck(profile, index))
    never(fault, scene, profile, index, data / "deep")


def first_twin_of_the_next_board(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    case = scene.build(profile, index)
    assert case.fault is FaultCode.DUPLICATE_CARD
    at_the_next_end(deal(data, case), case)


def back_sensor_else_never(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    assert Feature.BACKS not in profile.features
    sitting = deal(data, scene.build(profile, index))
    is_never_seen(fault, sitting, more_packs=False)
    sitting.check_promises()
    assert {card.back for pocket in sitting.boards[0].pockets for card in pocket} == {"blue", "red"}
    case = scene.build(replace(profile, features=profile.features | Feature.BACKS), index)
    stops_unproven(deal(data / "sensor", case), case)


def at_arm(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    assert profile.pockets is PocketSensing.SENSED
    sitting = deal(data, scene.build(profile, index))
    assert sitting.verdicts == []
    assert sitting.core.truth.motions == [], "nothing moved"
    assert "cards in pocket " + "NESW"[index % 4] in sitting.halts[-1].prompt.text


def board_edge_only(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    assert profile.pockets is PocketSensing.NO
    never(fault, scene, profile, index, data)


def the_person(fault: str, scene: Scene, profile: Profile, index: int, data: Path) -> None:
    assert profile.board is BoardSensing.PRESENCE
    sitting = deal(data, scene.build(profile, index))
    assert "board 1 " in sitting.halts[0].prompt.hands.lower(), "the person is told which board it must be"
    is_never_seen(fault, sitting, more_packs=False)
    assert sitting.is_right(), "the hands are those of the board that was asked for"
    assert sitting.boards[0].number != 1


EXPECTATIONS: Final[dict[str, Expectation]] = {
    "at once": at_once,
    "at the twin": at_the_twin,
    "never": never,
    "n/a": not_applicable,
    "hopper empty early": hopper_empty_early,
    "at the duplicate, else at the next pack's end": at_the_duplicate_else_at_the_end,
    "next pack's end or never": next_end_or_never,
    "next board's first twin": first_twin_of_the_next_board,
    "back-colour sensor, else never": back_sensor_else_never,
    "at ARM": at_arm,
    "board edge only": board_edge_only,
    "the person": the_person,
}
"""What the words of a cell promise."""


@pytest.mark.parametrize(("fault", "column", "index"), CELLS, ids=lambda part: str(part).replace(" ", "-"))
def test_a_cell_of_the_table_is_what_happens_at_that_card(fault: str, column: str, index: int, tmp_path: Path) -> None:
    expectation = EXPECTATIONS[CELL_TEXT[fault, column]]
    expectation(fault, SCENES[fault], COLUMNS[column], index, tmp_path)


@pytest.mark.parametrize("column", COLUMNS)
def test_the_board_just_dealt_is_seen_when_it_comes_again(column: str, tmp_path: Path) -> None:
    """The same board: without an edge everywhere, with one where the pockets are sensed."""
    cell, profile = CELL_TEXT["full or same board in the slot", column], COLUMNS[column]
    load = [pack_for(profile, 1, pack=1), pack_for(profile, 2, pack=2)]
    for taken_out in (False, True):
        setup = Setup(profile=profile)
        with Sitting(tmp_path / str(taken_out), DEALS, setup, load=load, numbers=(1, 2), more_packs=True) as sitting:
            dealt = sitting.boards[0]

            def again(halt: object, sitting: Sitting = sitting, taken_out: bool = taken_out) -> bool:
                slot = sitting.mechanism.slot
                if len(sitting.halts) == 2:
                    if taken_out:
                        slot.insert_board(slot.remove_board())
                    else:
                        sitting.job.decide(Choice.GO)
                    return True
                if len(sitting.halts) > 2:
                    sitting.job.decide(Choice.STOP)
                return len(sitting.halts) > 2

            sitting.cure = again
            sitting.run()
            seen = not taken_out or cell == "at ARM"
            assert seen or cell == "board edge only"
            assert len(sitting.core.truth.motions) == (1 if seen else 2)
            assert len(sitting.verdicts) == (1 if seen else 2)
            assert sitting.core.truth.boards == [dealt]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_turned_board_is_the_persons_care_where_no_number_is_read(column: str, tmp_path: Path) -> None:
    profile = COLUMNS[column]
    assert CELL_TEXT["wrong or turned board, no number reader", column] == "the person"
    script = PersonScript(boards=(1,), slips=(Slip(SlipKind.TURNED_BOARD, 1),))
    with PersonSitting(tmp_path, DEALS, script, Setup(profile=profile)) as sitting:
        sitting.run()
        is_never_seen("wrong or turned board, no number reader", sitting, more_packs=False)
        assert not sitting.is_right(), "the hands lie in the pockets on the other side"


def test_every_row_and_every_word_of_the_table_is_acted_out() -> None:
    assert tuple(SCENES) == TABLE.column("fault")
    assert set(EXPECTATIONS) == set(CELL_TEXT.values())
    assert {"fault", *COLUMNS} == set(TABLE.columns)
    assert len({(fault, column) for fault, column, _ in CELLS}) == len(TABLE) * len(COLUMNS)
