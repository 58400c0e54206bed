"""What machines do with the queue: take a board, give it back, leave it, deal it. Each gives the queue afterwards.

May import: `queue`. Pure. Read next: `work.py`, which calls these under one lock.
A board copy is with one machine at most, and only one of which certainly no card has moved is given back. Raises
ValueError for what no machine can tell of a board copy that stands as it does, NothingOpen for one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from driver.queue import TO_COME, WITH_A_MACHINE, BoardCopy, CopyId, Queue, Stand


def claim(
    queue: Queue,
    machine: str,
    *,
    number: int | None = None,
    from_others: bool = True,
    jobs: Collection[int] | None = None,
) -> tuple[Queue, CopyId | None]:
    """The next waiting board copy of a released job for that machine, behind the queue afterwards; None = no more.

    `number` is the board that lies in its slot, where the machine reads it: then the copy of that number comes, and the
    one that the machine had asked for waits again. Another machine that only asks for that board is asked for the other
    one instead, unless `from_others` is false. Where no such board is to be had, the machine keeps its own, else it
    gets the next; and it keeps one of which cards have moved, which is dealt again or left first. `jobs` are the ids of
    the jobs that this program deals, None for all.
    """
    mine = queue.with_machine(machine)
    if mine is not None and (number in (None, queue.copy(mine).board) or queue.copy(mine).stand is Stand.BEGUN):
        return queue, mine
    waiting = _of_released(queue, jobs, Stand.WAITING)
    found = next((copy for copy in waiting if number in (None, queue.copy(copy).board)), None)
    if found is None and number is not None and from_others:
        asked = _of_released(queue, jobs, Stand.CLAIMED)
        found = next((copy for copy in asked if queue.copy(copy).board == number), None)
    if found is None and mine is None:
        found = next(iter(waiting), None)
    if found is None:
        return queue, mine
    other, after = queue.copy(found), queue
    if mine is not None and other.stand is Stand.CLAIMED:
        after = queue.with_copy(mine, stand=Stand.CLAIMED, machine=other.machine, run=0)
    elif mine is not None:
        after = give_back(queue, mine)
    return after.with_copy(found, stand=Stand.CLAIMED, machine=machine, run=0), found


def is_free_for(copy: BoardCopy, machine: str) -> bool:
    """Whether a run of that machine that is found open may be of this board copy, whatever it was intended for."""
    elsewhere = copy.machine != machine and copy.stand in (*WITH_A_MACHINE, Stand.OPEN)
    return copy.stand is not Stand.DEALT and not elsewhere


def start(queue: Queue, machine: str, copy: CopyId) -> tuple[Queue, bool]:
    """The machine is about to start that board; False when the board is not with it any more: nothing has changed."""
    if queue.with_machine(machine) != copy:
        return queue, False
    began = queue.copy(copy).stand is Stand.BEGUN
    return (queue if began else queue.with_copy(copy, stand=Stand.STARTING)), True


def refuse(queue: Queue, machine: str) -> Queue:
    """The machine did not start its board: it asks for it again."""
    copy = queue.with_machine(machine)
    starting = copy is not None and queue.copy(copy).stand is Stand.STARTING
    return queue.with_copy(copy, stand=Stand.CLAIMED) if copy is not None and starting else queue


def give_back(queue: Queue, copy: CopyId) -> Queue:
    """A claimed board of which no card has moved waits again, for whichever machine comes next."""
    _check(queue, copy, Stand.CLAIMED, Stand.STARTING)
    return queue.with_copy(copy, stand=Stand.WAITING)


def skip(queue: Queue, copy: CopyId) -> Queue:
    """A person leaves this board for now."""
    _check(queue, copy, *WITH_A_MACHINE)
    return queue.with_copy(copy, stand=Stand.LEFT)


def keep(queue: Queue, machine: str) -> Queue:
    """The board that this machine has stays as it was dealt, though its verdict is no proof."""
    copy = queue.with_machine(machine)
    return queue if copy is None else queue.with_copy(copy, stand=Stand.DEALT)


def offer_left(queue: Queue, jobs: Collection[int] | None = None) -> Queue:
    """The boards that were left wait again, at their places. What is open stays so: cards of it lie in a machine."""
    for copy in queue.copies(Stand.LEFT, jobs=jobs):
        queue = queue.with_copy(copy, stand=Stand.WAITING)
    return queue


def intend(queue: Queue, copy: CopyId, machine: str, run: int) -> Queue:
    """The journal has an intent for it. What was begun before stays begun: cards of it have moved."""
    return queue.with_copy(copy, machine=machine, run=run)


def begin(queue: Queue, run: int) -> Queue:
    """GO is about to be sent for this run."""
    return _stands(queue, run, Stand.BEGUN)


def close(queue: Queue, run: int) -> Queue:
    """That run is over at its machine: a board that it had left open waits again, for whichever machine comes next."""
    for copy in queue.copies(Stand.OPEN):
        if run and queue.copy(copy).run == run:
            queue = queue.with_copy(copy, stand=Stand.WAITING)
    return queue


def deal(queue: Queue, run: int) -> Queue:
    """The run has a verdict that stands: its board is dealt."""
    return _stands(queue, run, Stand.DEALT)


def resume(
    queue: Queue,
    copy: CopyId,
    machine: str,
    run: int,
    *,
    begun: bool,
    done: Collection[CopyId] = (),
    jobs: Collection[int] | None = None,
) -> Queue:
    """What became of a board that this machine had before this program is known: it comes first.

    `begun` = its run is still open in the machine. `done` are board copies that the journal knows as dealt; those
    before this one, and this one itself, are not dealt once more, unless nothing of these `jobs` would be left. A board
    that was kept as that run dealt it is done too.
    """
    its = queue.copy(copy)
    if its.stand is Stand.DEALT and its.run == run:
        done = [*done, copy]
    in_order = queue.copies(*Stand, jobs=jobs)
    after = queue
    for one in in_order[: in_order.index(copy) + 1]:
        if one in done and (one == copy or queue.copy(one).stand is Stand.WAITING):
            after = after.with_copy(one, stand=Stand.DEALT)
    if not after.copies(*TO_COME, jobs=jobs):
        return queue
    if copy in done:
        return after
    for one in after.copies(*TO_COME):
        its = after.copy(one)
        if one != copy and (its.run == run or (its.machine == machine and its.stand in WITH_A_MACHINE)):
            after = after.with_copy(one, stand=Stand.WAITING, machine="", run=0)
    stand, its_run = (Stand.BEGUN, run) if begun else (Stand.CLAIMED, 0)
    return after.with_copy(copy, stand=stand, machine=machine, run=its_run)


def empty(queue: Queue, copy: CopyId) -> Queue:
    """A person has taken all cards of a board out of a machine that deals no more: it waits for any machine."""
    _check(queue, copy, Stand.OPEN)
    return queue.with_copy(copy, stand=Stand.WAITING, machine="", run=0)


def end(queue: Queue, fate: Callable[[BoardCopy], Stand], machine: str | None = None) -> Queue:
    """That machine deals no more in this program (None: no program deals any more, and every job is held).

    What was only claimed waits again; what was begun stands as `fate` says.
    """
    after = queue.hold_all() if machine is None else queue
    for copy in queue.copies(*WITH_A_MACHINE, *([Stand.OPEN] if machine is None else [])):
        one = queue.copy(copy)
        if machine in (None, one.machine):
            untouched = one.stand in (Stand.CLAIMED, Stand.STARTING)
            after = after.with_copy(copy, stand=Stand.WAITING if untouched else fate(one))
    return after


def _of_released(queue: Queue, jobs: Collection[int] | None, stand: Stand) -> tuple[CopyId, ...]:
    released = [job.order.id for job in queue.jobs if job.released and (jobs is None or job.order.id in jobs)]
    return queue.copies(stand, jobs=released)


def _check(queue: Queue, copy: CopyId, *stands: Stand) -> None:
    if queue.copy(copy).stand not in stands:
        raise ValueError(f"the board copy is {queue.copy(copy).stand.value}")


def _stands(queue: Queue, run: int, stand: Stand) -> Queue:
    """The board copy of that run stands so now, in each job that has it; a run of no board copy changes nothing."""
    for copy in queue.copies(*Stand):
        if run and queue.copy(copy).run == run:
            queue = queue.with_copy(copy, stand=stand)
    return queue
