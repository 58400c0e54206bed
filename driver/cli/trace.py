"""`dealctl trace`: the talk with a machine, a line for each message, without its content (I7).

May import: `driver.recorder`, `choose`. Read next: `driver/recorder.py`. Moves nothing.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from typing import Final

from driver.cli.choose import open_chosen
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.recording import recorded
from driver.cli.recovery import mention_left_open
from driver.clock import SystemClock
from driver.recorder import Recorded, Recorder

EVERY: Final = 1.0
"""Seconds between two questions."""


def run(args: Namespace) -> int:
    """Asks the machine how it stands, every second, until --seconds have passed or Ctrl-C."""

    def show(line: Recorded) -> None:
        if args.json:
            put_object(
                {
                    "event": "frame",
                    "time": round(line.time, 3),
                    "from": "program" if line.outward else "machine",
                    "kind": line.kind,
                    "type": line.type,
                    "number": line.number,
                    "bytes": line.length,
                },
                sys.stdout,
            )
        else:
            put(str(line))

    mention_left_open(args)
    clock, recorder = SystemClock(), Recorder(show)
    with recorded(args, recorder), open_chosen(args, recorder) as machine:
        end = None if args.seconds is None else time.monotonic() + args.seconds
        try:
            while end is None or time.monotonic() < end:
                status = machine.status()
                if not args.json:
                    put(f"             = {status.state.name}, {status.index} of 52")
                clock.wait(EVERY if end is None else min(EVERY, max(0.0, end - time.monotonic())))
        except KeyboardInterrupt:
            return Exit.ALL_GOOD
    return Exit.ALL_GOOD
