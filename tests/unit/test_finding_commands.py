"""How many ports the commands open while they look for a machine: none to list, none that is held, else exactly one.

Read next: `driver/cli/choose.py`, `driver/cli/machines.py`, `driver/cli/doctor.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver.cli.main import main
from driver.clock import utc_now
from driver.club import keep_machine
from driver.errors import TransportClosed
from driver.plugged_in.candidates import Known
from driver.plugged_in.facts import Facts, from_text
from driver.store.store import Store
from driver.transport.holder import Holder
from driver.transport.sysfs import UsbDevice
from tests.cli.program import Ran
from tests.support.facts import NOBODY, adapter_device, computer, machine_device, port

ACM0 = port("/dev/ttyACM0", machine_device())
ACM1 = port("/dev/ttyACM1", machine_device("DM0043", "1-3"))
TWIN = port("/dev/ttyACM1", machine_device("DM0042", "1-3"))
USB0 = port("/dev/ttyUSB0", adapter_device())
HELD = port("/dev/ttyACM0", machine_device(), holder=Holder("screen", 4711))
DENIED = port("/dev/ttyACM0", machine_device(), may_open=False)


@dataclass
class Computer:
    """Commands on a computer with these facts; `opened` are the ports that were opened, all of which are silent."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    facts: Facts = field(default_factory=computer)
    opened: list[str] = field(default_factory=list)

    def open(self, path: str, *_: object) -> object:
        self.opened.append(path)
        raise TransportClosed("It broke.")

    def __call__(self, *words: str) -> Ran:
        code = main([*words, "--data", str(self.folder)])
        shown = self.capsys.readouterr()
        return Ran(code, shown.out, shown.err)


@pytest.fixture
def here(tmp_path: Path, capsys: pytest.CaptureFixture[str], mocker: MockerFixture) -> Computer:
    here = Computer(tmp_path / "data", capsys)
    mocker.patch("driver.cli.choose.gather", side_effect=lambda *_, **__: here.facts)
    mocker.patch("driver.transport.serial_port.SerialTransport", side_effect=here.open)
    mocker.patch("driver.transport.reopen.device_at", return_value=None)
    return here


@pytest.mark.parametrize("ports", [(ACM0,), (ACM0, ACM1, USB0), (ACM0, TWIN), (HELD,)])
def test_machines_lists_everything_and_opens_nothing(here: Computer, ports: tuple[object, ...]) -> None:
    here.facts = computer(*ports)  # type: ignore[arg-type]
    ran = here("machines")
    as_json = [json.loads(line) for line in here("machines", "--json").out.splitlines()]

    assert ran.code == 0
    assert [one["machine"] for one in as_json] == [f"serial:{one.node.path}" for one in here.facts.ports]
    assert all(f"serial:{one.node.path}" in ran.out and one.links[0] in ran.out for one in here.facts.ports)
    assert here.opened == []
    assert not here.folder.exists()


def test_machines_says_who_holds_a_port_and_what_an_adapter_is(here: Computer) -> None:
    here.facts = computer(HELD, USB0)
    shown = here("machines").out

    assert "held by screen (pid 4711)" in shown
    assert "only its answer tells" in shown


def test_machines_shows_a_named_one_alone(here: Computer) -> None:
    here.facts = computer(ACM0, ACM1)

    assert "DM0042" not in here("machines", "--machine", "DM0043").out
    assert here("machines", "--machine", "DM0044").code == 3
    assert here("machines", "--machine", "card").code == 3


def test_machines_does_not_list_a_port_that_is_only_a_name(here: Computer) -> None:
    gone = port("/dev/tty Öl", UsbDevice(0, 0, "/dev/tty Öl"), there=False, links=False)
    here.facts = computer(ACM0, gone)
    ran = here("machines", "--machine", "/dev/tty Öl")

    assert ran.code == 3
    assert "There is no port /dev/tty Öl." in ran.err


@pytest.mark.parametrize("address", ["usb:DM 42", "tcp:x", "ftp:x"])
def test_doctor_says_of_a_wrong_address_that_it_is_none_and_not_that_a_machine_was_seen(
    here: Computer, address: str
) -> None:
    ran = here("doctor", "--machine", address)

    assert ran.code == 2
    assert "is no address of a machine" in ran.err
    assert "sees it" not in ran.out


def test_facts_that_cannot_be_read_are_asked_for_by_the_command_that_makes_them(here: Computer) -> None:
    ran = here("doctor", "--facts", "not-there.json")

    assert ran.code == 6
    assert "dealctl doctor --save FILE" in ran.err


def test_without_anything_plugged_in_machines_says_so(here: Computer) -> None:
    ran = here("machines")

    assert ran.code == 3
    assert "dealctl doctor" in ran.err


@pytest.mark.parametrize("ports", [(), (ACM0, ACM1), (ACM0, TWIN), (HELD,), (DENIED,), (USB0,)])
def test_doctor_opens_nothing_when_it_is_not_clear_which_or_something_stands_in_the_way(
    here: Computer, ports: tuple[object, ...]
) -> None:
    here.facts = replace(computer(*ports), user=NOBODY)  # type: ignore[arg-type]

    assert here("doctor", "--test-machine").code == 3
    assert here.opened == []


def test_doctor_opens_the_only_machine_once_and_the_named_one_of_two_once(here: Computer) -> None:
    here.facts = computer(ACM0, USB0)
    assert here("doctor").code == 3
    assert here.opened == []
    here("doctor", "--test-machine")
    assert here.opened == ["/dev/ttyACM0"]
    here.facts = computer(ACM0, ACM1)
    here("doctor", "--machine", "DM0043")
    assert here.opened == ["/dev/ttyACM0", "/dev/ttyACM1"]


def test_doctor_saves_what_it_found_with_what_the_machine_said(here: Computer, tmp_path: Path) -> None:
    here.facts = computer(ACM0)
    out = tmp_path / "known.json"
    here("doctor", "--test-machine", "--save", str(out))
    saved = from_text(out.read_text(encoding="ascii"))

    assert replace(saved, talk=None) == here.facts
    assert saved.talk is not None
    assert saved.talk.code == TransportClosed.code
    assert here("doctor", "--test-machine", "--save", str(out)).code == 2


@pytest.mark.parametrize("ports", [(ACM0, ACM1), (ACM0, TWIN), (USB0,), ()])
def test_a_command_that_deals_refuses_before_it_opens_anything(here: Computer, ports: tuple[object, ...]) -> None:
    here.facts = computer(*ports)  # type: ignore[arg-type]
    ran = here("trace", "--test-machine")

    assert ran.code == 3
    assert here.opened == []
    assert not ports or "--machine" in ran.err


def test_a_command_that_deals_opens_exactly_the_one_machine(here: Computer) -> None:
    here.facts = computer(USB0, ACM0)
    here("trace", "--test-machine")

    assert here.opened == ["/dev/ttyACM0"]


def test_a_machine_that_has_a_name_is_opened_by_it_and_when_none_is_named(here: Computer) -> None:
    here.facts = computer(ACM1, USB0)
    with Store(here.folder, now=utc_now) as store:
        keep_machine(store.decisions, "", Known("DM0042", "Max", 0x1A86, 0x7523, "", "1-1"))
    here("trace")
    here("trace", "--machine", "max")

    assert here.opened == ["/dev/ttyUSB0"] * 2
