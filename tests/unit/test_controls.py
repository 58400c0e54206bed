"""One machine at the level of one run: what is known of it stays known while it cannot be reached, or another answers.

Read next: `driver/controls.py`; `tests/contract/test_cable.py` for the cable, `tests/faults/test_plugged_in_again.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from driver.controls import Controls
from driver.errors import MachineNotFound, OtherMachine, TransportClosed
from driver.recorder import Recorder
from driver.transport.base import Transport
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.profile import FULL, R_ONLY
from tests.support.memory import ManualClock, MemoryTransport

OTHER = replace(R_ONLY, serial="SIM-0002")


class BreaksOff(MemoryTransport):
    """The cable comes out for good just before the host has sent so many frames."""

    def __init__(self, endpoint: MemoryEndpoint, frames: int) -> None:
        super().__init__(endpoint)
        self._cable, self._left = endpoint, frames

    def write(self, data: bytes) -> None:
        if not self._left:
            self._cable.cut()
        self._left -= 1
        super().write(data)


class Desk:
    """A machine of ours on a cable, and what the next connection leads to."""

    def __init__(self) -> None:
        self.core = SimMachine(FULL)
        self.endpoint = MemoryEndpoint(self.core)
        self.leads_to: Transport | None = MemoryTransport(self.endpoint)
        self.controls = Controls(self._open, ManualClock(self.endpoint), Recorder())

    def _open(self) -> Transport:
        if self.leads_to is None:
            raise MachineNotFound("Nothing is there.")
        return self.leads_to

    def lose(self) -> None:
        """The cable comes out, and the host finds out; then it is back."""
        self.endpoint.cut()
        with pytest.raises(TransportClosed):
            self.controls.status()
        self.plug_in()

    def plug_in(self) -> None:
        """The cable is back."""
        self.endpoint.reconnect()
        self.leads_to = MemoryTransport(self.endpoint)

    def break_off(self, frames: int) -> None:
        """A reconnect after which the host could send so many frames."""
        self.leads_to = BreaksOff(self.endpoint, frames)
        with pytest.raises(TransportClosed):
            self.controls.reconnect()
        self.plug_in()


@pytest.fixture
def desk() -> Iterator[Desk]:
    found = Desk()
    found.controls.connect()
    yield found
    found.controls.close()
    found.endpoint.close()


HELLO_IDENTIFY_STATUS = range(3)


@pytest.mark.parametrize("frames", HELLO_IDENTIFY_STATUS)
def test_who_the_machine_is_stays_known_wherever_a_reconnect_breaks_off(desk: Desk, frames: int) -> None:
    before = desk.controls.ack, desk.controls.identity
    desk.lose()
    desk.break_off(frames)
    assert (desk.controls.ack, desk.controls.identity) == before
    assert not desk.controls.reconnect()
    assert desk.controls.identity == before[1]


def test_who_the_machine_is_stays_known_while_nothing_is_there(desk: Desk) -> None:
    before = desk.controls.ack, desk.controls.identity
    desk.lose()
    desk.leads_to = None
    with pytest.raises(MachineNotFound):
        desk.controls.reconnect()
    assert (desk.controls.ack, desk.controls.identity) == before


def test_another_machine_that_answers_is_never_taken_for_ours(desk: Desk) -> None:
    before = desk.controls.ack, desk.controls.identity
    desk.lose()
    desk.leads_to = MemoryTransport(MemoryEndpoint(SimMachine(OTHER)))
    with pytest.raises(OtherMachine):
        desk.controls.reconnect()
    assert (desk.controls.ack, desk.controls.identity) == before


@pytest.mark.parametrize("frames", HELLO_IDENTIFY_STATUS)
def test_a_restart_is_told_by_the_reconnect_that_comes_through(desk: Desk, frames: int) -> None:
    boot = desk.controls.ack.boot_id
    desk.lose()
    desk.core.power_off()
    desk.core.power_on()
    desk.break_off(frames)
    assert desk.controls.reconnect()
    assert desk.controls.ack.boot_id != boot
    desk.lose()
    assert not desk.controls.reconnect(), "it is told once"
