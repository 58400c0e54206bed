"""Keys from the terminal, one by one and without waiting for Enter, while the machine works.

May import: the standard library. Read next: `console.py`.
The terminal is put back as it was in every case; Ctrl-C stays a signal.
"""

from __future__ import annotations

import codecs
import os
import select
import socket
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Protocol, Self, TextIO

from driver.cli.questions import END_OF_INPUT

_AT_ONCE: Final = 1024
_LOOK: Final = 0.5
"""Seconds of one wait for Enter; a Ctrl-C that falls between two waits is seen after it."""
_POLL: Final = 0.05
"""Seconds between two looks at the keyboard where the system cannot wait for it (Windows)."""


class Keyboard(Protocol):
    """Where keys come from."""

    def read(self, timeout: float) -> str:
        """The keys pressed, waiting up to `timeout` seconds for the first; "" when none, END_OF_INPUT at the end."""
        ...

    def wake(self) -> None:
        """Ends a `read` that waits in another thread, and each later one at once."""
        ...

    def close(self) -> None:
        """Puts the terminal back."""
        ...


class NoKeyboard:
    """Nobody types: only waits."""

    def __init__(self) -> None:
        self._wake_end, self._wake = socket.socketpair()

    def read(self, timeout: float) -> str:
        """Waits."""
        select.select([self._wake_end], [], [], timeout)
        return ""

    def wake(self) -> None:
        """Ends the waiting."""
        self._wake.send(b"\0")

    def close(self) -> None:
        """Gives the descriptors back."""
        self._wake_end.close()
        self._wake.close()


class UnixKeyboard:
    """The terminal behind `stream`: keys at once, no echo."""

    def __init__(self, stream: TextIO) -> None:
        import termios
        import tty

        self._file = stream.fileno()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._wake_end, self._wake = socket.socketpair()
        self._before: Any = None
        self._ended = False
        try:
            self._before = termios.tcgetattr(self._file)
            tty.setcbreak(self._file, termios.TCSANOW)
        except termios.error:
            self._ended = True

    def read(self, timeout: float) -> str:
        """See Keyboard."""
        watched: list[Any] = [self._wake_end] if self._ended else [self._wake_end, self._file]
        ready, _, _ = select.select(watched, [], [], timeout)
        if self._file not in ready:
            return ""
        try:
            data = os.read(self._file, _AT_ONCE)
        except OSError:
            data = b""
        if not data:
            self._ended = True
            return END_OF_INPUT
        return self._decoder.decode(data)

    def wake(self) -> None:
        """See Keyboard."""
        self._wake.send(b"\0")

    def close(self) -> None:
        """See Keyboard."""
        if self._before is not None:
            import termios

            with suppress(termios.error):  # the terminal is gone, and its settings with it
                termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
            self._before = None
        self._wake_end.close()
        self._wake.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WindowsKeyboard(NoKeyboard):
    """The Windows console, looked at a few times a second."""

    def read(self, timeout: float) -> str:
        """See Keyboard."""
        import msvcrt

        console: Any = msvcrt
        keys = ""
        left = timeout
        while not keys:
            while console.kbhit():
                keys += console.getwch()
            if keys or left <= 0 or select.select([self._wake_end], [], [], min(_POLL, left))[0]:
                break
            left -= _POLL
        return keys.replace("\x1a", END_OF_INPUT)


def wait_for_enter(question: str, within: float) -> None:
    """Waits for Enter, for `within` seconds at most, so that a terminal where nobody sits holds nothing up."""
    print(question, end="", flush=True)
    keyboard = open_keyboard(asks=True)
    try:
        end = time.monotonic() + within
        while (left := end - time.monotonic()) > 0:
            if set(keyboard.read(min(left, _LOOK))) & set("\r\n" + END_OF_INPUT):
                break
    finally:
        keyboard.close()
        print(flush=True)


def open_keyboard(*, asks: bool) -> Keyboard:
    """The keyboard of this terminal, or one on which nobody types."""
    if not asks:
        return NoKeyboard()
    return WindowsKeyboard() if os.name == "nt" else UnixKeyboard(sys.stdin)
