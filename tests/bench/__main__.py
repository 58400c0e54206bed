"""`python -m tests.bench`: prints what things cost, side by side in one run. Nothing fails because it is slow.

Read next: `measures.py`.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence

from tests.bench.measures import Counts, measures


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; always 0."""
    usual = Counts()
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=usual.runs, help="runs of each measure (default %(default)s)")
    parser.add_argument("--boards", type=int, default=usual.boards, help="boards of a run, 1-36 (default %(default)s)")
    parser.add_argument(
        "--round-trips", type=int, default=usual.round_trips, help="STATUS round trips of a run (default %(default)s)"
    )
    parser.add_argument("--deals", type=int, default=usual.deals, help="deals of a file (default %(default)s)")
    parser.add_argument("--without-endplay", action="store_true", help="do not install endplay, to compare with it")
    parser.add_argument("--kept", type=int, default=usual.kept, help="boards in a grown journal (default %(default)s)")
    parser.add_argument(
        "--quiet", type=float, default=usual.quiet, help="seconds of a quiet line (default %(default)s)"
    )
    parser.add_argument(
        "--together", type=float, default=usual.together, help="seconds of 16 machines at once (default %(default)s)"
    )
    parser.add_argument("--replugs", type=int, default=usual.replugs, help="replugs of a run (default %(default)s)")
    args = parser.parse_args(argv)
    counts = Counts(
        args.runs,
        args.boards,
        args.round_trips,
        args.deals,
        not args.without_endplay,
        args.kept,
        args.quiet,
        args.together,
        args.replugs,
    )
    print(f"{platform.python_implementation()} {platform.python_version()} on {platform.machine()}, {sys.platform}")
    print(f"{counts.runs} runs, {counts.boards} boards, {counts.round_trips} round trips, {counts.deals} deals")
    print(f"{'':<62} {'median':>12} {'lowest':>10} {'highest':>10}")
    for measure in measures():
        for line in measure(counts):
            print(line.line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
