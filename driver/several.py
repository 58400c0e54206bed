"""Several machines on one host that deal from one queue: one thread for each, one caller who hears them all.

May import: `job`, `job_events`, `job_result`, `work`, `findings`, `protocol.errors`. Read next: `machines.py`, which
opens them; `work.py`, from which each takes its boards.
A machine that stops, fails or waits for a person never holds up another one. What it had only asked for goes back to
the queue at once; a board of which cards may lie at it goes to another machine only when a person says it is empty.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from driver.findings import Choice, board_name
from driver.job import Job
from driver.job_events import JobEnded, JobEvent, MachineLost, NeedsOperator
from driver.job_result import JobResult
from driver.work import Work
from protocol.errors import DealingMachineError

_LOST: Final = (Choice.WAIT, Choice.CONTINUE)
_FAILED: Final = (Choice.CONTINUE, Choice.CONTINUE_EMPTIED)


@dataclass(frozen=True, slots=True)
class _Ended:
    """A machine's thread is through: `complete` as in JobEnded, `error` is what it failed with."""

    complete: bool
    error: Exception | None


@dataclass(frozen=True, slots=True)
class _Decided:
    """What a person decided about a machine that is lost or failed."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class _Stopped:
    """A person has stopped them all: nobody is asked about a machine any more."""


class SeveralJobs:
    """One `Job` for each machine, named as the person names it, over one `Work`. `serials` are their numbers.

    `asks` = there is a person who says what becomes of a machine that is lost or failed; without one the others go on,
    and its open board stays open. `events` runs them all; the other methods are a person's decisions, from any thread.
    Each event has the name of its machine in `machine`; the last one, JobEnded, has none.
    """

    def __init__(self, jobs: Mapping[str, Job], serials: Mapping[str, str], work: Work, *, asks: bool = True) -> None:
        self.jobs = dict(jobs)
        self._serials = dict(serials)
        self._work = work
        self._asks = asks
        self._told: queue.SimpleQueue[tuple[str, JobEvent | _Ended | _Decided | _Stopped]] = queue.SimpleQueue()
        self._running = set(self.jobs)
        self._asks_about: set[str] = set()
        self._stopping = False
        self._errors: list[Exception] = []

    @property
    def result(self) -> JobResult:
        """The verdicts so far, of all machines."""
        return JobResult(job.result for job in self.jobs.values())

    @property
    def results(self) -> dict[str, JobResult]:
        """The verdicts so far, by the names of the machines."""
        return {name: job.result for name, job in self.jobs.items()}

    @property
    def work(self) -> Work:
        """What they deal together."""
        return self._work

    @property
    def boards_left(self) -> int:
        """As `Job.boards_left`."""
        return self._work.left

    def silent_at(self, machine: str) -> float:
        """Seconds since that machine was last heard; 0 for one that deals no more, of which nothing is waited for."""
        return self.jobs[machine].silent_for if machine in self._running else 0.0

    def decide(
        self, choice: Choice, name: str = "", counts: Sequence[int] = (0, 0, 0, 0), *, machine: str = ""
    ) -> None:
        """A person's decision about that machine."""
        if machine in self._asks_about and (choice in (*_LOST, *_FAILED) or machine not in self._running):
            self._told.put((machine, _Decided(choice)))
            return
        if choice is Choice.STOP:
            self._work.hold_open(self._serials[machine])
        self.jobs[machine].decide(choice, name, counts)

    def pause_after_board(self) -> None:
        """Ask before the next board, at each machine."""
        for job in self.jobs.values():
            job.pause_after_board()

    def stop(self) -> None:
        """Finish the cards under way, then end: boards stay open in their machines."""
        self._stopping = True
        self._told.put(("", _Stopped()))
        for job in self.jobs.values():
            job.stop()

    def stop_now(self) -> None:
        """All motors off at once, then end."""
        self._stopping = True
        self._told.put(("", _Stopped()))
        for job in self.jobs.values():
            job.stop_now()

    def stop_at(self, machine: str) -> None:
        """That machine deals no more; the others go on."""
        self._work.hold_open(self._serials[machine])
        self.jobs[machine].stop()

    def events(self) -> Iterator[JobEvent]:
        """Runs the jobs; what happens, each event with its machine's name. Ends with one JobEnded.

        A machine that fails is told and asked about. Raises what the last one failed with when none is left.
        """
        threads = [
            threading.Thread(target=self._run, args=(name, job), name=f"machine {name}")
            for name, job in self.jobs.items()
        ]
        for thread in threads:
            thread.start()
        try:
            while self._running or self._asks_about:
                name, told = self._told.get()
                yield from (replace(event, machine=name) for event in self._hear(name, told))
            if self._errors and not self.result.boards and not self._stopping:
                raise self._errors[-1]
            yield JobEnded(complete=self._work.is_complete)
        finally:
            self.stop()
            for thread in threads:
                thread.join()

    def _run(self, name: str, job: Job) -> None:
        for told in self._told_by(name, job):
            self._told.put((name, told))

    def _told_by(self, name: str, job: Job) -> Iterator[JobEvent | _Ended]:
        """What that machine's job tells, and how it ended."""
        complete, error = False, None
        try:
            for event in job.events():
                if isinstance(event, JobEnded):
                    complete = event.complete
                else:
                    yield event
        except Exception as failure:  # noqa: BLE001 - it is told by the thread that hears them all
            error = failure
            self._work.hold_open(self._serials[name])
            self._work.end(self._serials[name])
        yield _Ended(complete, error)

    def _hear(self, name: str, told: JobEvent | _Ended | _Decided | _Stopped) -> Iterator[JobEvent]:
        match told:
            case _Decided(choice):
                self._asks_about.discard(name)
                self._on_decision(name, choice)
                if name not in self._running:
                    yield JobEnded(complete=False)
            case _Stopped():
                self._asks_about.clear()
            case _Ended() as ended:
                self._running.discard(name)
                yield from self._on_end(name, ended)
            case MachineLost() as event:
                yield event
                if self._others(name) and self._asks and not self._stopping:
                    self._asks_about.add(name)
                    yield NeedsOperator(
                        text=event.text,
                        steps=(event.hands, f"{self._others(name)} goes on meanwhile."),
                        choices=_LOST,
                        words=(f"wait for {name}", f"continue on {self._others(name)}"),
                    )
            case JobEvent() as event:
                self._asks_about.discard(name)
                yield event

    def _on_end(self, name: str, ended: _Ended) -> Iterator[JobEvent]:
        serial, others, error = self._serials[name], self._others(name), ended.error
        self._asks_about.discard(name)
        if error is not None:
            self._errors.append(error)
        begun = self._work.begun_by(serial)
        if self._stopping or not self._asks or not others or (error is None and not begun):
            self._work.let_go(serial)
            yield JobEnded(complete=ended.complete)
            return
        self._asks_about.add(name)
        boards = " and ".join(board_name(item) for item in begun)
        said = str(error) if error is not None else f"{name} deals no more."
        choices = _FAILED if begun else _FAILED[:1]
        hint = error.hint if isinstance(error, DealingMachineError) else ""
        steps = [hint, f"{others} goes on with the boards that {name} had not begun."]
        if begun:
            steps.append(f"If {others} is to deal {boards}, take all its cards out first.")
            self._work.note_emptying(serial, asked=True)
        yield NeedsOperator(
            text=f"{said} Cards of {boards} may lie there." if begun else said,
            steps=tuple(step for step in steps if step),
            choices=choices,
            words=(f"continue on {others}", f"continue on {others}; {boards} is empty, deal it there")[
                : 1 + bool(begun)
            ],
        )

    def _on_decision(self, name: str, choice: Choice) -> None:
        serial = self._serials[name]
        if choice is Choice.CONTINUE and name in self._running:
            self.stop_at(name)
            return
        if choice is Choice.CONTINUE:
            self._work.note_emptying(serial, asked=False)
        if choice is Choice.CONTINUE_EMPTIED:
            for item in self._work.begun_by(serial):
                self._work.empty(item)
        if choice is not Choice.WAIT:
            self._work.let_go(serial)

    def _others(self, name: str) -> str:
        """The machines that still deal, but for this one."""
        return " and ".join(other for other in self.jobs if other != name and other in self._running)
