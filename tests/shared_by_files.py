"""A plugin for pytest-xdist (`-p tests.shared_by_files`): shares the tests between the processes by whole files.

The long tests of a campaign are shared one by one.
Its own groups do not reach this pytest. Read next: `tests/support/sharing.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.support.sharing import TERMINALS, process_of


class SharedByFiles(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Tests for which `process_of` says the same run in one process, in their order."""

    def _split_scope(self, nodeid: str) -> str:
        shared = process_of(Path(nodeid.partition("::")[0]))
        return nodeid if shared != TERMINALS and self.config.option.markexpr == "campaign" else shared


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SharedByFiles:
    """Takes the place of the usual one."""
    return SharedByFiles(config, log)
