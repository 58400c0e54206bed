"""Deals, deal sets and damaged files for the tests of the deal file formats.

May import: driver.deals, protocol, hypothesis. Read next: `tests/unit/test_format_bri.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Final

from hypothesis import strategies as st

from driver.deals.hands import hands_as_pbn
from driver.deals.model import BoardDeal, Deal, DealSet
from driver.deals.records import Contents, Record
from driver.errors import DealFileError
from protocol.cards import PACK, Card, Seat, Suit

DEAL_A: Final = "N:K3.74.J8765.K742 J976.A8532.A9.JT Q8542.KJ9.T.Q983 AT.QT6.KQ432.A65"
"""The deal that is worked in every format."""


def deal(seed: int) -> Deal:
    """A deal that is the same for the same seed."""
    owners = [seat for seat in range(4) for _ in range(13)]
    random.Random(seed).shuffle(owners)
    return Deal(owners)


def deal_of(text: str) -> Deal:
    """The deal of "N:spades.hearts.diamonds.clubs …"."""
    hands = text.removeprefix("N:").split(" ")
    return Deal.from_hands(
        [
            [Card.of(suit, rank) for suit, ranks in zip(Suit, hand.split("."), strict=True) for rank in ranks]
            for hand in hands
        ]
    )


def deal_set(numbers: Iterable[int], event: str = "") -> DealSet:
    """A set with a different deal for each number, dealers and vulnerabilities not given."""
    boards = tuple(BoardDeal(number, deal(number)) for number in numbers)
    return DealSet(name="x", path=None, boards=boards, event=event)


def shown(record: Record) -> str | None:
    """The four hands of a record that is a deal."""
    return None if record.deal is None else record.deal.hands_as_pbn()


def as_read(contents: Contents) -> list[tuple[int | None, Deal | None]]:
    """Number and deal of each record."""
    return [(record.number, record.deal) for record in contents.records]


def as_written(deals: DealSet) -> list[tuple[int | None, Deal | None]]:
    """Number and deal of each board."""
    return [(board.number, board.deal) for board in deals]


deals: Final = st.permutations([seat for seat in range(4) for _ in range(13)]).map(Deal)
"""Any deal."""


@st.composite
def rows_of_boards(draw: st.DrawFn, *, lowest: int, highest: int, most: int = 4) -> DealSet:
    """A set of boards whose numbers follow each other."""
    several = draw(st.lists(deals, min_size=1, max_size=most))
    first = draw(st.integers(lowest, highest - len(several) + 1))
    boards = tuple(BoardDeal(number, deal) for number, deal in enumerate(several, start=first))
    return DealSet(name="x", path=None, boards=boards)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with up to four damages: bytes changed, lost, put in, doubled, or the end cut off."""
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 12) | st.sampled_from([13, 14, 52, 78, 128, 156]))
        new = draw(
            st.binary(max_size=4) | st.sampled_from([data[place : place + length] * 2, b" ", b"\x1a", b"0", b"\n"])
        )
        data = data[:place] + new + data[place + draw(st.sampled_from([0, len(new), length])) :]
        if draw(st.integers(0, 5)) == 0:
            data = data[: draw(st.integers(0, len(data)))]
    return data


def read_or_refuse(read: Callable[[bytes], Contents], data: bytes) -> Contents | None:
    """What the reader finds, None when it refuses. Fails when a record is neither a deal nor faulty, or shows cards."""
    try:
        contents = read(data)
    except DealFileError:
        return None
    for record in contents.records:
        assert (record.deal is None) == bool(record.faults)
        if record.deal is not None:
            assert sorted(card for seat in Seat for card in record.deal.hand(seat)) == list(PACK)
            assert record.hands is not None
            assert [sorted(hand or ()) for hand in record.hands] == [list(record.deal.hand(seat)) for seat in Seat]
    words = " ".join([repr(contents), *contents.notes])
    for record in contents.records:
        for hand in hands_as_pbn(record.hands)[2:].split() if record.hands else ():
            assert len(hand) < 10 or hand not in words
    return contents
