"""Several machines that begin together, and one that ends before the others.

Made-up jobs stand for the machines, so that the order of what they do is fixed. Read next: `driver/several.py`,
`tests/faults/test_several_machines.py` for machines that deal.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, cast

import pytest

from driver import claims
from driver.errors import MachineFault
from driver.findings import Choice
from driver.happenings import Command, NoMore, QueueChanged, TakeNext, Tell
from driver.job import Job
from driver.job_events import JobEnded, JobEvent, NeedsOperator
from driver.job_result import JobResult
from driver.journal import Journal
from driver.machine import item_of
from driver.queue import JobOrder, Stand
from driver.scheduler import Scheduler
from driver.several import SeveralJobs
from driver.store.runs import Intention
from driver.work import carried_on
from tests.support.evidence import FULL
from tests.support.store import deal_set, journal_in, opened

LEFT, RIGHT = "SIM-LEFT", "SIM-RIGHT"
PATIENCE: Final = 20.0
DEALS: Final = deal_set((1,))


class MadeUpJob:
    """A job whose events are made up, and which knows that it was stopped. Its machine was heard a while ago."""

    silent_for = 9.0

    def __init__(self, events: Callable[[], Iterator[JobEvent]], stopped: threading.Event | None = None) -> None:
        self.events = events
        self.result = JobResult()
        self._stopped = stopped or threading.Event()

    def stop(self) -> None:
        """As `Job.stop`."""
        self._stopped.set()

    def stop_now(self) -> None:
        """As `Job.stop_now`."""
        self._stopped.set()


def last_board_left_open(folder: Path) -> int:
    """The only board of a job was begun at LEFT by a program that ended in the middle; its run."""
    with journal_in(folder) as journal:
        journal.jobs.add(JobOrder(0, "", (1,)), released=True)
        (copy,) = journal.jobs.queue().copies(Stand.WAITING)
        journal.jobs.follow(lambda queue: claims.claim(queue, LEFT)[0])
        run = journal.intend(Intention(1, "", LEFT, 1, 0, 0, "", 1, False), bytes(8), copy=copy).run
        journal.note_go(run)
    return run


@contextmanager
def two_machines(
    folder: Path,
    at_left: Callable[[], Iterator[JobEvent]],
    at_right: Callable[[], Iterator[JobEvent]],
    *,
    stopped: threading.Event | None = None,
    asks: bool = True,
) -> Iterator[SeveralJobs]:
    """LEFT and RIGHT deal the board that LEFT had left open; `stopped` is set when they are stopped."""
    last_board_left_open(folder)
    with opened(folder) as store, Journal(store) as journal:
        work = carried_on(journal, 1, partial(item_of, deals=DEALS), LEFT, RIGHT)
        made_up = {"LEFT": MadeUpJob(at_left, stopped), "RIGHT": MadeUpJob(at_right, stopped)}
        jobs = {name: cast(Job, job) for name, job in made_up.items()}
        yield SeveralJobs(jobs, {"LEFT": LEFT, "RIGHT": RIGHT}, work, asks=asks)


def fails() -> Iterator[JobEvent]:
    """The job at a machine that needs a technician."""
    raise MachineFault("It needs a technician.", fault=99)


def ends_after(happened: threading.Event) -> Callable[[], Iterator[JobEvent]]:
    """The job at a machine that deals on until then."""

    def job() -> Iterator[JobEvent]:
        assert happened.wait(PATIENCE)
        yield JobEnded(complete=False)

    return job


def ends() -> Iterator[JobEvent]:
    """The job at a machine at which a person stops."""
    yield JobEnded(complete=False)


def test_the_last_board_that_a_machine_left_open_is_offered_to_no_other_one_before_that_one_has_told(
    tmp_path: Path,
) -> None:
    run = last_board_left_open(tmp_path)
    with opened(tmp_path) as store, Journal(store) as journal:
        work = carried_on(journal, 1, partial(item_of, deals=DEALS), LEFT, RIGHT)
        for machine in (LEFT, RIGHT):
            work.expect(machine)
        busy, asks = [NoMore(busy=True)], [NoMore(elsewhere=(("1", LEFT),))]
        assert work.follow(TakeNext(None), RIGHT) == busy, "it is not known yet what became of it"
        work.resume(work.items()[0], LEFT, run, begun=True, done=[])
        work.has_told(LEFT)
        assert work.follow(TakeNext(None), RIGHT) == busy, "LEFT has it"
        work.end(LEFT)
        assert work.follow(TakeNext(None), RIGHT) == asks, "nobody waits for LEFT any more"


def test_a_machine_that_ends_before_it_has_told_is_waited_for_no_longer(tmp_path: Path) -> None:
    last_board_left_open(tmp_path)
    with opened(tmp_path) as store, Journal(store) as journal:
        work = carried_on(journal, 1, partial(item_of, deals=DEALS), LEFT, RIGHT)
        work.expect(LEFT)
        work.end(LEFT)
        assert work.follow(TakeNext(None), RIGHT) == [NoMore(elsewhere=(("1", LEFT),))]


@pytest.mark.parametrize("boards", [(1, 2), (1,)], ids=str)
def test_two_machines_with_a_board_of_the_same_number_in_the_slot_do_not_take_it_in_turns(
    boards: tuple[int, ...], tmp_path: Path
) -> None:
    schedulers = {LEFT: Scheduler(FULL), RIGHT: Scheduler(FULL)}
    with journal_in(tmp_path) as journal:
        journal.jobs.add(JobOrder(0, "", boards), released=True)
        work = carried_on(journal, 1, partial(item_of, deals=deal_set(boards)), *schedulers)

        def told_after(machine: str, commands: list[Command]) -> int:
            """How often a person at that machine is told something until nothing more follows."""
            told = 0
            for command in commands:
                if isinstance(command, TakeNext):
                    for found in work.follow(command, machine):
                        told += told_after(machine, schedulers[machine].on(found))
                else:
                    told += isinstance(command, Tell)
            return told

        for machine, scheduler in schedulers.items():
            work.expect(machine)
            assert told_after(machine, scheduler.begin(in_slot=1)) == 1
        later = [
            sum(
                told_after(machine, scheduler.on(QueueChanged()))
                for machine, scheduler in schedulers.items()
                if work.may_differ(machine, scheduler.item)
            )
            for _ in range(5)
        ]
    assert later == [1, 0, 0, 0, 0], "LEFT is told once that RIGHT has it"


def test_a_machine_that_deals_no_more_is_not_called_silent(tmp_path: Path) -> None:
    ended = threading.Event()
    silent: list[tuple[float, float]] = []
    with two_machines(tmp_path, ends, ends_after(ended), asks=False) as several:
        for event in several.events():
            silent.append((several.silent_at("LEFT"), several.silent_at("RIGHT")))
            if event.machine == "LEFT":
                ended.set()
    assert silent == [(0.0, 9.0), (0.0, 0.0), (0.0, 0.0)]


@pytest.mark.parametrize("way", [SeveralJobs.stop, SeveralJobs.stop_now])
def test_a_stop_ends_the_question_about_a_machine_that_has_failed(
    way: Callable[[SeveralJobs], None], tmp_path: Path
) -> None:
    stopped = threading.Event()
    asked = []
    with two_machines(tmp_path, ends_after(stopped), fails, stopped=stopped) as several:
        for event in several.events():
            if isinstance(event, NeedsOperator):
                asked.append(event.machine)
                way(several)
    assert asked == ["RIGHT"]
    assert event == JobEnded(complete=False)


def test_a_machine_that_was_stopped_is_not_said_to_have_dealt_all(tmp_path: Path) -> None:
    with two_machines(tmp_path, ends, ends, asks=False) as several:
        told = {event.machine: event for event in several.events()}
    assert told == {name: JobEnded(complete=False, machine=name) for name in ("LEFT", "RIGHT", "")}


def test_a_machine_that_has_failed_is_told_as_ended_once_a_person_has_decided_about_it(tmp_path: Path) -> None:
    decided = threading.Event()
    told: list[tuple[type[JobEvent], str]] = []

    def hear(several: SeveralJobs) -> None:
        for event in several.events():
            told.append((type(event), event.machine))
            if isinstance(event, NeedsOperator):
                several.decide(Choice.CONTINUE, machine="RIGHT")
            elif event.machine == "RIGHT":
                decided.set()

    with two_machines(tmp_path, ends_after(decided), fails) as several, pytest.raises(MachineFault):
        hear(several)  # nothing was dealt, and that is why
    assert told == [(NeedsOperator, "RIGHT"), (JobEnded, "RIGHT"), (JobEnded, "LEFT")]
