"""`dealctl`: reads the command line, runs the command, turns every error into a sentence and an exit code.

May import: at the top only what is needed to print the help; neither construct nor a serial port nor USB.
Read next: `parser.py`, `deal.py`, `failures.py`.
"""

from __future__ import annotations

import os
import sys
import threading
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Final, cast

from driver.cli.parser import build_parser

_PASSES_ON: Final = "simulate"
"""The command whose unknown options belong to the simulated machine."""
_COMPLETES: Final = "_ARGCOMPLETE"
"""Set by a shell that asks what may follow (`dealctl completion`)."""
_PATIENCE: Final = 0.5
"""Seconds that a thread gets to end after an interruption."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `argv` (without the program's name; None = the process's) and returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    parser = build_parser()
    if _COMPLETES in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)  # answers the shell that asks, and ends this process
    try:
        args, extra = parser.parse_known_args(argv)
        if extra and args.command != _PASSES_ON:
            parser.error(f"there is no option {' '.join(extra)[:60]!r}; `dealctl --help` shows what there is")
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 2
    args.extra = extra
    return run(args)


def run(args: Namespace) -> int:
    """Runs the command that `args` names, and shows its error if it has one."""
    from driver.cli.failures import install_hooks, show_error

    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    install_hooks(verbose=args.verbose)
    try:
        return cast(int, import_module(f"driver.cli.{args.command or 'menu'}").run(args))
    except KeyboardInterrupt:
        return _interrupted(args)
    except BrokenPipeError:
        _drop_output()
        return 1
    except Exception as error:  # noqa: BLE001 - here every error becomes a sentence
        return show_error(error, as_json=args.json, verbose=args.verbose)
    finally:
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


def _interrupted(args: Namespace) -> int:
    from driver.cli.exit_codes import Exit
    from driver.cli.failures import put

    put("Stopped, as you asked.", sys.stderr)
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    for thread in others:
        if not thread.daemon:
            thread.join(_PATIENCE)
    if any(thread.is_alive() and not thread.daemon for thread in others):
        sys.stdout.flush()
        os._exit(Exit.INTERRUPTED)  # a wait that cannot be ended must not hold the person up
    return Exit.INTERRUPTED


def _drop_output() -> None:
    """Whoever read our output is gone: nothing more is written, at exit neither."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
