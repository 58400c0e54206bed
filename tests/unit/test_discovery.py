"""What the system tells of ports and devices is read whole, whatever one of them tells; nothing is opened.

Read next: `driver/transport/discovery.py`, `tests/support/usb_tree.py`.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.transport.discovery import ports_from
from driver.transport.sysfs import usb_devices, usb_ports
from tests.support.usb_tree import UsbTree


@pytest.fixture
def tree(tmp_path: Path) -> UsbTree:
    return UsbTree(tmp_path / "sys")


def told(**facts: object) -> SimpleNamespace:
    """A port as pyserial tells it."""
    usual: dict[str, object] = {
        "device": "COM3", "vid": 0x1209, "pid": 1, "serial_number": "DM0042", "manufacturer": "Club",
        "product": "Dealer", "location": "1-2", "description": "USB serial (COM3)",
    }  # fmt: skip
    return SimpleNamespace(**(usual | facts))


def test_a_machine_with_a_port_and_a_second_interface_is_one_device_with_one_port(tree: UsbTree) -> None:
    tree.plug("1-2", bulk=True)

    (port,) = usb_ports(tree.root)
    (device,) = usb_devices(tree.root)

    assert (port.path, port.interface, port.driver) == ("/dev/ttyACM0", 0, "cdc_acm")
    assert port.device == device
    assert (device.vendor, device.product, device.serial, device.name) == (0x1209, 1, "DM0042", "Dealing machine")
    assert (device.location, device.node) == ("1-2", "/dev/bus/usb/001/002")
    assert [(one.number, one.kind, one.driver) for one in device.interfaces] == [
        (0, 2, "cdc_acm"),
        (1, 10, "cdc_acm"),
        (2, 255, ""),
    ]


def test_an_adapter_is_a_port_too_and_a_hub_is_no_device(tree: UsbTree) -> None:
    tree.plug("1-1", 0x1A86, 0x7523, serial=None, name="USB Serial", tty="ttyUSB0", kind=255)
    tree.plug("1-3", 0x0424, 0x2514, tty=None, name="Hub", bulk=False)
    hub = tree.root / "devices/pci0000:00/usb1/1-3/1-3:1.0"
    hub.mkdir()
    (hub / "bInterfaceNumber").write_text("00\n")
    (hub / "bInterfaceClass").write_text("09\n")

    assert [(port.path, port.device.serial) for port in usb_ports(tree.root)] == [("/dev/ttyUSB0", "")]
    assert [device.name for device in usb_devices(tree.root)] == ["USB Serial"]


@pytest.mark.parametrize("wound", ["no id", "no number", "folder", "bytes", "long"])
def test_one_device_that_tells_nonsense_does_not_hide_the_others(tree: UsbTree, wound: str) -> None:
    tree.plug("1-2")
    hurt = tree.plug("1-1", serial="X", tty="ttyACM1")
    match wound:
        case "no id":
            (hurt / "idVendor").unlink()
        case "no number":
            (hurt / "idVendor").write_text("what\n")
        case "folder":
            (hurt / "serial").unlink()
            (hurt / "serial").mkdir()
        case "bytes":
            (hurt / "serial").write_bytes(b"\xff\xfe\x1b[31m\x00")
        case _:
            (hurt / "product").write_text("x" * 100_000)

    assert "DM0042" in [port.device.serial for port in usb_ports(tree.root)]
    assert "DM0042" in [device.serial for device in usb_devices(tree.root)]
    texts = [text for device in usb_devices(tree.root) for text in (device.serial, device.name)]
    assert all(text.isprintable() and len(text) <= 126 for text in texts)


def test_a_port_that_goes_while_it_is_looked_at_is_left_out(tree: UsbTree) -> None:
    tree.plug("1-2")
    (tree.root / "class/tty/ttyACM9").symlink_to(tree.root / "devices/nowhere")

    assert [port.path for port in usb_ports(tree.root)] == ["/dev/ttyACM0"]


def test_a_system_without_usb_has_no_ports(tmp_path: Path) -> None:
    assert usb_ports(tmp_path) == []
    assert usb_devices(tmp_path) == []


def test_places_and_names_are_in_the_order_in_which_people_count(tree: UsbTree) -> None:
    for number in (10, 9, 1):
        tree.plug(f"1-{number}", serial=f"S{number}", tty=f"ttyACM{number}")

    assert [port.path for port in usb_ports(tree.root)] == ["/dev/ttyACM1", "/dev/ttyACM9", "/dev/ttyACM10"]
    assert [device.location for device in usb_devices(tree.root)] == ["1-1", "1-9", "1-10"]


def test_of_the_two_names_that_macos_has_for_a_port_the_one_that_opens_is_offered_once() -> None:
    ports = [told(device=f"/dev/{kind}.usbmodemDM00421", vid=0x1209, pid=-4096) for kind in ("tty", "cu")]

    (port,) = ports_from(ports)

    assert port.path == "/dev/cu.usbmodemDM00421"
    assert port.device.product == 0xF000


def test_ports_of_windows_beyond_nine_are_listed_in_the_order_of_their_numbers() -> None:
    ports = ports_from([told(device=f"COM{number}", location=f"1-{number}:x.2") for number in (10, 3, 256)])

    assert [port.path for port in ports] == ["COM3", "COM10", "COM256"]
    assert [(port.device.location, port.interface) for port in ports] == [("1-3", 2), ("1-10", 2), ("1-256", 2)]


def test_a_port_that_is_no_usb_device_is_not_listed() -> None:
    assert ports_from([told(vid=None), told(vid="what"), told(device="COM4", pid=None)]) == []


@given(st.dictionaries(st.sampled_from(["vid", "pid", "serial_number", "location", "product"]), st.none() | st.text()))
def test_whatever_a_port_tells_it_never_breaks_the_list(facts: dict[str, object]) -> None:
    ports = ports_from([told(**facts), told(device="COM9")])

    assert ports[-1].path == "COM9"
