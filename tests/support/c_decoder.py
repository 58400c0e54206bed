"""Compiles and runs `tests/vectors/decoder.c`, the second reader of the protocol.

May import: `c_code` and the standard library. Read next: `tests/vectors/test_c_decoder.py`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.support.c_code import compiled

SOURCE: Final = Path(__file__).resolve().parents[1] / "vectors" / "decoder.c"
_SANITIZERS: Final = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def compile_decoder(folder: Path) -> Path:
    """The decoder, compiled into that folder; with sanitizers where the compiler has them. Raises NoCompiler."""
    return compiled(SOURCE, folder / "decoder", _SANITIZERS, ())


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
