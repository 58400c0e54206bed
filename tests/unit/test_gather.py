"""The facts are gathered from the files of a system, whatever of them is missing, and tell of no person.

Read next: `driver/plugged_in/gather.py`.
"""

from __future__ import annotations

import getpass
import os
import plistlib
import pty
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from driver.plugged_in import gather as gathering
from driver.plugged_in.candidates import candidates
from driver.plugged_in.facts import Facts, to_text
from driver.plugged_in.gather import gather, kernel_lines, links_of, node_of, rules_in, running, sandbox
from driver.plugged_in.other_systems import from_ioreg, from_windows
from driver.transport import discovery
from driver.transport.sysfs import UsbDevice, UsbPort, usb_devices, usb_ports
from tests.support.usb_tree import UsbTree

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the files of a Linux system")


@pytest.fixture
def tree(tmp_path: Path, mocker: MockerFixture) -> UsbTree:
    """A computer whose USB devices are those of the test."""
    tree = UsbTree(tmp_path / "sys")
    mocker.patch.object(gathering, "usb_devices", side_effect=lambda: usb_devices(tree.root))
    for module in (gathering, discovery):
        mocker.patch.object(module, "list_ports", side_effect=lambda: usb_ports(tree.root))
    return tree


@pytest.fixture
def line() -> Iterator[str]:
    ours, theirs = pty.openpty()
    yield os.ttyname(theirs)
    os.close(theirs)
    os.close(ours)


@on_linux
def test_what_cannot_be_the_machine_is_kept_by_its_numbers_alone(tree: UsbTree) -> None:
    tree.plug("1-2")
    tree.plug("1-4", 0x05AC, 0x12A8, serial="00008030", name="Ann's telephone", tty=None)
    facts = gather()

    assert [one.device.serial for one in facts.devices] == ["DM0042", ""]
    assert (facts.devices[1].device.vendor, facts.devices[1].device.name) == (0x05AC, "")
    assert "telephone" not in to_text(facts)
    assert [port.node.there for port in facts.ports] == [False]


@on_linux
def test_the_facts_tell_no_user_no_computer_and_no_folder_of_a_person(tree: UsbTree, line: str) -> None:
    tree.plug("1-2")
    text = to_text(gather(line))

    words = {getpass.getuser(), socket.gethostname(), str(Path.home()), os.getcwd()} - {"root"}  # a group too
    assert [word for word in words if word in text] == []


@on_linux
def test_who_only_looks_for_a_machine_is_spared_what_tells_why_there_is_none(tree: UsbTree) -> None:
    tree.plug("1-2")
    whole, brief = gather(), gather(brief=True)

    assert (brief.ports, brief.devices, brief.libusb) == (whole.ports, whole.devices, None)
    assert to_text(brief) == to_text(Facts(system="linux", ports=whole.ports, devices=whole.devices))


@on_linux
def test_gathering_opens_no_port(tree: UsbTree, line: str, mocker: MockerFixture) -> None:
    tree.plug("1-2")
    opened = mocker.spy(os, "open")
    gather(line)

    assert [
        call.args[0] for call in opened.call_args_list if "tty" in str(call.args[0]) or "pts" in str(call.args[0])
    ] == []


@on_linux
def test_a_port_that_is_named_is_looked_at_though_no_device_is_behind_it(tree: UsbTree, line: str) -> None:
    facts = gather(f"serial:{line}")

    assert [(port.node.path, port.node.there, port.device.vendor) for port in facts.ports] == [(line, True, 0)]
    assert facts.named == f"serial:{line}"
    assert gather("Max").named == ""
    assert gather("tcp:127.0.0.1:7001").ports == ()


@on_linux
def test_a_file_tells_whose_group_it_is_and_whether_it_is_there(line: str, tmp_path: Path) -> None:
    there, gone = node_of(line), node_of(str(tmp_path / "ttyACM9"))

    assert there.there
    assert there.may_open
    assert (gone.there, gone.may_open, gone.group) == (False, False, "")


@on_linux
def test_a_group_without_a_name_gets_none(tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch("grp.getgrgid", side_effect=KeyError)

    assert node_of(str(tmp_path)).group == ""


def test_the_other_names_of_a_port_are_found(tmp_path: Path) -> None:
    port = tmp_path / "ttyACM0"
    port.touch()
    for folder, name in (("by-id", "usb-Club_Dealer_DM0042-if00"), ("by-path", "pci-0000:00:14.0-usb-0:2:1.0")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).symlink_to(port)
    found = links_of((tmp_path / "by-id", tmp_path / "by-path", tmp_path / "nowhere"))

    assert [Path(link).parent.name for link in found[str(port)]] == ["by-id", "by-path"]


def test_rules_for_the_machine_are_found_wherever_they_lie(tmp_path: Path) -> None:
    for name in ("70-dealing-machine.rules", "99-dealing-machine.rules", "70-others.rules"):
        (tmp_path / name).touch()

    assert [Path(rule).name for rule in rules_in([tmp_path, tmp_path / "nowhere"])] == [
        "70-dealing-machine.rules",
        "99-dealing-machine.rules",
    ]


@pytest.mark.parametrize(
    ("environment", "mark", "kind"),
    [(["SNAP"], "", "snap"), ([], ".flatpak-info", "flatpak"), ([], ".dockerenv", "container"), ([], "", ""),
     (["container"], "", "container"), ([], "run/.containerenv", "container")],
)  # fmt: skip
def test_a_sandbox_is_known_by_its_marks(environment: list[str], mark: str, kind: str, tmp_path: Path) -> None:
    if mark:
        (tmp_path / mark).parent.mkdir(exist_ok=True)
        (tmp_path / mark).touch()

    assert sandbox(environment, tmp_path) == kind


def test_programs_that_take_ports_are_seen_running(tmp_path: Path) -> None:
    for number, name in ((1, "systemd"), (30, "ModemManager")):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "comm").write_text(f"{name}\n")
    (tmp_path / "31").mkdir()

    assert running(("brltty", "ModemManager"), tmp_path) == ["ModemManager"]


def test_of_the_log_only_lines_about_adapters_are_kept_and_no_folder_of_a_person() -> None:
    text = (
        "6,100,1000000,-;usb 1-1: ch341-uart converter now attached to ttyUSB0\n"
        "3,101,1500000,-;usb 1-1: usbfs: interface 0 claimed by ch341 while 'brltty' sets config #1\n"
        "6,102,1600000,-;audit: ttyUSB0 opened by /home/ann/bin/secret \x1b[31m\n"
        "6,103,1700000,-;EXT4-fs mounted for /home/ann\n"
        " SUBSYSTEM=usb\nnonsense\n"
    )
    found = kernel_lines(text)

    assert [line.time for line in found] == [1.0, 1.5, 1.6]
    assert "brltty" in found[1].text
    assert "ann" not in found[2].text
    assert found[2].text.isprintable()


@given(st.text(max_size=300))
def test_no_log_breaks_its_reader(text: str) -> None:
    assert len(kernel_lines(text)) <= 40


def test_devices_of_windows_are_read_with_what_is_wrong_with_them() -> None:
    text = (
        '"PNPDeviceID","ConfigManagerErrorCode"\n'
        '"USB\\VID_1209&PID_0001\\DM0042","28"\n'
        '"USB\\VID_1209&PID_0001&MI_00\\7&1A2B&0&0000","0"\n'
        '"USB\\VID_1A86&PID_7523\\5&2C6&0&3","0"\n'
        '"USB\\VID_0403&PID_6001\\A7","10"\nnonsense\n'
    )
    found = from_windows(text)

    assert [(one.vendor, one.serial, one.problem) for one in found] == [
        (0x1209, "DM0042", "no driver"),
        (0x1A86, "", ""),
        (0x0403, "A7", "problem"),
    ]


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_a_machine_without_a_port_is_seen_beside_the_port_of_another_device(system: str, mocker: MockerFixture) -> None:
    machine = UsbDevice(0x1209, 1, "DM0042", "DM0042")
    adapter = UsbPort("COM3", UsbDevice(0x1A86, 0x7523, "1-1"), -1, "CH340")
    mocker.patch.object(sys, "platform", system)
    mocker.patch.object(gathering, "list_ports", return_value=[adapter])
    mocker.patch.object(gathering, "devices_elsewhere", return_value=[machine])
    facts = gather(brief=True)

    assert [one.url for one in candidates(facts)] == ["usb:DM0042", "serial:COM3"]


def test_devices_of_macos_are_read_out_of_the_tree() -> None:
    machine = {"idVendor": 0x1209, "idProduct": 1, "locationID": 0x14200000, "USB Serial Number": "DM0042"}
    tree = [{"IORegistryEntryChildren": [{"idVendor": 1, "idProduct": 2, "IORegistryEntryChildren": [machine]}, {}]}]
    found = from_ioreg(plistlib.dumps(tree))

    assert [(one.vendor, one.serial, one.location) for one in found] == [(1, "", ""), (0x1209, "DM0042", "20-2")]


@given(st.binary(max_size=200))
def test_no_answer_of_a_system_breaks_its_reader(raw: bytes) -> None:
    assert isinstance(from_ioreg(raw), list)
    assert isinstance(from_windows(raw.decode("latin-1")), list)
