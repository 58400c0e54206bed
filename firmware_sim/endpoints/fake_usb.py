"""A machine on a USB that is not there: a pyusb backend below which nothing is real, one for each test.

May import: `base`, `served`, `protocol.usb`, pyusb and the standard library. Read next: `protocol/usb.py`, the
descriptors; `memory.py` and `called.py`, which carry its bytes on a manual and on the real clock.
It keeps the rules of libusb that a transport can break: bulk data goes in packets of 64 bytes; a read ends with a short
packet, a full buffer or its timeout, and fails when a packet does not fit; an interface belongs to who claimed it; a
halt stays until it is cleared; a cable that was pulled ends every handle, and the machine comes back as a new device.
"""

from __future__ import annotations

import errno
import struct
from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace
from typing import Final, Protocol

from usb.backend import IBackend
from usb.core import USBError, USBTimeoutError

from firmware_sim.endpoints.base import EndpointCut
from protocol.usb import CONFIGURATION, PACKET, UsbIdentity

FULL_SPEED: Final = 2
_DEVICE_FIELDS: Final = (
    "bLength bDescriptorType bcdUSB bDeviceClass bDeviceSubClass bDeviceProtocol bMaxPacketSize0 idVendor idProduct "
    "bcdDevice iManufacturer iProduct iSerialNumber bNumConfigurations"
)
_CONFIGURATION_FIELDS: Final = (
    "bLength bDescriptorType wTotalLength bNumInterfaces bConfigurationValue iConfiguration bmAttributes bMaxPower"
)
_INTERFACE_FIELDS: Final = (
    "bLength bDescriptorType bInterfaceNumber bAlternateSetting bNumEndpoints bInterfaceClass bInterfaceSubClass "
    "bInterfaceProtocol iInterface"
)
_ENDPOINT_FIELDS: Final = "bLength bDescriptorType bEndpointAddress bmAttributes wMaxPacketSize bInterval"


class Failure(Enum):
    """How libusb fails: its number, the system's, its words."""

    IO = (-1, errno.EIO, "Input/Output Error")
    DENIED = (-3, errno.EACCES, "Access denied (insufficient permissions)")
    GONE = (-4, errno.ENODEV, "No such device (it may have been disconnected)")
    NOT_FOUND = (-5, errno.ENOENT, "Entity not found")
    BUSY = (-6, errno.EBUSY, "Resource busy")
    TIMEOUT = (-7, errno.ETIMEDOUT, "Operation timed out")
    OVERFLOW = (-8, errno.EOVERFLOW, "Overflow")
    STALL = (-9, errno.EPIPE, "Pipe error")

    def error(self) -> USBError:
        """The exception that pyusb makes of it."""
        code, number, text = self.value
        return (USBTimeoutError if self is Failure.TIMEOUT else USBError)(text, code, number)


class Carrier(Protocol):
    """What brings bytes to the simulated machine and back, on its own clock."""

    @property
    def is_cut(self) -> bool:
        """True while the cable is out."""

    @property
    def cuts(self) -> int:
        """How often the cable was pulled."""

    def write(self, data: bytes) -> None:
        """Bytes from the host. Raises EndpointCut while the cable is out."""

    def read(self, timeout: float) -> bytes:
        """Waits up to `timeout` seconds for bytes to the host; b"" = none came. Raises EndpointCut."""


@dataclass(slots=True)
class Trouble:
    """What is wrong with a device. `open`, `claim`, `strings` fail each time, `read` and `write` once.

    `longest_packet` bytes go into one packet to the host, and `empty_after_full` sends an empty one after a full last
    one; `write_takes` so many bytes go out in a write before its time is up.
    """

    open: Failure | None = None
    claim: Failure | None = None
    strings: Failure | None = None
    read: Failure | None = None
    write: Failure | None = None
    driverless: bool = False
    unconfigured: bool = False
    longest_packet: int = PACKET
    empty_after_full: bool = False
    write_takes: int | None = None


@dataclass(eq=False, slots=True)
class Handle:
    """One opening of a device, good until the cable is pulled."""

    device: FakeUsbDevice
    cuts: int
    claimed: set[int] = field(default_factory=set)


@dataclass(eq=False, slots=True)
class FakeUsbDevice:
    """A machine on the bus: its descriptors, what carries its bytes, what is wrong with it.

    `sizes_written` holds the length of each bulk transfer from the host, `halted` the halted endpoints, `handles` who
    has it open.
    """

    identity: UsbIdentity
    carrier: Carrier
    ports: tuple[int, ...] = (1,)
    trouble: Trouble = field(default_factory=Trouble)
    halted: set[int] = field(default_factory=set)
    handles: set[Handle] = field(default_factory=set)
    sizes_written: list[int] = field(default_factory=list)
    packets: deque[bytes] = field(default_factory=deque)
    seen_cuts: int = 0

    def claimed_by_another(self, handle: Handle, interface: int) -> bool:
        """Whether another opening that still lives has that interface."""
        return any(interface in other.claimed for other in self.handles if other is not handle)

    def follow_cable(self) -> None:
        """After a pulled cable it is a new device: no handle, no halt, no packet of the old one."""
        if self.seen_cuts != self.carrier.cuts:
            self.seen_cuts = self.carrier.cuts
            self.handles.clear()
            self.halted.clear()
            self.packets.clear()

    def to_packets(self, data: bytes) -> None:
        """Splits what the machine sends."""
        longest = self.trouble.longest_packet
        self.packets.extend(data[start : start + longest] for start in range(0, len(data), longest))
        if self.trouble.empty_after_full and len(data) % PACKET == 0:
            self.packets.append(b"")


class FakeUsb(IBackend):  # type: ignore[misc]
    """The bus with its devices, as `backend` of pyusb. The list may change while it is in use."""

    def __init__(self, *devices: FakeUsbDevice) -> None:
        super().__init__()
        self.devices = list(devices)

    def enumerate_devices(self) -> Iterator[FakeUsbDevice]:
        return iter([device for device in self.devices if not device.carrier.is_cut])

    def get_parent(self, dev: FakeUsbDevice) -> None:
        return None

    def get_device_descriptor(self, dev: FakeUsbDevice) -> SimpleNamespace:
        fields = _fields(_DEVICE_FIELDS, "<BBH4B3H4B", dev.identity.device)
        address = 1 + self.devices.index(dev) + len(self.devices) * dev.carrier.cuts
        fields.__dict__.update(bus=1, address=address, port_number=dev.ports[-1], port_numbers=dev.ports)
        fields.speed = FULL_SPEED
        return fields

    def get_configuration_descriptor(self, dev: FakeUsbDevice, config: int) -> SimpleNamespace:
        return _configuration(dev.identity.configuration)

    def get_interface_descriptor(self, dev: FakeUsbDevice, intf: int, alt: int, config: int) -> SimpleNamespace:
        if alt:
            raise IndexError("there is no alternate setting")
        found: SimpleNamespace = _configuration(dev.identity.configuration).interfaces[intf]
        return found

    def get_endpoint_descriptor(self, dev: FakeUsbDevice, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        found: SimpleNamespace = self.get_interface_descriptor(dev, intf, alt, config).endpoints[ep]
        return found

    def open_device(self, dev: FakeUsbDevice) -> Handle:
        if dev.carrier.is_cut:
            raise Failure.GONE.error()
        if dev.trouble.driverless:
            raise NotImplementedError("Operation not supported or unimplemented on this platform")
        _fail(dev.trouble.open)
        dev.follow_cable()
        handle = Handle(dev, dev.carrier.cuts)
        dev.handles.add(handle)
        return handle

    def close_device(self, dev_handle: Handle) -> None:
        dev_handle.device.handles.discard(dev_handle)

    def get_configuration(self, dev_handle: Handle) -> int:
        return 0 if _alive(dev_handle).trouble.unconfigured else CONFIGURATION

    def set_configuration(self, dev_handle: Handle, config_value: int) -> None:
        _alive(dev_handle).trouble.unconfigured = False

    def claim_interface(self, dev_handle: Handle, intf: int) -> None:
        device = _alive(dev_handle)
        _fail(device.trouble.claim)
        if device.claimed_by_another(dev_handle, intf):
            raise Failure.BUSY.error()
        dev_handle.claimed.add(intf)

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        _alive(dev_handle)
        dev_handle.claimed.discard(intf)

    def clear_halt(self, dev_handle: Handle, ep: int) -> None:
        _alive(dev_handle).halted.discard(ep)

    def ctrl_transfer(
        self,
        dev_handle: Handle,
        request_type: int,
        request: int,
        value: int,
        index: int,
        data: array[int],
        timeout: int,
    ) -> int:
        device = _alive(dev_handle)
        _fail(device.trouble.strings)
        answer = device.identity.control_in(request_type, request, value, index)
        if answer is None:
            raise Failure.STALL.error()
        cut = answer[: len(data)]
        data[: len(cut)] = array("B", cut)
        return len(cut)

    def bulk_write(self, dev_handle: Handle, ep: int, intf: int, data: array[int], timeout: int) -> int:
        device = _ready(dev_handle, ep, intf)
        trouble = device.trouble
        failure, trouble.write = trouble.write, None
        _fail(failure)
        sent = data.tobytes()[: trouble.write_takes]
        if trouble.write_takes == 0:
            raise Failure.TIMEOUT.error()
        try:
            device.carrier.write(sent)
        except EndpointCut as error:
            raise Failure.GONE.error() from error
        device.sizes_written.append(len(sent))
        return len(sent)

    def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: array[int], timeout: int) -> int:
        device = _ready(dev_handle, ep, intf)
        failure, device.trouble.read = device.trouble.read, None
        _fail(failure)
        got = b""
        while len(got) < len(buff):
            if not device.packets:
                device.to_packets(self._arrived(device, timeout / 1000))
                _ready(dev_handle, ep, intf)
            if not device.packets:
                if got:
                    break
                raise Failure.TIMEOUT.error()
            packet = device.packets.popleft()
            if len(got) + len(packet) > len(buff):
                raise Failure.OVERFLOW.error()
            got += packet
            if len(packet) < PACKET:
                break
        buff[: len(got)] = array("B", got)
        return len(got)

    def _arrived(self, device: FakeUsbDevice, timeout: float) -> bytes:
        try:
            return device.carrier.read(timeout)
        except EndpointCut as error:
            raise Failure.GONE.error() from error


def _fail(failure: Failure | None) -> None:
    if failure is not None:
        raise failure.error()


def _alive(handle: Handle) -> FakeUsbDevice:
    """The device of a handle that still leads to it."""
    device = handle.device
    if device.carrier.is_cut or device.carrier.cuts != handle.cuts:
        raise Failure.GONE.error()
    return device


def _ready(handle: Handle, endpoint: int, interface: int) -> FakeUsbDevice:
    """The device, when that endpoint is free for a transfer."""
    device = _alive(handle)
    if interface not in handle.claimed:
        raise Failure.NOT_FOUND.error()
    if endpoint in device.halted:
        raise Failure.STALL.error()
    return device


def _fields(names: str, layout: str, raw: bytes) -> SimpleNamespace:
    return SimpleNamespace(**dict(zip(names.split(), struct.unpack(layout, raw), strict=True)), extra_descriptors=[])


def _configuration(raw: bytes) -> SimpleNamespace:
    """A configuration descriptor with its `interfaces` and their `endpoints`, as libusb reads it."""
    configuration = _fields(_CONFIGURATION_FIELDS, "<BBH5B", raw[:9])
    configuration.interfaces = []
    at = 9
    while at < len(raw):
        part = raw[at : at + raw[at]]
        at += len(part)
        if part[1] == 4:
            interface = _fields(_INTERFACE_FIELDS, "<9B", part)
            interface.endpoints = []
            configuration.interfaces.append(interface)
        elif part[1] == 5:
            endpoint = _fields(_ENDPOINT_FIELDS, "<4BHB", part)
            endpoint.bRefresh = endpoint.bSynchAddress = 0
            configuration.interfaces[-1].endpoints.append(endpoint)
    return configuration
