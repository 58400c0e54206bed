"""The simulated machine as a USB device, at the level of transfers: control requests, bulk pipes, faults, plug.

`usbfs.py` puts it behind libusb and `usbip.py` before a real kernel. May import: `descriptors`, firmware_sim, protocol.
"""

from __future__ import annotations

import errno
import os
import selectors
import socket
import threading
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from firmware_sim.endpoints.base import Actor, Device
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.line import Line
from protocol.usb import PACKET, UsbIdentity
from tests.emulated.descriptors import UsbDescription

IN: Final = 0x80
BULK: Final = 2
FULL: Final = 4_096
"""Bytes that wait for the host, from which no more are taken from the machine."""
_GET_STATUS, _CLEAR_FEATURE, _GET_CONFIGURATION, _SET_CONFIGURATION, _SET_INTERFACE = 0, 1, 8, 9, 11
_VENDOR_REQUEST: Final = 0x40
_CLASS_REQUEST: Final = 0x20
_LINE_CODING: Final = bytes((0, 0xC2, 1, 0, 0, 0, 8))
_SET_LINE_CODING, _GET_LINE_CODING, _SET_LINES = 0x20, 0x21, 0x22


class Kind(IntEnum):
    """Kinds of transfers, as usbfs numbers them."""

    ISO = 0
    INTERRUPT = 1
    CONTROL = 2
    BULK = 3


@dataclass(eq=False, slots=True)
class Transfer:
    """What a host asked for and, once `done` was called, what came of it. `status` is 0 or a negative errno."""

    key: int
    """The host's own name for it."""
    kind: Kind
    endpoint: int
    """With the direction in bit 7; 0 for control."""
    wanted: int
    """Bytes to read at most."""
    data: bytes
    """Bytes to write; for a control transfer after the eight of `setup`."""
    done: Callable[[Transfer], None]
    setup: bytes = b""
    status: int = 0
    reply: bytes = b""

    @property
    def reads(self) -> bool:
        """Whether bytes go from the machine to the host."""
        return bool((self.setup[0] if self.setup else self.endpoint) & IN)

    @property
    def actual(self) -> int:
        """Bytes that went over the wire."""
        return len(self.reply) if self.reads else (0 if self.status else len(self.data))


@dataclass(slots=True)
class Pipe:
    """The machine's side of one bulk endpoint towards the host: packets that wait, transfers that wait for packets."""

    packets: deque[bytes] = field(default_factory=deque)
    waiting: deque[Transfer] = field(default_factory=deque)


class UsbPort(ServedEndpoint):
    """The machine behind a USB plug. What it says goes to the bulk pair on which the host spoke last.

    Faults, to be set at any time: an endpoint address in `stalled` answers with a stall until the host clears it; while
    `deaf` nothing that the host writes is taken; `babble` sends one packet, of any size.
    """

    def __init__(
        self, machine: Device, *, identity: UsbIdentity, line: Line | None = None, baud: int | None = None,
        person: Actor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(machine, line=line, baud=baud, person=person)
        self.identity = identity
        self.description = UsbDescription.of(identity)
        self.stalled: set[int] = set()
        self.deaf = False
        self.line_requests: list[tuple[int, int, bytes]] = []
        """What the host asked of the CDC port: (request, value, data)."""
        self.bytes_heard = 0
        self._usb_lock = threading.RLock()
        self._plugged = False
        self._wants_room = False
        self._pairs = _bulk_pairs(self.description)
        self._pipes = {address: Pipe() for address in self._pairs.values()}
        self._spoken_on: int | None = None
        self._unheard: deque[Transfer] = deque()
        self._interrupts: list[Transfer] = []
        self._from_host: list[bytes] = []
        self._bell_end, self._bell = socket.socketpair()
        for end in (self._bell_end, self._bell):
            end.setblocking(False)
        self._selector.register(self._bell_end, selectors.EVENT_READ)

    @abstractmethod
    def _plug(self) -> str:
        """Shows the device to the host and gives its url."""

    @abstractmethod
    def _unplug(self) -> None:
        """The device is gone from the host."""

    def close(self) -> None:
        super().close()
        self._bell_end.close()
        self._bell.close()

    def babble(self, packet: bytes) -> None:
        """Sends one packet as it is on the pair that the host uses, too long or empty."""
        with self._usb_lock:
            if self._spoken_on is not None:
                pipe = self._pipes[self._pairs[self._spoken_on]]
                pipe.packets.append(packet)
                self._move(pipe)

    def submit(self, transfer: Transfer) -> None:
        """Begins a transfer; `transfer.done` is called when it ends, maybe at once. Raises OSError ENODEV."""
        with self._usb_lock:
            if not self._plugged:
                raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
            if transfer.kind is Kind.CONTROL:
                self._control(transfer)
            elif transfer.endpoint in self.stalled:
                self._end(transfer, -errno.EPIPE)
            elif transfer.kind is Kind.INTERRUPT:
                self._interrupts.append(transfer)
            elif transfer.reads:
                pipe = self._pipes[transfer.endpoint]
                pipe.waiting.append(transfer)
                self._move(pipe)
            elif self.deaf:
                self._unheard.append(transfer)
            else:
                self._hear(transfer)

    def discard(self, key: int) -> bool:
        """Ends the waiting transfer of that name with ENOENT; False when none waits under it."""
        with self._usb_lock:
            for waiting in (self._unheard, self._interrupts, *(pipe.waiting for pipe in self._pipes.values())):
                for transfer in waiting:
                    if transfer.key == key:
                        waiting.remove(transfer)
                        self._end(transfer, -errno.ENOENT)
                        return True
        return False

    def clear_halt(self, endpoint: int) -> None:
        """The host takes a stall away."""
        with self._usb_lock:
            self.stalled.discard(endpoint)

    def _open_port(self) -> str:
        with self._usb_lock:
            self._plugged = True
            self._spoken_on = None
            for pipe in self._pipes.values():
                pipe.packets.clear()
            return self._plug()

    def _close_port(self) -> None:
        with self._usb_lock:
            if not self._plugged:
                return
            self._plugged = False
            self._from_host.clear()
            for waiting in (self._unheard, self._interrupts, *(pipe.waiting for pipe in self._pipes.values())):
                for transfer in list(waiting):
                    self._end(transfer, -errno.ESHUTDOWN)
                waiting.clear()
        self._unplug()

    def _read_port(self, ready: object) -> bytes:
        if ready is not self._bell_end:
            return b""
        with self._usb_lock:
            self._bell_end.recv(4_096)
            data = b"".join(self._from_host)
            self._from_host.clear()
            return data

    def _write_port(self, data: bytes) -> int:
        with self._usb_lock:
            if self._spoken_on is None:
                return len(data)
            pipe = self._pipes[self._pairs[self._spoken_on]]
            if sum(map(len, pipe.packets)) > FULL:
                return 0
            pipe.packets.extend(data[at : at + PACKET] for at in range(0, len(data), PACKET))
            self._move(pipe)
            return len(data)

    def _watch_for_room(self, wanted: bool) -> None:
        self._wants_room = wanted

    def _hear(self, transfer: Transfer) -> None:
        if transfer.endpoint != self._spoken_on:
            self._spoken_on = transfer.endpoint
            self._pipes[self._pairs[transfer.endpoint]].packets.clear()
        if transfer.data:
            self._from_host.append(transfer.data)
            self.bytes_heard += len(transfer.data)
            self._ring()
        self._end(transfer)

    def _move(self, pipe: Pipe) -> None:
        """Packets go into the transfers that wait: one ends with a short packet, a full buffer or a packet too long."""
        while pipe.waiting and pipe.packets:
            transfer = pipe.waiting[0]
            packet = pipe.packets.popleft()
            room = transfer.wanted - len(transfer.reply)
            transfer.reply += packet[:room]
            if len(packet) < PACKET or len(packet) >= room:
                pipe.waiting.popleft()
                self._end(transfer, -errno.EOVERFLOW if len(packet) > room else 0)
        if self._wants_room:
            self._ring()

    def _ring(self) -> None:
        try:
            self._bell.send(b"\0")
        except BlockingIOError:
            return  # it rings already

    def _end(self, transfer: Transfer, status: int = 0) -> None:
        transfer.status = status
        transfer.done(transfer)

    def _control(self, transfer: Transfer) -> None:
        kind, request, value = transfer.setup[0], transfer.setup[1], int.from_bytes(transfer.setup[2:4], "little")
        index = int.from_bytes(transfer.setup[4:6], "little")
        reply: bytes | None = b""
        if kind & 0x60 == _CLASS_REQUEST:
            self.line_requests.append((request, value, transfer.data))
            reply = {_GET_LINE_CODING: _LINE_CODING, _SET_LINE_CODING: b"", _SET_LINES: b""}.get(request)
        elif request == _GET_STATUS:
            reply = bytes((index & 0xFF in self.stalled, 0))
        elif request == _GET_CONFIGURATION:
            reply = b"\1"
        elif request == _CLEAR_FEATURE:
            self.stalled.discard(index & 0xFF)
        elif request not in (_SET_CONFIGURATION, _SET_INTERFACE) or kind & _VENDOR_REQUEST:
            reply = self.identity.control_in(kind, request, value, index)
        if reply is None:
            self._end(transfer, -errno.EPIPE)
        else:
            transfer.reply = reply[: transfer.wanted]
            self._end(transfer)


def _bulk_pairs(description: UsbDescription) -> dict[int, int]:
    """The bulk endpoint to the host for each bulk endpoint from the host, interface by interface."""
    pairs = {}
    for interface in description.interfaces:
        bulk = [end.address for end in interface.endpoints if end.kind == BULK]
        if bulk:
            (out,) = (address for address in bulk if not address & IN)
            (pairs[out],) = (address for address in bulk if address & IN)
    return pairs
