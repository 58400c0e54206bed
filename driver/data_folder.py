"""Where this computer keeps store and keys.

May import: the standard library, and platformdirs when it is asked. Read next: `store/store.py`, which opens it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

DATA_VARIABLE: Final = "DEALCTL_DATA"


def data_folder() -> Path:
    """The folder that DEALCTL_DATA names, else the one that this system has for a user's data."""
    if chosen := os.environ.get(DATA_VARIABLE):
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("dealing-machine", appauthor=False)
