"""Writes a file that somebody asked for: deals, a sheet, an opening, a secret. Whole or not at all.

May import: `driver.errors` and the standard library. Read next: `convert.py`, `set_steps.py`.
It gets its name when all of it is on the disk. Another file is written over only when that was said.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from driver.errors import CannotBeWritten, ConfigError

ONLY_OURS: Final = 0o600
EVERYBODY_READS: Final = 0o644
ANOTHER_NAME: Final = "Nothing was written. Choose another name."


def write_new(path: Path, data: bytes, mode: int, *, over: bool = False, hint: str = ANOTHER_NAME) -> None:
    """Writes `data` with those rights, durably; `over`: also where a file of that name is, which is gone then.

    Raises ConfigError with `hint` when the file is there already, CannotBeWritten when the place cannot be written to.
    """
    beside = path.parent / f".{secrets.token_hex(8)}.part"
    try:
        try:
            _write(beside, data, mode)
            if over:
                os.replace(beside, path)
            else:
                _name_it_if_free(beside, path)
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()
    except FileExistsError:
        raise ConfigError(f"{path.name} is there already.", key="OUT", hint=hint) from None
    except (OSError, ValueError) as error:
        raise CannotBeWritten(
            "The file cannot be written there.",
            path=path,
            hint="Nothing was written. See that the folder is there, that the disk has room, and that you may write.",
            details=str(error),
        ) from None


def _write(path: Path, data: bytes, mode: int) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with open(file, "wb") as target:
        target.write(data)
        target.flush()
        os.fsync(target.fileno())


def _name_it_if_free(beside: Path, path: Path) -> None:
    """Like a rename that never takes another file's place. Raises FileExistsError."""
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError:
        # Sticks know no second name for a file.
        if path.exists():
            raise FileExistsError from None
        os.rename(beside, path)
