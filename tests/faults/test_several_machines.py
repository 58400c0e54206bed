"""Several machines on one host: each board copy once, a jam at one never holds up the other, and what comes back.

Read next: `driver/several.py`, `driver/work.py`, `tests/support/row.py`.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from driver.errors import ConfigError
from driver.findings import Choice
from driver.job_events import BoardStarted, JobEnded, NeedsOperator
from driver.machines import open_machines
from driver.queue import Order
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from tests.support.figures import Figures
from tests.support.memory import MemoryTransport
from tests.support.row import Helper, Place, Row
from tests.support.store import deal_set, opened

COPIES: Final = ("A", "B")
JAM: Final = 180.0
"""Seconds from the prompt of a jam until a helper has put it right."""


def all_copies(boards: int, copies: tuple[str, ...] = COPIES) -> list[tuple[int, str]]:
    return [(board, copy) for board in range(1, boards + 1) for copy in copies]


def questions(row: Row, machine: str = "") -> list[NeedsOperator]:
    return [event for event in row.events if isinstance(event, NeedsOperator) and machine in ("", event.machine)]


@pytest.mark.parametrize("order", list(Order))
def test_two_machines_deal_one_job_and_no_board_twice(order: Order, tmp_path: Path) -> None:
    with Row(tmp_path, deal_set((1, 2, 3)), {"LEFT": Place(), "RIGHT": Place(speed=0.5)}) as row:
        jobs = row.run(copies=COPIES, order=order)
        assert row.right_boards() == all_copies(3)
        assert sorted((board.number, board.copy) for board in jobs.result.boards) == all_copies(3)
        assert {board.verdict for board in jobs.result.boards} == {Verdict.GOOD}
        assert row.left == 0
        assert all(len(helper.boards) > 1 for helper in row.helpers.values()), "both had their part"
        assert row.events[-1] == JobEnded(complete=True)


def test_every_event_says_at_which_machine_and_the_end_is_told_once(tmp_path: Path) -> None:
    with Row(tmp_path, deal_set((1, 2)), {"LEFT": Place(), "RIGHT": Place()}) as row:
        row.run()
        assert {event.machine for event in row.events[:-1]} == {"LEFT", "RIGHT"}
        assert [event for event in row.events if isinstance(event, JobEnded) and not event.machine] == row.events[-1:]


def interval(helper: Helper) -> float:
    """Seconds from board to board at that machine, hands included."""
    starts = [motion.time for motion in helper.core.truth.motions]
    return median(after - before for before, after in pairwise(starts))


def check_jam(tmp_path: Path, boards: int, turn: int, jam: float, figures: Figures) -> None:
    """RIGHT has a jam for so long in its board of that turn; the last card falls by the rule of the issue.

    That is (total work + what RIGHT would have dealt in that time) / total rate, plus one board.
    """
    faults = FaultPlan((MachineFault(FaultKind.JAM_PATH, 20, run=turn),))
    places = {"LEFT": Place(speed=0.5), "RIGHT": Place(speed=0.3, faults=faults, cure=jam)}
    with Row(tmp_path, deal_set(range(1, boards + 1)), places) as row:
        row.run(copies=COPIES)
        truths = [helper.core.truth for helper in row.helpers.values()]
        seconds = {name: interval(helper) for name, helper in row.helpers.items()}
        end = max(truth.drops(truth.motions[-1].run)[-1].time for truth in truths)
        copies = boards * len(COPIES)
        rate = sum(1 / each for each in seconds.values())
        latest = (copies + jam / seconds["RIGHT"]) / rate + max(seconds.values())
        assert row.right_boards() == all_copies(boards)
        assert [asked.code for asked in questions(row, "RIGHT") if asked.code] == ["JAM"]
        figures.tell(
            f"{copies} copies on two machines, one of them jammed for {jam:.0f} s in its board {turn}: the end",
            f"after {end:.1f} s of the machines' clock",
            aim=f"{latest:.1f} s or less",
            met=end <= latest,
        )


def test_after_a_jam_at_one_machine_the_job_ends_when_it_should(tmp_path: Path, figures: Figures) -> None:
    check_jam(tmp_path, boards=10, turn=3, jam=60.0, figures=figures)


@pytest.mark.campaign
@pytest.mark.parametrize("turn", [1, 10, 20, 30])
def test_a_hundred_copies_end_when_they_should_after_a_jam_of_three_minutes(
    turn: int, tmp_path: Path, figures: Figures
) -> None:
    check_jam(tmp_path, boards=50, turn=turn, jam=JAM, figures=figures)


def test_a_jam_at_one_machine_never_stops_the_other(tmp_path: Path) -> None:
    plan = FaultPlan((MachineFault(FaultKind.JAM_PATH, 20, run=1),))
    with Row(tmp_path, deal_set(range(1, 6)), {"LEFT": Place(), "RIGHT": Place(faults=plan, cure=JAM)}) as row:
        row.run()
        jam = next(place for place, event in enumerate(row.events) if getattr(event, "code", "") == "JAM")
        after = row.events[jam + 1 :]
        on_right = next(place for place, event in enumerate(after) if event.machine == "RIGHT")
        begun = {event.board for event in after[:on_right] if isinstance(event, BoardStarted)}
        assert len(begun) >= 3, "LEFT dealt on while RIGHT waited"
        assert row.right_boards() == all_copies(5, ("A",))


# A machine that fails


@pytest.mark.parametrize("empty", [True, False], ids=["its cards are out", "its cards stay"])
def test_a_machine_that_is_lost_gives_back_what_it_has_not_begun_and_the_rest_when_a_person_says_so(
    empty: bool, tmp_path: Path
) -> None:
    with Row(tmp_path, deal_set(range(1, 6)), {"LEFT": Place(), "RIGHT": Place()}) as row:
        row.cut_during("RIGHT", turn=2)

        def answer(asked: NeedsOperator) -> Choice | None:
            if Choice.WAIT in asked.choices:
                assert asked.words == ("wait for RIGHT", "continue on LEFT")
                return Choice.CONTINUE
            if Choice.CONTINUE in asked.choices:
                assert asked.choices == (Choice.CONTINUE, Choice.CONTINUE_EMPTIED)
                assert asked.words[0] == "continue on LEFT"
                return Choice.CONTINUE_EMPTIED if empty else Choice.CONTINUE
            return Choice.CONTINUE_EMPTIED if Choice.CONTINUE_EMPTIED in asked.choices else None

        row.answer = answer
        row.run()
        assert [asked.machine for asked in questions(row) if Choice.CONTINUE in asked.choices] == ["RIGHT"] * 2
        offered = [asked for asked in questions(row) if Choice.LEAVE_THEM in asked.choices]
        assert len(offered) == (0 if empty else 1), "what nobody gave back is offered at the end"
        assert all("lie in another machine, SIM-RIGHT." in asked.text for asked in offered)
        assert row.right_boards() == all_copies(5, ("A",))
        assert len(row.helpers["RIGHT"].boards) == 2
    with opened(tmp_path) as store:
        (*_, broken_off) = [run for run in store.runs.begun() if run.intention.serial == "SIM-RIGHT"]
        assert broken_off.closed, "nobody goes on there with a board that was dealt here"
        assert broken_off.may_be_emptied


def test_a_machine_that_is_lost_between_boards_costs_no_question_about_its_cards(tmp_path: Path) -> None:
    with Row(tmp_path, deal_set(range(1, 6)), {"LEFT": Place(), "RIGHT": Place(change=30.0)}) as row:
        row.cut_during("RIGHT", turn=0)
        row.answer = lambda asked: Choice.CONTINUE if Choice.CONTINUE in asked.choices else None
        row.run()
        assert len([asked for asked in questions(row) if Choice.CONTINUE in asked.choices]) == 1
        assert row.right_boards() == all_copies(5, ("A",))
        assert row.helpers["RIGHT"].core.truth.motions == []


def test_two_names_for_one_machine_are_refused(tmp_path: Path) -> None:
    with Row(tmp_path, deal_set((1,)), {"LEFT": Place()}) as row:
        endpoint = row.endpoints["LEFT"]
        ways = {name: lambda: MemoryTransport(endpoint) for name in ("LEFT", "RIGHT")}
        with pytest.raises(ConfigError, match="same machine"):
            open_machines(ways, data=tmp_path, clocks=row.clocks())
