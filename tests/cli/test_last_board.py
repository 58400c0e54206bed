"""A board left out on a machine that reads no numbers: caught at the end of the run, on a terminal.

Read next: `program.py`, `driver/cli/last_board.py`; `tests/unit/test_last_board.py` for every answer.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from driver.deals.loader import load_deals
from driver.dealt import COUNTS_VARIABLE
from protocol.cards import Seat
from tests.cli.program import CLUB, Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

QUESTION = "Which number is on the board you took out last? "


def deal_three(machine: Simulator, data: Path, *answers: str, code: int) -> str:
    """Deals boards 1 to 3; what was shown."""
    words = ("deal", CLUB, "--boards", "1-3", "--plain", "--quiet", "--machine", machine.url, "--data", data)
    with Terminal(*words, **{COUNTS_VARIABLE: "1"}) as terminal:  # type: ignore[arg-type]
        terminal.wait_for("(Enter)")
        terminal.type("\n")
        for place, answer in enumerate(answers):
            terminal.wait_for(QUESTION if place == 0 else "once more.")
            terminal.type(f"{answer}\n")
        assert terminal.wait() == code, terminal.shown
    return terminal.shown.replace("\r", "")


def test_a_board_left_out_is_caught_by_the_number_on_the_last_one(tmp_path: Path) -> None:
    with Simulator(["--person", "--boards", "1,3,4", "--speed", "500", "--profile", "r-only"]) as machine:
        shown = deal_three(machine, tmp_path, "4", "4", code=1)
        third = machine.ask({"do": "truth", "board": 3})["boards"][0]["pockets"]
    second = load_deals(CLUB).find(2)
    assert second is not None
    assert [sorted(pocket) for pocket in third] == [[int(card) for card in second.deal.hand(seat)] for seat in Seat]
    assert "board 1 NOT PROVEN" in shown
    assert "0 of 3 boards GOOD, 3 NOT PROVEN." in shown
    assert "Board 4 came out last, and it should be board 3." in shown
    assert "Not proven any more: 1-3." in shown
    assert "dealctl check-board N" in shown


def test_the_right_number_is_one_question_and_all_is_well(tmp_path: Path) -> None:
    with Simulator(["--person", "--boards", "1-3", "--speed", "500", "--profile", "r-only"]) as machine:
        shown = deal_three(machine, tmp_path, "3", code=0)
    assert shown.count(QUESTION) == 1
    assert "All 3 boards are GOOD." in shown
