"""Jobs of single items on a peer, for what the public `Machine.start` has no parameters.

May import: driver. Read next: `peers.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from driver.controls import Controls
from driver.happenings import Item, Options
from driver.job import Job
from driver.journal import Journal
from driver.queue import JobOrder
from driver.recorder import Recorder
from driver.work import Work
from tests.support.peers import Peer
from tests.support.store import journal_in
from tests.support.unrecorded import Unrecorded


@contextmanager
def controls_of(peer: Peer) -> Iterator[Controls]:
    """The controls of the peer's machine, connected; closed at the end."""
    controls = Controls(peer.transport, peer.clock(), Recorder())
    try:
        controls.connect()
        yield controls
    finally:
        controls.close()


@contextmanager
def job_of(peer: Peer, items: Sequence[Item], options: Options) -> Iterator[Job]:
    """A job of `items` with a journal of the peer's own."""
    with journal_in(peer.data) as journal, controls_of(peer) as controls:
        yield Job(controls, journal, work_of_items(journal, items), options, records=Unrecorded())


def work_of_items(journal: Journal, items: Sequence[Item]) -> Work:
    """The work that is these items, one after the other: a job of one board copy for each."""
    ordered = {}
    for item in items:
        as_board = None if item.board == item.deal_board else item.board
        order = JobOrder(0, "", (item.deal_board,), (item.copy,), as_board=as_board)
        ordered[journal.jobs.add(order, released=True).id] = item
    return Work(journal, lambda order, _: ordered[order.id], ordered)
