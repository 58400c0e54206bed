"""The power goes at the host: whatever part of its last writes the disk has, the store opens, and no card is forgotten.

SQLite appends each transaction to its write-ahead file and waits for the disk. So what a power cut leaves is this file,
cut at some byte behind the last one that was waited for, its last page perhaps torn. Each such image is opened with the
production code. Read next: `driver/store/database.py`, `test_journal_crashes.py`.
"""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from driver.store.database import FILE_NAME, KEY_NAME
from protocol.codec import decode
from protocol.codes import Kind, RequestType
from protocol.framing import FrameDecoder
from protocol.messages import Arm
from tests.faults.grief import finish
from tests.stateful.world import World
from tests.support.memory import MemoryTransport
from tests.support.store import journal_in

WAL: Final = f"{FILE_NAME}-wal"
WAL_HEADER: Final = 32
PAGE_HEADER: Final = 24
PAGE: Final = 4096
TORN: Final = 150
"""Images that end inside a page, at random bytes."""


@dataclass(frozen=True)
class Sent:
    """A request of a run, and how long the write-ahead file was when it was sent."""

    length: int
    type: RequestType
    run: int


@dataclass(frozen=True)
class Evening:
    """What lies on the disk at the end of three boards, before anything was closed, and what was sent on the way."""

    folder: Path
    wal: bytes
    sent: list[Sent]

    def image(self, wal: bytes, into: Path) -> Path:
        """A data folder as a power cut leaves it."""
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir()
        for name in (FILE_NAME, KEY_NAME):
            shutil.copy(self.folder / name, into)
        (into / WAL).write_bytes(wal)
        return into


class KeepsItsDisk(World):
    """A world that remembers what lay on the disk when its last program ended, before it closed anything."""

    wal = b""

    def end_program(self) -> None:
        if (self.folder / WAL).exists():
            self.wal = (self.folder / WAL).read_bytes()
        super().end_program()


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """Three boards, dealt without a fault."""
    world = KeepsItsDisk(21)
    world.end_program()
    empty = tmp_path_factory.mktemp("disk")
    for name in (FILE_NAME, KEY_NAME):
        shutil.copy(world.folder / name, empty)
    sent: list[Sent] = []
    armed = 0
    plain_write = MemoryTransport.write

    def write(transport: MemoryTransport, data: bytes) -> None:
        nonlocal armed
        for frame in FrameDecoder().feed(data):
            if frame.kind is Kind.REQUEST and frame.type in (RequestType.ARM, RequestType.GO):
                message = decode(frame)
                armed = message.run if isinstance(message, Arm) else armed
                sent.append(Sent((world.folder / WAL).stat().st_size, RequestType(frame.type), armed))
        plain_write(transport, data)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(MemoryTransport, "write", write)
        try:
            world.begin_program()
            world.run()
            finish(world)
        finally:
            world.close()
    assert [one.type for one in sent] == [RequestType.ARM, RequestType.GO] * 3
    assert sent[-1].length < len(world.wal), "nothing was moved into the database meanwhile"
    return Evening(empty, world.wal, sent)


def holds(evening: Evening, wal: bytes, place: Path) -> int:
    """Opens an image; what was on the disk when a request was sent is known. How many runs were begun by it."""
    with journal_in(evening.image(wal, place)) as journal:
        for one in evening.sent:
            if one.length <= len(wal):
                record = journal.record(one.run)
                assert record is not None, "ARM was sent before its intent was on the disk"
                assert record.go_sent or one.type is RequestType.ARM, "GO was sent before the disk had it"
        return len(journal.begun())


def pages(wal: bytes) -> range:
    """The lengths at which the write-ahead file ends with a whole page."""
    return range(WAL_HEADER, len(wal) + 1, PAGE_HEADER + PAGE)


def test_a_disk_that_has_any_number_of_whole_pages_opens_and_knows_what_was_sent(
    evening: Evening, tmp_path: Path
) -> None:
    assert len(pages(evening.wal)) > 3 * 4
    begun = [holds(evening, evening.wal[:length], tmp_path / "image") for length in (0, *pages(evening.wal))]
    assert begun == sorted(begun)
    assert set(begun) == {0, 1, 2, 3}


def test_a_disk_whose_last_page_is_torn_opens_and_knows_what_was_sent(evening: Evening, tmp_path: Path) -> None:
    seed = 5
    chance = random.Random(seed)
    for _ in range(TORN):
        length = chance.randrange(len(evening.wal))
        holds(evening, evening.wal[:length], tmp_path / "image")


def test_a_disk_whose_last_write_is_rubbish_opens_and_knows_what_was_sent_before(
    evening: Evening, tmp_path: Path
) -> None:
    """What was not waited for may hold anything: here the pages that follow the last one that was."""
    chance = random.Random(6)
    for one in evening.sent:
        rubbish = chance.randbytes(chance.randrange(1, 2 * PAGE))
        with journal_in(evening.image(evening.wal[: one.length] + rubbish, tmp_path / "image")) as journal:
            record = journal.record(one.run)
            assert record is not None
            assert record.go_sent is (one.type is RequestType.GO)
