"""The reader of LIN, the format of Bridge Base Online: single hands, tournaments, vugraph, addresses of a hand viewer.

May import: `lin_text.py`, `words.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `lin_text.py`
(characters to fields), `lin_export.py` (the writer), `driver/deals/sets.py` (records to sets).

The hands always stand in the order South, West, North, East; the digit before them is the dealer and nothing else. A
hand that is left out is the 13 cards that remain: that is how LIN is written, so it is filled without asking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from driver.deals.encoding import decode
from driver.deals.formats.lin_text import START, Field, scan
from driver.deals.formats.words import (
    LONGEST_BOARD,
    LONGEST_DEAL,
    LONGEST_EVENT,
    MOST_RECORDS,
    NotHandsError,
    board_as_written,
    not_four,
    shown,
    suit_cards,
    vulnerability_of,
)
from driver.deals.hands import Hand
from driver.deals.model import BadRecord, Deal, Vulnerability
from driver.deals.records import Confidence, Contents, Record, Remark, fill_fourth, judge
from driver.errors import BadSyntax
from protocol.cards import Card, Seat, Suit

_SURE: Final = re.compile(
    rb"(?:^|[|\s])md\s*+\|\s*+[0-9]?+\s*+[SHDC,]|handviewer[\w.]{0,20}\?(?:lin|[nesw]n?|[dvb])=", re.IGNORECASE
)
_PERHAPS: Final = re.compile(rb"(?:^|[|\s])(?:md|qx|pn|vg)\s*+\||[?&]lin=|handviewer[\w.]{0,20}\?", re.IGNORECASE)

_ROOM_AND_NUMBER: Final = re.compile(r"\s*+([oc]?)\s*+([0-9]{1,9})(?![0-9])(\s*+\Z)?", re.IGNORECASE)
_LAST_NUMBER: Final = re.compile(r"([0-9]{1,20})[\s.:)]{0,20}\Z")
_ONLY_NUMBER: Final = re.compile(r"[^0-9]*+(?<![A-Za-z])([0-9]{1,9})(?:[^0-9A-Za-z][^0-9]*+)?\Z")
_SUIT_LETTER: Final = re.compile("([SHDC])", re.IGNORECASE)

_DEALERS: Final = {"1": Seat.SOUTH, "2": Seat.WEST, "3": Seat.NORTH, "4": Seat.EAST}
_VULNERABILITIES: Final = {
    "o": Vulnerability.NONE,
    "0": Vulnerability.NONE,
    "n": Vulnerability.NS,
    "e": Vulnerability.EW,
    "b": Vulnerability.ALL,
}
_SEATING: Final = frozenset({"pn", "st"})
_MOST_LISTED: Final = 10_000
_MOST_FIELDS: Final = 10 * MOST_RECORDS
LONGEST_LABEL: Final = 60


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are LIN, or hold the address of a hand viewer, in any encoding."""
    if b"|" not in data and b"=" not in data:
        return Confidence.NO
    plain = data.replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
    if _SURE.search(plain):
        return Confidence.SURE
    return Confidence.PERHAPS if _PERHAPS.search(plain) else Confidence.NO


def read(data: bytes) -> Contents:
    """Every deal of a LIN file in order, both rooms of a match. A numbered board without hands is a stray.

    The board number is the last number of the label `ah`; else the one that the list `bn` gives in the place of this
    `qx`; else that of `qx` itself, which in tournament files only counts. Raises BadSyntax for more than 100000
    records or a million fields about boards.
    """
    records: list[Record] = []
    strays: list[BadRecord] = []
    for board in _boards(scan(decode(data))):
        if board.deal is not None:
            records.append(_record(board))
        elif board.is_numbered:
            strays.append(BadRecord(board.line, board.number, ("the file gives no hands for it",)))
        if max(len(records), len(strays)) > MOST_RECORDS:
            raise BadSyntax(f"The file holds more than {MOST_RECORDS} boards.", line=board.line)
    return Contents(tuple(records), tuple(strays))


@dataclass(slots=True)
class _Board:
    """The fields of one board: the texts of `md`, `ah` and `sv`, what `qx` says, and the place of `qx` in `bn`."""

    line: int
    room: str = ""
    counted: str = ""
    is_numbered: bool = False
    by_qx: bool = False
    is_seated_again: bool = False
    listed: str = ""
    event: str = ""
    deal: str | None = field(default=None, repr=False)
    deal_again: bool = False
    label: str | None = None
    vulnerability: str | None = None
    said_again: dict[str, str] = field(default_factory=dict)

    @property
    def number(self) -> str:
        """The board number as written, or the label when it holds none; "" when there is neither.

        Some languages have a word behind the number as well ("7. El"): the only number of a label counts too.
        """
        label = self.label or ""
        number = _LAST_NUMBER.search(label.rstrip()[-LONGEST_BOARD:]) or _ONLY_NUMBER.match(label[:LONGEST_LABEL])
        return (number[1] if number else "") or self.listed or self.counted or board_as_written(label)

    def follower(self, first: Field) -> _Board:
        """The board that begins without a `qx` of its own; where labels number the boards, `qx` says nothing of it."""
        board = _Board(first.line, self.room, event=self.event, by_qx=self.by_qx)
        if first.key == "md" and first.value == self.deal:
            # What was said once more since the first table stands before the deal of the second one.
            board.label, board.vulnerability = self.said_again.get("ah"), self.said_again.get("sv")
        if self.label is None:
            board.counted, board.listed = self.counted, self.listed
        if self.deal_again:
            board.deal = self.deal
        return board


@dataclass(slots=True)
class _List:
    """The board numbers of `bn`; the first `qx` after it has the first of them, both rooms of a board the same one.

    A list that names a board twice has one number for each `qx`.
    """

    numbers: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    rooms: set[tuple[str, str]] = field(default_factory=set)
    taken: int = 0
    for_each: bool = False

    @classmethod
    def of(cls, value: str) -> _List:
        """The list that the value of `bn` gives."""
        numbers = [board_as_written(text) for text in value.split(",", _MOST_LISTED)[:_MOST_LISTED]]
        return cls(numbers, for_each=len(set(numbers)) < len(numbers))

    def take(self, room: str, counted: str) -> str:
        """The board number for the next `qx`; "" when there is no list or it is too short."""
        if self.for_each or counted not in self.places or (room, counted) in self.rooms:
            if self.taken == len(self.numbers):
                return ""
            self.places[counted] = self.taken
            self.rooms -= {("o", counted), ("c", counted), ("", counted)}
            self.taken += 1
        self.rooms.add((room, counted))
        return self.numbers[self.places[counted]]


def _boards(fields: Iterable[Field]) -> Iterator[_Board]:
    board: _Board | None = None
    boards, event = _List(), ""
    for place, one in enumerate(fields):
        if place >= _MOST_FIELDS:
            raise BadSyntax(f"The file says more than {_MOST_FIELDS} things about its boards.", line=one.line)
        if one.key == "vg":
            event = _title(one.value)
        elif one.key == "bn":
            boards = _List.of(one.value)
        elif one.key in (START, "qx"):
            if board is not None:
                yield board
            board = _Board(one.line, event=event)
            if one.key == "qx":
                _begin(board, one.value, boards)
        else:
            if board is None:
                board = _Board(one.line, event=event)
            elif _begins_next(board, one):
                yield board
                board = board.follower(one)
            _put(board, one)
    if board is not None:
        yield board


def _begin(board: _Board, value: str, boards: _List) -> None:
    found = _ROOM_AND_NUMBER.match(value)
    if found is not None:
        board.room, board.counted = found[1].lower(), found[2]
        board.is_numbered = bool(found[1]) and found[3] is not None
    board.by_qx = True
    board.listed = boards.take(board.room, board.counted)


def _begins_next(board: _Board, one: Field) -> bool:
    """Whether a field that the board has already begins the next one; a field with the same text does not.

    The same deal does where nothing but deals separates the boards, and where players sit down to it again: it was
    played at another table.
    """
    if board.deal is None or one.key in _SEATING:
        return False
    if one.key == "md":
        return board.deal != one.value or not board.by_qx or board.is_seated_again
    there = board.label if one.key == "ah" else board.vulnerability
    return there is not None and there != one.value


def _put(board: _Board, one: Field) -> None:
    there = {"ah": board.label, "sv": board.vulnerability}.get(one.key)
    if board.deal is not None and there is not None:
        board.said_again[one.key] = there
    if one.key in _SEATING:
        board.is_seated_again = board.deal is not None
    elif one.key == "md":
        # The same hands again are a repetition, or those of the next board if another label follows.
        board.deal_again = board.deal is not None
        board.deal = one.value
    elif one.key == "ah":
        board.label = one.value
    else:
        board.vulnerability = one.value


def _title(value: str) -> str:
    """The name of a match: its title and its segment."""
    return ", ".join(text for part in value.split(",", 2)[:2] if (text := shown(part, LONGEST_EVENT // 2 - 1)))


def _record(board: _Board) -> Record:
    remarks: list[Remark] = []
    hands: tuple[Hand, ...] | None = None
    deal: Deal | None = None
    faults: tuple[str, ...]
    text = "".join((board.deal or "").split()) if len(board.deal or "") <= LONGEST_DEAL else None
    digit = text[:1] if text is not None and text[:1].isdigit() else ""
    dealer = _dealer(digit, remarks)
    sides = (board.vulnerability or "").strip()
    vulnerability = _VULNERABILITIES.get(sides.lower()) or vulnerability_of(sides, remarks)
    if text is None:
        faults = ("the deal is far too long",)
    else:
        try:
            hands = _hands(text.removeprefix(digit))
        except NotHandsError as fault:
            faults = (str(fault),)
        else:
            deal, faults = _filled(hands)
            hands = hands if deal is None else tuple(deal.hand(seat) for seat in Seat)
    return Record(
        line=board.line,
        board=board.number,
        dealer=dealer,
        vulnerability=vulnerability,
        hands=hands,
        faults=faults,
        deal=deal,
        blank=hands is not None and not any(hands),
        remarks=tuple(remarks),
        event=board.event,
        room=board.room,
    )


def _dealer(digit: str, remarks: list[Remark]) -> Seat | None:
    dealer = _DEALERS.get(digit)
    if dealer is None:
        remarks.append(Remark.NO_DEALER if digit in ("", "0") else Remark.DEALER_UNKNOWN)
    return dealer


def _hands(text: str) -> tuple[Hand, ...]:
    """The hands N E S W of an `md` without its digit; None for an empty one. Raises NotHandsError."""
    texts = text.split(",")
    while len(texts) > len(Seat) and not texts[-1]:
        texts.pop()
    if len(texts) > len(Seat):
        raise NotHandsError(not_four(len(texts), "hand"))
    south, west, north, east = ([_hand(one) or None for one in texts] + [None] * len(Seat))[: len(Seat)]
    return north, east, south, west


def _hand(text: str) -> tuple[Card, ...]:
    before, *parts = _SUIT_LETTER.split(text)
    if before:
        raise NotHandsError("a card without the letter of its suit")
    letters = [letter.upper() for letter in parts[::2]]
    if len(set(letters)) < len(letters):
        raise NotHandsError("a hand that names a suit twice")
    suits = ["SHDC".index(letter) for letter in letters]
    return tuple(card for suit, ranks in zip(suits, parts[1::2], strict=True) for card in suit_cards(Suit(suit), ranks))


def _filled(hands: tuple[Hand, ...]) -> tuple[Deal | None, tuple[str, ...]]:
    """The deal, a hand that is left out filled; or None and the reasons."""
    if not any(hands):
        return None, ("there are no cards in it",)
    if hands.count(None) != 1:
        return judge(hands)
    deal = fill_fourth(hands)
    if deal is not None:
        return deal, ()
    # The first reason is the hand left out, which is none where there is another.
    _, faults = judge(hands)
    return None, faults[1:] or faults
