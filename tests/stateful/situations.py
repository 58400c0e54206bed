"""The named situations: each brings a world between two boards into it, and tells whether it was reached.

May import: the other modules of this folder, driver, firmware_sim, protocol. Read next: `test_both_ends.py`.
A situation is reached when the traffic and the truth show it. Over a line without other faults each one must be; what
the rules demand after it is asserted here, and I1 to I4 are watched all the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from driver.findings import Choice
from driver.job_events import BoardJudged, BoardStarted, CardDealt, MachineBack, MachineLost
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind
from firmware_sim.line import Direction
from firmware_sim.memory import MemoryFate
from protocol.cards import PACK_SIZE
from protocol.codec import decode, encode
from protocol.constants import Kind, Obstacle, PauseReason, Place, RequestType, State
from protocol.framing import Frame, decode_run, encode_frame
from protocol.messages import Hello, Status, Stopped
from tests.stateful.trick_line import lost
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


# Requests and answers


def _lost_once(world: World, direction: Direction, type: RequestType) -> bool:
    sent, moved = world.line.requests(type), world.watch.motions
    if direction is TO_MACHINE:
        world.line.on_request(type, lost)
    else:
        world.line.on_answer(type, lost)
    verdict = deal(world)
    return world.line.requests(type) - sent >= 2 and world.watch.motions == moved + 1 and verdict is Verdict.GOOD


@situation("ARM lost and sent again")
def _(world: World) -> bool:
    return _lost_once(world, TO_MACHINE, RequestType.ARM)


@situation("answer to ARM lost, ARM sent again")
def _(world: World) -> bool:
    return _lost_once(world, TO_HOST, RequestType.ARM)


@situation("GO lost and sent again")
def _(world: World) -> bool:
    return _lost_once(world, TO_MACHINE, RequestType.GO)


@situation("answer to GO lost, GO sent again")
def _(world: World) -> bool:
    return _lost_once(world, TO_HOST, RequestType.GO)


@situation("no answer to GO for five seconds, the run is looked for on a new connection")
def _(world: World) -> bool:
    moved = world.watch.motions
    hold = world.line.on(TO_HOST, Kind.ANSWER, lost, times=1 << 30)
    hold.type = RequestType.GO
    world.start_board()
    world.run()
    world.line.tricks.clear()
    return world.heard(MachineLost) and world.heard(MachineBack) and world.watch.motions == moved + 1


@situation("ARM doubled while its token waits")
def _(world: World) -> bool:
    moved = world.watch.motions

    def again(_: bytes) -> bool:
        arm = world.line.frames(TO_MACHINE, Kind.REQUEST, RequestType.ARM)[-1]
        world.line.again(TO_MACHINE, arm, world.endpoint.now)
        return True

    world.line.on_answer(RequestType.ARM, again)
    verdict = deal(world)
    answers = world.line.frames(TO_HOST, Kind.ANSWER, RequestType.ARM)
    return answers[-1:] == answers[-2:-1] and world.watch.motions == moved + 1 and verdict is Verdict.GOOD


@situation("a cover opened and closed while the token waits")
def _(world: World) -> bool:
    moved = world.watch.motions

    def open_and_close(_: bytes) -> bool:
        world.core.mechanism.open_cover()
        world.core.mechanism.close_cover()
        return True

    world.line.on_request(RequestType.GO, open_and_close)
    world.start_board()
    world.run()
    return world.watch.motions == moved and world.between_boards


@situation("events lost and read again")
def _(world: World) -> bool:
    read = world.line.requests(RequestType.READ_EVENTS)
    plan = world.line.on

    world.at_card(some_card(world), lambda: plan(TO_HOST, Kind.EVENT, lost, times=3))
    verdict = deal(world)
    cards = sum(isinstance(event, CardDealt) for event in world.told)
    assert verdict is not Verdict.GOOD or cards == PACK_SIZE or world.heard(MachineLost)
    return world.line.requests(RequestType.READ_EVENTS) > read and verdict is Verdict.GOOD


@situation("old HELLOs arrive while cards move")
def _(world: World) -> bool:
    moved = world.watch.motions
    came: list[bytes] = []

    def again() -> None:
        for hello in dict.fromkeys(world.line.frames(TO_MACHINE, Kind.HELLO)):
            world.line.again(TO_MACHINE, hello, world.endpoint.now)
            came.append(hello)

    world.at_card(some_card(world), again)
    verdict = deal(world)
    return bool(came) and verdict is Verdict.GOOD and world.watch.motions == moved + 1


@situation("every old frame arrives again at a paused run")
def _(world: World) -> bool:
    world.at_card(early_card(world), lambda: world.line.freeze(world.endpoint.now, world.endpoint.now + 4))
    world.start_board()
    world.run()
    if not may_go_on(world):
        return False
    moved = world.watch.motions
    for unit in list(world.line.sent[TO_MACHINE]):
        world.line.again(TO_MACHINE, unit, world.endpoint.now)
    world.endpoint.pass_time(1.0)
    assert world.watch.motions == moved
    world.run()
    return True


@situation("another host takes over while cards move")
def _(world: World) -> bool:
    taken: list[int] = []

    def take_over() -> None:
        core = world.core
        world.line.again(TO_MACHINE, encode_frame(encode(Hello(0xABCDEF00 + world.watch.motions, 1, 1))), core.now)
        world.endpoint.rig.exchange()
        status = encode(Status(), connection=core.connection.pending, number=1)
        world.line.again(TO_MACHINE, encode_frame(status), core.now)
        world.endpoint.rig.exchange()
        taken.append(core.connection.current)

    world.at_card(some_card(world), take_over)
    world.start_board()
    world.run()
    return bool(taken) and world.heard(MachineBack) and may_go_on(world) and go_on(world) is Verdict.GOOD


# STOP


def _stop_at(world: World, index: int, after: float | None = None) -> None:
    """STOP in the middle of a board; with `after` it reaches the machine so long after that card began to move."""

    def hold(stop: bytes) -> bool:
        world.at_card(index, lambda: world.line.again(TO_MACHINE, stop, world.endpoint.now), after or 0.0, again=True)
        return False

    if after is not None:
        world.line.on(TO_MACHINE, Kind.STOP, hold)
    world.at_card(index - 2, lambda: world.job.stop_now())
    world.start_board()
    world.run()


def _stopped_frames(world: World) -> list[Frame]:
    return [frame_of(unit) for unit in world.line.frames(TO_HOST, Kind.STOPPED)]


@situation("STOP with a card in the path, put back by the next program")
def _(world: World) -> bool:
    _stop_at(world, some_card(world), 0.06)
    if not world.is_over or not world.core.mechanism.card_path.path:
        return False
    world.begin_program()
    world.run()
    return may_go_on(world) and go_on(world) is Verdict.GOOD


@situation("STOP with a card past the gate leaves it in doubt")
def _(world: World) -> bool:
    _stop_at(world, some_card(world), PAST_GATE)
    run = world.core.control.run
    if not world.is_over or run is None or run.under_way is not Place.UNKNOWN:
        return False
    world.begin_program()
    world.run()
    assert not may_go_on(world)
    return world.asked is not None and Choice.DEAL_AGAIN in world.asked.choices


@situation("STOPPED lost, the same STOP sent again")
def _(world: World) -> bool:
    sent = len(world.line.frames(TO_MACHINE, Kind.STOP))
    world.line.on(TO_HOST, Kind.STOPPED, lost)
    _stop_at(world, some_card(world))
    stops = world.line.frames(TO_MACHINE, Kind.STOP)[sent:]
    return len(stops) >= 2 and len(set(stops)) == 1 and world.is_over and world.error is None


@situation("STOPPED of an earlier STOP comes for a STOP that was lost")
def _(world: World) -> bool:
    if not world.line.frames(TO_HOST, Kind.STOPPED):
        world.controls.stop()
    old = world.line.frames(TO_HOST, Kind.STOPPED)[-1]
    sent = len(world.line.frames(TO_MACHINE, Kind.STOP))

    def answered_by_the_past(_: bytes) -> bool:
        world.line.again(TO_HOST, old, world.endpoint.now)
        return False

    world.line.on(TO_MACHINE, Kind.STOP, answered_by_the_past)
    _stop_at(world, some_card(world))
    assert world.error is not None or world.core.control.state is not State.MOVING
    return len(world.line.frames(TO_MACHINE, Kind.STOP)) - sent >= 2 and world.is_over and world.error is None


@situation("STOP crosses RUN(DONE)")
def _(world: World) -> bool:
    def held_until_done(stop: bytes) -> bool:
        world.after(0.1, lambda: world.line.again(TO_MACHINE, stop, world.endpoint.now))
        return False

    world.line.on(TO_MACHINE, Kind.STOP, held_until_done)
    _stop_at(world, PACK_SIZE)
    stopped = [decode(frame) for frame in _stopped_frames(world)]
    crossed = bool(stopped) and isinstance(stopped[-1], Stopped) and stopped[-1].state is State.DONE
    world.forget_plans()
    if not crossed or not world.is_over:
        return False
    assert isinstance(stopped[-1], Stopped)
    assert (stopped[-1].index, stopped[-1].doubt) == (PACK_SIZE, 0)
    if verdict_of(world) is Verdict.GOOD:
        return True
    world.begin_program()
    world.run()
    return verdict_of(world) is Verdict.GOOD


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
    slot = world.core.mechanism.slot

    def swap() -> None:
        if slot.board is not None:
            number = slot.board.number
            slot.remove_board()
            slot.insert_board(number)

    def pull_the_cable() -> None:
        world.cut_cable(6.0)
        world.after(4.0, swap)

    world.at_card(early_card(world), pull_the_cable)
    world.start_board()
    world.run()
    assert not may_go_on(world)
    return world.asked is not None and Choice.DEAL_AGAIN in world.asked.choices and world.heard(MachineBack)


# Power


def _power_cut(world: World, fate: MemoryFate, after: float) -> bool:
    world.at_card(some_card(world), lambda: world.cut_power(fate), after)
    world.start_board()
    world.run()
    return world.heard(MachineBack)


@situation("power cut between FEED and DROP, the card in the path")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.KEPT, 0.06)
    if not may_go_on(world):
        return False
    return go_on(world) is Verdict.GOOD and reached


@situation("power cut with a card past the gate")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.KEPT, PAST_GATE)
    assert not may_go_on(world)
    return reached


@situation("power cut with a card past the gate, the last mark lost")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.LAST_MARK_LOST, PAST_GATE)
    if not may_go_on(world):
        return False
    verdict = go_on(world)
    assert verdict is not Verdict.GOOD
    return reached


@situation("power cut, the memory torn")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.TORN, 0.06)
    assert not may_go_on(world)
    return reached and world.core.memory_lost


@situation("power cut, the memory blank")
def _(world: World) -> bool:
    reached = _power_cut(world, MemoryFate.BLANK, 0.06)
    assert not may_go_on(world)
    return reached and world.core.memory_lost


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
    taken = world.clear_path()
    verdict = go_on(world)
    assert verdict is not Verdict.GOOD
    return bool(taken)


@situation("jam, the card put into a pocket by hand")
def _(world: World) -> bool:
    world.mishap(FaultKind.JAM_PATH, some_card(world))
    world.start_board()
    world.run()
    mechanism = world.core.mechanism
    if not may_go_on(world) or not mechanism.card_path.path:
        return False
    mechanism.put_card_in_pocket(mechanism.take_card(Place.PATH), mechanism.card_path.gate)
    verdict = go_on(world)
    assert verdict is not Verdict.GOOD
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
    run = world.core.control.run
    assert not may_go_on(world)
    return run is not None and run.barred is Obstacle.DOUBLE_FEED


@situation("board pulled while cards move, the same board put back")
def _(world: World) -> bool:
    slot = world.core.mechanism.slot

    def pull() -> None:
        slot.remove_board()
        slot.insert_board(same_as_before=True)

    world.at_card(some_card(world), pull)
    world.start_board()
    world.run()
    run = world.core.control.run
    assert not may_go_on(world)
    return run is not None and run.barred is Obstacle.BOARD


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
    world.fresh_pack()
    world.press_start()
    world.run()
    return world.watch.motions == moved and world.asked is not None and world.asked != asked


@situation("START pressed at the machine starts the board")
def _(world: World) -> bool:
    assert world.asked is not None
    moved = world.watch.motions
    world.put_board_in(world.asked.board)
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
