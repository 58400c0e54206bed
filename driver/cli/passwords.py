"""The password of a locked ZIP archive: typed unseen, or from a file; never a word of the command line.

May import: `failures`, `driver.errors`. Read next: `deal_source.py`.
"""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Final

from driver.cli.failures import put
from driver.errors import ArchiveLocked, ConfigError

LONGEST: Final = 1_000


def ask_password(locked: ArchiveLocked) -> str:
    """A password for what `locked` says. Raises that error again when none is typed."""
    put(str(locked))
    try:
        typed = getpass.getpass("Password (Enter alone: none): ")
    except EOFError:
        typed = ""
    if not typed:
        raise locked
    return typed


def password_in(path: str | None) -> str | None:
    """The first line of the file at `path`, None without one. Other programs see the words of a command line."""
    if path is None:
        return None
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.readline(LONGEST).rstrip("\r\n")
    except (OSError, ValueError):
        raise ConfigError(
            f"The file with the password cannot be read: {Path(path).name}.",
            key="--password-file",
            value=path,
            hint="Nothing was dealt. Put the password into a text file, on its first line.",
        ) from None
