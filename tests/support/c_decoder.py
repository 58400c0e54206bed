"""Compiles and runs `tests/vectors/decoder.c`, the second reader of the protocol.

May import: the standard library. Read next: `tests/vectors/test_c_decoder.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).resolve().parents[1] / "vectors" / "decoder.c"
_WARNINGS: Final = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O1")
_SANITIZERS: Final = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


class NoCompiler(Exception):
    """No C compiler is installed."""


def compile_decoder(folder: Path) -> Path:
    """The decoder, compiled into that folder; with sanitizers where the compiler has them.

    Raises NoCompiler when there is none, AssertionError when the source does not compile without a warning.
    """
    found = (shutil.which(name) for name in (os.environ.get("CC", "cc"), "cc", "gcc", "clang"))
    compiler = next((path for path in found if path), None)
    if compiler is None:
        raise NoCompiler("no C compiler (cc, gcc or clang) is installed")
    target = folder / "decoder"
    for options in (_SANITIZERS, ()):
        command = [compiler, *_WARNINGS, *options, "-o", str(target), str(SOURCE)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not done.returncode:
            break
    assert not done.returncode, done.stderr
    return target


def read_in_c(decoder: Path, lines: Iterable[str]) -> list[list[str]]:
    """The `name=value` lines that the decoder prints for each line of hex; one that crashes fails here."""
    lines = list(lines)
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([str(decoder)], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    assert not done.stderr
    answers: list[list[str]] = []
    fields: list[str] = []
    for line in done.stdout.splitlines():
        if line == ".":
            answers.append(fields)
            fields = []
        else:
            fields.append(line)
    assert len(answers) == len(lines)
    assert not fields
    return answers
