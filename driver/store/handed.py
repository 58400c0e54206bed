"""A stored set on its way to another computer: its row, its content, what was dealt of it, what was decided about it.

May import: `driver.deals.model`, `driver.errors`, the rest of the store and the standard library. Read next:
`driver/hand_over.py`, which writes it into a file and takes it in; `sets.py` (`adopt`).
Plain values that JSON can hold; what is bytes here is hexadecimal there. Nothing but `content` tells a hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from driver.deals.model import BoardDeal
from driver.errors import WrongPassphrase
from driver.store.content import bound_to, unpacked_boards
from driver.store.database import StoreConnection, reading
from driver.store.decisions import Decision, Detail, Entry
from driver.store.entries import CardEvidence, What
from driver.store.forms import as_text
from driver.store.sealing import Locks, open_locks, unseal
from driver.store.stored import CONTENT_KINDS, SetKind, SetState, StoredSet, number_of

MARK: Final = "handed_over"
"""The detail of a decision that came from another computer: its mark there."""
_ROW: Final = "manifest, public_value_fixed"
_OF_THIS_COMPUTER: Final = ("set", "earlier", "before", "corrects", "other_hands")
"""Details of a decision that name sets by the numbers which they have here alone."""
CARRIED: Final = (What.FAULT, What.VERDICT)
"""What is said of a run after GO, and goes with it."""


@dataclass(frozen=True, slots=True)
class HandedEntry:
    """An entry of the journal about a run, at its own time."""

    what: What
    time: str
    value: str
    who: str
    open_end: bool
    card_ms: int | None
    evidence: tuple[CardEvidence, ...]


@dataclass(frozen=True, slots=True)
class HandedRun:
    """A run of a real machine that has a verdict; `begun` is the time of GO, `entries` what came after it. The rest is
    as in `runs.Intention`."""

    run: int
    board: int
    copy: str
    serial: str
    boot_id: int
    odometer: int
    board_edges: int
    deal_board: int
    begun: str
    entries: tuple[HandedEntry, ...]


@dataclass(frozen=True, slots=True)
class HandedUse:
    """A row of the register: this deal was dealt as `board`."""

    run: int
    board: int
    copy: str
    time: str


@dataclass(frozen=True, slots=True)
class HandedDecision:
    """A decision about the set; `mark` is by what it is known again, `details` without the set's own id."""

    mark: str
    time: str
    what: Decision
    who: str
    details: dict[str, Detail]


@dataclass(frozen=True, slots=True)
class HandedSet:
    """A set with its progress. `content` is as in the store before sealing, or sealed where `locks` are those of its
    passphrase; `id` is the one that it had, to which sealed content is bound."""

    id: str
    name: str
    kind: SetKind
    event: str
    date: str
    created: str
    source: str
    manifest: str
    state: SetState | None
    public_value: str
    public_value_fixed: str | None
    published: str | None
    thrown_away: int
    content: bytes = field(repr=False)
    locks: Locks | None = field(repr=False)
    runs: tuple[HandedRun, ...]
    """In the order of the journal, as are the uses."""
    uses: tuple[HandedUse, ...]
    decisions: tuple[HandedDecision, ...]


@dataclass(frozen=True, slots=True, repr=False)
class OpenedContent:
    """What a handed set holds: its boards, or None and the secret that they are made of; `data_key` where a passphrase
    closes it, else b""."""

    plain: bytes
    boards: tuple[BoardDeal, ...] | None
    data_key: bytes


def opened_content(handed: HandedSet, passphrase: str | None) -> OpenedContent:
    """Opens the content, with passphrase or recovery code where it has locks.

    Raises WrongPassphrase, and NotOpened for content that is none.
    """
    plain, data_key = handed.content, b""
    if handed.locks is not None:
        if passphrase is None:
            raise WrongPassphrase(f"Set {handed.name} is sealed and needs its passphrase.")
        data_key = open_locks(handed.locks, passphrase)
        plain = unseal(plain, data_key, bound_to(handed.id, handed.kind))
    return OpenedContent(plain, unpacked_boards(plain) if handed.kind in CONTENT_KINDS else None, data_key)


def gathered(
    connection: StoreConnection, stored: StoredSet, content: bytes, locks: Locks | None, log: Iterable[Entry]
) -> HandedSet:
    """The set as it stands in the store; `log` are all decisions, the newest first."""
    number = number_of(stored.id)
    with reading(connection):
        manifest, fixed = connection.execute(f"SELECT {_ROW} FROM sets WHERE number = ?", (number,)).fetchone()
        uses = connection.execute(
            "SELECT u.run, u.board, u.copy, u.time FROM used_deals u WHERE u.set_number = ? ORDER BY "
            "(SELECT min(j.sequence) FROM journal j WHERE j.run = u.run AND j.what IN (?, ?)), u.time, u.run",
            (number, What.GO.value, What.SAID.value),
        ).fetchall()
    return HandedSet(
        id=stored.id,
        name=stored.name,
        kind=stored.kind,
        event=stored.event,
        date=stored.date,
        created=as_text(stored.created),
        source=stored.source,
        manifest=manifest,
        state=stored.state,
        public_value=stored.public_value,
        public_value_fixed=fixed,
        published=None if stored.published is None else as_text(stored.published),
        thrown_away=stored.thrown_away,
        content=content,
        locks=locks,
        runs=tuple(_runs(connection, number)),
        uses=tuple(HandedUse(*row) for row in uses),
        decisions=tuple(_decision(entry) for entry in reversed([*log]) if entry.details.get("set") == stored.id),
    )


def _runs(connection: StoreConnection, set_number: int) -> list[HandedRun]:
    with reading(connection):
        rows = connection.execute(
            "SELECT r.run, r.board, r.copy, r.serial, r.boot_id, r.odometer, r.board_edges, r.deal_board, g.time, r.go "
            "FROM runs r JOIN journal g ON g.sequence = r.go WHERE r.set_number = ? AND r.judged IS NOT NULL "
            "AND NOT r.simulated AND NOT r.is_check ORDER BY r.go",
            (set_number,),
        ).fetchall()
        return [
            HandedRun(run, board, copy, serial, boot, odometer, edges, deal, begun, _entries(connection, run, go))
            for run, board, copy, serial, boot, odometer, edges, deal, begun, go in rows
        ]


def _entries(connection: StoreConnection, run: int, go: int) -> tuple[HandedEntry, ...]:
    found = connection.execute(
        "SELECT what, time, value, who, open_end, card_ms, sequence FROM journal WHERE run = ? AND sequence > ? "
        "AND what IN (?, ?) ORDER BY sequence",
        (run, go, *(what.value for what in CARRIED)),
    ).fetchall()
    entries = []
    for what, time, value, who, open_end, card_ms, sequence in found:
        cards = connection.execute(
            "SELECT card, state, proof, as_planned FROM evidence WHERE sequence = ? ORDER BY card", (sequence,)
        ).fetchall()
        evidence = tuple(card_of(*card) for card in cards)
        entries.append(HandedEntry(What(what), time, value, who, bool(open_end), card_ms, evidence))
    return tuple(entries)


def card_of(card: int, state: int, proof: int, as_planned: int | None) -> CardEvidence:
    return CardEvidence(card, state, proof, None if as_planned is None else bool(as_planned))


def _decision(entry: Entry) -> HandedDecision:
    known = entry.details.get(MARK)
    details = {name: value for name, value in entry.details.items() if name not in (*_OF_THIS_COMPUTER, MARK)}
    mark = known if isinstance(known, str) else entry.chain.hex()
    return HandedDecision(mark, as_text(entry.time), entry.what, entry.who, details)
