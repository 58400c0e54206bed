"""The same machine is found again when its cable comes back under another port name, and nobody else's is opened."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pytest_mock import MockerFixture

from driver.errors import ConfigError, MachineNotFound
from driver.transport.discovery import the_only_port
from driver.transport.reopen import Reopening
from driver.transport.url import open_transport, serial_path


class FakePort(SimpleNamespace):
    """What pyserial tells of one port."""

    def __lt__(self, other: FakePort) -> bool:
        return bool(self.device < other.device)


def port(device: str, serial: str | None, vid: int | None = 0x1209) -> FakePort:
    return FakePort(device=device, description="dealer", vid=vid, pid=1, serial_number=serial)


class Ports:
    """Which ports were opened, and which are gone."""

    def __init__(self, mocker: MockerFixture) -> None:
        self.opened: list[str] = []
        self.gone: set[str] = set()
        self._mocker = mocker
        mocker.patch("driver.transport.serial_port.SerialTransport", side_effect=self._open)

    def plug(self, *ports: FakePort) -> None:
        self._mocker.patch("serial.tools.list_ports.comports", return_value=list(ports))

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

    assert ports.opened == ["/dev/ttyACM0", "/dev/ttyACM0", "/dev/ttyACM7"]
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


def test_the_only_port_is_taken_and_several_are_named_without_opening_any(ports: Ports) -> None:
    ports.plug(port("/dev/ttyACM3", "DM0042"), port("/dev/ttyS0", None, vid=None))
    assert the_only_port() == "serial:/dev/ttyACM3"
    ports.plug(port("/dev/ttyACM3", "DM0042"), port("/dev/ttyACM4", "DM0043"))
    with pytest.raises(MachineNotFound, match="ttyACM3, serial:/dev/ttyACM4"):
        the_only_port()
    ports.plug()
    with pytest.raises(MachineNotFound, match="No port"):
        the_only_port()
    assert ports.opened == []


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("serial:/dev/ttyACM0", "/dev/ttyACM0"),
        ("/dev/ttyUSB3", "/dev/ttyUSB3"),
        ("COM7", "COM7"),
        ("serial:COM7", "COM7"),
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
