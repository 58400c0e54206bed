"""pyserial and its port list on an emulated /dev/ttyACM0: found, opened alone, unplugged, whole boards dealt.

Read next: `ttyacm.py`, the device; `driver/transport/serial_port.py`.
"""

from __future__ import annotations

import termios
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from serial.tools import list_ports

from driver.cli.main import main
from driver.errors import MachineBusy, TransportClosed
from driver.transport import discovery
from driver.transport.serial_port import SerialTransport
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import PRODUCT, UsbIdentity
from tests.emulated.bench import SLOW, deal_a_board, deal_a_board_through_a_pulled_cable
from tests.emulated.echo import Echo
from tests.emulated.sysfs_tree import SysfsTree
from tests.emulated.ttyacm import TtyAcmEndpoint
from tests.support.peers import Peer, Setup, served_peer

pytestmark = pytest.mark.emulated

SERIAL = "DM0042"
BOTH_LINES = termios.TIOCM_DTR | termios.TIOCM_RTS


@pytest.fixture
def port(tree: SysfsTree) -> Iterator[TtyAcmEndpoint]:
    """A device that sends back what it gets, as /dev/ttyACM0."""
    with TtyAcmEndpoint(Echo(), tree=tree, identity=UsbIdentity(SERIAL)) as endpoint:
        yield endpoint


@pytest.fixture
def make_peer(tree: SysfsTree, tmp_path: Path) -> Iterator[Callable[[Setup], Peer]]:
    """Makes the simulated machine behind /dev/ttyACM0."""
    made: list[Peer] = []

    def make(setup: Setup) -> Peer:
        identity = UsbIdentity(setup.profile.serial)
        made.append(
            served_peer(
                tmp_path, setup, lambda *core, **more: TtyAcmEndpoint(*core, **more, tree=tree, identity=identity)
            )
        )
        return made[-1]

    yield make
    for peer in made:
        peer.close()


def test_the_port_list_tells_ids_names_and_place(port: TtyAcmEndpoint) -> None:
    (found,) = list_ports.comports()

    assert (found.device, found.vid, found.pid, found.serial_number) == (
        "/dev/ttyACM0",
        USB_VENDOR,
        USB_PRODUCT,
        SERIAL,
    )
    assert found.product == PRODUCT
    assert found.location == "1-3:1.0"


def test_the_driver_lists_the_port_without_opening_it(port: TtyAcmEndpoint) -> None:
    (found,) = discovery.list_ports()

    assert f"serial:{found.path}" == port.url == "serial:/dev/ttyACM0"
    assert discovery.device_at(found.path) == discovery.Device(USB_VENDOR, USB_PRODUCT, SERIAL)
    assert port.lines_set == []


def test_opening_raises_both_lines_and_bytes_go_both_ways(port: TtyAcmEndpoint) -> None:
    sent = bytes(range(256)) * 16
    got = b""
    with closing(SerialTransport("/dev/ttyACM0")) as transport:
        transport.write(sent)
        while len(got) < len(sent):
            got += transport.read(1.0)

    assert got == sent
    assert port.lines_set[-1] == BOTH_LINES


def test_a_second_program_finds_it_in_use(port: TtyAcmEndpoint) -> None:
    with closing(SerialTransport("/dev/ttyACM0")), pytest.raises(MachineBusy):
        SerialTransport("/dev/ttyACM0")
    SerialTransport("/dev/ttyACM0").close()


def test_a_pulled_cable_closes_the_line_and_the_port_is_gone_until_it_comes_back_under_another_name(
    port: TtyAcmEndpoint,
) -> None:
    with closing(SerialTransport("/dev/ttyACM0")) as transport:
        port.cut()
        with pytest.raises(TransportClosed):
            transport.read(1.0)
        assert discovery.list_ports() == []
        port.reconnect()
        with pytest.raises(TransportClosed):
            transport.write(b"\0")

    (found,) = discovery.list_ports()
    assert found.path == "/dev/ttyACM1"


def test_a_whole_board_is_dealt(make_peer: Callable[[Setup], Peer]) -> None:
    peer = make_peer(Setup())

    deal_a_board(peer, "serial:/dev/ttyACM0")


def test_a_board_is_dealt_to_its_end_though_its_port_comes_back_under_another_name(
    make_peer: Callable[[Setup], Peer],
) -> None:
    """The driver finds it by its serial number, as the port list tells it."""
    peer = make_peer(Setup(speed=SLOW))

    deal_a_board_through_a_pulled_cable(peer, "serial:/dev/ttyACM0")

    assert peer.endpoint.url == "serial:/dev/ttyACM1"


def test_dealctl_shows_the_port_and_asks_the_machine(
    make_peer: Callable[[Setup], Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    peer = make_peer(Setup())
    assert main(["machines"]) == 0
    assert "/dev/ttyACM0" in capsys.readouterr().out
    assert main(["machines", "--machine", "/dev/ttyACM0"]) == 0
    assert peer.core.profile.serial in capsys.readouterr().out
