"""`dealctl carry-on`: goes on with what was under way: the same set, copies and order, the boards that are left.

May import: the driver, `deal.py`, `queue.py`, `recovery.py`. Read next: `recovery.py`, whose question comes first.
A sealed set is opened after that question: to stop for tonight takes no passphrase. Where the machines have boards of
several jobs, it goes on with all of them.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from driver.cli.after_backup import ask_whether_finished, nothing_left
from driver.cli.choose import by_name, open_dealing
from driver.cli.deal import deal_left, start_needs_somebody
from driver.cli.exit_codes import Exit
from driver.cli.questions import somebody_there
from driver.cli.queue import deal_jobs
from driver.cli.recording import recorded
from driver.cli.recovery import First, ask_each, tell_under_way
from driver.cli.wanted import wanted_by
from driver.cli.which_set import open_store
from driver.errors import NothingOpen
from driver.queue import QueuedJob
from driver.recorder import Recorder
from driver.store.store import Store
from driver.under_way import UnderWay, taken_up, to_go_on_with


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
        at_hand = [one for one in found if one.machine in here] or found[:1]
        first = ask_each(opened, found, at_hand.__contains__, told=told) if asks else First(opened, tuple(at_hand))
        if first.stops:
            return Exit.NOT_GOOD
        jobs = _jobs(opened.store, at_hand, first.carried)
        if not jobs and not asks and at_hand[0].over:
            raise NothingOpen(at_hand[0].over, hint="Nothing moved. In a terminal it is asked about.")
        if not jobs:
            return Exit.ALL_GOOD
        if len(jobs) == 1:
            return deal_left(opened, jobs[0], args, on_failure=keep_traffic, answered=first.pairs)
        sets = {job.order.id: wanted_by(job.order, args, opened.store) for job in jobs}
        return deal_jobs(opened, sets, args, on_failure=keep_traffic, answered=first.pairs)


def _jobs(store: Store, at_hand: Sequence[UnderWay], carried: Sequence[UnderWay]) -> list[QueuedJob]:
    """The jobs that are gone on with, each once; a board whose job was removed is a job where a person goes on."""
    wanted = [one for one in at_hand if one.job is not None or (one in carried and one.record.verdict is None)]
    jobs = [taken_up(store, one).job for one in wanted if not one.over]
    return list({job.order.id: job for job in jobs if job is not None}.values())
