"""The runs that the journal tells of: what each was to deal, where, and how far it came.

May import: `driver.errors`, `database`, `entries`, `forms`, `stored` and the standard library. Read next: `copies.py`
(the runs that dealt boards of a stored set), `driver/journal.py` (who writes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from driver.errors import JournalDamaged
from driver.store.database import StoreConnection, reading
from driver.store.entries import CardEvidence, What
from driver.store.forms import as_time
from driver.store.stored import number_of

COLUMNS: Final = (
    "r.run, r.plan_tag, r.board, r.copy, r.serial, r.boot_id, r.odometer, r.board_edges, r.set_number, r.deal_board, "
    "r.simulated, r.is_check, g.time, v.time, v.value, v.who, v.open_end, v.card_ms, g.value, r.closed, "
    "(SELECT group_concat(value) FROM (SELECT f.value FROM journal f WHERE f.run = r.run AND f.what = 'fault' "
    "AND f.sequence > r.sequence ORDER BY f.sequence)), "
    "(SELECT e.value FROM journal e WHERE e.run = r.run AND e.what = 'emptying' ORDER BY e.sequence DESC LIMIT 1)"
)
_FROM: Final = "runs r LEFT JOIN journal g ON g.sequence = r.go LEFT JOIN journal v ON v.sequence = r.judged"
ASKED: Final = "asked"
LEFT: Final = "left"
"""The values of an EMPTYING."""
LARGEST_RUN: Final = 2**63 - 1
"""A machine may name a run beyond it, which no journal gave."""
_DEALT: Final = "NOT r.is_check"


@dataclass(frozen=True, slots=True)
class Intention:
    """What is written before ARM: which board is to be dealt where, and how the machine stood.

    `deal_set` (a stored set, "" for none) and `deal_board` say where the deal can be found again; `board` is the number
    that it is dealt as.
    """

    board: int
    copy: str
    serial: str
    boot_id: int
    odometer: int
    board_edges: int
    deal_set: str
    deal_board: int
    simulated: bool
    is_check: bool = False
    """A run that checked a pack or a board instead of dealing one."""

    @property
    def columns(self) -> tuple[object, ...]:
        """As they stand in the store, behind run and plan tag."""
        number = number_of(self.deal_set) if self.deal_set else None
        machine = (self.serial, self.boot_id, self.odometer, self.board_edges)
        return self.board, self.copy, *machine, number, self.deal_board, int(self.simulated), int(self.is_check)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run as the journal knows it; `verdict` is None until one was written.

    `open_end`: the verdict may still be withdrawn, because the pack was not seen to end. `begun` and `judged` are times
    of day, for a person; `card_ms` is the usual time from card to card by the machine's clock, and `hand_ms` how long
    hands were at work since the board before, by a clock of this host that nobody sets; None when not known.
    """

    run: int
    plan_tag: bytes
    intention: Intention
    go_sent: bool = False
    verdict: str | None = None
    by: str = ""
    faults: tuple[int, ...] = ()
    open_end: bool = False
    closed: bool = False
    begun: datetime | None = None
    judged: datetime | None = None
    card_ms: int | None = None
    hand_ms: int | None = None
    may_be_emptied: bool = False
    """A person was asked to take its cards out, and what came of it is not known."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """A backup was put back, as entry `sequence` says. It was made at `backed_up`; `last_set` was its newest set."""

    sequence: int
    backed_up: datetime
    last_set: int


@dataclass(frozen=True, slots=True)
class Said:
    """What a person said about a board of a set after a backup was put back; `run` stands for its dealing.

    `copy` is None in an entry of the time when one answer stood for every copy of the board.
    """

    sequence: int
    run: int
    set_id: str
    board: int
    copy: str | None
    dealt: bool

    def is_about(self, set_id: str, board: int, copy: str) -> bool:
        """Whether it was said of that copy of that board."""
        return (self.set_id, self.board) == (set_id, board) and self.copy in (None, copy)


class Runs:
    """The runs of one open store. All of it raises StoreUnusable and StoreDamaged, and JournalDamaged."""

    def __init__(self, connection: StoreConnection) -> None:
        self._connection = connection

    def record(self, run: int) -> RunRecord | None:
        """What is known of a run id; None when this journal never gave it."""
        return self._newest("r.run = ?", run) if run <= LARGEST_RUN else None

    def open_run(self, serial: str) -> RunRecord | None:
        """The newest run on that machine that was not closed."""
        return self._newest("r.serial = ? AND r.closed IS NULL", serial)

    def left_open(self) -> list[RunRecord]:
        """Of each machine the run that is under way, the newest first; empty when none is.

        It is the newest of those not closed whose cards may have moved, which nothing hides that came after it; else
        the last intent, if that was not closed.
        """
        of_machine = "SELECT max(o.sequence) FROM runs o WHERE o.serial = r.serial"
        newest = f"coalesce(({of_machine} AND o.closed IS NULL AND o.go IS NOT NULL), ({of_machine}))"
        return self._where(f"r.closed IS NULL AND r.sequence = {newest} ORDER BY r.sequence DESC")

    def last_of_board(self, board: int) -> RunRecord | None:
        """The newest run that was to deal this board number; checks do not count."""
        return self._newest(f"{_DEALT} AND r.board = ?", board)

    def last_of_copy(self, board: int, copy: str) -> RunRecord | None:
        """The newest run that was to deal this copy of this board number."""
        return self._newest(f"{_DEALT} AND r.board = ? AND r.copy = ?", board, copy)

    def later(self, record: RunRecord) -> list[RunRecord]:
        """The runs that were to deal the same copy of the same board of its set after that one, the newest first."""
        told = record.intention
        if not told.deal_set:
            return []
        return self._where(
            f"{_DEALT} AND r.set_number = ? AND r.deal_board = ? AND r.board = ? AND r.copy = ? AND r.simulated = ? "
            "AND r.sequence > (SELECT max(i.sequence) FROM intents i WHERE i.run = ?) ORDER BY r.sequence DESC",
            number_of(told.deal_set),
            told.deal_board,
            told.board,
            told.copy,
            int(told.simulated),
            record.run,
        )

    def open_end(self, serial: str) -> RunRecord | None:
        """The run on that machine that was judged last, if its verdict may still be withdrawn by the next pack."""
        last = self._newest(f"{_DEALT} AND r.serial = ? AND r.judged IS NOT NULL", serial)
        return last if last is not None and last.open_end else None

    def last_on(self, serial: str, count: int) -> list[RunRecord]:
        """The newest runs that began to deal a board on that machine, at most so many, the newest first."""
        return self._where(f"{_DEALT} AND r.serial = ? AND r.go IS NOT NULL ORDER BY r.go DESC LIMIT ?", serial, count)

    def begun(self) -> list[RunRecord]:
        """Every run whose cards may have moved, checks too, in the order in which they were begun."""
        return self._where("r.go IS NOT NULL ORDER BY r.go")

    def put_back(self) -> PutBack | None:
        """The last time that a backup was put back; None when this store never came from one."""
        found = [(sequence, value) for sequence, _, value in self._entries(What.JOURNAL) if " " in value]
        if not found:
            return None
        sequence, value = found[-1]
        _, last_set, time = value.split(" ")
        return PutBack(sequence, as_time(time), int(last_set))

    def said(self) -> list[Said]:
        """What persons said about boards after a backup was put back, oldest first."""
        return [
            Said(sequence, run, set_id, int(board), copy[0] if copy else None, word == "dealt")
            for sequence, run, value in self._entries(What.SAID)
            for word, set_id, board, *copy in (value.split(" ", 3),)
        ]

    def _entries(self, what: What) -> list[tuple[int, int, str]]:
        with reading(self._connection):
            return self._connection.execute(
                "SELECT sequence, run, value FROM journal WHERE what = ? ORDER BY sequence", (what.value,)
            ).fetchall()

    def _taken(self, run: int) -> int | None:
        """How many faults and verdicts of a run are written here; None for a run that is not."""
        with reading(self._connection):
            rows = self._connection.execute(
                "SELECT what IN (?, ?) FROM journal WHERE run = ?", (What.FAULT.value, What.VERDICT.value, run)
            ).fetchall()
        return sum(counts for (counts,) in rows) if rows else None

    def evidence(self, run: int) -> tuple[CardEvidence, ...]:
        """What was written of each card of a run when it was judged, in the order of the pack."""
        with reading(self._connection):
            rows = self._connection.execute(
                "SELECT card, state, proof, as_planned FROM evidence WHERE sequence = (SELECT max(e.sequence) "
                "FROM evidence e JOIN journal j ON j.sequence = e.sequence WHERE j.run = ?) ORDER BY card",
                (run,),
            ).fetchall()
        return tuple(
            CardEvidence(card, state, proof, None if planned is None else bool(planned))
            for card, state, proof, planned in rows
        )

    def as_planned(self) -> dict[int, int]:
        """Of each run of which there is evidence, how many cards are known to have gone where the plan has them."""
        with reading(self._connection):
            rows = self._connection.execute(
                "SELECT j.run, sum(e.as_planned IS 1) FROM evidence e JOIN journal j ON j.sequence = e.sequence "
                "GROUP BY j.sequence ORDER BY j.sequence"
            ).fetchall()
        return dict(rows)

    def _newest(self, condition: str, *values: object) -> RunRecord | None:
        return next(iter(self._where(f"{condition} ORDER BY r.sequence DESC LIMIT 1", *values)), None)

    def _where(self, condition: str, *values: object) -> list[RunRecord]:
        with reading(self._connection):
            rows = self._connection.execute(f"SELECT {COLUMNS} FROM {_FROM} WHERE {condition}", values).fetchall()
        try:
            return [_record(row) for row in rows]
        except (ValueError, TypeError):
            raise JournalDamaged("An entry of what was dealt cannot be read.", path=self._connection.path) from None


def _record(row: Sequence[Any]) -> RunRecord:
    run, tag, board, copy, serial, boot_id, odometer, edges, number, deal_board, simulated, is_check, *rest = row
    begun, judged, verdict, by, open_end, card_ms, hand_ms, closed, faults, emptying = rest
    deal_set = "" if number is None else f"s{number}"
    return RunRecord(
        run,
        bytes(tag),
        Intention(board, copy, serial, boot_id, odometer, edges, deal_set, deal_board, bool(simulated), bool(is_check)),
        go_sent=begun is not None,
        verdict=verdict,
        by=by or "",
        faults=tuple(int(fault) for fault in faults.split(",")) if faults else (),
        open_end=bool(open_end),
        closed=closed is not None,
        begun=None if begun is None else as_time(begun),
        judged=None if judged is None else as_time(judged),
        card_ms=card_ms,
        hand_ms=int(hand_ms) if hand_ms else None,
        may_be_emptied=emptying == ASKED,
    )
