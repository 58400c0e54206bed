"""README.md does what it says: its example runs, its commands are understood, its targets and folders exist.

Read next: `README.md`.
"""

from __future__ import annotations

import builtins
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driver.cli.parser import build_parser
from driver.deals.loader import load_deals
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.person_script import PersonScript
from tests.cli.program import CLUB, shown_hands
from tests.support.peers import Peer, Setup, served_peer, truth_equals

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BOARDS = range(1, 25)
BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
HIDDEN_OR_MADE = re.compile(r"[._].*|build|dist|.*\.egg-info")


def blocks(language: str) -> list[str]:
    return [match["text"] for match in BLOCK.finditer(README) if match["language"] == language]


def table_rows(heading: str) -> list[list[str]]:
    section = README.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    """A simulated machine with a person who puts the boards in; what a program keeps lies in a folder of the test."""
    monkeypatch.setenv("DEALCTL_DATA", str(tmp_path / "data"))
    peer = served_peer(tmp_path, Setup(script=PersonScript(boards=tuple(BOARDS)), speed=100.0), TcpEndpoint)
    yield peer
    peer.close()


def test_the_example_in_python_runs_as_it_stands(
    machine: Peer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the address and the file's name are others; Enter is pressed once the person has put board and pack in."""
    (example,) = blocks("python")
    assert example.count('"serial:/dev/ttyACM0"') == example.count('"tuesday.pbn"') == 1
    example = example.replace("serial:/dev/ttyACM0", machine.endpoint.url).replace("tuesday.pbn", str(CLUB))
    asked: list[object] = []

    def enter(prompt: object = "") -> str:
        asked.append(prompt)
        machine.wait_for(lambda core: core.mechanism.slot.board is not None and bool(core.mechanism.hopper))
        return ""

    monkeypatch.setattr(builtins, "input", enter)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, "README.md", "exec"), names)
    out, err = capsys.readouterr()

    deals = load_deals(CLUB)
    assert asked
    assert all(isinstance(prompt, str) and prompt for prompt in asked)
    assert out.splitlines()[-len(BOARDS) :] == [f"{board} GOOD" for board in BOARDS]
    assert out.startswith("Simulated dealer sim 1.0\n")
    assert truth_equals(machine, deals, BOARDS)
    assert len(machine.core.truth.motions) == len(BOARDS)
    assert machine.core.truth.violations() == []
    assert shown_hands(out + err + "".join(map(str, asked)), deals) == []


def commands() -> list[list[str]]:
    """The words of each line that begins with `dealctl`, without its description."""
    lines = [line for block in blocks("") for line in block.splitlines() if line.startswith(".venv/bin/dealctl")]
    return [shlex.split(re.split(r" {2,}", line)[0])[1:] for line in lines]


def test_each_command_of_the_readme_is_understood() -> None:
    told = commands()

    assert len(told) > 20
    for words in told:
        assert build_parser().parse_args(words).command == (words[0].replace("-", "_") if words else None)


def test_each_command_with_a_file_of_the_project_names_one_that_exists() -> None:
    files = [word for words in commands() for word in words if word.startswith("tests/")]

    assert files
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_each_target_of_the_readme_is_one_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE))

    assert {"deal", "test"} <= named <= targets


def test_the_two_commands_come_first_and_are_two() -> None:
    first = blocks("")[0].splitlines()

    assert [line.split()[:2] for line in first] == [["make", "deal"], ["make", "test"]]


def test_the_map_names_every_folder_and_no_other_and_says_where_to_begin() -> None:
    rows = table_rows("Map of the folders")
    named = {folder.strip("`/"): begin.strip("`") for folder, _, begin in rows}
    there = {path.name for path in ROOT.iterdir() if path.is_dir() and not HIDDEN_OR_MADE.fullmatch(path.name)}

    assert set(named) == there
    assert [f"{folder}/{begin}" for folder, begin in named.items() if not (ROOT / folder / begin).exists()] == []


def test_each_module_that_the_map_speaks_of_exists() -> None:
    section = README.partition("## Map of the folders\n")[2].partition("\n## ")[0].rpartition("|\n")[2]
    names = re.findall(r"`([a-z_]+(?:\.py|/))`", section)

    assert len(names) >= 8
    assert [name for name in names if not (ROOT / "driver" / name).exists()] == []
