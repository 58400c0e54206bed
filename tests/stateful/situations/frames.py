"""Requests, answers, events and STOPs that are lost, late or repeated.

May import: the other modules of this folder and of the one above, driver, firmware_sim, protocol.
Read next: `../test_both_ends.py`.
"""

from __future__ import annotations

from driver.findings import Choice
from driver.job_events import CardDealt, MachineBack, MachineLost
from driver.verdicts import Verdict
from firmware_sim.line import Direction
from protocol.cards import PACK_SIZE
from protocol.codec import decode, encode
from protocol.codes import Kind, Place, RequestType, State
from protocol.framing import Frame, encode_frame
from protocol.messages import Hello, Status, Stopped
from tests.stateful.situations.base import (
    PAST_GATE,
    TO_HOST,
    TO_MACHINE,
    deal,
    early_card,
    frame_of,
    go_on,
    may_go_on,
    situation,
    some_card,
    verdict_of,
)
from tests.stateful.trick_line import lost
from tests.stateful.world import World

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
    world.at_card(some_card(world), lambda: world.line.on(TO_HOST, Kind.EVENT, lost, times=3))
    verdict = deal(world)
    cards = sum(isinstance(event, CardDealt) for event in world.told)
    was_read = world.line.requests(RequestType.READ_EVENTS) > read
    return was_read and cards == PACK_SIZE and verdict is Verdict.GOOD


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
    assert not may_go_on(world), "a card is in doubt"
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
    assert world.error is not None or world.core.control.state is not State.MOVING, "a stop that never was is believed"
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
