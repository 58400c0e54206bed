"""The named situations of a queue, each with the shortest way into it; the rules count them wherever they come about.

May import: the other modules of this folder, driver, firmware_sim. Read next: `test_queue_rules.py`.
Each way begins with three jobs of two boards each, and both machines asking for the boards of the first one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from driver.findings import Choice
from driver.queue import Order, Queue
from firmware_sim.faults import FaultKind
from firmware_sim.memory import MemoryFate
from tests.stateful.queue_rules import REACHED, QueueRules
from tests.stateful.queue_world import Death
from tests.support.border import Passing

Way = Callable[[QueueRules], object]
LEFT: Final = 0


def _deals(rules: QueueRules) -> None:
    """Both machines are in the middle of a board."""
    rules.go(20)


def _meanwhile(act: Way) -> Way:
    """In the middle of two boards."""

    def way(rules: QueueRules) -> None:
        _deals(rules)
        act(rules)

    return way


def _add(rules: QueueRules) -> int:
    return rules.add(1, 1, ("A",), Order.BOX_BY_BOX, descending=False)


def _dies(passing: Passing) -> Way:
    def way(rules: QueueRules) -> None:
        rules.go(5)
        rules.world.death = Death(passing, 8)
        for _ in range(3):
            if rules.world.runs:
                rules.go(45)

    return way


def _killed(rules: QueueRules) -> None:
    _deals(rules)
    rules.world.abandon()


def _released_nothing(rules: QueueRules) -> None:
    _killed(rules)
    rules.begin_a_program_and_release_nothing(LEFT)


def _goes_on(rules: QueueRules) -> None:
    _killed(rules)
    for _ in range(3):
        rules.go(5)


def _finished_alone(rules: QueueRules) -> None:
    rules.go(50)
    rules.world.abandon()
    rules.nobody_listens(LEFT, 4.0)
    rules.go(5)


def _beside(rules: QueueRules) -> None:
    _killed(rules)
    rules.begin_a_program((LEFT,), 1)


def _mishap(kind: FaultKind) -> Way:
    def way(rules: QueueRules) -> None:
        rules.meet_with_a_mishap(LEFT, kind, 10, 0)
        for _ in range(3):
            rules.go(45)

    return way


def _cable(rules: QueueRules) -> None:
    rules.pull_the_cable(LEFT, 0.2, 0)
    for _ in range(4):
        rules.go(45)


def _waits(rules: QueueRules) -> None:
    for _ in range(2):
        rules.remove(0, runs=False)
    rules.run(rules.world.sides[LEFT])


def _comes_in(rules: QueueRules) -> None:
    rules.change(partial(Queue.release, job=_add(rules)))
    rules.world.finish()


def _left(rules: QueueRules) -> None:
    rules.answer(rules.world.sides[LEFT], Choice.SKIP, 1)
    rules.world.finish()


def _moved(rules: QueueRules) -> None:
    rules.move(1, 0, runs=False, last=False)


def _power(rules: QueueRules) -> None:
    rules.cut_the_power(LEFT, MemoryFate.KEPT, 45)


def _emptied(rules: QueueRules) -> None:
    rules.one_machine_is_stopped(LEFT, 0)
    rules.answer_about_a_machine(emptied=True)


def _lost(rules: QueueRules) -> None:
    left = rules.world.sides[LEFT]
    left.cut_cable(60.0)
    while not rules.world.lost:
        rules.run(left, 1)
    rules.answer_about_a_lost_machine(wait=False, then=0)


def _held(rules: QueueRules) -> None:
    rules.release_or_hold(0, release=False)
    rules.go(45)


SITUATIONS: Final[dict[str, Way]] = {
    "two machines are in the middle of a board at the same time": _deals,
    "a job is added while another one is dealt": _meanwhile(_add),
    "a job is moved in front while another one is dealt": _meanwhile(_moved),
    "a job that is dealt can be neither moved nor removed": _meanwhile(lambda rules: rules.remove(0, runs=True)),
    "a job is held in the middle of its board, and that board is finished": _meanwhile(_held),
    "a job comes in, is released, and is dealt by the program that runs": _meanwhile(_comes_in),
    "a job that waits is removed while another one is dealt": _meanwhile(lambda rules: rules.remove(0, runs=False)),
    "the program dies at a journal write": _dies(Passing.WRITE),
    "the program dies at a send": _dies(Passing.SEND),
    "the program dies at a receive": _dies(Passing.RECEIVE),
    "a board that an ended program began goes on": _goes_on,
    "a board that was finished while nobody listened is judged by the next program": _finished_alone,
    "a board of a job that is not released is found in the machine": _beside,
    "after a restart nothing is released, and nothing moves": _released_nothing,
    "a jam is put right and the board goes on": _mishap(FaultKind.JAM_PATH),
    "two cards came at once and the board is dealt again": _mishap(FaultKind.DOUBLE_FEED),
    "a board that was left is offered at the end and dealt": _left,
    "the cable came out in the middle of a board and it goes on": _meanwhile(_cable),
    "the power was cut in the middle of a board": _meanwhile(_power),
    "a machine has nothing to deal and waits for the other one": _meanwhile(_waits),
    "a machine's open board is emptied and given to another one": _meanwhile(_emptied),
    "a machine that is lost is given up and the other one deals on": _meanwhile(_lost),
}  # fmt: skip
"""Each by its name, with the way into it."""


def times_reached(name: str, seeds: int) -> int:
    """Comes into the situation by its way, and then brings every job to its end; how often it was reached."""
    REACHED.clear()
    for seed in range(seeds):
        rules = QueueRules()
        rules.begin(seed=seed, jobs=3, both=True)
        try:
            SITUATIONS[name](rules)
            rules.check()
        finally:
            rules.teardown()
    return REACHED[name]
