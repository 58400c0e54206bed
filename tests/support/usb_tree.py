"""A folder that looks like what a Linux kernel tells of its USB devices, so that finding is tested without any.

May import: the standard library. Read next: `driver/transport/sysfs.py`, `tests/unit/test_discovery.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(slots=True)
class UsbTree:
    """The root of `/sys` as far as finding looks. Devices are plugged in at a place like "1-2"."""

    root: Path
    _number: int = 1

    def plug(
        self,
        place: str,
        vendor: int = 0x1209,
        product: int = 1,
        *,
        serial: str | None = "DM0042",
        name: str | None = "Dealing machine",
        tty: str | None = "ttyACM0",
        bulk: bool = False,
        kind: int = 2,
        **more: str,
    ) -> Path:
        """A device with its tty, if it has one, and a vendor interface behind it with `bulk`; `more` are other files.

        The folder of the device.
        """
        device = self.root / "devices/pci0000:00/usb1" / place
        self._number += 1
        texts = {"idVendor": f"{vendor:04x}", "idProduct": f"{product:04x}", "busnum": "1", "devnum": str(self._number)}
        texts |= {} if serial is None else {"serial": serial}
        texts |= {} if name is None else {"product": name, "manufacturer": "Club"}
        self._write(device, texts | more)
        self._link(self.root / "bus/usb/devices" / place, device)
        if tty is not None:
            self._interface(device, 0, kind, "cdc_acm" if "ACM" in tty else "ch341")
            self._interface(device, 1, 10, "cdc_acm")
            place_of_tty = device / f"{place}:1.0" / ("tty" if "ACM" in tty else f"{tty}/tty") / tty
            place_of_tty.mkdir(parents=True)
            self._link(self.root / "class/tty" / tty, place_of_tty)
        if bulk:
            self._interface(device, 2, 0xFF, "")
        return device

    def unplug(self, place: str) -> None:
        """The device and its tty are gone."""
        for link in (*(self.root / "bus/usb/devices").glob(place), *(self.root / "class/tty").glob("*")):
            if f"/{place}" in str(link.readlink()):
                link.unlink()

    def _interface(self, device: Path, number: int, kind: int, driver: str) -> None:
        folder = device / f"{device.name}:1.{number}"
        self._write(folder, {"bInterfaceNumber": f"{number:02x}", "bInterfaceClass": f"{kind:02x}"})
        if driver:
            (folder / "driver").symlink_to(Path("/bus/usb/drivers") / driver)

    def _write(self, folder: Path, texts: dict[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(f"{text}\n", encoding="utf-8")

    def _link(self, link: Path, target: Path) -> None:
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
