"""Physical cards and the packs that a person loads: whole, short, long, swapped, with a stop card.

May import: protocol and the standard library. Read next: `mechanism.py`. The first card of a pack lies on top:
it is fed first. The text of a card never tells which card it is (I7).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from protocol.cards import PACK_SIZE, Unproven

Pack = tuple["SimCard", ...]
"""Cards from the top of the pack down."""

BLUE: Final = "blue"
RED: Final = "red"


@dataclass(frozen=True, slots=True)
class SimCard:
    """One piece of pasteboard.

    `identity`: card code 0 … 51 or `Unproven.FOREIGN`; `worn_as`: the code that a reader takes it for; `sticky`: it
    drags the next card along; `blank`: no reader can read it; `weak`: confidence is low, always; `stop`: a stop card.
    """

    identity: int
    back: str = BLUE
    face_up: bool = False
    worn_as: int | None = None
    sticky: bool = False
    blank: bool = False
    weak: bool = False
    stop: bool = False
    serial: int = 0

    def put_right(self) -> SimCard:
        """The card as a careful person puts it back: face down, wiped, loose."""
        return replace(self, face_up=False, sticky=False, blank=False, weak=False)

    def __deepcopy__(self, memo: object) -> SimCard:
        return self

    def __repr__(self) -> str:
        return f"SimCard(serial={self.serial})"


def ordered_pack(*, back: str = BLUE, pack: int = 1) -> Pack:
    """A whole pack in the order of the card codes. `pack` numbers the packs of one load."""
    return tuple(SimCard(code, back, serial=100 * pack + code) for code in range(PACK_SIZE))


def shuffled_pack(seed: int, *, back: str = BLUE, pack: int = 1) -> Pack:
    """A whole pack, shuffled; the same seed gives the same order."""
    cards = list(ordered_pack(back=back, pack=pack))
    random.Random(seed).shuffle(cards)
    return tuple(cards)


def short_pack(seed: int, *, missing: int | None = None, back: str = BLUE, pack: int = 1) -> Pack:
    """51 cards: without the card of code `missing` (default: one that the seed chooses)."""
    gone = random.Random(~seed).randrange(PACK_SIZE) if missing is None else missing
    return tuple(card for card in shuffled_pack(seed, back=back, pack=pack) if card.identity != gone)


def long_pack(seed: int, *, extra: int | None = None, at: int | None = None, back: str = BLUE, pack: int = 1) -> Pack:
    """53 cards: the card of code `extra` twice, its twin at place `at` (default: as the seed chooses)."""
    chosen = random.Random(~seed)
    code = chosen.randrange(PACK_SIZE) if extra is None else extra
    cards = list(shuffled_pack(seed, back=back, pack=pack))
    cards.insert(chosen.randrange(PACK_SIZE + 1) if at is None else at, SimCard(code, back, serial=100 * pack + 99))
    return tuple(cards)


def swapped(one: Sequence[SimCard], other: Sequence[SimCard], at_one: int, at_other: int) -> tuple[Pack, Pack]:
    """Both packs after the card at `at_one` of the one and at `at_other` of the other changed places."""
    left, right = list(one), list(other)
    left[at_one], right[at_other] = right[at_other], left[at_one]
    return tuple(left), tuple(right)


def with_stop_card(pack: Sequence[SimCard]) -> Pack:
    """The pack with a stop card below its last card."""
    return (*pack, SimCard(Unproven.FOREIGN, "stop", stop=True, serial=90))


def foreign_card(back: str = BLUE) -> SimCard:
    """A card that is none of the 52, a joker for instance."""
    return SimCard(Unproven.FOREIGN, back, serial=91)
