"""A person at a terminal: the one question, a jam, the pause key, Ctrl-C, the menu, small terminals.

Read next: `program.py`, `driver/cli/console.py`.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from driver.deals.loader import load_deals
from tests.cli.program import CLUB, Terminal, shown_hands

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

WITHIN = 3.0
"""Seconds from Ctrl-C to the end of the program."""
MOVES = re.compile(r"\x1b\[([0-9]*)A")


def practise(*more: str, speed: str = "100", **how: int) -> Terminal:
    return Terminal("practise", CLUB, "--speed", speed, *more, **how)  # type: ignore[arg-type]


def test_one_enter_deals_everything_and_the_display_fits_forty_by_twelve() -> None:
    with practise("--boards", "1-3", rows=12, columns=40) as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert "truth: all 3 boards equal the deals" in terminal.shown
    assert "board 3 GOOD" in terminal.shown
    assert "Board 2   dealer E   vul NS" in terminal.shown
    assert max(int(lines or 1) for lines in MOVES.findall(terminal.shown)) <= 11
    assert not shown_hands(terminal.shown, load_deals(CLUB))


@pytest.mark.parametrize("sorted_packs", [False, True])
def test_with_packs_in_order_nobody_sees_how_the_pockets_fill(sorted_packs: bool, tmp_path: Path) -> None:
    with Simulator(["--person", "--boards", "1", "--speed", "20"]) as machine:
        words = ("deal", CLUB, "--boards", "1", "--machine", machine.url, "--data", tmp_path)
        with Terminal(*words, *(["--factory-order"] if sorted_packs else [])) as terminal:
            terminal.wait_for("(Enter)")
            terminal.type("\n")
            assert terminal.wait() == 0, terminal.shown
    filling = set(re.findall(r"N +([0-9]+) +E +([0-9]+) +S", terminal.shown)) - {("0", "0"), ("13", "13")}
    assert bool(filling) is not sorted_packs
    assert re.search(r"[1-9][0-9]? of 52", terminal.shown), "how far the board is, everybody may see"


def test_a_dumb_terminal_gets_plain_lines() -> None:
    with Terminal("practise", CLUB, "--speed", "100", "--boards", "1", TERM="dumb") as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert "\x1b" not in terminal.shown
    assert "Dealing board 1, dealer North, vulnerable None." in terminal.shown


def test_no_color_is_honoured() -> None:
    with Terminal("practise", CLUB, "--speed", "100", "--boards", "1", NO_COLOR="1") as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert not re.search(r"\x1b\[[0-9;]*[34][0-7]m", terminal.shown)


def test_the_lawful_daily_path_is_one_command_and_one_enter(tmp_path: Path) -> None:
    with Simulator(["--person", "--boards", "1-3", "--speed", "100"]) as machine:
        words = ("deal", CLUB, "--boards", "1-3", "--plain", "--machine", machine.url, "--data", tmp_path)
        with Terminal(*words) as terminal:
            terminal.wait_for("(Enter)")
            assert "Board 1 comes next." in terminal.shown
            assert "Dealing" not in terminal.shown
            terminal.type("\n")
            assert terminal.wait() == 0, terminal.shown
    assert terminal.shown.count("(Enter)") == 1
    assert "All 3 boards are GOOD." in terminal.shown


def test_a_jam_is_asked_about_once_and_the_board_goes_on() -> None:
    with practise("--boards", "1", "--fault", "jam-path@23", "--plain", "--quiet") as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        terminal.wait_for("3  stop")
        assert "A card is stuck. This board goes on with that card." in terminal.shown
        assert "1. Open the cover and take the stuck card out." in terminal.shown
        terminal.type("\n")
        terminal.wait_for("goes on after card 23.")
        assert terminal.wait() == 0, terminal.shown
    assert terminal.shown.count("3  stop") <= 2
    assert "goes on after card 23." in terminal.shown
    assert "\a" not in terminal.shown


def test_the_bell_calls_when_somebody_is_needed() -> None:
    with practise("--boards", "1", "--fault", "jam-path@23", "--plain") as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        terminal.wait_for("\a")
        terminal.wait_for("3  stop")
        terminal.type("3\n")
        assert terminal.wait() == 1, terminal.shown


def test_p_pauses_after_the_board() -> None:
    with practise("--boards", "1-3", "--plain", speed="5") as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        terminal.wait_for("Dealing board 1")
        terminal.type("p")
        terminal.wait_for("Pauses after this board.")
        terminal.wait_for("Paused, as you asked.")
        assert "Dealing board 2" not in terminal.shown
        terminal.wait_for("3  stop")
        terminal.type("3\n")
        assert terminal.wait() == 1, terminal.shown
    assert "1 of 3 boards GOOD, 2 not dealt." in terminal.shown


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "display"])
@pytest.mark.parametrize("presses", [1, 2, 3])
def test_ctrl_c_while_cards_move_ends_within_three_seconds(presses: int, plain: bool) -> None:
    with practise("--boards", "1-3", *(["--plain"] if plain else []), speed="1") as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        terminal.wait_for("Dealing board 1")
        pressed = time.monotonic()
        for _ in range(presses):
            terminal.interrupt()
        code = terminal.wait()
        took = time.monotonic() - pressed
        assert terminal.settings_now == list(terminal.before)
    assert code == 130, terminal.shown
    assert took < WITHIN
    assert "Stopped" in terminal.shown or "not confirmed the stop" in terminal.shown
    assert "Traceback" not in terminal.shown


@pytest.mark.parametrize("moment", ["Press Enter", "Which deal file"])
def test_ctrl_c_at_a_question_leaves_at_once(moment: str) -> None:
    words = ("practise", CLUB) if moment == "Press Enter" else ("practise",)
    with Terminal(*words) as terminal:
        terminal.wait_for(moment)
        code = terminal.interrupt_until_it_ends()
        assert terminal.settings_now == list(terminal.before)
    assert code == 130, terminal.shown
    assert "Traceback" not in terminal.shown


def test_ctrl_c_while_a_silent_machine_is_called_leaves_within_three_seconds(tmp_path: Path) -> None:
    with Simulator(["--speed", "1"]) as machine:
        machine.ask({"do": "power_off"})
        with Terminal("trace", "--machine", machine.url, "--data", tmp_path) as terminal:
            terminal.wait_until((tmp_path / "journal.lock").exists)
            code = terminal.interrupt_until_it_ends(within=WITHIN)
    assert code == 130, terminal.shown
    assert "Traceback" not in terminal.shown


def test_the_menu_prints_the_command_behind_a_choice_and_runs_it() -> None:
    with Terminal() as terminal:
        terminal.wait_for("Number: ")
        assert "1  Deal the boards of a file" in terminal.shown
        terminal.type("99\n")
        terminal.wait_for("Type a number from 1 to")
        terminal.type("6\n")
        terminal.wait_for("Which file? ")
        terminal.type(f"{CLUB}\n")
        assert terminal.wait() == 0, terminal.shown
    assert f"dealctl check {CLUB}" in terminal.shown.replace("\r\n", "\n")
    assert "36 boards (1-36)" in terminal.shown


@pytest.mark.parametrize("key", ["\n", "\x04"], ids=["enter", "end of input"])
def test_the_menu_is_left_without_a_choice(key: str) -> None:
    with Terminal() as terminal:
        terminal.wait_for("Number: ")
        terminal.type(key)
        assert terminal.wait() == 0, terminal.shown


@pytest.mark.parametrize(("answer", "code"), [("\n", 6), ("n\n", 6)])
def test_a_file_with_bad_boards_is_shown_and_not_dealt_unless_it_is_said(
    answer: str, code: int, tmp_path: Path
) -> None:
    text = CLUB.read_text(encoding="latin-1").replace("93.AT98", "93.AAT98", 1)
    path = tmp_path / "broken.pbn"
    path.write_text(text, encoding="latin-1")
    with Terminal("deal", path, "--data", tmp_path / "data") as terminal:
        terminal.wait_for("Deal the other 35 boards? [y/N]")
        assert "Board 2, line " in terminal.shown
        terminal.type(answer)
        assert terminal.wait() == code, terminal.shown
    assert not (tmp_path / "data").exists()


def test_a_whole_pack_is_counted(tmp_path: Path) -> None:
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "load_pack"})
        machine.ask({"do": "insert_board", "number": 1})
        with Terminal("check-pack", "--machine", machine.url, "--data", tmp_path) as terminal:
            terminal.wait_for("Press Enter")
            terminal.type("\n")
            assert terminal.wait() == 0, terminal.shown
    assert "All 52 cards are there, each once." in terminal.shown


def test_a_short_pack_is_not_called_whole(tmp_path: Path) -> None:
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "load_pack", "kind": "SHORT"})
        machine.ask({"do": "insert_board", "number": 1})
        with Terminal("check-pack", "--machine", machine.url, "--data", tmp_path) as terminal:
            terminal.wait_for("Press Enter")
            terminal.type("\n")
            assert terminal.wait() in (1, 5), terminal.shown
    assert "All 52 cards" not in terminal.shown
    assert "Traceback" not in terminal.shown


def test_a_board_with_other_cards_than_its_deal_is_found_out_blind(tmp_path: Path) -> None:
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "load_pack", "seed": 5})
        machine.ask({"do": "insert_board", "number": 7})
        words = ("check-board", "7", "--file", CLUB, "--machine", machine.url, "--data", tmp_path)
        with Terminal(*words) as terminal:
            terminal.wait_for("Press Enter")
            terminal.type("\n")
            assert terminal.wait() == 1, terminal.shown
    assert "North: NO, it does not." in terminal.shown
    assert not shown_hands(terminal.shown, load_deals(CLUB))


def test_a_board_left_open_by_ctrl_c_is_found_by_the_next_start_and_nothing_moves(tmp_path: Path) -> None:
    with Simulator(["--person", "--boards", "1-2", "--speed", "4"]) as machine:
        words = ("deal", CLUB, "--boards", "1-2", "--plain", "--machine", machine.url, "--data", tmp_path)
        with Terminal(*words) as first:
            first.wait_for("(Enter)")
            first.type("\n")
            first.wait_for("26 of 52 cards")
            first.interrupt()
            assert first.wait() == 130, first.shown
        drops = machine.ask({"do": "truth"})["drops"]
        with Terminal(*words) as second:
            second.wait_for("3  Stop for tonight")
            second.type("3\n")
            assert second.wait() == 1, second.shown
        assert machine.ask({"do": "truth"})["drops"] == drops
    assert "was interrupted after" in second.shown
