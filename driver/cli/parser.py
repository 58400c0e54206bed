"""Commands and options of `dealctl` as argparse knows them; each command names the module that runs it.

May import: `ranges`, the standard library. Read next: `deal.py`.
Words that are not for a volunteer's eyes stay out; a test reads every help.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from driver.cli.ranges import parse_board, parse_boards, parse_copies

MACHINE_VARIABLE: Final = "DEALCTL_MACHINE"
FASTEST: Final = 1000.0

_ABOUT: Final = "Deals bridge boards on a dealing machine. Without a command it shows a menu."
_PRACTICE: Final = (
    "No board is dealt. It begins by itself after a while; only a simulated machine may do that without --auto."
)
_DAILY: Final = """\
examples:
  dealctl deal tuesday.pbn                 deal every board of the file
  dealctl deal tuesday.pbn --boards 1-24   only these boards
  dealctl again 17                         board 17 once more, same hands
  dealctl practise tuesday.pbn             try it out without a machine
"""


def _typed(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """`parse` with its sentence kept as argparse's message."""

    def read(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise ValueError(f"a number from {low} to {high} is needed, not {text[:20]!r}")
        return int(text)

    return read


def _factor(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.0 < speed <= FASTEST:
        raise ValueError(f"a number above 0 and up to {FASTEST:g} is needed, not {text[:20]!r}")
    return speed


def _everywhere() -> argparse.ArgumentParser:
    """What every command takes, before or behind its name; made anew for each, for argparse changes it."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--machine", metavar="M", help=f"name or address of the machine (else {MACHINE_VARIABLE})")
    common.add_argument("-v", "--verbose", action="store_true", help="show more, for whoever helps you")
    common.add_argument("--json", action="store_true", help="one line of JSON for each thing that happens; never asks")
    common.add_argument("--data", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    return common


def _screen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plain", action="store_true", help="line by line, for screen readers and printouts")
    parser.add_argument("--quiet", action="store_true", help="no sounds")
    parser.add_argument(
        "--give-up",
        metavar="S",
        type=_typed(_whole(1, 86400)),
        default=30,
        help="where nobody can be asked: end when the machine is silent for so many seconds (30)",
    )
    parser.add_argument("--accept-counted", action="store_true", help="boards counted by hand are well enough")


def _which_boards(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--boards", metavar="1-24,27", type=_typed(parse_boards), help="only these boards, in this order"
    )
    parser.add_argument("--set", metavar="N", type=_typed(_whole(1, 999)), help="which set, if the file holds several")
    parser.add_argument(
        "--good-boards-only",
        action="store_true",
        help="leave out boards of the file that cannot be dealt, without asking",
    )


def _how(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--auto", action="store_true", help="start by itself when board and pack are in; asks nobody")
    parser.add_argument("--ask-each", action="store_true", help="ask before every board")
    parser.add_argument(
        "--packs", metavar="N", type=_typed(_whole(1, 4)), default=1, help="packs in the hopper at once (1 to 4)"
    )


def build_parser() -> argparse.ArgumentParser:
    """The whole parser; `command` names the module in `driver.cli` that runs the command, None for the menu."""
    parser = argparse.ArgumentParser(
        prog="dealctl",
        description=_ABOUT,
        epilog=_DAILY,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_everywhere()],
        allow_abbrev=False,
    )
    parser.set_defaults(
        command=None, machine=os.environ.get(MACHINE_VARIABLE) or None, verbose=False, json=False, data=None, extra=[]
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, module: str, text: str, more: str = "") -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}. {more}".rstrip(), parents=[_everywhere()],
            allow_abbrev=False,
        )  # fmt: skip
        command.set_defaults(command=module)
        return command

    deal = add("deal", "deal", "deal the boards of a file", "Put board 1 and a pack in, press Enter; that is all.")
    deal.add_argument("file", metavar="FILE", help="the deal file (PBN)")
    _which_boards(deal)
    deal.add_argument(
        "--copies", metavar="A,B", type=_typed(parse_copies), default=("",), help="deal each set so often"
    )
    deal.add_argument(
        "--as",
        dest="as_board",
        metavar="13",
        type=_typed(parse_board),
        help="deal the first board as number 13, the next as 14, and so on",
    )
    _how(deal)
    _screen(deal)

    again = add("again", "again", "deal a board once more, with the same hands")
    again.add_argument("board", metavar="N", type=_typed(parse_board), help="the number on the board")
    _how(again)
    _screen(again)

    practise = add("practise", "practise", "deal a file on a simulated machine, to try it out", _PRACTICE)
    practise.add_argument("file", metavar="FILE", nargs="?", help="the deal file (PBN)")
    _which_boards(practise)
    practise.add_argument(
        "--speed", metavar="X", type=_typed(_factor), default=25.0, help="so many times as fast as a real machine (25)"
    )
    practise.add_argument("--seed", metavar="N", type=_typed(_whole(0, 2**30)), help="repeat an earlier practice")
    practise.add_argument("--profile", metavar="P", help="what the machine can sense: full, r-only, p-only or bare")
    practise.add_argument("--fault", metavar="TEXT", action="append", default=[], help="something that goes wrong")
    practise.add_argument("--slip", metavar="TEXT", action="append", default=[], help="something the helper does wrong")
    _screen(practise)

    check = add("check", "check", "look through a deal file, without showing a hand", "With --json it shows the hands.")
    check.add_argument("file", metavar="FILE", help="the deal file (PBN)")

    pack = add("check-pack", "pack", "count a pack of cards and name what is missing")
    pack.add_argument("--ready", action="store_true", help="the pack and an empty board are in; ask nothing")
    board = add("check-board", "board", "compare a dealt board with its deal: yes or no for each pocket")
    board.add_argument("board", metavar="N", type=_typed(parse_board), help="the number on the board")
    board.add_argument("--file", metavar="FILE", help="the deal file, if the board was not dealt here")
    board.add_argument("--set", metavar="N", type=_typed(_whole(1, 999)), help="which set, if the file holds several")

    board.add_argument("--ready", action="store_true", help="its cards and the empty board are in; ask nothing")

    add("machines", "machines", "show which machines are plugged in")
    trace = add("trace", "trace", "show the talk with a machine, without its content", "For builders of machines.")
    trace.add_argument("--seconds", metavar="S", type=_typed(_whole(1, 86400)), help="stop after so long")
    add("simulate", "simulate", "start a simulated machine and show its address", "For builders of machines.")
    return parser
