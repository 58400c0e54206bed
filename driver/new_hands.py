"""New hands for a board number: the director's, from the set's spare deals, for all copies or for named ones. Pure.

May import: `driver.laws`, `driver.deals.model`, the entries of `driver.store.decisions`. Read next:
`cli/new_hands.py`, which asks and writes down.
Dealing a board again, with whichever pack, gives it the same hands and is no question of law; this is the other thing.
A set made here has spare deals: spare n is board n of its set `reserve-1`. Each is used once, in order, so that nobody
chooses among deals (Law 6E4); which board got which spare is written down, and is all that is needed to find the hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from driver.deals.hands import listed
from driver.deals.model import BoardDeal, Deal
from driver.errors import StoreDamaged
from driver.laws import NEWEST, Edition, Topic
from driver.store.decisions import Decision, Entry

INSTEAD: Final = (
    "Deal the same hands and leave a note for the director,",
    "or skip this board and leave it for the director,",
    "or deal a new set: dealctl deal --new.",
)
"""What can be done where there are no new hands."""


@dataclass(frozen=True, slots=True)
class GivenSpare:
    """A spare deal (from 1) that was given to a board; `copies` are those that got it, empty = all of them."""

    board: int
    spare: int
    copies: tuple[str, ...] = ()

    def is_for(self, board: int, copy: str) -> bool:
        """Whether that copy of that board got this spare."""
        return board == self.board and (not self.copies or copy in self.copies)


@dataclass(frozen=True, slots=True)
class NewHands:
    """New hands that can be given. `law` is the Law that has them.

    `recall`: copies that were dealt with hands which no longer count; they come back and are dealt again. `groups`: the
    copies that were dealt, by the hands that they will hold; more than one group is scored by groups (Law 87).
    """

    given: GivenSpare
    law: str
    recall: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]

    @property
    def fouled(self) -> bool:
        """Whether copies with different hands are in play."""
        return len(self.groups) > 1


@dataclass(frozen=True, slots=True)
class NoNewHands:
    """There are none to give: why, in one sentence."""

    reason: str


def plan_new_hands(
    board: int,
    *,
    spares: int,
    given: Sequence[GivenSpare],
    dealt: Iterable[str] = (),
    copies: tuple[str, ...] = (),
    edition: Edition = NEWEST,
) -> NewHands | NoNewHands:
    """The next spare deal for `board`, or why there is none.

    `spares` is how many the set has (0 for one from a file), `given` those given already, oldest first; `dealt` the
    copies of this board that exist; `copies` those that are to get new hands, empty = all.
    """
    if not spares:
        return NoNewHands("The set has no spare deals: only sets of random boards made here have them.")
    used = {one.spare for one in given}
    spare = next((number for number in range(1, spares + 1) if number not in used), None)
    if spare is None:
        return NoNewHands(f"All {spares} spare deals of the set are used.")
    now = GivenSpare(board, spare, copies)
    exist = tuple(dict.fromkeys(dealt))
    law = edition.law_number(Topic.CONTESTANTS) if copies else ""
    return NewHands(
        given=now,
        law=law or edition.law_number(Topic.DIRECTOR_WISH),
        recall=tuple(copy for copy in exist if now.is_for(board, copy)),
        groups=groups_of(board, (*exist, *copies), (*given, now)),
    )


def groups_of(board: int, copies: Iterable[str], given: Sequence[GivenSpare]) -> tuple[tuple[str, ...], ...]:
    """The copies of a board by the hands that they hold; one group when all are alike."""
    groups: dict[int, list[str]] = {}
    for copy in dict.fromkeys(copies):
        groups.setdefault(spare_of(board, copy, given), []).append(copy)
    return tuple(tuple(group) for group in groups.values())


def spare_of(board: int, copy: str, given: Sequence[GivenSpare]) -> int:
    """The spare deal that a copy of a board holds, 0 for the deal that it had from the start."""
    return next((one.spare for one in reversed(given) if one.is_for(board, copy)), 0)


def in_force(
    boards: Iterable[BoardDeal], spares: Sequence[Deal], given: Sequence[GivenSpare], copy: str = ""
) -> tuple[BoardDeal, ...]:
    """The boards of a set as one copy of them holds them now; dealer and vulnerability stay those of the number.

    `spares` are the set's spare deals, first to last. Raises IndexError when one was given that is not among them.
    """
    found = []
    for board in boards:
        spare = spare_of(board.number, copy, given)
        found.append(replace(board, deal=spares[spare - 1]) if spare else board)
    return tuple(found)


AFTER: Final = "after"
"""The detail of an entry that says which real run of the set was begun last before it: its id, "0" for none."""


def entry_details(plan: NewHands, set_id: str, reason: str, *, after: int) -> dict[str, str | int]:
    """What stands in the log of decisions, for `given_spares` to read; `reason` is the director's own words.

    `after` is the last run before it: which hands a run was dealt with is told by that order, never by a clock.
    """
    one = plan.given
    copies = " ".join(one.copies)
    return {
        "set": set_id,
        "board": one.board,
        "spare": one.spare,
        "copies": copies,
        "law": plan.law,
        "reason": reason,
        AFTER: str(after),
    }


def given_spares(entries: Iterable[Entry], set_id: str) -> tuple[GivenSpare, ...]:
    """The spare deals of a set that were given, oldest first, from the log's entries, newest first.

    Raises StoreDamaged for an entry that this program did not write: a spare might be given twice.
    """
    found = []
    for entry in entries:
        if entry.what is Decision.NEW_HANDS and entry.details.get("set") == set_id:
            board, spare, copies = (entry.details.get(name) for name in ("board", "spare", "copies"))
            if not (isinstance(board, int) and isinstance(spare, int) and spare > 0 and isinstance(copies, str)):
                raise StoreDamaged(f"Entry {entry.number} of the log of decisions cannot be read.")
            found.append(GivenSpare(board, spare, tuple(copies.split())))
    return tuple(reversed(found))


def lines_before(plan: NewHands, edition: Edition = NEWEST) -> list[str]:
    """What a director reads before the decision: copies to bring back, what the Laws say; reminders, not gates."""
    lines = []
    if plan.recall:
        lines.append(f"Bring back {_named(plan.recall, 'board', plan.given.board)}: the hands in it change.")
    if plan.fouled:
        held = "; ".join(listed([_copy(copy) for copy in group]) for group in plan.groups)
        law = edition.law_number(Topic.FOULED)
        lines.append(f"The copies will hold different hands ({held}). Law {law}: scored by groups.")
    if plan.recall and edition.copies_line:
        lines.append(edition.copies_line)
    return [*lines, *edition.reminders]


def _named(copies: Sequence[str], word: str, board: int) -> str:
    named = [copy for copy in copies if copy]
    if not named:
        return f"{word} {board}"
    if len(named) < len(copies):
        return f"{word} {board}, {listed([_copy(copy) for copy in copies])}"
    return f"{word} {board}, {'copies' if len(named) > 1 else 'copy'} {listed(named)}"


def _copy(copy: str) -> str:
    return f"copy {copy}" if copy else "the first copy"
