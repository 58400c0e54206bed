"""How a program comes to grief in the middle of a job, and how another one begins over the same journal.

May import: driver, firmware_sim, tests.stateful. Read next: `test_found_afterwards.py`, `test_found_and_not_asked.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from driver.findings import Choice
from driver.job_events import BoardJudged
from driver.verdicts import Verdict
from firmware_sim.packs import shuffled_pack
from protocol.codes import RequestType
from tests.stateful.world import World

CARD: Final = 20
"""Index of the card in the middle of which things happen."""
UNTIL_PAUSED: Final = 4.0
"""Seconds after which a machine that lost its host stands still."""
GO_ON: Final = (Choice.DEAL_AGAIN, Choice.GO_ON, Choice.STOP)


def kill_at(world: World, request: RequestType, *, answer: bool = False) -> None:
    """Board 1 is started, and the program killed when it sends that request, or when that answer is sent."""

    def killed(_: bytes) -> bool:
        world.kill_program()
        return False

    (world.line.on_answer if answer else world.line.on_request)(request, killed)
    world.start_board()
    world.run()
    assert world.is_over


def kill_in_mid_board(world: World) -> None:
    """The program is killed in the middle of board 1, and the machine stands still."""
    world.at_card(CARD, world.kill_program)
    world.start_board()
    world.run()
    world.endpoint.pass_time(UNTIL_PAUSED)
    assert world.is_over


def begin(world: World) -> tuple[Choice, ...]:
    """Another program begins; nothing moves by that. What it asks first."""
    motions = world.watch.motions
    world.begin_program()
    world.run()
    assert world.watch.motions == motions
    return () if world.asked is None else world.asked.choices


def come_to_be_asked_about_the_verdict(world: World) -> tuple[Choice, ...]:
    """Board 1 is dealt, and more cards of its back lie below, so that it is not proven. What is asked about it."""
    world.at_card(CARD, lambda: world.core.mechanism.load_pack(shuffled_pack(9, pack=1), below=True))
    world.start_board()
    world.run()
    assert verdicts(world) == [(1, Verdict.NOT_PROVEN)]
    assert world.asked is not None
    return world.asked.choices


def elsewhere(world: World, act: Callable[[], None]) -> None:
    """Another computer's program uses the machine, with a journal of its own."""
    folder, left = world.folder, world.left
    world.folder, world.left = folder / "elsewhere", left[1:]
    world.begin_program()
    world.run()
    act()
    world.end_program()
    world.folder, world.left = folder, left


def finish(world: World) -> None:
    """A careful person brings every board to its verdict; I1 to I4 and the truth are watched all the time."""
    while world.to_next_board():
        world.start_board()
        world.run()
    assert world.left == []


def verdicts(world: World) -> list[tuple[int, Verdict]]:
    """What was judged since the program was let run."""
    return [(event.board, event.judgement.verdict) for event in world.told if isinstance(event, BoardJudged)]
