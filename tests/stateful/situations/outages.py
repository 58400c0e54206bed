"""The cable comes out, the line freezes, the power goes: while cards move, and at awkward moments of the program.

May import: the other modules of this folder and of the one above, driver, firmware_sim, protocol.
Read next: `../test_both_ends.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from driver.findings import Choice
from driver.job_events import MachineBack
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind
from firmware_sim.memory import MemoryFate
from protocol.codes import PauseReason, Place, RequestType, State
from tests.stateful.situations.base import PAST_GATE, deal, early_card, go_on, may_go_on, situation, some_card
from tests.stateful.world import World

# The cable


@situation("cable out while cards move, back after the machine has paused")
def _(world: World) -> bool:
    world.at_card(early_card(world), lambda: world.cut_cable(5.0))
    world.start_board()
    world.run()
    run = world.core.control.run
    lost_host = run is not None and run.reason is PauseReason.HOST_LOST
    return lost_host and may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("cable out and back at once while cards move")
def _(world: World) -> bool:
    world.at_card(some_card(world), lambda: world.cut_cable(0.2))
    world.start_board()
    world.run()
    run = world.core.control.run
    changed = run is not None and run.reason is PauseReason.HOST_CHANGED
    return changed and may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("a frozen line while cards move, and everything arrives late")
def _(world: World) -> bool:
    world.at_card(early_card(world), lambda: world.line.freeze(world.endpoint.now, world.endpoint.now + 4))
    world.start_board()
    world.run()
    return may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("connection again while a token waits")
def _(world: World) -> bool:
    moved = world.watch.motions

    def cut(_: bytes) -> bool:
        world.cut_cable(1.0)
        return False

    world.line.on_request(RequestType.GO, cut)
    world.start_board()
    world.run()
    assert world.watch.motions == moved
    return world.heard(MachineBack) and world.between_boards


@situation("board swapped while the cable is out")
def _(world: World) -> bool:
    slot, control = world.core.mechanism.slot, world.core.control
    swapped: list[State] = []

    def swap() -> None:
        swapped.append(control.state)
        slot.insert_board(slot.remove_board().number)

    def pull_the_cable() -> None:
        world.cut_cable(6.0)
        world.after(4.0, swap)

    world.at_card(early_card(world), pull_the_cable)
    world.start_board()
    world.run()
    if swapped != [State.PAUSED]:
        return False
    assert not may_go_on(world), "the board is another one"
    return world.asked is not None and Choice.DEAL_AGAIN in world.asked.choices and world.heard(MachineBack)


# Power


def _power_cut(world: World, fate: MemoryFate, after: float, place: Place) -> bool:
    """A power cut in the middle of a board; whether it came while a card was there and the program knows."""
    cut: list[Place | None] = []

    def pull() -> None:
        run = world.core.control.run
        cut.append(run.under_way if run is not None else None)
        world.cut_power(fate)

    world.at_card(some_card(world), pull, after)
    world.start_board()
    world.run()
    return cut == [place] and world.heard(MachineBack)


@situation("power cut between FEED and DROP, the card in the path")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.KEPT, 0.06, Place.PATH)
    return reached and may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("power cut with a card past the gate")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.KEPT, PAST_GATE, Place.UNKNOWN)
    assert not (reached and may_go_on(world)), "a card is in doubt"
    return reached


@situation("power cut with a card past the gate, the last mark lost")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.LAST_MARK_LOST, PAST_GATE, Place.UNKNOWN)
    if not reached or not may_go_on(world):
        return False
    assert go_on(world) is not Verdict.GOOD, "a card more than the machine knows lies in a pocket"
    return True


@situation("power cut, the memory torn")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.TORN, 0.06, Place.PATH) and world.core.memory_lost
    assert not (reached and may_go_on(world)), "the machine knows of no run"
    return reached


@situation("power cut, the memory blank")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.BLANK, 0.06, Place.PATH) and world.core.memory_lost
    assert not (reached and may_go_on(world)), "the machine knows of no run"
    return reached


@situation("power cut between DONE and the reading of the ledger")
def _(world: World) -> bool:
    def cut(_: bytes) -> bool:
        world.cut_power()
        return False

    world.line.on_request(RequestType.READ_LEDGER, cut)
    return deal(world) is Verdict.GOOD and world.heard(MachineBack)


@situation("power cut between ARM and GO")
def _(world: World) -> bool:
    moved = world.watch.motions

    def cut(_: bytes) -> bool:
        world.cut_power()
        return False

    world.line.on_request(RequestType.GO, cut)
    world.start_board()
    world.run()
    assert world.watch.motions == moved
    return world.heard(MachineBack)


# Awkward moments of the program: each ends with the board dealt, or with a question


def _cut_at_request(world: World, type: RequestType, *, passes: bool = False) -> Callable[[], bool]:
    """The cable comes out when that request is sent, before or after the machine got it; tells whether it did."""
    cut: list[float] = []

    def pull(request: bytes) -> bool:
        cut.append(world.endpoint.now)
        if passes:
            world.core.receive(request)
        world.cut_cable(1.0)
        return False

    world.line.on_request(type, pull)
    return lambda: bool(cut) and world.heard(MachineBack)


@situation("cable out at the last question before ARM")
def _(world: World) -> bool:
    moved = world.watch.motions
    was_cut = _cut_at_request(world, RequestType.STATUS)
    world.start_board()
    world.run()
    # Where the facts are known from the board before, the first question comes when the cards have moved.
    return was_cut() and world.watch.motions == moved and world.between_boards


@situation("cable out while the ledger is read")
def _(world: World) -> bool:
    was_cut = _cut_at_request(world, RequestType.READ_LEDGER)
    return deal(world) is Verdict.GOOD and was_cut()


@situation("cable out at CLOSE, before the machine got it")
def _(world: World) -> bool:
    was_cut = _cut_at_request(world, RequestType.CLOSE)
    return deal(world) is Verdict.GOOD and was_cut() and (world.between_boards or world.is_over)


@situation("cable out at CLOSE, after the machine got it")
def _(world: World) -> bool:
    was_cut = _cut_at_request(world, RequestType.CLOSE, passes=True)
    return deal(world) is Verdict.GOOD and was_cut() and (world.between_boards or world.is_over)


@situation("cable out at CLEAR")
def _(world: World) -> bool:
    world.mishap(FaultKind.JAM_PATH, some_card(world))
    world.start_board()
    world.run()
    if not may_go_on(world):
        return False
    moved = world.watch.motions
    was_cut = _cut_at_request(world, RequestType.CLEAR, passes=True)
    go_on(world)
    assert world.watch.motions == moved
    return was_cut() and may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("power cut between the verdict and CLOSE")
def _(world: World) -> bool:
    def cut(_: bytes) -> bool:
        world.cut_power()
        return False

    world.line.on_request(RequestType.CLOSE, cut)
    return deal(world) is Verdict.GOOD and world.heard(MachineBack)


@situation("the program is stopped between two boards while the cable is out")
def _(world: World) -> bool:
    moved = world.watch.motions
    world.cut_cable(2.0)
    world.job.stop_now()
    world.run()
    assert world.watch.motions == moved
    return world.is_over
