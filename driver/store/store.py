"""The store as a program uses it: open it in `with`, and ask its parts.

May import: the rest of the store. Read next: `sets.py`, `register.py`, `decisions.py`, `copies.py`, `runs.py`,
`jobs.py`; `database.py` for what holds when the power fails; `driver/journal.py`, who alone writes `entries`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from driver.store.copies import Copies
from driver.store.database import BUSY_SECONDS, connect, transaction
from driver.store.decisions import Decisions
from driver.store.entries import Entries
from driver.store.forms import Now
from driver.store.jobs import Jobs
from driver.store.keys import KeyUse, load_keys
from driver.store.register import Register
from driver.store.runs import Runs
from driver.store.sets import Sets


class Store:
    """The store in `folder`, made when absent. Use it in `with`, next to other programs that use it.

    Threads may share it: while one is in `together`, the others wait. `connection` is for the parts of the store alone.

    `now` gives the time that is written. Raises StoreTooNew, StoreDamaged, StoreUnusable.
    """

    def __init__(self, folder: Path, *, now: Now, busy_seconds: float = BUSY_SECONDS) -> None:
        self.connection = connect(folder, busy_seconds=busy_seconds)
        try:
            keys = load_keys(self.connection)
        except BaseException:
            self.connection.close()
            raise
        self.sets = Sets(self.connection, keys, now)
        self.register = Register(self.connection, keys)
        self.decisions = Decisions(self.connection, keys, now)
        self.copies = Copies(self.connection)
        self.runs = Runs(self.connection)
        self.jobs = Jobs(self.connection, now)
        self.entries = Entries(self.connection, keys, now)
        self.folder = folder
        self._keys = keys

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the files back. May be called twice."""
        with self.connection.lock:
            self.connection.close()

    def plan_tag(self, plan: bytes) -> bytes:
        """32 bytes that stand for a plan; equal for an equal plan, telling nothing without the key."""
        return self._keys.tag(KeyUse.PLAN_TAGS, b"plan", plan)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written inside is kept whole, durably when the block ends, or not at all."""
        with transaction(self.connection):
            yield
