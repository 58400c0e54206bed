"""How long a machine is away after its cable is back: from the replug to a host that can deal again.

Read next: `measures.py`; `driver/runner.py`, which looks for a machine that was lost.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from driver.deals.loader import load_deals
from driver.job_events import MachineBack, MachineLost, NeedsOperator
from firmware_sim.endpoints.served import ServedEndpoint
from tests.support.peers import Peer, Setup, served_peer, usb_peer

LONGEST_OUT: Final = 0.6
"""Seconds that the cable is out at most: a little more than from one look of the host to the next."""
SEED: Final = 5
AIM: Final = 3.0
"""Seconds, for 95 of 100 replugs."""
_DEALS: Final = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")


def pty_peer(data: Path) -> Peer:
    """A machine on a pseudo-terminal that gets another name with each replug."""
    from firmware_sim.endpoints.pty import PtyEndpoint

    endpoint: type[ServedEndpoint] = PtyEndpoint
    return served_peer(data, Setup(), endpoint)


def fake_usb_peer(data: Path) -> Peer:
    """A machine on the bus that is not there, on the real clock."""
    return usb_peer(data, Setup(), real_clock=True)


PEERS: Final[dict[str, Callable[[Path], Peer]]] = {"pty": pty_peer, "fake USB": fake_usb_peer}


def seconds_to_ready(name: str, data: Path, times: int) -> tuple[float, ...]:
    """For each replug of a machine that waits for board 1: the time until the host knows again how it stands."""
    peer, moments, taken = PEERS[name](data), random.Random(SEED), []
    plugged_in = [0.0]

    def put_back() -> None:
        plugged_in[0] = time.monotonic()
        peer.endpoint.reconnect()

    timer: threading.Timer | None = None
    try:
        with peer.open() as machine:
            job = machine.start(_DEALS, [1])
            for event in job.events():
                match event:
                    case MachineLost():
                        timer = threading.Timer(moments.uniform(0.0, LONGEST_OUT), put_back)
                        timer.start()
                        continue
                    case MachineBack():
                        assert timer is not None
                        timer.join()
                        taken.append(time.monotonic() - plugged_in[0])
                    case NeedsOperator() if not taken:
                        pass
                    case _:
                        continue
                if len(taken) < times:
                    peer.endpoint.cut()
                else:
                    job.stop()
            assert peer.core.truth.motions == [], "nothing moves by itself"
    finally:
        if timer is not None:
            timer.join()
        peer.close()
    return tuple(taken)


def p95(figures: tuple[float, ...]) -> float:
    """The figure that 95 of 100 do not exceed."""
    return sorted(figures)[max(0, -(-95 * len(figures) // 100) - 1)]
