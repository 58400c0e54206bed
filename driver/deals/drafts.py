"""One deal set while it is put together from records: boards once, problems, and what a person should know of it.

May import: `records.py`, `model.py`, `driver.errors`. Read next: `sets.py`, which says where one set ends and the next
begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Final

from driver.deals.model import BadRecord, BoardDeal, Deal, DealSet, range_text
from driver.deals.records import Record, Remark
from driver.errors import BadDeal
from protocol.cards import HAND_SIZE, Seat

MOST_SUSPICIONS: Final = 5
MOST_NAMED: Final = 10

_UNSHUFFLED: Final = frozenset(Deal([seat for seat in seats for _ in range(HAND_SIZE)]) for seats in permutations(Seat))
"""The 24 deals in which each hand is one whole suit."""
_ROOMS: Final = {"o": "open room", "c": "closed room"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A record that is meant as a deal, its place among them, and the number that it goes by (None: no usable one).

    `deal` is the record's own, or the one that was filled in; `event` and `date` come from the records before where
    it has none.
    """

    place: int
    number: int | None
    record: Record
    deal: Deal | None
    filled: bool = False
    event: str = ""
    date: str = ""


@dataclass(slots=True)
class Draft:
    """A deal set that is being put together. `first`, `last` and `lowest` are numbers met, of damaged records too."""

    boards: dict[int, BoardDeal] = field(default_factory=dict)
    problems: list[BadRecord] = field(default_factory=list)
    first: int | None = None
    last: int | None = None
    lowest: int = 0
    begins_at: int = -1
    _remarks: dict[Remark, list[int]] = field(default_factory=dict)
    _filled: list[int] = field(default_factory=list)
    _repeated: int = 0
    _at_odds: list[int] = field(default_factory=list)
    _titles: dict[tuple[str, str], None] = field(default_factory=dict)
    _rooms: dict[int, str] = field(default_factory=dict)
    _other_room: dict[int, BoardDeal] = field(default_factory=dict)

    def add(self, entry: Entry, path: str | None) -> None:
        """Take one record in. Raises BadDeal when it contradicts one that is there, naming both places."""
        record, number = entry.record, entry.number
        self.begins_at = entry.place if self.begins_at < 0 else self.begins_at
        if entry.event or entry.date:
            self._titles[entry.event, entry.date] = None
        if number is None:
            reasons = (_no_number(record.board), *record.faults)
            self.problems.append(BadRecord(record.line, record.board, reasons, record.by_offset))
            return
        self.lowest = number if self.first is None else min(self.lowest, number)
        self.first = number if self.first is None else self.first
        self.last = number
        if entry.deal is None:
            text = record.board if record.number == number else str(number)
            self.problems.append(BadRecord(record.line, text, record.faults, record.by_offset))
            return
        for remark in record.remarks:
            self._remarks.setdefault(remark, []).append(number)
        if entry.filled:
            self._filled.append(number)
        board = BoardDeal(number, entry.deal, record.dealer, record.vulnerability, record.line, record.by_offset)
        self._join(board, record.room, path)

    def _join(self, board: BoardDeal, room: str, path: str | None) -> None:
        """The board is new, is one that is there once more, is that of the other room, or contradicts."""
        there = self.boards.setdefault(board.number, board)
        if there is board:
            self._rooms[board.number] = room
            return
        if there.deal != board.deal and {room, self._rooms[board.number]} == set(_ROOMS):
            there = self._other_room.setdefault(board.number, board)
            if there is board:
                return
        if there.deal != board.deal:
            raise BadDeal(
                f"Board {board.number} is in the file twice with different hands, at {there.place} and {board.place}.",
                path=path,
                line=None if board.by_offset else board.line,
                hint="Nothing was dealt. Delete one of the two in the file, or ask whoever made it which one counts.",
            )
        self._merge(there, board)

    def _merge(self, there: BoardDeal, again: BoardDeal) -> None:
        self._repeated += 1
        dealer = again.dealer if there.dealer is None else there.dealer
        vulnerability = again.vulnerability if there.vulnerability is None else there.vulnerability
        if again.dealer not in (None, dealer) or again.vulnerability not in (None, vulnerability):
            self._at_odds.append(there.number)
        kept = self.boards if self.boards[there.number] is there else self._other_room
        kept[there.number] = replace(there, dealer=dealer, vulnerability=vulnerability)

    @property
    def unusual(self) -> list[int]:
        """The numbers of boards whose dealer or vulnerability is not that of Law 2."""
        return [board.number for board in self.boards.values() if not board.is_standard]

    def finished(self, name: str, path: str | None, general: Sequence[str]) -> tuple[DealSet, ...]:
        """The set, with its notes after the general ones; one set for each room where the two have different hands."""
        notes = [*general, *(f"{boards_text(numbers)}: {remark.value}." for remark, numbers in self._remarks.items())]
        if self._filled:
            notes.append(f"{boards_text(self._filled)}: one hand is not given; it gets the cards that are left.")
        if self._repeated:
            notes.append(f"Records that repeat a board with the same hands, and are left out: {self._repeated}.")
        if self._at_odds:
            notes.append(
                f"{boards_text(self._at_odds)}: another dealer or vulnerability further on; the first is kept."
            )
        if len(self._titles) > 1:
            notes.append("The boards carry more than one event or date; the first is shown.")
        if not self._other_room:
            return (self._set(name, path, notes, self.boards.values()),)
        notes.append(f"{boards_text(list(self._other_room))}: the open and the closed room have different hands.")
        return tuple(
            self._set(f"{name} ({words})", path, notes, self._boards_of(room)) for room, words in _ROOMS.items()
        )

    def _boards_of(self, room: str) -> list[BoardDeal]:
        return [
            board if self._rooms[number] == room else self._other_room.get(number, board)
            for number, board in self.boards.items()
        ]

    def _set(self, name: str, path: str | None, notes: Sequence[str], boards: Iterable[BoardDeal]) -> DealSet:
        event, date = next(iter(self._titles), ("", ""))
        kept = tuple(boards)
        return DealSet(
            name=name,
            path=path,
            boards=kept,
            problems=tuple(self.problems),
            event=event,
            date=date,
            notes=tuple(notes),
            suspect=suspicions(kept),
        )


def suspicions(boards: Iterable[BoardDeal]) -> tuple[str, ...]:
    """Why these boards look like a mistake, as sentences that show no hand; empty where nothing does.

    Each hand one whole suit (24 deals: chance gives one in 2 * 10^27), or the same hands under two numbers (Law 6D2).
    """
    numbers: dict[Deal, list[int]] = {}
    for board in boards:
        numbers.setdefault(board.deal, []).append(board.number)
    unshuffled = [number for deal, same in numbers.items() if deal in _UNSHUFFLED for number in same]
    twins = [same for same in numbers.values() if len(same) > 1]
    found = [f"{boards_text(unshuffled)}: this is a pack that nobody has shuffled."] if unshuffled else []
    found += [f"{boards_text(same)} have the same hands." for same in twins[:MOST_SUSPICIONS]]
    if len(twins) > MOST_SUSPICIONS:
        found.append(f"So do other boards, in {len(twins) - MOST_SUSPICIONS} more groups.")
    return tuple(found)


def boards_text(numbers: Sequence[int]) -> str:
    """ "Board 7", "Boards 1-4, 9"; of many the first and how many more there are."""
    distinct = sorted(set(numbers))
    text = range_text(distinct)
    if text.count(",") >= MOST_NAMED:
        text = f"{', '.join(text.split(', ')[:MOST_NAMED])} and others ({len(distinct)} in all)"
    return f"{'Boards' if len(distinct) > 1 else 'Board'} {text}"


def _no_number(text: str) -> str:
    return f'"{text}" is not a board number' if text else "it has no board number, while others have one"
