"""BHG, a format for pair contests: an empty line, then a line of 52 letters for each deal; the reader.

May import: `card_numbers.py`, `words.py`, `driver.deals`, `protocol.cards`. Read next: `card_numbers.py`.

The letters A-Z and a-z are the cards 1 to 52. A line has the 13 cards of the dealer of that board, then those of the
other three clockwise, and the boards are numbered by their lines. So the hands of a file can only be given to seats if
its first line is board 1, or has the same dealer as board 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from driver.deals.encoding import decode
from driver.deals.formats.card_numbers import check_number, record_of, record_without_hands
from driver.deals.formats.words import lines
from driver.deals.model import standard_dealer
from driver.deals.records import Confidence, Contents, Record
from protocol.cards import HAND_SIZE, PACK, PACK_SIZE, Card, Seat

_LETTERS: Final = (ascii_uppercase + ascii_lowercase).encode("ascii")
_CARD_OF_LETTER: Final = {chr(letter): card for letter, card in zip(_LETTERS, PACK, strict=True)}
_LIKELY_LETTERS: Final = 45
_NOTE: Final = (
    "The file has no board numbers, and it begins each deal with the hand of the dealer: "
    "it was read as beginning with board 1. That is also right for 5, 9, 13 and so on, and for no other board."
)


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are BHG: the first line that is not empty has 52 different letters; PERHAPS if at least 45."""
    first = data[: 2 * PACK_SIZE].lstrip(b"\xef\xbb\xbf \r\n").replace(b"\r", b"\n").split(b"\n")[0].strip(b" \x1a")
    different = len(set(first).intersection(_LETTERS))
    if len(first) == different == PACK_SIZE:
        return Confidence.SURE
    probable = different >= _LIKELY_LETTERS and len(first) <= PACK_SIZE + HAND_SIZE
    return Confidence.PERHAPS if probable and not first.translate(None, _LETTERS) else Confidence.NO


def read(data: bytes) -> Contents:
    """Every record of a BHG file, numbered 1, 2, 3 … as its lines are; `line` is its line.

    The empty line at the beginning may be missing. Raises BadSyntax for more than 100000 records.
    """
    records = []
    for board, (line, text) in enumerate(_numbered_lines(decode(data)), start=1):
        check_number(board)
        records.append(_record(text, line=line, board=board))
    return Contents(tuple(records), notes=(_NOTE,) if records else (), by_place=True, first_board_step=4)


def _numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of the deals with their numbers in the file: without the empty one first and those at the end."""
    numbered = enumerate(lines(text.rstrip()), start=1)
    first = 1 if text.partition("\n")[0].strip() else 2
    return ((number, line.strip()) for number, line in numbered if number >= first)


def _record(text: str, *, line: int, board: int) -> Record:
    if len(text) != PACK_SIZE:
        fault = f"the line has {len(text)} letters instead of {PACK_SIZE}"
        return record_without_hands(fault, line=line, board=board, by_offset=False)
    cards = [_CARD_OF_LETTER.get(letter) for letter in text]
    known = [card for card in cards if card is not None]
    if len(known) != PACK_SIZE:
        sign = text[cards.index(None)]
        fault = f'"{sign}" is not the letter of a card' if sign.isprintable() else "an unreadable letter"
        return record_without_hands(fault, line=line, board=board, by_offset=False)
    dealer = standard_dealer(board)
    hands: list[tuple[Card, ...]] = [()] * len(Seat)
    for turn in range(len(Seat)):
        hands[(dealer + turn) % len(Seat)] = tuple(known[turn * HAND_SIZE : (turn + 1) * HAND_SIZE])
    return record_of(hands, line=line, board=board, by_offset=False)
