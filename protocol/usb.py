"""What a machine on USB says of itself: descriptors, strings, and the answers to the control requests for them.

May import: `constants` and the standard library. Read next: PROTOCOL.md, section 14, whose tables and bytes a test
holds against this module. The driver looks for what stands here; whatever plays a machine on USB gives these bytes.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from protocol.constants import USB_PRODUCT, USB_VENDOR

MANUFACTURER: Final = "Dealing machine project"
PRODUCT: Final = "Card dealing machine"
SERIAL: Final = re.compile(r"[0-9A-Za-z._-]{1,16}")
"""A serial number that can stand in the string, in HELLO_ACK, in a name of udev's and in an address of the driver's."""

LANGUAGE: Final = 0x0409
PACKET: Final = 64
"""Bytes of one bulk packet at full speed."""
NOTIFY_PACKET: Final = 16
CDC_CONTROL, CDC_DATA, VENDOR_INTERFACE = 0, 1, 2
"""Interface numbers of a machine that is both: the serial port first, the vendor interface second."""
CDC_NOTIFY: Final = 0x81
CDC_OUT: Final = 0x02
CDC_IN: Final = 0x82
VENDOR_OUT: Final = 0x03
VENDOR_IN: Final = 0x83
CONFIGURATION: Final = 1
MILLIAMPERE: Final = 100
"""What the USB side may draw; motors have a supply of their own."""

VENDOR_CLASS: Final = 0xFF
CDC_CLASS, CDC_DATA_CLASS, CDC_ABSTRACT, NO_PROTOCOL = 0x02, 0x0A, 0x02, 0x00
USB_VERSION: Final = 0x0210
"""2.1: the oldest whose hosts ask for a BOS."""
DEVICE_VERSION: Final = 0x0100
"""bcdDevice: raised with each change of any descriptor, because Windows keeps what it read."""

MS_VENDOR_CODE: Final = 0x01
MS_OS_20: Final = UUID("d8dd60df-4589-4cc7-9cd2-659d9e648a9f")
"""The platform capability by which Windows 8.1 and later know Microsoft OS 2.0 descriptors."""
WINDOWS_8_1: Final = 0x06030000
INTERFACE_GUID: Final = UUID("ca82e754-fac4-4f33-bb5f-3cb486520980")
"""Of this project: under it Windows programs find the vendor interface."""

_DEVICE, _CONFIGURATION, _STRING, _INTERFACE, _ENDPOINT, _ASSOCIATION, _BOS, _CAPABILITY = 1, 2, 3, 4, 5, 11, 15, 16
_CDC_FUNCTIONAL: Final = 0x24
_BULK, _INTERRUPT = 2, 3
_I_MANUFACTURER, _I_PRODUCT, _I_SERIAL, _I_CDC, _I_VENDOR = 1, 2, 3, 4, 5
_GET_DESCRIPTOR: Final = 6
_MS_DESCRIPTOR_INDEX: Final = 7


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    """The descriptors of one machine. `composite`: with the serial port before the vendor interface, else without."""

    serial: str
    composite: bool = True

    @property
    def strings(self) -> dict[int, str]:
        """Every string by its index; 0 is the list of languages and not here."""
        texts = {_I_MANUFACTURER: MANUFACTURER, _I_PRODUCT: PRODUCT, _I_SERIAL: self.serial}
        if self.composite:
            texts[_I_CDC] = "Dealing machine serial port"
        return texts | {_I_VENDOR: "Dealing machine bulk pair"}

    @property
    def vendor_interface(self) -> int:
        """The number of the vendor interface."""
        return VENDOR_INTERFACE if self.composite else 0

    @property
    def device(self) -> bytes:
        """The device descriptor: 18 bytes."""
        kind = (0xEF, 0x02, 0x01) if self.composite else (0, 0, 0)
        ids = (USB_VENDOR, USB_PRODUCT, DEVICE_VERSION)
        names = (_I_MANUFACTURER, _I_PRODUCT, _I_SERIAL)
        return struct.pack("<BBH4B3H4B", 18, _DEVICE, USB_VERSION, *kind, PACKET, *ids, *names, 1)

    @property
    def configuration(self) -> bytes:
        """The configuration descriptor with all that follows it."""
        parts = [*(_cdc() if self.composite else ()), *_vendor(self.vendor_interface)]
        body = b"".join(parts)
        interfaces = self.vendor_interface + 1
        head = struct.pack(
            "<BBHBBBBB", 9, _CONFIGURATION, 9 + len(body), interfaces, CONFIGURATION, 0, 0x80, MILLIAMPERE // 2
        )
        return head + body

    @property
    def bos(self) -> bytes:
        """The binary object store: one capability, which leads Windows to `ms_os_20`."""
        capability = struct.pack("<BBBB", 28, _CAPABILITY, 5, 0) + MS_OS_20.bytes_le
        capability += struct.pack("<IHBB", WINDOWS_8_1, len(self.ms_os_20), MS_VENDOR_CODE, 0)
        return struct.pack("<BBHB", 5, _BOS, 5 + len(capability), 1) + capability

    @property
    def ms_os_20(self) -> bytes:
        """The Microsoft OS 2.0 descriptor set: WinUSB for the vendor interface, without a driver file."""
        name = "DeviceInterfaceGUIDs\0".encode("utf-16-le")
        value = f"{{{str(INTERFACE_GUID).upper()}}}\0\0".encode("utf-16-le")
        feature = struct.pack("<HH8s8s", 20, 3, b"WINUSB", b"")
        feature += struct.pack("<HHHH", 10 + len(name) + len(value), 4, 7, len(name)) + name
        feature += struct.pack("<H", len(value)) + value
        if self.composite:
            function = struct.pack("<HHBBH", 8, 2, self.vendor_interface, 0, 8 + len(feature)) + feature
            feature = struct.pack("<HHBBH", 8, 1, 0, 0, 8 + len(function)) + function
        return struct.pack("<HHIH", 10, 0, WINDOWS_8_1, 10 + len(feature)) + feature

    def string(self, index: int) -> bytes | None:
        """The string descriptor of that index; None when there is none."""
        if index == 0:
            return struct.pack("<BBH", 4, _STRING, LANGUAGE)
        text = self.strings.get(index)
        if text is None:
            return None
        raw = text.encode("utf-16-le")
        return struct.pack("<BB", 2 + len(raw), _STRING) + raw

    def control_in(self, kind: int, request: int, value: int, index: int) -> bytes | None:
        """The whole answer to a control request for data (bmRequestType, bRequest, wValue, wIndex); None = stall."""
        if kind == 0xC0 and request == MS_VENDOR_CODE and index == _MS_DESCRIPTOR_INDEX:
            return self.ms_os_20
        if kind != 0x80 or request != _GET_DESCRIPTOR:
            return None
        match value >> 8:
            case 1 if value & 0xFF == 0:
                return self.device
            case 2 if value & 0xFF == 0:
                return self.configuration
            case 3:
                return self.string(value & 0xFF)
            case 15:
                return self.bos
        return None


def _interface(number: int, endpoints: int, kind: int, subclass: int, protocol: int, name: int) -> bytes:
    return struct.pack("<9B", 9, _INTERFACE, number, 0, endpoints, kind, subclass, protocol, name)


def _endpoint(address: int, attributes: int, packet: int, interval: int) -> bytes:
    return struct.pack("<BBBBHB", 7, _ENDPOINT, address, attributes, packet, interval)


def _cdc() -> tuple[bytes, ...]:
    """CDC-ACM without the AT protocol: association, control interface, functional descriptors, data interface."""
    return (
        struct.pack("<8B", 8, _ASSOCIATION, CDC_CONTROL, 2, CDC_CLASS, CDC_ABSTRACT, NO_PROTOCOL, _I_CDC),
        _interface(CDC_CONTROL, 1, CDC_CLASS, CDC_ABSTRACT, NO_PROTOCOL, _I_CDC),
        struct.pack("<BBBH", 5, _CDC_FUNCTIONAL, 0, 0x0110),
        struct.pack("<5B", 5, _CDC_FUNCTIONAL, 1, 0, CDC_DATA),
        struct.pack("<4B", 4, _CDC_FUNCTIONAL, 2, 2),
        struct.pack("<5B", 5, _CDC_FUNCTIONAL, 6, CDC_CONTROL, CDC_DATA),
        _endpoint(CDC_NOTIFY, _INTERRUPT, NOTIFY_PACKET, 16),
        _interface(CDC_DATA, 2, CDC_DATA_CLASS, 0, NO_PROTOCOL, 0),
        _endpoint(CDC_OUT, _BULK, PACKET, 0),
        _endpoint(CDC_IN, _BULK, PACKET, 0),
    )


def _vendor(number: int) -> tuple[bytes, ...]:
    """The vendor interface: class 255, a bulk pair, nothing else."""
    return (
        _interface(number, 2, VENDOR_CLASS, 0, NO_PROTOCOL, _I_VENDOR),
        _endpoint(VENDOR_OUT, _BULK, PACKET, 0),
        _endpoint(VENDOR_IN, _BULK, PACKET, 0),
    )
