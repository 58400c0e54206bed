"""The register of used deals: which deals real machines have dealt, so that one met again is asked about (Law 6D2).

May import: `driver.deals.model`, `database`, `keys`, `forms`, `stored` and the standard library. Read next:
`sets.py`. Rules: `fairness.md` 4.5 and `laws.md` 1.5. An entry is keyed and the same for all four ways to turn a board,
so a stolen register says nothing about a deal. How the deal was turned is not stored as a number either: for a deal
made canonical that number is the seat of the spade ace.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from driver.deals.model import Deal
from driver.errors import NothingOpen, StoreDamaged
from driver.store.database import StoreConnection, reading, transaction
from driver.store.forms import as_text, as_time
from driver.store.keys import Keys, KeyUse
from driver.store.stored import SetKind, number_of

FACING_SIZE: Final = 16

_ENTRY: Final = b"bridge-ledger-v1"
_FACING: Final = b"bridge-facing-v1"


@dataclass(frozen=True, slots=True)
class Use:
    """One time that a deal was dealt. `source` is the name of the file that it came from, "" for a set made here.

    `turned` is by how many seats, clockwise, the deal asked about is turned against the deal used: 0 for the same
    hands at the same seats.
    """

    set_id: str
    set_name: str
    source: str
    board: int
    copy: str
    run: int
    time: datetime
    turned: int


class Register:
    """The register of one open store. All of it raises StoreUnusable and StoreDamaged."""

    def __init__(self, connection: StoreConnection, keys: Keys) -> None:
        self._connection = connection
        self._keys = keys

    def note(self, deal: Deal, set_id: str, board: int, copy: str, run: int, time: datetime) -> bool:
        """Enters a deal whose cards a real machine has dropped; once for each run, however often it is said.

        A lesson's deals are not entered; whether it was a lesson tells the answer (False). Simulated runs must not
        come here. Raises NothingOpen when there is no such set.
        """
        number = number_of(set_id)
        owners = _owners(deal)
        with transaction(self._connection):
            row = self._connection.execute("SELECT kind FROM sets WHERE number = ?", (number,)).fetchone()
            if row is None:
                raise NothingOpen(f"There is no set {set_id}.")
            if row[0] == SetKind.LESSON.value:
                return False
            self._connection.execute(
                "INSERT OR IGNORE INTO used_deals (entry, run, set_number, board, copy, facing, time) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (self._entry(owners), run, number, board, copy, self._facing(owners), as_text(time)),
            )
        return True

    def uses(self, deals: Sequence[Deal]) -> list[tuple[Use, ...]]:
        """For each deal, in the same order, when it was dealt before in whatever direction; the latest first."""
        with reading(self._connection):
            return [self._uses(_owners(deal)) for deal in deals]

    def _uses(self, owners: bytes) -> tuple[Use, ...]:
        rows = self._connection.execute(
            "SELECT s.number, s.name, s.source, u.board, u.copy, u.run, u.time, u.facing "
            "FROM used_deals u JOIN sets s ON s.number = u.set_number WHERE u.entry = ? "
            "ORDER BY u.time DESC, u.run DESC",
            (self._entry(owners),),
        ).fetchall()
        if not rows:
            return ()
        facings = [self._facing(_turned(owners, -seats)) for seats in range(4)]
        return tuple(
            Use(f"s{number}", name, source, board, copy, run, self._time(time), self._seats_turned(facings, facing))
            for number, name, source, board, copy, run, time, facing in rows
        )

    def _entry(self, owners: bytes) -> bytes:
        canonical = min(_turned(owners, seats) for seats in range(4))
        return self._keys.tag(KeyUse.REGISTER, _ENTRY, canonical)

    def _facing(self, owners: bytes) -> bytes:
        return self._keys.tag(KeyUse.REGISTER, _FACING, owners)[:FACING_SIZE]

    def _seats_turned(self, facings: Sequence[bytes], stored: object) -> int:
        for seats, facing in enumerate(facings):
            if isinstance(stored, bytes) and hmac.compare_digest(facing, stored):
                return seats
        raise StoreDamaged("The register of used deals was changed.", path=self._connection.path)

    def _time(self, text: str) -> datetime:
        try:
            return as_time(text)
        except (ValueError, TypeError):
            raise StoreDamaged("The register of used deals was changed.", path=self._connection.path) from None


def _owners(deal: Deal) -> bytes:
    return bytes(deal.owners)


def _turned(owners: bytes, seats: int) -> bytes:
    """The owners after each hand moved by so many seats clockwise."""
    return owners.translate(bytes((seat + seats) % 4 for seat in range(256)))
