"""The loading card: which packs go into the hopper, in which order, before the first board.

May import: `text`. Read next: `deal.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST_NAMED: Final = 8


def loading_card(names: Sequence[str], packs: int, *, sorted_packs: bool) -> list[str]:
    """The lines of the card for the boards `names` in their order, `packs` of them in the hopper at once.

    `sorted_packs` = the machine cannot read cards, so each pack must lie in order.
    """
    lines = ["Loading card:"]
    if packs == 1:
        lines.append(f"  1. Put one whole pack, face down, into the hopper: it becomes board {names[0]}.")
        if len(names) > 1:
            lines.append("  2. After each board, when the hopper is empty, put the next pack in.")
    else:
        first = names[: min(packs, len(names))]
        for place, name in enumerate(first, start=1):
            where = "on top" if place == 1 else f"below it, number {place} from the top"
            back = "first back colour" if place % 2 else "other back colour"
            lines.append(f"  {place}. Pack for board {name}: {where}, face down, {back}.")
        if len(names) > len(first):
            lines.append("  After each board put one more pack at the bottom; back colours take turns.")
    if sorted_packs:
        lines.append("  This machine cannot read cards. Sort each pack: spade ace on top, down to club two.")
    shown = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
    if len(names) > 1:
        lines.append(f"  Boards in this order: {shown} (last: {names[-1]}).")
    return lines
