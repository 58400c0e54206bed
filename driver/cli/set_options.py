"""The options of `make`, `sets`, `verify-set` and `verify-squaredeal` as argparse knows them.

May import: `ranges`, the standard library. Read next: `parser.py`, which calls this; `make.py`, `sets.py`.
Two options have a second name that no help shows: the words that the trade's papers use for them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from driver.cli.ranges import parse_board, parse_boards

MOST_BOARDS: Final = 360

Reader = Callable[[str], Any]
"""Reads a word of the command line; raises ValueError with a sentence."""


class AddsCommands(Protocol):
    """Makes the parser of one more command: its name, its module, its text and a second sentence."""

    def __call__(self, name: str, module: str, text: str, more: str = "") -> argparse.ArgumentParser: ...


def add_set_commands(
    add: AddsCommands,
    typed: Callable[[Reader], Reader],
    whole: Callable[[int, int], Callable[[str], int]],
    passphrase: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Adds the four commands. `typed` makes an argparse type of a reader, `whole` reads a number of a range, and
    `passphrase` adds the option for the passphrase of a sealed set."""
    make = add("make", "make", "make a set of random boards, to deal now or later", "It shows no hand.")
    kind = make.add_mutually_exclusive_group()
    kind.add_argument("--game", action="store_true", help="for a club's game (as without any of these)")
    kind.add_argument("--championship", action="store_true", help="sealed and announced before play, checked after it")
    kind.add_argument(
        "--lesson", metavar="FILE", nargs="?", const="", help="for teaching: hands from a file, or none; filled up"
    )
    kind.add_argument(
        "--second-person", metavar="OUT", type=Path, help="make the second secret of a championship, on your computer"
    )
    make.add_argument("--name", metavar="TEXT", help="what the set is called (else after today)")
    make.add_argument("--event", metavar="TEXT", help="the event that it is for")
    make.add_argument("--date", metavar="2026-12-01", help="the day that it is for")
    make.add_argument(
        "--boards", metavar="N", type=typed(whole(1, MOST_BOARDS)), help="how many boards (each set has 36 at least)"
    )
    make.add_argument("--sealed", action="store_true", help="close it with a passphrase; a championship always is")
    passphrase(make)
    make.add_argument("--filter", metavar="TEXT", help='for lessons: "N: 15-17 hcp, balanced; S: 5+ hearts"')
    make.add_argument(
        "--pick", metavar="3,7-9", type=typed(parse_boards), help="for lessons: only these boards of the file"
    )
    make.add_argument("--club", metavar="TEXT", help="for championships: who organises it")
    make.add_argument(
        "--value-from",
        metavar="WHERE",
        help="for championships: lottery:NAME:DAY, closing:NAME:DAY, round:NETWORK:NUMBER, or a sentence with one day",
    )
    make.add_argument(
        "--second-digest",
        metavar="DIGITS",
        help="for championships: what --second-person printed on the other computer",
    )
    make.add_argument("--cut", metavar="TEXT", help="for championships: any words that a player says before it is made")

    sets = add("sets", "sets", "list the sets that are here, or look after one of them", "It shows no hand.")
    sets.add_argument("stored_set", metavar="SET", nargs="?", help="the name of one set")
    step = sets.add_mutually_exclusive_group()
    step.add_argument("--throw-away", action="store_true", help="give it up, if no board was dealt and nobody was told")
    step.add_argument("--announce", metavar="OUT", type=Path, help="write the sheet that is published before play")
    step.add_argument("--commit", dest="announce", metavar="OUT", type=Path, help=argparse.SUPPRESS)
    step.add_argument("--public-value", metavar="VALUE", help="the value that the sheet promised, once it is known")
    step.add_argument("--play", action="store_true", help="the boards of a championship go to the tables")
    step.add_argument("--end", action="store_true", help="a championship has been played")
    step.add_argument("--open", metavar="OUT", type=Path, help="write all that anybody needs to check it after play")
    step.add_argument("--show-lesson", metavar="N", type=typed(parse_board), help="show a board of a lesson")
    sets.add_argument("--director", metavar="NAME", help="write down who directs")
    sets.add_argument("--instruction", metavar="TEXT", help="write down the director's instruction about dealing")
    sets.add_argument("--name", metavar="NAME", help="your name, for what is decided")
    sets.add_argument("--second", metavar="FILE", type=Path, help="with --open: the second person's secret")
    sets.add_argument("--yes", action="store_true", help="with --throw-away: do not ask")
    passphrase(sets)

    check = add("verify-set", "verify_set", "check hand records against the opening of a set", "For anybody.")
    check.add_argument("files", metavar="FILE", nargs="+", help="the opening, then the hand records in any format")
    check.add_argument(
        "--announced", metavar="SHEET", help="the sheet that was published before play, or its 64 digits"
    )
    check.add_argument(
        "--set", metavar="N", type=typed(whole(1, 99_999)), help="which set of records that hold several"
    )
    check.add_argument("--description", metavar="FILE", type=Path, help="instead of the opening: sheet or description")
    check.add_argument("--manifest", dest="description", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    check.add_argument("--secret", metavar="FILE", type=Path, help="instead of the opening: the secret")
    check.add_argument("--second", metavar="FILE", type=Path, help="instead of the opening: the second secret")
    check.add_argument("--public-value", metavar="VALUE", help="instead of the opening: the public value")

    square = add("verify-squaredeal", "verify_squaredeal", "check a tournament that was dealt with SquareDeal")
    square.add_argument("description", metavar="X.sqd", type=Path, help="the description, published before play")
    square.add_argument("keys", metavar="X.sqk", type=Path, help="the keys, published after play")
    square.add_argument("--against", metavar="FILE", nargs="+", default=[], help="hand records to find in it")
