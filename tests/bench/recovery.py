"""From the start of a program to the question about what was under way, over a store that has grown.

May import: driver, firmware_sim, `journal`, tests.cli, tests.support. Read next: `measures.py`. A whole process, at a
terminal, against a machine that holds an interrupted board.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from driver import load_deals
from driver.job_events import CardDealt
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.person_script import PersonScript
from tests.bench import journal
from tests.bench.jobs import CLUB, data_folder
from tests.cli.program import Terminal
from tests.support.peers import Setup, served_peer

HALF: Final = 26
"""Cards after which the board is interrupted."""


def seconds_to_question(boards: int, starts: int, endpoint: type[ServedEndpoint]) -> tuple[float, ...]:
    """Seconds of each of so many starts, with so many boards in the store."""
    with data_folder() as data:
        journal.write_boards(data, boards)
        peer = served_peer(data, Setup(script=PersonScript(boards=(1,))), endpoint)
        try:
            with peer.open() as machine:
                job = machine.start(load_deals(CLUB), auto=True)
                for event in job.events():
                    if isinstance(event, CardDealt) and event.index == HALF:
                        job.stop()
            return tuple(_seconds(peer.endpoint.url, data) for _ in range(starts))
        finally:
            peer.close()


def _seconds(url: str, data: Path) -> float:
    start = time.perf_counter()
    with Terminal("--machine", url, "--data", data, TERM="dumb") as terminal:
        terminal.wait_for("Number: ")
        taken = time.perf_counter() - start
        assert "was being dealt when the program ended" in terminal.shown
        terminal.type("3\n")
        terminal.wait()
    return taken
