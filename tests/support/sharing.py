"""Which tests one process runs together, where several share them.

May import: the standard library. Read next: `tests/shared_by_files.py`, which shares them so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

TERMINALS: Final = "terminals"
WITH_TERMINALS: Final = frozenset(
    {
        *("bench", "cli", "contract", "emulated"),
        *("test_killed_host.py", "test_sim_endpoints.py", "test_sim_scenario.py", "test_strangers_on_the_port.py"),
        "test_unplugged.py",
        *("test_gather.py", "test_plugged_in_again.py", "test_ready_again.py", "test_same_machine_new_name.py"),
    }
)
"""Folders of tests, and files of tests elsewhere, that open pseudo-terminals or start programs that do."""


def process_of(path: Path) -> str:
    """The name of the tests that run in one process with those of `path`: those of a file, or all that open terminals.

    The system gives the name of a pseudo-terminal that was closed to the next that is opened: a host that looks for the
    machine it has lost must not find the machine of another test.
    """
    return TERMINALS if WITH_TERMINALS.intersection(path.parts) else str(path)
