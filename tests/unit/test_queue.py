"""The queue alone: orders, what is shown first is dealt next, one machine for a board, what is given back and skipped.

Read next: `driver/queue.py`, `driver/claims.py`; `test_store_jobs.py` for what outlives the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from driver import claims
from driver.errors import JobUnderWay, NothingOpen
from driver.queue import WITH_A_MACHINE, BoardCopy, CopyId, JobOrder, Order, Queue, Stand

LEFT, RIGHT = "LEFT", "RIGHT"
MACHINES = (LEFT, RIGHT)
ORDER = JobOrder(1, "s1", (1, 2, 3), ("A", "B"))


def released(*orders: JobOrder) -> Queue:
    queue = Queue()
    for order in orders:
        queue = queue.add(order, released=True)
    return queue


def names(queue: Queue, *stands: Stand) -> list[str]:
    """The board copies that stand so, as they are called."""
    return [name(queue, copy) for copy in queue.copies(*(stands or Stand))]


def name(queue: Queue, copy: CopyId) -> str:
    one = queue.copy(copy)
    return f"{one.board}{one.copy}"


def taken(queue: Queue, machine: str, number: int | None = None) -> tuple[Queue, CopyId]:
    after, copy = claims.claim(queue, machine, number=number)
    assert copy is not None
    return after, copy


def dealt(queue: Queue, copy: CopyId, run: int, machine: str = LEFT) -> Queue:
    """The machine that has the board deals it to its end."""
    return claims.deal(claims.begin(claims.intend(queue, copy, machine, run), run), run)


# Orders


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "1A 2A 3A 1B 2B 3B"),
        ({"descending": True}, "3A 2A 1A 3B 2B 1B"),
        ({"order": Order.BOARD_BY_BOARD}, "1A 1B 2A 2B 3A 3B"),
        ({"order": Order.BOARD_BY_BOARD, "descending": True}, "3A 3B 2A 2B 1A 1B"),
        ({"as_board": 13, "copies": ("blue",)}, "13blue 14blue 15blue"),
        ({"as_board": 13, "descending": True, "copies": ("",)}, "15 14 13"),
        ({"boards": (27, 3), "copies": ("",)}, "27 3"),
    ],
)
def test_an_order_says_in_which_order_its_boards_come(changes: dict[str, object], expected: str) -> None:
    order = replace(ORDER, **changes)  # type: ignore[arg-type]
    assert [f"{one.board}{one.copy}" for one in order.board_copies()] == expected.split()


def test_a_board_that_is_dealt_under_another_number_keeps_the_deal_of_its_own() -> None:
    copies = replace(ORDER, as_board=13, copies=("",), descending=True).board_copies()
    assert [(one.board, one.deal_board) for one in copies] == [(15, 3), (14, 2), (13, 1)]


# What a person does


def test_a_job_is_held_until_it_is_released_and_nothing_of_it_is_dealt_before() -> None:
    queue = Queue().add(ORDER)
    assert claims.claim(queue, LEFT) == (queue, None)
    queue, first = taken(queue.release(1), LEFT)
    assert name(queue, first) == "1A"
    held = queue.hold(1)
    assert held.copy(first).stand is Stand.CLAIMED, "the board that was asked for is finished"
    assert claims.claim(held, RIGHT)[1] is None


def test_what_is_shown_first_is_dealt_next() -> None:
    queue = released(ORDER, replace(ORDER, id=2, set_id="s2"), replace(ORDER, id=3, set_id="s3"))
    queue = queue.move(3, before=1).move(1, before=None)
    assert [job.order.id for job in queue.jobs] == [3, 2, 1]
    for run, expected in enumerate(names(queue), start=1):
        queue, copy = taken(queue, LEFT)
        assert name(queue, copy) == expected
        queue = dealt(queue, copy, run)
    assert claims.claim(queue, LEFT)[1] is None


def test_a_job_that_is_being_dealt_is_neither_moved_nor_removed_and_nothing_goes_before_it() -> None:
    queue, _ = taken(released(ORDER, replace(ORDER, id=2, set_id="s2")), LEFT)
    changes: list[Callable[[], Queue]] = [
        lambda: queue.move(1, before=None),
        lambda: queue.remove(1),
        lambda: queue.move(2, before=1),
    ]
    for change in changes:
        with pytest.raises(JobUnderWay, match="Job 1 is being dealt"):
            change()
    assert [job.order.id for job in queue.remove(2).jobs] == [1]


def test_a_job_that_is_not_there_is_said() -> None:
    for change in (Queue().release, Queue().hold, Queue().remove):
        with pytest.raises(NothingOpen, match="no job 4"):
            change(4)


def test_a_board_is_in_the_queue_once_and_a_new_order_takes_it_over() -> None:
    queue = released(ORDER).add(JobOrder(2, "s1", (2, 4), ("B",)))
    assert names(queue) == ["1A", "2A", "3A", "1B", "3B", "2B", "4B"]
    queue = queue.add(JobOrder(3, "s1", (2, 4), ("B",)))
    assert [job.order.id for job in queue.jobs] == [1, 3], "nothing was left of the other one"


def test_a_new_order_leaves_a_job_that_is_being_dealt_as_it_is() -> None:
    queue, _ = taken(released(ORDER), LEFT)
    assert len(names(queue.add(replace(ORDER, id=2)))) == 12


def test_what_an_ended_program_left_open_stays_open_in_the_order_that_takes_it_over() -> None:
    queue, copy = taken(released(ORDER), LEFT)
    queue = claims.begin(claims.intend(queue, copy, LEFT, 7), 7)
    queue = claims.end(queue, lambda _: Stand.OPEN).add(replace(ORDER, id=2))
    one = queue.copy(CopyId(2, 0))
    assert (one.stand, one.machine, one.run) == (Stand.OPEN, LEFT, 7)
    assert claims.claim(queue.release(2), RIGHT)[1] == CopyId(2, 1), "only its own machine can tell of it"


# What machines do


def test_two_machines_never_have_the_same_board() -> None:
    queue, left = taken(released(ORDER), LEFT)
    queue, right = taken(queue, RIGHT)
    assert (name(queue, left), name(queue, right)) == ("1A", "2A")
    assert taken(queue, LEFT) == (queue, left), "who has a board keeps it"


def test_with_a_reader_the_board_in_the_slot_is_dealt_and_the_one_asked_for_waits_again() -> None:
    queue, asked = taken(released(ORDER), LEFT)
    queue, found = taken(queue, LEFT, number=3)
    assert name(queue, found) == "3A"
    assert queue.copy(asked).stand is Stand.WAITING
    queue, other = taken(queue, RIGHT, number=3)
    assert name(queue, other) == "3B", "the copy that still waits"
    assert taken(queue, LEFT, number=3) == (queue, found)
    assert taken(queue, RIGHT, number=3) == (queue, other)
    assert taken(queue, LEFT, number=9) == (queue, found), "no such board waits: its own is asked for"


def test_two_machines_that_have_each_other_s_board_in_the_slot_change_over() -> None:
    queue, first = taken(released(replace(ORDER, copies=("",), boards=(1, 2))), LEFT)
    queue, second = taken(queue, RIGHT)
    queue, found = taken(queue, LEFT, number=2)
    assert found == second
    assert taken(queue, RIGHT) == (queue, first)
    assert claims.start(queue, RIGHT, second) == (queue, False), "it is not its board any more"


def test_a_board_that_another_machine_asks_for_stays_with_it_where_it_is_not_to_be_taken_from_others() -> None:
    queue, _ = taken(released(replace(ORDER, copies=("",), boards=(1, 2, 3))), LEFT)
    queue, second = taken(queue, RIGHT)
    assert claims.claim(queue, RIGHT, number=1, from_others=False) == (queue, second)
    waiting = queue.copies(Stand.WAITING)[0]
    assert claims.claim(queue, RIGHT, number=3, from_others=False)[1] == waiting


def test_a_board_that_another_machine_is_starting_stays_with_it() -> None:
    queue, first = taken(released(ORDER), LEFT)
    queue, second = taken(queue, RIGHT)
    queue, may = claims.start(queue, RIGHT, second)
    assert may
    assert claims.claim(queue, LEFT, number=2)[1] == queue.copies(Stand.WAITING)[2], "the other copy of it"
    one = replace(ORDER, copies=("",), boards=(1, 2))
    queue, first = taken(released(one), LEFT)
    queue, second = taken(queue, RIGHT)
    queue, _ = claims.start(queue, RIGHT, second)
    assert claims.claim(queue, LEFT, number=2) == (queue, first)
    queue = claims.refuse(queue, RIGHT)
    assert claims.claim(queue, LEFT, number=2)[1] == second


def test_only_what_has_certainly_not_moved_is_given_back() -> None:
    queue, copy = taken(released(ORDER), LEFT)
    intended = claims.intend(queue, copy, LEFT, 7)
    assert claims.give_back(intended, copy).copy(copy).stand is Stand.WAITING
    begun = claims.begin(intended, 7)
    with pytest.raises(ValueError, match="begun"):
        claims.give_back(begun, copy)
    assert taken(begun, RIGHT)[1] != copy
    again = claims.intend(begun, copy, LEFT, 8)
    assert again.copy(copy).stand is Stand.BEGUN, "dealt again: cards of it have moved"


def test_a_machine_keeps_a_board_of_which_cards_have_moved_whatever_lies_in_its_slot() -> None:
    queue, copy = taken(released(ORDER), LEFT)
    begun = claims.begin(claims.intend(queue, copy, LEFT, 7), 7)

    assert claims.claim(begun, LEFT, number=2) == (begun, copy)


def test_a_person_who_has_taken_all_cards_out_lets_another_machine_deal_the_board() -> None:
    queue, copy = taken(released(ORDER), RIGHT)
    queue = claims.begin(claims.intend(queue, copy, RIGHT, 7), 7)
    with pytest.raises(ValueError, match="begun"):
        claims.empty(queue, copy)
    queue = claims.empty(claims.end(queue, lambda _: Stand.OPEN, RIGHT), copy)
    assert taken(queue, LEFT)[1] == copy
    assert queue.copy(copy).run == 0, "what the old run becomes changes it no more"


def test_a_board_that_was_skipped_comes_back_at_the_end_and_not_before() -> None:
    queue = released(replace(ORDER, copies=("",)))
    queue, first = taken(queue, LEFT)
    queue = claims.skip(queue, first)
    for run in (7, 8):
        queue, copy = taken(queue, LEFT)
        assert copy != first
        queue = dealt(queue, copy, run)
    assert claims.claim(queue, LEFT)[1] is None
    assert queue.copies(Stand.LEFT) == (first,)
    assert taken(claims.offer_left(queue), LEFT)[1] == first


def test_what_is_open_at_a_machine_is_offered_to_no_other_one_before_its_run_is_over() -> None:
    queue, left = taken(released(ORDER), LEFT)
    queue, right = taken(queue, RIGHT)
    queue = queue.with_copy(left, stand=Stand.OPEN, run=7).with_copy(right, stand=Stand.OPEN, run=8)
    assert claims.offer_left(queue) == queue
    queue = claims.close(queue, 7)
    assert (queue.copy(left).stand, queue.copy(right).stand) == (Stand.WAITING, Stand.OPEN)


def test_a_machine_that_ends_gives_back_what_it_only_asked_for() -> None:
    queue, left = taken(released(ORDER), LEFT)
    queue, right = taken(queue, RIGHT)
    queue = claims.begin(claims.intend(queue, right, RIGHT, 7), 7)
    queue = claims.end(queue, lambda _: Stand.OPEN, RIGHT)
    assert (queue.copy(left).stand, queue.copy(right).stand) == (Stand.CLAIMED, Stand.OPEN)
    queue = claims.end(queue, lambda _: Stand.OPEN, LEFT)
    assert queue.copy(left).stand is Stand.WAITING
    assert queue.find(1).released


def test_after_a_restart_every_job_is_held() -> None:
    queue, copy = taken(released(ORDER, replace(ORDER, id=2, set_id="s2")), LEFT)
    queue = claims.end(queue, lambda _: Stand.OPEN)
    assert not any(job.released for job in queue.jobs)
    assert queue.copy(copy).stand is Stand.WAITING
    assert claims.claim(queue, LEFT)[1] is None


def test_a_board_that_was_kept_as_the_run_dealt_it_is_not_dealt_once_more_but_for_another_run() -> None:
    order = JobOrder(1, "", (1, 2, 3))
    kept = released(order).with_copy(CopyId(1, 1), stand=Stand.DEALT, machine=LEFT, run=7)

    assert claims.resume(kept, CopyId(1, 1), LEFT, 7, begun=False).copy(CopyId(1, 1)).stand is Stand.DEALT
    assert claims.resume(kept, CopyId(1, 1), LEFT, 8, begun=False).copy(CopyId(1, 1)).stand is Stand.CLAIMED


def test_a_board_that_is_resumed_comes_first_and_what_is_done_before_it_is_left_out() -> None:
    order = replace(ORDER, copies=("",))
    for at, done, expected in (
        (1, [], ["2", "1", "3"]), (1, [0], ["2", "3"]), (1, [0, 1], ["3"]), (1, [1], ["1", "3"]),
        (2, [0, 1, 2], ["1", "2", "3"]),
    ):  # fmt: skip
        known = [CopyId(1, place) for place in done]
        queue = claims.resume(released(order), CopyId(1, at), LEFT, 7, begun=False, done=known)
        order_of_dealing: list[str] = []
        for run in range(10, 10 + len(expected)):
            queue, copy = taken(queue, LEFT)
            order_of_dealing.append(name(queue, copy))
            queue = dealt(queue, copy, run)
        assert order_of_dealing == expected
        assert claims.claim(queue, LEFT)[1] is None


class Evening(RuleBasedStateMachine):
    """Any order of what persons and machines do, beside a count of what was dealt."""

    @initialize(box=st.sampled_from(Order), descending=st.booleans())
    def begin(self, box: Order, descending: bool) -> None:
        self.run = 0
        self.added = 0
        self.dealt: Counter[tuple[str, int, str]] = Counter()
        self.queue = Queue()
        self.kind = (box, descending)
        self.add(2, ("A", "B"))

    @precondition(lambda self: self.added < 4)
    @rule(boards=st.integers(1, 3), copies=st.sampled_from((("",), ("A", "B"))))
    def add(self, boards: int, copies: tuple[str, ...]) -> None:
        self.added += 1
        order = JobOrder(self.added, f"s{self.added}", tuple(range(1, boards + 1)), copies, *self.kind)
        self.queue = self.queue.add(order, released=bool(self.added % 2))

    @rule(at=st.integers(0, 5), what=st.sampled_from(("release", "hold", "remove", "first", "last")))
    def edit(self, at: int, what: str) -> None:
        if at >= len(self.queue.jobs):
            return
        job = self.queue.jobs[at]
        number = job.order.id
        changes: dict[str, Callable[[], Queue]] = {
            "release": lambda: self.queue.release(number),
            "hold": lambda: self.queue.hold(number),
            "remove": lambda: self.queue.remove(number),
            "first": lambda: self.queue.move(number, before=self.queue.jobs[0].order.id),
            "last": lambda: self.queue.move(number, before=None),
        }
        change = changes[what]
        refuses = what in ("remove", "last", "first") and job.runs
        refuses = refuses or (what == "first" and self.queue.jobs[0].runs)
        if refuses:
            with pytest.raises(JobUnderWay):
                change()
        else:
            self.queue = change()

    @rule(machine=st.sampled_from(MACHINES), number=st.sampled_from((None, None, 1, 2, 3)))
    def claim(self, machine: str, number: int | None) -> None:
        mine = self.queue.with_machine(machine)
        if mine is not None and self.queue.copy(mine).stand is Stand.BEGUN:
            return
        first = next((c for job in self.queue.jobs if job.released for c in _ids(job.order.id, job.copies)), None)
        self.queue, found = claims.claim(self.queue, machine, number=number)
        if mine is None and number is None:
            assert found == first, "what is shown first is dealt next"
        if found is not None and found != mine and mine is not None:
            assert self.queue.copy(found).board == number, "only the board in the slot is taken instead"
            assert self.queue.copy(mine).stand is not Stand.BEGUN

    @rule(
        machine=st.sampled_from(MACHINES),
        what=st.sampled_from(("start", "refuse", "intend", "begin", "deal", "deal", "skip", "back", "end")),
    )
    def work(self, machine: str, what: str) -> None:
        mine = self.queue.with_machine(machine)
        if what == "end":
            self.queue = claims.end(self.queue, lambda _: Stand.OPEN, machine)
        elif mine is None:
            return
        elif what == "intend" and self.queue.copy(mine).stand is Stand.CLAIMED:
            self.run += 1
            self.queue = claims.intend(self.queue, mine, machine, self.run)
        elif what == "start" and mine is not None:
            self.queue, may = claims.start(self.queue, machine, mine)
            assert may
        elif what == "refuse":
            self.queue = claims.refuse(self.queue, machine)
        elif what == "begin":
            self.queue = claims.begin(self.queue, self.queue.copy(mine).run)
        elif what == "deal" and self.queue.copy(mine).stand is Stand.BEGUN:
            one = self.queue.copy(mine)
            self.queue = claims.deal(self.queue, one.run)
            self.dealt[self.queue.find(mine.job).order.set_id, one.board, one.copy] += 1
        elif what == "skip":
            self.queue = claims.skip(self.queue, mine)
        elif what == "back" and self.queue.copy(mine).stand is Stand.CLAIMED:
            self.queue = claims.give_back(self.queue, mine)

    @rule()
    def empty(self) -> None:
        for copy in self.queue.copies(Stand.OPEN):
            self.queue = claims.empty(self.queue, copy)

    @rule()
    def offer(self) -> None:
        self.queue = claims.offer_left(self.queue)

    @rule()
    def crash(self) -> None:
        self.queue = claims.end(self.queue, lambda _: Stand.OPEN)

    @invariant()
    def each_machine_has_one_board_at_most_and_each_board_one_machine(self) -> None:
        held = [self.queue.copy(copy).machine for copy in self.queue.copies(*WITH_A_MACHINE)]
        assert len(held) == len(set(held))

    @invariant()
    def no_board_is_dealt_twice(self) -> None:
        assert set(self.dealt.values()) <= {1}


TestEvening = Evening.TestCase


def _ids(job: int, copies: tuple[BoardCopy, ...]) -> list[CopyId]:
    return [CopyId(job, one.place) for one in copies if one.stand is Stand.WAITING]


@given(
    st.integers(1, 4), st.integers(1, 4), st.sampled_from(Order), st.booleans(), st.lists(st.booleans(), max_size=40)
)
def test_whichever_machine_is_quicker_each_board_copy_is_dealt_once(
    boards: int, copies: int, order: Order, descending: bool, turns: list[bool]
) -> None:
    queue = released(JobOrder(1, "s1", tuple(range(1, boards + 1)), tuple("ABCD"[:copies]), order, descending))
    done: list[CopyId] = []
    for run, turn in enumerate([*turns, *[True] * 20], start=1):
        machine = MACHINES[turn]
        queue, copy = claims.claim(queue, machine)
        if copy is None:
            continue
        queue = dealt(queue, copy, run, machine)
        done.append(copy)
    assert done == list(queue.copies(*Stand)), "in the order in which they are shown"
