"""The help: no word that a volunteer need not know, and nothing imported that makes it slow.

Read next: `driver/cli/parser.py`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.cli.main import main
from driver.cli.parser import build_parser
from tests.support.plain_words import ADDRESS, NOT_ON_THE_FIRST_LEVEL, words_in

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    *("construct", "usb", "serial", "cryptography", "platformdirs", "sqlite3", "json", "subprocess"),
    *("driver.machine", "driver.runner", "driver.deals", "driver.store"),
)


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:  # noqa: SLF001 - argparse shows its commands nowhere else
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for child in action.choices.values():
                yield from parsers(child)


ALL = {parser.prog: parser.format_help() for parser in parsers(build_parser())}


def test_there_is_a_help_for_every_command_and_a_module_that_runs_it() -> None:
    daily = ("deal", "again", "carry-on", "practise", "machines", "check", "convert", "check-pack", "check-board")
    sets = ("make", "sets", "show", "seen", "new-hands", "verify-set", "verify-squaredeal")
    assert set(ALL) >= {"dealctl", *(f"dealctl {command}" for command in (*daily, *sets, "simulate", "trace"))}
    for parser in parsers(build_parser()):
        module = parser.get_default("command") or "menu"
        assert (ROOT / "driver" / "cli" / f"{module}.py").is_file(), parser.prog


@pytest.mark.parametrize("command", ALL)
@pytest.mark.parametrize("word", NOT_ON_THE_FIRST_LEVEL)
def test_no_help_uses_a_word_that_is_not_for_the_first_level(command: str, word: str) -> None:
    assert not words_in(ALL[command], (word,))


@pytest.mark.parametrize("command", ALL)
def test_no_help_shows_the_address_of_a_port(command: str) -> None:
    assert not ADDRESS.search(ALL[command])


@pytest.mark.parametrize("command", ALL)
def test_every_option_and_argument_has_a_help_text(command: str) -> None:
    (parser,) = (found for found in parsers(build_parser()) if found.prog == command)
    for action in parser._actions:  # noqa: SLF001
        assert action.help or isinstance(action, argparse._SubParsersAction), action  # noqa: SLF001


@pytest.mark.parametrize("command", ALL)
def test_the_options_for_every_command_are_everywhere(command: str) -> None:
    for option in ("--machine", "--json", "--verbose", "--data"):
        assert option in ALL[command]


@pytest.mark.parametrize("words", [["--help"], ["deal", "--help"], ["bogus"]], ids=" ".join)
def test_help_and_usage_import_nothing_heavy(words: list[str]) -> None:
    question = (
        f"import sys\nfrom driver.cli.main import main\ncode = main({words!r})\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", question], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert done.returncode == (2 if words == ["bogus"] else 0)
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_what_works_on_files_and_on_what_is_stored_loads_nothing_that_talks_to_a_machine() -> None:
    modules = ["check", "convert", "make", "sets", "show", "seen", "new_hands", "sheet", "history", "backup", "restore"]
    modules += ["hand_over", "take_over", "verify_set", "verify_squaredeal"]
    names = [f"driver.cli.{module}" for module in modules]
    question = (
        f"import sys, importlib\nfor name in {names!r}:\n    importlib.import_module(name)\n"
        "print([name for name in ('driver.machine', 'driver.runner', 'driver.connection') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", question], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_options_may_stand_before_the_command_or_behind_it() -> None:
    parser = build_parser()
    for words in (["--machine", "m", "--json", "deal", "f"], ["deal", "f", "--machine", "m", "--json"]):
        args = parser.parse_args(words)
        assert (args.machine, args.json, args.command) == ("m", True, "deal")


def test_the_machine_comes_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEALCTL_MACHINE", "north")
    assert build_parser().parse_args(["machines"]).machine == "north"
    assert build_parser().parse_args(["machines", "--machine", "south"]).machine == "south"


@pytest.mark.parametrize(
    "words",
    [
        ["deal", "f", "--boards", "x"],
        ["deal", "f", "--first-board", "0"],
        ["deal", "f", "--set", "0"],
        ["convert", "f"],
        ["convert", "f", "g", "--dup"],
        ["check", "f", "--set", "1"],
        ["deal", "f", "--copies", "1"],
        ["deal", "f", "--as", "0"],
        ["deal", "f", "--packs", "5"],
        ["deal", "f", "--board", "1"],
        ["deal", "f", "g"],
        ["again"],
        ["again", "x"],
        ["again", "0"],
        ["practise", "f", "--speed", "0"],
        ["practise", "f", "--speed", "nan"],
        ["practise", "f", "--speed", "inf"],
        ["check"],
        ["redeal", "7"],
        ["--machine"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_a_usage_error_of_few_lines(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert "error:" in shown.err
    assert "Traceback" not in shown.err
