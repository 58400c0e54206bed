"""From the records of a file to deal sets: each board number once, sessions apart, contradictions refused.

May import: `records.py`, `model.py`, `hands.py`, `driver.errors`. Read next: `loader.py`.

The same number with the same hands is one board (several tables in one file). When a number comes again with other
hands and it is the number that the set began with, the numbers start again and a new set begins (sessions joined in
one file); with any other number nobody can know which hands are meant, and the file is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from driver.deals.hands import listed
from driver.deals.model import BadRecord, BoardDeal, Deal, DealSet, range_text
from driver.deals.records import Contents, Record, Remark
from driver.errors import BadDeal

MOST_TWINS: Final = 5


def sets_from(contents: Contents, *, name: str, path: str | None = None) -> tuple[DealSet, ...]:
    """The deal sets of a file in their order; every set but a lone one has at least one board.

    Records that cannot be dealt become problems of the set that they stand in. Raises BadDeal when one number has two
    different deals within a set; it names both lines.
    """
    entries, by_place = _numbered(contents)
    drafts = [_Draft()]
    coming = _next_deals(entries)
    for place, entry in enumerate(entries):
        if _starts_again(drafts[-1], entry, coming[place + 1]):
            drafts.append(_Draft())
        drafts[-1].add(entry, path)
    drafts = _without_empty(drafts)
    _add_strays(drafts, contents.strays)

    general = list(contents.notes)
    if by_place:
        general.insert(0, "The file gives no board numbers: the deals are numbered 1, 2, 3 … in the order of the file.")
    skipped = sum(record.blank for record in contents.records)
    if skipped:
        general.append(f"Records without hands, left out: {skipped}.")
    names = [name] if len(drafts) == 1 else [f"{name} (set {number})" for number in range(1, len(drafts) + 1)]
    return tuple(draft.finished(set_name, path, general) for draft, set_name in zip(drafts, names, strict=True))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A record that is meant as a deal, with the number that it goes by (None: it has no usable one)."""

    number: int | None
    record: Record

    @property
    def deal(self) -> Deal | None:
        return self.record.deal


def _numbered(contents: Contents) -> tuple[list[_Entry], bool]:
    """The records that are meant as deals; numbered by their place, and True, if the whole file has no number."""
    records = [record for record in contents.records if not record.blank]
    if records and not contents.strays and not any(record.board for record in contents.records):
        return [_Entry(place, record) for place, record in enumerate(records, start=1)], True
    return [_Entry(record.number, record) for record in records], False


def _next_deals(entries: Sequence[_Entry]) -> list[_Entry | None]:
    """For each place, and one past the end: the first entry from there on that has a number and a deal."""
    found: list[_Entry | None] = [None] * (len(entries) + 1)
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        found[place] = entry if entry.number is not None and entry.deal is not None else found[place + 1]
    return found


def _starts_again(draft: _Draft, entry: _Entry, coming: _Entry | None) -> bool:
    """Whether the numbers of the file start again with `entry`; `coming` is the next whole deal after it."""
    if entry.number is None or entry.number != draft.first or entry.number == draft.last:
        return False
    there = draft.boards.get(entry.number)
    if there is not None and entry.deal is not None:
        return there.deal != entry.deal
    # One of the two is damaged: the next whole deal shows whether it is the same set once more or another one.
    if coming is None or coming.number is None:
        return False
    after = draft.boards.get(coming.number)
    return after is not None and after.deal != coming.deal


@dataclass(slots=True)
class _Draft:
    """A deal set that is being put together."""

    boards: dict[int, BoardDeal] = field(default_factory=dict)
    problems: list[BadRecord] = field(default_factory=list)
    remarks: dict[Remark, list[int]] = field(default_factory=dict)
    first: int | None = None
    last: int | None = None
    repeated: int = 0
    at_odds: list[int] = field(default_factory=list)
    event: str = ""
    date: str = ""

    def add(self, entry: _Entry, path: str | None) -> None:
        """Take one record in. Raises BadDeal when it contradicts one that is there."""
        record, number = entry.record, entry.number
        self.event = self.event or record.event
        self.date = self.date or record.date
        if number is None:
            self.problems.append(BadRecord(record.line, record.board, (_no_number(record.board), *record.faults)))
            return
        self.first = number if self.first is None else self.first
        self.last = number
        if entry.deal is None:
            self.problems.append(BadRecord(record.line, record.board or str(number), record.faults))
            return
        for remark in record.remarks:
            self.remarks.setdefault(remark, []).append(number)
        board = BoardDeal(number, entry.deal, record.dealer, record.vulnerability, record.line)
        there = self.boards.get(number)
        if there is None:
            self.boards[number] = board
        elif there.deal != board.deal:
            raise BadDeal(
                f"Board {number} is in the file twice with different hands, in lines {there.line} and {board.line}.",
                path=path,
                line=board.line,
                hint="Nothing was dealt. Delete one of the two in the file, or ask whoever made it which one counts.",
            )
        else:
            self._merge(there, board)

    def _merge(self, there: BoardDeal, again: BoardDeal) -> None:
        self.repeated += 1
        dealer = again.dealer if there.dealer is None else there.dealer
        vulnerability = again.vulnerability if there.vulnerability is None else there.vulnerability
        if again.dealer not in (None, dealer) or again.vulnerability not in (None, vulnerability):
            self.at_odds.append(there.number)
        self.boards[there.number] = replace(there, dealer=dealer, vulnerability=vulnerability)

    def finished(self, name: str, path: str | None, general: Sequence[str]) -> DealSet:
        """The set, with its notes after the general ones."""
        notes = [*general, *(f"{_boards(numbers)}: {remark.value}." for remark, numbers in self.remarks.items())]
        unusual = [board.number for board in self.boards.values() if not board.is_standard]
        if unusual:
            notes.append(f"{_boards(unusual)}: not the dealer and vulnerability that Law 2 gives; the file's are kept.")
        if self.repeated:
            notes.append(f"Records that repeat a board with the same hands, and are left out: {self.repeated}.")
        if self.at_odds:
            notes.append(f"{_boards(self.at_odds)}: another dealer or vulnerability further on; the first is kept.")
        notes += [f"Boards {listed(list(map(str, same)))} have the same hands." for same in self._twins()[:MOST_TWINS]]
        return DealSet(
            name=name,
            path=path,
            boards=tuple(self.boards.values()),
            problems=tuple(self.problems),
            event=self.event,
            date=self.date,
            notes=tuple(notes),
        )

    def _twins(self) -> list[list[int]]:
        numbers: dict[Deal, list[int]] = {}
        for board in self.boards.values():
            numbers.setdefault(board.deal, []).append(board.number)
        return [same for same in numbers.values() if len(same) > 1]


def _no_number(text: str) -> str:
    return f'"{text}" is not a board number' if text else "it has no board number, while others have one"


def _boards(numbers: Sequence[int]) -> str:
    return f"{'Boards' if len(set(numbers)) > 1 else 'Board'} {range_text(numbers)}"


def _without_empty(drafts: Sequence[_Draft]) -> list[_Draft]:
    """The drafts that have boards; problems of the others go to the one before, else to the first that has some."""
    kept: list[_Draft] = []
    homeless: list[BadRecord] = []
    for draft in drafts:
        if draft.boards:
            draft.problems[:0] = homeless
            homeless = []
            kept.append(draft)
        elif kept:
            kept[-1].problems += draft.problems
        else:
            homeless += draft.problems
    return kept or [_Draft(problems=homeless)]


def _add_strays(drafts: Sequence[_Draft], strays: Sequence[BadRecord]) -> None:
    """Board numbers without hands are problems, unless a deal or a problem of that number is there already."""
    known = {text for draft in drafts for text in (*map(str, draft.boards), *(bad.board for bad in draft.problems))}
    for stray in strays:
        if (stray.board.lstrip("0") or stray.board) not in known:
            drafts[-1].problems.append(stray)
