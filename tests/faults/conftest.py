"""What the fault tests share: a disk that does not make a thousand boards wait, one that is recorded, and a world.

Read next: `tests/support/sitting.py`, `tests/stateful/world.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stateful.watch import WatchedMachine
from tests.stateful.world import World
from tests.support.recorded_disk import OutOfReach, recorder_in, skip_or_fail


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's store is written and not waited for: what fails in these tests is the machine or the person."""
    monkeypatch.setattr("driver.store.database.SYNCHRONOUS", "OFF")
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.fixture(scope="session")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lies between a program and its files; where nothing of ours can lie there the test is skipped."""
    try:
        return recorder_in(tmp_path_factory.mktemp("recorder"))
    except OutOfReach as reason:
        skip_or_fail(str(reason))
        raise


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Three boards to deal; the program asks for the first."""
    made = World(5, machine=getattr(request, "param", WatchedMachine))
    made.run()
    assert made.between_boards
    yield made
    made.close()
