"""The queue as it lies in the store: read, followed one step and written back, in one transaction.

May import: `driver.claims`, `driver.errors`, `driver.queue`, `driver.verdicts`, `database`, `forms`, `runs`, `stored`
and the standard library. Read next: `driver/claims.py` (the steps), `driver/work.py` (who takes boards),
`driver/journal.py`, which lets intents, GO and verdicts follow here in its own transaction: what was dealt and what
is still to be dealt are never of two minds.
Programs beside the one that deals may add, release, hold, move and remove at any time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from driver import claims
from driver.errors import StoreDamaged
from driver.queue import BoardCopy, CopyId, JobOrder, Order, Queue, QueuedJob, Stand
from driver.store.database import StoreConnection, reading, transaction
from driver.store.forms import Now, as_text, storable
from driver.store.runs import Runs
from driver.store.stored import number_of
from driver.verdicts import Verdict

DONE: Final = (Verdict.GOOD.name, Verdict.COUNTED.name)
"""Verdicts with which a board is dealt."""
_JOBS: Final = "number, place, set_number, boards, copies, board_order, descending, as_board, released"
_COPIES: Final = "job, place, board, copy, deal_board, stand, machine, run"
_TO_DEAL: Final = "number IN (SELECT job FROM board_copies WHERE stand != 'dealt')"


class Jobs:
    """The queue of one open store. All of it raises StoreUnusable and StoreDamaged."""

    def __init__(self, connection: StoreConnection, now: Now) -> None:
        self._connection = connection
        self._now = now

    def queue(self) -> Queue:
        """The jobs that are not done, as they stand now."""
        return self._read(_TO_DEAL)

    def follow(self, step: Callable[[Queue], Queue]) -> Queue:
        """Takes one step: the queue afterwards, durable when it returns. What `step` raises leaves all as it was."""
        with transaction(self._connection):
            before = self.queue()
            after = step(before)
            self._write(before, after)
        return after

    def add(self, order: JobOrder, *, released: bool = False) -> JobOrder:
        """Puts an order at the end of the queue, held if not `released`; the order with its id."""
        with transaction(self._connection):
            number = self._connection.execute(
                "INSERT INTO jobs (place, set_number, boards, copies, board_order, descending, as_board, released, "
                "added) VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    number_of(order.set_id) if order.set_id else None,
                    json.dumps(order.boards),
                    json.dumps([storable(copy) for copy in order.copies]),
                    order.order.value,
                    int(order.descending),
                    order.as_board,
                    int(released),
                    as_text(self._now()),
                ),
            ).lastrowid
            assert number is not None, "a row that was written has a number"
            added = replace(order, id=number)
            self.follow(lambda queue: queue.add(added, released=released))
        return added

    def find(self, job: int) -> QueuedJob:
        """A job of the queue, or one that is done. Raises NothingOpen when no job has that id."""
        return self._read("number = ?", job).find(job)

    def count(self, stands: Collection[Stand], jobs: Collection[int] | None = None) -> int:
        """How many board copies stand so, of these jobs or of all that are released."""
        condition = "j.released" if jobs is None else f"j.number IN ({', '.join('?' * len(jobs))})"
        words = [stand.value for stand in stands]
        with reading(self._connection):
            (number,) = self._connection.execute(
                f"SELECT count(*) FROM board_copies c JOIN jobs j ON j.number = c.job WHERE {condition} "
                f"AND c.stand IN ({', '.join('?' * len(words))})",
                (*(jobs or ()), *words),
            ).fetchone()
        return int(number)

    def is_dealt(self, run: int) -> bool:
        """Whether the board copy of that run counts as dealt: its verdict stands, or a person kept it."""
        with reading(self._connection):
            found = self._connection.execute(
                "SELECT 1 FROM board_copies WHERE run = ? AND run != 0 AND stand = ?", (run, Stand.DEALT.value)
            ).fetchone()
        return found is not None

    def intended(self, copy: CopyId, machine: str, run: int) -> None:
        """The journal writes the intent to deal this board copy; call it in that transaction."""
        self.follow(lambda queue: claims.intend(queue, copy, machine, run))

    def begun(self, run: int) -> None:
        """The journal writes that GO is about to be sent; call it in that transaction."""
        self._of_run(run, lambda queue: claims.begin(queue, run))

    def closed(self, run: int) -> None:
        """The journal writes that a run is over; call it in that transaction."""
        self._of_run(run, lambda queue: claims.close(queue, run))

    def judged(self, run: int, verdict: str) -> None:
        """The journal writes a verdict; call it in that transaction. One that is withdrawn later changes nothing."""
        if verdict in DONE:
            self._of_run(run, lambda queue: claims.deal(queue, run))

    def programs_ended(self) -> Queue:
        """No program deals: call it with the journal's lock held. Claims of programs that ended are seen as such."""
        queue = self.queue()
        if claims.end(queue, self.fate) == queue:
            return queue
        return self.follow(lambda queue: claims.end(queue, self.fate))

    def fate(self, copy: BoardCopy) -> Stand:
        """How a board copy stands whose program or machine deals no more, by the journal.

        It waits when no card of it can have moved, or its run was ended without a verdict that stands; all else is
        open until its machine is asked.
        """
        record = Runs(self._connection).record(copy.run)
        if record is None or not record.go_sent:
            return Stand.WAITING
        if record.verdict in DONE:
            return Stand.DEALT
        return Stand.WAITING if record.closed else Stand.OPEN

    def _of_run(self, run: int, step: Callable[[Queue], Queue]) -> None:
        """Takes the step for the job of that run, also when that job is done."""
        with transaction(self._connection):
            before = self._read("number IN (SELECT job FROM board_copies WHERE run = ? AND run != 0)", run)
            self._write_copies(before.jobs, step(before).jobs)

    def _read(self, condition: str, *values: object) -> Queue:
        with reading(self._connection):
            jobs = self._connection.execute(
                f"SELECT {_JOBS} FROM jobs WHERE {condition} ORDER BY place, number", values
            ).fetchall()
            copies = self._connection.execute(
                f"SELECT {_COPIES} FROM board_copies WHERE job IN (SELECT number FROM jobs WHERE {condition}) "
                "ORDER BY job, place",
                values,
            ).fetchall()
        try:
            return Queue(tuple(_job(row, [_copy(one) for one in copies if one[0] == row[0]]) for row in jobs))
        except (ValueError, TypeError):
            raise StoreDamaged("The queue of jobs was changed.", path=self._connection.path) from None

    def _write(self, before: Queue, after: Queue) -> None:
        there = {job.order.id for job in after.jobs}
        gone = [(job.order.id,) for job in before.jobs if job.order.id not in there]
        self._connection.executemany(
            "DELETE FROM jobs WHERE number = ? AND NOT EXISTS "
            "(SELECT 1 FROM board_copies WHERE job = number AND stand = 'dealt')",
            gone,
        )
        self._connection.executemany("DELETE FROM board_copies WHERE job = ? AND stand != 'dealt'", gone)
        if _shown(before) != _shown(after):  # all places: those that lie there have gaps where jobs are done
            rows = [(place, int(job.released), job.order.id) for place, job in enumerate(after.jobs)]
            self._connection.executemany("UPDATE jobs SET place = ?, released = ? WHERE number = ?", rows)
        self._write_copies(before.jobs, after.jobs)

    def _write_copies(self, before: Iterable[QueuedJob], after: Iterable[QueuedJob]) -> None:
        known = {job.order.id: {one.place: one for one in job.copies} for job in before}
        for job in after:
            there = known.get(job.order.id, {})
            changed = [one for one in job.copies if there.get(one.place) != one]
            lost = there.keys() - {one.place for one in job.copies}
            number = job.order.id
            self._connection.executemany(
                "DELETE FROM board_copies WHERE job = ? AND place = ?", [(number, place) for place in lost]
            )
            self._connection.executemany(
                f"INSERT OR REPLACE INTO board_copies ({_COPIES}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (number, one.place, one.board, storable(one.copy), one.deal_board, one.stand.value, one.machine,
                     one.run)
                    for one in changed
                ],
            )  # fmt: skip


def _shown(queue: Queue) -> list[tuple[int, bool]]:
    return [(job.order.id, job.released) for job in queue.jobs]


def _job(row: Sequence[Any], copies: Sequence[BoardCopy]) -> QueuedJob:
    number, _, set_number, boards, names, order, descending, as_board, released = row
    return QueuedJob(
        JobOrder(
            number,
            "" if set_number is None else f"s{set_number}",
            tuple(int(board) for board in json.loads(boards)),
            tuple(str(name) for name in json.loads(names)),
            Order(order),
            bool(descending),
            as_board,
        ),
        tuple(copies),
        bool(released),
    )


def _copy(row: Sequence[Any]) -> BoardCopy:
    _, place, board, copy, deal_board, stand, machine, run = row
    return BoardCopy(place, board, copy, deal_board, Stand(stand), machine, run)
