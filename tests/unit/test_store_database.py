"""The store's file: made privately and durably, written whole or not at all, brought to the newest version.

Read next: `driver/store/database.py`, `driver/store/migrations.py`; `test_store_damage.py`, `test_store_programs.py`.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver.errors import StoreDamaged, StoreTooNew, StoreUnusable
from driver.store.database import FILE_NAME, KEY_NAME, StoreConnection, connect, reading, transaction, upgrade
from driver.store.decisions import Decision
from driver.store.migrations import MIGRATIONS
from tests.support.store import opened
from tests.support.watched_store import failure


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[StoreConnection]:
    with closing(connect(tmp_path / "data")) as connection:
        yield connection


def setting(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def table(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE trial (value UNIQUE)")


def write_and_fail(connection: StoreConnection, value: int, *, inner: int | None = None) -> None:
    """Writes the value, and another one in a transaction inside, and gives up."""
    with transaction(connection):
        connection.execute("INSERT INTO trial VALUES (?)", (value,))
        if inner is not None:
            with transaction(connection):
                connection.execute("INSERT INTO trial VALUES (?)", (inner,))
        raise KeyError


def begin(connection: StoreConnection) -> None:
    with transaction(connection):
        pass


def values(connection: sqlite3.Connection) -> list[int]:
    return [value for (value,) in connection.execute("SELECT value FROM trial ORDER BY value")]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_folder_and_files_are_for_this_user_only(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "data"
    with opened(folder) as store:
        store.decisions.append(Decision.EXPORTED, "Ann")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes == dict.fromkeys((FILE_NAME, FILE_NAME + "-wal", FILE_NAME + "-shm", KEY_NAME), 384)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_files_that_were_copied_back_for_all_to_read_are_made_private_again(tmp_path: Path) -> None:
    opened(tmp_path).close()
    for name in (FILE_NAME, KEY_NAME):
        (tmp_path / name).chmod(0o644)

    opened(tmp_path).close()

    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in (FILE_NAME, KEY_NAME)} == {0o600}


def test_each_commit_is_on_the_disk_and_what_is_deleted_is_overwritten(connection: StoreConnection) -> None:
    assert setting(connection, "journal_mode") == "wal"
    assert setting(connection, "synchronous") == 2
    assert setting(connection, "foreign_keys") == 1
    assert setting(connection, "secure_delete") == 1
    assert setting(connection, "temp_store") == 2
    assert setting(connection, "busy_timeout") == 10_000
    assert setting(connection, "user_version") == len(MIGRATIONS)


def test_a_transaction_that_fails_leaves_nothing(connection: StoreConnection) -> None:
    table(connection)
    with pytest.raises(KeyError):
        write_and_fail(connection, 1)

    assert values(connection) == []
    assert not connection.in_transaction


def test_an_inner_transaction_that_fails_takes_only_its_own_part_with_it(connection: StoreConnection) -> None:
    table(connection)
    with transaction(connection):
        connection.execute("INSERT INTO trial VALUES (1)")
        with pytest.raises(KeyError):
            write_and_fail(connection, 2)
        with transaction(connection):
            connection.execute("INSERT INTO trial VALUES (3)")

    assert values(connection) == [1, 3]


def test_an_outer_transaction_that_fails_takes_the_inner_ones_with_it(connection: StoreConnection) -> None:
    table(connection)
    with pytest.raises(KeyError):
        write_and_fail(connection, 1, inner=2)

    assert values(connection) == []


def test_a_write_waits_for_another_program_and_then_says_who_is_in_the_way(tmp_path: Path) -> None:
    with closing(connect(tmp_path)) as first, closing(connect(tmp_path, busy_seconds=0.05)) as second:
        with transaction(first), pytest.raises(StoreUnusable, match="Another program is using") as caught:
            begin(second)
        assert "other window" in caught.value.hint
        begin(second)


def test_a_full_disk_is_said_and_what_was_there_stays(connection: StoreConnection) -> None:
    table(connection)
    with transaction(connection):
        connection.execute("INSERT INTO trial VALUES (1)")
    connection.execute(f"PRAGMA max_page_count = {setting(connection, 'page_count')}")

    with pytest.raises(StoreUnusable, match="disk is full") as caught, transaction(connection):
        connection.execute("INSERT INTO trial VALUES (zeroblob(100000))")

    assert caught.value.code == "DM512"
    assert values(connection) == [1]
    assert not connection.in_transaction


def test_a_full_disk_that_has_no_room_for_the_file_beside_the_store_is_not_called_broken(tmp_path: Path) -> None:
    """Found by refusing what `dealctl` writes with "no room" from the 138th on: SQLite calls that an I/O error."""
    with (
        pytest.raises(StoreUnusable, match="the disk is full, fails, or may only be read"),
        reading(tmp_path / FILE_NAME),
    ):
        raise failure(sqlite3.SQLITE_IOERR_SHMSIZE)


def test_a_store_that_may_only_be_read_says_so_when_it_is_written(connection: StoreConnection) -> None:
    table(connection)
    connection.execute("PRAGMA query_only = ON")

    with pytest.raises(StoreUnusable, match="may be read, but not written"), transaction(connection):
        connection.execute("INSERT INTO trial VALUES (1)")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, mocker: MockerFixture) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreUnusable, match="cannot be written to") as caught:
        connect(tmp_path / "file" / "data")
    assert caught.value.path == tmp_path / "file" / "data"

    mocker.patch("os.open", side_effect=OSError(30, "Read-only file system"))
    with pytest.raises(StoreUnusable, match="Read-only file system"):
        connect(tmp_path / "data")


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()

    with pytest.raises(StoreUnusable, match="is a folder"):
        connect(tmp_path)


def test_a_disk_without_write_ahead_files_is_refused(tmp_path: Path, mocker: MockerFixture) -> None:
    class WithoutWal(StoreConnection):
        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
            return super().execute("SELECT 'delete'" if "journal_mode" in sql else sql, *values)  # type: ignore[arg-type]

    mocker.patch("driver.store.database.StoreConnection", WithoutWal)
    with pytest.raises(StoreUnusable, match="network drive"):
        connect(tmp_path)


def test_a_step_that_fails_leaves_the_store_in_its_old_version(connection: StoreConnection) -> None:
    newer = (*MIGRATIONS, ("CREATE TABLE trial (value)", "INSERT INTO nowhere VALUES (1)"))
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        upgrade(connection, newer)

    assert setting(connection, "user_version") == len(MIGRATIONS)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        connection.execute("SELECT * FROM trial")


def test_a_store_of_an_older_version_takes_the_steps_that_it_lacks_once(connection: StoreConnection) -> None:
    newer = (*MIGRATIONS, ("CREATE TABLE trial (value UNIQUE)",), ("INSERT INTO trial VALUES (1)",))
    upgrade(connection, newer)
    upgrade(connection, newer)

    assert setting(connection, "user_version") == len(newer)
    assert values(connection) == [1]
    with pytest.raises(StoreTooNew):
        upgrade(connection)


def test_a_store_is_looked_through_once_by_a_program_and_again_when_it_was_written_to(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    connect(tmp_path).close()
    opened = mocker.spy(sqlite3, "connect")

    def looks() -> int:
        return sum(str(call.args[0]).endswith("?mode=ro") for call in opened.call_args_list)

    for _ in range(3):
        connect(tmp_path).close()
    assert looks() == 1
    with closing(connect(tmp_path)) as store, transaction(store):
        store.execute("CREATE TABLE foreign_to_it (number)")
    with pytest.raises(StoreDamaged):
        connect(tmp_path)
    assert looks() == 2, "the bytes are others than those that were looked through"


def test_closing_twice_is_as_good_as_once(tmp_path: Path) -> None:
    store = opened(tmp_path)

    store.close()
    store.close()
