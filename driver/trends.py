"""What several boards of a machine show: feeding that gets slower, cards misread too often.

May import: `catalogue`, `protocol` and the standard library. Read next: `dealing.py`, which tells it in a job;
`history.py`, for all jobs. Pure.
The texts are the notices of the catalogue; nothing here stops a board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from driver.catalogue import Entry, Kind, entry
from protocol.codes import FaultCode

IN_A_ROW: Final = 3
"""Boards that show the same before it is called a trend."""
SLOWER: Final = 1.25
"""So many times the fastest board's time for a card is slower."""
READINGS_OVER: Final = 100
"""Boards over which reading errors are counted; one among them is usual."""
READING_ERRORS: Final = frozenset({FaultCode.UNREADABLE, FaultCode.DUPLICATE_CARD})
_FEEDS_SLOWER: Final = "FEEDS SLOWER"
_MISREADS: Final = "MISREADS"


def feeds_slower(times: Sequence[int]) -> bool:
    """Whether the newest boards in a row were all slower than the fastest; `times` from card to card, oldest first."""
    return min(times[-IN_A_ROW:], default=0) > SLOWER * min(times, default=0)


def misreads_often(faults_of_boards: Iterable[Iterable[int]]) -> bool:
    """Whether more than one card was misread; the faults of the last boards on a machine, the newest first."""
    boards = zip(range(READINGS_OVER), faults_of_boards, strict=False)
    return sum(fault in READING_ERRORS for _, faults in boards for fault in faults) > 1


def notices(times: Sequence[int], faults_of_boards: Iterable[Iterable[int]]) -> tuple[Entry, ...]:
    """What shows over these boards of one machine; the values are those of the functions above."""
    found = {_FEEDS_SLOWER: feeds_slower(times), _MISREADS: misreads_often(faults_of_boards)}
    return tuple(entry(Kind.NOTICE, code) for code, is_so in found.items() if is_so)


@dataclass(slots=True)
class Trends:
    """One machine during one job. Each method gives the notice that is due, None as long as there is none."""

    _times: list[int] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)

    def board_dealt(self, card_ms: int | None) -> Entry | None:
        """A board was dealt with this usual time from card to card; None when it is not known."""
        if card_ms is None:
            return None
        self._times.append(card_ms)
        return self._once(_FEEDS_SLOWER) if feeds_slower(self._times) else None

    def misread(self, faults_of_boards: Iterable[Iterable[int]]) -> Entry | None:
        """As `misreads_often`."""
        return self._once(_MISREADS) if misreads_often(faults_of_boards) else None

    def _once(self, code: str) -> Entry | None:
        if code in self._told:
            return None
        self._told.add(code)
        return entry(Kind.NOTICE, code)
