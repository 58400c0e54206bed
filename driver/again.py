"""The hands of a stored set as they are now, and the deal of a board that was dealt before, to deal it once more.

May import: `journal`, `plan`, `deals`, `making`, `new_hands`, `store`, `errors`. Read next: `cli/again.py`,
`cli/wanted.py`. The journal holds no card: the deal is that of the stored set which it names, new hands of the director
included, and its plan tag must be the one that was written down.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from driver.deals.model import BoardDeal, Deal, DealSet
from driver.errors import NothingOpen, WrongState
from driver.journal import Journal
from driver.making import deals_of, made_of
from driver.new_hands import GivenSpare, given_spares, in_force
from driver.plan import Plan
from driver.store.runs import Intention, RunRecord
from driver.store.store import Store
from driver.store.stored import StoredSet


@dataclass(frozen=True, slots=True)
class HandsNow:
    """A stored set as it was made (`deals`), and the spare deals that were `given` to boards of it, oldest first."""

    deals: DealSet
    given: tuple[GivenSpare, ...]
    _spares: tuple[Deal, ...] = field(repr=False)

    def of_copy(self, copy: str) -> DealSet:
        """The set with the hands that this copy of each board has now."""
        if not self.given:
            return self.deals
        return replace(self.deals, boards=in_force(self.deals.boards, self._spares, self.given, copy))


def hands_now(store: Store, stored: StoredSet, *, passphrase: str | None = None, second: bytes = b"") -> HandsNow:
    """Opens a stored set of any kind; arguments and errors as `deals_of`."""
    deals = deals_of(store, stored, passphrase=passphrase, second=second)
    given = given_spares(store.decisions.newest_first(), stored.id)
    spares = made_of(store, stored, passphrase=passphrase, second=second).spares if given else ()
    return HandsNow(deals, given, spares)


@dataclass(frozen=True, slots=True)
class DealtBefore:
    """The set and the board in it whose deal was dealt as `board`, copy `copy`."""

    deals: DealSet
    source: BoardDeal
    board: int
    copy: str


def dealt_before(journal: Journal, store: Store, board: int, *, opened: Callable[[StoredSet], HandsNow]) -> DealtBefore:
    """The deal that was dealt last as board number `board`; `opened` opens the set, with passphrase where it has one.

    Raises NothingOpen when none was, or when the store holds other hands for it, WrongState when the director gave the
    board new hands since, and what `opened` raises.
    """
    record = journal.last_of_board(board)
    if record is None:
        raise NothingOpen(f"Board {board} was not dealt on this computer.", hint="Deal it from its file: dealctl deal.")
    told = record.intention
    if not told.deal_set:
        raise NothingOpen(f"Nobody wrote down from which set board {board} was dealt.", hint="Deal it from its file.")
    try:
        stored = store.sets.find(told.deal_set)
    except NothingOpen:
        raise NothingOpen(
            f"The set from which board {board} was dealt is not on this computer any more.",
            hint=f"Nothing was dealt. Name the file: dealctl deal FILE --boards {told.deal_board}.",
        ) from None
    hands = opened(stored)
    deals = hands.of_copy(told.copy)
    source = deals.find(told.deal_board)
    if source is None or not _is_the_same(journal, record, source):
        if any(one.is_for(told.deal_board, told.copy) for one in hands.given):
            raise WrongState(
                f"Board {board} has new hands since it was dealt.",
                hint=f"Nothing was dealt. The new ones: {_command(stored, told)}",
            )
        raise NothingOpen(
            f"The set {stored.name} holds other hands for board {board} than were dealt.",
            hint=f"Nothing was dealt. Name the file: dealctl deal FILE --boards {told.deal_board}.",
        )
    return DealtBefore(deals, source, board, told.copy)


def _command(stored: StoredSet, told: Intention) -> str:
    copies = f" --copies {told.copy}" if told.copy else ""
    as_board = f" --as {told.board}" if told.board != told.deal_board else ""
    return f"dealctl deal {shlex.quote(stored.name)} --boards {told.deal_board}{copies}{as_board}"


def _is_the_same(journal: Journal, record: RunRecord, source: BoardDeal) -> bool:
    board = record.intention.board
    plans = (Plan.by_identity(board, source.deal), Plan.by_order(board, source.deal))
    return any(journal.plan_tag(plan.board, plan.routing, plan.destinations()) == record.plan_tag for plan in plans)
