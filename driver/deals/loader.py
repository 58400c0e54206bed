"""Opens deal files: the format is chosen by the content and never by the name. The only module here that opens files.

May import: `formats`, `sets.py`, `records.py`, `model.py`, `driver.errors`. Read next: `formats/registry.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from driver.deals.formats.registry import READERS
from driver.deals.model import BadRecord, DealSet
from driver.deals.records import Confidence, Contents, Record
from driver.deals.sets import sets_from
from driver.errors import BadDeal, BadSyntax, DealFileError, UnknownFormat

LARGEST_FILE: Final = 64 * 1024 * 1024
LISTED_SETS: Final = 20

_OTHER_THINGS: Final = (
    (b"%PDF", "a PDF document"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel document"),
    (b"{\\rtf", "a Rich Text document"),
    (b"\x1f\x8b", "a compressed file (gzip)"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed file (7-Zip)"),
    (b"Rar!", "a compressed file (RAR)"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
)
_ZIP: Final = b"PK\x03\x04"
_ZIP_CONTENTS: Final = (
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"opendocument", "a LibreOffice document"),
)
_WEB_PAGE: Final = (b"<!doctype html", b"<html")


def load_deals(path: str | Path, *, set_number: int | None = None) -> DealSet:
    """The deal set of a file, each deal with 52 different cards, 13 each; what cannot be dealt is in `problems`.

    `set_number` (from 1) takes one set of a file that holds several; without it such a file is refused with BadDeal
    and a list of its sets. Raises DealFileError with path, and line where known: UnknownFormat when the file cannot be
    read or is in no known format, BadSyntax when it holds no deal, BadDeal when it contradicts itself or no record can
    be dealt.
    """
    sets = load_sets(path)
    if set_number is None:
        if len(sets) > 1:
            raise BadDeal(
                f"The file holds {len(sets)} deal sets with the same numbers and different hands: {_listing(sets)}.",
                path=path,
                line=sets[1].boards[0].line,
                hint=f"Nothing was dealt. Say which set you want: 1 to {len(sets)}.",
            )
        return sets[0]
    if not 1 <= set_number <= len(sets):
        raise BadDeal(
            f"The file has no set {set_number}.",
            path=path,
            hint=f"Nothing was dealt. Say which set you want: 1 to {len(sets)}."
            if len(sets) > 1
            else "Nothing was dealt. The file holds one set only: leave the number of the set out.",
        )
    return sets[set_number - 1]


def _listing(sets: Sequence[DealSet]) -> str:
    lines = [
        f"set {place} with boards {one.range_text} from line {one.boards[0].line}"
        for place, one in enumerate(sets[:LISTED_SETS], start=1)
    ]
    return "; ".join([*lines, "…"] if len(sets) > LISTED_SETS else lines)


def load_sets(path: str | Path) -> tuple[DealSet, ...]:
    """All deal sets of a file, at least one, each with at least one board. Raises as `load_deals`."""
    contents = _contents(path)
    sets = sets_from(contents, name=Path(path).stem, path=str(path))
    if not sets[0].boards:
        raise _nothing_to_deal(sets[0].problems, path)
    return sets


def read_records(path: str | Path) -> tuple[Record, ...]:
    """Every record of a file in its order, right or wrong, for `check`. Raises DealFileError as `load_deals`,
    but neither for a record that is no deal nor for records that contradict each other."""
    return _contents(path).records


def _nothing_to_deal(problems: tuple[BadRecord, ...], path: str | Path) -> DealFileError:
    if not problems:
        return BadSyntax("There is no deal with hands in the file.", path=path)
    count = f" ({len(problems)} records are wrong)" if len(problems) > 1 else ""
    return BadDeal(f"The file has no board that can be dealt{count}. {problems[0]}", path=path, line=problems[0].line)


def _contents(path: str | Path) -> Contents:
    data = _bytes_of(path)
    reader = max(READERS, key=lambda candidate: candidate.recognise(data))
    if reader.recognise(data) is Confidence.NO:
        raise UnknownFormat(_looks_like(data), path=path, hint=_HINT)
    try:
        contents = reader.read(data)
    except DealFileError as error:
        error.path = str(path)
        raise
    if not contents.records and not contents.strays:
        raise BadSyntax(f"The file is {reader.name}, but there is no deal in it.", path=path)
    return contents


_HINT: Final = "Nothing was dealt. Ask the program that made the deals for a PBN file."


def _bytes_of(path: str | Path) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
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
    return data


def _looks_like(data: bytes) -> str:
    """A sentence that says what the content is instead of deals."""
    if not data.strip(b"\x00\x1a\t\r\n \xef\xbb\xbf"):
        return "The file is empty."
    thing = next((name for start, name in _OTHER_THINGS if data.startswith(start)), None)
    if data.startswith(_ZIP):
        thing = next((name for sign, name in _ZIP_CONTENTS if sign in data), "a ZIP archive: unpack it first")
    elif data.lstrip(b"\xef\xbb\xbf\r\n\t ").lower().startswith(_WEB_PAGE):
        thing = "a web page without deals"
    if thing is None:
        return "The content of the file is in no deal format that this program knows."
    return f"This is no deal file but {thing}."
