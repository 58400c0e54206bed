"""The back door of the simulator: JSON lines on a loopback TCP port of its own, never on the data line.

May import: `arguments` and the standard library; nothing that exists on one system only. Read next: `commands.py`.
A line is an object with "do"; the answer is one line, {"ok": true, ...} or {"ok": false, "error": "a sentence"}.
"""

from __future__ import annotations

import json
import selectors
import socket
import threading
from types import TracebackType
from typing import Final, Protocol, Self

from firmware_sim.arguments import CommandError, Json

LONGEST_LINE: Final = 65_536
"""Bytes of a command at most; a longer one ends its connection."""
_STUCK_CLIENT: Final = 5.0
"""Seconds after which a client that does not take its answer is dropped."""


class Commands(Protocol):
    """What carries a command out."""

    def run(self, command: dict[str, Json]) -> dict[str, Json]:
        """The answer without "ok". Raises CommandError with a sentence."""


class ControlServer:
    """Serves `commands` at `url` from `start` to `close`; any number of clients, one command at a time."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self._listener.setblocking(False)
        self._wake_end, self._wake = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._unfinished: dict[socket.socket, bytes] = {}
        self._thread = threading.Thread(target=self._run, name="simulator control")
        self._started = False
        self._closed = False

    @property
    def url(self) -> str:
        """ "tcp:127.0.0.1:PORT"."""
        return f"tcp:127.0.0.1:{self._port}"

    @property
    def _port(self) -> int:
        return int(self._listener.getsockname()[1])

    def start(self) -> str:
        """Starts to answer and gives the url."""
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._wake_end, selectors.EVENT_READ)
        self._started = True
        self._thread.start()
        return self.url

    def close(self) -> None:
        """Ends every connection and joins the thread. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._started:
            self._wake.send(b"\0")
            self._thread.join()
        for client in self._unfinished:
            client.close()
        self._selector.close()
        for end in (self._listener, self._wake_end, self._wake):
            end.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._wake_end:
                    return
                if key.fileobj is self._listener:
                    self._accept()
                elif isinstance(key.fileobj, socket.socket):
                    self._hear(key.fileobj)

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:
            return  # it went away again
        client.settimeout(_STUCK_CLIENT)
        self._unfinished[client] = b""
        self._selector.register(client, selectors.EVENT_READ)

    def _hear(self, client: socket.socket) -> None:
        try:
            data = client.recv(LONGEST_LINE)
        except OSError:
            data = b""
        *lines, rest = (self._unfinished[client] + data).split(b"\n")
        self._unfinished[client] = rest
        try:
            for line in lines:
                if line.strip():
                    client.sendall(json.dumps(answer_line(self._commands, line)).encode() + b"\n")
        except OSError:
            data = b""
        if not data or len(rest) > LONGEST_LINE:
            self._selector.unregister(client)
            del self._unfinished[client]
            client.close()


def answer_line(commands: Commands, line: bytes) -> dict[str, Json]:
    """The whole answer to one line of JSON."""
    try:
        command = json.loads(line)
    except ValueError:
        return {"ok": False, "error": "A command is one line of JSON."}
    if not isinstance(command, dict):
        return {"ok": False, "error": 'A command is a JSON object with a "do".'}
    try:
        return {"ok": True, **commands.run(command)}
    except CommandError as error:
        return {"ok": False, "error": str(error)}
