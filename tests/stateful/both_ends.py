"""The rules: what line, cable, power, cards, program and person may do to a world, in any order.

May import: the other modules of this folder, driver, firmware_sim, protocol, hypothesis. Read next:
`test_both_ends.py`. What a rule may do depends on what the program has told the person. At the end a careful person
brings every board to its verdict, whatever happened before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from driver.findings import Choice
from firmware_sim.faults import FaultKind
from firmware_sim.line import Direction, Shares
from firmware_sim.memory import MemoryFate
from firmware_sim.slot import SimBoard
from protocol.cards import PACK_SIZE
from protocol.codes import Key, Kind
from tests.stateful.searches import run_machine
from tests.stateful.situations import SITUATIONS
from tests.stateful.trick_line import NO_FAULTS, lost
from tests.stateful.watch import WatchedMachine
from tests.stateful.world import World

LOSSY: Final = Shares(drop=0.05, flip=0.03, delay=0.05, split=0.05, duplicate=0.05, replay=0.05)
VERY_LOSSY: Final = Shares(drop=0.15, flip=0.15, delay=0.1, duplicate=0.1, replay=0.1)
NAMES: Final = tuple(SITUATIONS)
REACHED: Counter[str] = Counter()
"""How often each named situation was reached."""

indexes: Final = st.integers(0, PACK_SIZE - 1)
moments: Final = st.sampled_from([0.0, 0.03, 0.06, 0.08, 0.095])
"""Seconds after a card began to move: hopper, reader, path, gate, past the gate."""
MISHAPS: Final = (
    FaultKind.JAM_PATH,
    FaultKind.JAM_READER,
    FaultKind.NO_FEED,
    FaultKind.DOUBLE_FEED,
    FaultKind.FACE_UP,
    FaultKind.FOREIGN,
    FaultKind.UNREADABLE,
    FaultKind.WRONG_POCKET,
    FaultKind.COVER,
)


class BothEnds(RuleBasedStateMachine):
    """A world, driven by rules. What a rule may do depends on what the program told the person, and on nothing else."""

    world: World
    first: str | None = None
    """The named situation in which each example begins; None = between two boards."""

    @initialize(
        seed=st.integers(0, 2**16),
        shares=st.sampled_from([NO_FAULTS, LOSSY, VERY_LOSSY]),
        auto=st.sampled_from([False, False, True]),
    )
    def begin(self, seed: int, shares: Shares, auto: bool) -> None:
        self.world = World(seed, shares, auto=auto and self.first is None)
        self.world.run()
        if self.first is not None and self.world.to_next_board():
            reach(self.world, self.first)

    def is_asked(self) -> bool:
        return self.world.asked is not None

    def is_between_boards(self) -> bool:
        return self.world.between_boards

    def may_begin_a_program(self) -> bool:
        return self.world.is_over and bool(self.world.left)

    def may_come_into_a_situation(self) -> bool:
        return self.world.between_boards and not self.world.auto

    # The named situations; with the automatic setting nobody is asked in them

    @precondition(may_come_into_a_situation)
    @rule(name=st.sampled_from(NAMES[0::3]))
    def come_into_one(self, name: str) -> None:
        reach(self.world, name)

    @precondition(may_come_into_a_situation)
    @rule(name=st.sampled_from(NAMES[1::3]))
    def come_into_another(self, name: str) -> None:
        reach(self.world, name)

    @precondition(may_come_into_a_situation)
    @rule(name=st.sampled_from(NAMES[2::3]))
    def come_into_a_third(self, name: str) -> None:
        reach(self.world, name)

    # The person

    @precondition(is_asked)
    @rule(pick=st.integers(0, 3), careful=st.booleans())
    def answer(self, pick: int, careful: bool) -> None:
        """Chooses one of the choices, with what is asked of the hands done or not."""
        world = self.world
        assert world.asked is not None
        choices = world.asked.choices
        if careful or not choices:
            world.obey(choices[pick % len(choices)] if choices else None)
        else:
            world.decide(choices[pick % len(choices)])
        world.run()

    @precondition(is_between_boards)
    @rule()
    def deal(self) -> None:
        self.world.start_board()
        self.world.run()

    @precondition(is_between_boards)
    @rule(slip=st.sampled_from(["wrong", "full", "turned", "same"]))
    def put_in_another_board(self, slip: str) -> None:
        """The board is not the one that was asked for; the right one comes later."""
        world, slot = self.world, self.world.core.mechanism.slot
        assert world.asked is not None
        world.hands.put_board_in(world.asked.board)
        board = slot.remove_board()
        world.watch.board_put_in()
        match slip:
            case "wrong":
                slot.insert_board(SimBoard(board.number + 1))
            case "full":
                slot.insert_board(board.number, full=True)
            case "turned":
                slot.insert_board(board, turned=True)
            case _:
                slot.insert_board(board)
        if world.asked.choices:
            world.decide(Choice.GO)
        world.run()

    @precondition(is_asked)
    @rule()
    def forget_the_card(self) -> None:
        """The card in reader or path is taken out and lies on the table."""
        self.world.hands.clear_path()

    @precondition(is_asked)
    @rule()
    def press_start(self) -> None:
        self.world.press_start()
        self.world.run()

    # What is going to happen while cards move

    @precondition(lambda self: not self.world.is_over)
    @rule(kind=st.sampled_from(MISHAPS), index=indexes)
    def meet_with_a_mishap(self, kind: FaultKind, index: int) -> None:
        self.world.mishap(kind, index)

    @rule(
        what=st.sampled_from(["stop", "stop now", "STOP key", "two keys", "Enter", "cover", "pull", "swap", "kill"]),
        index=indexes,
        after=moments,
    )
    def do_at_card(self, what: str, index: int, after: float) -> None:
        self.world.at_card(index, self.act(what), after)

    @rule(seconds=st.sampled_from([0.2, 2.0, 3.5, 6.0]), index=indexes, swap=st.booleans())
    def pull_the_cable_at_card(self, seconds: float, index: int, swap: bool) -> None:
        def pull() -> None:
            self.world.cut_cable(seconds)
            if swap:
                self.world.after(seconds / 2, self.act("swap"))

        self.world.at_card(index, pull)

    @rule(seconds=st.sampled_from([0.5, 2.5, 4.0, 7.0]), index=indexes)
    def freeze_the_line_at_card(self, seconds: float, index: int) -> None:
        world = self.world
        world.at_card(index, lambda: world.line.freeze(world.endpoint.now, world.endpoint.now + seconds))

    @rule(fate=st.sampled_from(MemoryFate), index=indexes, after=moments)
    def cut_the_power_at_card(self, fate: MemoryFate, index: int, after: float) -> None:
        self.world.at_card(index, lambda: self.world.cut_power(fate), after)

    @rule(fate=st.sampled_from(MemoryFate))
    def cut_the_power_now(self, fate: MemoryFate) -> None:
        self.world.cut_power(fate)
        self.world.run()

    # The line

    @rule(
        kind=st.sampled_from(
            [Kind.REQUEST, Kind.STOP, Kind.HELLO, Kind.ANSWER, Kind.EVENT, Kind.STOPPED, Kind.HELLO_ACK]
        ),
        times=st.sampled_from([1, 3, 20]),
    )
    def lose_frames(self, kind: Kind, times: int) -> None:
        direction = Direction.TO_HOST if kind.from_machine else Direction.TO_MACHINE
        self.world.line.on(direction, kind, lost, times)

    @rule(direction=st.sampled_from(Direction), pick=st.integers(0, 2**16), index=st.none() | indexes)
    def repeat_an_old_frame(self, direction: Direction, pick: int, index: int | None) -> None:
        world = self.world

        def repeat() -> None:
            sent = world.line.sent[direction]
            if sent and not world.endpoint.is_cut:
                world.line.again(direction, sent[pick % len(sent)], world.endpoint.now)

        if index is None:
            repeat()
            world.endpoint.pass_time(0.1)
        else:
            world.at_card(index, repeat)

    # The program

    @precondition(may_begin_a_program)
    @rule()
    def begin_a_program(self) -> None:
        self.world.begin_program()
        self.world.run()

    @rule()
    def kill_the_program(self) -> None:
        self.world.end_program()

    @precondition(lambda self: not self.world.is_over)
    @rule(now=st.booleans())
    def stop_the_program(self, now: bool) -> None:
        if now:
            self.world.job.stop_now()
        else:
            self.world.job.stop()
        self.world.run()

    @rule(seconds=st.sampled_from([0.1, 1.0, 4.0, 31.0]))
    def wait(self, seconds: float) -> None:
        self.world.endpoint.pass_time(seconds)

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "world"):
            self.world.watch.check_cards()

    def act(self, what: str) -> Callable[[], object]:
        """Something that happens at a moment, by its name. Keys pressed while cards move decide nothing."""
        world = self.world
        mechanism = world.core.mechanism

        def swap() -> None:
            if mechanism.slot.board is not None:
                mechanism.slot.insert_board(mechanism.slot.remove_board().number)

        def pull() -> None:
            if mechanism.slot.board is not None:
                mechanism.slot.remove_board()

        def stop() -> None:
            if not world.is_over:
                world.job.stop()

        def stop_now() -> None:
            if not world.is_over:
                world.job.stop_now()

        def enter() -> None:
            if not world.is_over:
                world.job.decide(Choice.GO)

        def two_keys() -> None:
            mechanism.press(Key.START)
            mechanism.press(Key.STOP)

        acts: dict[str, Callable[[], object]] = {
            "stop": stop,
            "stop now": stop_now,
            "STOP key": lambda: mechanism.press(Key.STOP),
            "two keys": two_keys,
            "Enter": enter,
            "cover": mechanism.open_cover,
            "pull": pull,
            "swap": swap,
            "kill": world.kill_program,
        }
        return acts[what]

    def teardown(self) -> None:
        """Whatever happened, a careful person brings every board to its verdict."""
        if not hasattr(self, "world"):
            return
        try:
            while self.world.to_next_board():
                self.world.start_board()
                self.world.run()
        finally:
            self.world.close()


def reach(world: World, name: str) -> bool:
    """Brings the world into that situation, and counts it when it was reached."""
    world.forget_plans()
    world.core.mechanism.clear_faults()
    reached = SITUATIONS[name](world)
    world.forget_plans()
    REACHED[name] += reached
    return reached


def reach_directly(
    name: str, seed: int, shares: Shares = NO_FAULTS, machine: type[WatchedMachine] = WatchedMachine
) -> bool:
    """The situation in a world of its own, and then every board to its verdict."""
    world = World(seed, shares, machine=machine)
    try:
        assert world.to_next_board()
        reached = reach(world, name)
        while world.to_next_board():
            world.start_board()
            world.run()
        return reached
    finally:
        world.close()


def run_rules(examples: int, steps: int, drawn_from: int | None = None, *, first: str | None = None) -> None:
    """The state machine, so many examples of so many steps, each beginning in the situation `first`."""

    class FromThere(BothEnds):
        pass

    FromThere.first = first
    run_machine(FromThere, examples, steps, drawn_from)


def times_reached(name: str, examples: int, steps: int, drawn_from: int | None = None) -> int:
    """Runs the rules from that situation; how often it was reached, in any example."""
    REACHED.clear()
    run_rules(examples, steps, drawn_from, first=name)
    return REACHED[name]
