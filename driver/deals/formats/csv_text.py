"""CSV: the 18 fields of Big Deal, read and written, and the hand record table of Bridgemate, read.

May import: `words.py`, `export.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `words.py`,
`driver/deals/sets.py` (records to sets).

Big Deal: sixteen fields of ranks (North, East, South, West; spades to clubs in each), the board number, and dealer and
vulnerability as "N/-", "E/NS", "S/EW", "W/All". Bridgemate: a line of column names, then a line for each board; columns
that are not about the hands are passed over; without the line of names they are section, board, and sixteen fields of
ranks. Every line stands alone, so a quote that never closes costs one record.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from driver.deals.encoding import decode
from driver.deals.formats.export import check_writable
from driver.deals.formats.words import (
    MOST_RECORDS,
    NotHandsError,
    board_as_written,
    dealer_of,
    hand_of_suits,
    lines,
    vulnerability_of,
)
from driver.deals.hands import Hand
from driver.deals.model import DealSet, Vulnerability
from driver.deals.records import Confidence, Contents, Record, Remark, fill_fourth, judge
from driver.errors import BadSyntax
from protocol.cards import Seat, Suit

_HEAD: Final = 4096
_LONGEST_LINE: Final = 4000
_RANKS: Final = re.compile(r"[AKQJTX0-9-]{0,14}", re.IGNORECASE)
_DEALER_AND_SIDES: Final = re.compile(r"\s*+[NESW][a-z]{0,4}\s*+/\s*+[\w/-]{1,5}+\s*+", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_DELIMITERS: Final = ",;\t|"
_DELIMITER_LINE: Final = re.compile(r"sep=(.?)", re.IGNORECASE)
_SIDES: Final = {Vulnerability.NONE: "-"}


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the fields of a line are: sixteen suits, N E S W, spades to clubs in each; the board; the rest if there."""

    suits: tuple[int, ...]
    board: int
    width: int
    dealer: int | None = None
    vulnerability: int | None = None


_BIG_DEAL: Final = _Columns(suits=tuple(range(16)), board=16, width=18, dealer=17, vulnerability=17)
_NAMELESS: Final = _Columns(suits=tuple(range(2, 18)), board=1, width=18)
"""The hand record table without the line of its names."""


def recognise(data: bytes) -> Confidence:
    """Whether one of the first lines is one of Big Deal's, or the column names of a hand record table."""
    head = decode(data[:_HEAD]).split("\n")
    for line in head[:-1] if len(data) > _HEAD else head:
        fields = _fields(line, _delimiter(line))
        if _named_columns(fields) is not None or _is_big_deal(fields) or _is_nameless(fields):
            return Confidence.SURE
    return Confidence.NO


def read(data: bytes) -> Contents:
    """A record for each line that is not blank, in order. Raises BadSyntax for more than 100000 records."""
    records: list[Record] = []
    columns, delimiter = _BIG_DEAL, ""
    for number, line in enumerate(lines(decode(data)), start=1):
        if not line.strip():
            continue
        if not records and (told := _DELIMITER_LINE.fullmatch(line.strip())):
            # Spreadsheets say in the first line what stands between the fields.
            delimiter = told[1]
            continue
        fields = _fields(line, delimiter or _delimiter(line))
        named = _named_columns(fields)
        if named is not None:
            delimiter, columns = delimiter or _delimiter(line), named
            if all(record.hands is None for record in records):
                # Titles may stand above the names.
                records.clear()
            continue
        if not records and _is_nameless(fields):
            columns = _NAMELESS
        delimiter = delimiter or _delimiter(line)
        records.append(_record(number, fields, columns))
        if len(records) > MOST_RECORDS:
            raise BadSyntax(f"The file holds more than {MOST_RECORDS} records.", line=number)
    return Contents(tuple(records))


def losses(deals: DealSet) -> tuple[str, ...]:
    """Nothing of a board is lost."""
    return ()


def write(deals: DealSet) -> bytes:
    """The set as Big Deal's CSV, LF line ends. Raises CannotBeWritten for an empty set or a number above 999999."""
    check_writable(deals)
    rows = []
    for board in deals:
        hands = board.deal.hands_as_pbn()[2:].split(" ")
        suits = [suit for hand in hands for suit in hand.split(".")]
        sides = _SIDES.get(board.vulnerability_to_use, board.vulnerability_to_use.text)
        fields = [*suits, str(board.number), f"{board.dealer_to_use.letter}/{sides}"]
        rows.append(",".join(f'"{text}"' for text in fields) + "\n")
    return "".join(rows).encode("ascii")


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)


def _fields(line: str, delimiter: str) -> list[str]:
    """The fields of one line without their quotes; one empty field if the line is far too long for a board."""
    if len(line) > _LONGEST_LINE:
        return [""]
    found = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    return [text.strip().strip("'") for text in found]


def _is_big_deal(fields: Sequence[str]) -> bool:
    return (
        len(fields) == _BIG_DEAL.width
        and _DEALER_AND_SIDES.fullmatch(fields[17]) is not None
        and all(_RANKS.fullmatch(text) for text in fields[:16])
    )


def _is_nameless(fields: Sequence[str]) -> bool:
    return (
        len(fields) == _NAMELESS.width
        and all(_NUMBER.fullmatch(text) for text in fields[:2])
        and all(_RANKS.fullmatch(text) for text in fields[2:])
        and any(sign.isalpha() for text in fields[2:] for sign in text)
    )


def _named_columns(fields: Sequence[str]) -> _Columns | None:
    """The places of the columns by their names, "NorthSpades" or "north_spades"; None if these are not names."""
    if len(fields) <= len(_BIG_DEAL.suits):
        return None
    places: dict[str, int] = {}
    for place, text in enumerate(fields):
        places.setdefault("".join(sign for sign in text.lower() if sign.isalpha()), place)
    suits = [places.get(f"{seat.name}{suit.name}".lower()) for seat in Seat for suit in Suit]
    known = tuple(place for place in suits if place is not None)
    board = places.get("board", places.get("boardnumber"))
    if len(known) < len(suits) or board is None:
        return None
    vulnerability = next((places[name] for name in ("vulnerability", "vulnerable", "vul") if name in places), None)
    return _Columns(known, board, max(*known, board) + 1, places.get("dealer"), vulnerability)


def _record(line: int, fields: Sequence[str], columns: _Columns) -> Record:
    if len(fields) < columns.width or (columns is _BIG_DEAL and len(fields) > columns.width):
        return Record(line, faults=(f"{columns.width} fields make a board, and the line has {len(fields)}",))
    remarks: list[Remark] = []
    dealer = _field(fields, columns.dealer)
    sides = _field(fields, columns.vulnerability)
    if columns is _BIG_DEAL:
        dealer, _, sides = dealer.partition("/")
    record_dealer = dealer_of(dealer.strip(), remarks)
    vulnerability = vulnerability_of(sides.strip(), remarks)

    # Programs write "###" where they have no hands for a board.
    suits = [fields[place].strip("#") for place in columns.suits]
    hands: tuple[Hand, ...] | None = None
    deal = fill = None
    blank = not any(suits)
    try:
        hands = tuple(hand_of_suits(suits[4 * seat : 4 * seat + 4]) or None for seat in Seat)
    except NotHandsError as fault:
        faults: tuple[str, ...] = (str(fault),)
    else:
        deal, faults = judge(hands)
        fill = None if deal is not None else fill_fourth(hands)
    return Record(
        line=line,
        board=board_as_written(fields[columns.board]),
        dealer=record_dealer,
        vulnerability=vulnerability,
        hands=None if blank else hands,
        faults=("there are no cards in it",) if blank else faults,
        deal=deal,
        blank=blank,
        remarks=tuple(remarks),
        fill=fill,
    )


def _field(fields: Sequence[str], place: int | None) -> str:
    return fields[place] if place is not None and place < len(fields) else ""
