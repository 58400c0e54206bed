"""The contract suite in an environment with the program's requirements, pytest and its three plugins, and nothing else.

Whoever builds a machine needs no more than that to try it. Read next: `tests/contract/conftest.py`, `requirements/`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

ROOT: Final = Path(__file__).resolve().parents[2]
SUITE: Final = "tests/contract"
NEEDED: Final = ("pytest", "pytest-mock", "hypothesis", "pytest-timeout")
NOT_OURS: Final = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "DEALCTL_MACHINE", "PYTEST_ADDOPTS")
ALL: Final = ("-m", "campaign or not campaign")
"""Also what only a campaign runs."""


@dataclass(frozen=True, slots=True)
class Alone:
    """The environment: its Python, and the names of the distributions that it was to get."""

    python: Path
    names: frozenset[str]


def run(*command: str | Path) -> str:
    """What the command printed in the checkout; fails with all of it when the command fails."""
    environment = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env=environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=350,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def locked(lock: Path) -> dict[str, str]:
    """The entries of a lock, hashes included, by the name of the distribution."""
    entries = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())
    return {canonicalize_name(re.split(r"[ =]", entry, maxsplit=1)[0]): entry for entry in entries}


def with_what_they_need(names: tuple[str, ...]) -> set[str]:
    """The distributions and all that they require on this system, as their own metadata says."""
    waiting, found = [canonicalize_name(name) for name in names], set[str]()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for text in requires(name) or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(canonicalize_name(requirement.name))
    return found


def applies(entry: str) -> bool:
    """Whether the lock's entry is for this system."""
    marker = Requirement(entry.partition("\\")[0].strip().replace("==", " ==", 1)).marker
    return marker is None or marker.evaluate()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """That environment, from the project's own locks."""
    folder = tmp_path_factory.mktemp("alone")
    entries = locked(ROOT / "requirements" / "dev.txt")
    runtime = locked(ROOT / "requirements" / "runtime.txt")
    names = with_what_they_need(NEEDED) | set(runtime)
    wanted = {name: entries[name] for name in names}
    requirements = folder / "requirements.txt"
    requirements.write_text("\n".join(wanted.values()) + "\n", encoding="utf-8")
    run(sys.executable, "-m", "venv", folder / "env")
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", "--require-hashes", "--requirement", requirements)
    return Alone(python, frozenset(name for name, entry in wanted.items() if applies(entry)))


def collected(python: str | Path) -> set[str]:
    """The names of all tests of the suite that this Python finds."""
    shown = run(python, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", *ALL, SUITE)
    return {line for line in shown.splitlines() if "::" in line}


def test_nothing_else_is_in_that_environment(alone: Alone) -> None:
    question = "from importlib.metadata import distributions\nfor one in distributions(): print(one.metadata['Name'])"
    there = {canonicalize_name(name) for name in run(alone.python, "-c", question).split()}

    assert there - {"pip", "setuptools"} == alone.names
    assert not there & {"mypy", "ruff", "build", "hatchling", "import-linter"}


def test_the_whole_suite_is_collected_there(alone: Alone) -> None:
    found = collected(alone.python)

    assert len(found) > 200
    assert found == collected(sys.executable)


def test_the_suite_passes_there_over_the_endpoint_that_every_system_has(alone: Alone) -> None:
    shown = run(alone.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "memory", SUITE)

    found = re.search(r"(\d+) passed", shown)
    assert found is not None
    assert int(found[1]) > 60


@pytest.mark.campaign
def test_the_suite_passes_there_over_every_endpoint(alone: Alone) -> None:
    assert "passed" in run(alone.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITE)
