"""`dealctl` as a process, watched while it runs: its words, every file that it touches, all that it prints.

May import: `secrets_search.py`, `tests.cli.program`. Read next: `tests/cli/test_hands_stay_hidden.py`.

The data folder, the home folder and the folder for temporary files are the watched ones; what people keep themselves
(deal files, files that somebody asked for) lies in `folder` beside them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from driver.dealt import COUNTS_VARIABLE
from tests.cli.program import ROOT, Ran, Terminal, environment
from tests.support.secrets_search import Haystack

LOOK_EVERY: Final = 0.05
PATIENCE: Final = 90.0


@dataclass(slots=True)
class WatchedCommands:
    """Runs commands one after the other; `haystack` has everything that nobody may read a hand in."""

    folder: Path
    haystack: Haystack = field(default_factory=Haystack)

    def __post_init__(self) -> None:
        for place in self.places:
            place.mkdir(parents=True)

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "kept" / "data"

    @property
    def places(self) -> tuple[Path, ...]:
        """The folders whose files are watched."""
        return (self.data, self.folder / "kept" / "home", self.folder / "kept" / "temporary")

    def run(self, name: str, *words: str) -> Ran:
        """Runs the command without a terminal, looking again and again until it has ended."""
        command = [sys.executable, "-m", "driver.cli.main", *words]
        outputs = [self.folder / f"output-{stream}" for stream in (1, 2)]
        with outputs[0].open("wb") as out, outputs[1].open("wb") as err:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=ROOT,
                env=environment(**self._environment),
            )
            end = time.monotonic() + PATIENCE
            try:
                while process.poll() is None:
                    assert time.monotonic() < end, f"{name} does not end"
                    self.look(name)
                    self._wait(process)
            finally:
                process.kill()
                process.wait()
        self.look(name)
        return Ran(process.returncode, *(path.read_text(encoding="utf-8") for path in outputs))

    def type(self, name: str, words: tuple[str, ...], keys: tuple[tuple[str, str], ...]) -> Ran:
        """Runs the command in a terminal; `keys` are what is waited for, and what is typed then."""
        with Terminal(*words, rows=24, columns=80, typed=True, **self._environment) as terminal:
            for shown, typed in keys:
                terminal.wait_for(shown)
                self.look(name)
                terminal.type(typed)
            code = terminal.wait()
        self.look(name)
        return Ran(code, terminal.shown, "")

    def look(self, where: str) -> None:
        """At the files, and at the words of every process."""
        self.haystack.add_files(where, *self.places)
        self.haystack.add_command_lines(where)

    @property
    def _environment(self) -> dict[str, str]:
        home, temporary = (str(place) for place in self.places[1:])
        folders = dict.fromkeys(("HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"), home)
        folders |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary)
        return {**folders, COUNTS_VARIABLE: "1"}

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        try:
            process.wait(LOOK_EVERY)
        except subprocess.TimeoutExpired:
            return
