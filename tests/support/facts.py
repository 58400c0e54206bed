"""Facts of computers as they would be recorded, typed by hand: a machine, adapters, who may open them and who does.

May import: driver. Read next: `tests/unit/test_diagnosis.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from driver.plugged_in.facts import DeviceFacts, Facts, Node, PortFacts, Talk, UserFacts
from driver.transport.holder import Holder
from driver.transport.sysfs import UsbDevice, UsbInterface
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import MANUFACTURER, PRODUCT

ANN: Final = UserFacts(groups=("dialout",), written_groups=("dialout",))
"""Somebody who may open serial ports."""
NOBODY: Final = UserFacts()
RULE: Final = "/etc/udev/rules.d/70-dealing-machine.rules"
BULK: Final = (UsbInterface(0, 255, ""),)
BOTH: Final = (UsbInterface(0, 2, "cdc_acm"), UsbInterface(1, 10, "cdc_acm"), UsbInterface(2, 255, ""))


def node(
    path: str, *, there: bool = True, may_open: bool = True, group: str = "dialout", holder: Holder | None = None
) -> Node:
    """A file of a device, for a group."""
    return Node(path, there=there, may_open=may_open, group=group, group_may=group != "root", holder=holder)


def machine_device(serial: str = "DM0042", place: str = "1-2", *, bulk_only: bool = False) -> UsbDevice:
    """A device with the numbers and texts of a machine."""
    return UsbDevice(
        USB_VENDOR, USB_PRODUCT, place, serial, MANUFACTURER, PRODUCT, "/dev/bus/usb/001/002",
        BULK if bulk_only else BOTH,
    )  # fmt: skip


def adapter_device(serial: str = "", place: str = "1-1") -> UsbDevice:
    """A serial adapter with the numbers of its chip."""
    interfaces = (UsbInterface(0, 255, "ch341"),)
    return UsbDevice(0x1A86, 0x7523, place, serial, "", "USB Serial", "/dev/bus/usb/001/003", interfaces)


def port(path: str, device: UsbDevice, *, links: bool = True, **more: object) -> PortFacts:
    """A port of that device, with the names that udev gives it; `more` as in `node`."""
    by_path = (f"/dev/serial/by-path/pci-0000:00:14.0-usb-0:{device.location.partition('-')[2]}:1.0",) if links else ()
    by_rule = (f"/dev/dealing-machine-{device.serial}",) if links and device.vendor == USB_VENDOR else ()
    return PortFacts(node(path, **more), device, 0, "cdc_acm", (*by_path, *by_rule))  # type: ignore[arg-type]


def computer(*ports: PortFacts, others: tuple[UsbDevice, ...] = (), **more: object) -> Facts:
    """A Debian computer where Ann sits, with those ports and their devices, and other devices."""
    devices = tuple(DeviceFacts(one.device, node(one.device.node, group="root", may_open=False)) for one in ports)
    usual = Facts(
        "linux", distribution="debian", user=ANN, ports=ports, rules=(RULE,), libusb=True,
        devices=devices + tuple(DeviceFacts(one) for one in others),
    )  # fmt: skip
    return replace(usual, **more)  # type: ignore[arg-type]


def answers(url: str = "serial:/dev/ttyACM0", **more: object) -> Talk:
    """The machine answered."""
    return replace(Talk(url, "", "DM0042", "Dealer", "1.4"), **more)  # type: ignore[arg-type]
