"""Makes deal sets and stores them, and gives the boards of a stored set again: the one place for every command.

May import: `driver.deals`, `driver.store`, `driver.errors`. Read next: `deals/generator.py` (how hands come about),
`store/sets.py` (what is kept), `lessons.py` (sets for teaching).

A set made here has 36 boards and 4 spare deals, however many are dealt first: nobody can tell from how many were asked
for which boards will be played. More boards are a supplement: a set with a secret of its own. Nothing here takes a
filter, a choice among deals or a seed (Law 6E4).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from driver.deals.generator import SET_SIZE, Championship, MadeSet, make, remade
from driver.deals.model import BoardDeal, DealSet
from driver.errors import ConfigError, JobError
from driver.store.decisions import Decision
from driver.store.forms import Now
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import CONTENT_KINDS, LONGEST_NAME, Added, SetKind, StoredSet, name_key

MOST_BOARDS: Final = 10 * SET_SIZE
"""Boards that are made at a time, supplements included."""
LESSON_NOTE: Final = "This set is a lesson: it is not for a game."

_ROOM_FOR_A_NUMBER: Final = 16
# English in every country, as the rest of what is printed.
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def make_game(
    store: Store, *, name: str | None = None, boards: int = 24, event: str = "", date: str = "", now: Now
) -> StoredSet:
    """A game set, made and stored: boards 1 to 36 and 4 spare deals, whatever `boards` is.

    With more than 36 `boards` its supplements are made too; `set_with_board` finds them. Without a name it is called
    after today, as "tue-1-dec"; `date` is today's when empty. Raises ConfigError for a number of boards that is not 1
    to 360.
    """
    return make_sets(store, SetKind.GAME, name=name, boards=boards, event=event, date=date, now=now)[0].stored


def make_sets(
    store: Store,
    kind: SetKind,
    *,
    name: str | None = None,
    boards: int = SET_SIZE,
    details: Championship | None = None,
    event: str = "",
    date: str = "",
    seal: Passphrase | None = None,
    now: Now,
) -> tuple[Added, ...]:
    """A set of that kind (GAME or CHAMPIONSHIP) and its supplements, stored and written into the log of decisions.

    Each comes with its recovery code when `seal` is given, now and never again. `details` belong to a championship,
    which has no supplements. Raises ConfigError for a number of boards out of range, WrongPassphrase for a
    championship without `seal`.
    """
    most = SET_SIZE if kind is SetKind.CHAMPIONSHIP else MOST_BOARDS
    if not 1 <= boards <= most:
        raise ConfigError(
            f"A {kind.value} set is made with 1 to {most} boards, not {boards}.",
            key="boards",
            value=str(boards),
            hint="Nothing was made. Make a further set for more.",
        )
    name = name or day_name(now())
    date = date or (local_date(now()) if kind is SetKind.GAME else "")
    made: list[Added] = []
    for first in range(1, boards + 1, SET_SIZE):
        called = name if not made else supplement_name(made[0].stored.name, first)
        made.append(_add(store, kind, make(details, first_board=first), called, event, date, seal))
    return tuple(made)


def set_with_board(store: Store, stored: StoredSet, board: int, *, now: Now) -> StoredSet:
    """The set that has that board number: `stored` itself, or its supplement, made when it is not there yet.

    Only an unsealed game set gets a supplement by itself. Raises JobError where the board is in neither.
    """
    begins, _, ends = stored.board_range.partition("-")
    if stored.kind not in CONTENT_KINDS and int(begins) <= board <= int(ends):
        return stored
    if not _goes_on(stored) or not SET_SIZE < board <= MOST_BOARDS:
        raise JobError(
            f"Set {stored.name} has boards {stored.board_range}, and no board {board}.",
            hint="Nothing was dealt. Make a further set with `dealctl make`.",
        )
    first = (board - 1) // SET_SIZE * SET_SIZE + 1
    if (found := _supplement(store, stored, first)) is not None:
        return found
    called = supplement_name(stored.name, first)
    date = stored.date or local_date(now())
    return _add(store, stored.kind, make(first_board=first), called, stored.event, date, None).stored


def with_supplements(store: Store, stored: StoredSet) -> list[StoredSet]:
    """The set, and its supplements that were made, in the order of their boards."""
    if not _goes_on(stored):
        return [stored]
    firsts = range(SET_SIZE + 1, MOST_BOARDS, SET_SIZE)
    return [stored, *(found for first in firsts if (found := _supplement(store, stored, first)) is not None)]


def deals_of(store: Store, stored: StoredSet, *, passphrase: str | None = None, second: bytes = b"") -> DealSet:
    """The boards of any stored set as a deal set with the set's id, name, event and date.

    Of a set from a file and of a lesson they are the stored ones; of a set made here they are made again from its
    secret, with dealer and vulnerability of Law 2, before any new hands were given. `passphrase` (or recovery code)
    opens a sealed set, `second` is the second person's secret. Raises WrongPassphrase, NothingOpen when the set is
    gone, JobError while its public value or second secret is missing, StoreDamaged.
    """
    boards: tuple[BoardDeal, ...]
    if stored.kind in CONTENT_KINDS:
        boards = store.sets.boards_of(stored, passphrase=passphrase)
    else:
        boards = made_of(store, stored, passphrase=passphrase, second=second).boards()
    notes = (LESSON_NOTE,) if stored.kind is SetKind.LESSON else ()
    return DealSet(stored.name, None, boards, event=stored.event, date=stored.date, notes=notes, set_id=stored.id)


def made_of(store: Store, stored: StoredSet, *, passphrase: str | None = None, second: bytes = b"") -> MadeSet:
    """The made set behind a stored game or championship: its description, its secret, its spare deals.

    Raises as `deals_of`, and ValueError for a set of another kind.
    """
    secret = store.sets.secret_of(stored, passphrase=passphrase)
    return remade(store.sets.manifest_of(stored), secret, stored.public_value, second)


def day_name(time: datetime) -> str:
    """What a set made on that day is called on this computer: "tue-1-dec"."""
    day = time.astimezone()
    return f"{_DAYS[day.weekday()]}-{day.day}-{_MONTHS[day.month - 1]}"


def local_date(time: datetime) -> str:
    """The date on this computer as YYYY-MM-DD."""
    return time.astimezone().date().isoformat()


def _add(
    store: Store, kind: SetKind, made: MadeSet, name: str, event: str, date: str, seal: Passphrase | None
) -> Added:
    numbers = made.manifest.numbers
    with store.together():
        added = store.sets.add_made(
            name, kind, made.secret, made.manifest.text, event=event, date=date, numbers=numbers, seal=seal
        )
        stored = added.stored
        store.decisions.append(Decision.SET_MADE, "", set=stored.id, kind=kind.value, boards=stored.board_range)
    return added


def _goes_on(stored: StoredSet) -> bool:
    return stored.kind is SetKind.GAME and not stored.sealed and stored.board_range.partition("-")[0] == "1"


def supplement_name(name: str, first: int) -> str:
    """What the supplement of the set `name` that begins with board `first` is called."""
    return f"{name[: LONGEST_NAME - _ROOM_FOR_A_NUMBER]}-from-{first}"


def _supplement(store: Store, stored: StoredSet, first: int) -> StoredSet | None:
    """The supplement of a set that begins with board `first`; None when there is none yet."""
    # Another set may have had the name first: then the supplement has a number behind it.
    pattern = re.compile(re.escape(name_key(supplement_name(stored.name, first))) + r"(-\d+)?")
    boards = f"{first}-{first + SET_SIZE - 1}"
    fitting = (
        other
        for other in store.sets.newest_first()
        if other.kind is stored.kind and other.board_range == boards and other.created >= stored.created
    )
    return next((other for other in fitting if pattern.fullmatch(name_key(other.name))), None)
