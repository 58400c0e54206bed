"""The guard of `tests/conftest.py`, tried on tests that leave something behind.

Read next: `tests/conftest.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
LEAKY = """
import os
import threading

gate = threading.Event()


def test_that_leaves_a_thread():
    threading.Thread(target=gate.wait, daemon=True, name="forgotten").start()


def test_that_leaves_a_descriptor():
    os.open(os.devnull, os.O_RDONLY)


def test_that_tidies_up(tmp_path):
    with (tmp_path / "file").open("w"):
        thread = threading.Thread(target=str)
        thread.start()
        thread.join()
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not show its descriptors as files")
def test_a_test_that_leaves_a_thread_or_a_descriptor_fails_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_leaky.py").write_text(LEAKY, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTHONPATH"] = str(CONFTEST.parents[1])
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert "threads left running: forgotten" in done.stdout
    assert "descriptors left open" in done.stdout
    assert "3 passed, 2 errors" in done.stdout, done.stdout
