"""The real job, which gives back the word when it has nothing to tell for a while.

May import: driver, tests.support. Read next: `world.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from driver.controls import Controls
from driver.happenings import Item, Options
from driver.job import Job
from driver.job_events import JobEvent
from driver.journal import Journal
from driver.runner import Runner
from driver.work import Work
from protocol.errors import DealingMachineError
from tests.support.memory import ManualClock
from tests.support.unrecorded import Unrecorded

PATIENCE: Final = 60.0
"""Seconds without news after which the job says so, if nothing else is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoNews(JobEvent):
    """The job told nothing for as long as it is patient."""


class PatientRunner(Runner):
    """The real runner, which says when it has told nothing for a while."""

    clock: ManualClock
    quiet_since = 0.0
    patience = PATIENCE

    def _wait(self) -> None:
        super()._wait()
        self._say_no_news()

    def _on_lost(self, failure: DealingMachineError) -> None:
        super()._on_lost(failure)
        self._say_no_news()

    def _say_no_news(self) -> None:
        now = self.clock.monotonic()
        if self._outbox:
            self.quiet_since = now
        elif now - self.quiet_since >= self.patience:
            self.quiet_since = now
            self._outbox.append(NoNews())


class PatientJob(Job):
    """The real job over the patient runner."""

    def __init__(
        self,
        controls: Controls,
        journal: Journal,
        work: Work,
        options: Options,
        clock: ManualClock,
        *,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(controls, journal, work, options, records=Unrecorded())
        patient = PatientRunner(
            controls, journal, work, self._scheduler, self._decisions, records=Unrecorded(), more_packs=False
        )
        self._runner = patient
        patient.clock, patient.quiet_since, patient.patience = clock, clock.monotonic(), patience

    @property
    def item(self) -> Item | None:
        """The board that it deals or asks for."""
        return self._scheduler.item
