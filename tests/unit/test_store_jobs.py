"""The queue in the store: same order and progress after a restart, one mind with the journal, other programs beside it.

Read next: `driver/store/jobs.py`, `driver/queue.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver import claims
from driver.errors import JobUnderWay, NothingOpen, StoreDamaged
from driver.journal import LOCK_NAME, Journal, end_if_nobody_deals, is_dealing
from driver.queue import CopyId, JobOrder, Order, Queue, Stand
from driver.store.runs import Intention
from driver.store.store import Store
from driver.verdicts import Verdict
from tests.support.store import deal_set, opened

ORDER = JobOrder(0, "s1", (1, 2, 3), ("A", "B"))
MACHINE = "DM0042"


def stored(store: Store) -> Store:
    store.sets.add_imported(deal_set((1, 2, 3)))
    return store


def claim(store: Store, machine: str = MACHINE) -> CopyId:
    found: list[CopyId | None] = []

    def step_taken(queue: Queue) -> Queue:
        after, copy = claims.claim(queue, machine)
        found.append(copy)
        return after

    store.jobs.follow(step_taken)
    assert found[0] is not None
    return found[0]


def intend(journal: Journal, copy: CopyId, machine: str = MACHINE) -> int:
    board = journal.jobs.queue().copy(copy).board
    told = Intention(board, "A", machine, 1, 0, 0, "s1", board, False)
    return journal.intend(told, bytes(8), copy=copy).run


def fail_after(journal: Journal, write: Callable[[], None]) -> None:
    """What the journal writes is a part of something that fails afterwards."""
    with journal.together():
        write()
        raise KeyError


def stands(store: Store) -> list[Stand]:
    return [one.stand for one in store.jobs.find(1).copies]


def test_jobs_that_are_done_leave_the_order_of_the_others_as_it_is_shown(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store, Journal(store) as journal:
        for board, copy in ((1, "A"), (2, "A"), (3, "A"), (1, "B"), (2, "B")):
            store.jobs.add(JobOrder(0, "s1", (board,), (copy,)))
        for job in (1, 2):
            store.jobs.follow(partial(Queue.release, job=job))
        for _ in range(2):
            run = intend(journal, claim(store))
            journal.note_go(run)
            journal.note_verdict(run, Verdict.GOOD.name)
        shown = [job.order.id for job in store.jobs.queue().jobs]
        store.jobs.follow(lambda queue: queue.release(shown[-1]))
        assert [job.order.id for job in store.jobs.queue().jobs] == shown


def test_a_queue_is_the_same_after_a_restart_and_held(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store, Journal(store) as journal:
        for order in (
            ORDER,
            JobOrder(0, "s1", (3,), ("blue",), Order.BOARD_BY_BOARD, descending=True, as_board=30),
            JobOrder(0, "s1", (1,), ("green",)),
        ):
            store.jobs.add(order, released=True)
        store.jobs.follow(lambda queue: queue.move(3, before=2))
        run = intend(journal, claim(store))
        journal.note_go(run)
        journal.note_verdict(run, Verdict.GOOD.name)
        before = store.jobs.queue()
    with opened(tmp_path) as store, Journal(store):
        after = store.jobs.queue()
    assert [job.order for job in after.jobs] == [job.order for job in before.jobs]
    assert [job.order.id for job in after.jobs] == [1, 3, 2]
    assert [job.copies for job in after.jobs] == [job.copies for job in before.jobs]
    assert all(job.released for job in before.jobs)
    assert not any(job.released for job in after.jobs), "nothing starts by itself"


def test_ids_are_never_used_again(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store:
        ids = []
        for _ in range(3):
            ids.append(store.jobs.add(ORDER).id)
            store.jobs.follow(lambda queue: queue.remove(ids[-1]))
        assert ids == [1, 2, 3]
        assert store.jobs.queue().jobs == ()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_an_intent_a_go_and_a_verdict_move_the_board_in_the_same_transaction(tmp_path: Path, verdict: Verdict) -> None:
    with stored(opened(tmp_path)) as store, Journal(store) as journal:
        store.jobs.add(ORDER, released=True)
        copy = claim(store)
        run = intend(journal, copy)
        one = store.jobs.queue().copy(copy)
        assert (one.stand, one.machine, one.run) == (Stand.CLAIMED, MACHINE, run)
        with pytest.raises(KeyError):
            fail_after(journal, lambda: journal.note_go(run))
        assert store.jobs.queue().copy(copy).stand is Stand.CLAIMED
        journal.note_go(run)
        assert store.jobs.queue().copy(copy).stand is Stand.BEGUN
        with pytest.raises(KeyError):
            fail_after(journal, lambda: journal.note_verdict(run, verdict.name))
        assert store.jobs.queue().copy(copy).stand is Stand.BEGUN
        journal.note_verdict(run, verdict.name)
        done = verdict in (Verdict.GOOD, Verdict.COUNTED)
        assert store.jobs.queue().copy(copy).stand is (Stand.DEALT if done else Stand.BEGUN)


@pytest.mark.parametrize(
    ("far", "expected"),
    [
        ("claimed", Stand.WAITING),
        ("intended", Stand.WAITING),
        ("GO", Stand.OPEN),
        ("GOOD", Stand.DEALT),
        ("NOT_PROVEN", Stand.OPEN),
        ("ended without a proof", Stand.WAITING),
    ],
)
def test_the_claim_of_a_program_that_ended_is_seen_as_such(tmp_path: Path, far: str, expected: Stand) -> None:
    with stored(opened(tmp_path)) as store, Journal(store) as journal:
        store.jobs.add(ORDER, released=True)
        copy = claim(store)
        if far != "claimed":
            run = intend(journal, copy)
            if far != "intended":
                journal.note_go(run)
            if far in ("GOOD", "NOT_PROVEN"):
                journal.note_verdict(run, far)
            if far == "ended without a proof":
                journal.note_verdict(run, "NOT_PROVEN")
                journal.note_closed(run)
    with opened(tmp_path) as store:
        assert store.jobs.queue().copy(copy).stand is not expected or expected is not Stand.WAITING
        with Journal(store):
            assert store.jobs.queue().copy(copy).stand is expected
    with opened(tmp_path) as store, Journal(store):
        assert store.jobs.queue().copy(copy).stand is expected, "nor does a second restart change it"


def test_only_a_program_that_died_has_its_claims_ended_by_whoever_looks(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store, opened(tmp_path) as beside:
        with Journal(store):
            store.jobs.add(ORDER, released=True)
            copy = claim(store)
            end_if_nobody_deals(beside)
            assert store.jobs.queue().copy(copy).stand is Stand.CLAIMED, "a program is at work"
        end_if_nobody_deals(beside)
        assert store.jobs.queue().copy(copy).stand is Stand.WAITING
        assert not any(job.released for job in store.jobs.queue().jobs)


def test_a_program_that_begins_waits_for_one_that_only_looks_and_is_not_refused(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    began: list[Stand] = []

    def begin() -> None:
        with opened(tmp_path) as another, Journal(another):
            began.extend(one.stand for one in another.jobs.find(1).copies[:1])

    with stored(opened(tmp_path)) as store:
        store.jobs.add(ORDER, released=True)
        claim(store)
        begins, ended = threading.Thread(target=begin), store.jobs.programs_ended

        def while_it_looks() -> None:
            begins.start()
            begins.join(0.2)
            assert begins.is_alive(), "it waits"
            ended()

        mocker.patch.object(store.jobs, "programs_ended", while_it_looks)
        end_if_nobody_deals(store)
        begins.join()
    assert began == [Stand.WAITING]


def test_a_job_that_is_done_leaves_the_queue_and_is_still_known_by_its_id(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store, Journal(store) as journal:
        store.jobs.add(JobOrder(0, "s1", (1, 2)), released=True)
        for _ in range(2):
            run = intend(journal, claim(store))
            journal.note_go(run)
            journal.note_verdict(run, Verdict.GOOD.name)
        assert store.jobs.queue().jobs == ()
        assert stands(store) == [Stand.DEALT] * 2
        with pytest.raises(NothingOpen):
            store.jobs.find(2)


def test_another_program_edits_the_queue_while_this_one_deals(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store, Journal(store):
        store.jobs.add(ORDER, released=True)
        copy = claim(store)
        with opened(tmp_path) as beside:
            added = beside.jobs.add(JobOrder(0, "s1", (3,), ("blue",)))
            with pytest.raises(JobUnderWay):
                beside.jobs.follow(lambda queue: queue.remove(1))
            with pytest.raises(JobUnderWay):
                beside.jobs.follow(lambda queue: queue.move(added.id, before=1))
            beside.jobs.follow(lambda queue: queue.release(added.id))
        queue = store.jobs.queue()
        assert [job.released for job in queue.jobs] == [True, True]
        assert queue.copy(copy).stand is Stand.CLAIMED


def test_a_removed_job_keeps_what_it_has_dealt(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store, Journal(store) as journal:
        store.jobs.add(ORDER, released=True)
        run = intend(journal, claim(store))
        journal.note_go(run)
        journal.note_verdict(run, Verdict.GOOD.name)
        store.jobs.follow(lambda queue: queue.remove(1))
        assert store.jobs.queue().jobs == ()
        assert stands(store) == [Stand.DEALT]


def test_a_queue_that_was_changed_by_hand_is_told_as_damage(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store:
        store.jobs.add(ORDER)
        store.connection.execute("UPDATE jobs SET boards = 'all of them'")
        with pytest.raises(StoreDamaged, match="queue"):
            store.jobs.queue()


def test_the_lock_of_the_journal_says_whether_its_program_came_to_close_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store, opened(tmp_path) as beside:
        lock = store.folder / LOCK_NAME
        assert not is_dealing(beside)
        journal = Journal(store)
        assert (lock.stat().st_size, is_dealing(beside)) == (1, True)
        for _ in range(2):
            journal.close()
            assert (lock.stat().st_size, is_dealing(beside)) == (0, False)


def test_the_jobs_of_a_program_that_died_with_no_board_in_a_machine_are_held_once(tmp_path: Path) -> None:
    with stored(opened(tmp_path)) as store:
        lock = store.folder / LOCK_NAME
        job = store.jobs.add(ORDER, released=True).id
        end_if_nobody_deals(store)
        assert store.jobs.find(job).released, "no program died"
        lock.write_bytes(bytes(1))
        end_if_nobody_deals(store)
        assert not store.jobs.find(job).released
        assert lock.stat().st_size == 0
        store.jobs.follow(lambda queue: queue.release(job))
        end_if_nobody_deals(store)
        assert store.jobs.find(job).released, "a person released it since"
