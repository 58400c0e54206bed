"""How an error reaches a person: code, one sentence, what to do with the hands; never a hand of cards (I7).

May import: `exit_codes`, `text`, `driver.catalogue`, `protocol.errors`. Read next: `main.py`.
With -v the places in the program follow, without source values: the text of a foreign exception may hold a card.
"""

from __future__ import annotations

import json
import sys
import threading
import traceback
from types import TracebackType
from typing import Any, Final, TextIO

from driver.catalogue import Kind, entry
from driver.cli.exit_codes import Exit, exit_code_of
from driver.cli.text import as_ascii, clean, speaks_unicode
from protocol.errors import DealingMachineError

INTERNAL_CODE: Final = "DM900"


def put(text: str, stream: TextIO | None = None) -> None:
    """One line of text to a person; `stream` is standard output when None."""
    target = sys.stdout if stream is None else stream
    line = clean(text)
    print(line if speaks_unicode(target) else as_ascii(line), file=target, flush=True)


def sentences_of(error: BaseException) -> tuple[str, str, str]:
    """Code, sentence and hint of any error; a foreign one gives none of its own words."""
    if not isinstance(error, DealingMachineError):
        internal = entry(Kind.ERROR, INTERNAL_CODE)
        return internal.code, internal.sentence, internal.hint
    sentence = str(error)
    path, line = getattr(error, "path", None), getattr(error, "line", None)
    if path and str(path) not in sentence:
        place = f"{path}, line {line}" if line else f"{path}"
        sentence = f"{place}: {sentence}"
    return error.code, sentence, error.hint


def show_error(error: BaseException, *, as_json: bool = False, verbose: bool = False) -> Exit:
    """Prints the error to standard error (as an event to standard output too, with `as_json`); its exit code."""
    code, sentence, hint = sentences_of(error)
    if as_json:
        known = entry(Kind.ERROR, code)
        event = {
            "event": "error",
            "code": code,
            "class": known.fault_class.name,
            "text": clean(sentence),
            "hint": clean(hint),
            "next": list(known.next),
            "default": known.default,
        }
        print(json.dumps(event), flush=True)
    for text in (sentence, hint):
        if text:
            put(text, sys.stderr)
    put(f"({code})", sys.stderr)
    if verbose:
        details = error.details if isinstance(error, DealingMachineError) else ""
        for text in (*([details] if details else []), *places(error)):
            put(text, sys.stderr)
    return exit_code_of(error)


def places(error: BaseException) -> list[str]:
    """Where in the program it happened, outermost first: file, line and function; no values, no words of the error."""
    lines = [f"{type(error).__name__} at:"]
    for frame in traceback.extract_tb(error.__traceback__):
        lines.append(f"  {frame.filename}:{frame.lineno} {frame.name}")
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        lines += ["after", *places(before)]
    return lines


def install_hooks(*, verbose: bool) -> None:
    """From here on no error of this process prints a traceback with values, in whichever thread."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        show_error(error, verbose=verbose)

    def thread_hook(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            show_error(args.exc_value, verbose=verbose)

    def unraisable_hook(args: Any) -> None:
        if verbose and args.exc_value is not None:
            show_error(args.exc_value, verbose=True)

    sys.excepthook = hook
    threading.excepthook = thread_hook
    sys.unraisablehook = unraisable_hook
