"""USB devices as Windows and macOS tell them, through programs that are part of these systems; nothing is opened.

May import: `driver.transport.sysfs` (its record) and the standard library. Read next: `gather.py`.
The texts are read by functions of their own, which every system tests.
"""

from __future__ import annotations

import plistlib
import re
import subprocess
import sys
from typing import Any, Final

from driver.transport.sysfs import UsbDevice

NO_DRIVER: Final = "no driver"
OTHER_PROBLEM: Final = "problem"
_CODE_NO_DRIVER: Final = "28"
_PATIENCE: Final = 15.0
_ASK_WINDOWS: Final = (
    "Get-CimInstance Win32_PnPEntity -Filter \"PNPDeviceID LIKE 'USB\\\\VID[_]%'\" | "
    "Select-Object PNPDeviceID,ConfigManagerErrorCode | ConvertTo-Csv -NoTypeInformation"
)
_ON_WINDOWS: Final = re.compile(
    r'"USB\\VID_(?P<vid>[0-9A-F]{4})&PID_(?P<pid>[0-9A-F]{4})\\(?P<place>[^\\"]+)","(?P<code>[0-9]*)"', re.IGNORECASE
)


def devices_elsewhere() -> list[UsbDevice]:
    """The USB devices of a computer with Windows or macOS; none where the system does not answer."""
    if sys.platform == "darwin":
        return from_ioreg(_answer("ioreg", "-a", "-l", "-p", "IOUSB"))
    if sys.platform == "win32":
        shell = ("powershell", "-NoProfile", "-NonInteractive", "-Command", _ASK_WINDOWS)
        return from_windows(_answer(*shell).decode("utf-8", "replace"))
    return []


def from_windows(text: str) -> list[UsbDevice]:
    """The devices of a table PNPDeviceID, ConfigManagerErrorCode. A number with & is none that the device told."""
    found = []
    for line in text.splitlines():
        if match := _ON_WINDOWS.fullmatch(line.strip()):
            code = match["code"]
            problem = "" if code in ("", "0") else NO_DRIVER if code == _CODE_NO_DRIVER else OTHER_PROBLEM
            place = match["place"]
            serial = "" if "&" in place else place
            found.append(UsbDevice(int(match["vid"], 16), int(match["pid"], 16), place, serial, problem=problem))
    return found


def from_ioreg(raw: bytes) -> list[UsbDevice]:
    """The devices of the list that `ioreg -a -l -p IOUSB` writes."""
    try:
        tree = plistlib.loads(raw)
    except Exception:  # noqa: BLE001 - plistlib raises whatever its parser does
        return []
    found: list[UsbDevice] = []
    waiting: list[Any] = [tree]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, list):
            waiting += entry
        elif isinstance(entry, dict):
            waiting.append(entry.get("IORegistryEntryChildren", []))
            vendor, product = entry.get("idVendor"), entry.get("idProduct")
            if isinstance(vendor, int) and isinstance(product, int):
                found.append(_of_macos(entry, vendor, product))
    return sorted(found, key=lambda device: device.location)


def _of_macos(entry: dict[str, Any], vendor: int, product: int) -> UsbDevice:
    place = entry.get("locationID")
    return UsbDevice(
        vendor,
        product,
        _place_on_macos(place) if isinstance(place, int) else "",
        str(entry.get("USB Serial Number") or entry.get("kUSBSerialNumberString") or ""),
        str(entry.get("USB Vendor Name") or entry.get("kUSBVendorString") or ""),
        str(entry.get("USB Product Name") or entry.get("kUSBProductString") or ""),
    )


def _place_on_macos(number: int) -> str:
    """As pyserial writes it: 0x14200000 is "20-2"."""
    digits = [(number >> shift) & 0xF for shift in range(20, -1, -4)]
    ports = ".".join(str(digit) for digit in digits if digit)
    return f"{(number >> 24) & 0xFF}-{ports}" if ports else str((number >> 24) & 0xFF)


def _answer(*command: str) -> bytes:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.SubprocessError):
        return b""
    return done.stdout
