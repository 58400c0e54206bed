"""The loading card: which packs go into the hopper, out of which boards and in which order, before the first board.

May import: `driver.happenings`, `driver.pack_colours`, `text`. Read next: `deal.py`.
Packs come out of the last boards first, so that each moves on and all wear alike. Packs of two colours move on by two:
so red stays in odd boards and blue in even ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from driver.cli.text import board_name
from driver.happenings import Item
from driver.pack_colours import PackColours

MOST_NAMED: Final = 8


def loading_card(
    items: Sequence[Item], packs: int, *, sorted_packs: bool, colours: PackColours | None = None
) -> list[str]:
    """The lines of the card for the boards `items` in their order, `packs` of them in the hopper at once.

    `sorted_packs` = the machine cannot read cards, so each pack must lie in order. `colours` as the club has them.
    """
    names = [board_name(item.board, item.copy) for item in items]
    backs = _backs(items, packs, colours)
    origins = [names[place] for place in origins_of(backs)]
    lines = ["Loading card:"]
    if packs == 1:
        pack = "one whole pack" if len(items) == 1 else f"the pack out of board {origins[0]}"
        colour = f" ({backs[0]})" if colours else ""
        lines.append(f"  1. Put {pack}{colour}, face down, into the hopper: it becomes board {names[0]}.")
    else:
        for place, (name, origin, back) in enumerate(zip(names, origins, backs, strict=True), start=1):
            if place <= packs:
                where = "on top" if place == 1 else f"below it, number {place} from the top"
                pack = "One whole pack" if len(items) == 1 else f"Pack out of board {origin}"
                lines.append(f"  {place}. {pack}, {where}, face down, {back}: it becomes board {name}.")
    loaded = min(packs, len(items))
    if len(items) > loaded:
        when = "when the hopper is empty, put the next pack in" if packs == 1 else "put one more pack at the bottom"
        turns = "; back colours take turns" if packs > 1 and not colours else ""
        lines.append(f"  {loaded + 1}. After each board {when}{turns}.")
        onward = f"board {names[loaded]} gets the pack out of board {origins[loaded]}, and so on"
        lines.append(f"     Each pack moves on: {onward}.")
    lines += _same_backs(names, backs, packs)
    if sorted_packs:
        lines.append("  This machine cannot read cards. Sort each pack: spade ace on top, down to club two.")
    if len(names) > 1:
        shown = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
        lines.append(f"  Boards in this order: {shown} (last: {names[-1]}).")
    return lines


def origins_of(backs: Sequence[Hashable]) -> list[int]:
    """For each place in the order the place whose old pack goes into it, by the backs that belong to the places.

    Each pack goes to the next place with its back; the last packs of each back come first.
    """
    last = {back: place for place, back in enumerate(backs)}
    origins = []
    for place, back in enumerate(backs):
        origins.append(last[back])
        last[back] = place
    return origins


def _backs(items: Sequence[Item], packs: int, colours: PackColours | None) -> list[str]:
    """The back of each board's pack: by its number where the club has colours, in turns where several packs lie in the
    hopper, else all alike."""
    if colours is not None:
        return [colours.of(item.board) for item in items]
    if packs == 1:
        return [""] * len(items)
    return ["other back colour" if place % 2 else "first back colour" for place in range(len(items))]


def _same_backs(names: Sequence[str], backs: Sequence[str], packs: int) -> list[str]:
    """What to do where two packs of the same back would lie one behind the other."""
    if packs == 1:
        return []
    for place in range(1, len(names)):
        if backs[place] == backs[place - 1]:
            pair = f"{names[place - 1]} and {names[place]}"
            return [
                f"  Boards {pair} follow each other with the same back ({backs[place]}).",
                "  Never put two such packs in together: there, put the next one in when the hopper is empty.",
            ]
    return []
