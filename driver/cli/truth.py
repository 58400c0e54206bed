"""Compares what a simulated machine physically did with the deals: the last line of `dealctl practise`.

May import: `driver.deals.model`, `protocol.cards`, `text`. Read next: `practise.py`. Blind: boards are named, no card.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from driver.cli.text import boards_word
from driver.deals.model import Deal, range_text
from protocol.cards import Seat


def differing_boards(answer: dict[str, Any], deals: Iterable[tuple[int, Deal]]) -> list[int]:
    """The numbers of `deals` whose board does not hold the deal; `answer` is the back door's to "truth".

    A number that was put in several times counts with the board that was put in last.
    """
    lay = {int(board["number"]): board["pockets"] for board in answer["boards"]}
    return [number for number, deal in deals if not _equal(lay.get(number), deal)]


def truth_line(different: list[int], compared: int, wanted: int) -> str:
    """ "truth: all 36 boards equal the deals"; `compared` of the `wanted` boards were called good."""
    if different:
        verb = "differs" if len(different) == 1 else "differ"
        return f"truth: {boards_word(len(different))} of {compared} {verb} from the deals: {range_text(different)}"
    if not compared:
        return "truth: no board was called good"
    if compared < wanted:
        return f"truth: the {boards_word(compared)} of {wanted} that were called good equal the deals"
    return f"truth: all {boards_word(compared)} equal the deals"


def _equal(pockets: Any, deal: Deal) -> bool:
    return isinstance(pockets, list) and all(
        sorted(int(card) for card in pocket) == [int(card) for card in deal.hand(seat)]
        for seat, pocket in zip(Seat, pockets, strict=True)
    )
