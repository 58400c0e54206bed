"""Somebody saw the face of a card: what follows for the board. Pure.

May import: `driver.laws`. Read next: `cli/seen.py`, which asks the one question; `new_hands.py`.
A card of the pack whose pocket nobody knows tells nothing. Nothing waits for a director: where the Laws leave it to
one, the same hands stay and a note is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from driver.laws import NEWEST, Edition, Remedy, Stage, Topic

QUESTION = "Do you know which hand a card went to, and do you play this board?"
"""The one question; "no" is the usual answer."""


@unique
class Outcome(Enum):
    """What becomes of the board."""

    NOTHING = "nothing to do"
    NEW_HANDS = "new hands"
    SAME_HANDS = "same hands and a note for the director"


@dataclass(frozen=True, slots=True)
class Sight:
    """What a person says: may they know which hand a card went to, and do they play the board."""

    knows_hand: bool
    plays: bool


@dataclass(frozen=True, slots=True)
class BoardFacts:
    """What the program knows of the board. `spare`: a spare deal of its set is left, which a set from a file never has.

    `copies_out`: it was dealt, in whichever copy, and is out of the machine.
    """

    board: int
    stage: Stage
    spare: bool
    copies_out: bool


@dataclass(frozen=True, slots=True)
class Ruling:
    """What follows, and the Law that it goes by ("" = none)."""

    outcome: Outcome
    law: str = ""


def rule(sight: Sight, facts: BoardFacts, edition: Edition = NEWEST) -> Ruling:
    """What follows from a sight.

    New hands only where the Laws have them and nothing else is touched by them: the set was made here and has a spare
    deal, no copy is out, nobody has begun to play. Otherwise the same hands, and a note for the director.
    """
    match edition.remedy(knows_hand=sight.knows_hand, plays=sight.plays, stage=facts.stage):
        case Remedy.NONE:
            return Ruling(Outcome.NOTHING)
        case Remedy.NEW_HANDS if facts.spare and not facts.copies_out:
            return Ruling(Outcome.NEW_HANDS, edition.law_number(Topic.SIGHT))
        case _:
            return Ruling(Outcome.SAME_HANDS, edition.law_number(Topic.LATER_SIGHT))


def note_line(board: int, who: str) -> str:
    """The line for the director: "9: Ann may know one card"."""
    return f"{board}: {who} may know one card"
