"""Several programs and threads at one store, and a program that is killed while it writes.

Read next: `driver/store/database.py`.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from driver.store.decisions import Decision
from tests.support.processes import ROOT, environment
from tests.support.store import opened

APPEND = """
import sys
from pathlib import Path
from driver.store.decisions import Decision
from tests.support.store import opened

folder, count = Path(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
with opened(folder) as store:
    for number in range(count):
        with store.together():
            first = store.decisions.append(Decision.EXPORTED, "Ann", part=1)
            store.decisions.append(Decision.EXPORTED, "Ann", part=2)
        print(first.number, flush=True)
"""


def program(folder: Path, count: int) -> subprocess.Popen[str]:
    """A program that waits for a line, then opens the store and writes so many pairs, saying each that was kept."""
    return subprocess.Popen(
        [sys.executable, "-c", APPEND, str(folder), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment(),
        text=True,
    )


def line_of(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return running.stdout.readline().strip()


def killed(running: subprocess.Popen[str]) -> str:
    """Kills the program; what it had said and nobody had read."""
    running.kill()
    assert running.stdout is not None
    rest = running.stdout.read()
    running.communicate()
    return rest


def let_go(running: subprocess.Popen[str]) -> None:
    assert running.stdin is not None
    running.stdin.write("go\n")
    running.stdin.flush()


def test_a_thread_that_gives_up_does_not_take_the_write_of_another_with_it(tmp_path: Path) -> None:
    inside = threading.Event()

    def write() -> None:
        inside.wait()
        store.decisions.append(Decision.EXPORTED, "Ben")

    def give_up() -> None:
        with store.together():
            store.decisions.append(Decision.EXPORTED, "Ann")
            inside.set()
            other.join(0.05)  # Long enough to get in the way, if it could.
            raise KeyError

    with opened(tmp_path) as store:
        other = threading.Thread(target=write)
        other.start()
        with pytest.raises(KeyError):
            give_up()
        other.join()

        assert [entry.who for entry in store.decisions.newest_first()] == ["Ben"]
        store.decisions.verify()


def test_threads_that_open_a_new_store_at_once_all_get_the_same_one(tmp_path: Path) -> None:
    start, failed = threading.Barrier(6), list[BaseException]()

    def use() -> None:
        start.wait()
        try:
            with opened(tmp_path / "data") as store:
                store.decisions.append(Decision.EXPORTED, "Ann")
        except BaseException as error:  # noqa: BLE001 - a thread has nobody to raise it to
            failed.append(error)

    threads = [threading.Thread(target=use) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    with opened(tmp_path / "data") as store:
        assert [entry.number for entry in store.decisions.newest_first()] == [5, 4, 3, 2, 1, 0]
        store.decisions.verify()


def test_programs_that_open_a_new_store_at_once_all_get_the_same_one_and_lose_no_entry(tmp_path: Path) -> None:
    programs = [program(tmp_path / "data", 5) for _ in range(4)]
    try:
        assert [line_of(running) for running in programs] == ["ready"] * 4
        for running in programs:
            let_go(running)
        said = sorted(int(line) for running in programs for line in running.communicate()[0].split())
        assert [running.returncode for running in programs] == [0] * 4
    finally:
        for running in programs:
            running.kill()
            running.communicate()

    assert said == list(range(0, 40, 2))
    with opened(tmp_path / "data") as store:
        assert len(store.decisions.newest_first()) == 40
        store.decisions.verify()


def test_a_program_that_is_killed_at_any_moment_leaves_whole_transactions_and_all_that_it_said(tmp_path: Path) -> None:
    kept = 0
    for lines in (0, 1, 7, 23):
        running = program(tmp_path, 10_000)
        try:
            assert line_of(running) == "ready"
            let_go(running)
            said = [int(line_of(running)) for _ in range(lines)]
        finally:
            rest = killed(running)
        said += [int(line) for line in rest.split("\n")[:-1] if line]

        with opened(tmp_path) as store:
            store.decisions.verify()
            entries = store.decisions.newest_first()[::-1]
        assert [entry.number for entry in entries] == list(range(len(entries)))
        assert [entry.details["part"] for entry in entries] == [1, 2] * (len(entries) // 2)
        assert said == list(range(kept, kept + 2 * len(said), 2))
        assert len(entries) - kept - 2 * len(said) in (0, 2)
        kept = len(entries)


def test_a_store_copied_while_it_is_written_opens_with_what_was_committed(tmp_path: Path) -> None:
    with opened(tmp_path / "data") as store:
        store.decisions.append(Decision.EXPORTED, "Ann")
        copy = tmp_path / "copy"
        copy.mkdir()
        script = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2], dirs_exist_ok=True)"
        subprocess.run([sys.executable, "-c", script, tmp_path / "data", copy], check=True)

    with opened(copy) as store:
        assert len(store.decisions.newest_first()) == 1
