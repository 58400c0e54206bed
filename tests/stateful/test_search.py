"""No frame, lost, late or repeated, moves a card that nobody decided to move: searched on the real code of both ends.

Read next: `search.py`. Each search prints its states and depth, and so does each failure.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import pytest

from tests.stateful import wrong_ends
from tests.stateful.search import Budget, Found, Search
from tests.stateful.searched_host import Move, SearchedHost
from tests.stateful.searched_machine import Act, SearchedMachine, Violation
from tests.support.figures import Figures

NO_ACTS: Final = {Act.JAM: 0, Act.HOST_LOST: 0, Act.COVER: 0, Act.TOKEN_EXPIRES: 0, Act.RESTART: 0}


def budget(moves: dict[Move, int], acts: dict[Act, int] | None = None) -> Budget:
    """These moves so often at most; of the acts those named so often, and cards move and are put back without limit."""
    return Budget(moves, NO_ACTS | (acts or {}))


ONE_CONNECTION: Final = budget({Move.DECIDE: 2, Move.PAUSE: 1})
"""Small enough to be searched to its end."""

BUDGETS: Final = {
    "jam": budget({Move.OPEN: 1, Move.DECIDE: 2, Move.PAUSE: 1}, {Act.JAM: 1}),
    "stop": budget({Move.OPEN: 1, Move.DECIDE: 2, Move.STOP: 2}),
    "crash": budget({Move.OPEN: 2, Move.DECIDE: 2, Move.CRASH: 1}, {Act.HOST_LOST: 1}),
    "restart": budget({Move.OPEN: 2, Move.DECIDE: 2}, {Act.RESTART: 1}),
    "everything": budget(
        {Move.OPEN: 2, Move.DECIDE: 3, Move.PAUSE: 1, Move.STOP: 1, Move.ASK: 1, Move.READ: 1, Move.CRASH: 1},
        {Act.JAM: 1, Act.HOST_LOST: 1, Act.COVER: 1, Act.TOKEN_EXPIRES: 1, Act.RESTART: 1},
    ),
}
"""What may happen, and how often, in each search; "everything" reaches less deep."""

SMALL: Final = {"jam": 5_000, "stop": 5_000, "crash": 5_000, "restart": 5_000, "everything": 3_000}
"""States of each search in `make test`."""
DEEP: Final = {"jam": 200_000, "stop": 200_000, "crash": 200_000, "restart": 200_000, "everything": 500_000}
"""States of each search in `make campaign`: enough for two motions."""
LEAST_DEPTH: Final = {"jam": 13, "stop": 11, "crash": 10, "restart": 10, "everything": 6}
"""What `make test` states: to this depth there is no violation."""


def search(
    within: Budget,
    *,
    machine: type[SearchedMachine] = SearchedMachine,
    host: type[SearchedHost] = SearchedHost,
    states: int,
    overlooked: Collection[Violation] = (),
    until: Violation | None = None,
) -> Found:
    """One search, printed for a failure."""
    found = Search(within, machine, host, overlooked).run(1_000, states, until=until)
    print(found)
    return found


def tell(name: str, found: Found, figures: Figures, *, depth: int = 0) -> None:
    """Prints states and depth of the search of that name; fails when it found something or is not so deep."""
    figures.tell(
        f"search {name!r}",
        found,
        aim=f"no violation to a depth of {max(depth, 1)} or more",
        met=not found.violations and found.depth >= depth,
    )


def test_within_one_connection_no_order_of_frames_moves_a_card_undecided(figures: Figures) -> None:
    found = search(ONE_CONNECTION, states=10_000)
    tell("one connection", found, figures)
    assert found.exhausted, found
    assert found.motions == 2, found


@pytest.mark.parametrize("name", BUDGETS)
def test_no_order_of_frames_moves_a_card_undecided(name: str, figures: Figures) -> None:
    found = search(BUDGETS[name], states=SMALL[name])
    tell(name, found, figures, depth=LEAST_DEPTH[name])
    assert found.motions, found


@pytest.mark.campaign
@pytest.mark.parametrize("name", BUDGETS)
def test_no_order_of_frames_moves_a_card_undecided_however_deep(name: str, figures: Figures) -> None:
    found = search(BUDGETS[name], states=DEEP[name])
    tell(name, found, figures, depth=LEAST_DEPTH[name])
    assert found.exhausted or found.states >= DEEP[name], found
    assert found.motions >= 2, found


# The search bites: with one rule switched off it finds what that rule forbids.

WRONG_MACHINES: Final[list[tuple[type[SearchedMachine], Budget, Violation, int]]] = [
    (wrong_ends.ExecutesDuplicates, budget({}), Violation.EXECUTED_TWICE, 1),
    (wrong_ends.AcceptsOldNumbers, budget({}), Violation.EXECUTED_TWICE, 1),
    (
        wrong_ends.TokenSurvivesCover,
        budget({Move.DECIDE: 1}, {Act.COVER: 1}),
        Violation.UNSEEN,
        5,
    ),
    (wrong_ends.ArmsOverNews, budget({Move.DECIDE: 1}, {Act.COVER: 1}), Violation.UNSEEN, 5),
    (wrong_ends.MovesWithoutArm, budget({Move.DECIDE: 2}, {Act.JAM: 1}), Violation.TOKEN_TWICE, 12),
    (wrong_ends.IgnoresStopWhenBusy, budget({Move.DECIDE: 1, Move.STOP: 1}), Violation.FALSE_STOP, 7),
    (wrong_ends.TokenSurvivesStop, budget({Move.DECIDE: 1, Move.STOP: 1}), Violation.MOTION_AFTER_STOP, 7),
    (wrong_ends.GoesOnInDoubt, budget({Move.DECIDE: 2, Move.STOP: 1}), Violation.TWICE_DROPPED, 18),
    (wrong_ends.ConstantBootId, budget({}, {Act.RESTART: 1}), Violation.EXECUTED_TWICE, 3),
    (wrong_ends.HelloTakesEffectAtOnce, budget({Move.OPEN: 1}), Violation.HELLO_DISTURBED, 2),
    (wrong_ends.ResumesByItself, budget({Move.DECIDE: 1, Move.PAUSE: 1}, {Act.HOST_LOST: 1}), Violation.TOKEN_TWICE, 8),
]
"""Each wrong machine, what may happen, what the search finds, and at which depth."""


@pytest.mark.parametrize(
    ("machine", "within", "violation", "depth"),
    WRONG_MACHINES,
    ids=[machine.__name__ for machine, *_ in WRONG_MACHINES],
)
def test_the_search_finds_what_a_wrong_machine_does(
    machine: type[SearchedMachine], within: Budget, violation: Violation, depth: int
) -> None:
    found = search(within, machine=machine, states=10_000, until=violation)
    assert violation in found.violations, found
    assert found.violations[violation][0] == depth, found


WRONG_HOSTS: Final[list[tuple[type[SearchedHost], Budget, Violation, int]]] = [
    (wrong_ends.HostBelievesAnyStopped, budget({Move.STOP: 2}), Violation.FALSE_STOP, 4),
    (wrong_ends.HostRetriesByItself, budget({Move.OPEN: 1, Move.DECIDE: 1}), Violation.UNDECIDED, 14),
]


@pytest.mark.parametrize(
    ("host", "within", "violation", "depth"), WRONG_HOSTS, ids=[host.__name__ for host, *_ in WRONG_HOSTS]
)
def test_the_search_finds_what_a_wrong_host_does(
    host: type[SearchedHost], within: Budget, violation: Violation, depth: int
) -> None:
    found = search(within, host=host, states=10_000, until=violation)
    assert violation in found.violations, found
    assert found.violations[violation][0] == depth, found


def test_cards_move_twice_for_one_go_only_when_numbers_and_tokens_are_both_wrong() -> None:
    within, overlooked = ONE_CONNECTION, (Violation.EXECUTED_TWICE,)
    for machine in (wrong_ends.TokenLasts, wrong_ends.DuplicatesOneShot):
        found = search(within, machine=machine, states=2_000, overlooked=overlooked)
        assert not found.violations, found
    both = wrong_ends.ExecutesDuplicates
    found = search(within, machine=both, states=2_000, overlooked=overlooked, until=Violation.TOKEN_TWICE)
    assert found.violations[Violation.TOKEN_TWICE][0] == 5, found


def test_a_boot_id_that_never_changes_lets_an_old_decision_move_cards_after_a_restart() -> None:
    within = budget({Move.DECIDE: 2}, {Act.RESTART: 1})
    found = search(
        within,
        machine=wrong_ends.ConstantBootId,
        states=3_000,
        overlooked=(Violation.EXECUTED_TWICE,),
        until=Violation.UNSEEN,
    )
    assert found.violations[Violation.UNSEEN][0] == 10, found
