"""`make emulated`: the tests marked `emulated`, in a process into which umockdev's preload library is loaded.

Only this process: the preload library stands between a program and every file that it opens. Arguments go to pytest.
May import: the standard library. Read next: `conftest.py`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import Final

WRAPPER: Final = "umockdev-wrapper"
TIMEOUT: Final = 120.0


def main(arguments: list[str]) -> int:
    """pytest's exit code; 1 after `TIMEOUT` seconds."""
    wrapper = shutil.which(WRAPPER)
    command = [sys.executable, "-m", "pytest", "-m", "emulated", "tests/emulated", *arguments]
    try:
        return subprocess.run([wrapper, *command] if wrapper else command, timeout=TIMEOUT, check=False).returncode
    except subprocess.TimeoutExpired:
        print(f"make emulated: not done within {TIMEOUT:.0f} s", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
