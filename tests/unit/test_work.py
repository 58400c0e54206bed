"""Work that a program may not deal without a question: a job that comes in so is held again, and nothing of it taken.

Read next: `driver/work.py`; `tests/cli/test_queue_after_backup.py` for who refuses what.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from driver import claims
from driver.happenings import Item, NoMore, Taken, TakeNext
from driver.journal import Journal
from driver.machine import item_of
from driver.queue import JobOrder, Queue, Stand
from driver.store.runs import Intention
from driver.work import Work
from tests.support.store import deal_set, journal_in

MACHINE = "SIM-ONE"
DEALS = deal_set((1, 2, 3, 4))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """With job 1 of board 1 and job 2 of boards 2 and 3, both released."""
    with journal_in(tmp_path) as journal:
        for boards in ((1,), (2, 3)):
            journal.jobs.add(JobOrder(0, "", boards), released=True)
        yield journal


def work_without(journal: Journal, *refused: int) -> tuple[Work, list[Item]]:
    """The work in which jobs with these boards are refused; and the boards of which it told."""
    told: list[Item] = []
    work = Work(
        journal,
        partial(item_of, deals=DEALS),
        admits=lambda items: not any(item.board in refused for item in items),
    )
    work.watch(told.extend)
    return work, told


def taken(work: Work, number: int | None = None) -> int | NoMore:
    (found,) = work.follow(TakeNext(number), MACHINE)
    assert isinstance(found, Taken | NoMore)
    return found if isinstance(found, NoMore) else found.item.board


@pytest.mark.parametrize("number", [None, 2, 4])
def test_a_job_that_is_refused_is_held_again_and_the_next_one_is_dealt(journal: Journal, number: int | None) -> None:
    work, told = work_without(journal, 3)
    journal.jobs.follow(partial(Queue.move, job=1, before=None))
    assert taken(work, number) == 1
    assert [item.board for item in told] == [1]
    assert [(job.order.id, job.released) for job in journal.jobs.queue().jobs] == [(2, False), (1, True)]
    assert not journal.jobs.queue().copies(Stand.CLAIMED, jobs=[2])


def test_the_board_in_the_slot_is_not_taken_of_a_refused_job_and_the_own_one_stays(journal: Journal) -> None:
    work, _ = work_without(journal, 3)
    assert [taken(work), taken(work, 2)] == [1, 1]


def test_what_was_refused_is_asked_about_again_when_it_is_released_again(journal: Journal) -> None:
    refused = [2]
    work = Work(journal, partial(item_of, deals=DEALS), admits=lambda items: items[0].board not in refused)
    assert taken(work, 2) == 1
    refused.clear()
    journal.jobs.follow(partial(Queue.release, job=2))
    assert taken(work, 2) == 2


def test_an_open_board_of_a_refused_job_is_not_gone_on_with_and_what_was_left_of_it_not_offered(
    journal: Journal,
) -> None:
    journal.jobs.follow(lambda queue: claims.claim(queue, MACHINE, number=2)[0])
    (copy,) = journal.jobs.queue().copies(Stand.CLAIMED)
    run = journal.intend(Intention(2, "", MACHINE, 1, 0, 0, "", 2, False), bytes(8), copy=copy).run
    journal.note_go(run)
    journal.jobs.programs_ended()
    for job in (1, 2):
        journal.jobs.follow(partial(Queue.release, job=job))
    (other,) = journal.jobs.queue().copies(Stand.WAITING, jobs=[2])
    journal.jobs.follow(lambda queue: queue.with_copy(other, stand=Stand.LEFT))
    (first,) = journal.jobs.queue().copies(Stand.WAITING)
    journal.jobs.follow(lambda queue: queue.with_copy(first, stand=Stand.DEALT))

    assert [item.board for item in work_without(journal)[0].may_be_of(run, MACHINE)] == [2, 3]
    work, told = work_without(journal, 2)
    assert (work.may_be_of(run, MACHINE), work.items()) == ([], [])
    assert taken(work) == NoMore()
    assert told == []
