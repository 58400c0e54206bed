"""The writer of LIN: one line for each board, with all four hands, for Bridge Base and for dealing programs.

May import: `export.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `lin.py` (the reader).

Names of seats stand where players would: some programs find a board by its `pn` alone.
"""

from __future__ import annotations

from typing import Final

from driver.deals.formats.export import check_writable
from driver.deals.model import BoardDeal, DealSet, Vulnerability
from protocol.cards import Seat, Suit

_DEALERS: Final = {Seat.SOUTH: 1, Seat.WEST: 2, Seat.NORTH: 3, Seat.EAST: 4}
_SIDES: Final = {Vulnerability.NONE: "o", Vulnerability.NS: "n", Vulnerability.EW: "e", Vulnerability.ALL: "b"}


def losses(deals: DealSet) -> tuple[str, ...]:
    """Nothing of a board is lost."""
    return ()


def write(deals: DealSet) -> bytes:
    """The set as LIN, CRLF line ends. Raises CannotBeWritten for an empty set or a number above 999999."""
    check_writable(deals)
    return "".join(_line(board) for board in deals).encode("ascii")


def _line(board: BoardDeal) -> str:
    south_to_east = board.deal.hands_as_pbn(Seat.SOUTH)[2:].split(" ")
    hands = ",".join(
        "".join(suit.letter + ranks for suit, ranks in zip(Suit, hand.split("."), strict=True))
        for hand in south_to_east
    )
    return (
        f"qx|o{board.number}|pn|South,West,North,East|st||md|{_DEALERS[board.dealer_to_use]}{hands}|rh||"
        f"ah|Board {board.number}|sv|{_SIDES[board.vulnerability_to_use]}|pg||\r\n"
    )
