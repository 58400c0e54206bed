"""Asks the system for the facts; opens no port and changes nothing. What cannot be read is left out.

May import: `facts`, `other_systems`, `driver.transport` and the standard library. Read next: `diagnosis.py`.
"""

from __future__ import annotations

import ctypes.util
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from driver.plugged_in.facts import LINK_NAME, DeviceFacts, Facts, KernelLine, Node, PortFacts, UserFacts
from driver.plugged_in.other_systems import devices_elsewhere
from driver.transport.discovery import list_ports
from driver.transport.holder import PROC, holder_of
from driver.transport.sysfs import UsbDevice, UsbPort, is_same, usb_devices
from driver.transport.url import is_address, serial_path
from protocol.constants import USB_VENDOR

RULES_FOLDERS: Final = tuple(
    Path(folder) for folder in ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")
)
LINKS: Final = (Path("/dev/serial/by-id"), Path("/dev/serial/by-path"), Path("/dev"))
RULES_NAME: Final = "dealing-machine.rules"
GREEDY: Final = ("brltty", "ModemManager")
"""Programs that take serial ports unasked."""
LINES_KEPT: Final = 40
_ABOUT_ADAPTERS: Final = re.compile(r"tty(USB|ACM)\d|brltty|cdc_acm|usbfs", re.IGNORECASE)
_KERNEL_LINE: Final = re.compile(r"(?:<?\d+>?,)?\d+,(?P<time>\d+),[^;]*;(?P<text>.*)")
_NOT_TOLD: Final = re.compile(r"[^ -~]|/home/\S+")


def gather(named: str | None = None, known: Sequence[str] = (), *, brief: bool = False) -> Facts:
    """The facts of this moment; `brief`: only what tells which machines there are, without what tells why not.

    A port that is `named` by its path is looked at also where no USB device is behind it; so are those paths of
    machines that are `known`, where there is something.
    """
    on_linux = sys.platform.startswith("linux")
    ports = list_ports()
    devices = usb_devices() if on_linux else devices_elsewhere()
    address = named if named is not None and is_address(named) else ""
    paths = [serial_path(address), *(path for path in known if os.path.exists(path))]
    there = {port.path for port in ports}
    ports += [
        UsbPort(path, UsbDevice(0, 0, path), -1, "") for path in dict.fromkeys(paths) if path and path not in there
    ]
    of_ports = [port.device for port in ports]
    links = links_of() if on_linux else {}
    found = Facts(
        system="linux" if on_linux else sys.platform,
        named=address,
        ports=tuple(
            PortFacts(node_of(port.path), port.device, port.interface, port.driver, links.get(port.path, ()))
            for port in ports
        ),
        devices=tuple(_device(device, may_be_it=any(is_same(device, one) for one in of_ports)) for device in devices),
    )
    if brief:
        return found
    return replace(
        found,
        distribution=_distribution(),
        sandbox=sandbox(os.environ),
        user=_user(),
        rules=tuple(rules_in(RULES_FOLDERS)) if on_linux else (),
        programs=tuple(running(GREEDY)) if on_linux else (),
        libusb=_has_libusb(),
        log=tuple(kernel_lines(_kernel_log())) if on_linux else (),
    )


def node_of(path: str) -> Node:
    """Who may open that file, and who has."""
    if sys.platform == "win32":
        return Node(path, there=True, may_open=True, group="", group_may=False)
    try:
        found = os.stat(path)
    except OSError:
        return Node(path, there=False, may_open=False, group="", group_may=False)
    group = ""
    with suppress(KeyError, ImportError):
        import grp

        group = grp.getgrgid(found.st_gid).gr_name
    group_may = found.st_mode & 0o060 == 0o060
    return Node(path, True, os.access(path, os.R_OK | os.W_OK), group, group_may, holder_of(path))


def links_of(folders: Iterable[Path] = LINKS) -> dict[str, tuple[str, ...]]:
    """The other names of each port: by what it tells, by where it is plugged in, and that of the machine's own rule."""
    found: dict[str, tuple[str, ...]] = {}
    for folder in folders:
        names = sorted(_names_in(folder))
        for link in (folder / name for name in names if folder != Path("/dev") or name.startswith(LINK_NAME)):
            if link.is_symlink():
                target = os.path.realpath(link)
                found[target] = (*found.get(target, ()), str(link))
    return found


def rules_in(folders: Iterable[Path]) -> list[str]:
    """The rules files for the machine, by their paths."""
    return [str(folder / name) for folder in folders for name in _names_in(folder) if name.endswith(RULES_NAME)]


def sandbox(environment: Iterable[str], root: Path = Path("/")) -> str:
    """What keeps this program apart from the devices of the computer; "" for nothing."""
    if "SNAP" in environment:
        return "snap"
    if (root / ".flatpak-info").exists():
        return "flatpak"
    marks = (root / ".dockerenv", root / "run/.containerenv")
    return "container" if "container" in environment or any(mark.exists() for mark in marks) else ""


def running(names: Iterable[str], proc: Path = PROC) -> list[str]:
    """Which of the programs run here."""
    found = set()
    for number in _names_in(proc):
        if number.isdigit():
            with suppress(OSError):
                found.add((proc / number / "comm").read_text(encoding="utf-8", errors="replace").strip())
    return [name for name in names if name in found]


def kernel_lines(text: str) -> list[KernelLine]:
    """The last lines of the kernel's log about adapters; what could name a person's folder is left out of them."""
    found = []
    for line in text.splitlines():
        match = _KERNEL_LINE.fullmatch(line)
        if match and _ABOUT_ADAPTERS.search(match["text"]):
            found.append(KernelLine(int(match["time"]) / 1e6, _NOT_TOLD.sub("", match["text"])[:200]))
    return found[-LINES_KEPT:]


def _kernel_log() -> str:
    """What the kernel's log holds now; "" where this user may not read it."""
    lines = []
    try:
        file = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        while line := os.read(file, 8192):
            lines.append(line.decode("utf-8", "replace").partition("\n")[0])
    except OSError:  # no more lines, or some were overwritten meanwhile
        pass
    finally:
        os.close(file)
    return "\n".join(lines)


def _device(device: UsbDevice, *, may_be_it: bool) -> DeviceFacts:
    """A device that cannot be the machine is kept by its numbers alone."""
    if device.vendor == USB_VENDOR or may_be_it:
        return DeviceFacts(device, node_of(device.node) if device.node else None)
    return DeviceFacts(
        UsbDevice(device.vendor, device.product, device.location, interfaces=device.interfaces, problem=device.problem)
    )


def _user() -> UserFacts:
    if sys.platform == "win32":
        return UserFacts()
    import grp
    import pwd

    def name_of(number: int) -> str:
        try:
            return grp.getgrgid(number).gr_name
        except KeyError:
            return ""

    now = {name_of(number) for number in {os.getegid(), *os.getgroups()}}
    written: set[str] = set()
    with suppress(KeyError):
        account = pwd.getpwuid(os.getuid())
        written = {name_of(number) for number in os.getgrouplist(account.pw_name, account.pw_gid)}
    return UserFacts(os.geteuid() == 0, tuple(sorted(now & PORT_GROUPS)), tuple(sorted(written & PORT_GROUPS)))


PORT_GROUPS: Final = frozenset({"dialout", "uucp", "tty", "lock", "plugdev", "usb", "serial", "lp", "dealing-machine"})
"""Groups that own ports on some system; a person's other groups are nobody's business."""


def _distribution() -> str:
    with suppress(OSError):
        for line in Path("/etc/os-release").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition("=")
            if name == "ID":
                return value.strip("\"'")[:20]
    return ""


def _has_libusb() -> bool:
    """Whether the library for machines that are USB alone is there: the system's, or the one that was packaged."""
    from importlib.util import find_spec

    return ctypes.util.find_library("usb-1.0") is not None or find_spec("libusb_package") is not None


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
