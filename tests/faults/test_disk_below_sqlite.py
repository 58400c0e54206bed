"""The power goes at the host, below SQLite: whatever the disk has of what was done to it, the store opens and keeps I3.

Recorded below the library that ships, while three boards are dealt: every write, wait, cut, rename and removal. Each
image is opened with the production code. Read next: `tests/support/recorded_disk.py`, `test_journal_images.py`.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from driver.store.database import FILE_NAME
from driver.store.runs import Intention
from tests.support.figures import Figures
from tests.support.processes import PATIENCE, ROOT
from tests.support.recorded_disk import (
    MARKS,
    Done,
    Image,
    Kind,
    below,
    cut_power,
    environment_with,
    read_log,
    skip_or_fail,
    torn,
)
from tests.support.store import journal_in

pytestmark = pytest.mark.usefixtures("quick_disk")

SEED: Final = 13
TORN_AT: Final = (1, 8, 23, 511, 512, 1024, 2048, 4095)
"""Bytes of the last write that came to the disk, where it has more."""
DRAWS: Final = 2
"""How often it is drawn which of the things that nobody waited for came to the disk; once more none of them did."""
SMALL: Final = 8
"""Of all places so many apart are tried in `make test`."""


@dataclass(frozen=True, slots=True)
class Evening:
    """What was done to the folder of three boards, and what the program did meanwhile, each with its place in that."""

    done: tuple[Done, ...]
    marks: tuple[tuple[int, str, int], ...]
    """Place, word and run: ARM, GO and CLOSE about to be sent, GOOD told."""

    def told_before(self, place: int) -> list[tuple[str, int]]:
        """What the program had done when `place` things were done to the folder."""
        return [(word, run) for at, word, run in self.marks if at < place]


@pytest.fixture(scope="module")
def evening(recorder: Path, tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """Three boards, dealt without a fault in a process of its own."""
    return recorded(recorder, tmp_path_factory.mktemp("evening"))


def recorded(recorder: Path, place: Path, *synchronous: str) -> Evening:
    """The same, of a store that waits for its disk as `recorded_job` is told."""
    subprocess.run(
        [sys.executable, "-m", "tests.support.recorded_job", place / "data", *synchronous],
        cwd=ROOT,
        env=environment_with(below(recorder, place / "data", log=place / "log")),
        timeout=PATIENCE,
        check=True,
    )
    done = [one for one in read_log(place / "log") if one.lasts]
    if not any(one.name == FILE_NAME and one.kind is Kind.WRITTEN for one in done):
        skip_or_fail("this Python's SQLite does not write through the system's library")
    marks = []
    for at, one in enumerate(done):
        if one.name == MARKS and one.kind is Kind.WRITTEN:
            word, run = one.data.decode().split()
            marks.append((at, word, int(run)))
    assert [word for _, word, _ in marks if word != "Arm"] == ["Go", "GOOD", "Close"] * 3
    whole = Image(done).files
    written = {path.name: path.read_bytes() for path in (place / "data").iterdir()}
    assert {name: bytes(content) for name, content in whole.items()} == written, "the recording is the folder"
    return Evening(tuple(done), tuple(marks))


def check(image: Image, told: Iterable[tuple[str, int]], folder: Path) -> None:
    """The store opens; it knows what was sent and told; and what it is given next it keeps under a new run."""
    shutil.rmtree(folder, ignore_errors=True)
    told = list(told)
    with journal_in(image.put_into(folder)) as journal:
        for word, run in told:
            record = journal.record(run)
            assert record is not None, "I3: ARM was sent, and its intent is lost"
            assert word == "Arm" or record.go_sent, "I3: GO was sent, and the journal does not know"
            assert word not in ("GOOD", "Close") or record.verdict == "GOOD", "I3: a verdict was told, and is lost"
        fresh = journal.intend(Intention(4, "", "SIM-0001", 1, 0, 0, "", 4, True), bytes(8)).run
        assert fresh not in {run for _, run in told}, "a run id comes back"


def prefixes(evening: Evening, places: Iterable[int], folder: Path) -> int:
    """Every image that ends with one whole thing done; how many."""
    tried = 0
    for place in places:
        check(Image(evening.done[:place]), evening.told_before(place), folder)
        tried += 1
    return tried


def torn_writes(evening: Evening, places: Iterable[int], folder: Path) -> int:
    """Every image whose last write is torn; how many."""
    tried = 0
    for place in places:
        *before, last = evening.done[:place] or (None,)
        if last is None or last.kind is not Kind.WRITTEN or last.name == MARKS:
            continue
        for length in (length for length in TORN_AT if length < len(last.data)):
            check(Image([*before, torn(last, length)]), evening.told_before(place), folder)
            tried += 1
    return tried


def unsynced(evening: Evening, places: Iterable[int], folder: Path) -> int:
    """Every image from which all, or by chance some, is missing that nobody waited for; how many."""
    chance, tried = random.Random(SEED), 0
    for place in places:
        for draws in (None, *[chance] * DRAWS):
            check(cut_power(evening.done[:place], draws), evening.told_before(place), folder)
            tried += 1
    return tried


WAYS: Final[dict[str, Callable[[Evening, Iterable[int], Path], int]]] = {
    "whole": prefixes,
    "with its last write torn": torn_writes,
    "without what nobody waited for": unsynced,
}


def some_places(evening: Evening) -> list[int]:
    """Each place just before and just after something was told, and a few of the others."""
    at_marks = {at for at, _, _ in evening.marks}
    return sorted({*range(0, len(evening.done) + 1, SMALL), *at_marks, *(at + 1 for at in at_marks)})


@pytest.mark.parametrize("way", WAYS)
def test_what_a_power_cut_leaves_of_the_disk_opens_and_knows_what_was_sent(
    way: str, evening: Evening, tmp_path: Path, figures: Figures
) -> None:
    places = some_places(evening)
    tell(way, WAYS[way](evening, places, tmp_path / "image"), len(places), evening, figures)


def test_a_store_that_does_not_wait_for_its_disk_is_caught(recorder: Path, tmp_path: Path) -> None:
    evening = recorded(recorder, tmp_path, "NORMAL")
    with pytest.raises(AssertionError, match="I3: "):
        unsynced(evening, some_places(evening), tmp_path / "image")


@pytest.mark.campaign
@pytest.mark.parametrize("way", WAYS)
def test_what_a_power_cut_leaves_of_the_disk_after_every_single_write_opens_and_knows_what_was_sent(
    way: str, evening: Evening, tmp_path: Path, figures: Figures
) -> None:
    places = range(len(evening.done) + 1)
    tell(way, WAYS[way](evening, places, tmp_path / "image"), len(places), evening, figures)


def tell(way: str, tried: int, places: int, evening: Evening, figures: Figures) -> None:
    figures.tell(
        f"images of a disk after a power cut of the host, {way}, that open and keep I3",
        f"{tried} at {places} of {len(evening.done) + 1} places",
        aim="all of them",
        met=tried >= places // 2,
        seed=SEED,
    )
