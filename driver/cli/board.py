"""`dealctl check-board N`: feeds a dealt board's cards and compares each pocket with the deal, yes or no.

May import: `driver.machine`, `driver.again`, `driver.deals`. Read next: `driver/pack_check.py`. Blind (I7).
"""

from __future__ import annotations

import sys
from argparse import Namespace
from contextlib import ExitStack

from driver.again import dealt_before
from driver.cli.choose import kept_open, open_chosen
from driver.cli.deal_source import choose_deals
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.questions import ask_line, check_needs_somebody, somebody_there
from driver.cli.recording import recorded
from driver.cli.recovery import ask_first
from driver.cli.text import seat_word
from driver.cli.wanted import open_set
from driver.deals.model import Deal
from driver.errors import NothingOpen
from driver.machine import Machine
from driver.recorder import Recorder
from driver.verdicts import Verdict

_WORDS = {True: "yes, it holds its hand", False: "NO, it does not", None: "not known: a card could not be read"}


def run(args: Namespace) -> int:
    """Checks the board; NOT_GOOD when a pocket does not hold its hand."""
    if not args.ready and not somebody_there(as_json=args.json):
        raise check_needs_somebody("the board's cards and the empty board are in")
    recorder = Recorder()
    with recorded(args, recorder), ExitStack() as stack:
        first = ask_first(args, recorder, stack, lambda _: False, open_chosen)
        if first.stops:
            return Exit.NOT_GOOD
        from_file = None if args.file is None else _deal_of_file(args)
        machine = first.opened or kept_open(open_chosen(args, recorder), stack)
        deal = from_file or _deal_of_journal(machine, args)
        if not args.ready:
            put(f"Take the four hands out of board {args.board}. Lay them into the hopper face down:")
            put("North on top, then East, then South, West at the bottom. Put the empty board into the machine.")
            ask_line("Press Enter when all is in (Ctrl-C: leave). ")
        report = machine.check_board(args.board, deal, emptied=True)
        good_again = report.proven and args.file is None and machine.note_proven(args.board)
    if args.json:
        pockets = {pocket.seat.letter: pocket.matches for pocket in report.pockets}
        told = {"event": "board", "board": args.board, "matches": report.matches, "pockets": pockets}
        put_object({**told, **({"verdict": Verdict.GOOD.name} if good_again else {})}, sys.stdout)
    else:
        for pocket in report.pockets:
            put(f"{seat_word(pocket.seat.letter)}: {_WORDS[pocket.matches]}.")
        if good_again:
            put(f"Board {args.board} was not proven and is GOOD now.")
    return Exit.ALL_GOOD if report.matches else Exit.NOT_GOOD


def _deal_of_file(args: Namespace) -> Deal:
    deals = choose_deals(args, whole=False)
    found = deals.find(args.board)
    if found is None:
        raise NothingOpen(f"The file has no board {args.board}.", hint=f"It has the boards {deals.range_text}.")
    return found.deal


def _deal_of_journal(machine: Machine, args: Namespace) -> Deal:
    try:
        store = machine.store
        return dealt_before(
            machine.journal, store, args.board, opened=lambda stored: open_set(store, stored, args)
        ).source.deal
    except NothingOpen as error:
        error.hint = f"Name the deal file: dealctl check-board {args.board} --file FILE."
        raise
