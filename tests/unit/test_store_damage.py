"""A store that is damaged, foreign or too new: refused with the way out, and no byte of it changed.

Read next: `driver/store/database.py`, `tests/unit/test_store_keys.py` for the key beside it.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driver.errors import JobError, StoreDamaged, StoreTooNew, StoreUnusable
from driver.store.database import FILE_NAME, KEY_NAME, connect, reading
from driver.store.decisions import Decision
from driver.store.migrations import MIGRATIONS
from tests.support.store import opened


def contents_of(folder: Path) -> dict[str, bytes]:
    """What is in the files of the store; SQLite's own notes on who reads it left out."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".sqlite3", ".key")}


def too_new(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


def another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")


def another_application(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 99")


def no_database(path: Path) -> None:
    path.write_bytes(b"%PDF-1.7 and much more text than a header has " * 40)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_to_a_few_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwritten_pages(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[4096:20_000] = random.Random(1).randbytes(20_000 - 4096)
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("harm", "error"),
    [
        (too_new, StoreTooNew),
        (another_program, StoreDamaged),
        (another_application, StoreDamaged),
        (no_database, StoreDamaged),
        (cut_short, StoreDamaged),
        (cut_to_a_few_bytes, StoreDamaged),
        (empty, StoreDamaged),
        (overwritten_pages, StoreDamaged),
    ],
)
def test_a_store_that_is_not_ours_to_use_is_refused_and_no_byte_of_it_changes(
    tmp_path: Path, harm: Callable[[Path], None], error: type[JobError]
) -> None:
    with opened(tmp_path) as store:
        store.decisions.append(Decision.EXPORTED, "Ann")
    harm(tmp_path / FILE_NAME)
    before = contents_of(tmp_path)

    with pytest.raises(error) as caught:
        opened(tmp_path)

    assert contents_of(tmp_path) == before
    assert caught.value.hint.startswith("Nothing was changed.")
    assert str(tmp_path / FILE_NAME) in str(caught.value)


def test_the_way_out_of_a_damaged_store_is_to_move_it_away(tmp_path: Path) -> None:
    opened(tmp_path).close()
    no_database(tmp_path / FILE_NAME)
    with pytest.raises(StoreDamaged):
        opened(tmp_path)

    for name in (FILE_NAME, KEY_NAME):
        (tmp_path / name).rename(tmp_path / f"{name}.old")
    with opened(tmp_path) as store:
        assert store.sets.newest_first() == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(data=st.data())
def test_a_store_with_any_few_bytes_changed_opens_or_is_said_to_be_damaged(tmp_path: Path, data: st.DataObject) -> None:
    whole = tmp_path / "whole"
    if not whole.exists():
        with opened(whole) as store:
            store.decisions.append(Decision.EXPORTED, "Ann")
    raw = bytearray((whole / FILE_NAME).read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=5)):
        raw[place] = data.draw(st.integers(0, 255))
    harmed = tmp_path / "harmed"
    harmed.mkdir(exist_ok=True)
    for left in harmed.iterdir():
        left.unlink()
    (harmed / KEY_NAME).write_bytes((whole / KEY_NAME).read_bytes())
    (harmed / FILE_NAME).write_bytes(raw)

    try:
        with opened(harmed) as store:
            store.decisions.newest_first()
            store.decisions.verify()
    except StoreUnusable:
        pass


def test_the_module_s_own_complaint_about_a_text_is_damage(tmp_path: Path) -> None:
    with closing(connect(tmp_path)) as connection, pytest.raises(StoreDamaged), reading(connection):
        connection.execute("SELECT CAST(x'ff' AS TEXT)").fetchall()
