"""`dealctl setup` on a terminal, from the practice to the own file; again, it changes nothing that is not answered.

Read next: `driver/cli/setup.py`, `tests/cli/test_question_budget.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from driver.cli.simulator import Simulator
from driver.clock import utc_now
from driver.club import kept_club
from driver.deals.loader import load_deals
from driver.dealt import COUNTS_VARIABLE
from driver.pack_colours import PackColours, kept_colours
from driver.store.store import Store
from tests.cli.program import CLUB, Terminal, dealctl, shown_hands

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

START = "and pack are in   (Enter)"
CLEARED = "1  go on: board "
LOADED: tuple[dict[str, Any], ...] = ({"do": "insert_board", "number": 1}, {"do": "load_pack", "seed": 1})


def talk(data: Path, answers: tuple[tuple[str, str], ...], *words: str | Path, rows: int = 24) -> str:
    """What the command showed; it gets one answer after the other, each when its question stands there."""
    with Terminal(*words, "--data", data, rows=rows, **{COUNTS_VARIABLE: "1"}) as terminal:  # type: ignore[arg-type]
        for question, answer in answers:
            terminal.wait_for(question)
            terminal.shown = terminal.shown.rpartition(question)[2]
            terminal.type(answer)
        assert terminal.wait() == 0, terminal.shown
        return terminal.shown


@pytest.mark.slow
def test_the_first_ten_minutes_name_the_machine_read_a_pack_and_keep_three_answers(tmp_path: Path) -> None:
    with Simulator(["--endpoint", "pty", "--speed", "1000"]) as machine:
        for wish in LOADED:
            machine.ask(wish)
        answers = (
            ("Practise now?", "n\n"),
            ("Press Enter when it is on", "\n"),
            ("Name? (Enter: SIM-0001)", "Max\n"),
            ("Deal a test pack now?", "y\n"),
            ("Press Enter when both are in", "\n"),
            ("52 of 52 cards were read.", ""),
            ("Who directs as a rule?", "Dora\n"),
            ("Do the people who deal also play?", "perhaps\n"),
            ("Do the people who deal also play?", "yes\n"),
            ("Back colours of the packs", "red,red\n"),
            ("Two different colours are needed", ""),
            ("Back colours of the packs", "red,blue\n"),
            ("Deal a file of your own now?", "\n"),
        )
        talk(tmp_path, answers, "setup", "--machine", machine.url)
        with Store(tmp_path, now=utc_now) as store:
            club, entries = kept_club(store.decisions), len(store.decisions.newest_first())
            assert kept_colours(store.decisions) == PackColours("red", "blue")
        assert [known.name for known in club.machines] == ["Max"]
        assert (club.director, club.dealers_play) == ("Dora", True)

        # Again, with Enter alone; the machine is found without being named.
        kept = (
            ("Practise now?", "\n"),
            ("Press Enter when it is on", "\n"),
            ("Name? (Enter: Max)", "\n"),
            ("Deal a test pack now?", "\n"),
            ("Who directs as a rule? (Enter: Dora)", "\n"),
            ("(Enter: yes)", "\n"),
            ("(Enter: red,blue)", "\n"),
            ("Deal a file of your own now?", "\n"),
        )
        talk(tmp_path, kept, "setup")
        with Store(tmp_path, now=utc_now) as store:
            assert kept_club(store.decisions) == club
            assert len(store.decisions.newest_first()) == entries

        by_name = dealctl("doctor", "--machine", "Max", "--json", "--data", tmp_path)
        assert '"serial": "SIM-0001"' in by_name.out, by_name.all


@pytest.mark.slow
def test_the_practice_has_a_jam_at_the_second_board_and_three_good_boards(tmp_path: Path) -> None:
    answers = (
        ("Practise now?", "y\n"),
        ("Press Enter to begin", "\n"),
        ("A card is stuck", ""),
        (CLEARED, "\n"),
        ("truth: all 3 boards equal the deals", ""),
        ("Press Enter when it is on", "s\n"),
        ("Who directs as a rule?", "\n"),
        ("(Enter: not said)", "\n"),
        ("(Enter: none)", "\n"),
    )
    shown = talk(tmp_path, answers, "setup")

    assert "dealctl deal FILE" in shown
    with Store(tmp_path, now=utc_now) as store:
        assert store.decisions.newest_first() == []


def test_what_keeps_the_machine_from_being_found_is_told_until_the_person_goes_on_without_it(tmp_path: Path) -> None:
    answers = (
        ("Practise now?", "\n"),
        ("Press Enter when it is on", "\n"),
        ("is not plugged in", ""),
        ("Press Enter to look again", "\n"),
        ("is not plugged in", ""),
        ("Press Enter to look again", "s\n"),
        ("Who directs as a rule?", "\n"),
        ("(Enter: not said)", "\n"),
        ("(Enter: none)", "\n"),
    )
    talk(tmp_path, answers, "setup", "--machine", "nowhere")


def test_the_own_file_is_dealt_as_if_it_had_been_typed(tmp_path: Path) -> None:
    two = tmp_path / "two.pbn"
    two.write_text("[Event ".join(CLUB.read_text(encoding="latin-1").split("[Event ")[:3]), encoding="latin-1")
    with Simulator(["--endpoint", "pty", "--person", "--boards", "1-2", "--speed", "1000"]) as machine:
        answers = (
            ("Practise now?", "\n"),
            ("Press Enter when it is on", "\n"),
            ("Name?", "\n"),
            ("Deal a test pack now?", "\n"),
            ("Who directs as a rule?", "\n"),
            ("(Enter: not said)", "\n"),
            ("(Enter: none)", "\n"),
            ("Deal a file of your own now?", "y\n"),
            (": ", f"{two}\n"),
            (START, "\n"),
        )
        shown = talk(tmp_path, answers, "setup", "--machine", machine.url)

    assert "2 of 2" in shown
    assert not shown_hands(shown, load_deals(CLUB))


def test_a_script_cannot_set_up(tmp_path: Path) -> None:
    ran = dealctl("setup", "--data", tmp_path / "data")

    assert ran.code == 2
    assert "terminal" in ran.err
    assert not (tmp_path / "data").exists()
