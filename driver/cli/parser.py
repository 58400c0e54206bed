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

from driver.cli.machine_options import add_machine_commands
from driver.cli.paper_options import add_paper_commands
from driver.cli.queue_options import QueueOptions, add_queue_steps
from driver.cli.ranges import HIGHEST_BOARD, parse_board, parse_boards, parse_colours, parse_copies
from driver.cli.set_options import add_set_commands

MACHINE_VARIABLE: Final = "DEALCTL_MACHINE"
FASTEST: Final = 1000.0

_ABOUT: Final = "Deals bridge boards on a dealing machine. Without a command it shows a menu."
_PRACTICE: Final = (
    "No board is dealt. It begins by itself after a while; only a simulated machine may do that without --auto."
)
_FORMATS: Final = "It shows no hand on the screen; the file that it writes has them all."
_DAILY: Final = """\
examples:
  dealctl deal tuesday.pbn                 deal every board of the file
  dealctl deal tuesday.pbn --boards 1-24   only these boards
  dealctl deal --new 24                    24 new random boards
  dealctl deal tuesday --boards 17 --copies B   one more copy of board 17
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


class _Machine(argparse.Action):
    """Keeps every machine that is named in `machines`, and the last one in `machine`."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        namespace.machines = (*getattr(namespace, "machines", ()), values)
        namespace.machine = values


class _Version(argparse.Action):
    """Prints the version; what tells it is not imported before somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from driver.cli.version import version_text

        print(version_text())
        parser.exit()


def _everywhere() -> argparse.ArgumentParser:
    """What every command takes, before or behind its name; made anew for each, for argparse changes it."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument(
        "--machine",
        metavar="M",
        action=_Machine,
        help=f"name or address of the machine (else {MACHINE_VARIABLE}); deal, carry-on and queue run take several",
    )
    common.add_argument(
        "--test-machine", action="store_true", help="a machine with the numbers for private tests may be taken too"
    )
    common.add_argument("-v", "--verbose", action="store_true", help="show more, for whoever helps you")
    common.add_argument("--json", action="store_true", help="one line of JSON for each thing that happens; never asks")
    common.add_argument("--data", metavar="DIR", type=Path, help="folder of the sets and records (else DEALCTL_DATA)")
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


def _archive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--member", metavar="NAME", help="which file, if FILE is a ZIP archive that holds several")
    parser.add_argument(
        "--password-file", metavar="TEXTFILE", help="a text file with the password of the ZIP archive on its first line"
    )


def _source(parser: argparse.ArgumentParser) -> None:
    """What `deal_source.choose_deals` needs besides the file."""
    parser.add_argument("--set", metavar="N", type=_typed(_whole(1, 99_999)), help="which set, if it holds several")
    parser.add_argument(
        "--first-board",
        metavar="N",
        type=_typed(parse_board),
        help="the number of the first board, if the file has no numbers",
    )
    parser.add_argument(
        "--fill", action="store_true", help="where one hand of a board is unknown, it gets the cards that are left"
    )
    _archive(parser)


def _which_boards(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--boards", metavar="1-24,27", type=_typed(parse_boards), help="only these boards, in this order"
    )
    _source(parser)
    parser.add_argument(
        "--good-boards-only",
        action="store_true",
        help="leave out boards of the file that cannot be dealt, without asking",
    )
    parser.add_argument(
        "--suspect-boards-too",
        action="store_true",
        help="take boards that look like a mistake (the same hands twice, an unshuffled pack), without asking",
    )


def _how(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--auto", action="store_true", help="start by itself when board and pack are in; asks nobody")
    parser.add_argument("--ask-each", action="store_true", help="ask before every board")
    parser.add_argument(
        "--factory-order",
        action="store_true",
        help="the packs are new or sorted, so how the pockets fill would tell the hands: do not show it",
    )
    parser.add_argument(
        "--packs", metavar="N", type=_typed(_whole(1, 4)), default=1, help="packs in the hopper at once (1 to 4)"
    )
    parser.add_argument(
        "--pack-colours",
        metavar="red,blue",
        type=_typed(parse_colours),
        help="back colours of the packs in odd and in even boards; or none, when all are alike",
    )
    parser.add_argument("--remember", action="store_true", help="remember the pack colours for the next time")


def _passphrase(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--passphrase-file", metavar="TEXTFILE", type=Path, help="a text file with the passphrase of a sealed set"
    )


def _opens(parser: argparse.ArgumentParser) -> None:
    """What a set may need to be opened."""
    _passphrase(parser)
    parser.add_argument("--second", metavar="FILE", type=Path, help="the second person's secret, if the set has one")


def _board_of_a_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("board", metavar="N", type=_typed(parse_board), help="the number on the board")
    parser.add_argument("--set", metavar="SET", help="which set, by its name; else the one that was dealt last")
    parser.add_argument("--name", metavar="NAME", help="your name; for a championship the director's")


def _what(parser: argparse.ArgumentParser) -> None:
    """What is to be dealt: a file, a stored set or new boards; which of them, how often, in which order."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="the deal file, or the name of a set; without it the newest files are shown to choose from",
    )
    parser.add_argument(
        "--new", metavar="24", type=_typed(_whole(1, 360)), help="so many new random boards instead of a file"
    )
    _which_boards(parser)
    parser.add_argument(
        "--used",
        choices=("replace", "copy", "rest", "repair", "same-event", "replay"),
        help="of boards that were dealt before: replace them, deal one more copy, deal only the rest; or say why it is "
        "meant; asks nothing about it",
    )
    parser.add_argument(
        "--name", metavar="NAME", help="your name, for what is decided; for a championship the director's"
    )
    _opens(parser)
    parser.add_argument(
        "--copies", metavar="A,B", type=_typed(parse_copies), default=("",), help="deal each set so often"
    )
    parser.add_argument(
        "--by-board", action="store_true", help="all copies of a board, then of the next; else one box after the other"
    )
    parser.add_argument("--descending", action="store_true", help="the highest board first")
    parser.add_argument(
        "--as",
        dest="as_board",
        metavar="13",
        type=_typed(parse_board),
        help="deal the first board as number 13, the next as 14, and so on",
    )


def _said_before(parser: argparse.ArgumentParser) -> None:
    """Answers for a script to what is asked before the first card."""
    parser.add_argument(
        "--not-dealt",
        metavar="1-24,27",
        type=_typed(parse_boards),
        default=(),
        help="after a backup was put back: these boards were certainly not dealt since",
    )
    parser.add_argument(
        "--in-machine",
        metavar="N",
        type=_typed(_whole(0, HIGHEST_BOARD)),
        help="after a set was taken over: the number of the board that lies in the machine, 0 for none",
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
        command=None,
        machine=os.environ.get(MACHINE_VARIABLE) or None,
        machines=(),
        test_machine=False,
        verbose=False,
        json=False,
        data=None,
        extra=[],
        not_dealt=(),
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version of this program and leave")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, module: str, text: str, more: str = "") -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}. {more}".rstrip(), parents=[_everywhere()],
            allow_abbrev=False,
        )  # fmt: skip
        command.set_defaults(command=module)
        return command

    deal = add("deal", "deal", "deal the boards of a file", "Put board 1 and a pack in, press Enter; that is all.")
    _what(deal)
    _said_before(deal)
    _how(deal)
    _screen(deal)

    again = add("again", "again", "deal a board once more, with the same hands")
    again.add_argument("board", metavar="N", type=_typed(parse_board), help="the number on the board")
    _said_before(again)
    _opens(again)
    _how(again)
    _screen(again)

    queue = add("queue", "queue", "list the jobs that wait, or change them", "Also while another window deals them.")
    add_queue_steps(queue, _everywhere, QueueOptions(_what, _opens, _said_before, _how, _screen))

    carry_on = add(
        "carry-on", "carry_on", "go on with what was under way", "It says what was found, and asks before a card moves."
    )
    _said_before(carry_on)
    _opens(carry_on)
    _how(carry_on)
    _screen(carry_on)

    practise = add("practise", "practise", "deal a file on a simulated machine, to try it out", _PRACTICE)
    practise.add_argument(
        "file", metavar="FILE", nargs="?", help="the deal file; without it the newest ones are shown to choose from"
    )
    practise.add_argument(
        "--new", metavar="3", type=_typed(_whole(1, 36)), help="so many random boards instead of a file"
    )
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
    check.add_argument("file", metavar="FILE", help="the deal file")
    _archive(check)

    convert = add("convert", "convert", "write the boards of a file in another format", _FORMATS)
    convert.add_argument("file", metavar="FILE", help="the deal file to read, or the name of a set")
    convert.add_argument("out", metavar="OUT", help="the file to write; its ending tells the format")
    convert.add_argument("--format", metavar="F", help="the format, where the ending does not tell it")
    _which_boards(convert)
    convert.add_argument("--name", metavar="NAME", help="your name, kept with the hands of a set that go out")
    _opens(convert)
    convert.add_argument("--lossy", action="store_true", help="write although something is lost, without asking")
    convert.add_argument("--force", action="store_true", help="write over OUT if it is there")
    convert.add_argument(
        "--dup-count",
        action="store_true",
        help="in DUP, write the number of boards where the vendor's document has the highest board",
    )

    pack = add("check-pack", "pack", "count a pack of cards and name what is missing")
    pack.add_argument("--ready", action="store_true", help="the pack and an empty board are in; ask nothing")
    board = add("check-board", "board", "compare a dealt board with its deal: yes or no for each pocket")
    board.add_argument("board", metavar="N", type=_typed(parse_board), help="the number on the board")
    board.add_argument("--file", metavar="FILE", help="the deal file, if the board was not dealt here")
    _source(board)
    _opens(board)
    board.add_argument("--ready", action="store_true", help="its cards and the empty board are in; ask nothing")

    show = add("show", "show", "show the hands of one board to the director", "It asks for a name and keeps it.")
    _board_of_a_set(show)
    show.add_argument("--copy", metavar="B", default="", help="which copy, if copies have different hands")
    show.add_argument("--dropped", action="store_true", help="what the machine really dropped: the second page alone")
    show.add_argument("--now", action="store_true", help="with --name: print the hands at once, without asking")
    _opens(show)
    seen = add("seen", "seen", "a card's face was seen: say what to do with the board")
    _board_of_a_set(seen)
    new_hands = add("new-hands", "new_hands", "give a board number other hands, for the director")
    _board_of_a_set(new_hands)
    new_hands.add_argument("--copies", metavar="A,B", type=_typed(parse_copies), help="only these copies, else all")
    new_hands.add_argument("--reason", metavar="TEXT", help="the director's reason; with --name it asks nothing")

    add_set_commands(add, _typed, _whole, _passphrase)
    history = add("history", "history", "show what was dealt when, and how the machines do", "It shows no hand.")
    history.add_argument("--set", metavar="SET", help="only the boards of this set")
    history.add_argument(
        "--last", metavar="N", type=_typed(_whole(1, 10**6)), default=50, help="so many of the newest lines (50)"
    )
    backup = add("backup", "backup", "write all sets and records into one file", "Also while another window deals.")
    backup.add_argument("out", metavar="OUT", help="the file to write")
    _passphrase(backup)
    restore = add("restore", "restore", "put a backup back", "It asks for each board once before it is dealt then.")
    restore.add_argument("file", metavar="IN", help="the file that `dealctl backup` wrote")
    restore.add_argument("--force", action="store_true", help="also where sets are already; they are kept beside")
    _passphrase(restore)
    over = add("hand-over", "hand_over", "hand a set over to another computer, which goes on with it", "In one file.")
    over.add_argument("stored_set", metavar="SET", help="the name of the set; this computer deals no board of it then")
    over.add_argument("out", metavar="OUT", nargs="?", help="the file to write")
    over.add_argument(
        "--take-back", action="store_true", help="the file was never used: the set is this computer's again"
    )
    over.add_argument("--yes", action="store_true", help="with --take-back: do not ask")
    over.add_argument("--name", metavar="NAME", help="your name, for what is decided")
    take = add("take-over", "take_over", "take over a set that another computer handed over", "It shows no hand.")
    take.add_argument("file", metavar="FILE", help="the file that `dealctl hand-over` wrote there")
    take.add_argument("--name", metavar="NAME", help="your name, for what is decided")
    _opens(take)
    add_paper_commands(add, _passphrase)
    add_machine_commands(add, _typed, _whole)
    return parser
