"""Deals as texts, and deal sets for properties, that the tests of the text formats share.

Read next: `tests/unit/test_format_lin.py`, `tests/unit/test_text_formats_damage.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from hypothesis import strategies as st

from driver.deals.model import BoardDeal, Deal, DealSet, Vulnerability
from driver.deals.records import Record
from protocol.cards import Seat

NORTH = "K3.74.J8765.K742"
EAST = "J976.A8532.A9.JT"
SOUTH = "Q8542.KJ9.T.Q983"
WEST = "AT.QT6.KQ432.A65"
HANDS = f"N:{NORTH} {EAST} {SOUTH} {WEST}"
SUITS = ("AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432")
OTHER = f"N:{' '.join(SUITS)}"


def lettered(hand: str) -> str:
    """A hand as LIN writes it: "SK3H74DJ8765CK742"."""
    return "".join(letter + ranks for letter, ranks in zip("SHDC", hand.split("."), strict=True))


LIN_HANDS = ",".join(map(lettered, (SOUTH, WEST, NORTH, EAST)))
LIN_OTHER = ",".join(map(lettered, (SUITS[2], SUITS[3], SUITS[0], SUITS[1])))


def shown(record: Record) -> str | None:
    """The deal of a record as a PBN Deal tag has it, or None."""
    return None if record.deal is None else record.deal.hands_as_pbn()


@st.composite
def boards(draw: st.DrawFn) -> tuple[BoardDeal, ...]:
    """One to four boards with random deals and numbers, some with a dealer and vulnerability of their own."""
    numbers = draw(st.lists(st.integers(1, 999_999) | st.integers(1, 36), min_size=1, max_size=4, unique=True))
    owners = st.permutations([seat for seat in range(4) for _ in range(13)])
    dealers = st.none() | st.sampled_from(Seat)
    sides = st.none() | st.sampled_from(Vulnerability)
    return tuple(BoardDeal(number, Deal(draw(owners)), draw(dealers), draw(sides)) for number in numbers)


def set_of(*members: BoardDeal, event: str = "", date: str = "") -> DealSet:
    """A deal set of these boards."""
    return DealSet(name="test", path=None, boards=members, event=event, date=date)


def as_read(record: Record) -> tuple[int | None, Deal | None, Seat | None, Vulnerability | None]:
    """What a writer has to bring back of a board."""
    return record.number, record.deal, record.dealer, record.vulnerability


def as_written(board: BoardDeal) -> tuple[int, Deal, Seat, Vulnerability]:
    """What a writer makes of a board: the standard dealer and vulnerability where it has none of its own."""
    return board.number, board.deal, board.dealer_to_use, board.vulnerability_to_use


def work_of(action: Callable[[], object]) -> int:
    """How many functions, written in Python or not, are called while `action` runs."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls
