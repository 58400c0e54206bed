"""The simulator as a process of its own with its control channel, and a host as another: to be killed and asked.

May import: the standard library. Read next: `tests/faults/test_killed_host.py`, `firmware_sim/control.py`.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 30.0
"""Seconds after which a test gives up on a process."""
LOOK_EVERY: Final = 0.02


def environment() -> dict[str, str]:
    """The environment of a program that knows this checkout and no machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DEALCTL_", "PYTEST"))}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


class Program:
    """`python -m MODULE ARGUMENTS`, read line by line. Use it in `with`: it ends with the block."""

    def __init__(self, module: str, *arguments: str | Path) -> None:
        self.lines: list[str] = []
        self._rest = b""
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=environment(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def line_where(self, fits: Callable[[str], bool]) -> str:
        """The first line of output that fits, waiting for it; fails when the program ends or takes too long."""
        assert self._process.stdout is not None
        end, looked = time.monotonic() + PATIENCE, 0
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while True:
                for line in self.lines[looked:]:
                    looked += 1
                    if fits(line):
                        return line
                assert selector.select(max(0.0, end - time.monotonic())), f"no such line in {self.lines[-5:]}"
                chunk = os.read(self._process.stdout.fileno(), 65_536)
                assert chunk, f"it ended: {self.lines[-5:]} {self.wait()[1]}"
                *whole, self._rest = (self._rest + chunk).split(b"\n")
                self.lines += [line.decode() for line in whole]

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal."""
        self._process.send_signal(number)

    def wait(self) -> tuple[int, str]:
        """The exit code and what was written to standard error, once it has ended."""
        _, errors = self._process.communicate(timeout=PATIENCE)
        return self._process.returncode, errors.decode()

    def close(self) -> None:
        """Ends the program."""
        if self._process.poll() is None:
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()
        self._process.wait(PATIENCE)


class Simulator(Program):
    """`python -m firmware_sim ARGUMENTS`. `url` is where a host reaches it."""

    def __init__(self, *arguments: str) -> None:
        super().__init__("firmware_sim", *arguments)
        try:
            told = json.loads(self.line_where(lambda line: line.startswith("{")))
        except BaseException:
            self.close()
            raise
        self.url: str = told["url"]
        address, _, port = told["control"].removeprefix("tcp:").rpartition(":")
        self._control = socket.create_connection((address, int(port)), PATIENCE)
        self._answers = self._control.makefile("rb")

    def ask(self, what: str, **arguments: object) -> dict[str, Any]:
        """The answer of the control channel; fails when it is no."""
        self._control.sendall(json.dumps({"do": what, **arguments}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self._answers.readline())
        assert answer["ok"], answer
        return answer

    def ask_until(self, what: str, fits: Callable[[dict[str, Any]], bool], within: float) -> dict[str, Any]:
        """The first answer that fits, asked again and again for at most `within` seconds; fails after that."""
        end = time.monotonic() + within
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            while not fits(answer := self.ask(what)):
                assert time.monotonic() < end, f"not so within {within} s: {answer}"
                selector.select(LOOK_EVERY)
        return answer

    def close(self) -> None:
        """Ends the simulator."""
        if hasattr(self, "_control"):
            self._answers.close()
            self._control.close()
        super().close()
