"""Sets that were handed over: this computer deals no board of them until they come back.

May import: `store`, `errors`, `used_deals` (the words for a day), `clock`. Read next: `hand_over.py`, which writes the
file and takes one in; `dealt.py`, which asks here before a job begins.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Final

from driver.clock import utc_now
from driver.errors import WrongState
from driver.store.decisions import Decision, Entry
from driver.store.store import Store
from driver.store.stored import StoredSet
from driver.used_deals import day_text

HAND_OVER: Final = "hand_over"
"""The detail of an entry that says which hand-over it is about."""
_MOVES: Final = (Decision.HANDED_OVER, Decision.TAKEN_OVER, Decision.TAKEN_BACK)


def last_move(entries: Iterable[Entry], set_id: str) -> Entry | None:
    """The last time that the set went to another computer or came from one; `entries` are the newest first."""
    return next((one for one in entries if one.what in _MOVES and one.details.get("set") == set_id), None)


def handed_over(store: Store, stored: StoredSet) -> Entry | None:
    """The decision by which the set is another computer's now; None when it is this one's."""
    move = last_move(store.decisions.newest_first(), stored.id)
    return move if move is not None and move.what is Decision.HANDED_OVER else None


def check_here(store: Store, stored: StoredSet) -> None:
    """Raises WrongState for a set that was handed over: both computers must never deal the same copy."""
    move = handed_over(store, stored)
    if move is not None:
        when = day_text(move.time, utc_now().astimezone())
        raise WrongState(
            f"Set {stored.name} was handed over {when}: it is dealt on the other computer.",
            hint="Nothing was changed. To have it here again, hand it over there and take it over here. Was the file "
            f"never used there? Then: dealctl hand-over {shlex.quote(stored.name)} --take-back",
        )


def board_is_asked(store: Store, set_ids: Iterable[str]) -> tuple[str, ...]:
    """Of those sets the ones that were taken over, and nobody said since what lies in the machine."""
    entries, found = store.decisions.newest_first(), []
    kinds = (Decision.TAKEN_OVER, Decision.BOARD_IN_MACHINE)
    for set_id in dict.fromkeys(set_ids):
        last = next((one for one in entries if one.what in kinds and one.details.get("set") == set_id), None)
        if last is not None and last.what is Decision.TAKEN_OVER:
            found.append(set_id)
    return tuple(found)
