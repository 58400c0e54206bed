"""A machine that is really plugged in as far as libusb and pyserial can tell: made, spoiled, dealt on.

May import: driver, `tests.support`, `usb_port`. Read next: `test_usbfs.py`, `test_kernel.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import usb.core

from driver.clock import SystemClock
from driver.deals.loader import load_deals
from driver.job_events import CardDealt, JobEvent, MachineBack, MachineLost, NeedsOperator
from driver.machine import open_machine
from driver.verdicts import Verdict
from protocol.cards import PACK_SIZE
from protocol.constants import USB_PRODUCT, USB_VENDOR
from tests.emulated.forgotten import sockets_given_back
from tests.emulated.usb_port import UsbPort
from tests.support.by_hand import put_in
from tests.support.peers import PATIENCE, REAL_SPEED, Peer, truth_equals

DEALS: Final = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
SLOW: Final = 0.9
"""A little slower than life: however long the host takes, the machine misses it (3 s) before the board is done."""
AT_CARD: Final = 10
_NOBODY: Final = 65534


def seen_by_libusb() -> list[Any]:
    """The devices with the ids of a machine; none is opened by looking."""
    return list(usb.core.find(find_all=True, idVendor=USB_VENDOR, idProduct=USB_PRODUCT))


class PortBench:
    """A machine on USB behind `port`, in the shape that the table of `tests/support/usb_cases.py` wants."""

    backend = None

    def __init__(self, port: UsbPort, node: Callable[[], Path]) -> None:
        self.port = port
        self.serial = port.identity.serial
        self._node = node
        wait_for(self.is_seen)

    def is_seen(self) -> bool:
        """Whether libusb sees it."""
        return len(seen_by_libusb()) == 1

    @contextmanager
    def denied(self) -> Iterator[None]:
        node = self._node()
        mode = node.stat().st_mode
        node.chmod(0o600 if os.geteuid() == 0 else 0)
        try:
            with sockets_given_back(), as_nobody():
                yield
        finally:
            node.chmod(mode)

    @contextmanager
    def deaf(self) -> Iterator[None]:
        self.port.deaf = True
        yield
        self.port.deaf = False

    def halt(self, endpoint: int) -> None:
        self.port.stalled.add(endpoint)

    def send_long_packet(self) -> None:
        self.port.babble(bytes(100))

    def pull(self) -> None:
        self.port.cut()
        wait_for(lambda: not self.is_seen())

    def put_back(self) -> None:
        self.port.stalled.clear()
        self.port.reconnect()
        wait_for(self.is_seen)


def wait_for(reached: Callable[[], bool]) -> None:
    """Waits until `reached` says so; fails after PATIENCE."""
    clock = SystemClock()
    end = clock.monotonic() + PATIENCE
    while not reached():
        assert clock.monotonic() < end, f"not reached within {PATIENCE} s"
        clock.wait(0.02)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Meanwhile root is a user without rights; another user stays who it is."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(_NOBODY)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def deal_a_board(peer: Peer, url: str) -> None:
    """Deals board 1 at that address; the cards truly lie as the deal says, and nothing moved that nobody decided."""
    put_in(peer, 1)
    with open_machine(url, data=peer.data) as machine:
        job = machine.start(DEALS, [1])
        for event in job.events():
            if isinstance(event, NeedsOperator) and event.choices:
                job.go_on()
        (board,) = job.result.boards
    _is_good(peer, board.verdict, motions=1)


def deal_a_board_through_a_pulled_cable(peer: Peer, url: str) -> None:
    """The same, with the cable out at the tenth card and in again when that was found out; then a person goes on."""
    put_in(peer, 1)
    told: list[JobEvent] = []
    with open_machine(url, data=peer.data) as machine:
        job = machine.start(DEALS, [1])
        for event in job.events():
            told.append(event)
            if isinstance(event, CardDealt) and event.index == AT_CARD and not peer.endpoint.is_cut:
                peer.endpoint.cut()
            elif isinstance(event, MachineLost):
                peer.endpoint.reconnect()
            elif isinstance(event, MachineBack):
                peer.set_speed(REAL_SPEED)
            elif isinstance(event, NeedsOperator) and event.choices:
                job.go_on()
        (board,) = job.result.boards
    assert [type(event) for event in told if isinstance(event, MachineLost | MachineBack)] == [MachineLost, MachineBack]
    _is_good(peer, board.verdict, motions=2)


def _is_good(peer: Peer, verdict: Verdict, *, motions: int) -> None:
    assert verdict is Verdict.GOOD
    assert truth_equals(peer, DEALS, [1])
    assert len(peer.core.truth.motions) == motions
    assert len(peer.core.truth.feeds()) == PACK_SIZE
    assert peer.core.truth.violations() == []
