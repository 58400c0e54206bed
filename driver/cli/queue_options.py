"""The steps of `dealctl queue` and their options as argparse knows them.

May import: the standard library. Read next: `parser.py`, which calls this; `queue.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_Adds = Callable[[argparse.ArgumentParser], None]
_ID: Final = "the number of the job, as the list shows it"


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """What adds the options that `queue add` and `queue run` share with `deal`."""

    what: _Adds
    opens: _Adds
    said_before: _Adds
    how: _Adds
    screen: _Adds


def add_queue_steps(
    queue: argparse.ArgumentParser, everywhere: Callable[[], argparse.ArgumentParser], options: QueueOptions
) -> None:
    """Adds the steps to the command; without one it lists the jobs."""
    queue.set_defaults(step="list")
    steps = queue.add_subparsers(title="steps", metavar="STEP")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        description = f"{text[0].upper()}{text[1:]}."
        step = steps.add_parser(name, help=text, description=description, parents=[everywhere()], allow_abbrev=False)
        step.set_defaults(step=name)
        return step

    def job(name: str, text: str) -> argparse.ArgumentParser:
        step = add(name, text)
        step.add_argument("job", metavar="ID", type=_number, help=_ID)
        return step

    added = add("add", "put a job at the end, held until it is released")
    options.what(added)
    added.add_argument("--released", action="store_true", help="it may be dealt at once")
    job("release", "let a job be dealt")
    job("hold", "begin no further board of a job")
    move = job("move", "put a job before another one, or last")
    move.add_argument("where", choices=("before", "last"), help="before which it comes, or last")
    move.add_argument("other", metavar="ID", nargs="?", type=_number, help="with before: the number of that job")
    job("remove", "take a job out; what it has dealt stays dealt")
    run = add("run", "deal the jobs that are released, in their order")
    run.add_argument(
        "jobs", metavar="ID", nargs="*", type=_number, help="only these, which are released by that; else all released"
    )
    options.opens(run)
    options.said_before(run)
    options.how(run)
    options.screen(run)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(f"the number of a job is needed, not {text[:20]!r}")
    return int(text)
