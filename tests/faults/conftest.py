"""What the fault tests share: a disk that does not make a thousand boards wait, and a world with three boards to deal.

Read next: `tests/support/sitting.py`, `tests/stateful/world.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stateful.watch import WatchedMachine
from tests.stateful.world import World


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's store is written and not waited for: what fails in these tests is the machine or the person."""
    monkeypatch.setattr("driver.store.database.SYNCHRONOUS", "OFF")
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Three boards to deal; the program asks for the first."""
    made = World(5, machine=getattr(request, "param", WatchedMachine))
    made.run()
    assert made.between_boards
    yield made
    made.close()
