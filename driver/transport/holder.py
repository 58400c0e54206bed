"""Which program has a port open, where the system tells (Linux).

May import: the standard library. Read next: `serial_port.py`, `usb_bulk.py`, which name it to whoever is refused.
A program of another user hides what it has open; the lock that it holds on the port tells its number all the same.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Holder:
    """A running program: what the system calls it, and its number."""

    name: str
    pid: int

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"


def holder_of(path: str, proc: Path = PROC) -> Holder | None:
    """Who has `path` (a port or a link to one) open, another program before this one; None where nobody tells."""
    if not sys.platform.startswith("linux"):
        return None
    device, ours = os.path.realpath(path), os.getpid()
    numbers = sorted((int(name) for name in _names_in(proc) if name.isdigit()), key=lambda number: number == ours)
    for number in numbers:
        folder = proc / str(number) / "fd"
        opened = {name: _target(folder / name) for name in _names_in(folder)}
        if device in opened.values() and not _is_other_end(folder.parent, opened, device):
            return Holder(_program(proc, number), number)
    number = _locker(proc, device)
    return Holder(_program(proc, number), number) if number else None


def _is_other_end(process: Path, opened: dict[str, str], device: str) -> bool:
    """Whether the process plays the machine itself, at the other end of a pseudo-terminal."""
    if not device.startswith("/dev/pts/"):
        return False
    line = f"tty-index:\t{device.rpartition('/')[2]}"
    masters = [name for name, target in opened.items() if target.endswith("/ptmx")]
    return any(line in _text(process / "fdinfo" / name).splitlines() for name in masters)


def _locker(proc: Path, device: str) -> int:
    """The program that holds a lock on the file `device`; 0 for none. The table names it as major:minor:inode."""
    try:
        found = os.stat(device)
    except OSError:
        return 0
    name = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    for line in _text(proc / "locks").splitlines():
        words = line.split()
        if name in words and words[words.index(name) - 1].isdigit():
            return int(words[words.index(name) - 1])
    return 0


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # the process ended, or belongs to another user
        return []


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def _program(proc: Path, number: int) -> str:
    return _text(proc / str(number) / "comm").strip() or "a program"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
