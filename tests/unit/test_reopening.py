"""The same machine is found again when its cable comes back under another port name, and nobody else's is opened."""

from __future__ import annotations

import pytest
from pytest_mock import MockerFixture

from driver.errors import ConfigError, MachineNotFound
from driver.transport.reopen import Reopening
from driver.transport.sysfs import UsbDevice, UsbPort
from driver.transport.url import open_transport, serial_path


def port(device: str, serial: str, location: str = "") -> UsbPort:
    return UsbPort(device, UsbDevice(0x1209, 1, location or device, serial), 0, "cdc_acm")


class Ports:
    """Which ports were opened, and which are gone."""

    def __init__(self, mocker: MockerFixture) -> None:
        self.opened: list[str] = []
        self.gone: set[str] = set()
        self._mocker = mocker
        mocker.patch("driver.transport.serial_port.SerialTransport", side_effect=self._open)

    def plug(self, *ports: UsbPort) -> None:
        self._mocker.patch("driver.transport.discovery.list_ports", return_value=list(ports))

    def _open(self, path: str, *_: object) -> object:
        self.opened.append(path)
        if path in self.gone:
            raise MachineNotFound(f"There is no port {path}.")
        return self._mocker.Mock()


@pytest.fixture
def ports(mocker: MockerFixture) -> Ports:
    return Ports(mocker)


def test_a_machine_that_comes_back_under_another_name_is_opened_there(ports: Ports) -> None:
    ports.plug(port("/dev/ttyACM0", "DM0042"), port("/dev/ttyACM1", "other"))
    reopening = Reopening("serial:/dev/ttyACM0")
    reopening()
    ports.gone.add("/dev/ttyACM0")
    ports.plug(port("/dev/ttyACM1", "other"), port("/dev/ttyACM7", "DM0042"))

    reopening()

    assert ports.opened == ["/dev/ttyACM0", "/dev/ttyACM7"]
    reopening()
    assert ports.opened[-1] == "/dev/ttyACM7"


def test_a_device_without_a_serial_number_is_never_taken_for_another_one(ports: Ports) -> None:
    ports.plug(port("/dev/ttyACM0", ""))
    reopening = Reopening("serial:/dev/ttyACM0")
    reopening()
    ports.gone.add("/dev/ttyACM0")
    ports.plug(port("/dev/ttyACM7", ""))

    with pytest.raises(MachineNotFound):
        reopening()
    assert ports.opened == ["/dev/ttyACM0", "/dev/ttyACM0"]


def test_a_machine_that_is_not_plugged_in_any_more_is_not_found(ports: Ports) -> None:
    ports.plug(port("/dev/ttyACM0", "DM0042"))
    reopening = Reopening("serial:/dev/ttyACM0")
    reopening()
    ports.gone.add("/dev/ttyACM0")
    ports.plug(port("/dev/ttyACM1", "other"))
    with pytest.raises(MachineNotFound):
        reopening()
    assert ports.opened[-1] == "/dev/ttyACM0"


def test_a_stranger_that_took_the_name_of_the_machine_is_not_opened(ports: Ports) -> None:
    ports.plug(port("/dev/ttyACM0", "DM0042"))
    reopening = Reopening("serial:/dev/ttyACM0")
    reopening()
    ports.plug(port("/dev/ttyACM0", "other"))
    with pytest.raises(MachineNotFound):
        reopening()
    ports.plug(port("/dev/ttyACM0", "other"), port("/dev/ttyACM1", "DM0042"))
    reopening()

    assert ports.opened == ["/dev/ttyACM0", "/dev/ttyACM1"]


def test_of_two_devices_with_one_serial_number_neither_is_taken_for_the_other(ports: Ports) -> None:
    ports.plug(port("/dev/ttyUSB0", "0001"))
    reopening = Reopening("serial:/dev/ttyUSB0")
    reopening()
    ports.plug(port("/dev/ttyUSB1", "0001"), port("/dev/ttyUSB2", "0001"))
    with pytest.raises(MachineNotFound):
        reopening()

    assert ports.opened == ["/dev/ttyUSB0"]


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("serial:/dev/ttyACM0", "/dev/ttyACM0"),
        ("/dev/ttyUSB3", "/dev/ttyUSB3"),
        ("COM7", "COM7"),
        ("serial:COM7", "COM7"),
        ("COM10", "COM10"),
        (r"\\.\COM10", r"\\.\COM10"),
        ("serial:/dev/cu.usbmodemDM00421", "/dev/cu.usbmodemDM00421"),
        ("tcp:127.0.0.1:7001", None),
        ("serial:", None),
        ("", None),
    ],
)
def test_the_port_of_an_address_is_read(url: str, path: str | None) -> None:
    assert serial_path(url) == path


@pytest.mark.parametrize("url", ["", "serial:", "tcp:", "tcp:host", "tcp:host:0", "tcp:host:99999", "ftp:x", "tcp::7"])
def test_an_address_that_is_none_is_refused_with_examples(url: str) -> None:
    with pytest.raises(ConfigError) as error:
        open_transport(url)
    assert "serial:/dev/ttyACM0" in error.value.hint
