"""What a job shows over several boards: feeding that gets slower, cards misread too often.

May import: `catalogue`, `protocol` and the standard library. Read next: `dealing.py`, which tells it. Pure.
The texts are the notices of the catalogue; nothing here stops a board.
"""

from __future__ import annotations

from collections.abc import Iterable
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


@dataclass(slots=True)
class Trends:
    """One machine during one job. Each method gives the notice that is due, None as long as there is none."""

    _fastest: float = float("inf")
    _slow: int = 0
    _told: set[str] = field(default_factory=set)

    def board_dealt(self, card_ms: int | None) -> Entry | None:
        """A board was dealt with this usual time from card to card; None when it is not known."""
        if card_ms is None:
            return None
        self._slow = self._slow + 1 if card_ms > SLOWER * self._fastest else 0
        self._fastest = min(self._fastest, card_ms)
        if self._slow < IN_A_ROW:
            return None
        self._slow = 0
        return self._once("FEEDS SLOWER")

    def misread(self, faults_of_boards: Iterable[Iterable[int]]) -> Entry | None:
        """The faults of the last boards on this machine, the newest first."""
        boards = zip(range(READINGS_OVER), faults_of_boards, strict=False)
        errors = sum(fault in READING_ERRORS for _, faults in boards for fault in faults)
        return self._once("MISREADS") if errors > 1 else None

    def _once(self, code: str) -> Entry | None:
        if code in self._told:
            return None
        self._told.add(code)
        return entry(Kind.NOTICE, code)
