"""What holds for every test of a command: the person's own data stay out of it, and no data folder shows a hand.

Read next: `tests/support/secrets_search.py`, `test_hands_stay_hidden.py` (screens, other files, processes).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from driver.data_folder import DATA_VARIABLE
from driver.deals.loader import load_deals
from driver.store import database as store
from tests.cli.program import CLUB
from tests.support.secrets_search import HandSearch, Haystack

OUR_FILES = (store.KEY_NAME, "last-failure.txt")
"""What the program keeps beside the database; deal files may lie there too, where a test put them."""


@cache
def the_clubs_hands() -> HandSearch:
    """Knows the deals of the file that these tests deal."""
    return HandSearch({f"board {board.number}": board.deal for board in load_deals(CLUB)})


@pytest.fixture(autouse=True)
def usual_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a command without --data keeps its data during the test, instead of in the folder of whoever runs it."""
    folder = tmp_path_factory.mktemp("usual")
    monkeypatch.setenv(DATA_VARIABLE, str(folder / "in this process"))
    # A program beside the test gets no variable of ours.
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_data_folder_shows_a_hand(tmp_path: Path, usual_data_folder: Path) -> Iterator[None]:
    """Fails a test that leaves a hand of the club in a file that the program keeps."""
    yield
    kept = Haystack()
    for database in (*tmp_path.rglob(store.FILE_NAME), *usual_data_folder.rglob(store.FILE_NAME)):
        for path in database.parent.iterdir():
            if path.name.startswith(store.FILE_NAME) or path.name in OUR_FILES:
                kept.add(path.read_bytes(), path.name)
    assert kept.searched(the_clubs_hands()) == []
