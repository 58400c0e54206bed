"""The options of `sheet` and `bundle` as argparse knows them.

May import: `set_options` and the standard library. Read next: `parser.py`, which calls this; `sheet.py`, `bundle.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from driver.cli.set_options import AddsCommands


def add_paper_commands(add: AddsCommands, passphrase: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds the commands; `passphrase` adds the option for the passphrase of a sealed set."""
    sheet = add("sheet", "sheet", "write the control sheet of a set, or of faults, to print", "It shows no hand.")
    sheet.add_argument("stored_set", metavar="SET", nargs="?", help="the name of a set; else the one dealt last")
    sheet.add_argument("--faults", action="store_true", help="instead: what to do when the machine stops, on paper")
    sheet.add_argument("--out", metavar="FILE", type=Path, help="the file to write (else it is named after the set)")
    sheet.add_argument("--force", action="store_true", help="write over the file if it is there")
    sheet.add_argument("--name", metavar="NAME", help="who dealt; else whoever decided something this evening")
    passphrase(sheet)
    bundle = add(
        "bundle",
        "bundle",
        "write a file for whoever helps you when something is wrong",
        "No hand and no name is in it.",
    )
    bundle.add_argument("out", metavar="OUT.zip", type=Path, help="the file to write")
