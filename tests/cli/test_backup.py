"""`dealctl backup` and `restore` on a terminal: two commands, and one question for each board that may have been dealt.

Read next: `driver/cli/backup.py`, `driver/cli/restore.py`, `driver/cli/after_backup.py`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from driver.clock import utc_now
from driver.dealt import COUNTS_VARIABLE
from driver.store.store import Store
from tests.cli.program import CLUB, Ran, Terminal, dealctl

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

START = "and pack are in   (Enter)"
LEFT_OUT = "1  Yes, or nobody knows: leave it out   (Enter)"


class Desk:
    """A machine with somebody who puts boards in, a data folder, and a backup of it after board 1."""

    def __init__(self, folder: Path, machine: Simulator) -> None:
        self.folder = folder
        self.words = folder / "words.txt"
        self.words.write_text("four hands in a box\n", encoding="ascii")
        self.machine = machine

    def __call__(self, *words: str | Path) -> Ran:
        return dealctl(*words, "--passphrase-file", self.words)

    def deal(self, data: str, *words: str, answers: tuple[tuple[str, str], ...] = ((START, "\n"),)) -> str:
        """Deals the club's file into the store in that folder; what was shown."""
        place = ("--machine", self.machine.url, "--data", self.folder / data, "--plain", "--quiet")
        with Terminal("deal", CLUB, *words, *place, **{COUNTS_VARIABLE: "1"}) as terminal:  # type: ignore[arg-type]
            for question, answer in answers:
                terminal.wait_for(question)
                terminal.type(answer)
            assert terminal.wait() == 0, terminal.shown
        return terminal.shown


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Simulator(["--person", "--boards", "1-4", "--speed", "1000"]) as machine:
        yield Desk(tmp_path, machine)


def test_where_nobody_can_type_a_passphrase_no_backup_is_written_and_the_option_is_named(tmp_path: Path) -> None:
    assert dealctl("make", "--name", "monday", "--data", tmp_path / "data").code == 0
    ran = dealctl("backup", tmp_path / "club.backup", "--data", tmp_path / "data")
    assert ran.code == 2
    assert "A new passphrase is needed, and nobody is here to type one." in ran.err
    assert "--passphrase-file" in ran.err
    assert not (tmp_path / "club.backup").exists()


def test_after_a_backup_is_put_back_each_board_is_asked_for_once(desk: Desk) -> None:
    desk.deal("data", "--boards", "1")
    backup = desk.folder / "club.backup"
    ran = desk("backup", backup, "--data", desk.folder / "data")
    assert ran.code == 0, ran.all
    assert re.search(r"Recovery code: (\w{4}-){6}\w{4}\n", ran.out)
    assert desk("backup", backup, "--data", desk.folder / "data").code == 2, "never over another file"

    desk.deal("data", "--boards", "2")
    restored = desk("restore", backup, "--data", desk.folder / "new")
    assert restored.code == 0, restored.all
    assert "asks for each board once" in restored.out

    shown = desk.deal(
        "new", "--boards", "2,3", answers=((LEFT_OUT, "\n"), ("Was board 3 of", ""), (LEFT_OUT, "2\n"), (START, "\n"))
    )
    assert "Was board 2 of club36 dealt after that?" in shown
    assert "Left out, as dealt already: 2." in shown
    assert re.findall(r"^board (\w+) GOOD", shown, re.MULTILINE) == ["3"]
    with Store(desk.folder / "new", now=utc_now) as store:
        assert [copy.board for copy in store.copies.of_set("s1")] == [1, 3]
        assert [(one.board, one.dealt) for one in store.runs.said()] == [(2, True), (3, False)]


def test_a_script_is_refused_until_it_says_which_boards_were_not_dealt(desk: Desk) -> None:
    backup = desk.folder / "club.backup"
    assert desk("backup", backup, "--data", desk.folder / "data").code == 0
    assert desk("restore", backup, "--data", desk.folder / "new", "--json").code == 0
    words = ("deal", CLUB, "--boards", "1", "--auto", "--machine", desk.machine.url, "--data", desk.folder / "new")
    refused = dealctl(*words, **{COUNTS_VARIABLE: "1"})  # type: ignore[arg-type]
    assert refused.code == 1
    assert "--not-dealt" in refused.err
    assert dealctl(*words, "--not-dealt", "1", **{COUNTS_VARIABLE: "1"}).code == 0  # type: ignore[arg-type]


def test_what_is_missing_or_already_there_is_said(desk: Desk) -> None:
    backup, data = desk.folder / "club.backup", desk.folder / "data"
    assert desk("backup", backup, "--data", data).code == 0
    assert desk("restore", desk.folder / "none", "--data", data).code == 2
    refused = desk("restore", backup, "--data", data)
    assert refused.code == 1
    assert "--force" in refused.err
    assert dealctl("restore", backup, "--data", desk.folder / "new").code == 2
    ran = desk("restore", backup, "--data", data, "--force")
    assert ran.code == 0
    assert "is kept in" in ran.out
