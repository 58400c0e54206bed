"""A backup: all that is stored, in one file, with the key sealed; and how it is put back, on this or another computer.

May import: `journal`, `store`, `errors` and the standard library. Read next: `held.py` (what a backup cannot know),
`store/sealing.py`.
The file is a ZIP archive of two members: the database as SQLite copies it while others write, and `about.json` with its
time and the key of the store, sealed under a passphrase and a recovery code and bound to this very database.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import shutil
import sqlite3
import zipfile
import zlib
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from driver.errors import StoreDamaged, StoreUnusable, WrongPassphrase, WrongState
from driver.journal import Journal, take_lock
from driver.store.database import FILE_NAME, KEY_NAME, reading
from driver.store.forms import Now, as_text, as_time
from driver.store.sealing import Locks, NotOpened, Passphrase, new_locks, open_locks, seal, unseal
from driver.store.store import Store

_ABOUT: Final = "about.json"
_FORM: Final = 1
_LARGEST_ABOUT: Final = 10_000
_LARGEST_IMAGE: Final = 1 << 30
NOT_READ: Final = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    TypeError,
    LookupError,
    RuntimeError,
    EOFError,
    OSError,
)
"""What comes of reading a file that is something else."""
_BOUND: Final = b"dealing store v1: backup"
_BESIDE: Final = (f"{FILE_NAME}-wal", f"{FILE_NAME}-shm")


@dataclass(frozen=True, slots=True, repr=False)
class Backup:
    """The bytes of a backup's file, and the recovery code, which is stored nowhere: print it."""

    data: bytes
    recovery_code: str


@dataclass(frozen=True, slots=True)
class PutBackFrom:
    """What was put back: when the backup was made, and where the old files lie now (None when there were none)."""

    backed_up: datetime
    kept: Path | None


def back_up(store: Store, passphrase: Passphrase, *, now: Now) -> Backup:
    """A backup of an open store, consistent while other programs write; the journal in it is checked first.

    Raises StoreUnusable, StoreDamaged, JournalDamaged.
    """
    with closing(sqlite3.connect(":memory:")) as copy:
        with reading(store.connection):
            store.connection.backup(copy)
        image = copy.serialize()
    store.entries.check()
    store.decisions.verify()
    try:
        key = (store.folder / KEY_NAME).read_bytes()
    except OSError as error:
        raise StoreUnusable(f"The key file cannot be read: {error.strerror}.", path=store.folder / KEY_NAME) from error
    new = new_locks(passphrase)
    about = {
        "form": _FORM,
        "time": as_text(now()),
        "passphrase_lock": new.locks.passphrase.hex(),
        "recovery_lock": new.locks.recovery.hex(),
        "key": seal(key, new.data_key, _bound_to(image)).hex(),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_ABOUT, json.dumps(about))
        archive.writestr(FILE_NAME, image)
    return Backup(file.getvalue(), new.recovery_code)


def put_back(data: bytes, typed: str, folder: Path, *, now: Now, replace: bool = False) -> PutBackFrom:
    """Makes `folder` the store of a backup, opened by its passphrase or recovery code as `typed`.

    With `replace` also where a store is already: its files are kept in a folder beside. The journal has a new id
    afterwards, and every board is asked for once. Raises WrongState where a store is and `replace` is not said,
    WrongPassphrase, JournalBusy, StoreDamaged for a file that is no whole backup, StoreUnusable: nothing has changed
    then.
    """
    about, image = _members(data)
    key = _open_key(about, image, typed)
    backed_up = as_time(about.time)
    drafts = folder / f"put-back-{secrets.token_hex(8)}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = take_lock(folder)
        try:
            kept = _keep(folder, replace=replace)
            drafts.mkdir(mode=0o700)
            _write(drafts / FILE_NAME, image)
            _write(drafts / KEY_NAME, key)
            with Store(drafts, now=now) as store:
                store.decisions.verify()
                with Journal(store) as journal:
                    journal.begin_anew(backed_up)
            _take_place(drafts, folder, kept)
        finally:
            os.close(lock)
            shutil.rmtree(drafts, ignore_errors=True)
    except OSError as error:
        raise StoreUnusable(f"The folder {folder} cannot be written to: {error.strerror}.", path=folder) from error
    return PutBackFrom(backed_up, kept)


@dataclass(frozen=True, slots=True, repr=False)
class _About:
    time: str
    locks: Locks
    key: bytes


def _members(data: bytes) -> tuple[_About, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            read = [read_member(archive, *one) for one in ((_ABOUT, _LARGEST_ABOUT), (FILE_NAME, _LARGEST_IMAGE))]
        told = json.loads(read[0])
        if told["form"] != _FORM:
            raise ValueError("another form")
        as_time(told["time"])
        locks = Locks(bytes.fromhex(told["passphrase_lock"]), bytes.fromhex(told["recovery_lock"]))
        return _About(told["time"], locks, bytes.fromhex(told["key"])), read[1]
    except NOT_READ as error:
        raise _no_backup() from error


def read_member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A member of at most so many bytes. Raises ValueError for a longer one, and what is in NOT_READ."""
    with archive.open(name) as member:
        read = member.read(most + 1)
    if len(read) > most:
        raise ValueError("too large")
    return read


def _open_key(about: _About, image: bytes, typed: str) -> bytes:
    try:
        data_key = open_locks(about.locks, typed)
    except WrongPassphrase as error:
        raise WrongPassphrase(
            "This does not open the backup.",
            hint="Nothing was changed. Type its passphrase as it was, or the recovery code printed with it.",
        ) from error
    try:
        return unseal(about.key, data_key, _bound_to(image))
    except NotOpened:
        raise _no_backup() from None


def _bound_to(image: bytes) -> bytes:
    return _BOUND + hashlib.sha256(image).digest()


def _no_backup() -> StoreDamaged:
    return StoreDamaged(
        "This file is no backup of this program, or it is damaged.",
        hint="Nothing was changed. Take another file, or an older backup.",
    )


def _keep(folder: Path, *, replace: bool) -> Path | None:
    """Where the files that are in the folder are to be kept; None when there are none."""
    if not any((folder / name).exists() for name in (FILE_NAME, KEY_NAME)):
        return None
    if not replace:
        raise WrongState(
            f"There are sets and records in {folder} already.",
            hint="Nothing was changed. With --force they are kept beside, in a folder of their own, and replaced.",
        )
    number = next(number for number in range(1, 10**6) if not (folder / f"before-{number}").exists())
    return folder / f"before-{number}"


def _take_place(drafts: Path, folder: Path, kept: Path | None) -> None:
    """Old files out, new ones in. From the first step to the last the key is missing: a store without it stays closed,
    so whatever is left by a power cut deals nothing."""
    if kept is not None:
        kept.mkdir(mode=0o700)
        for name in (KEY_NAME, FILE_NAME, *_BESIDE):
            if (folder / name).exists():
                shutil.copy2(folder / name, kept / name)
                _sync(kept / name)
        for name in (KEY_NAME, *_BESIDE):
            (folder / name).unlink(missing_ok=True)
    os.replace(drafts / FILE_NAME, folder / FILE_NAME)
    os.replace(drafts / KEY_NAME, folder / KEY_NAME)
    if os.name != "nt":
        _sync(folder)


def _write(path: Path, data: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)
