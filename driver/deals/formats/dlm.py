"""DLM, the format of Duplimate under Windows: lines of names and values, always 99 boards; the reader and the writer.

May import: `card_numbers.py`, `words.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next:
`card_numbers.py`.

Only the boards from `From board` to `To board` are meant; the others hold real looking deals in the vendor's own files
and one dummy deal in those of other programs. A board is 26 letters a to p, each the owners (N E S W = 0 to 3) of two
cards in their order, and a check figure: the number of the board and the codes of the letters, all combined by
exclusive or. Dealer and vulnerability are not carried. Sources: files of the vendor and of two other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import xor
from typing import Final

from driver.deals.encoding import decode
from driver.deals.formats.card_numbers import (
    boards_in_a_row,
    boards_text,
    check_number,
    hands_of_owners,
    lost_markings,
    lost_order,
    record_of,
    record_without_hands,
)
from driver.deals.formats.words import LONGEST_EVENT, MOST_RECORDS, shown
from driver.deals.model import Deal, DealSet
from driver.deals.records import Confidence, Contents, Record
from driver.errors import BadDeal, BadSyntax
from protocol.cards import PACK_SIZE

HIGHEST_BOARD: Final = 99

_LONGEST_LINE: Final = 1000
_MOST_NOTES: Final = 20
_MOST_LINES: Final = 10 * MOST_RECORDS
_LETTERS: Final = "abcdefghijklmnop"
_LETTERS_EACH: Final = PACK_SIZE // 2
_FILLER: Final = "aaaaaabffffffkkkkkklpppppp"

_SECTION: Final = re.compile(rb"^[ \t]*+\[document\]", re.IGNORECASE | re.MULTILINE)
_RANGE: Final = re.compile(rb"^[ \t]*+(?:from|to)[ \t]++board[ \t]*+=", re.IGNORECASE | re.MULTILINE)
_BOARD_LINE: Final = re.compile(
    rb"^[ \t]*+board[ \t]++[0-9]{1,2}[ \t]*+=[ \t]*+[a-z]{20}", re.IGNORECASE | re.MULTILINE
)
_LINE: Final = re.compile(r"^[^\n=\[]*+[=\[][^\n]*+", re.MULTILINE)
_BOARD_NAME: Final = re.compile(r"board ([0-9]{1,3})")
_VALUE: Final = re.compile(r"(\D*+)([0-9]*+)")
_HEAD_NAMES: Final = frozenset({"headline", "status", "duplicates", "from board", "to board", "crypto key", "checksum"})

_ALTERED: Final = "the check figure does not fit: somebody changed or mistyped the board"
_HEAD_ALTERED: Final = (
    "The check figure at the head of the file does not fit: make sure that the boards below are the ones you want."
)
_HEAD_UNCHECKED: Final = "The head of the file has no check figure."


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are DLM, in any encoding: the section [Document] with a range or boards.

    PERHAPS for boards without that section.
    """
    plain = data.replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\r", b"\n")
    boards = _BOARD_LINE.search(plain)
    if _SECTION.search(plain) and (boards or _RANGE.search(plain)):
        return Confidence.SURE
    return Confidence.PERHAPS if boards else Confidence.NO


def read(data: bytes) -> Contents:
    """The boards of the range, by number; `line` is the line of the board, or that of [Document] for a missing one.

    A board whose check figure does not fit cannot be dealt. Files joined to one give their boards one after the other.
    Raises BadSyntax when the range is missing or impossible, and for more than 100000 boards or a million lines;
    BadDeal when the deals are locked with a key.
    """
    records: list[Record] = []
    notes: list[str] = []
    for document in _documents(decode(data)):
        first, last = _range(document)
        _refuse_locked(document)
        headline = shown(document.head.get("headline", ""), LONGEST_EVENT)
        for board in range(first, last + 1):
            check_number(len(records) + 1)
            records.append(replace(_record(document, board), event=headline))
        for note in _notes(document, first, last):
            if len(notes) < _MOST_NOTES and note not in notes:
                notes.append(note)
    return Contents(tuple(records), notes=tuple(notes))


@dataclass(frozen=True, slots=True)
class _Line:
    """A value, and the line in which it stands; `other`: the name stands there again with another value."""

    line: int
    value: str = field(repr=False)
    other: bool = False


@dataclass(slots=True)
class _Document:
    """What one section [Document] says: texts of the head by name, and lines of boards by number."""

    line: int
    head: dict[str, str] = field(default_factory=dict)
    boards: dict[int, _Line] = field(default_factory=dict, repr=False)

    def number(self, name: str) -> int | None:
        """A figure of the head, None when it is not there or is no number."""
        text = self.head.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None

    def add(self, line: int, text: str) -> None:
        """Take in one line "name = value"; names that mean nothing here are passed over."""
        name, sign, value = text.partition("=")
        if not sign:
            return
        name, value = " ".join(name.lower().split()), value.strip()
        if name in _HEAD_NAMES:
            self.head.setdefault(name, value)
        elif (match := _BOARD_NAME.fullmatch(name)) is not None:
            there = self.boards.setdefault(int(match[1]), _Line(line, value))
            if there.value.lower() != value.lower():
                self.boards[int(match[1])] = replace(there, other=True)


def _documents(text: str) -> Iterator[_Document]:
    """The sections [Document], without those of other names; lines before any section are one as well.

    Raises BadSyntax for more than a million lines that say something.
    """
    document: _Document | None = _Document(1)
    line, counted = 1, 0
    for place, match in enumerate(_LINE.finditer(text)):
        if place >= _MOST_LINES:
            raise BadSyntax(f"The file has more than {_MOST_LINES} lines.", line=line)
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        stripped = match[0][:_LONGEST_LINE].strip()
        if stripped.startswith("["):
            if document is not None and (document.head or document.boards):
                yield document
            document = _Document(line) if stripped.lower().startswith("[document]") else None
        elif document is not None:
            document.add(line, stripped)
    if document is not None and (document.head or document.boards):
        yield document


def _range(document: _Document) -> tuple[int, int]:
    first, last = document.number("from board"), document.number("to board")
    if first is None or last is None:
        raise BadSyntax("The file does not say which of its 99 boards are meant.", line=document.line)
    if not 1 <= first <= last <= HIGHEST_BOARD:
        raise BadSyntax(
            f"The file says that its boards {first} to {last} are meant, and that cannot be.", line=document.line
        )
    return first, last


def _refuse_locked(document: _Document) -> None:
    key = document.head.get("crypto key", "")
    if key.strip("0"):
        raise BadDeal(
            "The deals in the file are locked with a key.",
            line=document.line,
            hint="Nothing was dealt. Save them without a key in the program that made them, or as PBN.",
        )


def _record(document: _Document, board: int) -> Record:
    entry = document.boards.get(board)
    if entry is None:
        fault = "the file has no cards for it"
        return record_without_hands(fault, line=document.line, board=board, by_offset=False)
    letters, figures = _parts(entry.value)
    fault = _fault(entry, letters)
    if fault:
        return record_without_hands(fault, line=entry.line, board=board, by_offset=False)
    owners = [owner for letter in letters for owner in divmod(_LETTERS.index(letter), 4)]
    record = record_of(hands_of_owners(owners), line=entry.line, board=board, by_offset=False)
    if figures and (len(figures) > 3 or int(figures) != _check_figure(letters, board)):
        return replace(record, deal=None, faults=(_ALTERED, *record.faults))
    return record


def _parts(value: str) -> tuple[str, str]:
    """The letters, in lower case, and the check figure of a board; no letters when the value is something else."""
    match = _VALUE.fullmatch(value)
    return (match[1].strip().lower(), match[2]) if match else ("", "")


def _fault(entry: _Line, letters: str) -> str:
    if entry.other:
        return "it is in the file twice with different cards"
    if not letters:
        return "the line is not 26 letters and a check figure"
    if len(letters) != _LETTERS_EACH:
        return f"the line has {len(letters)} letters instead of {_LETTERS_EACH}"
    strange = next((letter for letter in letters if letter not in _LETTERS), "")
    if not strange:
        return ""
    return f'"{strange}" is none of the letters a to p' if strange.isprintable() else "an unreadable letter"


def _check_figure(letters: str, board: int) -> int:
    return reduce(xor, letters.encode("ascii"), board)


def _notes(document: _Document, first: int, last: int) -> Iterator[str]:
    unchecked = [
        board
        for board in range(first, last + 1)
        if (entry := document.boards.get(board)) is not None and not _parts(entry.value)[1]
    ]
    if unchecked:
        yield f"{boards_text(unchecked)}: without a check figure, so that nothing shows a mistyped board."
    copies = document.number("duplicates") or 0
    shown_openly = document.head.get("status", "").lower() == "show"
    # One program writes the number of boards instead of copies and range; its files are not altered.
    good = (copies ^ first ^ last ^ shown_openly, (last - first + 1) ^ 1)
    if not document.head.get("checksum"):
        yield _HEAD_UNCHECKED
    elif document.number("checksum") not in good:
        yield _HEAD_ALTERED
    if copies > 1:
        yield f"The file asks for {copies} copies of each board."


def losses(deals: DealSet) -> tuple[str, ...]:
    """What a DLM file of the set does not hold: an order that is not by number, markings other than those of Law 2."""
    return (*lost_order(deals, "DLM"), *lost_markings(deals, "DLM"))


def write(deals: DealSet) -> bytes:
    """The set as DLM: its range, one copy of each board, the check figures, and a dummy deal for every other board.

    Lines end in CRLF as those of any file of Windows: the vendor's program runs there, one of the two other programs
    writes them as well, and the readers known take both. The names are those that the other programs write; check
    figures have three digits as in the vendor's files. The headline is the event of the set, in CP1252.
    Raises CannotBeWritten for a set without boards, with gaps between the numbers, or with a number above 99.
    """
    boards = {board.number: board.deal for board in boards_in_a_row(deals, "DLM", highest=HIGHEST_BOARD)}
    first, last = min(boards), max(boards)
    written = [
        "[Document]",
        f"Headline={shown(deals.event, LONGEST_EVENT)}",
        "Status=Show",
        "Duplicates=1",
        f"From board={first}",
        f"To board={last}",
        "Next board to duplimate=0",
        "PrintOuts=0",
        "Crypto key=0",
        f"Checksum={1 ^ first ^ last ^ 1:03d}",
    ]
    for board in range(1, HIGHEST_BOARD + 1):
        letters = _letters(boards[board]) if board in boards else _FILLER
        written += [f"Duplicates {board:02d}=0", f"Board {board:02d}={letters}{_check_figure(letters, board):03d}"]
    return "".join(f"{line}\r\n" for line in written).encode("cp1252", errors="replace")


def _letters(deal: Deal) -> str:
    owners = deal.owners
    return "".join(_LETTERS[4 * owners[place] + owners[place + 1]] for place in range(0, PACK_SIZE, 2))
