"""The characters of a text file in any encoding: never an error, for deals are ASCII and only names are lost.

May import: the standard library. Read next: `formats/pbn_text.py`.
"""

from __future__ import annotations

import codecs
from typing import Final

_HEAD: Final = 4096
_NOT_TEXT: Final = str.maketrans({"\x00": " ", "\x1a": " ", "\ufeff": None})
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes, *, otherwise: str = "cp1252") -> str:
    """`data` as text with LF line ends.

    In turn: a byte order mark (UTF-8, 32, 16), UTF-16 by its zero bytes, UTF-8, the encoding `otherwise`, CP1252,
    Latin-1. Byte order marks inside (joined files) go, NUL and Ctrl-Z become blanks.
    """
    text = _characters(data, otherwise)
    if 1 < text.count("\r\r\n") == text.count("\n"):
        # Line ends of Windows that were written through a program which made Windows line ends of them once more.
        text = text.replace("\r\r\n", "\n")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x00" in text or "\x1a" in text or "\ufeff" in text:
        text = text.translate(_NOT_TEXT)
    return text


def _characters(data: bytes, otherwise: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace")
    head = data[:_HEAD]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > len(head) // 4 and min(even, odd) < max(even, odd) // 8:
        return data.decode("utf-16-le" if odd > even else "utf-16-be", errors="replace")
    for encoding in ("utf-8", otherwise, "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
