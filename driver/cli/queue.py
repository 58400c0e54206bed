"""`dealctl queue`: the jobs that wait, held by default; listed, changed by their numbers, and dealt.

May import: `driver.queue`, `driver.store`, `deal.py`, `queued_sets.py`, `recovery.py`, `wanted.py`. Read next:
`driver/queue.py`.
Every step but `run` works beside another window that deals: what is shown first is dealt next.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from itertools import chain
from typing import Any, Final

from driver.cli.after_backup import ask_about_held, nothing_left
from driver.cli.after_take_over import ask_what_lies_in
from driver.cli.choose import by_name, kept_open, open_dealing
from driver.cli.deal import deal_job, start_needs_somebody
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.questions import somebody_there
from driver.cli.queued_sets import QueuedSets
from driver.cli.recording import recorded
from driver.cli.recovery import Pairs, ask_first
from driver.cli.text import boards_word
from driver.cli.wanted import Wanted, named_file, settle, wanted_by
from driver.cli.which_set import open_store
from driver.deals.hands import listed
from driver.deals.model import range_text
from driver.errors import ConfigError, NothingOpen
from driver.findings import board_name
from driver.happenings import Options
from driver.held import check_nothing_held
from driver.journal import end_if_nobody_deals
from driver.machine import Machine
from driver.machines import Machines
from driver.queue import BoardCopy, Queue, QueuedJob, Stand
from driver.recorder import Recorder
from driver.store.store import Store
from driver.under_way import UnderWay
from driver.work import TO_DEAL, Work


def run(args: Namespace) -> int:
    """Does the step that `args` name."""
    return _STEPS[args.step](args)


@contextmanager
def _opened(args: Namespace) -> Iterator[Store]:
    """The store; what a program had that died is not shown as being dealt."""
    with open_store(args) as store:
        end_if_nobody_deals(store)
        yield store


def _list(args: Namespace) -> int:
    with _opened(args) as store:
        _show(store, store.jobs.queue(), as_json=args.json)
    return Exit.ALL_GOOD


def _add(args: Namespace) -> int:
    from_file = named_file(args)
    with _opened(args) as store:
        wanted = settle(args, store, from_file)
        order = store.jobs.add(wanted.job, released=args.released)
        if args.json:
            _show(store, Queue((store.jobs.find(order.id),)), as_json=True)
            return Exit.ALL_GOOD
        put(_line(store, store.jobs.find(order.id)))
        if not args.released:
            put(f"It is held. Let it be dealt: dealctl queue release {order.id}")
    return Exit.ALL_GOOD


def _follow(args: Namespace, step: Callable[[Queue], Queue]) -> int:
    """Takes one step, and shows the queue as it is then."""
    with _opened(args) as store:
        _show(store, store.jobs.follow(step), as_json=args.json)
    return Exit.ALL_GOOD


def _release(args: Namespace) -> int:
    return _follow(args, lambda queue: queue.release(args.job))


def _hold(args: Namespace) -> int:
    return _follow(args, lambda queue: queue.hold(args.job))


def _remove(args: Namespace) -> int:
    interrupted: tuple[BoardCopy, ...] = ()

    def step(queue: Queue) -> Queue:
        nonlocal interrupted
        interrupted = queue.find(args.job).interrupted
        return queue.remove(args.job)

    _follow(args, step)
    if interrupted and not args.json:
        names = listed([board_name(one) for one in interrupted])
        put(f"Cards of {names} may lie in a machine still. To look after them: dealctl carry-on")
    return Exit.ALL_GOOD


def _move(args: Namespace) -> int:
    if (args.where == "before") != (args.other is not None):
        raise ConfigError(
            "It is not clear where the job is to come.",
            key="where",
            hint=f"Nothing was changed. Say: dealctl queue move {args.job} before ID, or: move {args.job} last.",
        )
    return _follow(args, partial(Queue.move, job=args.job, before=args.other))


def _run(args: Namespace) -> int:
    """Deals what is released, on one machine or on several, and what another window releases meanwhile."""
    if not args.auto and not somebody_there(as_json=args.json):
        raise start_needs_somebody()
    recorder = Recorder()
    # Before a program begins, which holds every job: whoever says `run` means those that are released now.
    with _opened(args) as store:
        released = [job.order.id for job in store.jobs.queue().jobs if job.released]
    with recorded(args, recorder) as keep_traffic, ExitStack() as stack:
        first = ask_first(args, recorder, stack, partial(_in_queue, args.jobs), open_dealing)
        if first.stops:
            return Exit.NOT_GOOD
        carried = [under.job.order.id for under in first.carried if under.job is not None]
        with open_store(args) if first.opened is None else nullcontext(first.opened.store) as store:
            chosen = _chosen(store.jobs.queue(), args.jobs, (*released, *carried))
            sets = {job.order.id: wanted_by(job.order, args, store) for job in chosen}
        if not sets:
            raise NothingOpen(
                "No job is released.", hint="Nothing moved. `dealctl queue` lists the jobs; release one, or name it."
            )
        opened = first.opened or kept_open(open_dealing(args, recorder), stack)
        return deal_jobs(opened, sets, args, on_failure=keep_traffic, answered=first.pairs)


def deal_jobs(
    opened: Machine | Machines,
    sets: dict[int, Wanted],
    args: Namespace,
    *,
    on_failure: Callable[[], None],
    answered: Pairs,
) -> int:
    """Deals these jobs of the queue, which are released by that, and what another window releases meanwhile.

    `sets` has what each of them deals, and gets what comes in; the rest as in `deal_job`.
    """
    machines, store = [*by_name(opened).values()], opened.store
    simulated = all(machine.info.simulated for machine in machines)
    queued = QueuedSets(sets, args, store, simulated=simulated)
    for wanted in sets.values():
        ask_what_lies_in(by_name(opened), wanted, args)
    left = {job: ask_about_held(machines[0], sets[job].deals.name, queued.to_deal(job), args) for job in sets}
    check_nothing_held(store, chain(*left.values()), simulated=simulated)
    chosen_ids = [job for job in sets if left[job]]
    if not chosen_ids:
        raise nothing_left()
    for job in chosen_ids:
        store.jobs.follow(partial(Queue.release, job=job))
    work = Work(opened.journal, queued.hands, admits=queued.may_be_dealt)
    options = Options(auto=args.auto, ask_each=args.ask_each)
    dealing = opened.job_of(work, options, more_packs=args.packs > 1)
    to_come = set(store.jobs.queue().copies(*TO_DEAL, jobs=chosen_ids))
    items = [item for item in work.items() if item.place in to_come]
    code, _ = deal_job(
        opened,
        dealing,
        items,
        args,
        on_failure=on_failure,
        answered=answered,
        came_in=lambda: queued.came_in,
    )
    for line in queued.not_begun:
        put(line, sys.stderr if args.json else sys.stdout)
    return Exit.NOT_GOOD if queued.not_begun and code is Exit.ALL_GOOD else code


def _in_queue(named: Sequence[int], under: UnderWay) -> bool:
    """Whether it is a board of one of the jobs that are named; without a name, of any."""
    return under.job is not None and (not named or under.job.order.id in named)


def _chosen(queue: Queue, named: Sequence[int], released: Collection[int]) -> list[QueuedJob]:
    """The jobs that are named; without a name those released, and those with whose boards a person goes on."""
    if named:
        return [queue.find(job) for job in named]
    return [job for job in queue.jobs if job.order.id in released]


def _show(store: Store, queue: Queue, *, as_json: bool) -> None:
    if as_json:
        for job in queue.jobs:
            put_object(_object(store, job), sys.stdout)
    elif not queue.jobs:
        put("No job waits. Put one in: dealctl queue add FILE")
    for job in () if as_json else queue.jobs:
        put(_line(store, job))


def _line(store: Store, job: QueuedJob) -> str:
    order, boards = job.order, [one.board for one in job.copies]
    named = [copy for copy in order.copies if copy]
    numbers = dict.fromkeys(boards)
    parts = [f"{'board' if len(numbers) == 1 else 'boards'} {range_text(numbers)}"]
    if named:
        parts += [f"{'copy' if len(named) == 1 else 'copies'} {listed(named)}"]
    if len(named) > 1:
        parts.append(order.order.value)
    if order.descending:
        parts.append("the highest first")
    left = [one for one in job.copies if one.stand is Stand.LEFT]
    for_later = f", {len(left)} of them left for later" if left else ""
    told = f"{boards_word(job.left)} of {len(job.copies)} to come{for_later}"
    return f"{order.id}  {store.sets.find(order.set_id).name}: {', '.join(parts)}; {told}; {_state(job)}"


def _state(job: QueuedJob) -> str:
    if job.runs:
        return "is being dealt" if job.released else "held after the board that is being dealt"
    told = "released" if job.released else "held"
    if job.interrupted:
        names = listed([board_name(one) for one in job.interrupted])
        told += f"; {names} {'was' if len(job.interrupted) == 1 else 'were'} interrupted, to go on: dealctl carry-on"
    return told


def _object(store: Store, job: QueuedJob) -> dict[str, Any]:
    return {
        "event": "job",
        "id": job.order.id,
        "set": job.order.set_id,
        "name": store.sets.find(job.order.set_id).name,
        "order": job.order.order.value,
        "descending": job.order.descending,
        "released": job.released,
        "running": job.runs,
        "left": job.left,
        "boards": [{"board": one.board, "copy": one.copy, "stand": one.stand.value} for one in job.copies],
    }


_STEPS: Final = {
    "list": _list, "add": _add, "release": _release, "hold": _hold, "move": _move, "remove": _remove, "run": _run
}  # fmt: skip
