"""Jobs of single items on a peer, for what the public `Machine.start` has no parameters.

May import: driver. Read next: `peers.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from driver.controls import Controls
from driver.happenings import Item, Options
from driver.job import Job
from driver.recorder import Recorder
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
        yield Job(controls, journal, items, options, records=Unrecorded())
