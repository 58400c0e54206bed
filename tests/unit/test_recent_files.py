"""The newest deal files of a few folders: recognised by content, newest first, and never more work than is allowed.

Read next: `driver/cli/recent_files.py`.
"""

from __future__ import annotations

import getpass
import os
import re
import sys
import zipfile
from pathlib import Path

import platformdirs
import pytest

from driver.cli import recent_files
from driver.cli.recent_files import Place, RecentFile, age_text, newest_deal_files, usual_places, what_it_holds
from tests.unit.test_archive import locked

CLUB = (Path(__file__).parents[1] / "data" / "club36.pbn").read_bytes()
NOW = 1_900_000_000.0
HOUR = 3600.0
TURNED = bytes.maketrans(b"AK", b"KA")
"""Other hands in each board: aces and kings change places."""


def put(path: Path, data: bytes = CLUB, age: float = HOUR) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (NOW - age, NOW - age))
    return path


def found(*places: Place) -> list[RecentFile]:
    return list(newest_deal_files(places, NOW))


def names(*places: Place) -> list[str]:
    return [one.path.name for one in found(*places)]


def test_the_newest_come_first_with_place_age_and_boards(tmp_path: Path) -> None:
    put(tmp_path / "down" / "tuesday.pbn", age=3 * HOUR)
    put(tmp_path / "desk" / "monday.PBN", age=26 * HOUR)

    shown = found(Place(tmp_path / "desk", "Desktop"), Place(tmp_path / "down", "Downloads"))

    assert shown == [
        RecentFile(tmp_path / "down" / "tuesday.pbn", "Downloads", "3 hours ago", "PBN, 36 boards (1-36)"),
        RecentFile(tmp_path / "desk" / "monday.PBN", "Desktop", "1 day ago", "PBN, 36 boards (1-36)"),
    ]


def test_what_is_no_deal_file_is_left_out_whatever_its_name(tmp_path: Path) -> None:
    put(tmp_path / "letter.pbn", b"Dear all, no hands today.")
    put(tmp_path / "empty.pbn", b"")
    put(tmp_path / "notes.txt", b"buy cards")
    put(tmp_path / "photo.jpg")
    put(tmp_path / ".hidden.pbn")
    (tmp_path / "folder.pbn").mkdir()
    put(tmp_path / "hands.txt")

    assert names(Place(tmp_path, "here")) == ["hands.txt"]


def test_nine_are_shown_at_most(tmp_path: Path) -> None:
    for number in range(12):
        put(tmp_path / f"{number:02}.pbn", age=number * HOUR)

    assert names(Place(tmp_path, "here")) == [f"{number:02}.pbn" for number in range(9)]


def test_folders_of_a_stick_are_looked_into_and_those_of_downloads_are_not(tmp_path: Path) -> None:
    put(tmp_path / "club" / "deep.pbn")
    put(tmp_path / "club" / "year" / "deeper.pbn")
    put(tmp_path / "top.pbn", age=2 * HOUR)

    assert names(Place(tmp_path, "stick", deep=True)) == ["deep.pbn", "top.pbn"]
    assert names(Place(tmp_path, "Downloads")) == ["top.pbn"]


@pytest.mark.skipif(sys.platform == "win32", reason="making a link needs a right there")
def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside" / "secret.pbn")
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "link.pbn").symlink_to(outside)
    (stick / "folder").symlink_to(outside.parent)

    assert names(Place(stick, "stick", deep=True)) == []


def test_a_folder_that_is_not_there_or_cannot_be_read_gives_nothing(tmp_path: Path) -> None:
    put(tmp_path / "file.pbn")

    assert names(Place(tmp_path / "none", "none"), Place(tmp_path / "file.pbn", "a file")) == []


def test_the_work_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def look(path: Path) -> str:
        looked_at.append(path.name)
        return ""

    monkeypatch.setattr(recent_files, "what_it_holds", look)
    for number in range(60):
        put(tmp_path / f"{number:02}.pbn", b"x" * 100, age=number * HOUR)

    assert names(Place(tmp_path, "here")) == []
    assert looked_at == [f"{number:02}.pbn" for number in range(recent_files.MOST_LOOKED_AT)]
    looked_at.clear()
    monkeypatch.setattr(recent_files, "MOST_BYTES", 250)
    assert names(Place(tmp_path, "here")) == []
    assert len(looked_at) == 2
    monkeypatch.setattr(recent_files, "LARGEST_FILE", 99)
    looked_at.clear()
    assert names(Place(tmp_path, "here")) == []
    assert looked_at == []


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ((("a.pbn", CLUB),), "PBN, 36 boards (1-36)"),
        ((("a.pbn", CLUB), ("b.pbn", CLUB)), "ZIP archive with 2 deal files"),
        ((("a.txt", b"no hands"),), ""),
    ],
)
def test_an_archive_is_told_by_what_is_in_it(
    members: tuple[tuple[str, bytes], ...], words: str, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, data in members:
            archive.writestr(name, data)

    assert what_it_holds(tmp_path / "a.zip") == words


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (locked("a.pbn", CLUB, b"clubs"), "ZIP archive with a password"),
        (CLUB + CLUB.translate(TURNED), "PBN, 2 sets"),
        (b"".join(re.findall(rb'\[Deal "[^"]+"\]', CLUB)[:1]), "PBN, 1 board without numbers"),
        (b'[Board "1"]\n[Deal "N:A"]\n', "PBN, cannot be dealt as it is"),
        (CLUB + b"\n" + b" " * recent_files.READ_WHOLE, "PBN, many boards"),
    ],
    ids=["locked", "sets", "no numbers", "damaged", "large"],
)
def test_what_a_file_holds_is_told_in_a_few_words(data: bytes, words: str, tmp_path: Path) -> None:
    path = put(tmp_path / "x.pbn", data)

    assert what_it_holds(path) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (5 * HOUR, "5 hours ago"),
        (24 * HOUR, "1 day ago"),
        (6.9 * 24 * HOUR, "6 days ago"),
        (3 * 168 * HOUR, "3 weeks ago"),
        (400 * 24 * HOUR, "13 months ago"),
    ],
)
def test_an_age_is_told_in_words(seconds: float, words: str) -> None:
    assert age_text(seconds) == words


def test_the_places_are_downloads_desktop_and_sticks_in_the_words_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_downloads_dir", lambda: str(tmp_path / "Téléchargements"))
    monkeypatch.setattr(platformdirs, "user_desktop_dir", lambda: str(tmp_path / "Bureau"))
    monkeypatch.setattr(recent_files, "_sticks", lambda: [tmp_path / "CLUB"])

    assert usual_places() == (
        Place(tmp_path / "Téléchargements", "Téléchargements"),
        Place(tmp_path / "Bureau", "Bureau"),
        Place(tmp_path / "CLUB", "stick CLUB", deep=True),
    )


@pytest.mark.skipif(sys.platform == "win32", reason="drives have letters there")
def test_where_no_stick_can_be_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise OSError("no name")

    monkeypatch.setattr(getpass, "getuser", nobody)
    monkeypatch.setattr(sys, "platform", "linux")

    assert all(not place.deep for place in usual_places())
