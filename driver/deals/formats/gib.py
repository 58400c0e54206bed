"""Texts of double dummy solvers: the library of GIB, which DDS has as well, and the list files of DDS.

May import: `pbn.py`, `words.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `words.py`,
`driver/deals/sets.py` (records to sets).

GIB: the hands WEST North East South with dots between the suits, a colon, twenty figures of tricks. There is no letter
of a seat, so the colon tells the format and with it the order. DDS: lines `PBN <dealer> <vulnerability> <trump> <first>
"<value of a Deal tag>"` among lines of results; dealer 0 to 3 is N E S W, vulnerability 0 to 3 is none, all, N-S, E-W.
"""

from __future__ import annotations

import re
from typing import Final

from driver.deals.encoding import decode
from driver.deals.formats.pbn import deal_value
from driver.deals.formats.words import LONGEST_DEAL, MOST_RECORDS, NotHandsError, dealt, dotted_hand, lines, not_four
from driver.deals.hands import Hand
from driver.deals.model import Vulnerability
from driver.deals.records import Confidence, Contents, Record, Remark, fill_fourth, judge
from driver.errors import BadSyntax
from protocol.cards import Seat

_HAND: Final = r"(?=[^\s:]{16}[\s:])[AKQJT2-9]*+(?:\.[AKQJT2-9]*+){3}"
_GIB_LINE: Final = re.compile(
    rf"^[ \t]*+{_HAND}(?:[ \t]++{_HAND}){{3}}[ \t]*+:[0-9A-F]{{20}}", re.IGNORECASE | re.MULTILINE
)
_DDS_LINE: Final = re.compile(
    r'^[ \t]*+PBN[ \t]++([0-9]{1,2}+)[ \t]++([0-9]{1,2}+)[ \t]++[0-9-]{1,3}+[ \t]++[0-9-]{1,3}+[ \t]++"', re.MULTILINE
)
_HEAD: Final = 4096

_DEALERS: Final = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
_SIDES: Final = (Vulnerability.NONE, Vulnerability.ALL, Vulnerability.NS, Vulnerability.EW)


def recognise_gib(data: bytes) -> Confidence:
    """Whether one of the first lines is four hands, a colon and twenty figures."""
    return Confidence.SURE if _GIB_LINE.search(decode(data[:_HEAD])) else Confidence.NO


def recognise_dds(data: bytes) -> Confidence:
    """Whether one of the first lines is a PBN line of a list file."""
    return Confidence.SURE if _DDS_LINE.search(decode(data[:_HEAD])) else Confidence.NO


def read_gib(data: bytes) -> Contents:
    """A record for each line that is not blank. Raises BadSyntax for more than 100000 records."""
    records: list[Record] = []
    for number, line in enumerate(lines(decode(data)), start=1):
        if not line.strip():
            continue
        records.append(_of_gib(number, line))
        if len(records) > MOST_RECORDS:
            raise BadSyntax(f"The file holds more than {MOST_RECORDS} deals.", line=number)
    return Contents(tuple(records))


def read_dds(data: bytes) -> Contents:
    """A record for each line that begins with PBN. Raises BadSyntax for more than 100000 records."""
    records: list[Record] = []
    for number, line in enumerate(lines(decode(data)), start=1):
        if not line.lstrip().startswith("PBN"):
            continue
        records.append(_of_dds(number, line))
        if len(records) > MOST_RECORDS:
            raise BadSyntax(f"The file holds more than {MOST_RECORDS} deals.", line=number)
    return Contents(tuple(records))


def _of_gib(number: int, line: str) -> Record:
    words = line[:LONGEST_DEAL].partition(":")[0].split()
    if len(words) != len(Seat):
        return Record(number, faults=(not_four(len(words), "hand"),))
    try:
        west, north, east, south = (dotted_hand(word) for word in words)
    except NotHandsError as fault:
        return Record(number, faults=(str(fault),))
    return dealt(number, (north, east, south, west))


def _of_dds(number: int, line: str) -> Record:
    start = _DDS_LINE.match(line)
    value, quote, _ = line[start.end() : start.end() + LONGEST_DEAL].partition('"') if start else ("", "", "")
    if start is None or not quote:
        return Record(number, faults=("the line breaks off",))
    remarks: list[Remark] = []
    dealer, sides = int(start[1]), int(start[2])
    if dealer >= len(_DEALERS):
        remarks.append(Remark.DEALER_UNKNOWN)
    if sides >= len(_SIDES):
        remarks.append(Remark.VULNERABILITY_UNKNOWN)
    hands: tuple[Hand, ...] | None = None
    deal = fill = None
    try:
        hands = deal_value(value, remarks)
    except NotHandsError as fault:
        faults: tuple[str, ...] = (str(fault),)
    else:
        deal, faults = judge(hands)
        fill = None if deal is not None else fill_fourth(hands)
    return Record(
        line=number,
        dealer=_DEALERS[dealer] if dealer < len(_DEALERS) else None,
        vulnerability=_SIDES[sides] if sides < len(_SIDES) else None,
        hands=hands,
        faults=faults,
        deal=deal,
        remarks=tuple(remarks),
        fill=fill,
    )
