"""Boards that a backup does not know about: after it was put back, each is asked for once before it is dealt as new.

May import: `journal`, `dealt`, `store`, `clock`, `errors`, `happenings`. Read next: `cli/after_backup.py`, which asks;
`backup.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from driver.clock import utc_now
from driver.deals.model import range_text
from driver.dealt import is_rehearsal
from driver.errors import NotSaid
from driver.happenings import Item
from driver.journal import Journal
from driver.store.store import Store
from driver.store.stored import SetKind, number_of

_MADE_HERE: Final = (SetKind.GAME, SetKind.CHAMPIONSHIP)


def held(store: Store, items: Iterable[Item], *, simulated: bool) -> tuple[Item, ...]:
    """One item for each board of a set that may have been dealt after the backup, and about which nobody was asked.

    None in a store that was never put back, and none for a `simulated` machine, which uses no deal. A board that a
    machine has begun is known; a set that was made here after that cannot have been dealt before; lessons may be dealt
    as often as one likes.
    """
    put_back = store.runs.put_back()
    if put_back is None or is_rehearsal(simulated=simulated):
        return ()
    said = {(one.set_id, one.board) for one in store.runs.said() if one.sequence > put_back.sequence}
    boards = {(item.set_id, item.deal_board): item for item in reversed([*items]) if item.set_id}
    found = []
    for (set_id, board), item in reversed(boards.items()):
        stored = store.sets.find(set_id)
        is_new = stored.kind in _MADE_HERE and number_of(set_id) > put_back.last_set
        is_known = any(not copy.simulated for copy in store.copies.of_board(set_id, board))
        if (set_id, board) not in said and not is_known and not is_new and stored.kind is not SetKind.LESSON:
            found.append(item)
    return tuple(found)


def note_said(journal: Journal, store: Store, item: Item, *, dealt: bool) -> None:
    """Writes down what a person says about a board that is held; one that was dealt is in the register from now on."""
    with journal.together():
        run = journal.note_said(item.set_id, item.deal_board, dealt=dealt)
        if dealt:
            store.register.note(item.deal, item.set_id, item.board, item.copy, run, utc_now())


def check_nothing_held(store: Store, items: Iterable[Item], *, simulated: bool) -> None:
    """Raises NotSaid for boards about which somebody has to be asked first."""
    if found := held(store, items, simulated=simulated):
        boards = range_text(item.deal_board for item in found)
        raise NotSaid(
            f"A backup was put back, and it does not know whether these boards were dealt after it: {boards}."
        )
