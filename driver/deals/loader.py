"""Opens deal files: the format is chosen by the content and never by the name. The only module here that opens files.

May import: `formats`, `archive.py`, `sets.py`, `records.py`, `model.py`, `driver.errors`. Read next:
`formats/registry.py`, `sets.py`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from driver.deals.archive import Member, deal_files, is_archive, is_handed_over
from driver.deals.formats.registry import READERS
from driver.deals.model import BadRecord, DealSet
from driver.deals.records import Confidence, Contents, Reader, Record
from driver.deals.sets import is_unnumbered, sets_from
from driver.errors import ArchiveLocked, BadDeal, BadSyntax, DealFileError, UnknownFormat

LARGEST_FILE: Final = 64 * 1024 * 1024
LISTED: Final = 20
PASSWORD_TRIES: Final = 3

_OTHER_THINGS: Final = (
    (b"%PDF", "a PDF document"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel document"),
    (b"{\\rtf", "a Rich Text document"),
    (b"\x00\x01\x00\x00Standard ", "an Access or Bridgemate database"),
    (b"\x1f\x8b", "a compressed file (gzip)"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed file (7-Zip)"),
    (b"Rar!", "a compressed file (RAR)"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
)
_WEB_PAGE: Final = (b"<!doctype html", b"<html")
_HINT: Final = "Nothing was dealt. Ask the program that made the deals for a PBN file."


@dataclass(frozen=True, slots=True)
class DealFile:
    """A deal file that was read: where it lies, a name for its sets, the name of its format, and its records.

    `member` is its name within a ZIP archive, "" where the file is none.
    """

    path: str
    name: str
    format: str
    contents: Contents
    member: str = ""

    @property
    def is_unnumbered(self) -> bool:
        """Whether a person must say which number its first board has."""
        return is_unnumbered(self.contents)

    def sets(self, *, first_board: int | None = None, fill: bool = False) -> tuple[DealSet, ...]:
        """Its deal sets, at least one, each with at least one board; see `sets_from`. Raises DealFileError."""
        sets = sets_from(self.contents, name=self.name, path=self.path, first_board=first_board, fill=fill)
        if not sets[0].boards:
            raise _nothing_to_deal(sets[0].problems, self.path)
        return sets


def load_deals(
    path: str | Path,
    *,
    set_number: int | None = None,
    first_board: int | None = None,
    fill: bool = False,
    member: str | None = None,
    password: str | None = None,
) -> DealSet:
    """The deal set of a file, each deal with 52 different cards, 13 each; what cannot be dealt is in `problems`.

    Nothing is guessed that only a person can know, but may be told: `set_number` (from 1) takes one set of a file that
    holds several, `first_board` numbers the boards of a file without numbers, `fill` gives the cards that are left to
    the only unknown hand of a board, `member` names a file in a ZIP archive and `password` opens a locked one. Look
    at `suspect` before dealing.

    Raises DealFileError with path, and line where known: UnknownFormat when the file cannot be read or is in no known
    format, ArchiveLocked, BadSyntax when it holds no deal, BadDeal when it contradicts itself, when no record can be
    dealt, or when one of the things above is needed; the hint says which.
    """
    file = open_deal_file(path, member=member, password=password)
    sets = file.sets(first_board=first_board, fill=fill)
    if first_board is None and file.is_unnumbered:
        raise BadDeal(
            "The file has no board numbers.",
            path=path,
            hint="Nothing was dealt. Say which number its first board has (first_board=1).",
        )
    return one_of(sets, set_number)


def load_sets(
    path: str | Path,
    *,
    first_board: int | None = None,
    fill: bool = False,
    member: str | None = None,
    password: str | None = None,
) -> tuple[DealSet, ...]:
    """All deal sets of a file, at least one, each with at least one board; of all deal files in a ZIP archive.

    For an overview: a file without board numbers is numbered from 1 (see `load_deals`). Raises as `load_deals`.
    """
    files = [read_deal_file(path, found) for found in _deal_data(path, member, password)]
    return tuple(one for file in files for one in file.sets(first_board=first_board, fill=fill))


def read_records(path: str | Path, *, member: str | None = None, password: str | None = None) -> tuple[Record, ...]:
    """Every record of a file in its order, right or wrong, for `check`. Raises DealFileError as `load_deals`,
    but neither for a record that is no deal nor for records that contradict each other."""
    return open_deal_file(path, member=member, password=password).contents.records


def open_deal_file(
    path: str | Path,
    *,
    member: str | None = None,
    password: str | None = None,
    ask_member: Callable[[Sequence[str]], str] | None = None,
    ask_password: Callable[[ArchiveLocked], str] | None = None,
) -> DealFile:
    """The records of a file. Raises DealFileError as `load_deals`.

    Where a ZIP archive has several deal files, `ask_member` gets their names and answers one of them; `ask_password`
    gets the error that says what is wanted and answers a password, a few times. Without them such a file is refused.
    """
    found = _deal_data(path, member, password, ask_password)
    if len(found) > 1:
        names = [one.name for one in found]
        if ask_member is None:
            raise BadDeal(
                f"The ZIP archive holds {len(names)} deal files: {_listed(names)}.",
                path=path,
                hint="Nothing was dealt. Say which one you want with --member NAME.",
            )
        chosen = ask_member(names)
        found = [one for one in found if one.name == chosen]
    return read_deal_file(path, found[0])


def one_of(sets: Sequence[DealSet], number: int | None) -> DealSet:
    """The set of that number (from 1), or the only one. Raises BadDeal with a list of them when it is not clear."""
    path = sets[0].path
    if number is None:
        if len(sets) > 1:
            raise BadDeal(
                f"The file holds {len(sets)} deal sets with the same numbers and different hands: {_listing(sets)}.",
                path=path,
                line=None if sets[1].boards[0].by_offset else sets[1].boards[0].line,
                hint=f"Nothing was dealt. Say which set you want with --set: 1 to {len(sets)}.",
            )
        return sets[0]
    if not 1 <= number <= len(sets):
        raise BadDeal(
            f"The file has no set {number}.",
            path=path,
            hint=f"Nothing was dealt. Say which set you want with --set: 1 to {len(sets)}."
            if len(sets) > 1
            else "Nothing was dealt. The file holds one set only: leave the number of the set out.",
        )
    return sets[number - 1]


def _listing(sets: Sequence[DealSet]) -> str:
    return _listed([f"set {place} with {set_text(one)}" for place, one in enumerate(sets, start=1)], "; ")


def set_text(deals: DealSet) -> str:
    """A set among others: "boards 1-36 from line 12 (Club Pairs, 2026.03.10)"."""
    title = ", ".join(text for text in (deals.event, deals.date) if text)
    return f"boards {deals.range_text} from {deals.boards[0].place}{f' ({title})' if title else ''}"


def _listed(texts: Sequence[str], between: str = ", ") -> str:
    return between.join([*texts[:LISTED], "…"] if len(texts) > LISTED else texts)


def _nothing_to_deal(problems: tuple[BadRecord, ...], path: str | Path) -> DealFileError:
    if not problems:
        return BadSyntax("There is no deal with hands in the file.", path=path)
    first = problems[0]
    count = f" ({len(problems)} records are wrong)" if len(problems) > 1 else ""
    line = None if first.by_offset else first.line
    return BadDeal(f"The file has no board that can be dealt{count}. {first}", path=path, line=line)


def reader_of(data: bytes) -> Reader | None:
    """The format that is surest that these bytes are its own; None when each says no."""
    surest, confidence = None, Confidence.NO
    for reader in READERS:
        found = reader.recognise(data)
        if found > confidence:
            surest, confidence = reader, found
        if found is Confidence.SURE:  # the first that is sure has it; the others need not look
            break
    return surest


def read_deal_file(path: str | Path, found: Member) -> DealFile:
    """The records in the bytes of a file, or of a file in an archive. Raises DealFileError as `load_deals`."""
    reader = reader_of(found.data)
    if reader is None:
        raise UnknownFormat(_looks_like(found.data), path=path, hint=_HINT)
    try:
        contents = reader.read(found.data)
    except DealFileError as error:
        error.path = str(path)
        raise
    if not contents.records and not contents.strays:
        raise BadSyntax(f"The file is {reader.name}, but there is no deal in it.", path=path)
    name = PurePosixPath(found.name.replace("\\", "/")).stem if found.name else Path(path).stem
    return DealFile(str(path), name, reader.name, contents, found.name)


def _deal_data(
    path: str | Path,
    member: str | None,
    password: str | None,
    ask_password: Callable[[ArchiveLocked], str] | None = None,
) -> list[Member]:
    """The bytes of a file, under the name ""; of each deal file in an archive, or of the one that `member` names."""
    data = bytes_of(path)
    if not is_archive(data):
        if member is not None:
            raise BadDeal("The file is no ZIP archive.", path=path, hint="Nothing was dealt. Leave --member out.")
        return [Member("", data)]
    if is_handed_over(data):
        raise UnknownFormat(
            "This file hands a set over from another computer.",
            path=path,
            hint=f"Nothing was dealt. Take the set over here first: dealctl take-over {shlex.quote(str(path))}",
        )
    try:
        found = _unlocked(data, password, ask_password)
    except DealFileError as error:
        error.path = str(path)
        raise
    if member is None:
        return found
    named = [one for one in found if one.name == member] or [
        one for one in found if PurePosixPath(one.name).name.casefold() == member.casefold()
    ]
    if len(named) != 1:
        raise BadDeal(
            f"The ZIP archive has {'no' if not named else 'more than one'} deal file of that name.",
            path=path,
            hint=f"Nothing was dealt. It has: {_listed([one.name for one in found])}.",
        )
    return named


def _unlocked(data: bytes, password: str | None, ask_password: Callable[[ArchiveLocked], str] | None) -> list[Member]:
    tries = 0
    while True:
        try:
            return list(deal_files(data, lambda content: reader_of(content) is not None, password))
        except ArchiveLocked as locked:
            if ask_password is None or tries == PASSWORD_TRIES:
                raise
            password = ask_password(locked)
            tries += 1


def bytes_of(path: str | Path) -> bytes:
    """The content of a file. Raises UnknownFormat when it cannot be read, is still being written or is too large."""
    try:
        with open(path, "rb") as file:
            before = os.fstat(file.fileno())
            data = file.read(LARGEST_FILE + 1)
            after = os.fstat(file.fileno())
    except FileNotFoundError:
        raise UnknownFormat(
            "There is no such file.", path=path, hint="Nothing was dealt. Look for the file and for its exact name."
        ) from None
    except (IsADirectoryError, PermissionError):
        # Windows answers "permission denied" for a folder.
        if Path(path).is_dir():
            raise UnknownFormat(
                "This is a folder, not a file.", path=path, hint="Nothing was dealt. Name one file in the folder."
            ) from None
        raise UnknownFormat(
            "This program is not allowed to read the file.",
            path=path,
            hint="Nothing was dealt. Copy the file into your own folder and try that one.",
        ) from None
    except (OSError, ValueError) as error:
        raise UnknownFormat(
            "The file cannot be read.",
            path=path,
            hint="Nothing was dealt. Copy the file to this computer and try again.",
            details=str(error),
        ) from error
    if len(data) > LARGEST_FILE:
        raise UnknownFormat("The file is larger than 64 MiB: that is no deal file.", path=path, hint=_HINT)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise UnknownFormat(
            "The file changed while it was read.",
            path=path,
            hint="Nothing was dealt. Wait until the program that writes it has ended, and try again.",
        )
    return data


def _looks_like(data: bytes) -> str:
    """A sentence that says what the content is instead of deals."""
    if not data.strip(b"\x00\x1a\t\r\n \xef\xbb\xbf"):
        return "The file is empty."
    thing = next((name for start, name in _OTHER_THINGS if data.startswith(start)), None)
    if data.lstrip(b"\xef\xbb\xbf\r\n\t ").lower().startswith(_WEB_PAGE):
        thing = "a web page without deals"
    if thing is None:
        return "The content of the file is in no deal format that this program knows."
    return f"This is no deal file but {thing}."
