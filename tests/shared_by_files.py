"""A plugin for pytest-xdist (`-p tests.shared_by_files`): shares the tests between the processes by whole files.

Its own groups do not reach this pytest. Read next: `tests/support/sharing.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.support.sharing import process_of


class SharedByFiles(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Tests for which `process_of` says the same run in one process, in their order."""

    def _split_scope(self, nodeid: str) -> str:
        return process_of(Path(nodeid.partition("::")[0]))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SharedByFiles:
    """Takes the place of the usual one."""
    return SharedByFiles(config, log)
