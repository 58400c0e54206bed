"""`dealctl carry-on`: goes on with what was under way: the same set, copies and order, the boards that are left.

May import: the driver, `deal.py`, `recovery.py`. Read next: `recovery.py`, whose question comes first.
A sealed set is opened after that question: to stop for tonight takes no passphrase.
"""

from __future__ import annotations

from argparse import Namespace

from driver.cli.choose import open_chosen
from driver.cli.deal import deal_left, start_needs_somebody
from driver.cli.exit_codes import Exit
from driver.cli.questions import somebody_there
from driver.cli.recording import recorded
from driver.cli.recovery import CARRIES_ON, First, Next, ask_what_was_found, tell_under_way
from driver.cli.which_set import open_store
from driver.errors import NothingOpen
from driver.recorder import Recorder
from driver.under_way import to_go_on_with


def run(args: Namespace) -> int:
    """Asks what was found, and goes on."""
    with open_store(args) as store:
        under = to_go_on_with(store)
    if under is None:
        raise NothingOpen("Nothing is under way.", hint="Nothing was dealt. To begin a set: dealctl deal FILE.")
    asks = somebody_there(as_json=args.json)
    if not args.auto and not asks:
        raise start_needs_somebody()
    if not args.json:
        tell_under_way(under)
    recorder = Recorder()
    with recorded(args, recorder) as keep_traffic, open_chosen(args, recorder) as machine:
        answered = ask_what_was_found(machine, under, is_meant=True) if asks else CARRIES_ON
        if answered.next is Next.STOP:
            return Exit.NOT_GOOD
        if under.record.intention.is_check:
            return Exit.ALL_GOOD
        return deal_left(First(machine, under, answered), args, on_failure=keep_traffic)
