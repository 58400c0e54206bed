"""The simulated machine on a real kernel's bus: the other end of the kernel's USB/IP host controller (vhci-hcd).

For root in a kernel of one's own only; `qemu.py` starts one. Every number on this line is big-endian.
May import: `usb_port` and the standard library. Read next: `qemu.py`, `test_kernel.py`.
"""

from __future__ import annotations

import errno
import socket
import struct
import threading
from pathlib import Path
from typing import Final

from firmware_sim.endpoints.base import Actor, Device
from firmware_sim.line import Line
from protocol.usb import UsbIdentity
from tests.emulated.usb_port import BULK, IN, Kind, Transfer, UsbPort

VHCI: Final = Path("/sys/devices/platform/vhci_hcd.0")
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
HEADER: Final = struct.Struct(">5I28s")
"""Command, number, device, direction (1 = to the host), endpoint; then what belongs to the command."""
_SUBMIT_BODY: Final = struct.Struct(">Ii4x4x4x8s")
"""Flags, length, three that only isochronous transfers use, setup."""
_ANSWER_BODY: Final = struct.Struct(">ii12x8x")
_FULL_SPEED: Final = 2
_BUS: Final = 1


class UsbipEndpoint(UsbPort):
    """Url "usb:SERIAL", on port `port` of the controller. The kernel needs a moment after `start` and `reconnect`."""

    def __init__(
        self, machine: Device, *, identity: UsbIdentity, port: int = 0,
        line: Line | None = None, baud: int | None = None, person: Actor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(machine, identity=identity, line=line, baud=baud, person=person)
        self._controller_port = port
        self._number = port * 16 + 1
        self._kinds = {
            end.address: Kind.BULK if end.kind == BULK else Kind.INTERRUPT
            for each in self.description.interfaces
            for end in each.endpoints
        }
        self._line: socket.socket | None = None
        self._readers: list[threading.Thread] = []
        self._sending = threading.Lock()

    def close(self) -> None:
        super().close()
        for reader in self._readers:
            reader.join()

    def _plug(self) -> str:
        ours, kernels = socket.socketpair()
        self._line = ours
        self._number += 1
        reader = threading.Thread(target=self._read_commands, args=(ours,), name="answers the kernel")
        self._readers.append(reader)
        reader.start()
        with kernels:
            text = f"{self._controller_port} {kernels.fileno()} {_BUS << 16 | self._number} {_FULL_SPEED}"
            (VHCI / "attach").write_text(text, encoding="ascii")
        return f"usb:{self.identity.serial}"

    def _unplug(self) -> None:
        (VHCI / "detach").write_text(f"{self._controller_port}", encoding="ascii")

    def _read_commands(self, line: socket.socket) -> None:
        with line, line.makefile("rb") as commands:
            while len(header := commands.read(HEADER.size)) == HEADER.size:
                command, number, _, to_host, endpoint, body = HEADER.unpack(header)
                if command == UNLINK:
                    (other,) = struct.unpack_from(">I", body)
                    status = -errno.ECONNRESET if self.discard(other) else 0
                    self._send(line, UNLINKED, number, status, 0, b"")
                    continue
                _, length, setup = _SUBMIT_BODY.unpack(body)
                data = b"" if to_host else commands.read(length)
                self._begin(line, number, endpoint | (IN if to_host else 0), length, setup, data)

    def _begin(self, line: socket.socket, number: int, endpoint: int, length: int, setup: bytes, data: bytes) -> None:
        def done(transfer: Transfer) -> None:
            if transfer.status != -errno.ENOENT:  # an unlinked one is answered as such, and not twice
                self._send(line, SUBMITTED, number, transfer.status, transfer.actual, transfer.reply)

        kind = self._kinds.get(endpoint, Kind.CONTROL)
        if kind is not Kind.CONTROL:
            setup = b""
        transfer = Transfer(number, kind, 0 if setup else endpoint, length, data, done, setup)
        try:
            self.submit(transfer)
        except OSError:
            transfer.status = -errno.ESHUTDOWN
            done(transfer)

    def _send(self, line: socket.socket, command: int, number: int, status: int, actual: int, data: bytes) -> None:
        answer = HEADER.pack(command, number, 0, 0, 0, _ANSWER_BODY.pack(status, actual)) + data
        with self._sending:
            try:
                line.sendall(answer)
            except OSError:
                return  # the plug was pulled on the kernel's side
