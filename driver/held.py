"""Boards that a backup does not know about: after it was put back, each is asked for once before it is dealt as new.

May import: `journal`, `dealt`, `making`, `queue`, `store`, `clock`, `errors`, `happenings`. Read next:
`cli/after_backup.py`, which asks; `backup.py`.
Each copy of a board is a board of its own here: box A may have been dealt before the backup and box B after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from driver.championship import DONE
from driver.clock import utc_now
from driver.deals.model import range_text
from driver.dealt import is_rehearsal
from driver.errors import NotSaid
from driver.happenings import Item
from driver.journal import Journal
from driver.making import with_supplements
from driver.queue import Queue, Stand
from driver.store.runs import PutBack, RunRecord, Said
from driver.store.store import Store
from driver.store.stored import SetKind, number_of

_MADE_HERE: Final = (SetKind.GAME, SetKind.CHAMPIONSHIP)


def held(store: Store, items: Iterable[Item], *, simulated: bool) -> tuple[Item, ...]:
    """One item for each copy of a board that may have been dealt after the backup, and about which nobody was asked.

    None in a store that was never put back, and none for a `simulated` machine, which uses no deal. A copy is known
    that was finished before the backup, or that a machine has begun since it was put back; one that was only begun
    before may have been finished meanwhile. A set that was made here after that cannot have been dealt before; lessons
    may be dealt as often as one likes.
    """
    put_back = store.runs.put_back()
    if put_back is None or is_rehearsal(simulated=simulated):
        return ()
    said = store.runs.said()
    copies = {(item.set_id, item.deal_board, item.copy): item for item in reversed([*items]) if item.set_id}
    return tuple(item for which, item in reversed(copies.items()) if _is_held(store, put_back, said, *which))


def is_held_open(store: Store, record: RunRecord) -> bool:
    """Whether this run, which is open here, is of the time before the backup: its board may have been finished since.

    That is asked before what lies in the machine.
    """
    told, put_back = record.intention, store.runs.put_back()
    if put_back is None or told.is_check or told.simulated or not told.deal_set:
        return False
    return _is_held(store, put_back, store.runs.said(), told.deal_set, told.deal_board, told.copy)


def note_said(journal: Journal, store: Store, item: Item, *, dealt: bool) -> None:
    """Writes down what a person says about a copy that is held; one that was dealt is in the register from now on, and
    no job of the queue deals it."""
    with journal.together():
        run = journal.note_said(item.set_id, item.deal_board, item.copy, dealt=dealt)
        if dealt:
            store.register.note(item.deal, item.set_id, item.board, item.copy, run, utc_now())
            _take_for_dealt(store, item.set_id, item.deal_board, item.copy)


def note_said_of_open(journal: Journal, store: Store, record: RunRecord, *, dealt: bool) -> None:
    """As `note_said`, of the board of an open run, which is over where it was dealt. It takes no hand to say so.

    One of which no card had moved is in no register: about a further order of it is asked again.
    """
    told = record.intention
    with journal.together():
        if record.go_sent or not dealt:
            journal.note_said(told.deal_set, told.deal_board, told.copy, dealt=dealt, run=record.run)
        if dealt:
            journal.note_closed(record.run)
            _take_for_dealt(store, told.deal_set, told.deal_board, told.copy)


def check_nothing_held(store: Store, items: Iterable[Item], *, simulated: bool) -> None:
    """Raises NotSaid for boards about which somebody has to be asked first."""
    if found := held(store, items, simulated=simulated):
        boards = range_text(dict.fromkeys(item.deal_board for item in found))
        raise NotSaid(
            f"A backup was put back, and it does not know whether these boards were dealt after it: {boards}."
        )


def _is_held(store: Store, put_back: PutBack, said: Sequence[Said], set_id: str, board: int, copy: str) -> bool:
    stored = store.sets.find(set_id)
    if stored.kind is SetKind.LESSON or (stored.kind in _MADE_HERE and number_of(set_id) > put_back.last_set):
        return False
    if any(one.sequence > put_back.sequence and one.is_about(set_id, board, copy) for one in said):
        return False
    return not any(
        one.copy == copy and not one.simulated and (one.place > put_back.sequence or one.verdict in DONE)
        for one in store.copies.of_board(set_id, board)
    )


def _take_for_dealt(store: Store, set_id: str, board: int, copy: str) -> None:
    """No job deals that copy; a job of a game set also has the boards of the sets with which it goes on."""

    def step(queue: Queue) -> Queue:
        for place in queue.copies(Stand.WAITING, Stand.LEFT, Stand.OPEN):
            order, one = queue.find(place.job).order, queue.copy(place)
            if (one.deal_board, one.copy) == (board, copy) and order.set_id:
                sets = with_supplements(store, store.sets.find(order.set_id))
                if set_id in {stored.id for stored in sets}:
                    queue = queue.with_copy(place, stand=Stand.DEALT)
        return queue

    store.jobs.follow(step)
