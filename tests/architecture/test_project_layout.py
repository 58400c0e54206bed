"""Rules of the checkout that no linter holds: lock files, names, docstrings, sizes, what protocol may import.

Read next: `pyproject.toml` (linters, types and import contracts), `Makefile`; `test_wall_clock.py`.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("driver", "firmware_sim", "protocol")
LOCKS = ("runtime.txt", "dev.txt", "tool.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

MODULE_LINES = 400
PROTOCOL_NEVER = frozenset({"asyncio", "datetime", "logging", "select", "socket", "subprocess", "threading", "time"})
LEFT_FOR_LATER = re.compile(r"\b(TO" r"DO|FIX" r"ME)\b")

LOCKED = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)==(?P<version>[0-9][0-9A-Za-z.+!]*)(?: ; (?P<marker>[^\\]+))?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def modules_of(*folders: str) -> list[str]:
    """The Python files below the folders, as paths from the root with `/`."""
    return sorted(path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).rglob("*.py"))


def tree_of(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"), filename=module)


def entries_of(lock: str) -> list[list[str]]:
    """Each requirement of a lock as its words: the pinned name, then its hashes."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8").replace("\\\n", "\x00")
    return [[word.strip() for word in line.split("\x00")] for line in text.splitlines()]


def versions_in(lock: str) -> dict[str, str]:
    found = (LOCKED.fullmatch(entry[0]) for entry in entries_of(lock))
    return {match["name"]: match["version"] for match in found if match}


def imported_by(tree: ast.Module) -> Iterator[str]:
    """Dotted names of the modules that absolute imports name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_of_a_lock_is_an_exact_version_with_hashes_and_nothing_else(lock: str) -> None:
    entries = entries_of(lock)

    assert entries
    for pinned, *hashes in entries:
        assert LOCKED.fullmatch(pinned), pinned
        assert hashes, f"no hash for {pinned}"
        assert all(HASH.fullmatch(word) for word in hashes), pinned


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_no_address_and_no_path(lock: str) -> None:
    assert "/" not in (ROOT / "requirements" / lock).read_text(encoding="utf-8")


def test_both_locks_agree_on_what_the_program_needs() -> None:
    assert versions_in("runtime.txt").items() <= versions_in("dev.txt").items()


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        pytest.param("runtime.txt", PROJECT["project"]["dependencies"], id="runtime"),
        pytest.param("dev.txt", PROJECT["dependency-groups"]["dev"], id="dev"),
        pytest.param("dev.txt", PROJECT["build-system"]["requires"], id="build-system"),
    ],
)
def test_the_locks_fulfil_what_the_project_asks_for(lock: str, wanted: list[str]) -> None:
    versions = versions_in(lock)

    for requirement in map(Requirement, wanted):
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: {lock} has {version}; run `make lock`"


def test_the_top_level_packages_are_the_three_layers_and_the_tests() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert found == {*PACKAGES, "tests"}
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == list(PACKAGES)
    assert PROJECT["tool"]["importlinter"]["root_packages"] == list(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_imported_from_this_checkout_and_is_typed(package: str) -> None:
    module = importlib.import_module(package)

    assert module.__file__ is not None
    assert Path(module.__file__).resolve() == ROOT / package / "__init__.py"
    assert (ROOT / package / "py.typed").is_file()


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {(ROOT / module).parent for module in modules_of(*PACKAGES, "tests")}

    assert [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_every_module_says_what_it_is() -> None:
    trees = {module: tree_of(module) for module in modules_of(*PACKAGES, "tests")}
    silent = [module for module, tree in trees.items() if not ast.get_docstring(tree)]

    assert [module for module in silent if not (module.startswith("tests/") and module.endswith("__init__.py"))] == []


def test_modules_stay_short_enough_to_read() -> None:
    lengths = {
        module: len((ROOT / module).read_text(encoding="utf-8").splitlines()) for module in modules_of(*PACKAGES)
    }

    assert {module: lines for module, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_nothing_is_marked_as_left_for_later() -> None:
    files = [
        path
        for folder in (*PACKAGES, "tests", "udev")
        for suffix in ("py", "md", "toml")
        for path in (ROOT / folder).rglob(f"*.{suffix}")
    ]
    files += [ROOT / name for name in ("pyproject.toml", "Makefile", ".ci/run", "README.md")]

    found = [str(path.relative_to(ROOT)) for path in files if LEFT_FOR_LATER.search(path.read_text(encoding="utf-8"))]

    assert found == []


@pytest.mark.parametrize("module", modules_of("protocol"))
def test_protocol_imports_construct_and_the_quiet_part_of_the_standard_library_alone(module: str) -> None:
    names = {name.partition(".")[0] for name in imported_by(tree_of(module))}

    assert names <= (sys.stdlib_module_names - PROTOCOL_NEVER) | {"construct", "protocol"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no executable bit")
def test_ci_runs_make_check_then_the_kernel_and_can_be_started() -> None:
    """Each fails CI: the shell stops at the first that fails. A tool that is missing fails too."""
    script = ROOT / ".ci" / "run"
    text = script.read_text(encoding="utf-8")

    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in text
    assert "REQUIRE_EMULATION=1" in text
    assert text.endswith("\nmake check </dev/null\nexec make qemu </dev/null\n")
