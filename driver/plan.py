"""What a run is to do with its 52 cards: which card, or which index, goes into which pocket.

May import: `protocol`, `driver.deals.model`. Read next: `verification.py`, which holds the evidence against the plan.
A plan shows neither its deal nor its pockets in its text or repr (invariant I7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from driver.deals.model import Deal
from protocol.cards import HAND_SIZE, PACK, PACK_SIZE, Card, Seat
from protocol.codes import AnomalyMode, Routing

DESTINATIONS_SIZE: Final = PACK_SIZE // 4


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """One run's plan. `pockets` is the pocket of each card (BY_IDENTITY) or of each index (BY_ORDER), 52 in all.

    `deal` is what the board shall hold, None when the plan follows no deal (a pack check, a hand-shuffled pack).
    Raises ValueError when the pockets are not 13 each, or the anomaly mode does not go with the routing.
    """

    board: int
    deal: Deal | None
    pockets: tuple[Seat, ...]
    routing: Routing
    on_anomaly: AnomalyMode = AnomalyMode.STOP
    more_packs: bool = False

    def __post_init__(self) -> None:
        if len(self.pockets) != PACK_SIZE or any(self.pockets.count(seat) != HAND_SIZE for seat in Seat):
            raise ValueError("a plan gives 13 cards to each of the four pockets")
        if self.on_anomaly is AnomalyMode.REPORT and self.routing is not Routing.BY_ORDER:
            raise ValueError("anomalies can only be reported by order")

    @classmethod
    def by_identity(cls, board: int, deal: Deal, *, more_packs: bool = False) -> Plan:
        """Deals `deal`: each card goes where the deal gives it, in whatever order the pack lies."""
        return cls(board, deal, deal.owners, Routing.BY_IDENTITY, more_packs=more_packs)

    @classmethod
    def by_order(cls, board: int, deal: Deal, *, pack_order: Sequence[Card] = PACK, more_packs: bool = False) -> Plan:
        """Deals `deal` from a sorted pack: `pack_order` are its cards as they are fed, spade ace to club two.

        Raises ValueError when `pack_order` is not each of the 52 cards once.
        """
        if sorted(pack_order) != list(PACK):
            raise ValueError("a pack has each of the 52 cards once")
        pockets = tuple(deal.owner(card) for card in pack_order)
        return cls(board, deal, pockets, Routing.BY_ORDER, more_packs=more_packs)

    @classmethod
    def rotation(cls, board: int, *, on_anomaly: AnomalyMode = AnomalyMode.REPORT, more_packs: bool = False) -> Plan:
        """Card by card into N E S W in turn: to check a pack (REPORT), or to deal a hand-shuffled one (STOP)."""
        pockets = tuple(Seat(index % 4) for index in range(PACK_SIZE))
        return cls(board, None, pockets, Routing.BY_ORDER, on_anomaly, more_packs)

    @classmethod
    def by_thirteens(cls, board: int, deal: Deal) -> Plan:
        """To check a dealt board: its four hands lie in the hopper, N first, and go back into their own pockets."""
        pockets = tuple(Seat(index // HAND_SIZE) for index in range(PACK_SIZE))
        return cls(board, deal, pockets, Routing.BY_ORDER, AnomalyMode.REPORT)

    def destinations(self) -> bytes:
        """The 13 bytes of ARM: two bits for each card or index, in byte n // 4 from bit 2·(n % 4) up."""
        packed = bytearray(DESTINATIONS_SIZE)
        for place, seat in enumerate(self.pockets):
            packed[place // 4] |= seat << 2 * (place % 4)
        return bytes(packed)

    def __repr__(self) -> str:
        return f"<Plan for board {self.board}, {self.routing.name}>"
