"""The journal: what this host intended and what came of it, in the one database, durable before each step.

May import: `errors`, `plan`, `queue`, `store`, `protocol.cards` and the standard library. Read next: `runner.py`, which
writes here before it sends; `store/entries.py`, what an entry is; `store/runs.py`, what can be asked; `store/jobs.py`,
which follows each entry.
One program at a time writes it, and checks all of it first; what a program that ended had claimed is free then, or
as soon as another window looks at the queue. It holds no card and no destination; the plan tag is keyed, so the tag of
a known deal cannot be looked for (invariant I7).
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Self

from driver.errors import JournalBusy, JournalUnusable, StoreDamaged, StoreUnusable, WrongState
from driver.plan import Plan
from driver.queue import CopyId
from driver.store.entries import CardEvidence, What
from driver.store.forms import as_text
from driver.store.handed import HandedRun
from driver.store.jobs import Jobs
from driver.store.runs import ASKED, LEFT, Intention, RunRecord, Runs
from driver.store.store import Store
from driver.store.stored import number_of

LOCK_NAME: Final = "journal.lock"
TAG_SIZE: Final = 8
_RUNS: Final = 2**32 - 1
"""How many runs one journal id can have."""


class Journal(Runs):
    """The journal of an open store, to write and to ask. One program at a time; close it, or use it in `with`.

    Raises JournalDamaged when an entry is not what was written, JournalBusy when another program holds it, and
    JournalUnusable when something cannot be written: then it was not.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store.connection)
        self._store = store
        self._lock = -1
        try:
            with self.together():  # whoever only looks whether a program deals does so in a transaction, too
                self._lock = take_lock(store.folder)
                os.ftruncate(self._lock, 1)  # until it is closed: who finds the lock free and this byte in it knows
            store.entries.check()
            self._id = store.entries.journal_id() or self._begin()
            store.jobs.programs_ended()
        except OSError as error:
            self.close()
            raise _cannot_write(store.folder, error) from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets another program have it; the store stays open. May be called twice."""
        if self._lock >= 0:
            with suppress(OSError):
                os.ftruncate(self._lock, 0)
            os.close(self._lock)
        self._lock = -1

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written inside, here or elsewhere in the store, is kept whole and durably when it ends, or not at
        all."""
        try:
            with self._store.together():
                yield
        except (JournalUnusable, StoreDamaged):
            raise
        except StoreUnusable as error:
            raise JournalUnusable(str(error), path=error.path, details=error.details) from error

    def plan_tag(self, board: int, routing: int, destinations: bytes) -> bytes:
        """Eight bytes that stand for a plan; equal for an equal plan, telling nothing without the key."""
        return _tag(self._store, board, routing, destinations)

    @property
    def jobs(self) -> Jobs:
        """The queue, which follows intents, GO and verdicts in the same transaction."""
        return self._store.jobs

    def intend(
        self, intention: Intention, plan_tag: bytes, *, run: int | None = None, copy: CopyId | None = None
    ) -> RunRecord:
        """Writes the intent to deal a board, which is `copy` of the queue. Durable when it returns.

        The run id is new and never returns; or `run`, that of an intent which certainly moved no card. Raises
        NothingOpen when there is no such set, WrongState when `run` has a verdict.
        """
        with self.together():
            before = None if run is None else self.record(run)
            if before is not None and before.verdict is not None:
                raise WrongState(f"Board {intention.board} was judged already in this run.")
            if intention.deal_set:
                self._store.sets.find(intention.deal_set)
            run = self._new_run() if run is None else run
            self._store.entries.append(What.INTENT, run, intent=(plan_tag, *intention.columns))
            if copy is not None:
                self._store.jobs.intended(copy, intention.serial, run)
        return RunRecord(run, plan_tag, intention)

    def note_go(self, run: int, hand_ms: int | None = None) -> None:
        """GO is about to be sent; `hand_ms` is how long hands were at work since the board before was judged."""
        with self.together():
            self._note(What.GO, run, "" if hand_ms is None else str(hand_ms))
            self._store.jobs.begun(run)

    def note_fault(self, run: int, fault: int) -> None:
        """The machine reported a fault during the run."""
        self._note(What.FAULT, run, value=str(int(fault)))

    def note_verdict(
        self,
        run: int,
        verdict: str,
        by: str = "",
        *,
        open_end: bool = False,
        card_ms: int | None = None,
        evidence: Iterable[CardEvidence] = (),
    ) -> None:
        """The verdict of a run, or its change; `by` is the person who counted, if one did.

        `evidence` is what each card's record says, `card_ms` the usual time from card to card.
        """
        with self.together():
            self._store.entries.append(
                What.VERDICT, run, value=verdict, who=by, open_end=open_end, card_ms=card_ms, evidence=evidence
            )
            self._store.jobs.judged(run, verdict)

    def note_closed(self, run: int) -> None:
        """The machine has ended the run, or never had it, or a person took its cards out and gave it up."""
        with self.together():
            self._note(What.CLOSED, run)
            self._store.jobs.closed(run)

    def note_emptying(self, run: int, *, asked: bool) -> None:
        """A person is about to be asked to take the cards of that finished board out, or has left them in."""
        self._note(What.EMPTYING, run, ASKED if asked else LEFT)

    def note_said(self, set_id: str, board: int, copy: str, *, dealt: bool, run: int | None = None) -> int:
        """What a person says about a copy of a board after a backup was put back: dealt since then, or not.

        The number stands for the run in which it was dealt: `run` where the backup knows its beginning, else one that
        is like a run id, and no machine ever had it.
        """
        with self.together():
            run = self._new_run() if run is None else run
            self._note(What.SAID, run, f"{'dealt' if dealt else 'left'} {set_id} {board} {copy}")
        return run

    def take_over(self, run: HandedRun, set_id: str, plan_tag: bytes) -> bool:
        """Writes down a run of another computer as one that is over, at its own times; False when it was known as it
        is. Of one that is known, what came after is added."""
        with self.together():
            before = self._taken(run.run)
            if before is None:
                number = number_of(set_id)
                machine = (run.serial, run.boot_id, run.odometer, run.board_edges)
                intent = (plan_tag, run.board, run.copy, *machine, number, run.deal_board, 0, 0)
                self._store.entries.append(What.INTENT, run.run, intent=intent, time=run.begun)
                self._store.entries.append(What.GO, run.run, time=run.begun)
            for entry in run.entries[before or 0 :]:
                self._store.entries.append(
                    entry.what, run.run, value=entry.value, who=entry.who, open_end=entry.open_end,
                    card_ms=entry.card_ms, evidence=entry.evidence, time=entry.time,
                )  # fmt: skip
            if before is None:
                self._store.entries.append(What.CLOSED, run.run, time=run.entries[-1].time)
            return before is None or before < len(run.entries)

    def begin_anew(self, backed_up: datetime) -> None:
        """This journal was put back from a backup of that time, and knows nothing of what was dealt after it.

        It gets a new id, so that no run id returns; every board is asked for once before it is dealt as new.
        """
        with self.together():
            last_set = max((number_of(stored.id) for stored in self._store.sets.newest_first()), default=0)
            self._id = self._begin(f" {last_set} {as_text(backed_up)}")

    def _note(self, what: What, run: int, value: str = "") -> None:
        with self.together():
            self._store.entries.append(what, run, value=value)

    def _begin(self, more: str = "") -> int:
        drawn = secrets.randbits(31) or 1
        self._note(What.JOURNAL, 0, f"{drawn}{more}")
        return drawn

    def _new_run(self) -> int:
        """One more than the newest of this journal id; with a new id, numbers begin again."""
        none = self._id << 32
        return (self._store.entries.last_run(none, none + _RUNS) or none) + 1


def tag_of(store: Store, plan: Plan) -> bytes:
    """As `Journal.plan_tag`, for whoever only reads: the journal may be in use."""
    return _tag(store, plan.board, plan.routing, plan.destinations())


def _tag(store: Store, board: int, routing: int, destinations: bytes) -> bytes:
    return store.plan_tag(board.to_bytes(2, "little") + bytes((routing,)) + destinations)[:TAG_SIZE]


def take_lock(folder: Path) -> int:
    """A file that, while it is open, keeps other programs from dealing in `folder`. Raises JournalBusy, OSError."""
    file = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(file, folder)
    except BaseException:
        os.close(file)
        raise
    return file


def is_dealing(store: Store) -> bool:
    """Whether a program deals now: the system takes the lock from a program that dies.

    It is tried in a transaction, as a program takes it, so nobody is refused because another window looks. Raises
    JournalUnusable and StoreUnusable.
    """
    with store.together(), _lock_looked_at(store.folder) as lock:
        return lock is None


def end_if_nobody_deals(store: Store) -> None:
    """Ends what a program had released and claimed that died before it could; nothing while a program deals.

    Raises as `is_dealing`.
    """
    if not store.jobs.queue().jobs:
        return
    with store.together(), _lock_looked_at(store.folder) as lock:
        if lock is not None and (os.fstat(lock).st_size or store.jobs.queue().runs):
            store.jobs.programs_ended()
            os.ftruncate(lock, 0)


@contextmanager
def _lock_looked_at(folder: Path) -> Iterator[int | None]:
    """The lock, held for a moment; None while a program has it."""
    try:
        lock = take_lock(folder)
    except JournalBusy:
        yield None
        return
    except OSError as error:
        raise _cannot_write(folder, error) from error
    try:
        yield lock
    finally:
        os.close(lock)


def _cannot_write(folder: Path, error: OSError) -> JournalUnusable:
    return JournalUnusable(f"The folder {folder} cannot be written to: {error.strerror}.", path=folder)


def _lock(file: int, folder: Path) -> None:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise JournalBusy(f"Another program of this kind is using {folder}.", path=folder) from error
