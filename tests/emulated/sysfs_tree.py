"""The folder that umockdev's preload library shows a program in place of /sys and of those /dev nodes that lie in it.

A USB device is drawn from its own descriptors and strings, as the kernel does it. Only files: who answers behind a node
is `usbfs.py` or `ttyacm.py`. May import: the standard library, `descriptors`. Read next: `usbfs.py`.
"""

from __future__ import annotations

import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from protocol.usb import CDC_CLASS, CDC_DATA_CLASS
from tests.emulated.descriptors import Interface, UsbDescription

CONTROLLER: Final = "devices/pci0000:00/0000:00:14.0"
BUS: Final = 1
USB_MAJOR: Final = 189
TTY_MAJOR: Final = 166


@dataclass(frozen=True, slots=True)
class Place:
    """Where a device is plugged in: socket of the hub, the number that the kernel gave it, its tty if there is one."""

    number: int
    """1 to 127, on `BUS`; a device that comes back has another one."""
    port: int = 2
    tty: str | None = None
    """The name of its CDC port, such as "ttyACM0"."""

    @property
    def name(self) -> str:
        """The kernel's name of the place, such as "1-2"."""
        return f"{BUS}-{self.port}"

    @property
    def path(self) -> str:
        """The device below /sys."""
        return f"{CONTROLLER}/usb{BUS}/{self.name}"

    @property
    def node(self) -> str:
        """Its usbfs node below /dev."""
        return f"bus/usb/{BUS:03}/{self.number:03}"

    @property
    def minor(self) -> int:
        """The minor number of that node."""
        return (BUS - 1) * 128 + self.number - 1


class SysfsTree:
    """One such folder. `root` becomes UMOCKDEV_DIR of the programs that are to see it; keep its path short."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._events = 0
        for folder in ("sys/class/tty", "sys/bus/usb/devices", "sys/bus/usb/drivers/cdc_acm", "sys/bus/pci/devices"):
            self._folder(folder)
        self._folder("sys/dev/char")
        self._folder("dev/.node")
        self._write(f"sys/{CONTROLLER}/uevent", "DRIVER=xhci_hcd\nPCI_SLOT_NAME=0000:00:14.0\n")
        self._link(f"sys/{CONTROLLER}/subsystem", "sys/bus/pci")
        self._link("sys/bus/pci/devices/0000:00:14.0", f"sys/{CONTROLLER}")

    def draw(self, usb: UsbDescription, place: Place) -> None:
        """What the kernel shows of the device under /sys; its nodes are laid with `lay_node`."""
        folder = f"sys/{place.path}"
        self._draw_device(usb, place, folder)
        for interface in usb.interfaces:
            self._draw_interface(usb, place, interface)
        if place.tty is not None:
            self._draw_tty(place, place.tty)

    def lay_node(self, name: str, target: str | None, major: int, minor: int) -> Path:
        """The node /dev/NAME: a link to `target` (a terminal), or an empty file that nobody answers."""
        node = self.root / "dev" / name
        node.parent.mkdir(parents=True, exist_ok=True)
        if target is None:
            node.touch(mode=0o644)
        else:
            node.symlink_to(target)
        (self.root / "dev" / ".node" / name.replace("/", "_")).symlink_to(f"{major}:{minor}")
        return node

    def ioctl_socket(self, name: str) -> Path:
        """Where the preload library asks about the node /dev/NAME."""
        path = self.root / "ioctl" / "dev" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def take_node(self, name: str) -> None:
        """Takes the node /dev/NAME away."""
        (self.root / "dev" / name).unlink()
        (self.root / "dev" / ".node" / name.replace("/", "_")).unlink()

    def erase(self, usb: UsbDescription, place: Place) -> None:
        """Takes everything away that `draw` put there."""
        shutil.rmtree(self.root / "sys" / place.path)
        links = [f"bus/usb/devices/{place.name}", f"dev/char/{USB_MAJOR}:{place.minor}"]
        links += [f"bus/usb/devices/{place.name}:1.{interface.number}" for interface in usb.interfaces]
        if place.tty is not None:
            links += [f"class/tty/{place.tty}", f"dev/char/{TTY_MAJOR}:{_number_of(place.tty)}"]
        for link in links:
            (self.root / "sys" / link).unlink()

    def tell(self, action: str, place: Place) -> None:
        """The kernel's event about the device, "add" or "remove", to every program that listens in this folder."""
        self._events += 1
        fields = (
            f"{action}@/{place.path}", f"ACTION={action}", f"DEVPATH=/{place.path}", "SUBSYSTEM=usb",
            "DEVTYPE=usb_device", f"MAJOR={USB_MAJOR}", f"MINOR={place.minor}", f"DEVNAME={place.node}",
            f"BUSNUM={BUS:03}", f"DEVNUM={place.number:03}", f"SEQNUM={self._events}",
        )  # fmt: skip
        message = b"".join(field.encode() + b"\0" for field in fields)
        with socket.socket(socket.AF_UNIX, socket.SOCK_RAW) as sender:
            for listener in self.root.glob("event[0-9]*"):
                sender.sendto(message, str(listener))

    def _draw_device(self, usb: UsbDescription, place: Place, folder: str) -> None:
        maker, product, serial = usb.names
        files = {
            "busnum": f"{BUS}",
            "devnum": f"{place.number}",
            "devpath": f"{place.port}",
            "dev": f"{USB_MAJOR}:{place.minor}",
            "speed": "12",
            "version": " 2.01",
            "configuration": "",
            "bConfigurationValue": "1",
            "bNumConfigurations": "1",
            "bNumInterfaces": f"{len(usb.interfaces):2}",
            "bDeviceClass": f"{usb.device[4]:02x}",
            "bDeviceSubClass": f"{usb.device[5]:02x}",
            "bDeviceProtocol": f"{usb.device[6]:02x}",
            "bMaxPacketSize0": "64",
            "idVendor": f"{usb.vendor:04x}",
            "idProduct": f"{usb.product:04x}",
            "bcdDevice": f"{usb.release:04x}",
            "manufacturer": maker,
            "product": product,
            "serial": serial,
        }
        for name, text in files.items():
            self._write(f"{folder}/{name}", f"{text}\n")
        self._write(
            f"{folder}/uevent",
            f"MAJOR={USB_MAJOR}\nMINOR={place.minor}\nDEVNAME={place.node}\nDEVTYPE=usb_device\nDRIVER=usb\n"
            f"PRODUCT={_product(usb)}\nTYPE={_triple(usb.device[4:7])}\nBUSNUM={BUS:03}\nDEVNUM={place.number:03}\n",
        )
        (self.root / folder / "descriptors").write_bytes(usb.device + usb.configuration)
        self._link(f"{folder}/subsystem", "sys/bus/usb")
        self._link(f"sys/bus/usb/devices/{place.name}", folder)
        self._link(f"sys/dev/char/{USB_MAJOR}:{place.minor}", folder)

    def _draw_interface(self, usb: UsbDescription, place: Place, interface: Interface) -> None:
        name = f"{place.name}:1.{interface.number}"
        folder = f"sys/{place.path}/{name}"
        kind = (interface.class_, interface.subclass, interface.protocol)
        files = {
            "bInterfaceNumber": f"{interface.number:02x}",
            "bAlternateSetting": " 0",
            "bNumEndpoints": f"{len(interface.endpoints):02x}",
            "bInterfaceClass": f"{kind[0]:02x}",
            "bInterfaceSubClass": f"{kind[1]:02x}",
            "bInterfaceProtocol": f"{kind[2]:02x}",
        }
        if interface.name:
            files["interface"] = interface.name
        for file, text in files.items():
            self._write(f"{folder}/{file}", f"{text}\n")
        has_driver = place.tty is not None and interface.class_ in (CDC_CLASS, CDC_DATA_CLASS)
        self._write(
            f"{folder}/uevent",
            ("DRIVER=cdc_acm\n" if has_driver else "") + f"DEVTYPE=usb_interface\nPRODUCT={_product(usb)}\n"
            f"TYPE={_triple(usb.device[4:7])}\nINTERFACE={_triple(bytes(kind))}\n",
        )
        if has_driver:
            self._link(f"{folder}/driver", "sys/bus/usb/drivers/cdc_acm")
        self._link(f"{folder}/subsystem", "sys/bus/usb")
        self._link(f"sys/bus/usb/devices/{name}", folder)

    def _draw_tty(self, place: Place, tty: str) -> None:
        interface = f"sys/{place.path}/{place.name}:1.0"
        folder = f"{interface}/tty/{tty}"
        minor = _number_of(tty)
        self._write(f"{folder}/uevent", f"MAJOR={TTY_MAJOR}\nMINOR={minor}\nDEVNAME={tty}\n")
        self._write(f"{folder}/dev", f"{TTY_MAJOR}:{minor}\n")
        self._link(f"{folder}/device", interface)
        self._link(f"{folder}/subsystem", "sys/class/tty")
        self._link(f"sys/class/tty/{tty}", folder)
        self._link(f"sys/dev/char/{TTY_MAJOR}:{minor}", folder)

    def _folder(self, name: str) -> None:
        (self.root / name).mkdir(parents=True, exist_ok=True)

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _link(self, name: str, target: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.path.relpath(self.root / target, path.parent))


def _product(usb: UsbDescription) -> str:
    return f"{usb.vendor:x}/{usb.product:x}/{usb.release:x}"


def _triple(values: bytes) -> str:
    return "/".join(str(value) for value in values)


def _number_of(tty: str) -> int:
    return int(tty.removeprefix("ttyACM"))
