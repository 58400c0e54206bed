"""A job as its caller sees it: what happens, one event after another, and a person's decisions about it.

May import: `runner`, `scheduler`, `decisions`, `controls`, `journal`, `work`. Read next: `runner.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driver.controls import Controls
from driver.dealt import Records
from driver.decisions import Decisions, StopWish
from driver.findings import Choice
from driver.happenings import Options
from driver.job_events import JobEvent, NeedsOperator
from driver.job_result import JobResult
from driver.journal import Journal
from driver.runner import Runner
from driver.scheduler import Scheduler
from driver.steps import Step
from driver.work import Work


class Job:
    """Deals the boards that `work` has for this machine. `events` runs it; the other methods decide, from any thread.

    `more_packs` says that other packs lie below the one being dealt, so that its end is not proven by an empty hopper.
    """

    def __init__(
        self,
        controls: Controls,
        journal: Journal,
        work: Work,
        options: Options,
        *,
        records: Records,
        more_packs: bool = False,
    ) -> None:
        self._controls = controls
        self._decisions = Decisions()
        self._scheduler = Scheduler(controls.identity, options)
        self._work = work
        work.expect(controls.ack.serial)
        self._runner = Runner(
            controls, journal, work, self._scheduler, self._decisions, records=records, more_packs=more_packs
        )

    @property
    def result(self) -> JobResult:
        """The verdicts so far."""
        return self._runner.dealing.result

    @property
    def results(self) -> dict[str, JobResult]:
        """As `result`, by the name of the only machine, which needs none."""
        return {"": self.result}

    @property
    def work(self) -> Work:
        """What it deals."""
        return self._work

    @property
    def step(self) -> Step:
        """Where the job is."""
        return self._scheduler.step

    @property
    def asked(self) -> NeedsOperator | None:
        """The last question; what `step` is says whether it is still open."""
        return self._scheduler.asked

    @property
    def boards_left(self) -> int:
        """Board copies of the job that are still to be dealt, on whatever machine; not those that were left."""
        return self._work.left

    @property
    def silent_for(self) -> float:
        """Seconds since the machine was last heard; over STALE_AFTER its values are shown as old (I5)."""
        return self._controls.silent_for

    def silent_at(self, machine: str) -> float:
        """As `silent_for`; `machine` as in `decide`."""
        return self.silent_for

    def stop_at(self, machine: str) -> None:
        """As `stop`; `machine` as in `decide`."""
        self.stop()

    def go_on(self) -> None:
        """Start the board asked for, or let the paused one go on, whichever is waited for."""
        self.decide(Choice.GO)

    def deal_again(self) -> None:
        """The same hands once more: the person has emptied pockets, path and hopper, and the pack is in again."""
        self.decide(Choice.DEAL_AGAIN)

    def decide(
        self, choice: Choice, name: str = "", counts: Sequence[int] = (0, 0, 0, 0), *, machine: str = ""
    ) -> None:
        """A person's answer to the last question; from any thread. `name` and `counts` (N E S W) go with COUNT.

        `machine` is for `SeveralJobs`; a job on one machine needs no name of it.
        """
        self._decisions.put(choice, name, counts, self._scheduler.asked)

    def pause_after_board(self) -> None:
        """Ask before the next board."""
        self._scheduler.pause_wanted = True

    def stop(self) -> None:
        """Finish the card under way, then end the job; the board stays open in the machine."""
        self._decisions.stop(StopWish.AFTER_THIS_CARD)

    def stop_now(self) -> None:
        """Motors off at once, then end the job."""
        self._decisions.stop(StopWish.NOW)

    def events(self) -> Iterator[JobEvent]:
        """Runs the job; gives what happens, and waits as long as a person needs. Ends with JobEnded.

        Raises MachineFault when a technician is needed, StopNotConfirmed, OtherMachine, CannotGoOn; a machine that is
        lost is reached again by itself.
        """
        return self._runner.events()
