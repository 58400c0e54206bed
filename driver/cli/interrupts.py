"""Ctrl-C while cards move: first stop after this card, second stop now, and never more than three seconds.

May import: `driver.runner` for types. Read next: `console.py`.
The signal only leaves a note for the job; when the job does not end in time, whatever it waits for is ended
by KeyboardInterrupt. The machine then stops by itself, for nobody speaks to it any more (PROTOCOL.md, *Times*).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Final, Protocol, Self

GRACE: Final = 2.5
"""Seconds that the job gets to end after the last Ctrl-C."""


class Stoppable(Protocol):
    """What can be stopped: a job."""

    def stop(self) -> None:
        """After this card."""
        ...

    def stop_now(self) -> None:
        """At once."""
        ...


class Interrupts:
    """From `with` to its end, Ctrl-C goes to `job`; `on_press` gets how often it came. Only in the main thread."""

    def __init__(self, job: Stoppable, on_press: Callable[[int], None]) -> None:
        self.presses = 0
        self._job = job
        self._on_press = on_press
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None
        self._expired = False
        self._active = False

    def __enter__(self) -> Self:
        self._active = True
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
            number = getattr(signal, name, None)
            if number is not None:
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._active = False
        self._end_timer()
        for number, before in self._before.items():
            signal.signal(number, before)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if not self._active:
            return
        if self._expired:
            raise KeyboardInterrupt
        # A closed window or a shut-down counts as the second Ctrl-C: nobody is there to press it.
        self.presses += 1 if number == signal.SIGINT else 2
        if self.presses > 2 and number == signal.SIGINT:
            raise KeyboardInterrupt
        if self.presses == 1:
            self._job.stop()
        else:
            self._job.stop_now()
        self._on_press(self.presses)
        self._start_timer()

    def _start_timer(self) -> None:
        self._end_timer()
        self._timer = threading.Timer(GRACE, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def _end_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
            if timer.is_alive():  # not when a third Ctrl-C came before it was started
                timer.join()

    def _expire(self) -> None:
        self._expired = True
        main = threading.main_thread().ident
        if hasattr(signal, "pthread_kill") and main is not None:
            signal.pthread_kill(main, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)
