"""`dealctl` alone: a numbered menu that prints the command behind each choice, then runs it.

May import: `parser`, `questions`, `main`. Read next: `parser.py`.
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from dataclasses import dataclass
from typing import Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.questions import ask_line, somebody_there
from driver.cli.recovery import left_open


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the menu: its text, the command, a question for each word that is missing, and for an option's."""

    text: str
    command: str
    questions: tuple[str, ...] = ()
    option: str = ""
    value: str = ""


ENTRIES: Final = (
    Entry("Deal the boards of a file", "deal"),
    Entry("Deal new random boards", "deal", option="--new", value="How many boards? "),
    Entry("Go on with what was under way", "carry-on"),
    Entry("Deal one board again, same hands", "again", ("Which board number? ",)),
    Entry("Practise without a machine", "practise"),
    Entry("Look through a deal file", "check", ("Which file? ",)),
    Entry("Write a deal file in another format", "convert", ("Which file? ", "Which new file? (its ending tells) ")),
    Entry("List the sets that are here", "sets"),
    Entry("Show the hands of one board to the director", "show", ("Which board number? ",)),
    Entry("A card's face was seen", "seen", ("Which board number? ",)),
    Entry("Count a pack of cards", "check-pack"),
    Entry("Compare a dealt board with its deal", "check-board", ("Which board number? ",)),
    Entry("List the jobs that wait", "queue"),
    Entry("Write the control sheet of a set, to print", "sheet"),
    Entry("Show which machines are plugged in", "machines"),
    Entry("Find out why a machine is not found", "doctor"),
    Entry("Set up this computer and its machine", "setup"),
    Entry("Show what was dealt when", "history"),
    Entry("Hand a set over to another computer", "hand-over", ("Which set? ", "Which new file? ")),
    Entry("Take over a set from another computer", "take-over", ("Which file? ",)),
    Entry("Back up all sets and records into one file", "backup", ("Which new file? ",)),
)


def run(args: Namespace) -> int:
    """Asks until a choice is made; leaves with Enter alone."""
    if not somebody_there(as_json=args.json):
        from driver.cli.parser import build_parser

        build_parser().print_help(sys.stderr)
        return Exit.USAGE
    if left_open(args) and (code := _first_of_all(args)) is not None:
        return code
    for number, entry in enumerate(ENTRIES, start=1):
        put(f"{number}  {entry.text}")
    put("Enter alone: leave")
    while typed := ask_line("Number: "):
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(ENTRIES):
            return _run_entry(ENTRIES[int(typed) - 1], args)
        put(f"Type a number from 1 to {len(ENTRIES)}.")
    return Exit.ALL_GOOD


def _first_of_all(args: Namespace) -> int | None:
    """The question about what was under way, and what comes of it; None when the machine is not there to be asked."""
    from driver.cli.main import main

    code = main(["carry-on", *_options(args), *([] if args.data is None else ["--data", str(args.data)])])
    return None if code == Exit.NO_MACHINE else code


def _options(args: Namespace) -> list[str]:
    return [*([] if args.machine is None else ["--machine", args.machine]), *(["-v"] if args.verbose else [])]


def _run_entry(entry: Entry, args: Namespace) -> int:
    from driver.cli.main import main

    questions = [*entry.questions, entry.value] if entry.value else entry.questions
    typed: list[str] = []
    for question in questions:
        answer = ask_line(question).strip("\"'")
        if not answer:
            return Exit.ALL_GOOD
        typed.append(answer)
    options = [f"{entry.option}={typed.pop()}"] if entry.value else []
    options += _options(args)
    put(f"The same without the menu: {shlex.join(['dealctl', entry.command, *typed, *options])}")
    options += [] if args.data is None else ["--data", str(args.data)]
    return main([entry.command, *options, *(["--", *typed] if typed else [])])
