"""One set, two computers, one machine: handed over, taken over, and never dealt by both.

Read next: `program.py`, `driver/cli/hand_over.py`, `driver/cli/take_over.py`; `tests/unit/test_hand_over.py`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from driver.deals.loader import load_deals
from driver.dealt import COUNTS_VARIABLE
from tests.cli.program import CLUB, Ran, Terminal, dealctl, shown_hands

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

COUNTS = {COUNTS_VARIABLE: "1"}
GOOD = re.compile(r"^board (\w+) GOOD\r?$", re.MULTILINE)
QUESTION = "Which board lies in the machine now? (its number, or 0 for none) "


class Office:
    """Two computers beside one machine, and the stick that goes between them."""

    def __init__(self, folder: Path, machine: Simulator) -> None:
        self.folder = folder
        self.stick = folder / "tuesday.handed"
        self.url = machine.url

    def at(self, computer: str, *words: str | Path) -> Ran:
        """A command where nobody can be asked."""
        return dealctl(*words, "--data", self.folder / computer, **COUNTS)  # type: ignore[arg-type]

    def deal(self, computer: str, *words: str | Path) -> Ran:
        return self.at(computer, "deal", *words, "--auto", "--machine", self.url)

    def person_deals(self, computer: str, *words: str | Path) -> Terminal:
        place = ("--machine", self.url, "--data", self.folder / computer, "--plain", "--quiet")
        return Terminal("deal", *words, *place, **COUNTS)  # type: ignore[arg-type]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with Simulator(["--person", "--boards", "1-4", "--speed", "500"]) as machine:
        yield Office(tmp_path, machine)


def test_the_other_computer_goes_on_where_this_one_stopped(office: Office) -> None:
    tuesday = office.folder / "tuesday.pbn"
    tuesday.write_bytes(CLUB.read_bytes())
    assert office.deal("old", tuesday, "--boards", "1-2").code == 0
    handed = office.at("old", "hand-over", "tuesday", office.stick, "--name", "Ann")
    assert handed.code == 0, handed.all
    assert "Set tuesday is in tuesday.handed, with 2 boards dealt." in handed.out
    assert not shown_hands(office.stick.read_bytes().decode("latin-1"), load_deals(CLUB))
    for words in (("tuesday",), (tuesday,), ("tuesday", "--copies", "B")):
        refused = office.deal("old", *words, "--boards", "3")
        assert refused.code == 1
        assert "it is dealt on the other computer" in refused.err
    assert ", handed over" in office.at("old", "sets").out
    assert "this computer deals no board of it" in office.at("old", "sets", "tuesday").out
    assert office.at("old", "again", "1", "--auto", "--machine", office.url).code == 1
    assert office.at("old", "queue", "add", "tuesday").code == 1
    assert office.at("old", "new-hands", "1", "--set", "tuesday", "--name", "Dora", "--reason", "seen").code == 1

    taken = office.at("new", "take-over", office.stick)
    assert taken.code == 0, taken.all
    assert "Set tuesday is here: boards 1-36; dealt: 1, 2." in taken.out
    unsaid = office.deal("new", "tuesday", "--boards", "3")
    assert unsaid.code == 2
    assert "--in-machine N" in unsaid.err
    with office.person_deals("new", "tuesday", "--boards", "3-4") as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("0\n")
        terminal.wait_for("Board 3 comes next.")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert GOOD.findall(terminal.shown) == ["3", "4"]
    told = json.loads(office.at("new", "sets", "tuesday", "--json").out)
    assert (told["dealt"], told["handed_over"]) == ([1, 2, 3, 4], False)
    met = office.deal("new", "tuesday", "--boards", "1-5")
    assert met.code == 7, "what was dealt on the other computer is known here"
    assert "Boards 1-4 were dealt today" in met.err


def test_a_board_that_lies_in_the_machine_is_taken_out_first(office: Office) -> None:
    assert office.deal("old", CLUB, "--boards", "1-2").code == 0
    office.at("old", "hand-over", "club36", office.stick)
    assert office.at("new", "take-over", office.stick).code == 0
    lies_in = office.deal("new", "club36", "--boards", "3", "--in-machine", "2")
    assert lies_in.code == 1
    assert "Board 2 is dealt. Take it out as it is" in lies_in.err
    with office.person_deals("new", "club36", "--boards", "3") as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("\n9\n")
        terminal.wait_for("Nobody knows what lies in board 9.")
        terminal.wait_for("Press Enter when the machine is empty")
        terminal.type("\n")
        terminal.wait_for("Board 3 comes next.")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert office.deal("new", "club36", "--boards", "4").code == 0, "it is asked once"


def test_where_several_machines_deal_it_is_asked_what_lies_in_each(office: Office) -> None:
    assert office.deal("old", CLUB, "--boards", "1").code == 0
    office.at("old", "hand-over", "club36", office.stick)
    assert office.at("new", "take-over", office.stick).code == 0
    here = ("--data", office.folder / "new", "--plain", "--quiet")
    with (
        Simulator(["--serial", "SIM-RIGHT", "--person", "--boards", "3", "--speed", "500"]) as right,
        Terminal(
            *("deal", "club36", "--boards", "2-3", "--machine", f"LEFT={office.url}"),
            *("--machine", f"RIGHT={right.url}", *here),
            **COUNTS,  # type: ignore[arg-type]
        ) as terminal,
    ):
        terminal.wait_for("Which board lies in LEFT now? (its number, or 0 for none) ")
        terminal.type("1\n")
        terminal.wait_for("Board 1 is dealt. Take it out as it is, and put it into its box.")
        terminal.wait_for("Press Enter when LEFT is empty")
        terminal.type("\n")
        terminal.wait_for("Which board lies in RIGHT now? (its number, or 0 for none) ")
        assert "RIGHT: " not in terminal.shown
        terminal.type("0\n")
        terminal.wait_for("RIGHT: ")
        assert terminal.shown.count("Which board lies in ") == 2
        terminal.interrupt_until_it_ends()


def test_who_wants_to_deal_the_file_itself_is_told_to_take_the_set_over_first(tmp_path: Path) -> None:
    out = tmp_path / "my monday.handed"
    assert dealctl("make", "--name", "monday", "--data", tmp_path / "old").code == 0
    assert dealctl("hand-over", "monday", out, "--data", tmp_path / "old").code == 0
    for words in (("deal", out, "--auto"), ("check", out), ("check", out, "--json"), ("convert", out, "a.pbn")):
        refused = dealctl(*words, "--data", tmp_path / "new", cwd=tmp_path)
        assert refused.code == 6, refused.all
        said = refused.all if "--json" in words else refused.err
        assert "This file hands a set over from another computer." in said
        assert f"Take the set over here first: dealctl take-over '{out}'" in said
    assert not (tmp_path / "a.pbn").exists()


def test_what_is_no_hand_over_changes_nothing_and_a_file_never_used_is_taken_back(tmp_path: Path) -> None:
    data = ("--data", tmp_path / "data")
    assert dealctl("make", "--name", "monday", *data).code == 0
    for file, code in ((CLUB, 1), (tmp_path / "nowhere", 2)):
        refused = dealctl("take-over", file, *data)
        assert refused.code == code, refused.all
        assert "Nothing was changed." in refused.err
    out = tmp_path / "monday.handed"
    assert dealctl("hand-over", "monday", *data).code == 2
    out.write_text("mine")
    assert dealctl("hand-over", "monday", out, *data).code == 2
    assert dealctl("hand-over", "monday", tmp_path / "no" / "folder", *data).code == 6
    assert dealctl("hand-over", "monday", "--take-back", "--yes", *data).code == 1, "it was held for nothing"
    out.unlink()
    assert dealctl("hand-over", "monday", out, "--json", *data).code == 0
    assert dealctl("hand-over", "monday", "--take-back", *data).code == 2
    for answer, told in (("\n", "Nothing was changed."), ("y\n", "is this computer's again")):
        with Terminal("hand-over", "monday", "--take-back", *data) as terminal:
            terminal.wait_for("[y/N]")
            terminal.type(answer)
            terminal.wait_for(told)
            assert terminal.wait() == 0
    back = dealctl("hand-over", "monday", "--take-back", "--yes", "--json", *data)
    assert back.code == 1
