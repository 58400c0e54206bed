"""What a machine can see by its capabilities, and what it can never see: the sentences shown beside each verdict.

May import: `protocol`. Read next: `verification.py`. The rows are those of PROTOCOL.md, "What GOOD can mean", by the
same names; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from protocol.codes import BoardSensing, Feature, HopperSensing, LedgerKind, PocketSensing, Recognition
from protocol.messages import Identity


@dataclass(frozen=True, slots=True)
class Sight:
    """The capabilities that decide what is proven; a code that nobody knows counts as the lack of it."""

    reads: bool
    senses_pockets: bool
    keeps_ledger: bool
    senses_board: bool
    reads_board: bool
    senses_hopper: bool
    threshold: int
    features: Feature

    @classmethod
    def of(cls, identity: Identity) -> Sight:
        """The sight of the machine that gave `identity`."""
        return cls(
            reads=identity.recognition in (Recognition.PATH, Recognition.HOPPER),
            senses_pockets=identity.pockets == PocketSensing.SENSED,
            keeps_ledger=identity.ledger in (LedgerKind.RUN, LedgerKind.CARD),
            senses_board=identity.board in (BoardSensing.PRESENCE, BoardSensing.NUMBER),
            reads_board=identity.board == BoardSensing.NUMBER,
            senses_hopper=identity.hopper == HopperSensing.EMPTY,
            threshold=identity.threshold,
            features=identity.features,
        )

    def has(self, feature: Feature) -> bool:
        """Whether the machine has that feature."""
        return feature in self.features

    @property
    def can_prove(self) -> bool:
        """Whether it can bring more than NOT PROVEN without a person's count."""
        return self.keeps_ledger and (self.reads or self.senses_pockets)

    @property
    def separates_packs(self) -> bool:
        """Whether it sees where one pack of a load ends and the next begins."""
        return bool(self.features & (Feature.BACKS | Feature.STOP_CARD))


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """What a machine cannot see: the row of the visibility table ("" for none), and one sentence for a person."""

    fault: str
    sentence: str


@dataclass(frozen=True, slots=True)
class _Rule:
    spot: BlindSpot
    applies: Callable[[Sight, bool], bool]


def _rule(fault: str, sentence: str, applies: Callable[[Sight, bool], bool]) -> _Rule:
    return _Rule(BlindSpot(fault, sentence), applies)


# The second argument of each condition says whether other packs lie below this one.
_RULES: Final = (
    _rule(
        "card into a wrong pocket",
        "This machine does not sense its pockets: it cannot see a card that falls into a wrong one.",
        lambda sight, below: not sight.senses_pockets,
    ),
    _rule(
        "",
        "This machine does not read the cards: it cannot see which cards lie in the pockets.",
        lambda sight, below: not sight.reads,
    ),
    _rule(
        "two cards read as each other",
        "Two cards that are read as each other look right to this machine.",
        lambda sight, below: sight.reads,
    ),
    _rule(
        "double feed, pack below",
        "Two cards that leave as one are not seen while other packs lie below; the next pack's end may show it.",
        lambda sight, below: below and not sight.reads and not sight.has(Feature.THICKNESS),
    ),
    _rule(
        "51 cards, pack below",
        "A pack with a card too few is not seen while other packs lie below.",
        lambda sight, below: below and not sight.reads and not sight.separates_packs,
    ),
    _rule(
        "53 cards, pack below",
        "A pack with a card too many is not seen while other packs lie below.",
        lambda sight, below: below and not sight.reads and not sight.separates_packs,
    ),
    _rule(
        "same card of another pack, other back",
        "This machine does not see the backs: a card of another pack in place of the same card looks right to it.",
        lambda sight, below: not sight.has(Feature.BACKS),
    ),
    _rule(
        "full or same board in the slot",
        "This machine does not see whether cards lay in the board before.",
        lambda sight, below: not sight.senses_pockets,
    ),
    _rule(
        "wrong or turned board, no number reader",
        "This machine does not read the board's number: a person says which it is and that it lies rightly.",
        lambda sight, below: not sight.reads_board,
    ),
    _rule(
        "",
        "This machine does not sense its hopper: it cannot see whether the pack ended with the last card.",
        lambda sight, below: not sight.senses_hopper,
    ),
    _rule(
        "",
        "This machine keeps no record of its own: it can prove no board.",
        lambda sight, below: not sight.keeps_ledger,
    ),
)


def blind_spots(sight: Sight, *, more_packs: bool) -> tuple[BlindSpot, ...]:
    """All that a machine with that sight never sees; `more_packs` = other packs lie below this one."""
    return tuple(rule.spot for rule in _RULES if rule.applies(sight, more_packs))
