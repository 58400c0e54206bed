"""A simulated machine with a person beside it, opened by the driver over memory, pty, TCP or USB: the peer of a test.

May import: driver, firmware_sim. Read next: `tests/contract/conftest.py`, which makes one for each endpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from driver.clock import Clock, SystemClock
from driver.deals.model import Deal, DealSet
from driver.errors import MachineNotFound
from driver.job import Job
from driver.job_events import JobEvent, NeedsOperator
from driver.machine import Machine, open_machine
from driver.recorder import Recorder
from driver.transport.base import Transport
from driver.transport.url import open_transport
from driver.transport.usb_bulk import UsbTransport
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.base import EndpointCut
from firmware_sim.endpoints.called import CalledEndpoint
from firmware_sim.endpoints.fake_usb import FakeUsb, FakeUsbDevice
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line
from firmware_sim.memory import Memory
from firmware_sim.person import Person
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL, Profile
from protocol.cards import Seat
from protocol.usb import UsbIdentity
from tests.support.memory import ManualClock, MemoryTransport

REAL_SPEED: Final = 50.0
"""How much faster than life the mechanism is on a real clock, unless a test says otherwise: a board takes 0.1 s."""
PATIENCE: Final = 30.0
"""Seconds after which a test gives up waiting on a real clock."""


@dataclass
class Peer:
    """One simulated machine. `open` gives the driver's machine over this peer's endpoint; `core` is the truth's side.

    On pty and TCP the core runs in the endpoint's thread: touch it within `at_machine`. With `usb` the driver reaches
    the endpoint through pyusb, over that bus.
    """

    core: SimMachine
    person: Person | None
    endpoint: MemoryEndpoint | ServedEndpoint
    data: Path
    usb: FakeUsb | None = None

    @property
    def is_real_time(self) -> bool:
        """Whether the endpoint runs on this computer's clock."""
        return isinstance(self.endpoint, ServedEndpoint)

    @property
    def grain(self) -> float:
        """Seconds by which a wait on a manual clock may end late: libusb waits whole milliseconds, memory exactly."""
        return 1e-6 if self.usb is None else 0.001

    def open(self, recorder: Recorder | None = None) -> Machine:
        """The driver's side, with a journal in `data`."""
        return open_machine(transport=self.transport, clock=self.clock(), data=self.data, recorder=recorder)

    def clock(self) -> Clock:
        """The clock on which this peer runs."""
        return ManualClock(self.endpoint) if isinstance(self.endpoint, MemoryEndpoint) else SystemClock()

    def transport(self) -> Transport:
        """A new transport to the endpoint, as it can be reached now. Raises MachineNotFound while the cable is out."""
        try:
            if self.usb is None and isinstance(self.endpoint, ServedEndpoint):
                return open_transport(self.endpoint.url)
            if isinstance(self.endpoint, MemoryEndpoint) and self.endpoint.is_cut:
                self.endpoint.reconnect()
            if self.usb is not None:
                return self._over_usb(self.usb)
            assert isinstance(self.endpoint, MemoryEndpoint)
            return MemoryTransport(self.endpoint)
        except EndpointCut as error:
            raise MachineNotFound("The cable is out.") from error

    def _over_usb(self, bus: FakeUsb) -> Transport:
        transport = UsbTransport(self.core.profile.serial, backend=bus)
        transport.threaded = self.is_real_time
        return transport

    def at_machine(self) -> AbstractContextManager[object]:
        """The core for this thread alone, brought up to this moment."""
        if isinstance(self.endpoint, ServedEndpoint):
            return self.endpoint.at_machine()
        return _nothing()

    def set_speed(self, speed: float) -> None:
        """The mechanism goes on at that speed."""
        with self.at_machine():
            self.core.speed = speed

    def wait_for(self, reached: Callable[[SimMachine], bool], *, within: float = PATIENCE) -> None:
        """Lets time pass, while the host does nothing, until `reached` says so; fails after `within` seconds."""
        clock = self.clock()
        end = clock.monotonic() + within
        while True:
            with self.at_machine():
                if reached(self.core):
                    return
            assert clock.monotonic() < end, f"not reached within {within} s"
            clock.wait(0.01)

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
    machine: type[SimMachine] = SimMachine

    def build(self) -> tuple[SimMachine, Person | None]:
        """The machine and the person beside it."""
        core = self.machine(self.profile, memory=self.memory, faults=self.faults, speed=self.speed, seed=self.seed)
        return core, None if self.script is None else Person(core, self.script)


def memory_peer(data: Path, setup: Setup) -> Peer:
    """A peer in this thread on a manual clock."""
    core, person = setup.build()
    return Peer(core, person, MemoryEndpoint(core, line=setup.line, baud=setup.baud, person=person), data)


def served_peer(data: Path, setup: Setup, endpoint: Callable[..., ServedEndpoint]) -> Peer:
    """A peer behind a real port on this computer's clock; close it. A speed of 1 becomes REAL_SPEED."""
    if setup.speed == 1.0:
        setup = replace(setup, speed=REAL_SPEED)
    core, person = setup.build()
    served = endpoint(core, line=setup.line, baud=setup.baud, person=person)
    served.start()
    return Peer(core, person, served, data)


def usb_peer(data: Path, setup: Setup, *, real_clock: bool = False) -> Peer:
    """A peer reached through pyusb: in this thread on a manual clock, or on this computer's clock (close it then)."""
    peer = served_peer(data, setup, CalledEndpoint) if real_clock else memory_peer(data, setup)
    assert isinstance(peer.endpoint, CalledEndpoint | MemoryEndpoint)
    return replace(peer, usb=FakeUsb(FakeUsbDevice(UsbIdentity(peer.core.profile.serial), peer.endpoint)))


def run_job(job: Job, answer: Callable[[Job, JobEvent], None] | None = None) -> list[JobEvent]:
    """Runs a job to its end; `answer` is called for each event that lets a person choose (default: go on).

    An event without choices waits for a change at the machine, which whoever stands there makes.
    """
    events = []
    for event in job.events():
        events.append(event)
        if isinstance(event, NeedsOperator) and event.choices:
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


__all__ = ["Peer", "Setup", "hands_of", "memory_peer", "run_job", "served_peer", "truth_equals", "usb_peer"]
