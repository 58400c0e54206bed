"""What the text formats share: lines, seats, vulnerabilities, a hand as four suits, texts fit for a screen.

May import: `driver.deals`, `protocol.cards`. Read next: `pbn.py`, `lin.py`, `csv_text.py`, `one_line.py`, `gib.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from driver.deals.hands import Hand
from driver.deals.model import Vulnerability
from driver.deals.records import Record, Remark, fill_fourth, judge
from protocol.cards import HAND_SIZE, PACK, RANKS, Card, Seat, Suit

MOST_RECORDS: Final = 100_000
"""No club has more boards in a file; more would only fill the memory."""

LONGEST_DEAL: Final = 1000
"""Signs of one deal in a text; four hands with a letter for each suit and "10" for ten have fewer than a hundred."""

LONGEST_BOARD: Final = 20
LONGEST_EVENT: Final = 200
LONGEST_DATE: Final = 40
"""Signs that are kept of a board number, the name of an event, a date: they go to screens."""

SEATS: Final = {name: seat for seat in Seat for name in (seat.letter, seat.name)}
"""Seats by letter and by name, in capitals."""

VULNERABILITIES: Final = {
    **dict.fromkeys(("NONE", "LOVE", "-"), Vulnerability.NONE),
    **dict.fromkeys(("NS", "N-S", "N/S"), Vulnerability.NS),
    **dict.fromkeys(("EW", "E-W", "E/W"), Vulnerability.EW),
    **dict.fromkeys(("ALL", "BOTH"), Vulnerability.ALL),
}
"""Vulnerabilities by every usual spelling, in capitals."""

_OF_A_HAND: Final = frozenset(".-SHDC" + RANKS)
_CARDS: Final = tuple(
    {sign: PACK[len(RANKS) * suit + place] for place, rank in enumerate(RANKS) for sign in (rank, rank.lower())}
    for suit in Suit
)


class NotHandsError(Exception):
    """A text is not hands of four suits; the message is a phrase for a BadRecord and names no card with its seat."""


def dotted_hand(word: str) -> tuple[Card, ...]:
    """The cards of a hand written as in PBN: "K3.74.J8765.K742", in any case, in any order within a suit.

    Accepts "10" for ten, a dash for a void, and a letter before each suit when all four have theirs. Raises
    NotHandsError.
    """
    suits = word.split(".")
    if len(suits) != len(_CARDS):
        raise NotHandsError(f"a hand with {not_four(len(suits), 'suit')}")
    try:
        return tuple([cards[rank] for cards, ranks in zip(_CARDS, suits, strict=True) for rank in ranks])
    except KeyError:
        if all(ranks[:1].upper() == suit.letter for suit, ranks in zip(Suit, suits, strict=True)):
            suits = [ranks[1:] for ranks in suits]
        return hand_of_suits(suits)


def hand_of_suits(suits: Sequence[str]) -> tuple[Card, ...]:
    """The cards of four texts of ranks, spades to clubs, with the same freedoms. Raises NotHandsError."""
    return tuple([card for suit, ranks in zip(Suit, suits, strict=True) for card in suit_cards(suit, ranks)])


def suit_cards(suit: Suit, ranks: str) -> list[Card]:
    """The cards of one suit: "AKT2", "ak102", "-" or nothing for a void. Raises NotHandsError."""
    cards = _CARDS[suit]
    if ranks == "-":
        return []
    if "10" in ranks:
        ranks = ranks.replace("10", "T")
    try:
        return [cards[rank] for rank in ranks]
    except KeyError:
        wrong = next(rank for rank in ranks if rank not in cards).upper()
    if wrong == "X":
        raise NotHandsError("small cards are written as x")
    raise NotHandsError(f'"{wrong}" is not the rank of a card' if wrong.isprintable() else "an unreadable rank")


def not_four(number: int, thing: str) -> str:
    """ "3 hands instead of four", "1 suit instead of four"."""
    return f"{number} {thing if number == 1 else thing + 's'} instead of four"


def dealer_of(text: str, remarks: list[Remark]) -> Seat | None:
    """The dealer by letter or name, None for an empty text; another text is None too, and a remark."""
    seat = SEATS.get(text.upper())
    if text and seat is None:
        remarks.append(Remark.DEALER_UNKNOWN)
    return seat


def vulnerability_of(text: str, remarks: list[Remark]) -> Vulnerability | None:
    """The vulnerability in any usual spelling, None for an empty text; another text is None too, and a remark."""
    vulnerability = VULNERABILITIES.get(text.upper())
    if text and vulnerability is None:
        remarks.append(Remark.VULNERABILITY_UNKNOWN)
    return vulnerability


def shown(text: str, longest: int) -> str:
    """Text of a file that may go to a screen: one line, no control signs, not longer than `longest`."""
    text = text[:longest]
    return (text if text.isprintable() else "".join(sign for sign in text if sign.isprintable())).strip()


def board_as_written(text: str) -> str:
    """What a file calls a board, as `shown`; "" for a hand, or a piece of one, that a damaged file has there (I7)."""
    name = shown(text, LONGEST_BOARD)
    return "" if any(_is_of_a_hand(word) for word in name.upper().split()) else name


def _is_of_a_hand(word: str) -> bool:
    return _OF_A_HAND.issuperset(word) and ("." in word or (len(word) >= HAND_SIZE and not word.isdigit()))


def lines(text: str) -> Iterator[str]:
    """The lines of a text without their ends, one at a time."""
    position = 0
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        yield text[position:end]
        position = end + 1


def dealt(line: int, hands: tuple[Hand, ...]) -> Record:
    """The record of four hands without a board number, right or wrong."""
    deal, faults = judge(hands)
    return Record(line, hands=hands, deal=deal, faults=faults, fill=None if deal is not None else fill_fourth(hands))
