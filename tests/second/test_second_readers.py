"""Every board of a file that we write is the same board to a reader that somebody else wrote. For `make campaign`.

endplay reads PBN and LIN; npm's `pbn` reads PBN, DUP, BRI and DGE. Each is skipped, with the reason, where it cannot be
installed. Read next: `tests/support/second_readers.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from driver.deals.formats.registry import WRITERS
from driver.deals.loader import load_deals
from driver.deals.model import BoardDeal, Deal, DealSet, Vulnerability
from protocol.cards import PACK, Seat
from tests.support.deal_sets import deal, deal_of, deal_set
from tests.support.second_readers import NotHereError, SecondBoard, read_by_endplay, read_by_npm_pbn

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(1_200)]

CLUB = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
MANY = 900
SUITS = ("AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432")
WORDS_OF_ENDPLAY = {"none": "None", "ns": "NS", "ew": "EW", "both": "All"}


def all_sets() -> dict[str, DealSet]:
    """The club's evening, many random boards, markings other than the standard ones, and 13 cards of a suit."""
    club = load_deals(CLUB)
    marked = tuple(
        BoardDeal(number, deal(number), Seat(number // 3 % 4), tuple(Vulnerability)[number // 5 % 4])
        for number in range(1, 101)
    )
    turned = tuple(
        BoardDeal(1 + turn, deal_of(f"N:{' '.join(SUITS[turn:] + SUITS[:turn])}")) for turn in range(len(SUITS))
    )
    return {
        "the club": club,
        "random": deal_set(range(1, MANY + 1), event="Tuesday Pairs"),
        "other markings": replace(club, boards=marked),
        "one suit each": replace(club, boards=turned),
    }


SETS = all_sets()


def cards_of(one: Deal) -> frozenset[str]:
    return frozenset(f"{one.owner(card).letter}{card.suit.letter}{card.rank}" for card in PACK)


def read_back(
    read: Callable[[Path, str], list[SecondBoard]], name: str, deals: DealSet, folder: Path
) -> list[SecondBoard]:
    writer = next(writer for writer in WRITERS if writer.name == name)
    path = folder / f"written{writer.suffix}"
    path.write_bytes(writer.write(deals))
    try:
        return read(path, name)
    except NotHereError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("which", SETS)
@pytest.mark.parametrize("name", ["PBN", "LIN"])
def test_endplay_reads_the_same_boards(name: str, which: str, tmp_path: Path) -> None:
    deals = SETS[which]

    found = read_back(read_by_endplay, name, deals, tmp_path)

    assert [(board.number, board.cards) for board in found] == [(board.number, cards_of(board.deal)) for board in deals]
    # endplay takes dealers from the number where no contract was played, whatever the file says.
    assert [WORDS_OF_ENDPLAY[board.vulnerable] for board in found] == [
        board.vulnerability_to_use.text for board in deals
    ]


@pytest.mark.parametrize("which", SETS)
@pytest.mark.parametrize("name", ["PBN", "DUP", "BRI", "DGE"])
def test_npm_pbn_reads_the_same_boards(name: str, which: str, tmp_path: Path) -> None:
    deals = SETS[which]

    found = read_back(read_by_npm_pbn, name, deals, tmp_path)

    assert [(board.number, board.cards) for board in found] == [(board.number, cards_of(board.deal)) for board in deals]
    if name == "PBN":
        assert [(board.dealer, board.vulnerable) for board in found] == [
            (board.dealer_to_use.letter, board.vulnerability_to_use.text) for board in deals
        ]
