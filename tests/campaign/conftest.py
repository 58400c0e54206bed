"""What the long proofs share: a folder without a disk behind it, since none of them is about a disk that fails.

Read next: `test_million_feeds.py`.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

IN_MEMORY: Final = Path("/dev/shm")
"""A folder that no disk is behind, where the system has one."""


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """A folder for stores, gone after the test."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(autouse=True)
def quick_search_for_garbage() -> Iterator[None]:
    """What is there before a test, every other test among it, is not searched for garbage each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's store is written and not waited for."""
    monkeypatch.setattr("driver.store.database.SYNCHRONOUS", "OFF")
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
