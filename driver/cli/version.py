"""Which version this program is, and which versions of the protocol it speaks.

May import: `protocol.constants` and the standard library. Read next: `parser.py`, whose `--version` prints it.
"""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from protocol.constants import MAJOR_NEWEST, MAJOR_OLDEST, MINOR

PROGRAM: Final = "dealing-machine"


def installed(package: str) -> str:
    """The version of an installed package; "" for what is not installed as one."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def version_text() -> str:
    """One line: program, protocol, Python."""
    oldest = "" if MAJOR_OLDEST == MAJOR_NEWEST else f"{MAJOR_OLDEST} to "
    speaks = f"speaks protocol {oldest}{MAJOR_NEWEST}.{MINOR} with machines"
    return f"dealctl {installed(PROGRAM) or '(not installed)'}, {speaks}, Python {platform.python_version()}"
