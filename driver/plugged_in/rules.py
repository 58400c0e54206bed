"""The udev rules that let a person use the machine on Linux, as they are shipped with the program.

May import: `driver.errors` and the standard library. Read next: `udev/README.md`; `cli/doctor.py`, which prints them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from driver.errors import ConfigError

RULES_FILE: Final = "70-dealing-machine.rules"
SHARED: Final = "share/dealing-machine/udev"
"""Below the folder into which the program was installed."""


def rules_text() -> str:
    """The file's text: of the installed program, else of the checkout. Raises ConfigError when it is in neither."""
    for folder in (Path(sys.prefix) / SHARED, Path(__file__).resolve().parents[2] / "udev"):
        if (folder / RULES_FILE).is_file():
            return (folder / RULES_FILE).read_text(encoding="utf-8")
    raise ConfigError(
        "The rules file was not installed with this program.", key="rules", hint="Install the program anew."
    )
