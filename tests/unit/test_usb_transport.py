"""The transport over pyusb: bytes at the edges of packets, every way in which libusb fails, the right machine opened.

Below pyusb stands a bus that is not there. Read next: `driver/transport/usb_bulk.py`,
`firmware_sim/endpoints/fake_usb.py`; `tests/contract` deals over the same.
"""

from __future__ import annotations

import errno
import subprocess
import sys
from array import array
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest
import usb.backend.libusb1
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture
from usb.core import USBError

from driver.errors import (
    ConfigError,
    MachineBusy,
    MachineNotFound,
    PermissionDenied,
    TransportClosed,
    TransportError,
    UsbSupportMissing,
)
from driver.transport.url import open_transport
from driver.transport.usb_bulk import UsbTransport
from firmware_sim.endpoints.base import EndpointCut
from firmware_sim.endpoints.fake_usb import Failure, FakeUsb, FakeUsbDevice, Handle, Trouble
from protocol.usb import PACKET, VENDOR_IN, VENDOR_OUT, UsbIdentity

SERIAL = "DM0042"
EDGES = (1, 62, 63, 64, 65, 127, 128, 129, 131, 192, 4096)
"""Bytes of a transfer around the size of a packet, and the longest frame."""


@dataclass
class Echo:
    """A machine that sends back what it gets; nobody waits."""

    waiting: deque[bytes] = field(default_factory=deque)
    is_cut: bool = False
    cuts: int = 0

    def write(self, data: bytes) -> None:
        self.waiting.append(data)

    def read(self, timeout: float) -> bytes:
        assert timeout > 0, "libusb would wait for ever"
        if self.is_cut:
            raise EndpointCut("out")
        return self.waiting.popleft() if self.waiting else b""

    def pull(self) -> None:
        self.is_cut = True
        self.cuts += 1

    def put_back(self) -> None:
        self.is_cut = False


def echoing(serial: str = SERIAL, *, ports: tuple[int, ...] = (1,), trouble: Trouble | None = None) -> FakeUsbDevice:
    return FakeUsbDevice(UsbIdentity(serial), Echo(), ports, trouble or Trouble())


def opened(*devices: FakeUsbDevice, serial: str = SERIAL, path: str = "") -> UsbTransport:
    return UsbTransport(serial, path=path, backend=FakeUsb(*devices))


def read_all(transport: UsbTransport) -> bytes:
    got = b""
    while chunk := transport.read(0.001):
        got += chunk
    return got


@pytest.mark.parametrize("empty", [False, True], ids=["no empty packet", "empty packet after a full one"])
@pytest.mark.parametrize("longest", [1, 7, 63, PACKET])
@pytest.mark.parametrize("size", EDGES)
def test_every_byte_arrives_at_every_edge_of_a_packet(size: int, longest: int, empty: bool) -> None:
    device = echoing(trouble=Trouble(longest_packet=longest, empty_after_full=empty))
    transport = opened(device)
    data = bytes(index % 251 for index in range(size))
    for _ in range(3):
        transport.write(data)
        assert read_all(transport) == data
    transport.close()

    assert device.sizes_written == [size] * 3, "and no empty packet goes out after a full one"


@given(
    pieces=st.lists(st.binary(max_size=200), max_size=12),
    longest=st.integers(1, PACKET),
    empty=st.booleans(),
)
def test_any_pieces_make_the_same_stream(pieces: list[bytes], longest: int, empty: bool) -> None:
    transport = opened(echoing(trouble=Trouble(longest_packet=longest, empty_after_full=empty)))
    for piece in pieces:
        transport.write(piece)
    assert read_all(transport) == b"".join(pieces)
    transport.close()


def test_nothing_is_written_for_no_bytes() -> None:
    device = echoing()
    transport = opened(device)
    transport.write(b"")
    assert device.sizes_written == []
    transport.close()


def test_a_read_in_which_nothing_comes_gives_nothing_and_the_line_stays_open() -> None:
    transport = opened(echoing())
    assert transport.read(0.001) == transport.read(0.0) == b""
    transport.write(b"\x00")
    assert transport.read(0.001) == b"\x00"
    transport.close()


def test_a_read_asks_for_one_packet_so_that_a_full_one_is_not_waited_behind(mocker: MockerFixture) -> None:
    transport = opened(echoing())
    asked = mocker.spy(FakeUsb, "bulk_read")
    transport.write(bytes(2 * PACKET))
    assert len(read_all(transport)) == 2 * PACKET
    transport.close()

    sizes = {len(call.args[4]) for call in asked.call_args_list}
    assert sizes == {PACKET}


@pytest.mark.parametrize("failure", [Failure.IO, Failure.GONE, Failure.OVERFLOW, Failure.STALL, Failure.NOT_FOUND])
@pytest.mark.parametrize("way", ["read", "write"])
def test_every_failure_of_a_transfer_closes_the_line_for_good(failure: Failure, way: str) -> None:
    device = echoing()
    transport = opened(device)
    setattr(device.trouble, way, failure)
    with pytest.raises(TransportClosed) as first:
        transport.write(b"\x01") if way == "write" else transport.read(0.001)
    with pytest.raises(TransportClosed) as then:
        transport.write(b"\x02")
    with pytest.raises(TransportClosed):
        transport.read(0.001)
    transport.close()

    assert then.value is first.value
    assert first.value.hint
    assert ("unplugged" in str(first.value)) == (failure is Failure.GONE)
    assert device.handles == set()


@pytest.mark.parametrize("taken", [0, 1, 63, 64])
def test_a_write_that_does_not_go_out_whole_in_its_time_closes_the_line(taken: int) -> None:
    device = echoing(trouble=Trouble(write_takes=taken))
    transport = opened(device)
    with pytest.raises(TransportClosed):
        transport.write(bytes(65))
    transport.close()


@pytest.mark.parametrize("error", [USBError("x", None, errno.ENODEV), USBError("x", -4, None)])
def test_a_failure_is_known_by_either_of_its_two_numbers(error: USBError, mocker: MockerFixture) -> None:
    transport = opened(echoing())
    mocker.patch.object(FakeUsb, "bulk_read", side_effect=error)
    with pytest.raises(TransportClosed, match="unplugged"):
        transport.read(0.001)
    transport.close()


@pytest.mark.parametrize("error", [USBError("x", None, errno.ETIMEDOUT), USBError("x", -7, None)])
def test_time_that_is_up_is_no_failure_by_either_of_its_two_numbers(error: USBError, mocker: MockerFixture) -> None:
    transport = opened(echoing())
    mocker.patch.object(FakeUsb, "bulk_read", side_effect=error)
    assert transport.read(0.001) == b""
    transport.close()


def test_a_halt_ends_the_line_and_the_next_opening_clears_it() -> None:
    device = echoing()
    for endpoint in (VENDOR_IN, VENDOR_OUT):
        transport = opened(device)
        device.halted.add(endpoint)
        with pytest.raises(TransportClosed):
            transport.write(b"\x01") if endpoint == VENDOR_OUT else transport.read(0.001)
        transport.close()
        transport = opened(device)
        transport.write(b"\x01")
        assert transport.read(0.001) == b"\x01"
        transport.close()


def test_a_pulled_cable_ends_the_line_also_when_it_is_back_at_once() -> None:
    device = echoing()
    transport = opened(device)
    assert isinstance(device.carrier, Echo)
    device.carrier.pull()
    device.carrier.put_back()
    with pytest.raises(TransportClosed, match="unplugged"):
        transport.read(0.001)
    transport.close()
    again = opened(device)
    again.write(b"\x07")
    assert again.read(0.001) == b"\x07"
    again.close()


def test_a_closed_line_is_not_opened_again_by_its_use() -> None:
    device = echoing()
    transport = opened(device)
    transport.close()
    transport.close()
    for _ in range(2):
        with pytest.raises(TransportClosed):
            transport.write(b"\x00")
        with pytest.raises(TransportClosed):
            transport.read(0.001)

    assert device.handles == set()


def test_who_may_not_open_it_is_told_which_file_and_the_next_opening_looks_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    device = echoing(trouble=Trouble(open=Failure.DENIED))
    bus = FakeUsb(device)
    with pytest.raises(PermissionDenied) as caught:
        UsbTransport(SERIAL, backend=bus)
    assert "70-dealing-machine.rules" in caught.value.hint
    assert "/dev/bus/usb/001/001" in caught.value.hint

    device.trouble.open = None
    UsbTransport(SERIAL, backend=bus).close()
    assert device.handles == set()


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_where_a_system_has_no_permissions_a_refusal_means_another_program(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = echoing(trouble=Trouble(open=Failure.DENIED))
    monkeypatch.setattr(sys, "platform", system)
    with pytest.raises(MachineBusy, match="Another program uses the machine on USB"):
        opened(device)


@pytest.mark.parametrize(
    ("trouble", "expected"),
    [
        (Trouble(claim=Failure.BUSY), MachineBusy),
        (Trouble(open=Failure.BUSY), MachineBusy),
        (Trouble(claim=Failure.GONE), MachineNotFound),
        (Trouble(claim=Failure.NOT_FOUND), MachineNotFound),
        (Trouble(open=Failure.GONE), MachineNotFound),
        (Trouble(strings=Failure.STALL), MachineNotFound),
        (Trouble(strings=Failure.TIMEOUT), MachineNotFound),
        (Trouble(driverless=True), UsbSupportMissing),
    ],
)
def test_every_failure_to_open_has_its_error_and_leaves_nothing_open(
    trouble: Trouble, expected: type[TransportError]
) -> None:
    device = echoing(trouble=trouble)
    with pytest.raises(expected) as caught:
        opened(device)
    assert type(caught.value) is expected
    assert caught.value.url == f"usb:{SERIAL}"
    assert device.handles == set()


def test_a_second_program_finds_it_in_use_until_the_first_has_closed() -> None:
    device = echoing()
    bus = FakeUsb(device)
    first = UsbTransport(SERIAL, backend=bus)
    with pytest.raises(MachineBusy, match="Another program"):
        UsbTransport(SERIAL, backend=bus)
    first.write(b"\x05")
    assert first.read(0.001) == b"\x05"
    first.close()
    UsbTransport(SERIAL, backend=bus).close()


def test_without_libusb_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb.backend.libusb1, "get_backend", lambda find_library=None: None)
    monkeypatch.setitem(sys.modules, "libusb_package", None)
    with pytest.raises(UsbSupportMissing, match="lacks libusb") as caught:
        open_transport(f"usb:{SERIAL}")
    assert "apt install libusb-1.0-0" in caught.value.hint
    assert "dealing-machine[usb]" in caught.value.hint


def test_where_the_system_has_no_libusb_the_one_of_the_package_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    bus = FakeUsb(echoing())
    package = ModuleType("libusb_package")
    package.find_library = lambda name: name  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "libusb_package", package)
    monkeypatch.setattr(
        usb.backend.libusb1, "get_backend", lambda find_library=None: None if find_library is None else bus
    )
    transport = open_transport(f"usb:{SERIAL}")
    transport.write(b"\x09")
    assert transport.read(0.001) == b"\x09"
    transport.close()


class Stranger(UsbIdentity):
    """Somebody else's private test device with the same ids."""

    @property
    def strings(self) -> dict[int, str]:
        return {1: "Somebody", 2: "Coffee machine", 3: self.serial}


class NoVendorInterface(UsbIdentity):
    """A machine with its serial port alone: the vendor interface says another class."""

    @property
    def configuration(self) -> bytes:
        raw = bytearray(super().configuration)
        raw[-23 + 5] = 0x0A
        return bytes(raw)


def test_a_stranger_with_the_same_ids_and_serial_number_is_no_machine() -> None:
    stranger = FakeUsbDevice(Stranger(SERIAL), Echo())
    with pytest.raises(MachineNotFound, match="No machine with the serial number DM0042"):
        opened(stranger)
    assert stranger.handles == set()

    opened(stranger, echoing(ports=(2,))).close()


def test_the_machine_with_that_serial_number_is_opened_and_no_other_is_claimed() -> None:
    other, mine = echoing("DM0041", ports=(1,)), echoing(ports=(2,))
    transport = opened(other, mine)
    assert other.handles == set()
    assert [handle.claimed for handle in mine.handles] == [{2}]
    transport.close()

    with pytest.raises(MachineNotFound, match="there is usb:DM0041"):
        opened(other)


def test_twins_are_refused_and_told_by_their_places_and_a_place_chooses() -> None:
    here, there = echoing(ports=(1,)), echoing(ports=(4, 2))
    with pytest.raises(MachineNotFound, match="Several machines") as caught:
        opened(here, there)
    assert "usb:DM0042@1-1, usb:DM0042@1-4.2" in caught.value.hint
    assert here.handles == there.handles == set()

    transport = opened(here, there, path="1-4.2")
    assert (len(here.handles), len(there.handles)) == (0, 1)
    assert transport.url == "usb:DM0042@1-4.2"
    transport.close()


def test_a_machine_beside_one_that_may_not_be_opened_is_opened_all_the_same() -> None:
    opened(echoing("DM0041", trouble=Trouble(open=Failure.DENIED)), echoing(ports=(2,))).close()


def test_a_machine_without_a_serial_port_beside_has_the_same_pair() -> None:
    device = FakeUsbDevice(UsbIdentity(SERIAL, composite=False), Echo())
    transport = opened(device)
    transport.write(b"\x03")
    assert transport.read(0.001) == b"\x03"
    transport.close()


def test_a_device_without_a_vendor_interface_is_opened_by_its_serial_port() -> None:
    device = FakeUsbDevice(NoVendorInterface(SERIAL), Echo())
    with pytest.raises(TransportError, match="no interface of its own") as caught:
        opened(device)
    assert "serial port" in caught.value.hint
    assert device.handles == set()


def test_a_machine_that_nobody_configured_is_configured_and_one_that_is_stays_as_it_is(mocker: MockerFixture) -> None:
    configured = mocker.spy(FakeUsb, "set_configuration")
    opened(echoing(trouble=Trouble(unconfigured=True))).close()
    assert configured.call_count == 1
    opened(echoing()).close()
    assert configured.call_count == 1


@pytest.mark.parametrize("url", ["usb:", "usb:@1-2", "usb:DM 42", "usb:DM/42", "usb:" + 17 * "1"])
def test_an_address_without_a_serial_number_that_can_be_is_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_transport(url)
    assert "usb:DM0042" in caught.value.hint


def test_pyusb_writes_no_byte_of_the_line_to_a_file_even_when_it_is_told_to(tmp_path: Path) -> None:
    log = tmp_path / "usb.log"
    program = (
        "import logging, usb.core\n"
        "trace = logging.getLogger('usb.backend.libusb1')\n"
        "trace.debug('it would'); import driver.transport.usb_bulk; trace.critical('a transfer')\n"
    )
    environment = {"PYUSB_DEBUG": "debug", "PYUSB_LOG_FILENAME": str(log), "PATH": ""}
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, cwd=root, env=environment)

    assert "it would" in log.read_text()
    assert "a transfer" not in log.read_text()


def test_the_bus_that_is_not_there_keeps_the_rules_of_libusb() -> None:
    """A read for more than a packet waits behind a full one; one for less overflows; an unclaimed pair carries none."""
    device = echoing()
    bus = FakeUsb(device)
    handle = bus.open_device(device)
    with pytest.raises(USBError, match="Entity not found"):
        bus.bulk_read(handle, VENDOR_IN, 2, array("B", bytes(64)), 1)
    bus.claim_interface(handle, 2)
    device.carrier.write(bytes(PACKET))
    assert bus.bulk_read(handle, VENDOR_IN, 2, array("B", bytes(2 * PACKET)), 1) == PACKET
    device.carrier.write(bytes(10))
    with pytest.raises(USBError, match="Overflow"):
        bus.bulk_read(handle, VENDOR_IN, 2, array("B", bytes(9)), 1)
    bus.close_device(handle)
    assert device.handles == set[Handle]()
