"""The rules of a queue: what a person, two machines, cables, power and the program's end may do to it, in any order.

May import: the other modules of this folder, driver, firmware_sim, protocol, hypothesis. Read next:
`test_queue_rules.py`. At the end a careful person brings every board of every job to its verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from driver.errors import JobUnderWay
from driver.findings import Choice
from driver.job_events import BoardJudged, BoardStarted, JobEvent, NeedsOperator
from driver.queue import JobOrder, Order, Queue, QueuedJob, Stand
from driver.steps import Step
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.memory import MemoryFate
from tests.stateful.patient import NoNews
from tests.stateful.queue_side import Side
from tests.stateful.queue_world import BOARDS, Death, QueueWorld
from tests.stateful.searches import run_machine
from tests.support.border import Passing

REACHED: Counter[str] = Counter()
"""How often each named situation was reached."""

sides: Final = st.integers(0, 1)
then: Final = st.sampled_from([0, 4, 20, 45])
"""How many things are told of each machine after that, while everybody does what is asked."""
some_jobs: Final = st.integers(0, 7)
MISHAPS: Final = (FaultKind.JAM_PATH, FaultKind.JAM_READER, FaultKind.DOUBLE_FEED, FaultKind.NO_FEED)


class QueueRules(RuleBasedStateMachine):
    """A queue and its machines. What a rule may do depends on what is shown to the person, and on nothing else."""

    world: QueueWorld

    @initialize(seed=st.integers(0, 2**16), jobs=st.integers(1, 3), both=st.sampled_from([True, True, False]))
    def begin(self, seed: int, jobs: int, both: bool) -> None:
        self.world = QueueWorld(seed, self.reached, self.heard)
        self.end = ExitStack()
        self.end.enter_context(self.world.observed())
        self.left: set[object] = set()
        self.held_in_a_board: set[int] = set()
        self.came_in: set[int] = set()
        self.cable_out: set[str] = set()
        self.began: dict[str, str] = {}
        for job in range(jobs):
            self.add(1 + 2 * job, 2, ("",), Order.BOX_BY_BOX, descending=False)
        self.begin_a_program((0, 1) if both else (0,), None if both else 0)

    def reached(self, name: str) -> None:
        REACHED[name] += 1

    # The queue, from another window

    def queue(self) -> Queue:
        with self.world.window() as store:
            return store.jobs.queue()

    def change(self, step: Callable[[Queue], Queue]) -> None:
        with self.world.window() as store:
            store.jobs.follow(step)
            self.world.watch.changed(store)

    def some(self, pick: int, *, runs: bool) -> QueuedJob | None:
        """A job that is dealt now or not, as wanted, where there is such a one."""
        jobs = self.queue().jobs
        wanted = [job for job in jobs if job.runs == runs] or jobs
        return wanted[pick % len(wanted)] if jobs else None

    def in_a_board(self) -> bool:
        return any(side.in_a_board for side in self.world.dealing)

    @rule(
        first=st.integers(BOARDS[0], BOARDS[-2]),
        count=st.integers(1, 2),
        copies=st.sampled_from([("",), ("",), ("A", "B")]),
        order=st.sampled_from(Order),
        descending=st.booleans(),
        released=st.booleans(),
        then=then,
    )
    def add_a_job(
        self, first: int, count: int, copies: tuple[str, ...], order: Order, descending: bool, released: bool, then: int
    ) -> None:
        job = self.add(first, count, copies, order, descending=descending)
        if released:
            self.change(partial(Queue.release, job=job))
        self.go(then)

    def add(self, first: int, count: int, copies: tuple[str, ...], order: Order, *, descending: bool) -> int:
        boards = tuple(range(first, first + count))
        with self.world.window() as store:
            busy = any(job.runs for job in store.jobs.queue().jobs)
            wanted = JobOrder(0, self.world.deals.set_id, boards, copies, order, descending)
            added = store.jobs.add(wanted)
            assert not store.jobs.find(added.id).released
            self.world.watch.changed(store)
        if busy and self.world.runs:
            self.reached("a job is added while another one is dealt")
            self.came_in.add(added.id)
        return added.id

    @rule(picks=st.tuples(some_jobs, some_jobs), runs=st.booleans(), last=st.booleans(), then=then)
    def move_a_job(self, picks: tuple[int, int], runs: bool, last: bool, then: int) -> None:
        self.move(*picks, runs=runs, last=last)
        self.go(then)

    def move(self, pick: int, other: int, *, runs: bool, last: bool) -> None:
        job, before = self.some(pick, runs=runs), self.some(other, runs=False)
        if job is None or before is None:
            return
        try:
            self.change(partial(Queue.move, job=job.order.id, before=None if last else before.order.id))
        except JobUnderWay:
            assert job.runs or (before.runs and not last)
            self.reached("a job that is dealt can be neither moved nor removed")
        else:
            assert not job.runs
            if self.in_a_board() and not last and job != before:
                self.reached("a job is moved in front while another one is dealt")

    @rule(pick=some_jobs, runs=st.booleans(), then=then)
    def remove_a_job(self, pick: int, runs: bool, then: int) -> None:
        self.remove(pick, runs=runs)
        self.go(then)

    def remove(self, pick: int, *, runs: bool) -> None:
        job = self.some(pick, runs=runs)
        if job is None:
            return
        try:
            self.change(partial(Queue.remove, job=job.order.id))
        except JobUnderWay:
            assert job.runs
            self.reached("a job that is dealt can be neither moved nor removed")
        else:
            assert not job.runs
            if self.in_a_board():
                self.reached("a job that waits is removed while another one is dealt")

    @rule(pick=some_jobs, release=st.booleans(), then=then)
    def release_or_hold_a_job(self, pick: int, release: bool, then: int) -> None:
        self.release_or_hold(pick, release=release)
        self.go(then)

    def release_or_hold(self, pick: int, *, release: bool) -> None:
        job = self.some(pick, runs=not release)
        if job is None:
            return
        self.change(partial(Queue.release if release else Queue.hold, job=job.order.id))
        if release:
            self.held_in_a_board.discard(job.order.id)
        elif any(one.stand is Stand.BEGUN for one in job.copies) and self.in_a_board():
            self.held_in_a_board.add(job.order.id)

    # The program

    @precondition(lambda self: not self.world.runs)
    @rule(
        sides=st.sampled_from([(0, 1), (0,), (1,)]),
        pick=st.none() | some_jobs,
        lost=st.sampled_from([(), (), (0, 1), (1,)]),
    )
    def begin_a_program(self, sides: tuple[int, ...], pick: int | None, lost: tuple[int, ...] = ()) -> None:
        """For all jobs (None) or one of them; the cables of the `lost` come out before these machines have told."""
        jobs = [job.order.id for job in self.queue().jobs]
        chosen = jobs if pick is None or not jobs else [jobs[pick % len(jobs)]]
        self._begin([self.world.sides[side] for side in sides], chosen, [self.world.sides[side] for side in lost])

    @precondition(lambda self: not self.world.runs and bool(self.queue().jobs))
    @rule(side=sides)
    def begin_a_program_and_release_nothing(self, side: int) -> None:
        motions = [len(each.core.truth.motions) for each in self.world.sides]
        self._begin([self.world.sides[side]], [])
        assert [len(each.core.truth.motions) for each in self.world.sides] == motions
        self.reached("after a restart nothing is released, and nothing moves")

    def _begin(self, sides: Sequence[Side], jobs: Sequence[int], lost: Sequence[Side] = ()) -> None:
        for side in sides:
            run = side.core.control.run
            self.began[side.name] = "open" if side.in_a_board else "finished" if run is not None else ""
        self.cable_out.clear()
        self.held_in_a_board.clear()
        self.came_in.clear()
        self.world.begin_program(sides, jobs)
        for side in lost:
            if not side.endpoint.is_cut:
                side.cut_cable(1.0)
        for side in list(self.world.dealing):
            self.run(side)

    @precondition(lambda self: self.world.runs)
    @rule(passing=st.sampled_from(Passing), left=st.integers(1, 40), then=then, again=st.booleans())
    def the_program_dies(self, passing: Passing, left: int, then: int, again: bool) -> None:
        """At a write, a send or a receive to come; another one begins at once or not."""
        self.world.death = Death(passing, left)
        self.go(then)
        if again and not self.world.runs:
            self.go(1)

    @precondition(lambda self: self.world.runs)
    @rule()
    def the_program_is_killed(self) -> None:
        self.world.abandon()

    # The machines and the person

    def run(self, side: Side, steps: int = 1 << 30) -> None:
        """Lets that machine go on, until it needs somebody or so many things were told."""
        for _ in range(steps):
            event = self.world.step(side)
            if event is None or isinstance(event, NeedsOperator | NoNews):
                return

    def heard(self, side: Side, event: JobEvent) -> None:
        """Which situations are reached by what was told."""
        if sum(one.in_a_board for one in self.world.dealing) == 2:
            self.reached("two machines are in the middle of a board at the same time")
        match event:
            case BoardStarted(index=0):
                if side.need_item.place in self.left:
                    self.reached("a board that was left is offered at the end and dealt")
                if side.need_item.place.job in self.came_in:
                    self.reached("a job comes in, is released, and is dealt by the program that runs")
            case BoardStarted() if self.began.pop(side.name, "") == "open":
                self.reached("a board that an ended program began goes on")
            case BoardJudged(judgement=judgement) if judgement.verdict is Verdict.GOOD:
                if side.need_item.place.job in self.held_in_a_board:
                    self.reached("a job is held in the middle of its board, and that board is finished")
                if self.began.pop(side.name, "") == "finished":
                    self.reached("a board that was finished while nobody listened is judged by the next program")
                self.cable_out.discard(side.name)
            case NeedsOperator() if "which is not in this job" in event.text:
                self.reached("a board of a job that is not released is found in the machine")
            case NeedsOperator() if side.job is not None and side.job.step is Step.IDLE:
                self.reached("a machine has nothing to deal and waits for the other one")

    @rule(then=then)
    def everybody_does_what_is_asked(self, then: int) -> None:
        self.go(then)

    def go(self, steps: int) -> None:
        """Everybody does what is asked, until so many things were told of each machine."""
        if steps and not self.world.runs:
            self.begin_a_program((0, 1), None)
        for side in list(self.world.dealing):
            self.answer(side, None, steps)

    @rule(
        side=sides,
        wish=st.sampled_from([Choice.SKIP, Choice.SKIP, Choice.DEAL_AGAIN, Choice.STOP, Choice.LEAVE_THEM]),
        then=then,
    )
    def somebody_has_a_wish(self, side: int, wish: Choice, then: int) -> None:
        self.answer(self.world.sides[side], wish, 1)
        self.go(then)

    def answer(self, chosen: Side, wish: Choice | None, steps: int) -> None:
        """Does what is asked, and chooses the `wish` where it is offered, else what a careful person would."""
        if chosen.job is None:
            return
        if chosen.asked is None:
            self.run(chosen, steps)
            return
        choice = wish if wish in chosen.asked.choices else chosen.wanted()
        if choice is Choice.SKIP and chosen.job.item is not None:
            self.left.add(chosen.job.item.place)
        if choice is Choice.GO_ON and chosen.asked.code == "JAM":
            self.reached("a jam is put right and the board goes on")
        if choice is Choice.GO_ON and chosen.name in self.cable_out:
            self.reached("the cable came out in the middle of a board and it goes on")
        if choice is Choice.DEAL_AGAIN and chosen.asked.code == "DOUBLE_FEED":
            self.reached("two cards came at once and the board is dealt again")
        chosen.obey(choice)
        self.run(chosen, steps)

    @precondition(lambda self: len(self.world.dealing) > 1)
    @rule(side=sides, then=then)
    def one_machine_is_stopped(self, side: int, then: int) -> None:
        """In the middle of a board where it is in one; the other machine deals on."""
        self.world.stop_at(self.world.sides[side])
        self.run(self.world.sides[side])
        self.go(then)

    @precondition(lambda self: bool(self.world.given_up))
    @rule(emptied=st.booleans())
    def answer_about_a_machine(self, emptied: bool) -> None:
        self.world.answer_about(self.world.given_up[0], emptied=emptied)

    @precondition(lambda self: bool(self.world.lost))
    @rule(wait=st.booleans(), then=then)
    def answer_about_a_lost_machine(self, wait: bool, then: int) -> None:
        lost = self.world.lost[0]
        self.world.answer_lost(lost, wait=wait)
        if not wait:
            self.reached("a machine that is lost is given up and the other one deals on")
            self.run(lost)
        self.go(then)

    @rule(side=sides, kind=st.sampled_from(MISHAPS), index=st.integers(1, 50), then=then)
    def meet_with_a_mishap(self, side: int, kind: FaultKind, index: int, then: int) -> None:
        self.world.sides[side].core.mechanism.add_fault(MachineFault(kind, index))
        self.go(then)

    @rule(side=sides, seconds=st.sampled_from([0.2, 2.0, 5.0]), then=then)
    def pull_the_cable(self, side: int, seconds: float, then: int) -> None:
        chosen = self.world.sides[side]
        if not chosen.endpoint.is_cut:
            if chosen.in_a_board:
                self.cable_out.add(chosen.name)
            chosen.cut_cable(seconds)
        self.go(then)

    @rule(side=sides, fate=st.sampled_from(MemoryFate), then=then)
    def cut_the_power(self, side: int, fate: MemoryFate, then: int) -> None:
        chosen = self.world.sides[side]
        if chosen.in_a_board and chosen.job is not None:
            self.reached("the power was cut in the middle of a board")
        chosen.cut_power(fate)
        self.go(then)

    @rule(side=sides, seconds=st.sampled_from([1.0, 4.0, 10.0]))
    def nobody_listens(self, side: int, seconds: float) -> None:
        self.world.sides[side].endpoint.pass_time(seconds)

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "world"):
            self.check()

    def check(self) -> None:
        world = self.world
        for side in world.sides:
            side.watch.check_cards()
        with world.window() as store:
            machines = [side.serial for side in (*world.dealing, *world.given_up)]
            items = [(side.serial, item, side.asks_for_board) for side in world.dealing for item in side.claims]
            world.watch.check(store, machines, items)

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        try:
            self.world.finish()
            self.check()
        finally:
            self.world.close()
            self.end.close()


def run_rules(examples: int, steps: int, drawn_from: int | None = None) -> None:
    """The state machine, so many examples of so many steps."""
    run_machine(QueueRules, examples, steps, drawn_from)
