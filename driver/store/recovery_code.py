"""The recovery code of a sealed set: 130 random bits that a person can copy from paper, with a check of the typing.

May import: the standard library. Read next: `sealing.py`, which makes a lock that the code opens.

Form: 28 characters in seven groups of four, of the ten figures and 22 letters (without I, L, O and U, which look like
others). 26 characters carry five bits each; the last two are the number that these make, modulo the prime 1021, in
base 32. One wrong character, or two that changed places, never pass; anything else passes once in a thousand.
"""

from __future__ import annotations

import secrets
import unicodedata
from typing import Final

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BITS: Final = 130
LENGTH: Final = 28
GROUP: Final = 4

_BASE: Final = 32
_MODULUS: Final = 1021
_CHECKS: Final = 2
_BYTES: Final = (BITS + 7) // 8
_MEANT: Final = str.maketrans("ILOU", "110V")
_LONGEST_TYPED: Final = 200
_NEARLY: Final = range(LENGTH - 2, LENGTH + 3)


def new_recovery_code() -> tuple[str, bytes]:
    """A new code as it is printed, and the 17 bytes of secret that it stands for."""
    number = secrets.randbits(BITS)
    text = _in_base_32(number, LENGTH - _CHECKS) + _in_base_32(number % _MODULUS, _CHECKS)
    return "-".join(text[at : at + GROUP] for at in range(0, LENGTH, GROUP)), number.to_bytes(_BYTES)


def read_recovery_code(typed: str) -> bytes | None:
    """The secret of a code in any case and with any spaces and dashes; None when it is no code or mistyped.

    O is taken as 0, I and L as 1, U as V.
    """
    text = _cleaned(typed)
    if len(text) != LENGTH or not set(text) <= set(ALPHABET):
        return None
    number, check = _from_base_32(text[:-_CHECKS]), _from_base_32(text[-_CHECKS:])
    return number.to_bytes(_BYTES) if number % _MODULUS == check else None


def looks_like_code(typed: str) -> bool:
    """Whether a person probably meant a code: about its length, its characters, and figures among them."""
    text = _cleaned(typed)
    figures = sum(letter in "0123456789" for letter in typed)
    return len(text) in _NEARLY and set(text) <= set(ALPHABET) and figures > 1


def _cleaned(typed: str) -> str:
    if len(typed) > _LONGEST_TYPED:
        return ""
    text = unicodedata.normalize("NFKC", typed).upper()
    return "".join(letter for letter in text if letter.isalnum()).translate(_MEANT)


def _in_base_32(number: int, length: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & _BASE - 1] for place in reversed(range(length)))


def _from_base_32(text: str) -> int:
    number = 0
    for letter in text:
        number = number * _BASE + ALPHABET.index(letter)
    return number
