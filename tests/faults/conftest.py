"""What the fault tests share: a disk that does not make a thousand boards wait.

Read next: `tests/support/sitting.py`.
"""

from __future__ import annotations

import pytest


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's journal is written and not waited for: what fails in these tests is the machine or the person."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
