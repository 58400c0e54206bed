"""Finds the deal of a board that was dealt before, so that the same hands can be dealt once more.

May import: `journal`, `plan`, `deals`, `errors`. Read next: `cli/again.py`.
The journal holds no card: the deal file is read again, and its plan tag must be the one that was written down.
"""

from __future__ import annotations

from dataclasses import dataclass

from driver.deals.loader import load_sets
from driver.deals.model import BoardDeal, DealSet
from driver.errors import NothingOpen
from driver.journal import Journal, RunRecord
from driver.plan import Plan

_OTHER_HANDS = "Name the file that the board was dealt from: dealctl deal FILE --boards {board}."


@dataclass(frozen=True, slots=True)
class DealtBefore:
    """The set and the board in it whose deal was dealt as `board`, copy `copy`."""

    deals: DealSet
    source: BoardDeal
    board: int
    copy: str


def dealt_before(journal: Journal, board: int) -> DealtBefore:
    """The deal that was dealt last as board number `board`.

    Raises NothingOpen when none was, when its file is not known, or when the file holds other hands now; DealFileError
    when the file cannot be read any more.
    """
    record = journal.last_of_board(board)
    if record is None:
        raise NothingOpen(f"Board {board} was not dealt on this computer.", hint="Deal it from its file: dealctl deal.")
    told = record.intention
    if not told.deal_path:
        raise NothingOpen(f"Nobody wrote down from which file board {board} was dealt.", hint="Deal it from its file.")
    for deals in load_sets(told.deal_path):
        source = deals.find(told.deal_board)
        if source is not None and _is_the_same(journal, record, source):
            return DealtBefore(deals, source, board, told.copy)
    raise NothingOpen(
        f"The file {told.deal_path} holds other hands for board {board} now than were dealt.",
        hint=f"Nothing was dealt. {_OTHER_HANDS.format(board=told.deal_board)}",
    )


def _is_the_same(journal: Journal, record: RunRecord, source: BoardDeal) -> bool:
    board = record.intention.board
    plans = (Plan.by_identity(board, source.deal), Plan.by_order(board, source.deal))
    return any(journal.plan_tag(plan.board, plan.routing, plan.destinations()) == record.plan_tag for plan in plans)
