"""`dealctl carry-on`: goes on with what was under way: the same set, copies and order, the boards that are left.

May import: the driver, `deal.py`, `recovery.py`. Read next: `recovery.py`, whose question comes first.
A sealed set is opened after that question: to stop for tonight takes no passphrase.
"""

from __future__ import annotations

from argparse import Namespace
from functools import partial

from driver.cli.after_backup import ask_whether_finished, nothing_left
from driver.cli.choose import by_name, open_dealing
from driver.cli.deal import deal_left, start_needs_somebody
from driver.cli.exit_codes import Exit
from driver.cli.questions import somebody_there
from driver.cli.recording import recorded
from driver.cli.recovery import First, ask_each, tell_under_way
from driver.cli.which_set import open_store
from driver.errors import NothingOpen
from driver.recorder import Recorder
from driver.under_way import UnderWay, to_go_on_with


def run(args: Namespace) -> int:
    """Asks what was found, and goes on."""
    with open_store(args) as store:
        found = to_go_on_with(store)
    if not found:
        raise NothingOpen("Nothing is under way.", hint="Nothing was dealt. To begin a set: dealctl deal FILE.")
    asks = somebody_there(as_json=args.json)
    if not args.auto and not asks:
        raise start_needs_somebody()
    told = found if len(args.machines) > 1 else found[:1]
    if not args.json:
        tell_under_way(told)
    recorder = Recorder()
    with recorded(args, recorder) as keep_traffic, open_dealing(args, recorder) as opened:
        if asks and ask_whether_finished(opened.journal, opened.store, found):
            found = to_go_on_with(opened.store)
            if not found:
                raise nothing_left()
        here = {machine.info.serial for machine in by_name(opened).values()}
        under = next((one for one in found if one.machine in here), found[0])
        first = ask_each(opened, found, partial(_goes_with, under), told=told) if asks else First(opened)
        if first.stops:
            return Exit.NOT_GOOD
        if under.record.intention.is_check:
            return Exit.ALL_GOOD
        return deal_left(opened, under, args, on_failure=keep_traffic, answered=first.pairs)


def _goes_with(under: UnderWay, other: UnderWay) -> bool:
    """Whether `other` is what is gone on with, or of the same job."""
    same_job = under.job is not None and other.job is not None and under.job.order.id == other.job.order.id
    return same_job or other.record.run == under.record.run
