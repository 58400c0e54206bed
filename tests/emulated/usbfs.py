"""The simulated machine behind /dev/bus/usb, for the real libusb: umockdev's preload library asks, this answers.

The node is a link to a terminal, because libusb polls it: output held = nothing to take, output free = something done,
other end closed = unplugged. Numbers are those of 64-bit Linux. May import: `ioctl`, `sysfs_tree`, `usb_port`.
"""

from __future__ import annotations

import errno
import itertools
import os
import struct
import termios
import tty
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from firmware_sim.endpoints.base import Actor, Device
from firmware_sim.line import Line
from protocol.usb import CDC_CLASS, CDC_DATA_CLASS, UsbIdentity
from tests.emulated.ioctl import Caller, IoctlServer
from tests.emulated.sysfs_tree import USB_MAJOR, Place, SysfsTree
from tests.emulated.usb_port import IN, Kind, Transfer, UsbPort


class Call(IntEnum):
    """The calls on a usbfs node that libusb makes."""

    SUBMIT = 0x8038550A
    DISCARD = 0x550B
    REAP = 0x4008550C
    REAP_NO_WAIT = 0x4008550D
    CLAIM = 0x8004550F
    RELEASE = 0x80045510
    SET_CONFIGURATION = 0x80045505
    SET_INTERFACE = 0x80085504
    CLEAR_HALT = 0x80045515
    RESET = 0x5514
    DRIVER = 0x41045508
    DRIVER_CALL = 0xC0105512
    CAPABILITIES = 0x8004551A


DETACH: Final = 0x5516
WHAT_IT_CAN: Final = 0x15
URB: Final = struct.Struct("=BB2xiI4xQi")
"""The first fields of usbdevfs_urb: type, endpoint, status, flags, buffer, length."""
STATUS_AT, ACTUAL_AT, SETUP_SIZE = 4, 28, 8

_numbers: Final = itertools.count(2)


@dataclass(eq=False, slots=True)
class Handle:
    """What one open of the node holds: claimed interfaces, and transfers that are done and not yet taken."""

    gone: bool = False
    """The device was pulled out meanwhile; what is plugged in now is another one."""
    claimed: set[int] = field(default_factory=set)
    done: deque[Transfer] = field(default_factory=deque)
    buffers: dict[int, int] = field(default_factory=dict)
    """Where in the caller's memory the data of each transfer lie."""


class UsbfsEndpoint(UsbPort):
    """Url "usb:SERIAL", in socket `port` of the hub; with `tty_name` the kernel's cdc_acm holds the CDC interfaces."""

    def __init__(
        self, machine: Device, *, tree: SysfsTree, identity: UsbIdentity, port: int = 2, tty_name: str | None = None,
        line: Line | None = None, baud: int | None = None, person: Actor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(machine, identity=identity, line=line, baud=baud, person=person)
        self.times_opened = 0
        self._tree = tree
        self._port = port
        self._tty_name = tty_name
        self._place: Place | None = None
        self._handles: dict[Caller, Handle] = {}
        self._drivers: dict[int, str] = {}
        self._servers: list[IoctlServer] = []
        self._terminal = self._other_end = -1

    @property
    def place(self) -> Place:
        """Where it is plugged in now."""
        if self._place is None:
            raise RuntimeError("It is not plugged in.")
        return self._place

    def close(self) -> None:
        super().close()
        for server in self._servers:
            server.close()

    def _plug(self) -> str:
        place = self._place = Place(next(_numbers), self._port, self._tty_name)
        self._drivers = {
            interface.number: "cdc_acm"
            for interface in self.description.interfaces
            if self._tty_name is not None and interface.class_ in (CDC_CLASS, CDC_DATA_CLASS)
        }
        self._other_end, self._terminal = os.openpty()
        tty.setraw(self._terminal)
        termios.tcflow(self._terminal, termios.TCOOFF)
        self._servers.append(IoctlServer(self._tree.ioctl_socket(place.node), self._answer, self._closed))
        self._tree.lay_node(place.node, os.ttyname(self._terminal), USB_MAJOR, place.minor)
        self._tree.draw(self.description, place)
        self._tree.tell("add", place)
        return f"usb:{self.identity.serial}"

    def _unplug(self) -> None:
        place, self._place = self.place, None
        with self._usb_lock:
            for handle in self._handles.values():
                handle.gone = True
                handle.claimed.clear()
        self._tree.take_node(place.node)
        self._tree.erase(self.description, place)
        self._servers[-1].shut()
        os.close(self._other_end)
        os.close(self._terminal)
        self._tree.tell("remove", place)

    def _answer(self, caller: Caller, request: int, argument: int) -> int:
        with self._usb_lock:
            if caller not in self._handles:
                self._handles[caller] = Handle()
                self.times_opened += 1
            handle = self._handles[caller]
            if request in (Call.REAP, Call.REAP_NO_WAIT):
                self._reap(caller, handle, argument)
            elif request == Call.DISCARD:
                if not self.discard(argument):
                    raise OSError(errno.EINVAL, "no such transfer")
            elif handle.gone:
                raise OSError(errno.ENODEV, "unplugged")
            elif request == Call.SUBMIT:
                self._submit(caller, handle, argument)
            else:
                return self._other(caller, handle, request, argument)
        return 0

    def _submit(self, caller: Caller, handle: Handle, urb: int) -> None:
        kind, endpoint, _, _, buffer, length = URB.unpack(caller.peek(urb, URB.size))
        setup = caller.peek(buffer, SETUP_SIZE) if kind == Kind.CONTROL else b""
        buffer, length = buffer + len(setup), length - len(setup)
        reads = bool((setup[0] if setup else endpoint) & IN)
        data = b"" if reads or not length else caller.peek(buffer, length)
        handle.buffers[urb] = buffer

        def done(transfer: Transfer) -> None:
            handle.done.append(transfer)
            if self._plugged:
                termios.tcflow(self._terminal, termios.TCOON)

        self.submit(Transfer(urb, Kind(kind), endpoint, length, data, done, setup))

    def _reap(self, caller: Caller, handle: Handle, argument: int) -> None:
        if not handle.done:
            raise OSError(errno.ENODEV if handle.gone else errno.EAGAIN, "nothing is done")
        transfer = handle.done.popleft()
        if self._plugged and not any(other.done for other in self._handles.values()):
            termios.tcflow(self._terminal, termios.TCOOFF)
        caller.poke(handle.buffers.pop(transfer.key), transfer.reply)
        caller.poke(transfer.key + STATUS_AT, struct.pack("=i", transfer.status))
        caller.poke(transfer.key + ACTUAL_AT, struct.pack("=i", transfer.actual))
        caller.poke(argument, struct.pack("=Q", transfer.key))

    def _other(self, caller: Caller, handle: Handle, request: int, argument: int) -> int:
        match request:
            case Call.CAPABILITIES:
                caller.poke(argument, struct.pack("=I", WHAT_IT_CAN))
            case Call.CLAIM:
                number = _word(caller, argument)
                others = (other for other in self._handles.values() if other is not handle)
                if number in self._drivers or any(number in other.claimed for other in others):
                    raise OSError(errno.EBUSY, "somebody has this interface")
                handle.claimed.add(number)
            case Call.RELEASE:
                handle.claimed.discard(_word(caller, argument))
            case Call.SET_CONFIGURATION:
                if self._drivers or any(other.claimed for other in self._handles.values()):
                    raise OSError(errno.EBUSY, "an interface is in use")
            case Call.CLEAR_HALT:
                self.clear_halt(_word(caller, argument))
            case Call.DRIVER:
                name = self._drivers.get(_word(caller, argument))
                if name is None:
                    raise OSError(errno.ENODATA, "no driver")
                caller.poke(argument + 4, name.encode() + b"\0")
            case Call.DRIVER_CALL:
                return self._move_driver(*struct.unpack("=ii", caller.peek(argument, 8)))
            case Call.SET_INTERFACE | Call.RESET:
                return 0
            case _:
                raise OSError(errno.ENOTTY, "not known here")
        return 0

    def _move_driver(self, interface: int, code: int) -> int:
        if code == DETACH:
            if self._drivers.pop(interface, None) is None:
                raise OSError(errno.ENODATA, "no driver")
            return 0
        self._drivers[interface] = "cdc_acm"
        return 1  # the number of drivers that took it

    def _closed(self, caller: Caller) -> None:
        with self._usb_lock:
            self._handles.pop(caller, None)


def _word(caller: Caller, address: int) -> int:
    (value,) = struct.unpack("=I", caller.peek(address, 4))
    return int(value)
