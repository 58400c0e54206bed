"""Who has a device open, as far as the system tells this user.

May import: the standard library. Read next: `serial_port.py`, `usb_bulk.py`, which ask when a device is busy.
"""

from __future__ import annotations

import os
import sys


def holder_of(path: str) -> str:
    """Who has the device `path` open, as "dealctl, process 1234"; "" where the system does not tell (this user)."""
    if not sys.platform.startswith("linux"):
        return ""
    device = os.path.realpath(path)
    ours = os.getpid()
    numbers = sorted((int(name) for name in _names_in("/proc") if name.isdigit()), key=lambda number: number == ours)
    for number in numbers:
        if any(_target(f"/proc/{number}/fd/{name}") == device for name in _names_in(f"/proc/{number}/fd")):
            return f"{_program(number)}, process {number}"
    return ""


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # the process ended, or belongs to another user
        return []


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def _program(number: int) -> str:
    try:
        with open(f"/proc/{number}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip() or "a program"
    except OSError:
        return "a program"
