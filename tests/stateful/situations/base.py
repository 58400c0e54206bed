"""The list of named situations, and what they have in common.

May import: the modules of the folder above, driver, protocol. Read next: `frames.py`, `outages.py`, `hands.py`.
A situation brings a world between two boards into it, and tells whether it was reached: the traffic and the truth show
it. Over a line without other faults each one must be. What the rules demand after it is asserted; I1 to I4 are watched
all the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from driver.findings import Choice
from driver.job_events import BoardJudged
from driver.verdicts import Verdict
from firmware_sim.line import Direction
from protocol.cards import PACK_SIZE
from protocol.framing import Frame, decode_run
from tests.stateful.world import World

Situation = Callable[[World], bool]
SITUATIONS: Final[dict[str, Situation]] = {}
"""Every situation by its name."""
PAST_GATE: Final = 0.095
"""Seconds after a card began to move at which no sensor sees it."""
TO_MACHINE, TO_HOST = Direction.TO_MACHINE, Direction.TO_HOST


def situation(name: str) -> Callable[[Situation], Situation]:
    """Gives a situation its name."""

    def named(function: Situation) -> Situation:
        SITUATIONS[name] = function
        return function

    return named


def some_card(world: World) -> int:
    """The index of a card in the middle of the board."""
    return world.random.randrange(3, PACK_SIZE - 4)


def early_card(world: World) -> int:
    """The index of a card so early that three seconds end before the board does."""
    return world.random.randrange(2, 16)


def frame_of(unit: bytes) -> Frame:
    """The frame in a unit of the line."""
    return decode_run(unit.strip(b"\0"))


def verdict_of(world: World) -> Verdict | None:
    """The verdict that the program told last."""
    return next((event.judgement.verdict for event in reversed(world.told) if isinstance(event, BoardJudged)), None)


def may_go_on(world: World) -> bool:
    """Whether the person is offered to go on."""
    return world.asked is not None and Choice.GO_ON in world.asked.choices


def go_on(world: World) -> Verdict | None:
    """Goes on with the hands' work done, until the board's end or the next question; the verdict."""
    world.obey(Choice.GO_ON)
    world.run()
    return verdict_of(world)


def deal(world: World) -> Verdict | None:
    """Starts the next board and lets it run; the verdict, if it came to one."""
    world.start_board()
    world.run()
    return verdict_of(world)
