"""The store as a program uses it: open it in `with`, and ask its four parts.

May import: the rest of the store. Read next: `sets.py`, `register.py`, `decisions.py`, `copies.py`; `database.py` for
what holds when the power fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from driver.store.copies import Copies
from driver.store.database import BUSY_SECONDS, connect, transaction
from driver.store.decisions import Decisions
from driver.store.forms import Now
from driver.store.keys import load_keys
from driver.store.register import Register
from driver.store.sets import Sets


class Store:
    """The store in `folder`, made when absent. Use it in `with`, next to other programs that use it.

    Threads may share it: while one is in `together`, the others wait.

    `now` gives the time that is written. Raises StoreTooNew, StoreDamaged, StoreUnusable.
    """

    def __init__(self, folder: Path, *, now: Now, busy_seconds: float = BUSY_SECONDS) -> None:
        self._connection = connect(folder, busy_seconds=busy_seconds)
        try:
            keys = load_keys(self._connection)
        except BaseException:
            self._connection.close()
            raise
        self.sets = Sets(self._connection, keys, now)
        self.register = Register(self._connection, keys)
        self.decisions = Decisions(self._connection, keys, now)
        self.copies = Copies(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the files back. May be called twice."""
        with self._connection.lock:
            self._connection.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written inside is kept whole, durably when the block ends, or not at all."""
        with transaction(self._connection):
            yield
