"""`dealctl again N`: the same hands once more into board N, from the set that it was dealt from.

May import: the driver and `deal.py`. Read next: `driver/again.py`.
"""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack

from driver.again import dealt_before
from driver.cli.choose import kept_open, open_chosen
from driver.cli.deal import deal_on, start_needs_somebody
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.names import Names
from driver.cli.questions import somebody_there
from driver.cli.recording import recorded
from driver.cli.recovery import ask_first
from driver.cli.text import board_name
from driver.cli.wanted import Wanted, open_set
from driver.clock import utc_now
from driver.handed_over import check_here
from driver.recorder import Recorder
from driver.store.decisions import Decision


def run(args: Namespace) -> int:
    """Deals the board again."""
    if not args.auto and not somebody_there(as_json=args.json):
        raise start_needs_somebody()
    recorder = Recorder()
    with recorded(args, recorder) as keep_traffic, ExitStack() as stack:
        first = ask_first(args, recorder, stack, lambda under: under.record.intention.board == args.board, open_chosen)
        if first.stops:
            return Exit.NOT_GOOD
        machine = first.opened or kept_open(open_chosen(args, recorder), stack)
        store = machine.store
        before = dealt_before(machine.journal, store, args.board, opened=lambda stored: open_set(store, stored, args))
        check_here(store, store.sets.find(before.deals.set_id))
        as_board = before.board if before.board != before.source.number else None
        wanted = Wanted(before.deals, (before.source.number,), copies=(before.copy,), as_board=as_board, emptied=True)
        name = Names(store.decisions, utc_now, given=None, asks=False).kept()
        store.decisions.append(
            Decision.DEALT_AGAIN, name, set=before.deals.set_id, board=before.source.number, copy=before.copy
        )
        if not args.json:
            put(f"Board {board_name(before.board, before.copy)} again, same hands, from the set {before.deals.name}.")
            if not first.pairs:
                put("Take the old cards out of the board first.")
        return deal_on(machine, wanted, args, on_failure=keep_traffic, answered=first.pairs)[0]
