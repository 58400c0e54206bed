"""What a program does to its data folder below SQLite: recorded, put together again up to any point, or made to fail.

`disk.c` lies below every library of the program. An `Image` is what a power cut leaves of the folder.
May import: `c_code`, pytest and the standard library. Read next: `tests/faults/test_disk_below_sqlite.py`.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique
from pathlib import Path
from typing import Final

import pytest

from tests.support.c_code import NoCompiler, compiled

SOURCE: Final = Path(__file__).with_name("disk.c")
MARKS: Final = "marks"
"""File in the folder into which a program writes what it is going to do; no part of any image."""
_SHARED: Final = "-shm"
"""End of the name of a file that SQLite makes anew after every crash."""
_HEAD: Final = re.compile(rb"(?P<kind>[COTWSUR]) (?P<name>[^ \n]+) (?P<offset>\d+) (?P<size>\d+)\n")


class OutOfReach(Exception):
    """This system does not let a test get between a program and its files."""


def recorder_in(folder: Path) -> Path:
    """`disk.c`, compiled into that folder. Raises OutOfReach."""
    if sys.platform != "linux":
        raise OutOfReach("only Linux loads a library of ours below a program's own")
    try:
        return compiled(SOURCE, folder / "disk.so", ("-shared", "-fPIC"), libraries=("-ldl",))
    except NoCompiler as error:
        raise OutOfReach(str(error)) from error


def skip_or_fail(reason: str) -> None:
    """Skips the test; where CI runs it fails."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def below(
    recorder: Path, data: Path, *, log: Path | None = None, fails: tuple[int, int] | None = None
) -> dict[str, str]:
    """What the environment of a program has so that its folder `data` is recorded in `log`, or fails.

    `fails` = (number of the first thing that is refused, the error's number).
    """
    found = {"LD_PRELOAD": str(recorder), "DISK_FOLDER": str(data)}
    if log is not None:
        found["DISK_LOG"] = str(log)
    if fails is not None:
        found["DISK_FAILS"] = f"{fails[0]} {fails[1]}"
    return found


@unique
class Kind(Enum):
    """One kind of thing that is done to a file, by the letter in the log."""

    MADE = "C"
    OPENED = "O"
    CUT = "T"
    WRITTEN = "W"
    WAITED_FOR = "S"
    REMOVED = "U"
    RENAMED = "R"


@dataclass(frozen=True, slots=True)
class Done:
    """One thing done to the file `name`; `data` are the bytes written at `offset`, or the new name."""

    kind: Kind
    name: str
    offset: int
    data: bytes

    @property
    def lasts(self) -> bool:
        """Whether it is something that a power cut may leave on the disk."""
        return self.kind is not Kind.OPENED and not self.name.endswith(_SHARED)

    def __str__(self) -> str:
        return f"{self.kind.name} {self.name} at {self.offset}, {len(self.data)} bytes"


def read_log(log: Path) -> list[Done]:
    """All that was recorded, in order."""
    raw, at, found = log.read_bytes(), 0, []
    while at < len(raw):
        head = _HEAD.match(raw, at)
        assert head is not None, f"no record at byte {at}"
        at = head.end() + int(head["size"])
        found.append(
            Done(Kind(head["kind"].decode()), head["name"].decode(), int(head["offset"]), raw[head.end() : at])
        )
    return found


class Image:
    """The files of a folder, built up by what was done to them."""

    def __init__(self, done: Iterable[Done] = ()) -> None:
        self.files: dict[str, bytearray] = {}
        for one in done:
            self.apply(one)

    def apply(self, one: Done) -> None:
        """Does one thing more. What was made and then lost is made by whatever comes to it next."""
        match one.kind:
            case Kind.MADE:
                self.files.setdefault(one.name, bytearray())
            case Kind.CUT:
                file = self.files.setdefault(one.name, bytearray())
                del file[one.offset :]
                file.extend(bytes(one.offset - len(file)))
            case Kind.WRITTEN:
                file = self.files.setdefault(one.name, bytearray())
                file.extend(bytes(max(0, one.offset - len(file))))
                file[one.offset : one.offset + len(one.data)] = one.data
            case Kind.REMOVED:
                self.files.pop(one.name, None)
            case Kind.RENAMED if one.name in self.files:
                self.files[one.data.decode()] = self.files.pop(one.name)

    def put_into(self, folder: Path) -> Path:
        """Writes the files into an empty folder."""
        folder.mkdir()
        for name, content in self.files.items():
            if name != MARKS:
                (folder / name).write_bytes(content)
        return folder


def torn(one: Done, length: int) -> Done:
    """The same write, of which only the first `length` bytes came to the disk."""
    return replace(one, data=one.data[:length])


def not_waited_for(done: Sequence[Done]) -> list[int]:
    """The places of what a power cut after all of it may take back: nobody waited for the disk after it.

    Waiting for a file keeps all that was done to it; waiting for the folder keeps what was made, removed and renamed.
    """
    open_places: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(done):
        if one.kind is not Kind.WAITED_FOR:
            open_places[one.name].append(place)
        elif one.name == ".":
            for name, places in open_places.items():
                open_places[name] = [each for each in places if done[each].kind in (Kind.WRITTEN, Kind.CUT)]
        else:
            open_places[one.name] = [each for each in open_places[one.name] if done[each].kind is Kind.REMOVED]
    return sorted(place for name, places in open_places.items() for place in places if name != MARKS)


def cut_power(done: Sequence[Done], chance: random.Random | None) -> Image:
    """What lies on the disk when nothing that nobody waited for got there (`chance` None), or some of it did."""
    lost = {place for place in not_waited_for(done) if chance is None or chance.random() < 0.5}
    return Image(one for place, one in enumerate(done) if place not in lost)


def environment_with(settings: dict[str, str]) -> dict[str, str]:
    """This process's environment with these settings in it."""
    return {**os.environ, **settings}
