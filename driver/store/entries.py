"""The entries of the journal as they lie in the store: numbered without a gap, each chained to the one before.

May import: `driver.errors`, `database`, `keys`, `forms` and the standard library. Read next: `runs.py`, which reads the
runs out of them; `driver/journal.py`, the one program's part that writes them.
No entry tells a card or a destination (invariant I7): of a card its place in the pack, its proof, and whether it went
where the plan has it.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from driver.errors import JournalDamaged
from driver.store.database import StoreConnection, reading, transaction
from driver.store.forms import Now, as_text, storable
from driver.store.keys import Keys, KeyUse

NOTHING_BEFORE: Final = bytes(32)

_OWN: Final = "sequence, what, run, time, value, who, open_end, card_ms"
_OWN_COLUMNS: Final = len(_OWN.split(", ")) - 1
"""Of an entry itself, behind its number."""
_OF_INTENT: Final = (
    "run, plan_tag, board, copy, serial, boot_id, odometer, board_edges, set_number, deal_board, simulated, is_check"
)
_ALL: Final = f"""
    SELECT {", ".join(f"j.{name}" for name in _OWN.split(", "))},
           {", ".join(f"i.{name}" for name in _OF_INTENT.split(", "))},
           (SELECT group_concat(printf('%03d:%d:%d:%d', e.card, e.state, e.proof, ifnull(e.as_planned, 2)))
            FROM evidence e WHERE e.sequence = j.sequence),
           j.chain
    FROM journal j LEFT JOIN intents i ON i.sequence = j.sequence ORDER BY j.sequence
"""
_ASTRAY: Final = """
    SELECT sequence FROM intents WHERE sequence NOT IN (SELECT sequence FROM journal WHERE what = 'intent')
    UNION SELECT sequence FROM evidence WHERE sequence NOT IN (SELECT sequence FROM journal WHERE what = 'verdict')
    UNION SELECT seq FROM sqlite_sequence
          WHERE name = 'journal' AND seq IS NOT (SELECT max(sequence) FROM journal)
"""


@unique
class What(Enum):
    """What an entry tells; the value is what stands in the store and never changes."""

    JOURNAL = "journal"
    """The journal begins: its id. Anew after a backup was put back: then also the last set and the backup's time."""
    INTENT = "intent"
    GO = "go"
    """Cards are about to move: the milliseconds since the board before was judged, "" where nobody measured them."""
    FAULT = "fault"
    VERDICT = "verdict"
    CLOSED = "closed"
    EMPTYING = "emptying"
    """A person is "asked" to take the cards of a finished board out; or has "left" them in."""
    SAID = "said"
    """What a person said about a board after a backup was put back: dealt since, or left; its set, number and copy."""


@dataclass(frozen=True, slots=True)
class CardEvidence:
    """One card of a run: `card` is its place in the pack, from 0; `state` and `proof` are those of the ledger.

    `as_planned`: it went where the plan has it; None when nobody knows.
    """

    card: int
    state: int
    proof: int
    as_planned: bool | None


class Entries:
    """The entries of one open store. All of it raises StoreUnusable and StoreDamaged."""

    def __init__(self, connection: StoreConnection, keys: Keys, now: Now) -> None:
        self._connection = connection
        self._key = keys.subkey(KeyUse.JOURNAL)
        self._now = now

    def append(
        self,
        what: What,
        run: int,
        *,
        value: str = "",
        who: str = "",
        open_end: bool = False,
        card_ms: int | None = None,
        intent: Sequence[object] | None = None,
        evidence: Iterable[CardEvidence] = (),
        time: str | None = None,
    ) -> None:
        """Writes one entry; durable when it returns, or when the transaction around it ends.

        `intent` are the columns of an INTENT from the plan tag on; `time` is that of an entry of another computer.
        """
        told = (what.value, run, time or as_text(self._now()), value, storable(who), int(open_end), card_ms)
        cards = [(one.card, int(one.state), int(one.proof), one.as_planned) for one in evidence]
        with transaction(self._connection):
            sequence, before = self._head()
            sequence += 1
            text = ",".join(_card_text(*card) for card in cards) or None
            columns = (None,) * len(_OF_INTENT.split(", ")) if intent is None else (run, *intent)
            chain = self._chained(before, (sequence, *told), columns, text)
            self._connection.execute(
                f"INSERT INTO journal ({_OWN}, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (sequence, *told, chain)
            )
            if intent is not None:
                marks = ", ".join("?" * (1 + len(columns)))
                self._connection.execute(
                    f"INSERT INTO intents (sequence, {_OF_INTENT}) VALUES ({marks})", (sequence, *columns)
                )
            self._connection.executemany(
                "INSERT INTO evidence (sequence, card, state, proof, as_planned) VALUES (?, ?, ?, ?, ?)",
                [(sequence, *card) for card in cards],
            )

    def check(self) -> None:
        """Follows the chain from its beginning. Raises JournalDamaged where something is missing or was changed."""
        expected = 1
        with reading(self._connection):
            for sequence, chain, stored in self._links():
                if sequence != expected:
                    raise self._damaged(f"Entry {expected} of what was dealt is missing.")
                if not isinstance(stored, bytes) or not hmac.compare_digest(chain, stored):
                    raise self._damaged(f"Entry {sequence} of what was dealt was changed after it was written.")
                expected += 1
            if self._connection.execute(_ASTRAY).fetchone() is not None:
                raise self._damaged(f"Entry {expected} of what was dealt is missing.")

    def journal_id(self) -> int:
        """The id that the journal has since it last began; 0 before it begins."""
        with reading(self._connection):
            row = self._connection.execute(
                "SELECT value FROM journal WHERE what = ? ORDER BY sequence DESC LIMIT 1", (What.JOURNAL.value,)
            ).fetchone()
        return 0 if row is None else int(row[0].split()[0])

    def last_run(self, low: int, high: int) -> int | None:
        """The greatest run from `low` to `high` that an entry tells of."""
        with reading(self._connection):
            row = self._connection.execute(
                "SELECT max(run) FROM journal WHERE run BETWEEN ? AND ?", (low, high)
            ).fetchone()
        return None if row is None else row[0]

    def _head(self) -> tuple[int, bytes]:
        row = self._connection.execute("SELECT sequence, chain FROM journal ORDER BY sequence DESC LIMIT 1").fetchone()
        return (0, NOTHING_BEFORE) if row is None else (row[0], bytes(row[1]))

    def _links(self) -> Iterator[tuple[int, bytes, object]]:
        """The number of each entry, the link of the chain that it should have, and the one that it has."""
        before = NOTHING_BEFORE
        # Read at once: another program may write meanwhile.
        for sequence, *told, text, stored in self._connection.execute(_ALL).fetchall():
            ordered = None if text is None else ",".join(sorted(text.split(",")))
            before = self._chained(before, (sequence, *told[:_OWN_COLUMNS]), told[_OWN_COLUMNS:], ordered)
            yield sequence, before, stored

    def _chained(self, before: bytes, own: Sequence[object], columns: Sequence[object], cards: str | None) -> bytes:
        # Numbers, texts, bytes and None, each in a form of its own that no version of Python changes.
        return hmac.digest(self._key, before + ascii((*own, *columns, cards)).encode(), "sha256")

    def _damaged(self, sentence: str) -> JournalDamaged:
        return JournalDamaged(sentence, path=self._connection.path)


def _card_text(card: int, state: int, proof: int, as_planned: bool | None) -> str:
    return f"{card:03d}:{state}:{proof}:{2 if as_planned is None else int(as_planned)}"
