"""What dealing a stored set leaves in the store beside the journal: which deals are used, how far a championship is.

May import: `store`, `championship`, `handed_over`, `new_hands`, `clock`, `happenings`, `verdicts`, `errors`. Read next:
`dealing.py`, which tells it in the middle of a run.
Only cards that a real machine drops make a deal used (`Register`): a simulated one says so in the handshake. Tests and
rehearsals set DEALCTL_SIMULATED_COUNTS: then a simulated machine is taken for a real one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, Protocol

from driver.championship import DONE, check_may_be_dealt, note_begun, note_dealt
from driver.clock import utc_now
from driver.errors import WrongState
from driver.handed_over import check_here
from driver.happenings import Item
from driver.journal import Journal
from driver.new_hands import GivenSpare, given_spares, spare_of
from driver.store.store import Store
from driver.store.stored import SetKind
from driver.verdicts import Verdict

COUNTS_VARIABLE: Final = "DEALCTL_SIMULATED_COUNTS"


class Records(Protocol):
    """Who is told what becomes of the boards of a job, as a part of what the journal writes in that moment."""

    def begun(self, item: Item, run: int) -> None:
        """GO is about to be sent for this run."""

    def judged(self, verdict: Verdict) -> None:
        """A run of this or an earlier job has this verdict in the journal now."""


def is_rehearsal(*, simulated: bool) -> bool:
    """Whether a machine that is `simulated` by its own word only pretends to deal here."""
    return simulated and not os.environ.get(COUNTS_VARIABLE)


class DealtRecords:
    """The records of one job whose `items` are all of stored sets. `simulated`: the machine only pretends.

    Raises StoreUnusable and StoreDamaged, after which nothing moves; at first also NothingOpen when a set is not there,
    and WrongState for a championship that may not be dealt yet, or a set that was handed over; later WrongState for a
    board to which the director gave new hands after the job had begun.
    """

    def __init__(self, store: Store, items: Iterable[Item] = (), *, simulated: bool) -> None:
        self._store = store
        self._simulated = is_rehearsal(simulated=simulated)
        self._championships: dict[str, set[int]] = {}
        self._log = store.decisions.head()
        self._given: dict[str, tuple[GivenSpare, ...]] = {}
        self.include(items)

    def include(self, items: Iterable[Item]) -> None:
        """More boards are to be dealt: all of a job together."""
        boards: dict[str, set[int]] = {}
        for item in items:
            boards.setdefault(item.set_id, set()).add(item.deal_board)
        for set_id, wanted in boards.items():
            stored = self._store.sets.find(set_id)
            check_here(self._store, stored)
            check_may_be_dealt(self._store, stored)
            if stored.kind is SetKind.CHAMPIONSHIP and not self._simulated:
                self._championships.setdefault(set_id, set()).update(wanted)
        self._given |= self._given_now(set_id for set_id in boards if set_id not in self._given)

    def begun(self, item: Item, run: int) -> None:
        """As `Records.begun`; the register has the number that the board is dealt as."""
        with self._store.together():
            self._check_hands(item)
            if not self._simulated:
                self._store.register.note(item.deal, item.set_id, item.board, item.copy, run, utc_now())
            if item.set_id in self._championships:
                note_begun(self._store, item.set_id)

    def judged(self, verdict: Verdict) -> None:
        """As `Records.judged`."""
        if verdict not in DONE:
            return
        with self._store.together():
            for set_id, wanted in self._championships.items():
                note_dealt(self._store, set_id, wanted)

    def _given_now(self, sets: Iterable[str]) -> dict[str, tuple[GivenSpare, ...]]:
        entries = self._store.decisions.newest_first()
        return {set_id: given_spares(entries, set_id) for set_id in sets}

    def _check_hands(self, item: Item) -> None:
        """Raises WrongState when the item's hands are not those that its board has by now."""
        if self._store.decisions.head() == self._log:
            return
        given = self._given_now(self._given)
        spares = [spare_of(item.deal_board, item.copy, known[item.set_id]) for known in (self._given, given)]
        if spares[0] != spares[1]:
            raise WrongState(
                f"Board {item.board} was given new hands after this job had begun.",
                hint="No card of it was dealt. Start again: then it gets the new hands.",
            )


def note_proven(journal: Journal, store: Store, board: int) -> bool:
    """As `Machine.note_proven`; a championship of which that was the last board to come is dealt then."""
    record = journal.last_of_board(board)
    if record is None or record.verdict != Verdict.NOT_PROVEN.name:
        return False
    told = record.intention
    with journal.together():
        journal.note_verdict(record.run, Verdict.GOOD.name)
        if told.deal_set and not told.simulated:
            jobs = [job for job in journal.jobs.queue().jobs if job.order.set_id == told.deal_set]
            note_dealt(store, told.deal_set, {one.deal_board for job in jobs for one in job.copies})
    return True
