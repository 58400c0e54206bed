"""The sets of the jobs that `dealctl queue run` deals: opened before it begins, or when another window releases a job.

May import: `driver.held`, `driver.handed_over`, `driver.machine`, `driver.queue`, `driver.store`, `wanted.py`,
`text.py`. Read next: `queue.py`; `driver/work.py`, which asks here about each job before it takes a board of it.
A question to a person comes before the first card. So a job that is released meanwhile, and about which something has
to be asked, is not begun: it stays held, and is named at the end.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace

from driver.cli.text import board_name
from driver.cli.wanted import Wanted, wanted_by
from driver.deals.hands import listed
from driver.handed_over import board_is_asked
from driver.happenings import Item
from driver.held import held
from driver.machine import item_of
from driver.queue import BoardCopy, CopyId, JobOrder, Stand
from driver.store.store import Store


class QueuedSets:
    """The `sets` of the jobs that were chosen, by the jobs, and of those that come in; `simulated`: every machine only
    pretends."""

    def __init__(self, sets: Mapping[int, Wanted], args: Namespace, store: Store, *, simulated: bool) -> None:
        self._args = args
        self._store = store
        self._simulated = simulated
        self._sets = dict(sets)
        self._chosen = frozenset(self._sets)
        self._refused: dict[int, str] = {}

    def hands(self, order: JobOrder, copy: BoardCopy) -> Item:
        """The item of a board copy; the set of a job that came in meanwhile is opened now."""
        if order.id not in self._sets:
            self._sets[order.id] = wanted_by(order, self._args, self._store)
        wanted = self._sets[order.id]
        return item_of(order, copy, wanted.deals, wanted.other_hands)

    def to_deal(self, job: int) -> list[Item]:
        """The boards of a job that are not dealt, in their order."""
        found = self._store.jobs.find(job)
        return [
            replace(self.hands(found.order, one), place=CopyId(job, one.place))
            for one in found.copies
            if one.stand is not Stand.DEALT
        ]

    def may_be_dealt(self, items: Sequence[Item]) -> bool:
        """Whether nothing has to be asked about this job, all of whose boards `items` are."""
        job = items[0].place.job
        left = self.to_deal(job)
        unasked = held(self._store, left, simulated=self._simulated)
        if unasked:
            names = listed([board_name(item.deal_board, item.copy) for item in unasked])
            self._refused[job] = f"a backup was put back, and nobody has said whether it was dealt after that: {names}."
        elif board_is_asked(self._store, (item.set_id for item in left)):
            self._refused[job] = "its set was taken over, and nobody has said which board lies in the machine."
        else:
            self._refused.pop(job, None)
        return job not in self._refused

    @property
    def came_in(self) -> int:
        """How many boards the jobs have that came in meanwhile and may be dealt."""
        jobs = self._sets.keys() - self._chosen - self._refused.keys()
        return sum(len(self._store.jobs.find(job).copies) for job in jobs)

    @property
    def not_begun(self) -> list[str]:
        """A line about each job that was released meanwhile, and not begun because something has to be asked first."""
        return [
            f"Job {job} was released meanwhile and not begun: {why} To deal it: dealctl queue run {job}"
            for job, why in sorted(self._refused.items())
        ]
