"""The one-line texts of the programs `dealer` and `deal`: a deal on each line, no board numbers.

May import: `words.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `words.py`, `gib.py`,
`driver/deals/sets.py` (records to sets).

`dealer`: a small letter for each seat before its hand, "n S.H.D.C e … s … w …" on one line, or the same on four lines;
statistics that follow are passed over. `deal`: the hands N|E|S|W with bars between them and the suits parted by one
blank each, or by dots and then with figures behind. There a void is nothing at all, so blanks count, also the first
and the last of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from driver.deals.encoding import decode
from driver.deals.formats.words import (
    LONGEST_DEAL,
    MOST_RECORDS,
    SEATS,
    NotHandsError,
    dealt,
    dotted_hand,
    lines,
    not_four,
)
from driver.deals.hands import Hand
from driver.deals.records import Confidence, Contents, Record
from driver.errors import BadSyntax
from protocol.cards import Seat

_HEAD: Final = 4096
# A whole hand is thirteen ranks and three signs between the suits.
_DOTTED: Final = r"(?=[^\s|]{16}(?:[\s|]|\Z))[AKQJT2-9]*+(?:\.[AKQJT2-9]*+){3}"
_SPACED: Final = r"(?=[^|]{16}\|)[AKQJT2-9]*+(?: [AKQJT2-9]*+){3}"
_LETTERED_LINE: Final = re.compile(rf"\s*+[NESW]\s++{_DOTTED}", re.IGNORECASE)
_BARRED_LINE: Final = re.compile(rf"(?:{_SPACED}\|){{3}}|(?:{_DOTTED}\|){{3}}", re.IGNORECASE)
_PART_OF_A_LINE: Final = re.compile(r"[AKQJT2-9 .|]++", re.IGNORECASE)


def recognise_lettered(data: bytes) -> Confidence:
    """Whether one of the first lines begins with a seat and a hand, as `dealer` writes them."""
    return Confidence.SURE if any(map(_LETTERED_LINE.match, _first_lines(data))) else Confidence.NO


def recognise_barred(data: bytes) -> Confidence:
    """Whether one of the first lines begins with three hands and bars behind them, as `deal` writes them."""
    return Confidence.SURE if any(map(_BARRED_LINE.match, _first_lines(data))) else Confidence.NO


def _first_lines(data: bytes) -> list[str]:
    return decode(data[:_HEAD]).split("\n")


def read_lettered(data: bytes) -> Contents:
    """A record for each deal of `dealer`, on one line or on four. Raises BadSyntax for more than 100000 records."""
    records: list[Record] = []
    for draft in _drafts(decode(data)):
        records.append(draft.record())
        if len(records) > MOST_RECORDS:
            raise BadSyntax(f"The file holds more than {MOST_RECORDS} deals.", line=draft.line)
    return Contents(tuple(records))


def read_barred(data: bytes) -> Contents:
    """A record for each line of `deal`, also for one that breaks off. Raises BadSyntax for more than 100000 records."""
    records: list[Record] = []
    for number, line in enumerate(lines(decode(data)), start=1):
        if not line.strip() or ("|" not in line and not _PART_OF_A_LINE.fullmatch(line)):
            continue
        records.append(_barred(number, line))
        if len(records) > MOST_RECORDS:
            raise BadSyntax(f"The file holds more than {MOST_RECORDS} deals.", line=number)
    return Contents(tuple(records))


@dataclass(slots=True)
class _Draft:
    """One deal of `dealer` while its hands come in; `fault` is the first that is wrong about the text."""

    line: int
    hands: dict[Seat, Hand] = field(default_factory=dict, repr=False)
    fault: str = ""

    def add(self, words: list[str]) -> None:
        """The words of one line: letters of seats and hands by turns. What comes after the fourth hand is no hand."""
        for letter, word in zip(words[::2], [*words[1::2], ""], strict=False):
            seat = SEATS.get(letter.upper()) if len(letter) == 1 else None
            if len(self.hands) == len(Seat):
                return
            if seat is None:
                self.fault = self.fault or "the letters of the seats and the hands do not take turns"
            elif seat in self.hands:
                self.fault = self.fault or "a seat comes twice"
            else:
                try:
                    self.hands[seat] = dotted_hand(word)
                except NotHandsError as fault:
                    self.hands[seat] = None
                    self.fault = self.fault or str(fault)

    def record(self) -> Record:
        """The record of what came in."""
        if self.fault:
            return Record(self.line, faults=(self.fault,))
        return dealt(self.line, tuple(self.hands.get(seat) for seat in Seat))


def _drafts(text: str) -> Iterator[_Draft]:
    draft: _Draft | None = None
    for number, line in enumerate(lines(text), start=1):
        words = line[:LONGEST_DEAL].replace(";", " ").split()
        if not _is_meant_as_hands(words):
            if draft is not None:
                yield draft
            draft = None
            continue
        seat = SEATS.get(words[0].upper())
        # Four lines make a deal when each begins with a seat that is not there yet.
        if draft is not None and (len(words) > 2 or seat is None or seat in draft.hands):
            yield draft
            draft = None
        draft = draft or _Draft(number)
        draft.add(words)
        if len(draft.hands) == len(Seat) or len(words) > 2:
            yield draft
            draft = None
    if draft is not None:
        yield draft


def _is_meant_as_hands(words: list[str]) -> bool:
    """Whether a line begins with the letter of a seat or has a hand in it; a damaged one is not passed over."""
    if not words:
        return False
    return (len(words[0]) == 1 and words[0].upper() in SEATS) or any(
        word.count(".") == 3 and word != "..." for word in words
    )


def _barred(number: int, line: str) -> Record:
    if len(line) > LONGEST_DEAL:
        return Record(number, faults=("the line is far too long for a deal",))
    texts = line.split("|")[: len(Seat)]
    if len(texts) < len(Seat):
        return Record(number, faults=(not_four(len(texts), "hand"),))
    # Editors cut blanks at the end of a line. The cards themselves then still tell that West is void there.
    if "." not in line:
        texts[-1] = texts[-1].ljust(len(texts[-1]) + max(0, 3 - texts[-1].count(" ")))
    try:
        hands = tuple(dotted_hand(text if "." in line else text.replace(" ", ".")) for text in texts)
    except NotHandsError as fault:
        return Record(number, faults=(str(fault),))
    return dealt(number, hands)
