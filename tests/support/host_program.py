"""A host as a process of its own, for tests that kill it: deals boards by the public API and prints what happens.

`python -m tests.support.host_program URL DATA FILE BOARD...`; blind like every other. Read next:
`tests/faults/test_killed_host.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from driver import load_deals, open_machine


def main(url: str, data: str, file: str, *boards: str) -> None:
    """Deals the boards with the automatic start; one line for each event."""
    deals = load_deals(file)
    with open_machine(url, data=Path(data)) as machine:
        job = machine.start(deals, [int(board) for board in boards], auto=True)
        for event in job.events():
            print(event, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
