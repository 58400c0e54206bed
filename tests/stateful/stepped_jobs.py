"""The real jobs of several machines, in one thread: a machine's part goes on when it is stepped.

May import: driver, tests.stateful.patient. Read next: `queue_world.py`; `driver/several.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from driver.job_events import JobEvent
from driver.several import SeveralJobs
from driver.work import Work
from protocol.errors import DealingMachineError
from tests.stateful.patient import NoNews, PatientJob


class SteppedJobs(SeveralJobs):
    """One patient job for each machine by its name; who steps it gets what the person is told of it."""

    def __init__(self, jobs: Mapping[str, PatientJob], serials: Mapping[str, str], work: Work) -> None:
        super().__init__(jobs, serials, work)
        self._parts = {name: self._told_by(name, job) for name, job in jobs.items()}

    @property
    def is_over(self) -> bool:
        """Whether no machine deals any more, and nobody is asked about one."""
        return not self._running and not self._asks_about

    def deals_at(self, name: str) -> bool:
        """Whether that machine still deals."""
        return name in self._running

    def asks_about(self, name: str) -> bool:
        """Whether a person is asked what becomes of that machine, which is lost or deals no more."""
        return name in self._asks_about

    def step(self, name: str) -> list[JobEvent]:
        """Lets that machine's job run until it tells something; raises what is no error of the driver."""
        told = next(self._parts[name])
        if isinstance(told, NoNews):
            return [told]
        error = getattr(told, "error", None)
        if error is not None and not isinstance(error, DealingMachineError):
            raise error
        return [*self._hear(name, told)]

    def follow(self) -> None:
        """Does what a person has decided about machines."""
        while not self._told.empty():
            name, told = self._told.get()
            for _ in self._hear(name, told):
                pass
