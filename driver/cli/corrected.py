"""A corrected file: most of its boards equal a set that was dealt today, and only the others are dealt anew.

May import: `driver.store`, `driver.laws`, `law_questions`, `names`. Read next: `wanted.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from driver.championship import DONE
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.law_questions import ask_choice
from driver.cli.names import Names
from driver.cli.text import board_name
from driver.clock import utc_now
from driver.deals.hands import listed
from driver.deals.model import range_text
from driver.errors import BadDeal, NothingOpen
from driver.laws import NEWEST, Topic
from driver.store.copies import DealtCopy
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import StoredSet


@dataclass(frozen=True, slots=True)
class Outdated:
    """What a corrected file says about `old`, a set of which boards were dealt today.

    `boards` have other hands in the file, `copies` are those of them that were dealt; `valid` boards were dealt and
    stay as they are.
    """

    old: StoredSet
    boards: tuple[int, ...]
    copies: tuple[str, ...]
    valid: frozenset[int]


def outdated_by(new: StoredSet, store: Store) -> Outdated | None:
    """What a set from a file corrects in one of which boards were dealt today; None when it corrects nothing.

    A set that was dealt on another day is no set to correct: then it is the question about used deals that comes.
    """
    entries = store.decisions.newest_first()
    imported = (one.details for one in entries if one.what is Decision.SET_IMPORTED)
    details = next((one for one in imported if one.get("set") == new.id), {})
    corrects, other_hands = details.get("corrects"), details.get("other_hands")
    if not isinstance(corrects, str) or not isinstance(other_hands, tuple):
        return None
    try:
        old = store.sets.find(corrects)
    except NothingOpen:
        return None
    finished = {copy.board for copy in finished_copies(store, new)}
    boards = tuple(number for number in other_hands if isinstance(number, int) and number not in finished)
    dealt = [copy for copy in finished_copies(store, old) if is_today(copy.begun)]
    if not boards or not dealt:
        return None
    out = dict.fromkeys(board_name(copy.board, copy.copy) for copy in dealt if copy.board in boards)
    valid = frozenset(copy.board for copy in dealt if copy.board not in other_hands)
    return Outdated(old, boards, tuple(out), valid)


def ask_corrected(outdated: Outdated, boards: tuple[int, ...], file: str) -> tuple[int, ...]:
    """Only what is new or not dealt yet, unless the person wants all of it. Raises BadDeal for neither."""
    left = tuple(number for number in boards if number not in outdated.valid)
    new = [number for number in left if number in outdated.boards]
    if not new or len(left) == len(boards):
        return boards
    same = len(boards) - len(new)
    put(
        f"{same} of {len(boards)} boards equal the set {outdated.old.name} dealt today; other hands: {range_text(new)}."
    )
    too = "" if len(left) == len(new) else ", other hands or not dealt yet"
    answer = ask_choice(
        [
            (f"Deal only {_boards(left)}{too}", left),
            (f"Deal all {len(boards)} boards", boards),
            ("Stop", ()),
        ]
    )
    if not answer:
        raise BadDeal("Nothing was dealt, as you asked.", path=file, hint="Take another file.")
    return answer


def take_out(
    outdated: Outdated, set_id: str, wanted: Sequence[int], store: Store, names: Names, *, as_json: bool
) -> None:
    """Names the copies of boards about to be dealt that hold the old hands, and writes it down."""
    boards = [number for number in wanted if number in outdated.boards]
    if not boards or not outdated.copies:
        return
    law = NEWEST.law_number(Topic.FOULED)
    copies = listed(outdated.copies)
    if as_json:
        put_object({"event": "take out", "set": outdated.old.id, "copies": list(outdated.copies)}, sys.stdout)
    else:
        put(f"Take out of play: {copies}, dealt today with the old hands of {_boards(boards)}.")
        put(f"If both are played, Law {law} applies: the director scores them by groups.")
    store.decisions.append(
        Decision.COPY_CHANGED,
        names.unasked(),
        set=set_id,
        before=outdated.old.id,
        boards=range_text(boards),
        copies=" ".join(outdated.copies),
        law=law,
    )


def _boards(numbers: Sequence[int]) -> str:
    return f"board{'' if len(numbers) == 1 else 's'} {range_text(numbers)}"


def finished_copies(store: Store, stored: StoredSet) -> list[DealtCopy]:
    """The copies that a real machine dealt to the end, oldest first."""
    return [copy for copy in store.copies.of_set(stored.id) if not copy.simulated and copy.verdict in DONE]


def is_today(time: datetime) -> bool:
    """Whether a time is of this day, on this computer."""
    return time.astimezone().date() == utc_now().astimezone().date()
