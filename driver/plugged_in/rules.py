"""The udev rules that let a person use the machine on Linux, as they are shipped with the program.

May import: `driver.errors` and the standard library. Read next: `udev/README.md`; `cli/doctor.py`, which prints them.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Final

from driver.errors import ConfigError

RULES_FILE: Final = "70-dealing-machine.rules"
SHARED: Final = "share/dealing-machine/udev"
"""Below the folder for data of an installation."""
_CHECKOUT: Final = Path(__file__).resolve().parents[2] / "udev"


def rules_text() -> str:
    """The file's text, as it came with the installed program, else of the checkout.

    Raises ConfigError when it is in neither.
    """
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    installed = [Path(sysconfig.get_path("data", scheme)) / SHARED for scheme in schemes]
    for folder in (_CHECKOUT, *installed):
        if (folder / RULES_FILE).is_file():
            return (folder / RULES_FILE).read_text(encoding="utf-8")
    raise ConfigError(
        "The rules file was not installed with this program.", key="rules", hint="Install the program anew."
    )
