"""The one way into the store: one SQLite database in the user's data folder, whole or not at all.

May import: `driver.errors`, `migrations`, and the standard library. Read next: `migrations.py` (the tables), `keys.py`
(what their content is sealed with), `store.py` (all of it opened together).

WAL and full synchronous: what `transaction` wrote is on the disk when it returns. A store that is damaged, foreign or
from a newer program is looked at through a connection that cannot write, and left as it is.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

from driver.errors import StoreDamaged, StoreTooNew, StoreUnusable
from driver.store.migrations import MIGRATIONS, Step

FILE_NAME: Final = "dealing.sqlite3"
KEY_NAME: Final = "store.key"
APPLICATION_ID: Final = 0x444C4354
SYNCHRONOUS: Final = "FULL"
"""A transaction has ended when its last byte is on the disk."""
BUSY_SECONDS: Final = 10.0
"""How long a write waits for another program that writes."""

_CREATING: Final = threading.Lock()
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_IN_USE: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_UNUSABLE: Final = {
    sqlite3.SQLITE_FULL: "The disk is full: {} cannot be written.",
    sqlite3.SQLITE_READONLY: "{} may be read, but not written.",
    sqlite3.SQLITE_PERM: "You may not open {}.",
    sqlite3.SQLITE_CANTOPEN: "{} cannot be opened.",
    sqlite3.SQLITE_IOERR: "The disk fails while {} is read or written.",
    sqlite3.SQLITE_NOLFS: "{} is too large for this disk.",
    sqlite3.SQLITE_AUTH: "You may not open {}.",
}
_WAL_ATTEMPTS: Final = 100

_Written = tuple[tuple[int, int, int], ...]
_WHOLE: Final[dict[Path, _Written]] = {}
"""The store that this program looked through last, and when it had been written to last then."""


class StoreConnection(sqlite3.Connection):
    """A connection that knows which file it leads to."""

    path: Path = Path(FILE_NAME)
    lock: threading.RLock
    """Held while a thread reads or has a transaction: SQLite would take another thread's write for a part of it."""
    leaves_traces: bool = False
    """Set inside a transaction that erases something: when it ends, no older copy is left in the write-ahead file."""


def connect(folder: Path, *, busy_seconds: float = BUSY_SECONDS) -> StoreConnection:
    """Opens the store in `folder`, made when absent and brought to the newest version; the caller closes it.

    The folder is made 0700 and the file 0600. Raises StoreTooNew, StoreDamaged and StoreUnusable; after the first two
    no byte of the store has changed.
    """
    path = folder / FILE_NAME
    try:
        is_new = _prepare(folder, path)
    except OSError as error:
        raise _cannot_use(path, error) from error
    with reading(path):
        if not is_new:
            _look_once(path, busy_seconds)
        connection = _open(path, busy_seconds)
        try:
            _set_up(connection, path)
            upgrade(connection)
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def reading(store: StoreConnection | Path) -> Iterator[None]:
    """Turns what SQLite says into an error that a person can read; for statements that only read."""
    path, lock = (store, nullcontext()) if isinstance(store, Path) else (store.path, store.lock)
    try:
        with lock:
            yield
    except sqlite3.Error as error:
        translated = _translated(error, path)
        if translated is None:
            raise
        raise translated from error


@contextmanager
def transaction(connection: StoreConnection) -> Iterator[None]:
    """All that is written inside is kept, durably, or nothing of it. May be nested: the inner one is a part.

    Waits for another program's write. Raises StoreUnusable when that takes too long or the disk is full.
    """
    with reading(connection):
        begin, keep, undo = (
            ("SAVEPOINT part", "RELEASE part", ("ROLLBACK TO part", "RELEASE part"))
            if connection.in_transaction
            else ("BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",))
        )
        connection.execute(begin)
        try:
            yield
            connection.execute(keep)
        except BaseException:
            # A full disk may have ended the transaction already.
            if connection.in_transaction:
                for statement in undo:
                    connection.execute(statement)
            raise
        if connection.leaves_traces and not connection.in_transaction:
            # Another program that reads at this moment can keep the file from being emptied; then a later one does it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.leaves_traces = False


def upgrade(connection: StoreConnection, steps: tuple[Step, ...] = MIGRATIONS) -> None:
    """Takes the steps that this store has not taken, all in one exclusive transaction.

    Raises StoreTooNew when it has taken more than these.
    """
    if _version(connection, steps) == len(steps):
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        # Another program may have been first.
        for step in steps[_version(connection, steps) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _prepare(folder: Path, path: Path) -> bool:
    """Makes the folder and an empty file, both for this user only; whether nothing is in the file yet.

    A file that exists is not opened here: closing it would end the locks of this process's other connections to it.
    """
    # The key is written after the first tables: a store with a key was never empty. Asked first, it stays true.
    has_key = (folder / KEY_NAME).exists()
    with _CREATING:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            return True
    if path.is_dir():
        raise StoreUnusable(f"{path} is a folder, and a file of that name is needed.", path=path)
    is_new = path.stat().st_size == 0
    if is_new and has_key:
        raise StoreDamaged(f"{path} is empty, although it was in use before.", path=path)
    keep_private(path)
    return is_new


def keep_private(path: Path) -> None:
    """Takes a file's rights away from everybody but its owner, where the system has such rights."""
    if os.name != "nt" and path.stat().st_mode & 0o077:
        with suppress(PermissionError):
            path.chmod(0o600)


def _look_once(path: Path, busy_seconds: float) -> None:
    """Looks through a store, unless this program did and nothing was written to it since: a large one takes a while."""
    written = _written(path)
    if _WHOLE.get(path) == written:
        return
    _look(path, busy_seconds)
    _WHOLE.clear()
    if _written(path) == written:
        _WHOLE[path] = written


def _written(path: Path) -> _Written:
    """Which files a store is in, how long they are and when they were written last."""
    found = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        with suppress(FileNotFoundError):
            status = file.stat()
            if status.st_size:
                found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _look(path: Path, busy_seconds: float) -> None:
    """Raises when the store is damaged, foreign or too new. Nothing is written."""
    try:
        with closing(_open(path, busy_seconds, "?mode=ro")) as connection:
            _check(connection)
    except UnicodeDecodeError:
        # SQLite quotes a damaged table in its complaint, and Python cannot read that.
        raise _damaged(path) from None
    except sqlite3.OperationalError as error:
        if _kind(error) == sqlite3.SQLITE_ERROR:
            # These statements are right; it is the file that they make no sense for.
            raise _damaged(path, str(error)) from error
        # After a power cut a store may need to be put right before it can be read, which takes the right to write.
        if _kind(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise
        with closing(_open(path, busy_seconds)) as connection:
            _check(connection)


def _check(connection: StoreConnection) -> None:
    path = connection.path
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    tables = _tables(connection)
    if application != APPLICATION_ID and (application or tables):
        raise StoreDamaged(f"{path} is another program's file.", path=path)
    version = _version(connection, MIGRATIONS)
    with closing(sqlite3.connect(":memory:")) as fresh:
        for statement in itertools.chain.from_iterable(MIGRATIONS[:version]):
            fresh.execute(statement)
        is_whole = tables == _tables(fresh)
    if not is_whole or connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise _damaged(path)


def _tables(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    """How the tables were made, with their rules."""
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()


def _version(connection: StoreConnection, steps: tuple[Step, ...]) -> int:
    """How many steps the store has taken."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(steps):
        raise StoreTooNew(
            f"{connection.path} was written by a newer version of this program.",
            path=connection.path,
            details=f"version {version}, known are {len(steps)}",
        )
    return version


def _open(path: Path, busy_seconds: float, options: str = "") -> StoreConnection:
    connection = sqlite3.connect(
        path.resolve().as_uri() + options,
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        # `StoreConnection.lock` sees to it that one thread at a time uses it.
        check_same_thread=False,
        factory=StoreConnection,
    )
    connection.path = path
    connection.lock = threading.RLock()
    return connection


def _set_up(connection: StoreConnection, path: Path) -> None:
    for attempt in itertools.count(1):
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            break
        except sqlite3.OperationalError as error:
            # SQLite does not wait here while another program opens the store for the first time; BEGIN does.
            if _kind(error) != sqlite3.SQLITE_BUSY or attempt == _WAL_ATTEMPTS:
                raise
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
    if mode != "wal":
        raise StoreUnusable(f"{path} lies on a disk on which it would not be safe, perhaps a network drive.", path=path)
    for setting in (
        f"synchronous = {SYNCHRONOUS}",
        "fullfsync = ON",
        "checkpoint_fullfsync = ON",
        "foreign_keys = ON",
        # What is deleted is overwritten, and nothing is sorted in a file of its own.
        "secure_delete = ON",
        "temp_store = MEMORY",
        "trusted_schema = OFF",
    ):
        connection.execute(f"PRAGMA {setting}").fetchall()


def _kind(error: sqlite3.Error) -> int:
    """The primary result code; 0 for an error of the module itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _translated(error: sqlite3.Error, path: Path) -> StoreUnusable | None:
    kind = _kind(error)
    if not kind and isinstance(error, sqlite3.OperationalError):
        # The module's own: a text that is not one.
        kind = sqlite3.SQLITE_CORRUPT
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_CONSTRAINT_UNIQUE:
        # Whatever must be unique is looked up first: an index that says otherwise contradicts its table.
        kind = sqlite3.SQLITE_CORRUPT
    details = getattr(error, "sqlite_errorname", "")
    if kind in _DAMAGED:
        return _damaged(path, details)
    if kind in _IN_USE:
        hint = "Nothing was changed. Close the other window in which `dealctl` runs, then try again."
        return StoreUnusable(f"Another program is using {path}.", path=path, hint=hint, details=details)
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
        # What a full disk is called, too, where room is made for the file beside the database.
        said = f"{path} cannot be written: the disk is full, fails, or may only be read."
        return StoreUnusable(said, path=path, details=details)
    if kind in _UNUSABLE:
        return StoreUnusable(_UNUSABLE[kind].format(path), path=path, details=details)
    return None


def _damaged(path: Path, details: str = "") -> StoreDamaged:
    return StoreDamaged(f"{path} is damaged, or another program's file.", path=path, details=details)


def _cannot_use(path: Path, error: OSError) -> StoreUnusable:
    return StoreUnusable(f"The folder {path.parent} cannot be written to: {error.strerror}.", path=path.parent)
