"""pyusb and the real libusb on an emulated device: every failure of the table, packets at their edges, whole boards.

Read next: `usbfs.py`, the device; `tests/support/usb_cases.py`, the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import usb.core
import usb.util

from driver.errors import MachineNotFound, TransportClosed
from driver.machine import open_machine
from driver.transport.sysfs import usb_devices
from driver.transport.usb_bulk import UsbTransport
from firmware_sim.endpoints.base import Device
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import MANUFACTURER, PRODUCT, UsbIdentity
from tests.emulated.bench import SLOW, PortBench, deal_a_board, deal_a_board_through_a_pulled_cable, seen_by_libusb
from tests.emulated.echo import Echo
from tests.emulated.sysfs_tree import SysfsTree
from tests.emulated.usbfs import UsbfsEndpoint
from tests.support.peers import Peer, Setup, served_peer
from tests.support.usb_cases import (
    EVERY_CASE,
    Case,
    check_permission_repaired,
    check_replug,
    check_silence,
    opened,
)

pytestmark = pytest.mark.emulated

SERIAL = "DM0042"
EDGES = (1, 63, 64, 65, 127, 128, 129, 4_096, 100_000)
Plug = Callable[[Device, str], UsbfsEndpoint]


@pytest.fixture
def plug(tree: SysfsTree) -> Iterator[Plug]:
    """Plugs devices in; all are pulled out at the end."""
    plugged: list[UsbfsEndpoint] = []

    def one(machine: Device, serial: str) -> UsbfsEndpoint:
        endpoint = UsbfsEndpoint(machine, tree=tree, identity=UsbIdentity(serial), port=2 + len(plugged))
        endpoint.start()
        plugged.append(endpoint)
        return endpoint

    yield one
    for endpoint in plugged:
        endpoint.close()


@pytest.fixture
def echo(plug: Plug) -> UsbfsEndpoint:
    """A device that sends back what it gets."""
    return plug(Echo(), SERIAL)


@pytest.fixture
def bench(echo: UsbfsEndpoint, tree: SysfsTree) -> PortBench:
    return PortBench(echo, lambda: tree.root / "dev" / echo.place.node)


@pytest.fixture
def make_peer(tree: SysfsTree, tmp_path: Path) -> Iterator[Callable[[Setup], Peer]]:
    """Makes the simulated machine on an emulated device."""
    made: list[Peer] = []

    def make(setup: Setup) -> Peer:
        identity = UsbIdentity(setup.profile.serial)
        made.append(
            served_peer(
                tmp_path, setup, lambda *core, **more: UsbfsEndpoint(*core, **more, tree=tree, identity=identity)
            )
        )
        return made[-1]

    yield make
    for peer in made:
        peer.close()


def test_libusb_reads_the_descriptors_and_strings_of_the_page(echo: UsbfsEndpoint) -> None:
    device = usb.core.find(idVendor=USB_VENDOR, idProduct=USB_PRODUCT)
    try:
        assert (device.manufacturer, device.product, device.serial_number) == (MANUFACTURER, PRODUCT, SERIAL)
        (configuration,) = device
        classes = [interface.bInterfaceClass for interface in configuration]
        assert classes == [each.class_ for each in echo.description.interfaces]
    finally:
        usb.util.dispose_resources(device)


def test_devices_are_listed_without_opening_any(echo: UsbfsEndpoint) -> None:
    (found,) = usb_devices()

    assert found.node == f"/dev/{echo.place.node}"
    assert found.location == echo.place.name
    assert found.serial == echo.identity.serial
    assert len(seen_by_libusb()) == 1
    assert echo.times_opened == 0


@EVERY_CASE
def test_every_failure_is_what_the_table_says(case: Case, bench: PortBench) -> None:
    case.check(bench)


def test_a_read_in_which_nothing_comes_is_no_failure(bench: PortBench) -> None:
    check_silence(bench)


def test_after_replugging_the_machine_is_opened_anew(bench: PortBench) -> None:
    check_replug(bench)


def test_who_was_refused_is_let_in_once_the_permission_is_right(bench: PortBench) -> None:
    check_permission_repaired(bench)


def test_a_read_that_waits_ends_when_the_cable_is_pulled(bench: PortBench) -> None:
    with opened(bench) as transport:
        pulling = threading.Timer(0.1, bench.pull)
        pulling.start()
        with pytest.raises(TransportClosed, match="unplugged"):
            transport.read(30.0)
        pulling.join()


@pytest.mark.parametrize("size", EDGES)
def test_bytes_go_both_ways_at_the_edges_of_packets(size: int, bench: PortBench) -> None:
    sent = bytes(at % 251 for at in range(size))
    got = b""
    with opened(bench) as transport:
        for start in range(0, size, 4_096):
            transport.write(sent[start : start + 4_096])
            while len(got) < min(size, start + 4_096):
                got += transport.read(1.0)

    assert got == sent


def test_empty_packets_are_harmless(bench: PortBench) -> None:
    with opened(bench) as transport:
        transport.write(b"one")
        assert transport.read(30.0) == b"one"
        for packet in (b"", b"", b"two"):
            bench.port.babble(packet)
        assert transport.read(30.0) == b"two"


def test_of_two_machines_the_one_with_that_serial_number_is_opened(plug: Plug) -> None:
    first, second = plug(Echo(), SERIAL), plug(Echo(), "DM0043")
    transport = UsbTransport("DM0043")
    try:
        transport.write(b"\0")
    finally:
        transport.close()

    assert (first.bytes_heard, second.bytes_heard) == (0, 1)
    with pytest.raises(MachineNotFound, match="DM0044"):
        UsbTransport("DM0044")


def test_the_vendor_interface_is_free_where_the_kernel_has_the_serial_port(tree: SysfsTree) -> None:
    with UsbfsEndpoint(Echo(), tree=tree, identity=UsbIdentity(SERIAL), tty_name="ttyACM7") as endpoint:
        device = usb.core.find(idVendor=USB_VENDOR, idProduct=USB_PRODUCT)
        try:
            assert [device.is_kernel_driver_active(number) for number in range(3)] == [True, True, False]
        finally:
            usb.util.dispose_resources(device)
        transport = UsbTransport(SERIAL)
        try:
            transport.write(b"\0")
        finally:
            transport.close()
        assert endpoint.bytes_heard == 1


def test_a_whole_board_is_dealt(make_peer: Callable[[Setup], Peer]) -> None:
    peer = make_peer(Setup())

    deal_a_board(peer, peer.endpoint.url)


def test_a_board_is_dealt_to_its_end_through_a_pulled_cable(make_peer: Callable[[Setup], Peer]) -> None:
    peer = make_peer(Setup(speed=SLOW))

    deal_a_board_through_a_pulled_cable(peer, peer.endpoint.url)


def test_the_machine_that_is_opened_is_the_one_whose_serial_number_was_given(
    make_peer: Callable[[Setup], Peer],
) -> None:
    peer = make_peer(Setup())
    with open_machine(f"usb:{peer.core.profile.serial}", data=peer.data) as machine:
        assert machine.info.serial == peer.core.profile.serial
