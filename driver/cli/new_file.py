"""Writes a file that was not there before: a sheet, an opening, a second person's secret. Never over another file.

May import: `driver.errors` and the standard library. Read next: `set_steps.py`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from driver.errors import CannotBeWritten, ConfigError

ONLY_OURS: Final = 0o600
EVERYBODY_READS: Final = 0o644


def write_new(path: Path, text: str, mode: int) -> None:
    """Writes `text` with those rights, durably. No second file is made on the way: the text may be a secret.

    Raises ConfigError when the file is there already, CannotBeWritten when the place cannot be written to.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        try:
            with open(file, "wb") as target:
                target.write(text.encode())
                target.flush()
                os.fsync(target.fileno())
        except BaseException:
            with suppress(OSError):
                path.unlink()
            raise
    except FileExistsError:
        raise ConfigError(
            f"{path.name} is there already.", key="OUT", hint="Nothing was written. Choose another name."
        ) from None
    except (OSError, ValueError) as error:
        raise CannotBeWritten(
            "The file cannot be written there.",
            path=path,
            hint="Nothing was written. See that the folder is there, that the disk has room, and that you may write.",
            details=str(error),
        ) from None
