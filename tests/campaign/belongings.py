"""What this process and a store take up: descriptors, threads, memory, bytes on the disk.

May import: the standard library and `tests.conftest`. Read next: `test_hundred_evenings.py`.
"""

from __future__ import annotations

import gc
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.conftest import open_descriptors
from tests.support.figures import Figures

BYTES_PER_BOARD: Final = 8_000
"""How much a closed store may grow for each board that was dealt: its deal, its runs, their evidence."""
BLOCKS: Final = 4_000
"""Objects, or near so many, that Python may have allocated more at a last look than at a first."""
RESIDENT: Final = 4 * 1024
"""KiB that the process may be larger then; the allocator keeps some for itself."""
_STATUS: Final = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Belongings:
    """Descriptors, threads and `blocks` of memory that Python has allocated, in number; `resident` in KiB.

    `stored` are the bytes in the store's folder, `files` its files. A system that does not show its processes has 0
    descriptors and resident.
    """

    descriptors: int
    threads: int
    resident: int
    blocks: int
    stored: int
    files: int

    @classmethod
    def now(cls, store: Path) -> Belongings:
        """As they are, after everything that nobody holds was given back."""
        gc.collect()
        paths = [path for path in store.rglob("*") if path.is_file()]
        return cls(
            len(open_descriptors()),
            threading.active_count(),
            _resident(),
            sys.getallocatedblocks(),
            sum(path.stat().st_size for path in paths),
            len(paths),
        )


def _resident() -> int:
    if not _STATUS.is_file():
        return 0
    (line,) = [line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1])


def check_memory(first: Belongings, last: Belongings, when: str, figures: Figures) -> None:
    """Prints how much more memory is held at the last look than at the first; fails above the limits."""
    for name, unit, limit in (("blocks", "blocks", BLOCKS), ("resident", "KiB", RESIDENT)):
        grown = getattr(last, name) - getattr(first, name)
        figures.tell(
            f"growth of the memory {when}", f"{grown:,} {unit}", aim=f"{limit:,} or less", met=grown <= limit, seed=1
        )
