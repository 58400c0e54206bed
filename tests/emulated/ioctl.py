"""Who answers behind an emulated node of /dev: umockdev's preload library asks a Unix socket about every call on it.

A message is three native 64-bit words. May import: the standard library. Read next: `usbfs.py`, `ttyacm.py`.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

MESSAGE: Final = struct.Struct("=3Q")
NOT_HANDLED: Final = -100
"""The call goes on to the file that the node leads to."""
_IOCTL: Final = 1
_DONE: Final = 3
_READ_MEMORY: Final = 5
_WRITE_MEMORY: Final = 6
_PATIENCE: Final = 10.0
"""Seconds to wait for programs that still have the node open; they would be aborted without an answer."""


class Caller:
    """One `open` of the node by a program, whose memory can be read and written while it waits in a call."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def peek(self, address: int, size: int) -> bytes:
        """`size` bytes of the caller's memory."""
        self._line.sendall(MESSAGE.pack(_READ_MEMORY, address, size))
        return self._receive(size)

    def poke(self, address: int, data: bytes) -> None:
        """Writes into the caller's memory."""
        if data:
            self._line.sendall(MESSAGE.pack(_WRITE_MEMORY, address, len(data)) + data)

    def serve(self, answer: Callable[[Caller, int, int], int]) -> None:
        """Answers until the program closes the node."""
        try:
            while True:
                kind, request, argument = MESSAGE.unpack(self._receive(MESSAGE.size))
                result, error = NOT_HANDLED, 0
                if kind == _IOCTL:
                    try:
                        result = answer(self, request, argument)
                    except OSError as failure:
                        result, error = -1, failure.errno or 0
                self._line.sendall(MESSAGE.pack(_DONE, result % 2**64, error))
        except (EOFError, ConnectionError):
            return

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self._line.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data


class IoctlServer:
    """Answers the ioctls of one node, from `start` until `close`; one thread for each program that has it open.

    `answer(caller, request, argument)` gives the result, or NOT_HANDLED, or raises OSError with the errno;
    `closed(caller)` is told when a program closed the node.
    """

    def __init__(
        self,
        path: Path,
        answer: Callable[[Caller, int, int], int],
        closed: Callable[[Caller], None] = lambda caller: None,
    ) -> None:
        self._answer = answer
        self._closed = closed
        self._path = path
        self._callers: list[threading.Thread] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        path.chmod(0o666)  # whoever may not open the node must still be told so
        self._listener.listen()
        self._thread = threading.Thread(target=self._accept, name=f"answers {path.name}")
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Takes no new caller, and waits until those there are have closed the node."""
        self.shut()
        for thread in self._callers:
            thread.join(_PATIENCE)

    def shut(self) -> None:
        """Takes no new caller; the others are answered as before. A second call does nothing."""
        if self._thread.is_alive():
            self._listener.shutdown(socket.SHUT_RDWR)  # closing alone would leave the thread in accept()
            self._thread.join()
        if self._listener.fileno() >= 0:
            self._listener.close()
            self._path.unlink()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(line,), name=f"answers a caller of {self._path.name}")
            self._callers.append(thread)
            thread.start()

    def _serve(self, line: socket.socket) -> None:
        with line:
            caller = Caller(line)
            caller.serve(self._answer)
            self._closed(caller)


def nobody(caller: Caller, request: int, argument: int) -> int:
    """Answers no call: for nodes that only have to be there."""
    return NOT_HANDLED
