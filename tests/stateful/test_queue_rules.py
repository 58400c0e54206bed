"""A queue under whatever person, machines, cables, power and program do: nothing lost, nothing dealt twice.

Read next: `queue_rules.py` (the rules), `queue_situations.py`, `queue_watch.py` (the invariants).
`make campaign` prints how often each situation came about.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from driver.findings import Choice
from driver.job_events import MachineBack, MachineLost
from driver.queue import JobOrder
from driver.steps import Step
from driver.store.jobs import DONE
from protocol.codes import State
from tests.stateful.queue_rules import REACHED, run_rules
from tests.stateful.queue_side import Side
from tests.stateful.queue_situations import SITUATIONS, times_reached
from tests.stateful.queue_world import QueueWorld
from tests.support.figures import Figures

EXAMPLES: Final = 600
SEED: Final = 1
"""What the long search draws from."""

pytestmark = pytest.mark.usefixtures("quick_disk")


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is written and not waited for."""
    monkeypatch.setattr("driver.store.database.SYNCHRONOUS", "OFF")
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.fixture
def world() -> Iterator[QueueWorld]:
    made = QueueWorld(3, lambda name: None, lambda side, event: None)
    yield made
    made.close()


def add(world: QueueWorld, *boards: int) -> int:
    """A job of these boards."""
    with world.window() as store:
        job = store.jobs.add(JobOrder(0, world.deals.set_id, boards)).id
        world.watch.changed(store)
    return job


def begin_board(world: QueueWorld, side: Side, cards: int = 20) -> None:
    """The board that is asked for there is put in, and so many cards of it are dealt."""
    world.run_until_asked(side)
    side.obey(Choice.GO)
    for _ in range(cards):
        world.step(side)


def left_open_at(world: QueueWorld, side: Side) -> int:
    """A job of one board, in the middle of which the program at that machine was killed."""
    job = add(world, 1)
    world.begin_program([side], [job])
    begin_board(world, side)
    world.abandon()
    return job


def times_dealt(world: QueueWorld, board: int) -> int:
    """In how many runs that board came to a verdict that stands."""
    with world.window() as store:
        return sum(one.intention.board == board and one.verdict in DONE for one in store.runs.begun())


def test_a_board_that_is_wanted_once_more_is_dealt_once_more_after_the_program_died(world: QueueWorld) -> None:
    left, right = world.sides
    add(world, 1)
    world.finish()
    again = add(world, 1, 2)
    world.begin_program(world.sides, [again])
    world.run_until_asked(left)
    begin_board(world, right)
    world.abandon()
    world.begin_program([right], [again])
    world.run_until_asked(right)
    world.finish()
    assert times_dealt(world, 1) == 2, "the one that waited is no longer the one that was dealt before"
    assert times_dealt(world, 2) == 1


def test_a_board_under_way_is_the_one_of_the_job_that_ordered_it(world: QueueWorld) -> None:
    left, _ = world.sides
    first = add(world, 1, 2)
    world.begin_program([left], [first])
    begin_board(world, left, 60)
    world.abandon()
    again = add(world, 1)
    world.begin_program([left], [again])
    begin_board(world, left)
    world.abandon()
    world.begin_program([left], [first, again])
    world.run_until_asked(left)
    assert left.asked is not None
    left.obey(Choice.DEAL_AGAIN)
    world.run_until_asked(left)
    world.finish()
    assert (times_dealt(world, 1), times_dealt(world, 2)) == (2, 1)


@pytest.mark.parametrize("dies", [True, False])
def test_a_board_that_was_given_to_another_machine_is_not_gone_on_with_at_the_one_that_had_it(
    dies: bool, world: QueueWorld
) -> None:
    left, right = world.sides
    job = left_open_at(world, right)
    world.begin_program([left], [job])
    world.run_until_asked(left)
    assert left.asked is not None
    assert "Cards of board 1 lie in another machine, SIM-RIGHT." in left.asked.text
    left.obey(Choice.CONTINUE_EMPTIED)
    begin_board(world, left)
    if dies:
        world.abandon()
        world.begin_program([left, right], [job])
        world.run_until_asked(right)
        assert right.core.control.run is None, "it is ended there, and LEFT has the board"
        assert right.asked is None or Choice.GO_ON not in right.asked.choices
    world.finish()
    with world.window() as store:
        assert store.runs.left_open() == []
    assert times_dealt(world, 1) == 1


def test_a_board_that_is_emptied_at_a_machine_which_only_went_on_with_it_goes_to_the_one_that_waits(
    world: QueueWorld,
) -> None:
    left, right = world.sides
    job = left_open_at(world, left)
    world.begin_program([left, right], [job])
    world.run_until_asked(left)
    left.obey(Choice.GO_ON)
    world.step(left)
    world.run_until_asked(right)
    world.stop_at(left)
    world.finish()
    assert times_dealt(world, 1) == 1


@pytest.mark.parametrize("is_lost", [True, False])
def test_nobody_is_asked_to_empty_a_machine_that_has_not_told_yet_what_became_of_its_board(
    is_lost: bool, world: QueueWorld
) -> None:
    left, right = world.sides
    job = left_open_at(world, right)
    world.begin_program([left, right], [job])
    if is_lost:
        right.cut_cable(2.0)
        assert isinstance(world.step(right), MachineLost)
        while not isinstance(world.step(right), MachineBack):
            pass
    world.run_until_asked(left)
    assert left.asked is None or Choice.CONTINUE_EMPTIED not in left.asked.choices
    assert left.job is not None
    assert left.job.step is Step.IDLE, "it waits: the board may come back to RIGHT"
    world.run_until_asked(right)
    assert right.asked is not None
    assert Choice.GO_ON in right.asked.choices
    world.finish()
    assert times_dealt(world, 1) == 1


def test_a_board_at_a_machine_that_never_came_back_is_dealt_at_the_one_that_waits_once_a_person_has_emptied_it(
    world: QueueWorld,
) -> None:
    left, right = world.sides
    job = left_open_at(world, right)
    world.begin_program([left, right], [job])
    right.cut_cable(60.0)
    world.run_until_asked(left)
    world.stop_at(right)
    world.run_until_asked(right)
    assert world.given_up == [right]
    world.answer_about(right, emptied=True)
    world.run_until_asked(left)
    assert left.asked is not None
    assert left.asked.board == 1
    world.finish()
    assert times_dealt(world, 1) == 1


@pytest.mark.parametrize("emptied", [True, False])
def test_a_board_that_was_finished_at_a_lost_machine_is_taken_for_full_only_where_its_cards_stay_in(
    emptied: bool, world: QueueWorld
) -> None:
    left, right = world.sides
    job = add(world, 1, 2, 3)
    world.begin_program([left, right], [job])
    world.run_until_asked(right)
    begin_board(world, left, 50)
    left.cut_cable(60.0)
    left.endpoint.pass_time(5.0)
    world.stop_at(left)
    world.run_until_asked(left)
    assert left.core.control.state is State.DONE
    assert world.given_up == [left]
    world.answer_about(left, emptied=emptied)
    world.abandon()
    left.endpoint.pass_time(60.0)
    world.begin_program([left, right], [job])
    world.run_until_asked(left)
    assert times_dealt(world, 2) == (0 if emptied else 1)
    world.finish()
    assert [times_dealt(world, board) for board in (1, 2, 3)] == [1, 1, 1]


def test_the_list_names_at_least_twelve_situations() -> None:
    assert len(SITUATIONS) >= 12


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_named_situation_of_the_queue_is_reached_and_every_job_comes_to_its_end(name: str) -> None:
    assert times_reached(name, seeds=1) >= 1


def test_a_queue_holds_in_any_order_of_happenings() -> None:
    run_rules(examples=20, steps=15)
    assert set(REACHED) <= set(SITUATIONS)


@pytest.mark.campaign
def test_a_queue_holds_in_any_long_order_of_happenings(figures: Figures) -> None:
    REACHED.clear()
    run_rules(examples=EXAMPLES, steps=25, drawn_from=SEED)
    met = sum(REACHED[name] >= 3 for name in SITUATIONS)
    figures.list(
        "named situations of the queue, and how often each came about",
        [f"{REACHED[name]:6} {name}" for name in SITUATIONS],
    )
    figures.tell(
        f"named situations of the queue that came about three times or more in {EXAMPLES} random examples",
        f"{met} of {len(SITUATIONS)}",
        aim="all",
        met=met == len(SITUATIONS),
        seed=SEED,
    )
