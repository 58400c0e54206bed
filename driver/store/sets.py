"""The stored deal sets: added once, found by id or name, opened by who may.

May import: `driver.deals.model`, `driver.errors`, the rest of the store and the standard library. Read next:
`content.py` (what is sealed), `sealing.py` (how), `states.py` (how far a championship has come, throwing away).
Rules: `fairness.md`, the decisions on top. Of a set from a file the boards are stored, sealed; of one made here only
the secret, sealed, so that its hands are never on a disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from driver.deals.model import BoardDeal, DealSet, range_text
from driver.errors import NothingOpen, StoreDamaged, WrongPassphrase
from driver.store import content
from driver.store.database import StoreConnection, reading, transaction
from driver.store.decisions import Entry
from driver.store.forms import Now, as_text, storable
from driver.store.handed import HandedSet, OpenedContent, gathered
from driver.store.keys import Keys, KeyUse
from driver.store.sealing import Locks, NewLocks, NotOpened, Passphrase, new_locks, open_locks, seal, unseal
from driver.store.similar import most_alike
from driver.store.states import States
from driver.store.stored import (
    CONTENT_KINDS,
    Added,
    SetKind,
    SetState,
    StoredSet,
    cleaned_name,
    is_id,
    name_key,
    number_of,
    source_name,
)

SECRET_SIZE: Final = 32
BOARDS_MADE: Final = range(1, 37)

_INSERT: Final = (
    "INSERT INTO sets (name, name_key, kind, event, date, created, board_range, board_count, source, manifest, state, "
    "thrown_away, content_tag, sealed, passphrase_lock, recovery_lock) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)


@dataclass(frozen=True, slots=True, repr=False)
class _Draft:
    """A set on its way into the store; `plain` is what is to be sealed."""

    name: str
    kind: SetKind
    event: str
    date: str
    numbers: tuple[int, ...]
    source: str
    manifest: str
    tag: bytes
    plain: bytes
    board_tags: tuple[tuple[int, bytes], ...]


class Sets(States):
    """The sets of one open store. All of it raises StoreUnusable and StoreDamaged."""

    def __init__(self, connection: StoreConnection, keys: Keys, now: Now) -> None:
        super().__init__(connection, now)
        self._keys = keys

    def add_imported(
        self, deals: DealSet, *, kind: SetKind = SetKind.IMPORTED, name: str = "", seal: Passphrase | None = None
    ) -> Added:
        """Stores the boards of a file (IMPORTED), or of a lesson (LESSON); `name` is that of the file when empty.

        The same boards again, whatever the file's name and format, give the set that is there: of the same kind, else
        a lesson, because that never becomes anything else. A set that is there unsealed is sealed now if `seal` is
        given; one that is sealed keeps its own passphrase. Raises ValueError for another kind, no boards, or
        a board number from 2^63 on.
        """
        if kind not in CONTENT_KINDS or not deals.boards:
            raise ValueError("a set from a file has boards, and is imported or a lesson")
        tag = content.content_tag(self._keys, deals.boards)
        kinds = tuple(dict.fromkeys((kind, SetKind.LESSON)))
        return self._add(
            _Draft(
                name or deals.name,
                kind,
                deals.event,
                deals.date,
                deals.numbers,
                source_name(deals.path),
                "",
                tag,
                content.packed_boards(deals.boards),
                () if seal else tuple((board.number, content.board_tag(self._keys, board)) for board in deals.boards),
            ),
            kinds,
            seal,
        )

    def add_made(
        self,
        name: str,
        kind: SetKind,
        secret: bytes,
        manifest_text: str,
        *,
        event: str = "",
        date: str = "",
        numbers: Sequence[int] = BOARDS_MADE,
        seal: Passphrase | None = None,
    ) -> Added:
        """Stores the 32-byte secret of a set made here (GAME or CHAMPIONSHIP) and its public text.

        The same secret again gives the set that is there. Raises ValueError for another kind, secret or no boards,
        WrongPassphrase for a championship without `seal`.
        """
        if kind in CONTENT_KINDS or len(secret) != SECRET_SIZE or not numbers:
            raise ValueError("a set made here is a game or a championship with boards and a secret of 32 bytes")
        if kind is SetKind.CHAMPIONSHIP and seal is None:
            raise WrongPassphrase("A championship set needs a passphrase.", hint="Type a few words that you can keep.")
        tag = content.secret_tag(self._keys, secret)
        draft = _Draft(name, kind, event, date, tuple(numbers), "", manifest_text, tag, secret, ())
        return self._add(draft, (kind,), seal)

    def find(self, text: str) -> StoredSet:
        """The set of that id or name, capitals aside. Raises NothingOpen when there is none."""
        where, value = ("number = ?", number_of(text)) if is_id(text) else ("name_key = ?", name_key(text))
        found = self._sets(f"{where} AND thrown IS NULL", (value,))
        if not found:
            raise NothingOpen("There is no set of that name.", hint="`dealctl sets` lists the sets that are there.")
        return found[0]

    def newest_first(self) -> list[StoredSet]:
        """All sets that were not thrown away."""
        return self._sets("thrown IS NULL", ())

    def boards_of(self, stored: StoredSet, *, passphrase: str | None = None) -> tuple[BoardDeal, ...]:
        """The boards of a set from a file or of a lesson, as they were added. `passphrase` or recovery code if sealed.

        Raises WrongPassphrase, NothingOpen when the set is gone, ValueError for a set made here.
        """
        if stored.kind not in CONTENT_KINDS:
            raise ValueError("of a set made here only its secret is stored")
        plain = self._open(stored, passphrase)
        try:
            return content.unpacked_boards(plain)
        except NotOpened:
            raise self._changed(stored) from None

    def secret_of(self, stored: StoredSet, *, passphrase: str | None = None) -> bytes:
        """The 32-byte secret of a set made here. `passphrase` or recovery code if sealed.

        Raises WrongPassphrase, NothingOpen when the set is gone, ValueError for a set of another kind.
        """
        if stored.kind in CONTENT_KINDS:
            raise ValueError("only a set made here has a secret")
        return self._open(stored, passphrase)

    def manifest_of(self, stored: StoredSet) -> str:
        """The public text of a set made here, as it was added; "" for others. Raises NothingOpen when it is gone."""
        return str(self._row(stored, "manifest")[0])

    def to_hand_over(self, stored: StoredSet, log: Sequence[Entry]) -> HandedSet:
        """The set with its progress, for another computer; `log` are all decisions, newest first. A set that a
        passphrase closes stays closed. Raises NothingOpen when it is gone."""
        sealed, by_passphrase, by_recovery = self._row(stored, "sealed, passphrase_lock, recovery_lock")
        locks = None if by_passphrase is None else Locks(by_passphrase, by_recovery)
        return gathered(self._connection, stored, self._open(stored, None) if locks is None else sealed, locks, log)

    def adopt(self, handed: HandedSet, opened: OpenedContent, name: str, numbers: Sequence[int]) -> Added:
        """Stores a set of another computer under that name, opened by `opened_content`, with the boards of those
        numbers; one that is here already only goes on to the state that it has there."""
        boards = opened.boards
        tag = (
            content.secret_tag(self._keys, opened.plain) if boards is None else content.content_tag(self._keys, boards)
        )
        is_open = boards is not None and handed.locks is None
        tags = tuple((board.number, content.board_tag(self._keys, board)) for board in boards or ()) if is_open else ()
        draft = _Draft(
            name,
            handed.kind,
            handed.event,
            handed.date,
            tuple(numbers),
            handed.source,
            handed.manifest,
            tag,
            opened.plain,
            tags,
        )
        with transaction(self._connection):
            there = self._equal(draft, (handed.kind,))
            stored = there or self._insert(draft)
            if there is None:
                locks = None if handed.locks is None else NewLocks(opened.data_key, handed.locks, "")
                self._close(stored, draft, locks)
                self._connection.execute(
                    "UPDATE sets SET created = ?, thrown_away = ? WHERE number = ?",
                    (handed.created, handed.thrown_away, number_of(stored.id)),
                )
            self._go_on_to(stored, handed.state, handed.public_value, handed.public_value_fixed, handed.published)
            return Added(self._again(stored), there is None)

    def similar(self, deals: DealSet) -> tuple[StoredSet, tuple[int, ...]] | None:
        """The stored set with the same board numbers most of whose boards equal these, and the numbers that differ.

        () means that all are equal. Sets that a passphrase closes are not compared. None when there is no such set.
        """
        tags = {board.number: content.board_tag(self._keys, board) for board in deals.boards}
        with reading(self._connection):
            found = most_alike(self._connection, tags)
        if found is None:
            return None
        number, different = found
        return self._sets("number = ?", (number,))[0], different

    def _add(self, draft: _Draft, kinds: Sequence[SetKind], passphrase: Passphrase | None) -> Added:
        there = self._equal(draft, kinds)
        if there is not None and (passphrase is None or there.sealed):
            return Added(there, is_new=False)
        # Before the transaction: scrypt takes its time, and other programs would wait.
        locks = None if passphrase is None else new_locks(passphrase)
        with transaction(self._connection):
            there = self._equal(draft, kinds)
            is_new = there is None
            if there is None:
                there = self._insert(draft)
            elif locks is None or there.sealed:
                return Added(there, is_new=False)
            self._close(there, draft, locks)
            if not is_new:
                self._connection.leaves_traces = True
            stored = self._sets("number = ?", (number_of(there.id),))[0]
        return Added(stored, is_new, None if locks is None else locks.recovery_code)

    def _equal(self, draft: _Draft, kinds: Sequence[SetKind]) -> StoredSet | None:
        for kind in kinds:
            condition = "content_tag = ? AND kind = ? AND thrown IS NULL"
            for found in self._sets(condition, (draft.tag, kind.value)):
                return found
        return None

    def _insert(self, draft: _Draft) -> StoredSet:
        name = self._free_name(cleaned_name(draft.name))
        state = SetState.DRAFT.value if draft.kind is SetKind.CHAMPIONSHIP else None
        number = self._connection.execute(
            _INSERT,
            (
                name,
                name_key(name),
                draft.kind.value,
                storable(draft.event),
                storable(draft.date),
                as_text(self._now()),
                range_text(draft.numbers),
                len(draft.numbers),
                draft.source,
                draft.manifest,
                state,
                self._thrown_before(draft.kind, cleaned_name(draft.name), draft.event),
                draft.tag,
                b"",
                None,
                None,
            ),
        ).lastrowid
        self._connection.executemany(
            "INSERT INTO set_boards (set_number, board, tag) VALUES (?, ?, ?)",
            [(number, board, tag) for board, tag in draft.board_tags],
        )
        return self._sets("number = ?", (number,))[0]

    def _close(self, stored: StoredSet, draft: _Draft, locks: NewLocks | None) -> None:
        """Seals the content into the row of its set, which is known only now."""
        key = self._keys.subkey(KeyUse.SETS) if locks is None else locks.data_key
        sealed = seal(draft.plain, key, content.bound_to(stored.id, stored.kind))
        opened_by = (None, None) if locks is None else (locks.locks.passphrase, locks.locks.recovery)
        number = number_of(stored.id)
        self._connection.execute(
            "UPDATE sets SET sealed = ?, passphrase_lock = ?, recovery_lock = ? WHERE number = ?",
            (sealed, *opened_by, number),
        )
        if locks is not None:
            # Tags of single boards would let the key file alone confirm a guessed hand.
            self._connection.execute("DELETE FROM set_boards WHERE set_number = ?", (number,))

    def _free_name(self, name: str) -> str:
        """The name, or with the first number from 2 on that makes it a new one."""
        taken: set[str] = {
            key for (key,) in self._connection.execute("SELECT name_key FROM sets WHERE thrown IS NULL").fetchall()
        }
        numbered = (name if count == 1 else f"{name}-{count}" for count in range(1, len(taken) + 2))
        return next(free for free in numbered if name_key(free) not in taken)

    def _open(self, stored: StoredSet, passphrase: str | None) -> bytes:
        sealed, by_passphrase, by_recovery = self._row(stored, "sealed, passphrase_lock, recovery_lock")
        if by_passphrase is None:
            key = self._keys.subkey(KeyUse.SETS)
        elif passphrase is None:
            raise WrongPassphrase(
                f"Set {stored.name} is sealed and needs its passphrase.",
                hint="The recovery code that was printed for the set opens it too.",
            )
        else:
            key = open_locks(Locks(by_passphrase, by_recovery), passphrase)
        try:
            return unseal(sealed, key, content.bound_to(stored.id, stored.kind))
        except (NotOpened, TypeError):
            raise self._changed(stored) from None

    def _changed(self, stored: StoredSet) -> StoreDamaged:
        return StoreDamaged(f"The content of set {stored.name} was changed.", path=self._connection.path)
