"""What a USB device shows of itself, read from its own descriptors: ids, strings, interfaces, endpoints.

May import: protocol. Read next: `sysfs_tree.py`, `usb_port.py`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from protocol.usb import UsbIdentity

_INTERFACE: Final = 4
_ENDPOINT: Final = 5
_IDS_AT: Final = 8


@dataclass(frozen=True, slots=True)
class PipeEnd:
    """One endpoint: its address with the direction in bit 7, its kind (2 = bulk, 3 = interrupt)."""

    address: int
    kind: int


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface with its endpoints."""

    number: int
    class_: int
    subclass: int
    protocol: int
    name: str
    endpoints: tuple[PipeEnd, ...]


@dataclass(frozen=True, slots=True)
class UsbDescription:
    """A device by its device descriptor, its one configuration with all that hangs on it, and its strings by index."""

    device: bytes
    configuration: bytes
    strings: Mapping[int, str]

    @classmethod
    def of(cls, identity: UsbIdentity) -> Self:
        """A dealing machine."""
        return cls(identity.device, identity.configuration, identity.strings)

    def with_ids(self, vendor: int, product: int) -> Self:
        """The same device under other ids."""
        ids = struct.pack("<HH", vendor, product)
        return replace(self, device=self.device[:_IDS_AT] + ids + self.device[_IDS_AT + len(ids) :])

    @property
    def vendor(self) -> int:
        """idVendor."""
        return int.from_bytes(self.device[_IDS_AT : _IDS_AT + 2], "little")

    @property
    def product(self) -> int:
        """idProduct."""
        return int.from_bytes(self.device[_IDS_AT + 2 : _IDS_AT + 4], "little")

    @property
    def release(self) -> int:
        """bcdDevice."""
        return int.from_bytes(self.device[12:14], "little")

    @property
    def names(self) -> tuple[str, str, str]:
        """Manufacturer, product, serial number."""
        maker, product, serial = (self.strings.get(index, "") for index in self.device[14:17])
        return maker, product, serial

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces in their order. Alternate settings are not looked for: a machine has none."""
        found: list[Interface] = []
        for part in self._parts():
            if part[1] == _INTERFACE:
                found.append(Interface(part[2], part[5], part[6], part[7], self.strings.get(part[8], ""), ()))
            elif part[1] == _ENDPOINT:
                found[-1] = replace(found[-1], endpoints=(*found[-1].endpoints, PipeEnd(part[2], part[3] & 3)))
        return tuple(found)

    def _parts(self) -> Iterator[bytes]:
        rest = self.configuration
        while rest:
            yield rest[: rest[0]]
            rest = rest[rest[0] :]
