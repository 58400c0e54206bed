"""The back colours of a club's packs: which lie in odd and which in even boards, remembered where a person says so.

May import: `driver.store.decisions`. Read next: `cli/loading_card.py`, which says from which board each pack comes.
Two packs of the same back are never put into the hopper one behind the other: nobody would see where one ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from driver.store.decisions import Decision, Decisions, Detail

_ODD: Final = "odd"
_EVEN: Final = "even"


@dataclass(frozen=True, slots=True)
class PackColours:
    """The back colour of the packs in odd and in even boards, as a person calls them."""

    odd: str
    even: str

    def of(self, board: int) -> str:
        """The colour that belongs into that board number."""
        return self.odd if board % 2 else self.even


def kept_colours(decisions: Decisions) -> PackColours | None:
    """The colours that somebody said to remember, None when nobody did, or said that there are none."""
    for entry in decisions.newest_first():
        if entry.what is Decision.PACK_COLOURS:
            odd, even = entry.details.get(_ODD), entry.details.get(_EVEN)
            return PackColours(odd, even) if isinstance(odd, str) and isinstance(even, str) else None
    return None


def keep_colours(decisions: Decisions, who: str, colours: PackColours | None) -> None:
    """Remembers the colours for every later job of this computer; None = the club's packs are all alike."""
    details: dict[str, Detail] = {} if colours is None else {_ODD: colours.odd, _EVEN: colours.even}
    decisions.append(Decision.PACK_COLOURS, who, **details)
