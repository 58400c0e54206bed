"""Whole jobs on the memory endpoint, watched from both ends: processor time, bytes on the line, the truth's times.

May import: driver, firmware_sim, `tests.support`. Read next: `measures.py`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from driver import load_deals
from driver.job_events import NeedsOperator
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.person import Act
from firmware_sim.person_script import PersonScript
from firmware_sim.steps import LEAVES_MS
from protocol.constants import BITS_PER_BYTE
from tests.support.peers import Peer, Setup

CLUB: Final = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
IN_MEMORY: Final = Path("/dev/shm")
"""A folder that no disk is behind, where the system has one."""
BAUD: Final = 115_200


class WatchedEndpoint(MemoryEndpoint):
    """A memory endpoint that counts the bytes both ways, and the processor seconds of the simulator behind it."""

    carried = 0
    spent = 0.0

    def write(self, data: bytes) -> None:
        start = time.process_time()
        super().write(data)
        self.spent += time.process_time() - start
        self.carried += len(data)

    def read(self, timeout: float) -> bytes:
        start = time.process_time()
        data = super().read(timeout)
        self.spent += time.process_time() - start
        self.carried += len(data)
        return data


@dataclass(frozen=True, slots=True)
class Dealt:
    """What a job took: seconds on the wall, and processor seconds of the host without the simulator."""

    wall: float
    host: float


@contextmanager
def data_folder(*, on_disk: bool = False) -> Iterator[Path]:
    """A folder for a journal, in memory where the system has such a place and `on_disk` does not forbid it."""
    place = None if on_disk or not IN_MEMORY.is_dir() else IN_MEMORY
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


def watched(data: Path, boards: int, baud: int | None = None) -> tuple[Peer, WatchedEndpoint]:
    """A machine with a person who puts in board after board, behind a watched endpoint."""
    core, person = Setup(script=PersonScript(boards=tuple(range(1, boards + 1)))).build()
    endpoint = WatchedEndpoint(core, baud=baud, person=person)
    return Peer(core, person, endpoint, data), endpoint


def deal(data: Path, boards: int) -> Dealt:
    """Deals the first boards of the club by the automatic setting, as fast as this computer can."""
    peer, endpoint = watched(data, boards)
    return _dealt(peer, endpoint, boards)


def _dealt(peer: Peer, endpoint: WatchedEndpoint, boards: int) -> Dealt:
    with peer.open() as machine:
        job = machine.start(load_deals(CLUB), range(1, boards + 1), auto=True)
        wall, processor, simulator = time.perf_counter(), time.process_time(), endpoint.spent
        for event in job.events():
            if isinstance(event, NeedsOperator) and event.choices:
                job.go_on()
        processor = time.process_time() - processor - (endpoint.spent - simulator)
        dealt = Dealt(time.perf_counter() - wall, processor)
    assert [board.verdict.name for board in job.result.boards] == ["GOOD"] * boards
    return dealt


@dataclass(frozen=True, slots=True)
class PacedJob:
    """A job at speed 1 over a paced line, in simulated time.

    `line_share` is the share of the line that a board uses while it is started and dealt; `idle` the seconds of motor
    off, or of a card later than it could be, while MOVING; `starts` the seconds from the moment at which the last
    thing was in place to the turn of the roller, for each board.
    """

    line_share: float
    idle: float
    starts: tuple[float, ...]


def paced_job(boards: int) -> PacedJob:
    """Deals boards over a line of `BAUD`, the mechanism at the speed of life."""
    with data_folder() as data:
        peer, endpoint = watched(data, boards, BAUD)
        _dealt(peer, endpoint, boards)
    truth, person = peer.core.truth, peer.person
    assert person is not None
    idle, busy, starts = 0.0, 0.0, []
    for motion in truth.motions:
        feeds, end = truth.feeds(motion.run), truth.drops(motion.run)[-1].time
        motor_on = sum(max(0.0, min(end, off) - max(motion.time, since)) for since, off in truth.motor_on)
        late = (after.time - before.time - peer.core.profile.card_ms / 1000 for before, after in pairwise(feeds))
        idle += end - motion.time - motor_on + sum(max(0.0, seconds) for seconds in late)
        ready = max(at for at, act in person.acts if at <= motion.time and act in (Act.PUT_IN, Act.LOAD))
        starts.append(feeds[0].time - LEAVES_MS / 1000 - ready)
        busy += end - ready
    return PacedJob(BITS_PER_BYTE * endpoint.carried / BAUD / busy, round(idle, 6), tuple(starts))
