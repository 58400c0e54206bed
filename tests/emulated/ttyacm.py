"""The simulated machine behind /dev/ttyACM0, for pyserial and its port list: a terminal with a device around it.

The lines DTR and RTS, which a terminal has not, are answered here. May import: `ioctl`, `sysfs_tree`, firmware_sim.
"""

from __future__ import annotations

import itertools
import os
import struct
import termios
from typing import Final

from firmware_sim.endpoints.base import Actor, Device
from firmware_sim.endpoints.pty import PtyEndpoint
from firmware_sim.line import Line
from protocol.usb import UsbIdentity
from tests.emulated.descriptors import UsbDescription
from tests.emulated.ioctl import NOT_HANDLED, Caller, IoctlServer
from tests.emulated.sysfs_tree import TTY_MAJOR, Place, SysfsTree

_numbers: Final = itertools.count(101)


class TtyAcmEndpoint(PtyEndpoint):
    """Url "serial:/dev/ttyACM0"; after a cut it comes back as the next number. `mode` of the node."""

    def __init__(
        self, machine: Device, *, tree: SysfsTree, identity: UsbIdentity, port: int = 3, first: int = 0,
        line: Line | None = None, baud: int | None = None, person: Actor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(machine, line=line, baud=baud, person=person)
        self.lines_set: list[int] = []
        """The modem lines after each change of the host: bits of TIOCM_DTR and TIOCM_RTS."""
        self._tree = tree
        self._description = UsbDescription.of(identity)
        self._port = port
        self._tty = itertools.count(first)
        self._place: Place | None = None
        self._left: list[IoctlServer] = []
        self._lines = 0

    def close(self) -> None:
        super().close()
        for server in self._left:
            server.close()

    def _open_port(self) -> str:
        super()._open_port()
        name = f"ttyACM{next(self._tty)}"
        place = self._place = Place(next(_numbers), self._port, name)
        self._left.append(IoctlServer(self._tree.ioctl_socket(name), self._answer))
        self._tree.lay_node(name, os.ttyname(self._slave), TTY_MAJOR, int(name.removeprefix("ttyACM")))
        self._tree.draw(self._description, place)
        return f"serial:/dev/{name}"

    def _close_port(self) -> None:
        super()._close_port()
        place, self._place = self._place, None
        if place is not None and place.tty is not None:
            self._tree.take_node(place.tty)
            self._tree.erase(self._description, place)
            self._left[-1].shut()

    def _answer(self, caller: Caller, request: int, argument: int) -> int:
        if request == termios.TIOCMGET:
            caller.poke(argument, struct.pack("=i", self._lines))
        elif request in (termios.TIOCMBIS, termios.TIOCMBIC):
            (bits,) = struct.unpack("=i", caller.peek(argument, 4))
            self._lines = self._lines | bits if request == termios.TIOCMBIS else self._lines & ~bits
            self.lines_set.append(self._lines)
        else:
            return NOT_HANDLED
        return 0
