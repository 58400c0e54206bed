"""A simulated machine as a process of its own: started, asked for the truth, and always ended.

May import: `refusals`, the errors; the simulator's own modules are never imported here.
Read next: `practise.py`, `simulate.py`.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO, Any, Final, Self

from driver.cli.refusals import SimulatorFailed
from driver.errors import ConfigError
from protocol.errors import DealingMachineError

STARTS_WITHIN: Final = 20.0
"""Seconds that it gets to tell its address; a small old computer is slow to start Python."""
WRONG_OPTION: Final = 2
"""What it ends with when an option is not as it should be."""
ANSWERS_WITHIN: Final = 10.0
ENDS_WITHIN: Final = 2.0


class Simulator:
    """`python -m firmware_sim` with `options`. Use it in `with`: the process ends with the block, whatever happens.

    Raises there ConfigError for an option that it does not take, SimulatorFailed where it does not start otherwise.
    """

    def __init__(self, options: Sequence[str]) -> None:
        self.url = ""
        self.control = ""
        self.seed = 0
        self.first_line = ""
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        command = [sys.executable, "-m", "firmware_sim", "--until-stdin-closes", *options]
        try:
            # A process group of its own: Ctrl-C in this terminal is for us, and we end it when we are done.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=os.name != "nt",
                creationflags=flags,
            )
        except BaseException:
            self._errors.close()
            raise
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="simulator output")
        self._reader.start()

    def __enter__(self) -> Self:
        try:
            self._hear_address()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """The answer of the back door to one command. Raises SimulatorFailed."""
        host, _, port = self.control.removeprefix("tcp:").rpartition(":")
        try:
            with socket.create_connection((host, int(port)), ANSWERS_WITHIN) as line, line.makefile("rwb") as file:
                file.write(json.dumps(command).encode() + b"\n")
                file.flush()
                answer = json.loads(file.readline())
        except (OSError, ValueError) as error:
            raise SimulatorFailed("The simulated machine does not answer any more.") from error
        if not isinstance(answer, dict) or not answer.get("ok"):
            raise SimulatorFailed("The simulated machine refuses the question.")
        return answer

    def wait(self) -> int:
        """Waits until the process ends by itself; its exit code."""
        return self._process.wait()

    def close(self) -> None:
        """Ends the process, first kindly. May be called twice."""
        process = self._process
        if process.stdin is not None and not process.stdin.closed:
            with suppress(OSError):  # it is gone already
                process.stdin.close()
        for end in (None, process.terminate, process.kill):
            if end is not None and process.poll() is None:
                end()
            try:
                process.wait(ENDS_WITHIN)
                break
            except subprocess.TimeoutExpired:
                continue
        self._reader.join()
        if process.stdout is not None:
            process.stdout.close()
        self._errors.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _hear_address(self) -> None:
        try:
            line = self._lines.get(timeout=STARTS_WITHIN)
        except queue.Empty:
            raise SimulatorFailed("The simulated machine does not start.") from None
        try:
            facts = json.loads(line)
            self.url, self.control, self.seed = str(facts["url"]), str(facts["control"]), int(facts["seed"])
        except (ValueError, KeyError, TypeError):
            raise self._why_not() from None
        self.first_line = line.decode().strip()

    def _why_not(self) -> DealingMachineError:
        """Why it did not start, in the sentence that it printed about an option, if it was one that it does not take.

        No other words of it, for they may hold a card.
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDS_WITHIN)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        name, _, sentence = lines[-1].partition(": ") if lines else ("", "", "")
        if self._process.poll() != WRONG_OPTION or not name.endswith("firmware_sim"):
            return SimulatorFailed("The simulated machine did not start.")
        return ConfigError(
            f"There is no such simulated machine. {sentence.removeprefix('error: ')}",
            key="simulated machine",
            hint="Nothing was started. Say it otherwise, or leave it out.",
        )


def usual_endpoint() -> str:
    """A serial line where the system has simulated ones, else the network."""
    return "tcp" if os.name == "nt" else "pty"
