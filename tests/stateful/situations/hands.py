"""The program is killed; cards, boards, cover and keys in a hurry.

May import: the other modules of this folder and of the one above, driver, firmware_sim, protocol.
Read next: `../test_both_ends.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from driver.findings import Choice
from driver.job_events import BoardStarted
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind
from protocol.codes import Obstacle, PauseReason, Place, RequestType
from tests.stateful.situations.base import deal, go_on, may_go_on, situation, some_card, verdict_of
from tests.stateful.world import World

# The program


def _kill(world: World) -> Callable[[bytes], bool]:
    def killed(_: bytes) -> bool:
        world.kill_program()
        return False

    return killed


@situation("program killed between the intent and ARM")
def _(world: World) -> bool:
    moved = world.watch.motions
    world.line.on_request(RequestType.ARM, _kill(world))
    world.start_board()
    world.run()
    if not world.is_over:
        return False
    world.begin_program()
    world.run()
    return world.watch.motions == moved and world.between_boards


@situation("program killed after GO had arrived")
def _(world: World) -> bool:
    moved = world.watch.motions
    world.line.on_answer(RequestType.GO, _kill(world))
    world.start_board()
    world.run()
    if not world.is_over or world.watch.motions != moved + 1:
        return False
    world.endpoint.pass_time(4.0)
    run = world.core.control.run
    assert run is not None
    assert run.reason is PauseReason.HOST_LOST
    assert run.doubt(world.core.control.senses.sensors()) == 0
    dealt = len(world.core.truth.drops(run.id))
    assert dealt == run.index
    world.begin_program()
    world.run()
    assert world.watch.motions == moved + 1
    return may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("program killed with a card in the path")
def _(world: World) -> bool:
    world.at_card(some_card(world), world.kill_program)
    world.start_board()
    world.run()
    if not world.is_over:
        return False
    world.begin_program()
    world.run()
    return may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("program killed between DONE and the verdict")
def _(world: World) -> bool:
    moved = world.watch.motions
    world.line.on_request(RequestType.READ_LEDGER, _kill(world))
    world.start_board()
    world.run()
    if not world.is_over:
        return False
    world.begin_program()
    world.run()
    return verdict_of(world) is Verdict.GOOD and world.watch.motions == moved + 1


@situation("program killed between the verdict and CLOSE")
def _(world: World) -> bool:
    world.line.on_request(RequestType.CLOSE, _kill(world))
    world.start_board()
    world.run()
    killed = world.is_over and verdict_of(world) is Verdict.GOOD
    if killed and world.left:
        world.begin_program()
        world.run()
        return world.between_boards and world.core.control.run is None
    return killed


# Cards, boards, cover


def _barred(world: World, obstacle: Obstacle) -> bool:
    """Whether the run can never go on for that reason, and nobody is offered that it does."""
    run = world.core.control.run
    barred = run is not None and run.barred is obstacle
    assert not (barred and may_go_on(world)), obstacle.name
    return barred


@situation("jam, the card put back and fed again")
def _(world: World) -> bool:
    world.mishap(FaultKind.JAM_PATH, some_card(world))
    fed = len(world.core.truth.refeeds)
    world.start_board()
    world.run()
    return may_go_on(world) and go_on(world) is Verdict.GOOD and len(world.core.truth.refeeds) == fed + 1


@situation("jam, the card forgotten on the table")
def _(world: World) -> bool:
    world.mishap(FaultKind.JAM_PATH, some_card(world))
    world.start_board()
    world.run()
    if not may_go_on(world):
        return False
    if not world.hands.clear_path():
        return False
    assert go_on(world) is not Verdict.GOOD, "a card lies on the table"
    return True


@situation("jam, the card put into a pocket by hand")
def _(world: World) -> bool:
    world.mishap(FaultKind.JAM_PATH, some_card(world))
    world.start_board()
    world.run()
    mechanism = world.core.mechanism
    if not may_go_on(world) or not mechanism.card_path.path:
        return False
    mechanism.put_card_in_pocket(mechanism.take_card(Place.PATH), mechanism.card_path.gate)
    assert go_on(world) is not Verdict.GOOD, "a card lies where a hand put it"
    return True


@situation("a card face up, put right")
def _(world: World) -> bool:
    world.mishap(FaultKind.FACE_UP, some_card(world))
    world.start_board()
    world.run()
    return may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("two cards fed as one")
def _(world: World) -> bool:
    world.mishap(FaultKind.DOUBLE_FEED, some_card(world))
    world.start_board()
    world.run()
    return _barred(world, Obstacle.DOUBLE_FEED)


@situation("board pulled while cards move, the same board put back")
def _(world: World) -> bool:
    slot = world.core.mechanism.slot

    def pull() -> None:
        slot.remove_board()
        slot.insert_board(same_as_before=True)

    world.at_card(some_card(world), pull)
    world.start_board()
    world.run()
    return _barred(world, Obstacle.BOARD)


@situation("cover opened while cards move, the card put back")
def _(world: World) -> bool:
    world.at_card(some_card(world), world.core.mechanism.open_cover)
    world.start_board()
    world.run()
    return may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("the dealt board still lies in the slot when START is pressed")
def _(world: World) -> bool:
    if len(world.left) < 2:
        return False
    if deal(world) is not Verdict.GOOD or not world.between_boards:
        return False
    moved, asked = world.watch.motions, world.asked
    world.hands.fresh_pack()
    world.press_start()
    world.run()
    return world.watch.motions == moved and world.asked is not None and world.asked != asked


@situation("START pressed at the machine starts the board")
def _(world: World) -> bool:
    assert world.asked is not None
    moved = world.watch.motions
    world.hands.put_board_in(world.asked.board)
    world.press_start()
    world.run()
    return world.watch.motions == moved + 1 and verdict_of(world) is Verdict.GOOD


@situation("a decision made twice moves cards once")
def _(world: World) -> bool:
    moved = world.watch.motions
    world.start_board()
    world.decide(Choice.GO)
    world.run()
    return world.watch.motions == moved + 1 and world.heard(BoardStarted) and verdict_of(world) is Verdict.GOOD
