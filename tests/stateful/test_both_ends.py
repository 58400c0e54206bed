"""Both ends of a job under whatever line, cable, power, cards, program and person do: I1 to I4 hold, and it can go on.

Read next: `both_ends.py` (the rules), `watch.py` (the invariants), `situations/` (the named list). `make campaign`
prints how often each situation was reached.
"""

from __future__ import annotations

from typing import Final

import pytest

from driver.errors import StopNotConfirmed
from firmware_sim.faults import FaultKind
from firmware_sim.line import Shares
from protocol.codes import RequestType
from tests.stateful.both_ends import LOSSY, VERY_LOSSY, reach_directly, run_rules, times_reached
from tests.stateful.situations import SITUATIONS, go_on, may_go_on
from tests.stateful.trick_line import NO_FAULTS
from tests.stateful.watch import WatchedMachine
from tests.stateful.world import World
from tests.support import wrong_machines
from tests.support.figures import Figures

LONG_EXAMPLES: Final = 1_000
SEED: Final = 1
"""What the long searches draw from."""


def test_the_list_names_at_least_twenty_four_situations() -> None:
    assert len(SITUATIONS) >= 24


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_named_situation_is_reached_and_both_ends_hold_whatever_follows(name: str) -> None:
    assert times_reached(name, examples=3, steps=8) >= 1


@pytest.mark.campaign
@pytest.mark.parametrize("name", SITUATIONS)
def test_a_named_situation_is_reached_twenty_times_and_both_ends_hold_whatever_follows(
    name: str, figures: Figures
) -> None:
    reached = times_reached(name, examples=60, steps=10, drawn_from=SEED)
    figures.tell(
        f"times reached in 60 random examples: {name}", reached, aim="20 or more", met=reached >= 20, seed=SEED
    )


def test_cards_do_not_move_over_a_cover_event_between_clear_and_arm() -> None:
    world = World(seed=1)
    try:
        assert world.to_next_board()
        world.mishap(FaultKind.JAM_PATH, 20)
        world.start_board()
        world.run()
        assert may_go_on(world)
        moved = world.watch.motions

        def open_and_close(_: bytes) -> bool:
            world.core.mechanism.open_cover()
            world.core.mechanism.close_cover()
            return True

        world.line.on_request(RequestType.CLEAR, open_and_close)
        go_on(world)
        assert world.watch.motions == moved, "ARM named a COVER event that came after the decision"
        assert may_go_on(world)
    finally:
        world.close()


class ExecutesDuplicates(wrong_machines.ExecutesDuplicates, WatchedMachine):
    """Wrong in its request numbers."""


class AcceptsOldNumbers(wrong_machines.AcceptsOldNumbers, WatchedMachine):
    """Wrong in its request numbers."""


class TokenSurvivesCover(wrong_machines.TokenSurvivesCover, WatchedMachine):
    """Wrong in its tokens."""


class MovesWithoutArm(wrong_machines.MovesWithoutArm, WatchedMachine):
    """Wrong after CLEAR."""


class LedgerBeforeCard(wrong_machines.LedgerBeforeCard, WatchedMachine):
    """Wrong in its ledger."""


class IgnoresStopWhenBusy(wrong_machines.IgnoresStopWhenBusy, WatchedMachine):
    """Wrong at STOP."""


class StoppedWithoutNumber(wrong_machines.StoppedWithoutNumber, WatchedMachine):
    """Wrong in STOPPED."""


class ConstantBootId(wrong_machines.ConstantBootId, WatchedMachine):
    """Wrong after a restart."""


class NoRunAfterLostMemory(wrong_machines.NoRunAfterLostMemory, WatchedMachine):
    """Wrong after a restart without its memory."""


SHOWN_BY: Final[dict[type[WatchedMachine], str]] = {
    ExecutesDuplicates: "answer to GO lost, GO sent again",
    AcceptsOldNumbers: "every old frame arrives again at a paused run",
    TokenSurvivesCover: "a cover opened and closed while the token waits",
    MovesWithoutArm: "jam, the card put back and fed again",
    LedgerBeforeCard: "GO lost and sent again",
    IgnoresStopWhenBusy: "STOP with a card past the gate leaves it in doubt",
    StoppedWithoutNumber: "STOPPED lost, the same STOP sent again",
    ConstantBootId: "power cut between FEED and DROP, the card in the path",
    NoRunAfterLostMemory: "power cut, the memory blank",
}
"""A situation in which each wrong machine shows itself."""


@pytest.mark.parametrize("machine", SHOWN_BY, ids=[machine.__name__ for machine in SHOWN_BY])
def test_a_wrong_machine_shows_itself_in_a_named_situation(machine: type[WatchedMachine]) -> None:
    try:
        came_through = reach_directly(SHOWN_BY[machine], seed=1, machine=machine)
    except (AssertionError, StopNotConfirmed):
        came_through = False
    assert not came_through


def test_both_ends_hold_in_any_order_of_happenings() -> None:
    run_rules(examples=80, steps=12)


@pytest.mark.campaign
def test_both_ends_hold_in_any_long_order_of_happenings(figures: Figures) -> None:
    run_rules(examples=LONG_EXAMPLES, steps=25, drawn_from=SEED)
    figures.tell(
        "random orders of up to 25 happenings in which both ends hold", LONG_EXAMPLES, aim="all", met=True, seed=SEED
    )


@pytest.mark.campaign
@pytest.mark.parametrize("shares", [NO_FAULTS, LOSSY, VERY_LOSSY], ids=["quiet", "lossy", "very-lossy"])
@pytest.mark.parametrize("name", SITUATIONS)
def test_a_named_situation_ends_well_over_every_line(name: str, shares: Shares) -> None:
    reached = sum(reach_directly(name, seed, shares) for seed in range(20))
    assert reached == 20 or shares is not NO_FAULTS
