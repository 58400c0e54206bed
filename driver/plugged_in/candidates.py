"""Which of the things that are plugged in may be a machine, and which one is meant. Pure.

May import: `facts`, `driver.errors`, `protocol`. Read next: `diagnosis.py`, which says why there is none.

Who a machine is shows in three steps: the numbers of its USB device, the texts that it tells, and its answer to HELLO.
Only the third proves it; nothing here gets that far. A serial adapter has its chip's numbers, which printers and
receivers have too: it is taken only by name, or when it was called a machine here before.
"""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final

from driver.errors import MachineNotFound
from driver.plugged_in.facts import DeviceFacts, Facts, Node, PortFacts
from driver.transport.sysfs import UsbDevice, is_same
from driver.transport.url import is_address
from protocol.constants import USB_PRODUCT, USB_TEST_PRODUCTS, USB_VENDOR
from protocol.usb import MANUFACTURER, PRODUCT, VENDOR_CLASS

_WINDOWS_PREFIX: Final = "\\\\.\\"
"""What ports of Windows beyond COM9 need; pyserial puts it there by itself."""
TEST_OPTION: Final = "--test-machine"


@unique
class Likeness(Enum):
    """How much speaks for a machine before it was asked."""

    MACHINE = "a dealing machine by its numbers and texts"
    TEST = "a machine with the private test numbers"
    ADAPTER = "a serial adapter: only its answer tells what it is"


@dataclass(frozen=True, slots=True)
class Known:
    """A machine that was met before: its serial number, its name here, and the device that it answered at.

    `place` is where that was plugged in: it counts where the device tells no number of its own.
    """

    serial: str
    name: str
    vendor: int = 0
    product: int = 0
    usb_serial: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be a machine: how it is opened, and all that is known of it. `port` is None without one."""

    url: str
    likeness: Likeness
    device: UsbDevice
    port: PortFacts | None
    device_facts: DeviceFacts | None
    known: Known | None

    @property
    def node(self) -> Node | None:
        """The file that is opened to reach it."""
        if self.port is not None:
            return self.port.node
        return None if self.device_facts is None else self.device_facts.node

    @property
    def label(self) -> str:
        """What people call it: its name here, else what it tells of itself."""
        if self.known is not None:
            return self.known.name
        told = self.device.name or (self.port.driver if self.port is not None else "") or "serial port"
        return f"{told} {self.device.serial}" if self.device.serial else told

    @property
    def links(self) -> tuple[str, ...]:
        """The other names that the system has for its port."""
        return () if self.port is None else self.port.links

    @property
    def names(self) -> frozenset[str]:
        """Everything by which a person may name it, in small letters."""
        paths = [*self.links] if self.port is None else [self.port.node.path, *self.links]
        short = [(ntpath if "\\" in path else posixpath).basename(path) for path in paths]
        told = [self.device.serial, self.device.name]
        told += [] if self.known is None else [self.known.name, self.known.serial]
        return frozenset(text.casefold() for text in (*paths, *short, *told) if text)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which machine is meant: a name or address (None = the only one), and whether test numbers may be taken."""

    name: str | None = None
    test_machines: bool = False
    known: tuple[Known, ...] = ()


def candidates(facts: Facts, known: Sequence[Known] = ()) -> list[Candidate]:
    """What may be a machine, each device once: the likely ones first, then by place."""
    found = [_at_port(port, facts, known) for port in _first_ports(facts.ports)]
    with_port = [candidate.device for candidate in found]
    for one in facts.devices:
        likeness = likeness_of(one.device)
        has_address = likeness is not Likeness.ADAPTER and bool(one.device.serial)
        if has_address and not any(is_same(one.device, other) for other in with_port):
            found.append(
                Candidate(_usb_url(one.device, facts), likeness, one.device, None, one, _met(one.device, known))
            )
    order = list(Likeness)
    return sorted(found, key=lambda candidate: order.index(candidate.likeness))


def likeness_of(device: UsbDevice) -> Likeness:
    """By numbers and texts. The test numbers belong to everybody, so the texts must be right as well.

    Windows does not tell the texts; then the numbers stand alone.
    """
    texts = (device.manufacturer, device.name)
    if device.vendor != USB_VENDOR or device.product != USB_PRODUCT or texts not in ((MANUFACTURER, PRODUCT), ("", "")):
        return Likeness.ADAPTER
    return Likeness.TEST if device.product in USB_TEST_PRODUCTS else Likeness.MACHINE


def fitting(there: Sequence[Candidate], wanted: Wanted) -> list[Candidate]:
    """Those that may be meant: by the name; without one the machines, and what was called one here before."""
    if wanted.name is None:
        return [
            one
            for one in there
            if one.likeness is Likeness.MACHINE
            or one.known is not None
            or (one.likeness is Likeness.TEST and wanted.test_machines)
        ]
    name = wanted.name.casefold()
    names = {name, name.removeprefix("serial:").removeprefix(_WINDOWS_PREFIX)}
    exact = [one for one in there if one.url.casefold() == name or names & one.names]
    exact = exact or _on_usb(there, name)
    return exact or [one for one in there if not is_address(name) and name in one.label.casefold()]


def choose(facts: Facts, wanted: Wanted) -> Candidate:
    """The machine that is meant. Raises MachineNotFound, which lists what there is and names the option."""
    there = candidates(facts, wanted.known)
    found = fitting(there, wanted)
    if len(found) == 1:
        return found[0]
    tests = [one for one in there if one.likeness is Likeness.TEST]
    if found:
        many = "There are several machines" if wanted.name is None else f"Several machines fit the name {wanted.name!r}"
        raise MachineNotFound(
            f"{many}: {_listed(found)}.", hint="Say which one is meant, by its address: --machine ADDRESS."
        )
    if wanted.name is not None:
        raise MachineNotFound(f"No machine called {wanted.name!r} is plugged in.")
    if tests:
        raise MachineNotFound(
            f"The only machine here has the private test numbers: {_listed(tests)}.",
            hint=f"If it is yours, say so with {TEST_OPTION}, or name it with --machine.",
        )
    if there:
        raise MachineNotFound(
            f"Nothing here tells that it is a dealing machine. There is: {_listed(there)}.",
            hint="If one of these leads to the machine, name it with --machine; `dealctl setup` remembers it.",
        )
    raise MachineNotFound("No port with a machine was found on this computer.")


def described(candidate: Candidate, there: Sequence[Candidate]) -> str:
    """One candidate in a list: its address and label, and where it is plugged in when another tells the same."""
    alike = [one for one in there if one.label == candidate.label]
    place = by_path(candidate) or candidate.device.location
    return f"{candidate.url} ({candidate.label}{f', plugged in at {place}' if len(alike) > 1 and place else ''})"


def by_path(candidate: Candidate) -> str:
    """The name of its port that stands for the socket it is plugged into; "" where the system has none."""
    return next((link for link in candidate.links if "/by-path/" in link), "")


def may_be_reached_without_port(device: UsbDevice) -> bool:
    """Whether it has the interface of a machine that needs no serial port; where no interfaces are told it may."""
    return not device.interfaces or any(interface.kind == VENDOR_CLASS for interface in device.interfaces)


def _listed(fitting: Sequence[Candidate]) -> str:
    return ", ".join(described(one, fitting) for one in fitting)


def _first_ports(ports: Sequence[PortFacts]) -> list[PortFacts]:
    """Of a device with several ports and numbers of a machine the first alone; adapters may lead to several things."""
    found: dict[str, PortFacts] = {}
    for port in ports:
        machine = likeness_of(port.device) is not Likeness.ADAPTER
        key = port.device.location if machine else port.node.path
        if key not in found or port.interface < found[key].interface:
            found[key] = port
    return list(found.values())


def _at_port(port: PortFacts, facts: Facts, known: Sequence[Known]) -> Candidate:
    device = next((one for one in facts.devices if is_same(one.device, port.device)), None)
    url = f"serial:{port.node.path}"
    return Candidate(url, likeness_of(port.device), port.device, port, device, _met(port.device, known))


def _usb_url(device: UsbDevice, facts: Facts) -> str:
    twins = [one for one in facts.devices if one.device.serial == device.serial]
    return f"usb:{device.serial}@{device.location}" if len(twins) > 1 else f"usb:{device.serial}"


def _on_usb(there: Sequence[Candidate], name: str) -> list[Candidate]:
    """Those that have that address on USB, without the port that they may have as well; `name` is in small letters."""
    found = []
    for one in there:
        device = None if one.device_facts is None else one.device_facts.device
        if one.likeness is not Likeness.ADAPTER and device is not None and may_be_reached_without_port(device):
            address = f"usb:{device.serial}"
            there_alone = f"{address}@{device.location}"
            if name in (address.casefold(), there_alone.casefold()):
                found.append((replace(one, port=None), address, there_alone))
    with_place = "@" in name or len(found) > 1
    return [replace(one, url=there_alone if with_place else address) for one, address, there_alone in found]


def _met(device: UsbDevice, known: Sequence[Known]) -> Known | None:
    """The machine that was met at this device before; HELLO proves later that it is still there."""
    for one in known:
        same_kind = (one.vendor, one.product, one.usb_serial) == (device.vendor, device.product, device.serial)
        if same_kind and (device.serial or one.place == device.location):
            return one
    return None
