"""Plain functions on the four hands of a record that may be wrong: name a card, find the faults, write as PBN.

May import: `protocol.cards`. Read next: `model.py`, where only faultless hands become a deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from protocol.cards import HAND_SIZE, PACK, RANKS, Card, Seat, Suit

Hand = tuple[Card, ...] | None
"""The cards of one seat in any order, possibly too few or the same one twice; None when the file does not give it."""

NAMED_AT_MOST: Final = 4

_SUIT_WORDS: Final = ("spade", "heart", "diamond", "club")
_RANK_WORDS: Final = (
    *("ace", "king", "queen", "jack", "ten", "nine", "eight"),
    *("seven", "six", "five", "four", "three", "two"),
)
_TIMES: Final = {2: "twice", 3: "three times", 4: "four times"}


def card_name(card: Card) -> str:
    """The card in words: "spade ace", "club two"."""
    return f"{_SUIT_WORDS[card.suit]} {_RANK_WORDS[RANKS.index(card.rank)]}"


def seat_name(seat: Seat) -> str:
    """The seat in words: "North"."""
    return seat.name.capitalize()


def listed(words: Sequence[str]) -> str:
    """Words as a person lists them: "a", "a and b", "a, b and c"."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def find_faults(hands: Sequence[Hand]) -> tuple[str, ...]:
    """Why these four hands (N E S W) are no deal of 52 different cards, 13 each (Law 1, Law 6B); empty if they are.

    Each reason is a phrase such as "spade ace twice" or "North has 14 cards". Once a card is named, the numbers of
    cards come without seats, so that no reason tells which hand a card is in (invariant I7).
    """
    given = [hand for hand in hands if hand is not None]
    count = Counter(card for hand in given for card in hand)
    doubled = [card for card in PACK if count[card] > 1]
    absent = [card for card in PACK if not count[card]] if len(given) == len(hands) else []

    reasons = _name_unknown([seat for seat in Seat if hands[seat] is None])
    reasons += [f"{card_name(card)} {_TIMES.get(count[card], 'many times')}" for card in doubled[:NAMED_AT_MOST]]
    if len(doubled) > NAMED_AT_MOST:
        reasons.append(f"{len(doubled) - NAMED_AT_MOST} more cards too often")
    if len(absent) <= NAMED_AT_MOST:
        reasons += [f"{card_name(card)} missing" for card in absent]
    elif doubled:
        reasons.append(f"{len(absent)} cards missing")
    names_a_card = bool(doubled) or 0 < len(absent) <= NAMED_AT_MOST
    return tuple(reasons + _name_sizes(hands, with_seats=not names_a_card))


def hands_as_pbn(hands: Sequence[Hand], first: Seat = Seat.NORTH) -> str:
    """The value of a PBN Deal tag: "N:KQ2.AJ.… … … …", four hands clockwise from `first`, `-` for one not given."""
    seats = [Seat((first + turn) % 4) for turn in range(4)]
    return f"{first.letter}:{' '.join(_hand_as_pbn(hands[seat]) for seat in seats)}"


def _hand_as_pbn(hand: Hand) -> str:
    if hand is None:
        return "-"
    cards = sorted(hand)
    return ".".join("".join(card.rank for card in cards if card.suit is suit) for suit in Suit)


def _name_unknown(seats: Sequence[Seat]) -> list[str]:
    if not seats:
        return []
    if len(seats) == len(Seat):
        return ["no hand is given"]
    names = listed([seat_name(seat) for seat in seats])
    return [f"the hand of {names} is not given" if len(seats) == 1 else f"the hands of {names} are not given"]


def _name_sizes(hands: Sequence[Hand], *, with_seats: bool) -> list[str]:
    sizes = [(seat, len(hand)) for seat in Seat if (hand := hands[seat]) is not None]
    wrong = [(seat, size) for seat, size in sizes if size != HAND_SIZE]
    if not wrong:
        return []
    if with_seats:
        return [f"{seat_name(seat)} has {_cards(size)}" for seat, size in wrong]
    ordered = sorted((size for _, size in sizes), reverse=True)
    return [f"the hands have {listed([str(size) for size in ordered])} cards"]


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number or 'no'} cards"


def as_hands(hands: Sequence[Iterable[Card]]) -> tuple[tuple[Card, ...], ...]:
    """Four hands of any kind of iterable as tuples. Raises ValueError when there are not four."""
    if len(hands) != len(Seat):
        raise ValueError(f"a deal has four hands, not {len(hands)}")
    return tuple(tuple(hand) for hand in hands)
