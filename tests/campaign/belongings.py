"""What this process and a store take up: descriptors, threads, memory, bytes on the disk.

May import: the standard library and `tests.conftest`. Read next: `test_hundred_evenings.py`.
"""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.conftest import open_descriptors
from tests.support.figures import Figures

BYTES_PER_BOARD: Final = 8_000
"""How much a closed store may grow for each board that was dealt: its deal, its runs, their evidence."""
ALLOCATED: Final = 256 * 1024
"""Bytes that Python may have allocated more at a last look than at a first."""
RESIDENT: Final = 16 * 1024 * 1024
"""Bytes that the process may be larger then; the allocator keeps some for itself."""
_STATUS: Final = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Belongings:
    """Descriptors and threads in number; `resident` and `allocated` (by Python, 0 = not traced) and `stored` in bytes.

    `files` are those in the store's folder. A system that does not show its processes has 0 descriptors and resident.
    """

    descriptors: int
    threads: int
    resident: int
    allocated: int
    stored: int
    files: int

    @classmethod
    def now(cls, store: Path) -> Belongings:
        """As they are, after everything that nobody holds was given back."""
        gc.collect()
        paths = [path for path in store.rglob("*") if path.is_file()]
        allocated = tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else 0
        return cls(
            len(open_descriptors()),
            threading.active_count(),
            _resident(),
            allocated,
            sum(path.stat().st_size for path in paths),
            len(paths),
        )


def _resident() -> int:
    if not _STATUS.is_file():
        return 0
    (line,) = [line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmRSS:")]
    return 1024 * int(line.split()[1])


@contextmanager
def traced() -> Iterator[None]:
    """While Python counts what it allocates."""
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def check_memory(first: Belongings, last: Belongings, when: str, figures: Figures) -> None:
    """Prints how much more memory is held at the last look than at the first; fails above the limits."""
    for name, limit in (("allocated", ALLOCATED), ("resident", RESIDENT)):
        grown = getattr(last, name) - getattr(first, name)
        figures.tell(
            f"growth of the memory {name} {when}",
            f"{grown / 1024:,.0f} KiB",
            aim=f"{limit // 1024:,} KiB or less",
            met=grown <= limit,
            seed=1,
        )
