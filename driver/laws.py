"""The Laws of Duplicate Bridge as far as dealing goes: one table of four editions, and the answers that it gives.

May import: the standard library. Read next: `seen_card.py`, `used_deals.py`, `new_hands.py`, which ask it.
The program rules on nothing: it says which Law a question belongs to and leaves the ruling to the director. The newest
edition holds; the interface has no option for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, unique
from typing import Final


@unique
class Stage(IntEnum):
    """How far a board has come when something is found out."""

    DEALING = 1
    DEALT = 2
    BEGUN_ELSEWHERE = 3
    """The auction has begun at another table that plays this board, but not at the table in question."""
    BEGUN = 4


@unique
class OrderOfDealing(Enum):
    """How Law 6B has a person deal by hand."""

    ROTATION = "in rotation"
    CLOCKWISE_ADVISED = "in rotation, clockwise by preference"
    NO_TWO_TOGETHER = "clockwise by preference, and never two cards that lay together into one hand"


@unique
class SightThatCounts(Enum):
    """What a player must have seen before the deal may count as exposed (Law 6D1)."""

    ANY_CARD = "any card"
    CARD_OF_ANOTHER = "a card of another hand"


@unique
class OldDeal(Enum):
    """Hands on which no result stands (Law 6D2); it is about results, not about dealing."""

    PLAYED = "that were played before"
    PLAYED_ELSEWHERE = "that were played before in another session"
    OF_ANOTHER_SESSION = "from another session, unless the event is a replay of past deals"


@unique
class OtherMethod(Enum):
    """What Law 6E4 asks of another way of dealing than by hand at the table."""

    NOT_SAID = ""
    FREE = "the director may have the boards dealt in another way"
    AS_RANDOM = "the director may have the boards dealt in another way that is as random as a shuffle"


@unique
class Copies(Enum):
    """What Law 6F says about more than one board with the same hands."""

    NOT_SAID = ""
    ALLOWED = "exact copies are allowed"
    KEPT = "exact copies are allowed, and once they are made there are normally no new hands"


@unique
class Topic(Enum):
    """What a question is about; `Edition.law_number` has the number of the Law."""

    SIGHT = "a player may have seen a card of another hand"
    LATER_SIGHT = "the same, when it is too late for new hands"
    CONTESTANTS = "new hands for some contestants only"
    OLD_DEAL = "hands that were dealt before"
    DIRECTOR_WISH = "new hands because the director wants them"
    PASSED_OUT = "the board was passed out"
    RESULT_KNOWN = "the result without this board may be known"
    METHOD = "another way of dealing"
    COPIES = "more than one board with the same hands"
    FOULED = "contestants who are compared had different hands"


@unique
class Remedy(Enum):
    """What the Laws have for a card that was seen."""

    NONE = "nothing"
    NEW_HANDS = "new hands"
    DIRECTOR = "the director decides"


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition of the Laws: a row of the table. "" stands for a Law that has nothing on the point."""

    year: int
    order: OrderOfDealing
    new_hands_until: Stage
    """The last stage at which Law 6D1 has new hands for a deal that was exposed."""
    sight: SightThatCounts
    later_sight: str
    """The Law on a card seen later; its second part lets the director give new hands to some contestants."""
    old_deal: OldDeal
    passed_out: str
    result_known: str
    method: OtherMethod
    copies: Copies

    def law_number(self, topic: Topic) -> str:
        """The number of the Law for a topic, as "6D1"; "" where this edition has none that we know of."""
        match topic:
            case Topic.LATER_SIGHT:
                return self.later_sight
            case Topic.CONTESTANTS:
                return f"{self.later_sight}2" if self.later_sight else ""
            case Topic.PASSED_OUT:
                return self.passed_out
            case Topic.RESULT_KNOWN:
                return self.result_known
            case Topic.METHOD:
                return "" if self.method is OtherMethod.NOT_SAID else "6E4"
            case Topic.COPIES:
                return "" if self.copies is Copies.NOT_SAID else "6F"
            case Topic.SIGHT | Topic.OLD_DEAL | Topic.DIRECTOR_WISH | Topic.FOULED:
                return _SAME_IN_ALL[topic]

    def sight_counts(self, *, knows_hand: bool, plays: bool) -> bool:
        """Whether a person's sight of a card counts (Law 6D1): it does when that person plays the board, and, since
        1997, only when it could be a card of another player's hand."""
        return plays and (knows_hand or self.sight is SightThatCounts.ANY_CARD)

    def remedy(self, *, knows_hand: bool, plays: bool, stage: Stage) -> Remedy:
        """What the Laws have for a card seen by a person; `knows_hand`: it may be known which hand it went to."""
        if not self.sight_counts(knows_hand=knows_hand, plays=plays):
            return Remedy.NONE
        return Remedy.NEW_HANDS if stage <= self.new_hands_until else Remedy.DIRECTOR

    @property
    def old_deal_line(self) -> str:
        """What Law 6D2 says about results on old hands, and that it is the director's."""
        number = self.law_number(Topic.OLD_DEAL)
        return f"Law {number}: no result stands on hands {self.old_deal.value}. The director decides."

    @property
    def method_line(self) -> str:
        """On what a machine's dealing rests, for the start sheet, beside the director's instruction."""
        by_hand = f"By hand cards are dealt {self.order.value} (Law 6B)"
        number = self.law_number(Topic.METHOD)
        return f"{by_hand}; {self.method.value} (Law {number})." if number else f"{by_hand}."

    @property
    def reminders(self) -> tuple[str, ...]:
        """What a director may want to think of before new hands: reminders, not gates."""
        lines = []
        if number := self.law_number(Topic.PASSED_OUT):
            lines.append(f"Law {number}: a board that was passed out is not dealt anew.")
        if number := self.law_number(Topic.RESULT_KNOWN):
            lines.append(f"Law {number}: no new hands when the result without this board may be known to a contestant.")
        return tuple(lines)

    @property
    def copies_line(self) -> str:
        """What the Laws say about new hands once copies are made; "" where they say nothing."""
        if self.copies is not Copies.KEPT:
            return ""
        return f"Law {self.law_number(Topic.COPIES)}: {self.copies.value}; the director may order them."


_SAME_IN_ALL: Final = {Topic.SIGHT: "6D1", Topic.OLD_DEAL: "6D2", Topic.DIRECTOR_WISH: "6D3", Topic.FOULED: "87"}

EDITIONS: Final = (
    Edition(
        year=1987,
        order=OrderOfDealing.ROTATION,
        new_hands_until=Stage.DEALING,
        sight=SightThatCounts.ANY_CARD,
        later_sight="",
        old_deal=OldDeal.PLAYED,
        passed_out="",
        result_known="",
        method=OtherMethod.NOT_SAID,
        copies=Copies.NOT_SAID,
    ),
    Edition(
        year=1997,
        order=OrderOfDealing.CLOCKWISE_ADVISED,
        new_hands_until=Stage.BEGUN_ELSEWHERE,
        sight=SightThatCounts.CARD_OF_ANOTHER,
        later_sight="",
        old_deal=OldDeal.PLAYED_ELSEWHERE,
        passed_out="22A",
        result_known="86C",
        method=OtherMethod.FREE,
        copies=Copies.ALLOWED,
    ),
    Edition(
        year=2007,
        order=OrderOfDealing.CLOCKWISE_ADVISED,
        new_hands_until=Stage.DEALT,
        sight=SightThatCounts.CARD_OF_ANOTHER,
        later_sight="16C",
        old_deal=OldDeal.OF_ANOTHER_SESSION,
        passed_out="22A",
        result_known="86C",
        method=OtherMethod.AS_RANDOM,
        copies=Copies.KEPT,
    ),
    Edition(
        year=2017,
        order=OrderOfDealing.NO_TWO_TOGETHER,
        new_hands_until=Stage.DEALT,
        sight=SightThatCounts.CARD_OF_ANOTHER,
        later_sight="16D",
        old_deal=OldDeal.OF_ANOTHER_SESSION,
        passed_out="22B",
        result_known="86A",
        method=OtherMethod.AS_RANDOM,
        copies=Copies.KEPT,
    ),
)
"""The editions, oldest first."""

NEWEST: Final = EDITIONS[-1]
"""The edition that holds."""
