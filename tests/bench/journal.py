"""What the journal costs: at each board, and at each start once it has grown.

May import: driver, protocol, tests.bench.jobs. Read next: `measures.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from driver.clock import utc_now
from driver.journal import Journal
from driver.store.entries import CardEvidence
from driver.store.runs import Intention
from driver.store.store import Store
from firmware_sim.profile import FULL
from protocol.cards import PACK_SIZE
from protocol.codes import Proof, RecordState
from tests.bench.jobs import data_folder

BOARD_SECONDS: Final = PACK_SIZE * FULL.card_ms / 1000
"""What the machine itself needs for a board."""
_CARDS: Final = tuple(
    CardEvidence(card, RecordState.DROPPED, Proof.READ | Proof.LEFT_PATH, as_planned=True) for card in range(PACK_SIZE)
)


def seconds_per_board(boards: int) -> float:
    """All that the journal writes for a board, waiting for this computer's disk each time."""
    with data_folder(on_disk=True) as folder, _journal(folder) as journal:
        start = time.perf_counter()
        for number in range(boards):
            _write_board(journal, number)
        return (time.perf_counter() - start) / boards


def after(boards: int, starts: int) -> tuple[float, tuple[float, ...]]:
    """Bytes on the disk for each of so many boards, and the seconds of each of so many starts over them."""
    with data_folder() as folder:
        write_boards(folder, 0)
        empty = _size(folder)
        write_boards(folder, boards)
        size, taken = _size(folder) - empty, []
        for _ in range(starts):
            start = time.perf_counter()
            with _journal(folder) as journal:
                journal.open_run("DM0042")
                taken.append(time.perf_counter() - start)
        return size / boards, tuple(taken)


def write_boards(folder: Path, boards: int) -> None:
    """So many boards into the store of that folder, in one step."""
    with _journal(folder) as journal, journal.together():
        for number in range(boards):
            _write_board(journal, number)


@contextmanager
def _journal(folder: Path) -> Iterator[Journal]:
    with Store(folder, now=utc_now) as store, Journal(store) as journal:
        yield journal


def _write_board(journal: Journal, number: int) -> None:
    told = Intention(
        number % 36 + 1, "A", "DM0042", 7, PACK_SIZE * number, number, "", number % 36 + 1, simulated=False
    )
    run = journal.intend(told, bytes(8)).run
    journal.note_go(run)
    journal.note_verdict(run, "GOOD", card_ms=100, evidence=_CARDS)
    journal.note_closed(run)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())
