"""The machine's record of one run: 52 records of four bytes.

May import: protocol and the standard library. Read next: `runs.py`, which writes it.
"""

from __future__ import annotations

from protocol.cards import PACK_SIZE, Unproven
from protocol.codes import Proof, RecordState
from protocol.constants import LEDGER_RECORDS_MAX
from protocol.fields import RECORD_SIZE, LedgerRecord

_FED, _DROPPED, _DOUBT = int(RecordState.FED), int(RecordState.DROPPED), int(RecordState.DOUBT)
_LEFT_HOPPER = int(Proof.LEFT_HOPPER)
_ATTEMPTS_MAX = 15


class Ledger:
    """Records 0 … `length` - 1 exist; a record changes upward only, a permitted feed starts its next attempt."""

    def __init__(self) -> None:
        self.length = 0
        self.counts = [0, 0, 0, 0]
        """Cards proven in pocket 0 … 3."""
        self._records = bytearray(PACK_SIZE * RECORD_SIZE)
        self._dealt = 0

    def fed(self, index: int, attempt: int) -> None:
        """The card of that index left the hopper, for the `attempt`-th time."""
        at = RECORD_SIZE * index
        self._records[at : at + RECORD_SIZE] = bytes(
            (Unproven.NONE, 0, _LEFT_HOPPER << 2, _FED | min(attempt, _ATTEMPTS_MAX) << 4)
        )
        self.length = max(self.length, index + 1)

    def read_as(self, index: int, identity: int, confidence: int) -> None:
        """What the reader said of the card under way; no proof yet."""
        at = RECORD_SIZE * index
        self._records[at] = identity
        self._records[at + 1] = confidence

    def proof(self, index: int, pocket: int, proof: int) -> None:
        """What is proven of the card under way, and the pocket it is meant for."""
        self._records[RECORD_SIZE * index + 2] = pocket | proof << 2

    def dropped(self, index: int) -> None:
        """The card of that index is in its pocket."""
        at = RECORD_SIZE * index
        self._records[at + 3] = self._records[at + 3] & 0xF0 | _DROPPED
        self.counts[self._records[at + 2] & 3] += 1
        if self._records[at] < PACK_SIZE:
            self._dealt |= 1 << self._records[at]

    def doubt(self, index: int) -> None:
        """Nobody knows where the card of that index lies. Does nothing when it never left the hopper."""
        if index < self.length and self._records[RECORD_SIZE * index + 3] & 15 == _FED:
            self._records[RECORD_SIZE * index + 3] += _DOUBT - _FED

    def has_dealt(self, identity: int) -> bool:
        """True when a card that was read as that one is in a pocket already."""
        return bool(self._dealt >> identity & 1)

    def attempts(self, index: int) -> int:
        """Feeds of that index."""
        return self._records[RECORD_SIZE * index + 3] >> 4

    def raw(self, index: int) -> bytes:
        """The four bytes of one record."""
        return bytes(self._records[RECORD_SIZE * index : RECORD_SIZE * (index + 1)])

    def put(self, index: int, raw: bytes) -> None:
        """Takes one record back from memory."""
        at = RECORD_SIZE * index
        self._records[at : at + RECORD_SIZE] = raw
        self.length = max(self.length, index + 1)
        if raw[3] & 15 == _DROPPED:
            self.counts[raw[2] & 3] += 1
            if raw[0] < PACK_SIZE:
                self._dealt |= 1 << raw[0]

    def dealt(self) -> list[tuple[int, int]]:
        """(card code, pocket) of the cards that were read and are proven in a pocket."""
        records = (self.raw(index) for index in range(self.length))
        return [(raw[0], raw[2] & 3) for raw in records if raw[3] & 15 == _DROPPED and raw[0] < PACK_SIZE]

    def whole(self) -> bytes:
        """All 52 records, 208 bytes."""
        return bytes(self._records)

    def read(self, first: int) -> tuple[LedgerRecord, ...]:
        """Up to 26 records from index `first`; fewer = there are no more."""
        last = min(first + LEDGER_RECORDS_MAX, self.length)
        return tuple(LedgerRecord.from_bytes(self.raw(index)) for index in range(first, last))

    def __repr__(self) -> str:
        return f"Ledger({self.length} records)"
