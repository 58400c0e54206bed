"""Compiles the C that tests bring along.

May import: the standard library. Read next: `c_decoder.py`, `recorded_disk.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_WARNINGS: Final = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O1")


class NoCompiler(Exception):
    """No C compiler is installed."""


def compiled(source: Path, target: Path, *ways: Sequence[str], libraries: Sequence[str] = ()) -> Path:
    """`target`, made of `source` with the first of the `ways` (options) that this compiler has.

    Raises NoCompiler when there is none, AssertionError when the source does not compile without a warning.
    """
    found = (shutil.which(name) for name in (os.environ.get("CC", "cc"), "cc", "gcc", "clang"))
    compiler = next((path for path in found if path), None)
    if compiler is None:
        raise NoCompiler("no C compiler (cc, gcc or clang) is installed")
    for options in ways:
        command = [compiler, *_WARNINGS, *options, "-o", str(target), str(source), *libraries]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not done.returncode:
            break
    assert not done.returncode, done.stderr
    return target
