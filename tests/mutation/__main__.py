"""`python -m tests.mutation [PART ...]`: how many small changes of the code that must not fail are found by tests.

Ends with 1 when fewer than 85 % of the mutants of a module are killed. It takes minutes to an hour: never in the gate.
Read next: `changes.py`, what is changed and what is left alone; `trial.py`, how a mutant is tried.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.mutation.trial import Fate, Trial, Tried

AIM: Final = 85
"""Per cent of the mutants of each module."""
_JOURNAL: Final = (
    *("journal", "history", "store_jobs", "store_copies", "backup", "hand_over", "dropped", "cli_queue", "under_way"),
)
_SCHEDULER: Final = tuple(
    f"tests/unit/test_scheduler{name}.py" for name in ("", "_consequences", "_promises", "_table")
)
PARTS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "verification": (("driver.verification",), ("tests/unit/test_verification.py",)),
    "reconcile": (("driver.reconcile",), ("tests/unit/test_reconcile.py",)),
    "connection": (("driver.connection",), ("tests/unit/test_connection.py",)),
    "conversation": (("driver.conversation",), ("tests/unit/test_conversation.py",)),
    "link": (("driver.link",), ("tests/unit/test_link.py",)),
    "journal": (
        ("driver.journal", "driver.store.entries", "driver.store.runs"),
        tuple(f"tests/unit/test_{name}.py" for name in _JOURNAL),
    ),
    "scheduler": (("driver.scheduler", "driver.consent"), _SCHEDULER),
}
"""The modules of each part of the program, and the tests that are to find their mutants."""


def main(argv: Sequence[str] | None = None) -> int:
    """Tries the mutants of the parts that are named, or of all, and prints what became of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("part", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all without one")
    parser.add_argument("--at-most", type=int, default=1000, metavar="N", help="mutants of a module, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    if unknown := sorted({*args.part} - PARTS.keys()):
        parser.error(f"unknown part: {', '.join(unknown)}")
    found: dict[str, list[Tried]] = {}
    for part in args.part or PARTS:
        names, tests = PARTS[part]
        with tempfile.TemporaryDirectory() as temporary:
            trial = Trial(tuple(map(importlib.import_module, names)), Path(temporary, "tests"), args.at_most, args.seed)
            options = ["-qq", "-s", "-p", "no:cacheprovider", "--no-header", "--no-summary", "--timeout", "0"]
            pytest.main([*options, "--basetemp", str(trial.temporary), *tests], [trial])
        if trial.failed or not trial.found:
            print(f"{part}: tests fail though nothing was changed: {', '.join(trial.failed)}")
            return 1
        found |= trial.found
    return 0 if _print(found, args.seed) else 1


def _print(found: dict[str, list[Tried]], seed: int) -> bool:
    """Prints one line for each module; whether all reach the aim."""
    print(f"{'':<26} {'mutants':>8} {'killed':>8} {'time-outs':>10} {'survivors':>10} {'share':>8}   (seed {seed})")
    reached = True
    for file, all_tried in found.items():
        timed_out = sum(tried.fate is Fate.TIMED_OUT for tried in all_tried)
        killed = timed_out + sum(tried.fate is Fate.KILLED for tried in all_tried)
        share = 100 * killed / len(all_tried)
        reached = reached and share >= AIM
        left = len(all_tried) - killed
        print(f"{file:<26} {len(all_tried):>8} {killed:>8} {timed_out:>10} {left:>10} {share:>7.1f}%")
    return reached


if __name__ == "__main__":
    sys.exit(main())
