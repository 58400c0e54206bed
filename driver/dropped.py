"""What a machine really dropped into a board, as far as it is written down, together with the deal that was meant.

May import: `journal` (the tag of a plan), `plan`, `store`, `deals.model`, `protocol`. Read next: `cli/show.py`.
The records name no card. So where every card is known to lie as planned the pockets are the deal; of a pack that was
dealt by order the place of a card in the pack tells which one it is; else it stays unknown which ones lie elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from driver.deals.model import BoardDeal
from driver.journal import tag_of
from driver.plan import Plan
from driver.store.runs import RunRecord
from driver.store.store import Store
from protocol.cards import PACK, PACK_SIZE, Card
from protocol.codes import Proof, RecordState

_PROOFS = {
    Proof.READ: "read on its face",
    Proof.LEFT_PATH: "seen leaving the path",
    Proof.SENSED: "felt in its pocket",
}


@dataclass(frozen=True, slots=True)
class Dropped:
    """The newest run of a board copy. `counts` are the cards dropped, of them as planned, elsewhere, and not known.

    `is_this_deal`: it was dealt from the deal that the board has now. `is_written`: of its cards anything was written
    down; else the counts tell nothing. `proven` = how many cards each proof has.
    `astray` and `unsure` are the cards that lie elsewhere, or nobody knows where; None where the records do not tell
    which ones they are. Its repr names no card.
    """

    record: RunRecord
    counts: tuple[int, int, int, int]
    proven: tuple[tuple[str, int], ...]
    is_this_deal: bool
    is_written: bool
    astray: tuple[Card, ...] | None = field(repr=False, default=None)
    unsure: tuple[Card, ...] | None = field(repr=False, default=None)

    @property
    def equals_deal(self) -> bool:
        """Whether all 52 cards are known to lie where the deal has them."""
        return self.is_this_deal and self.counts[1] == PACK_SIZE


def dropped(store: Store, set_id: str, board: BoardDeal, copy: str) -> Dropped | None:
    """What became of that copy of a board of a stored set; None when it was never begun. A rehearsal deals nothing."""
    copies = store.copies.of_board(set_id, board.number)
    runs = [one.run for one in copies if one.copy == copy and not one.simulated]
    record = store.runs.record(runs[-1]) if runs else None
    if record is None:
        return None
    number, deal = record.intention.board, board.deal
    by_order = Plan.by_order(number, deal)
    is_by_order = tag_of(store, by_order) == record.plan_tag
    is_this_deal = is_by_order or tag_of(store, Plan.by_identity(number, deal)) == record.plan_tag
    cards = store.runs.evidence(record.run)
    fell = [one for one in cards if one.state == RecordState.DROPPED]
    elsewhere = [one for one in fell if one.as_planned is False]
    planned = sum(one.as_planned is True for one in fell)
    proven = tuple((text, sum(bool(one.proof & proof) for one in fell)) for proof, text in _PROOFS.items())
    astray: tuple[Card, ...] | None = None
    unsure: tuple[Card, ...] | None = None
    if is_by_order and is_this_deal:
        known = {one.card for one in fell if one.as_planned is not None}
        astray = tuple(PACK[one.card] for one in elsewhere)
        unsure = tuple(card for index, card in enumerate(PACK) if index not in known)
    counts = (len(fell), planned, len(elsewhere), PACK_SIZE - planned - len(elsewhere))
    return Dropped(record, counts, proven, is_this_deal, bool(cards), astray, unsure)
