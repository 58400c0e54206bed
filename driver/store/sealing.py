"""Sealed bytes: authenticated, bound to the set that they belong to, opened by a key, a passphrase or a recovery code.

May import: `driver.errors`, `keys`, `recovery_code`, `cryptography` (inside functions) and the standard library.
Read next: `recovery_code.py`, `sets.py`. Rules: `fairness.md` 5.2 and the second of the decisions above it: whatever a
passphrase closes has a second way in.

A set that a passphrase closes has a random data key, and two locks each hold that data key: one opened by the
passphrase (scrypt), one by the recovery code. Neither needs the key file of the store.
"""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass, field
from typing import Final

from driver.errors import WrongPassphrase
from driver.store.keys import KEY_SIZE, derived
from driver.store.recovery_code import looks_like_code, new_recovery_code, read_recovery_code

SALT_SIZE: Final = 16
SCRYPT_LOG2_N: Final = 17
"""Work of one try at a passphrase: 2^17 blocks of 8 x 128 bytes, 128 MB and about 0.4 s."""
SCRYPT_R: Final = 8
SCRYPT_P: Final = 1

_FORM: Final = b"\x01"
_NONCE_SIZE: Final = 12
_TAG_SIZE: Final = 16
_LOG2_N_ALLOWED: Final = range(8, 21)
_PASSPHRASE_LOCK: Final = b"dealing store v1: passphrase lock"
_RECOVERY_LOCK: Final = b"dealing store v1: recovery lock"


class NotOpened(Exception):
    """The bytes were changed, or belong to another key or another set. Says nothing more."""


def seal(plain: bytes, key: bytes, bound_to: bytes) -> bytes:
    """`plain` sealed with a key of 32 bytes; opens only with the same `bound_to`. 29 bytes longer than `plain`."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    nonce = secrets.token_bytes(_NONCE_SIZE)
    return _FORM + nonce + ChaCha20Poly1305(key).encrypt(nonce, plain, _FORM + bound_to)


def unseal(sealed: bytes, key: bytes, bound_to: bytes) -> bytes:
    """What was sealed. Raises NotOpened when anything differs."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    form, nonce, rest = sealed[:1], sealed[1 : 1 + _NONCE_SIZE], sealed[1 + _NONCE_SIZE :]
    if form != _FORM or len(rest) < _TAG_SIZE:
        raise NotOpened
    try:
        return ChaCha20Poly1305(key).decrypt(nonce, rest, _FORM + bound_to)
    except InvalidTag:
        raise NotOpened from None


@dataclass(frozen=True, slots=True)
class Passphrase:
    """What a person types to close or open a set: normalised (NFC), without spaces around it; never shown.

    Raises WrongPassphrase when nothing is left of it.
    """

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        text = unicodedata.normalize("NFC", self.text).strip()
        if not text:
            raise WrongPassphrase(
                "A passphrase cannot be empty.",
                hint="Nothing was sealed or opened. Type a few words that you can keep.",
            )
        object.__setattr__(self, "text", text)

    def key(self, salt: bytes, log2_n: int) -> bytes:
        """32 bytes of scrypt, at 2^log2_n."""
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        # What the keyboard's encoding could not read still is what was typed.
        typed = self.text.encode("utf-8", "surrogatepass")
        return Scrypt(salt=salt, length=KEY_SIZE, n=1 << log2_n, r=SCRYPT_R, p=SCRYPT_P).derive(typed)


@dataclass(frozen=True, slots=True)
class Locks:
    """The two locks of one data key, as they are stored."""

    passphrase: bytes
    recovery: bytes


@dataclass(frozen=True, slots=True, repr=False)
class NewLocks:
    """A fresh data key with its locks, and the recovery code, which is stored nowhere."""

    data_key: bytes
    locks: Locks
    recovery_code: str


def new_locks(passphrase: Passphrase) -> NewLocks:
    """A random data key behind this passphrase and behind a new recovery code. Takes as long as one try."""
    data_key, salt = secrets.token_bytes(KEY_SIZE), secrets.token_bytes(SALT_SIZE)
    code, secret = new_recovery_code()
    log2_n = SCRYPT_LOG2_N
    work = bytes((log2_n,))
    return NewLocks(
        data_key,
        Locks(
            work + salt + seal(data_key, passphrase.key(salt, log2_n), _PASSPHRASE_LOCK + work),
            seal(data_key, derived(secret, _RECOVERY_LOCK), _RECOVERY_LOCK),
        ),
        code,
    )


def open_locks(locks: Locks, typed: str) -> bytes:
    """The data key, by its passphrase or its recovery code in whatever way it is typed.

    Raises WrongPassphrase, which says what is wrong as far as that can be known.
    """
    passphrase = Passphrase(typed)
    secret = read_recovery_code(typed)
    if secret is not None:
        try:
            return unseal(locks.recovery, derived(secret, _RECOVERY_LOCK), _RECOVERY_LOCK)
        except NotOpened:
            pass
    try:
        return _open_with_passphrase(locks.passphrase, passphrase)
    except NotOpened:
        pass
    if secret is not None:
        raise WrongPassphrase(
            "This recovery code was typed without a mistake, but it belongs to another set.",
            hint="Take the sheet that was printed for this set, or type the passphrase.",
        )
    if looks_like_code(typed):
        raise WrongPassphrase(
            "This passphrase does not open the set; if it is the recovery code, it has a typing mistake in it.",
            hint="Compare it with the sheet letter by letter; spaces, dashes and capitals do not matter.",
        )
    raise WrongPassphrase("This passphrase does not open the set.")


def _open_with_passphrase(lock: bytes, passphrase: Passphrase) -> bytes:
    work, salt, sealed = lock[:1], lock[1 : 1 + SALT_SIZE], lock[1 + SALT_SIZE :]
    # A lock that was tampered with must not take all the memory of this computer.
    if not work or work[0] not in _LOG2_N_ALLOWED:
        raise NotOpened
    return unseal(sealed, passphrase.key(salt, work[0]), _PASSPHRASE_LOCK + work)
