"""A shell completes commands and options with TAB, and `--version` says which protocol the program speaks.

Read next: `driver/cli/completion.py`, `driver/cli/version.py`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from driver.cli.main import main
from driver.cli.version import version_text
from protocol.constants import MAJOR_NEWEST, MINOR
from tests.cli.program import ROOT, dealctl, environment


def completed(line: str, folder: Path) -> list[str]:
    """What a shell is told that may follow the line."""
    file = folder / "answer"
    dealctl(
        _ARGCOMPLETE="1",
        COMP_LINE=line,
        COMP_POINT=str(len(line)),
        _ARGCOMPLETE_IFS="\n",
        _ARGCOMPLETE_STDOUT_FILENAME=str(file),
    )
    return [word.strip() for word in file.read_text(encoding="utf-8").split("\n")]


@pytest.mark.parametrize(
    ("line", "word"),
    [("dealctl do", "doctor"), ("dealctl doctor --sa", "--save"), ("dealctl completion ", "fish")],
)
def test_commands_options_and_choices_are_completed(line: str, word: str, tmp_path: Path) -> None:
    assert word in completed(line, tmp_path)


@pytest.mark.parametrize(
    ("shell", "word"), [("bash", "complete -o"), ("zsh", "#compdef dealctl"), ("fish", "complete --command dealctl")]
)
def test_the_text_for_each_shell_is_printed(shell: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0

    assert word in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this computer")
def test_bash_completes_a_command_with_the_text_that_is_printed(tmp_path: Path) -> None:
    (tmp_path / "dealctl").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m driver.cli.main "$@"\n')
    (tmp_path / "dealctl").chmod(0o755)
    script = (
        'PATH="$1:$PATH"; eval "$(dealctl completion bash)"; COMP_LINE="dealctl pract"; COMP_POINT=13; COMP_TYPE=9; '
        '_python_argcomplete dealctl; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script, "bash", str(tmp_path)],
        capture_output=True, text=True, timeout=60, check=False, cwd=ROOT, env=environment(),
    )  # fmt: skip

    assert done.stdout.split() == ["practise"], done.stderr


def test_the_version_names_the_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0

    shown = capsys.readouterr().out
    assert shown == f"{version_text()}\n"
    assert f"speaks protocol {MAJOR_NEWEST}.{MINOR} with machines" in shown
