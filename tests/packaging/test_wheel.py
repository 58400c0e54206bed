"""The wheel and the sdist: what is in them, and `dealctl` from either, outside the repository, on each Python.

Read next: `pyproject.toml` (`tool.hatch`), `requirements/runtime.txt`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("driver", "firmware_sim", "protocol")
PYTHONS = ((3, 11), (3, 12), (3, 13))
NOT_OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "DEALCTL_MACHINE")


def clean_environment() -> dict[str, str]:
    """The environment of a computer that knows no checkout and no machine."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    return kept | {"PYTHONUTF8": "1"}


def run(*command: str | Path, cwd: Path) -> str:
    """What the command printed; fails with all of it when the command fails. Nothing of this checkout leaks in."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def candidates(version: tuple[int, int]) -> Iterator[Path]:
    """Where an interpreter of that version may be: this one, on the path, among pyenv's."""
    if sys.version_info[:2] == version:
        yield Path(sys.executable)
    name = ".".join(map(str, version))
    if on_path := shutil.which(f"python{name}"):
        yield Path(on_path)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/{name}.*/bin/python"))


def python_of(version: tuple[int, int]) -> Path:
    """An interpreter of that version; skips the test when there is none here."""
    question = f"import sys, venv; sys.exit(sys.version_info[:2] != {version})"
    for python in candidates(version):
        if subprocess.run([str(python), "-c", question], capture_output=True, timeout=30, check=False).returncode == 0:
            return python
    pytest.skip(f"no Python {version[0]}.{version[1]} on this computer")


def sources(folder: Path) -> set[str]:
    """The files of the three packages that belong into a wheel, as paths from the folder."""
    return {
        path.relative_to(folder).as_posix()
        for package in PACKAGES
        for path in (folder / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def test_the_wheel_holds_the_three_packages_with_their_data_the_udev_files_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())

    udev = {name.partition("/data/")[2] for name in names if ".data/" in name}
    assert udev == {f"share/dealing-machine/udev/{path.name}" for path in (ROOT / "udev").iterdir()}
    inside = {name for name in names if not name.startswith("dealing_machine-")}
    assert inside == sources(ROOT)
    assert inside >= {f"{package}/py.typed" for package in PACKAGES}
    assert "protocol/PROTOCOL.md" in inside
    assert any(name.startswith("protocol/vectors/") and name.endswith(".toml") for name in inside)


def test_the_wheel_says_what_it_needs_and_under_which_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
        (scripts,) = (name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt"))
        assert "dealctl = driver.cli.main:main" in archive.read(scripts).decode()
        assert any(name.endswith("/licenses/LICENSE") for name in archive.namelist())

    head = text.partition("\n\n")[0].splitlines()
    assert {"Name: dealing-machine", "License-Expression: Apache-2.0"} <= set(head)
    needed = {line.removeprefix("Requires-Dist: ") for line in head if line.startswith("Requires-Dist: ")}
    always = {line.partition("<")[0].partition(">")[0] for line in needed if "extra ==" not in line}
    assert always == {"argcomplete", "construct", "cryptography", "platformdirs", "pyserial", "pyusb", "wakepy"}
    assert {line for line in needed if "extra ==" in line} == {"libusb-package>=1.0.26; extra == 'usb'"}
    assert "Provides-Extra: usb" in head


def test_the_sdist_holds_the_tests_the_locks_and_the_commands(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert names >= sources(ROOT)
    assert names >= {"LICENSE", "Makefile", "README.md", "pyproject.toml", ".ci/run", "udev/README.md"}
    assert names >= {f"requirements/{lock}.txt" for lock in ("runtime", "dev", "tool")}
    assert names >= {path.relative_to(ROOT).as_posix() for path in (ROOT / "udev").iterdir()}
    assert names >= {Path(__file__).relative_to(ROOT).as_posix(), "tests/data/club36.pbn"}
    assert not any("__pycache__" in name or name.startswith((".venv", "build/", ".git/")) for name in names)


@pytest.mark.parametrize("version", PYTHONS, ids=lambda version: ".".join(map(str, version)))
def test_wheel_and_sdist_install_with_plain_pip_and_dealctl_runs_outside_the_repository(
    version: tuple[int, int], wheel: Path, tmp_path: Path
) -> None:
    python = python_of(version)
    fresh = tmp_path / "Vereinsheim Düren ♠"  # blanks and other letters in a path are usual
    run(python, "-m", "venv", fresh, cwd=tmp_path)
    scripts = fresh / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    lock = ROOT / "requirements" / "runtime.txt"
    run(python, "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", lock, cwd=tmp_path)
    # The lock has brought everything that the wheel asks for: pip has nothing left to fetch.
    run(python, "-m", "pip", "install", "--quiet", "--no-index", wheel, cwd=tmp_path)
    run(python, "-m", "pip", "check", cwd=tmp_path)

    assert "usage: dealctl" in run(scripts / "dealctl", "--help", cwd=tmp_path).lower()
    question = f"import {', '.join(PACKAGES)}\nfor package in ({', '.join(PACKAGES)}): print(package.__file__)"
    places = run(python, "-c", question, cwd=tmp_path).splitlines()
    assert len(places) == len(PACKAGES)
    assert all(Path(place).is_relative_to(fresh) for place in places)
    rules = fresh / "share" / "dealing-machine" / "udev" / "70-dealing-machine.rules"
    assert rules.read_bytes() == (ROOT / "udev" / rules.name).read_bytes()
    assert run(scripts / "dealctl", "doctor", "--rules", cwd=tmp_path) == rules.read_text(encoding="utf-8")
    assert "speaks protocol 1.0" in run(scripts / "dealctl", "--version", cwd=tmp_path)
    check_boards_are_dealt(scripts / "dealctl", fresh)
    (sdist,) = wheel.parent.glob("*.tar.gz")
    check_the_sdist_gives_the_same(python, sdist, wheel, tmp_path)


def check_the_sdist_gives_the_same(python: Path, sdist: Path, wheel: Path, folder: Path) -> None:
    """The sdist, built and installed in the place of the wheel by that Python."""
    locks = folder / "build.txt"
    locks.write_text(locked(with_all_that_it_needs("hatchling")), encoding="utf-8")
    install = (python, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps")
    run(*install, "--require-hashes", "--requirement", locks, cwd=folder)
    run(*install, "--no-index", "--no-build-isolation", "--force-reinstall", sdist, cwd=folder)
    with zipfile.ZipFile(wheel) as archive:
        ours = {name for name in archive.namelist() if name.startswith(tuple(f"{one}/" for one in PACKAGES))}
    (place,) = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).splitlines()
    assert {name for name in ours if not (Path(place) / name).is_file()} == set()
    assert "speaks protocol 1.0" in run(python.parent / "dealctl", "--version", cwd=folder)


def with_all_that_it_needs(name: str) -> set[str]:
    """That package and those that it asks for, and they in turn, as they are installed here."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        one = canonicalize_name(waiting.pop())
        if one not in found:
            found.add(one)
            asked = [Requirement(text) for text in requires(one) or ()]
            waiting += [each.name for each in asked if each.marker is None or each.marker.evaluate({"extra": ""})]
    return found


def locked(names: set[str]) -> str:
    """The lines of the lock for those packages, with their hashes."""
    text = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    found = [block for block in blocks if block.partition("==")[0] in names]
    assert len(found) == len(names)
    return "".join(found)


def check_boards_are_dealt(dealctl: Path, folder: Path) -> None:
    """Practice, and a file dealt on a machine of another process; both with nothing but what was installed."""
    file = folder / "Dienstag Süd.pbn"
    shutil.copy(ROOT / "tests" / "data" / "club36.pbn", file)
    practised = run(dealctl, "practise", file, "--boards", "1-2", "--speed", "1000", cwd=folder)
    assert practised.strip().endswith("truth: all 2 boards equal the deals")
    with simulated_machine(dealctl, folder) as url:
        dealt = run(dealctl, "deal", file, "--boards", "1-2", "--auto", "--machine", url, "--data", folder / "Kärtchen",
                    cwd=folder)  # fmt: skip
    assert [line for line in dealt.splitlines() if line.endswith(" GOOD")] == ["board 1 GOOD", "board 2 GOOD"]


@contextmanager
def simulated_machine(dealctl: Path, folder: Path) -> Iterator[str]:
    """A simulated machine with somebody beside it, as the installed program starts it; gives its address."""
    command = [str(dealctl), "--json", "simulate", "--person", "--boards", "1-2", "--speed", "1000"]
    with subprocess.Popen(
        command, cwd=folder, env=clean_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.stdin.close()
            process.terminate()
