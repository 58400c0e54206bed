"""Deal files inside a ZIP archive: unpacked in memory, within limits. Nothing of it is ever written to a disk.

May import: `driver.errors` and the standard library. Read next: `loader.py`, which gives the bytes and chooses.

Archives come from anybody. So the number of entries, what one and all of them unpack to, and how many times larger
than packed they become are bounded before and while reading; only stored and deflated entries are read, because the
other methods cannot be stopped half-way; an archive inside an archive is no deal file.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from driver.errors import ArchiveLocked, BadSyntax, DealFileError, UnknownFormat

LARGEST_UNPACKED: Final = 64 * 1024 * 1024
"""Bytes that all files of one archive may unpack to together."""
LARGEST_LOCKED: Final = 8 * 1024 * 1024
"""Bytes that locked files may have together: the standard library decrypts about a million bytes a second."""
MOST_TIMES: Final = 200
HARMLESS: Final = 1024 * 1024
"""A file up to this size may be packed as tightly as it can be: boards that are all alike are no attack."""
MOST_ENTRIES: Final = 10_000

HANDED_OVER: Final = ("about.json", "set")
"""The names of the two files in an archive that hands a set over; `driver/hand_over.py` writes it."""
_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY: Final = b"PK\x01\x02"
_LOCKED: Final = 0x1
_AES: Final = 99
_DOCUMENTS: Final = (
    ("word/", "a Word document"),
    ("xl/", "an Excel workbook"),
    ("ppt/", "a PowerPoint presentation"),
    ("META-INF/manifest.xml", "a LibreOffice document"),
)
_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
_HINT: Final = "Nothing was dealt. Unpack the archive with another program, and name the deal file in it."


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive: its name there, for people only, and its bytes."""

    name: str
    data: bytes = field(repr=False)


def is_archive(data: bytes) -> bool:
    """Whether the bytes begin as a ZIP archive does."""
    return data.startswith(_STARTS)


def is_handed_over(data: bytes) -> bool:
    """Whether the bytes are an archive that hands a set over to another computer, by the names in it."""
    if data.count(_ENTRY) > MOST_ENTRIES:
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sorted(archive.namelist()) == sorted(HANDED_OVER)
    except _DAMAGE:
        return False


def deal_files(data: bytes, is_deal_file: Callable[[bytes], bool], password: str | None = None) -> tuple[Member, ...]:
    """The deal files of an archive in its order, hidden ones left out.

    Raises UnknownFormat for an office document, an archive without deal files, one that is too large or packed in a way
    that cannot be read here; BadSyntax for a damaged one; ArchiveLocked when `password` is missing or wrong.
    """
    if data.count(_ENTRY) > MOST_ENTRIES:
        raise UnknownFormat(f"The ZIP archive has more than {MOST_ENTRIES} files.", hint=_HINT)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _refuse_documents(entries)
            return tuple(_deal_files_of(archive, list(_visible(entries)), is_deal_file, password))
    except DealFileError:
        raise
    except _DAMAGE as error:
        raise BadSyntax("The ZIP archive is damaged.", hint=_HINT, details=type(error).__name__) from None


def _refuse_documents(entries: list[zipfile.ZipInfo]) -> None:
    for sign, words in _DOCUMENTS:
        if any(entry.filename.startswith(sign) for entry in entries):
            raise UnknownFormat(f"This is no deal file but {words}.")


def _visible(entries: list[zipfile.ZipInfo]) -> Iterator[zipfile.ZipInfo]:
    """The entries that are files which somebody meant to send."""
    for entry in entries:
        parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
        hidden = any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in parts)
        if parts and not hidden and not entry.is_dir() and entry.file_size:
            yield entry


def _deal_files_of(
    archive: zipfile.ZipFile,
    entries: list[zipfile.ZipInfo],
    is_deal_file: Callable[[bytes], bool],
    password: str | None,
) -> Iterator[Member]:
    _refuse_unreadable(entries)
    found = 0
    left = LARGEST_LOCKED if any(entry.flag_bits & _LOCKED for entry in entries) else LARGEST_UNPACKED
    for entry in entries:
        data = _unpacked(archive, entry, left, password)
        left -= len(data)
        if not is_archive(data) and is_deal_file(data):
            found += 1
            yield Member(entry.filename, data)
    if not found:
        raise UnknownFormat("There is no deal file in the ZIP archive.", hint=_HINT)


def _refuse_unreadable(entries: list[zipfile.ZipInfo]) -> None:
    if any(entry.compress_type == _AES for entry in entries):
        raise UnknownFormat(
            "The ZIP archive is locked in the newer way (AES), which this program cannot open.", hint=_HINT
        )
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise UnknownFormat("The ZIP archive is packed in a way that this program cannot read.", hint=_HINT)


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int, password: str | None) -> bytes:
    """The bytes of one entry, `left` at most."""
    swells = entry.file_size > HARMLESS and entry.file_size > MOST_TIMES * entry.compress_size
    if swells or entry.file_size > left:
        raise _too_large()
    if not entry.flag_bits & _LOCKED:
        return _read(archive, entry, left, None)
    if password is None:
        raise ArchiveLocked("The ZIP archive is locked with a password.")
    for key in _as_bytes(password):
        try:
            return _read(archive, entry, left, key)
        except _DAMAGE:
            # A wrong password may look right by chance; then the content is damaged.
            continue
    raise ArchiveLocked("This password does not open the ZIP archive.")


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int, key: bytes | None) -> bytes:
    with archive.open(entry, pwd=key) as file:
        data = file.read(left + 1)
    if len(data) > left:
        raise _too_large()
    return data


def _as_bytes(password: str) -> Iterator[bytes]:
    """The password as the programs of different systems would have written it; most are ASCII and give one."""
    seen = set()
    for encoding in ("utf-8", "cp1252", "cp850"):
        try:
            key = password.encode(encoding)
        except UnicodeEncodeError:
            continue
        if key not in seen:
            seen.add(key)
            yield key


def _too_large() -> UnknownFormat:
    return UnknownFormat("The ZIP archive unpacks to far more than deal files need.", hint=_HINT)
