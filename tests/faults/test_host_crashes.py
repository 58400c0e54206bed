"""The program dies at any write of its journal, any send, any receive of three boards: three right boards come of it.

Just before the step and just after it; the next program begins at once, or when the machine stands still. In one thread
and on one clock, so the same step comes again in every run. `watch.py` holds I1 to I4 against the truth all the time.
Read next: `tests/support/border.py`, `test_killed_at_any_point.py` (real processes), `test_journal_crashes.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Final

import pytest

from driver.verdicts import Verdict
from tests.faults.grief import UNTIL_PAUSED, finish
from tests.stateful.world import ProgramEnds, World
from tests.support.border import Passing, Step, observed
from tests.support.figures import Figures
from tests.support.memory import MemoryTransport
from tests.support.peers import hands_of
from tests.support.store import journal_in

pytestmark = pytest.mark.usefixtures("quick_disk")

SEED: Final = 31
BOARDS: Final = 3
SMALL: Final = 6
"""So many steps of each kind, before and after it, are those at which the program dies in `make test`."""


class Killer:
    """Counts the steps of a world's programs, and ends the program at step number `at`, once."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.steps: list[Step] = []
        self.came = False

    def __call__(self, step: Step) -> None:
        if self.came:
            return
        self.steps.append(step)
        if len(self.steps) - 1 == self.at:
            self.came = True
            raise ProgramEnds


@contextmanager
def world_with(killer: Killer) -> Iterator[World]:
    """Three boards to deal, with the killer at the border."""
    with observed(MemoryTransport, killer):
        world = World(SEED, boards=BOARDS)
        try:
            yield world
        finally:
            world.close()


def all_steps() -> list[tuple[int, Step]]:
    """Number and kind of each step of three boards without an accident, but for waits in which nothing came."""
    killer = Killer(None)
    with world_with(killer) as world:
        world.run()
        finish(world)
    steps = killer.steps
    found = []
    for number, step in enumerate(steps):
        waits = step.passing is Passing.RECEIVE and step.moment == "before"
        names = steps[number + 1].names if waits and number + 1 < len(steps) else step.names
        if names:
            found.append((number, Step(step.passing, step.moment, names)))
    return found


def dies_at(number: int, step: Step, *, at_rest: bool) -> None:
    """The program dies at that step; another one, at once or when the cards lie still, brings all boards to an end."""
    print(f"The program dies at step {number}, {step}; {at_rest=}")  # what pytest shows of a failure
    killer = Killer(number)
    with world_with(killer) as world:
        world.run()
        while not killer.came:
            assert world.to_next_board(), f"never came to {step}"
            world.start_board()
            world.run()
        assert world.is_over
        if at_rest:
            world.endpoint.pass_time(UNTIL_PAUSED)
            run = world.core.control.run
            assert run is None or not run.doubt(world.core.control.senses.sensors()), (
                "I3: a host's crash leaves no doubt"
            )
        finish(world)
        check_three_right_boards(world)


def check_three_right_boards(world: World) -> None:
    """Three boards, each GOOD in the journal, whose pockets truly hold three different deals, each its own."""
    world.end_program()
    truth = world.core.truth
    assert truth.violations() == []
    held = []
    with journal_in(world.folder) as journal:
        for board in range(1, BOARDS + 1):
            record = journal.last_of_board(board)
            assert record is not None
            assert record.verdict == Verdict.GOOD.name
            (lies_in,) = {id(drop.board): drop.board for drop in truth.drops(record.run)}.values()
            assert lies_in is not None
            assert lies_in.number == board
            held.append(tuple(frozenset(hand) for hand in truth.pockets_of(lies_in)))
        for motion in truth.motions:
            begun = journal.record(motion.run)
            assert begun is not None, "a card moved, and nobody had written down that it would"
            assert begun.go_sent
    assert len(set(held)) == BOARDS
    assert held == [hands_of(item.deal) for item in world.set_out]


def test_a_program_that_dies_at_some_steps_of_three_boards_leaves_three_right_boards(figures: Figures) -> None:
    steps = all_steps()
    chosen = []
    for passing, moment in product(Passing, ("before", "after")):
        alike = [one for one in steps if (one[1].passing, one[1].moment) == (passing, moment)]
        chosen += alike[:: max(1, len(alike) // SMALL)]
    for turn, (number, step) in enumerate(chosen):
        dies_at(number, step, at_rest=bool(turn % 2))
    tell(steps, chosen, figures, aim=SMALL)


@pytest.mark.campaign
@pytest.mark.parametrize("at_rest", [False, True], ids=["begun anew at once", "begun anew when the cards lie still"])
def test_a_program_that_dies_at_every_step_of_three_boards_leaves_three_right_boards(
    at_rest: bool, figures: Figures
) -> None:
    steps = all_steps()
    for number, step in steps:
        dies_at(number, step, at_rest=at_rest)
    tell(steps, steps, figures, aim=None)


def tell(
    steps: Sequence[tuple[int, Step]], died_at: Sequence[tuple[int, Step]], figures: Figures, aim: int | None
) -> None:
    """The figures: at how many steps of each kind it died. All of them are the aim when it is None."""
    died = Counter((step.passing, step.moment) for _, step in died_at)
    for passing in Passing:
        before, after = died[passing, "before"], died[passing, "after"]
        there = sum(step.passing is passing for _, step in steps)
        figures.tell(
            f"host crashes at a {passing.value}, each with three right boards after it",
            f"{before} before and {after} after it, of {there}",
            aim="all" if aim is None else f"{aim} each",
            met=before + after == there if aim is None else min(before, after) >= aim,
            seed=SEED,
        )
