"""The newest deal files of the places where downloads end up, so that nobody has to type the name of one.

May import: `driver.deals`, `text`; platformdirs only when it looks. Read next: `deal_source.py`, which asks.

The work is bounded whatever lies there: a number of names, of files and of bytes; links are not followed.
"""

from __future__ import annotations

import getpass
import heapq
import os
import string
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from driver.cli.text import boards_word
from driver.deals.archive import Member, deal_files, is_archive
from driver.deals.loader import LARGEST_FILE, bytes_of, read_deal_file, reader_of
from driver.errors import ArchiveLocked, DealFileError

MOST_SHOWN: Final = 9
MOST_LOOKED_AT: Final = 40
MOST_BYTES: Final = 2 * LARGEST_FILE
MOST_NAMES: Final = 5_000
MOST_FOLDERS: Final = 50
READ_WHOLE: Final = 2 * 1024 * 1024
"""Bytes up to which a file is read through to tell its boards: a moment's work."""
SUFFIXES: Final = frozenset(
    {
        *(".ber", ".bhg", ".bri", ".cds", ".csv", ".dge", ".dlm", ".dup", ".gib"),
        *(".lin", ".pbn", ".rzd", ".txt", ".zip"),
    }
)
_REMOVABLE: Final = 2
_AGES: Final = ((60, "minute"), (3600, "hour"), (86_400, "day"), (7 * 86_400, "week"), (30 * 86_400, "month"))


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to look in and what it is called; `deep`: in its folders too, as on a stick."""

    folder: Path
    words: str
    deep: bool = False


@dataclass(frozen=True, slots=True)
class RecentFile:
    """A deal file, where it lies, how old it is in words, and what it holds: "PBN, 36 boards (1-36)"."""

    path: Path
    where: str
    age: str
    holds: str


def usual_places() -> tuple[Place, ...]:
    """Downloads, Desktop and the sticks that are plugged in, in the words of this system."""
    import platformdirs

    downloads, desktop = Path(platformdirs.user_downloads_dir()), Path(platformdirs.user_desktop_dir())
    return (
        Place(downloads, downloads.name),
        Place(desktop, desktop.name),
        *(Place(folder, f"stick {folder.name or folder}", deep=True) for folder in _sticks()),
    )


def newest_deal_files(places: Iterable[Place], now: float) -> tuple[RecentFile, ...]:
    """The newest deal files, newest first, at most MOST_SHOWN. `now` is in seconds since 1970, as files tell them."""
    candidates = (found for place in places for found in islice(_candidates(place), MOST_NAMES))
    newest = heapq.nlargest(MOST_LOOKED_AT, candidates, key=lambda found: found[0])
    shown: list[RecentFile] = []
    left = MOST_BYTES
    for changed, path, size, where in newest:
        left -= size
        if left < 0 or len(shown) == MOST_SHOWN:
            break
        holds = what_it_holds(path)
        if holds:
            shown.append(RecentFile(path, where, age_text(now - changed), holds))
    return tuple(shown)


def what_it_holds(path: Path) -> str:
    """The format and the boards of a deal file for a person; "" for a file that is none. Shows no hand."""
    try:
        data = bytes_of(path)
        if is_archive(data):
            members = deal_files(data, lambda content: reader_of(content) is not None)
            if len(members) > 1:
                return f"ZIP archive with {len(members)} deal files"
            return _boards_of(path, members[0])
        return _boards_of(path, Member("", data)) if reader_of(data) else ""
    except ArchiveLocked:
        return "ZIP archive with a password"
    except DealFileError:
        return ""


def _boards_of(path: Path, found: Member) -> str:
    reader = reader_of(found.data)
    if reader is None:
        return ""
    if len(found.data) > READ_WHOLE:
        return f"{reader.name}, many boards"
    try:
        file = read_deal_file(path, found)
        sets = file.sets()
    except DealFileError:
        return f"{reader.name}, cannot be dealt as it is"
    boards = sum(map(len, sets))
    if len(sets) > 1:
        return f"{file.format}, {len(sets)} sets"
    if file.is_unnumbered:
        return f"{file.format}, {boards_word(boards)} without numbers"
    return f"{file.format}, {boards_word(boards)} ({sets[0].range_text})"


def age_text(seconds: float) -> str:
    """An age for a person: "just now", "5 minutes ago", "1 day ago"."""
    found = "just now"
    for length, word in _AGES:
        number = int(seconds // length)
        if number < 1:
            break
        found = f"{number} {word}{'s' if number > 1 else ''} ago"
    return found


def _candidates(place: Place) -> Iterator[tuple[float, Path, int, str]]:
    """Time, path, size and place of each file that may be a deal file, by its name and size alone."""
    folders = [place.folder]
    if place.deep:
        inside = (Path(entry.path) for entry in _entries(place.folder) if entry.is_dir(follow_symlinks=False))
        folders += islice(inside, MOST_FOLDERS)
    for folder in folders:
        for entry in _entries(folder):
            try:
                if Path(entry.name).suffix.lower() not in SUFFIXES or not entry.is_file(follow_symlinks=False):
                    continue
                facts = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # It was removed, or the stick was, while we looked.
            if 0 < facts.st_size <= LARGEST_FILE:
                yield facts.st_mtime, Path(entry.path), facts.st_size, place.words


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What lies in a folder, hidden things left out; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            yield from [entry for entry in islice(entries, MOST_NAMES) if not entry.name.startswith(".")]
    except OSError:
        return


def _sticks() -> list[Path]:
    """The folders of plugged-in sticks."""
    if sys.platform == "win32":
        return _removable_drives()
    if sys.platform == "darwin":
        roots = [Path("/Volumes")]
    else:
        try:
            user = getpass.getuser()
        except (KeyError, OSError):
            return []
        roots = [Path("/media") / user, Path("/run/media") / user]
    return [Path(entry.path) for root in roots for entry in _entries(root) if entry.is_dir(follow_symlinks=False)]


def _removable_drives() -> list[Path]:
    import ctypes

    system: Any = ctypes
    drives = [Path(f"{letter}:\\") for letter in string.ascii_uppercase[2:]]
    return [drive for drive in drives if system.windll.kernel32.GetDriveTypeW(str(drive)) == _REMOVABLE]
