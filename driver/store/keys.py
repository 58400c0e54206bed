"""The key of this user's store: one file beside the database, and a key of its own for each use of it.

May import: `driver.errors`, `database`, `cryptography` (inside functions) and the standard library. Read next:
`sealing.py`. The key keeps stored deals from eyes that browse the folder, and makes what is compared (tags, entries of
the register) say nothing to who has the database alone. A lost key is never replaced by another: see `load_keys`.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from enum import Enum, unique
from pathlib import Path
from typing import Final

from driver.errors import StoreDamaged, StoreUnusable
from driver.store.database import KEY_NAME, StoreConnection, keep_private, transaction

KEY_SIZE: Final = 32
KEY_ID_SIZE: Final = 16


@unique
class KeyUse(Enum):
    """What a subkey is for; the value is the label that it is derived with, and never changes."""

    SETS = "dealing store v1: sets"
    SET_TAGS = "dealing store v1: tags of sets"
    REGISTER = "dealing store v1: register"
    DECISIONS = "dealing store v1: decisions"
    JOURNAL = "dealing store v1: journal"
    PLAN_TAGS = "dealing store v1: tags of plans"
    ID = "dealing store v1: id of the key"


class Keys:
    """The subkeys of one key of 32 bytes. Shows none of them."""

    __slots__ = ("_derived", "_key")

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_SIZE:
            raise ValueError(f"a key has {KEY_SIZE} bytes, not {len(key)}")
        self._key = key
        self._derived: dict[KeyUse, bytes] = {}

    def subkey(self, use: KeyUse) -> bytes:
        """32 bytes for that use alone (HKDF-SHA-256 with its label)."""
        if use not in self._derived:
            self._derived[use] = derived(self._key, use.value.encode())
        return self._derived[use]

    def tag(self, use: KeyUse, label: bytes, content: bytes) -> bytes:
        """HMAC-SHA-256 of the content under the subkey of that use; `label` ends with a zero byte of its own."""
        return hmac.new(self.subkey(use), label + b"\x00" + content, hashlib.sha256).digest()

    @property
    def key_id(self) -> bytes:
        """16 bytes by which the key is known again."""
        return self.subkey(KeyUse.ID)[:KEY_ID_SIZE]

    def __repr__(self) -> str:
        return "<Keys, not shown>"


def derived(key: bytes, label: bytes, salt: bytes = b"") -> bytes:
    """32 bytes of HKDF-SHA-256 (RFC 5869) from a key that is random already."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=KEY_SIZE, salt=salt or None, info=label).derive(key)


def load_keys(connection: StoreConnection) -> Keys:
    """The keys of an open store; a store that is new gets one, durable before the store knows it.

    Raises StoreDamaged when the key of a store in use is missing, damaged or another one; nothing is made anew then.
    """
    path = connection.path.parent / KEY_NAME
    try:
        with transaction(connection):
            row = connection.execute("SELECT key_id FROM store_key").fetchone()
            keys = _read(path, is_known=row is not None)
            if row is None:
                connection.execute("INSERT INTO store_key (the_one, key_id) VALUES (1, ?)", (keys.key_id,))
            elif row != (keys.key_id,):
                raise StoreDamaged(f"{path} is the key of another store, or damaged.", path=path)
    except OSError as error:
        raise StoreUnusable(f"The key file {path} cannot be used: {error.strerror}.", path=path) from error
    return keys


def _read(path: Path, *, is_known: bool) -> Keys:
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        if is_known:
            raise StoreDamaged(
                f"The key file {path} is missing, and without it the stored sets stay closed.", path=path
            ) from None
        return _create(path)
    if len(key) != KEY_SIZE:
        raise StoreDamaged(f"The key file {path} is damaged.", path=path)
    keep_private(path)
    return Keys(key)


def _create(path: Path) -> Keys:
    """Writes a new key beside its place and moves it there, so that no power cut leaves half a key.

    The open transaction keeps other programs from doing the same.
    """
    draft = path.with_name(path.name + ".new")
    with suppress(FileNotFoundError):
        draft.unlink()
    key = secrets.token_bytes(KEY_SIZE)
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.write(file, key)
        os.fsync(file)
    finally:
        os.close(file)
    draft.replace(path)
    if os.name != "nt":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    return Keys(key)
