"""`dealctl deal`: the daily path. Load, show what is coming, one question, deal, report.

May import: the driver and the rest of `driver.cli`. Read next: `console.py`, `report.py`.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path

from driver.awake import kept_awake
from driver.cli.after_backup import ask_about_held, nothing_left
from driver.cli.after_take_over import ask_what_lies_in
from driver.cli.choose import by_name, kept_open, open_dealing
from driver.cli.console import Console, Ending, RunningJob
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.keyboard import open_keyboard
from driver.cli.last_board import ask_last_board
from driver.cli.loading_card import loading_card
from driver.cli.names import Names
from driver.cli.questions import Answer, somebody_there
from driver.cli.recording import is_failure, recorded
from driver.cli.recovery import Pairs, ask_first
from driver.cli.refusals import NobodyToAsk
from driver.cli.report import copies_lines, exit_code, noticed_lines, report_lines, report_object
from driver.cli.screen import choose_screen
from driver.cli.sound import Sound
from driver.cli.view import Estimate, JobView
from driver.cli.views import Views
from driver.cli.wanted import Wanted, named_file, order_asked, settle, wanted_by
from driver.cli.which_set import open_store
from driver.clock import utc_now
from driver.copies import compare_copies
from driver.dealt import is_rehearsal
from driver.happenings import Item
from driver.job import Job
from driver.job_result import BoardResult, JobResult
from driver.machine import Machine
from driver.machines import Machines
from driver.pack_colours import PackColours, keep_colours, kept_colours
from driver.queue import Queue, QueuedJob, Stand
from driver.recorder import Recorder
from driver.several import SeveralJobs
from driver.store.store import Store
from driver.under_way import UnderWay
from driver.visibility import Sight
from protocol.codes import Recognition


def run(args: Namespace) -> int:
    """Deals a file, a stored set or a new one."""
    recorder = Recorder()
    with recorded(args, recorder) as keep_traffic, ExitStack() as stack:
        first = ask_first(args, recorder, stack, lambda under: meant_by_deal(under, args), open_dealing)
        if first.stops:
            return Exit.NOT_GOOD
        for under in first.carried:
            if first.opened is not None and under.job is not None and _is_that_job(under, args):
                return deal_left(first.opened, under.job, args, on_failure=keep_traffic, answered=first.pairs)
        from_file, wanted = named_file(args), None
        if not args.auto and not somebody_there(as_json=args.json):
            raise start_needs_somebody()
        if args.new is None:
            with open_store(args) as store:
                wanted = settle(args, store, from_file)
        opened = first.opened or kept_open(open_dealing(args, recorder), stack)
        # A new set asks nothing, and none is left behind where no machine is there.
        wanted = wanted or settle(args, opened.store, None)
        return deal_on(opened, wanted, args, on_failure=keep_traffic, answered=first.pairs)[0]


def start_needs_somebody() -> NobodyToAsk:
    """The refusal where nobody can press Enter."""
    return NobodyToAsk(
        "Nobody is here to say that board and pack are in.",
        hint="Nothing moved. Run it in a terminal, or with --auto: then it starts by itself when the machine is ready.",
    )


def meant_by_deal(under: UnderWay, args: Namespace) -> bool:
    """Whether the boards that `args` ask for include what is under way: they name its set, or none.

    Their file is known by its name alone: what is in it is read later.
    """
    told, stored = under.record.intention, under.stored
    if stored is None or args.new is not None:
        return False
    if args.file is not None and args.file not in (stored.id, stored.name) and Path(args.file).name != stored.source:
        return False
    offset = 0 if args.as_board is None else args.as_board - (args.boards or stored.numbers)[0]
    is_in = told.deal_board in (args.boards or stored.numbers) and told.copy in args.copies
    return is_in and told.board - told.deal_board == offset


def _is_that_job(under: UnderWay, args: Namespace) -> bool:
    """Whether `args` ask for just the boards and copies of the job under way, in its order."""
    if under.job is None or under.stored is None:
        return False
    order, asked = under.job.order, order_asked(args)
    boards = tuple(args.boards or under.stored.numbers)
    return asked == (order.copies, order.as_board, order.order, order.descending) and boards == order.boards


def deal_left(
    opened: Machine | Machines,
    job: QueuedJob,
    args: Namespace,
    *,
    on_failure: Callable[[], None],
    answered: Pairs,
) -> int:
    """Deals what is left of the job that was under way, beginning with the answers to the first questions.

    `args` carries the options of a job. A sealed set is opened here, and not before. Raises as `open_set`.
    """
    dealt = frozenset((one.deal_board, one.copy) for one in job.copies if one.stand is Stand.DEALT)
    wanted = wanted_by(job.order, args, opened.store)
    wanted = replace(wanted, left_out=job.order.left_out | dealt)
    if not args.json:
        put(f"Going on with {opened.store.sets.find(job.order.set_id).name}.")
    return deal_on(opened, wanted, args, on_failure=on_failure, answered=answered, carried=job)[0]


def deal_on(
    opened: Machine | Machines,
    wanted: Wanted,
    args: Namespace,
    *,
    on_failure: Callable[[], None],
    on_answer: Callable[[Answer, int], None] | None = None,
    answered: Pairs | None = None,
    carried: QueuedJob | None = None,
) -> tuple[Exit, JobResult]:
    """Deals on an open machine, or on several together, and reports; `args` carries the options of `deal`.

    `on_answer` as in Console; `answered` were asked before the job began. `carried` is the job of the queue that is
    gone on with, `wanted` what is left of it. `on_failure` is called when the job ends in a failure without an error:
    the link lost, a question that nobody answers, a stop that is not confirmed, a board that is not good.
    """
    machines = by_name(opened)
    first = next(iter(machines.values()))
    ask_what_lies_in(machines, wanted, args)
    items = wanted.items
    left = ask_about_held(first, wanted.deals.name, items, args)
    if not left:
        raise nothing_left()
    dealt = {(item.deal_board, item.copy) for item in items} - {(item.deal_board, item.copy) for item in left}
    asked = replace(wanted, left_out=wanted.left_out | dealt)
    how = {"auto": args.auto, "ask_each": args.ask_each, "more_packs": args.packs > 1}
    job: Job | SeveralJobs
    if carried is not None:
        job = opened.carry_on(carried.order.id, asked.deals, other_hands=asked.other_hands, **how)
    else:
        job = opened.start(
            asked.deals,
            asked.boards,
            copies=asked.copies,
            as_board=asked.as_board,
            order=asked.order,
            descending=asked.descending,
            emptied=asked.emptied,
            other_hands=asked.other_hands,
            left_out=asked.left_out,
            **how,
        )
    return deal_job(opened, job, left, args, on_failure=on_failure, on_answer=on_answer, answered=answered)


def deal_job(
    opened: Machine | Machines,
    job: Job | SeveralJobs,
    items: Sequence[Item],
    args: Namespace,
    *,
    on_failure: Callable[[], None],
    on_answer: Callable[[Answer, int], None] | None = None,
    answered: Pairs | None = None,
    came_in: Callable[[], int] = int,
) -> tuple[Exit, JobResult]:
    """Runs a job that is to deal `items`, from the loading card to the report; the rest as in `deal_on`.

    Where several machines deal, the copies are compared at the end. `came_in` tells then how many boards came in
    meanwhile.
    """
    machines = by_name(opened)
    if not args.json:
        for name, machine in machines.items():
            put(f"{name or 'Machine'}: {machine.info.model} {machine.info.serial}.")
        _show_loading(next(iter(machines.values())), items, args)
    views = Views({name: JobView(len(items)) for name in machines})
    ending = _run_job(job, views, machines, args, on_answer, answered)
    _ask_last_boards(machines, job.results, ending, as_json=args.json)
    opened.store.jobs.follow(Queue.hold_all)  # what is left waits until somebody asks for it
    code = _report(job.result.boards, len(items) + came_in(), ending, args)
    if len(machines) > 1 and not _copies_are_equal(opened, job, as_json=args.json):
        code = Exit.NOT_GOOD
    if is_failure(code, unconfirmed=ending.unconfirmed, lost=bool(ending.lost)):
        on_failure()
    return code, job.result


def _copies_are_equal(opened: Machine | Machines, job: Job | SeveralJobs, *, as_json: bool) -> bool:
    found = compare_copies(opened.journal, job.work)
    for line in () if as_json else copies_lines(found):
        put(line)
    return not found.different


def _ask_last_boards(
    machines: Mapping[str, Machine], results: Mapping[str, JobResult], ending: Ending, *, as_json: bool
) -> None:
    """Which board came out last, of each machine that reads no numbers; what follows is noted with the ending.

    Not of one that is lost: nobody knows what became of its last board.
    """
    for name, machine in machines.items():
        if not ending.unconfirmed and name not in ending.lost:
            told = ask_last_board(
                machine.info, machine.journal, results[name].boards, name, complete=ending.complete, as_json=as_json
            )
            ending.noticed += [] if told is None else [told]


def _show_loading(machine: Machine, items: Sequence[Item], args: Namespace) -> None:
    sorted_packs = machine.info.identity.recognition == Recognition.NONE
    for line in loading_card(items, args.packs, sorted_packs=sorted_packs, colours=_colours(machine.store, args)):
        put(line)
    if not Sight.of(machine.info.identity).keeps_ledger:
        put("This machine keeps no record of its own: each board will be NOT PROVEN, also when it is dealt again.")


def _colours(store: Store, args: Namespace) -> PackColours | None:
    """The back colours of the packs: as named now, and remembered only if that is asked for; else those remembered."""
    if args.pack_colours is None:
        return kept_colours(store.decisions)
    colours = PackColours(*args.pack_colours) if args.pack_colours else None
    if args.remember:
        keep_colours(store.decisions, Names(store.decisions, utc_now, given=None, asks=False).kept(), colours)
    return colours


def _run_job(
    job: RunningJob,
    views: Views,
    machines: Mapping[str, Machine],
    args: Namespace,
    on_answer: Callable[[Answer, int], None] | None,
    answered: Pairs | None,
) -> Ending:
    """Runs the job on the screen that fits."""
    asks = somebody_there(as_json=args.json)
    for view in views:
        machine = machines[view.machine]
        view.by_order = args.factory_order or machine.info.identity.recognition == Recognition.NONE
        view.estimate, view.left = Estimate(machine.card_seconds, machine.hand_seconds), view.total
    screen = choose_screen(as_json=args.json, plain=args.plain)
    sound = Sound(sys.stdout, time.monotonic, quiet=args.quiet or args.json)
    keyboard = open_keyboard(asks=asks)
    is_real = any(not is_rehearsal(simulated=machine.info.simulated) for machine in machines.values())
    with (
        kept_awake() if is_real else nullcontext(),
        Console(
            job,
            views,
            screen,
            keyboard,
            sound,
            asks=asks,
            give_up=args.give_up,
            on_answer=on_answer,
            answered=answered,
        ) as console,
    ):
        return console.run()


def _report(boards: Sequence[BoardResult], total: int, ending: Ending, args: Namespace) -> Exit:
    code = exit_code(boards, total, ending, accept_counted=args.accept_counted)
    if args.json:
        put_object(report_object(boards, total, code), sys.stdout)
    else:
        for line in (*report_lines(boards, total), *noticed_lines(ending.noticed)):
            put(line)
    if ending.unanswered is not None:
        put(
            f"{ending.unanswered.instruction} Nobody is here to decide, so it stopped: run it in a terminal.",
            sys.stderr,
        )
    elif ending.unconfirmed:
        put(
            "The machine has not confirmed the stop. If cards still move, switch it off at its power switch.",
            sys.stderr,
        )
    elif ending.interrupted:
        put("Stopped, as you asked. Look at the machine before you go on.", sys.stderr)
    return code
