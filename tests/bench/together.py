"""Sixteen machines on one host at the speed of life: what their host costs, without the simulators.

May import: driver, firmware_sim, `jobs`. Read next: `measures.py`. The machines are a process of their own
(`python -m tests.bench.together`), so that only the host's processor time is counted.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from driver import load_deals
from driver.job_events import CardDealt
from driver.machines import open_machines
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from tests.bench.jobs import CLUB, data_folder
from tests.support.peers import Setup

MACHINES: Final = 16
BOARDS: Final = 36


def share_of_a_core(seconds: float) -> float:
    """Percent of one core that the host needs while all of them deal, over so many seconds; the store on the disk."""
    machines = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.together"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert machines.stdout is not None
        addresses = [machines.stdout.readline().strip() for _ in range(MACHINES)]
        with data_folder(on_disk=True) as data:
            return _measured(data, addresses, seconds)
    finally:
        machines.communicate()


def _measured(data: Path, addresses: list[str], seconds: float) -> float:
    ways = {f"M{place}": address for place, address in enumerate(addresses)}
    with open_machines(ways, data=data, asks=False) as machines:
        copies = tuple(f"{place:02}" for place in range(MACHINES))
        jobs = machines.start(load_deals(CLUB), range(1, BOARDS + 1), copies=copies, auto=True)
        dealing: set[str] = set()
        since: tuple[float, float] | None = None
        share = 0.0
        for event in jobs.events():
            if isinstance(event, CardDealt):
                dealing.add(event.machine)
            if since is None and len(dealing) == MACHINES:
                since = time.perf_counter(), time.process_time()
            elif since is not None and not share and time.perf_counter() - since[0] >= seconds:
                share = 100 * (time.process_time() - since[1]) / (time.perf_counter() - since[0])
                jobs.stop_now()
        return share


def serve() -> None:
    """The machines, each with a person who puts in board after board; their addresses, until the input ends."""
    with ExitStack() as undo:
        for place in range(MACHINES):
            profile = replace(FULL, serial=f"SIM-{place:04}")
            core, person = Setup(profile=profile, script=PersonScript(boards=tuple(range(1, BOARDS + 1)))).build()
            endpoint = TcpEndpoint(core, person=person)
            endpoint.start()
            undo.callback(endpoint.close)
            print(endpoint.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    serve()
