"""A simulated machine with a person beside it, opened by the driver over memory, pty or TCP: the peer of a test.

May import: driver, firmware_sim. Read next: `tests/contract/conftest.py`, which makes one for each endpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from driver.deals.model import Deal, DealSet
from driver.job_events import JobEvent
from driver.machine import Machine, open_machine
from driver.runner import Job
from driver.transport.base import Transport
from driver.transport.url import open_transport
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line
from firmware_sim.memory import Memory
from firmware_sim.person import Person
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL, Profile
from protocol.cards import Seat
from tests.support.memory import ManualClock, MemoryTransport


@dataclass
class Peer:
    """One simulated machine. `open` gives the driver's machine over this peer's endpoint; `core` is the truth's side.

    On pty and TCP the core runs in the endpoint's thread: touch it within `at_machine`.
    """

    core: SimMachine
    person: Person | None
    endpoint: MemoryEndpoint | ServedEndpoint
    data: Path

    @property
    def is_real_time(self) -> bool:
        """Whether the endpoint runs on this computer's clock."""
        return isinstance(self.endpoint, ServedEndpoint)

    def open(self) -> Machine:
        """The driver's side, with a journal in `data`."""
        if isinstance(self.endpoint, MemoryEndpoint):
            return open_machine(transport=self.transport, clock=ManualClock(self.endpoint), data=self.data)
        return open_machine(transport=self.transport, data=self.data)

    def transport(self) -> Transport:
        """A new transport to the endpoint, as it can be reached now."""
        if isinstance(self.endpoint, MemoryEndpoint):
            if self.endpoint.is_cut:
                self.endpoint.reconnect()
            return MemoryTransport(self.endpoint)
        return open_transport(self.endpoint.url)

    def at_machine(self) -> AbstractContextManager[object]:
        """The core for this thread alone, brought up to this moment."""
        if isinstance(self.endpoint, ServedEndpoint):
            return self.endpoint.at_machine()
        return _nothing()

    def pockets(self, board: int) -> tuple[frozenset[int], ...]:
        """What truly lies in the pockets N E S W of the board dealt last under that number."""
        with self.at_machine():
            return tuple(frozenset(hand) for hand in self.core.truth.pockets_of(board))

    def close(self) -> None:
        """Ends the endpoint."""
        self.endpoint.close()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@dataclass(frozen=True)
class Setup:
    """How a peer is to be: profile, person, faults, line; speed scales the mechanism only."""

    script: PersonScript | None = None
    profile: Profile = FULL
    faults: FaultPlan | None = None
    line: Line | None = None
    memory: Memory | None = None
    speed: float = 1.0
    baud: int | None = None
    seed: int = 0


def memory_peer(data: Path, setup: Setup) -> Peer:
    """A peer in this thread on a manual clock."""
    core = SimMachine(setup.profile, memory=setup.memory, faults=setup.faults, speed=setup.speed, seed=setup.seed)
    person = None if setup.script is None else Person(core, setup.script)
    return Peer(core, person, MemoryEndpoint(core, line=setup.line, baud=setup.baud, person=person), data)


def run_job(job: Job, answer: Callable[[Job, JobEvent], None] | None = None) -> list[JobEvent]:
    """Runs a job to its end; `answer` is called for each event that needs a person (default: go on)."""
    events = []
    for event in job.events():
        events.append(event)
        if event.needs_operator:
            if answer is None:
                job.go_on()
            else:
                answer(job, event)
    return events


def hands_of(deal: Deal) -> tuple[frozenset[int], ...]:
    """The card codes of the four hands N E S W."""
    return tuple(frozenset(int(card) for card in deal.hand(seat)) for seat in Seat)


def truth_equals(peer: Peer, deals: DealSet, boards: Sequence[int] | None = None) -> bool:
    """Whether the pockets of each board hold exactly its deal."""
    numbers = deals.numbers if boards is None else boards
    return all(peer.pockets(n) == hands_of(board.deal) for n in numbers if (board := deals.find(n)) is not None)


__all__ = ["Peer", "Setup", "hands_of", "memory_peer", "run_job", "truth_equals"]
