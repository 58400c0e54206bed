"""Deals, sets and a clock for the tests of the store, and programs that use it next to a test.

May import: `driver`, `protocol`. Read next: `driver/store/store.py`, `tests/unit/test_store_database.py`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from driver.deals.model import BoardDeal, Deal, DealSet
from driver.dealt import Records, is_rehearsal
from driver.happenings import Item
from driver.journal import Journal
from driver.store.runs import Intention
from driver.store.store import Store
from driver.verdicts import Verdict

NOON: Final = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


@dataclass(slots=True)
class Clock:
    """A clock that tests turn on by hand."""

    time: datetime = field(default=NOON)

    def __call__(self) -> datetime:
        return self.time

    def later(self, **much: float) -> datetime:
        """Turns the clock on, and gives its time."""
        self.time += timedelta(**much)
        return self.time


def opened(folder: Path, clock: Clock | None = None) -> Store:
    """The store in that folder, with a clock that stands at noon unless another is given."""
    return Store(folder, now=clock or Clock())


@contextmanager
def journal_in(folder: Path) -> Iterator[Journal]:
    """The journal in that folder, to write and to ask."""
    with opened(folder) as store, Journal(store) as journal:
        yield journal


def dealt(
    store: Store,
    set_id: str,
    board: int,
    copy: str = "",
    *,
    run: int | None = None,
    verdict: Verdict | None = Verdict.GOOD,
    simulated: bool = False,
) -> int:
    """A machine begins this copy of a board, and ends it where there is a verdict; the run."""
    told = Intention(board, copy, "DM0042", 1, 0, 0, set_id, board, simulated)
    with Journal(store) as journal:
        run = journal.intend(told, bytes(8), run=run).run
        journal.note_go(run)
        if verdict is not None:
            journal.note_verdict(run, verdict.name)
    return run


def dealt_earlier(store: Store, days: int) -> None:
    """All that was dealt was dealt so many days earlier, by the journal and the register."""
    connection = store.connection
    (rule,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'journal_stays'").fetchone()
    with store.together():
        connection.execute("DROP TRIGGER journal_stays")
        for table in ("journal", "used_deals"):
            for (text,) in connection.execute(f"SELECT DISTINCT time FROM {table} ORDER BY time").fetchall():
                then = (datetime.fromisoformat(text) - timedelta(days=days)).isoformat()
                connection.execute(f"UPDATE {table} SET time = ? WHERE time = ?", (then, text))
        for sequence, chain, _ in store.entries._links():  # noqa: SLF001 - as if the program had written it so
            connection.execute("UPDATE journal SET chain = ? WHERE sequence = ?", (chain, sequence))
        connection.execute(rule)


def begun(store: Store, records: Records, item: Item, *, run: int | None = None, simulated: bool = False) -> int:
    """What journal and records are told of `item` before GO; the run."""
    counts = is_rehearsal(simulated=simulated)
    told = Intention(item.board, item.copy, "DM0042", 1, 0, 0, item.set_id, item.deal_board, counts)
    with Journal(store) as journal, journal.together():
        run = journal.intend(told, bytes(8), run=run).run
        journal.note_go(run)
        records.begun(item, run)
    return run


def judged(store: Store, records: Records, run: int, verdict: Verdict) -> None:
    """What journal and records are told of a verdict."""
    with Journal(store) as journal, journal.together():
        journal.note_verdict(run, verdict.name)
        records.judged(verdict)


def deal(seed: int) -> Deal:
    """A deal that is the same for the same seed."""
    owners = [seat for seat in range(4) for _ in range(13)]
    random.Random(seed).shuffle(owners)
    return Deal(owners)


def turned(one: Deal, seats: int) -> Deal:
    """The deal with each hand moved so many seats clockwise."""
    return Deal([(owner + seats) % 4 for owner in one.owners])


def deal_set(numbers: Iterable[int], *, seed: int = 0, name: str = "tuesday", path: str | None = None) -> DealSet:
    """A set with those boards; each deal depends on seed and number alone."""
    boards = tuple(BoardDeal(number, deal(1000 * seed + number), line=10 * number) for number in numbers)
    return DealSet(name, path, boards, event="Tuesday Pairs", date="2026.11.24")
