"""The cable is pulled and put back, again and again, with another machine about: the right one is found, nothing left.

Over pty and the fake USB, on the real clock, where a reader waits in a thread of its own. `make campaign` does it a
thousand times. Read next: `tests/contract/test_cable.py`, `driver/controls.py`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from driver.controls import Controls
from driver.deals.loader import load_deals
from driver.errors import MachineNotFound, OtherMachine, TransportClosed
from driver.recorder import Recorder
from driver.transport.base import Transport
from driver.verdicts import Verdict
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from protocol.codes import State
from tests.conftest import open_descriptors
from tests.support.by_hand import put_in
from tests.support.peers import Peer, Setup, run_job, served_peer, truth_equals, usb_peer

DEALS: Final = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
FEW: Final = 12
CYCLES: Final = 1_000
OTHER_IN_ITS_PLACE: Final = 4
"""In each cycle whose number is a multiple of this, another machine is in the place of ours first."""
STRETCH: Final = 100
"""Cycles from one look at the memory to the next."""
GROWTH: Final = 4 * 1024
"""Bytes that Python may hold more after a stretch than before it."""


@dataclass
class Two:
    """Our machine, board and pack in it, and another one; `swapped` = the other is where ours was."""

    ours: Peer
    other: Peer
    swapped: bool = False

    def transport(self) -> Transport:
        """What the address of our machine leads to now."""
        if self.ours.usb is not None:
            return self.ours.transport()  # the address is the serial number, wherever it is
        return (self.other if self.swapped else self.ours).transport()

    def swap(self, swapped: bool) -> None:
        """Puts the other machine into the place of ours, or beside it again."""
        self.swapped = swapped
        if self.ours.usb is not None:
            self.ours.usb.devices.reverse()


@pytest.fixture(params=["pty", "usb"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Two]:
    setup = Setup()
    stranger = replace(setup, profile=replace(FULL, serial="SIM-0002"))
    if request.param == "usb":
        found = Two(usb_peer(tmp_path, setup, real_clock=True), usb_peer(tmp_path, stranger, real_clock=True))
        assert found.ours.usb is not None
        assert found.other.usb is not None
        found.ours.usb.devices.extend(found.other.usb.devices)
    else:
        if os.name == "nt":
            pytest.skip("Windows has no pseudo-terminals")
        from firmware_sim.endpoints.pty import PtyEndpoint

        found = Two(served_peer(tmp_path, setup, PtyEndpoint), served_peer(tmp_path, stranger, PtyEndpoint))
    put_in(found.ours, 1)
    put_in(found.other, 1)
    yield found
    found.ours.close()
    found.other.close()


def unplug_and_plug_in(two: Two, cycles: int, look: Callable[[int], None]) -> None:
    """So many cycles with one host, which stays; `look` after each."""
    controls = Controls(two.transport, two.ours.clock(), Recorder())
    try:
        controls.connect()
        for cycle in range(1, cycles + 1):
            two.ours.endpoint.cut()
            with pytest.raises(TransportClosed):
                controls.status()
            if cycle % OTHER_IN_ITS_PLACE == 0:
                two.swap(True)
                with pytest.raises(MachineNotFound if two.ours.usb is not None else OtherMachine):
                    controls.reconnect()
                two.other.endpoint.cut()
                try_until_nothing_is_there(controls)
                two.other.endpoint.reconnect()
                two.swap(False)
            two.ours.endpoint.reconnect()
            assert not controls.reconnect()
            assert controls.ack.serial == FULL.serial
            assert controls.status().state is State.NONE
            look(cycle)
    finally:
        controls.close()
    for peer in (two.ours, two.other):
        assert peer.core.truth.motions == [], "I4"
    assert two.other.core.connection.current == 0


def try_until_nothing_is_there(controls: Controls) -> None:
    """As a host does while the person changes cables: it finds out by itself that the other machine is gone too."""
    with contextlib.suppress(MachineNotFound):
        while True:
            with contextlib.suppress(OtherMachine, TransportClosed):
                controls.reconnect()


def check_what_is_left(two: Two, cycles: int) -> list[int]:
    """Fails where threads or descriptors differ from cycle to cycle; gives what Python held at the end of each stretch.

    That is 0 where nobody counts what Python allocates.
    """
    held: list[int] = []
    open_then = set[tuple[int, int]]()

    def look(cycle: int) -> None:
        open_then.add((threading.active_count(), len(open_descriptors())))
        if cycle % STRETCH == 0:
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])

    unplug_and_plug_in(two, cycles, look)
    assert len(open_then) == 1, "threads and descriptors are as many after each replug"
    if two.ours.usb is not None:
        assert [device.handles for device in two.ours.usb.devices] == [set(), set()]
    return held


def test_a_machine_that_is_plugged_in_again_is_found_among_two_and_nothing_is_left(two: Two) -> None:
    check_what_is_left(two, FEW)


@pytest.mark.campaign
def test_a_thousand_times_plugged_in_again_leaves_nothing_and_moves_nothing(two: Two) -> None:
    tracemalloc.start()
    try:
        held = check_what_is_left(two, CYCLES)
    finally:
        tracemalloc.stop()
    grown = [after - before for before, after in pairwise(held)]
    assert median(grown) <= GROWTH, "a leak shows in every stretch; a table that Python makes larger shows in one"


def test_a_reader_that_waits_is_told_at_once_that_the_cable_came_out(two: Two) -> None:
    transport = two.ours.transport()
    told: list[Exception] = []

    def wait_for_bytes() -> None:
        try:
            while True:
                transport.read(60.0)
        except TransportClosed as error:
            told.append(error)

    reader = threading.Thread(target=wait_for_bytes)
    reader.start()
    two.ours.endpoint.cut()
    reader.join(30.0)
    assert not reader.is_alive()
    transport.close()

    assert len(told) == 1


def test_boards_are_dealt_over_usb_with_a_reader_in_a_thread_of_its_own(tmp_path: Path) -> None:
    peer = usb_peer(tmp_path, Setup(script=PersonScript(boards=(1, 2))), real_clock=True)
    try:
        with peer.open() as machine:
            job = machine.start(DEALS, [1, 2], auto=True)
            run_job(job)
        assert [board.verdict for board in job.result.boards] == [Verdict.GOOD] * 2
        assert truth_equals(peer, DEALS, [1, 2])
    finally:
        peer.close()
