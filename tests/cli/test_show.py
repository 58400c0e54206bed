"""`show`, `new-hands` and `seen` as a person meets them on a terminal, and in a script.

Read next: `program.py`, `driver/cli/show.py`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from driver.cli.show import picture
from driver.deals.generator import make
from driver.deals.loader import load_deals
from driver.deals.model import BoardDeal, Deal, DealSet
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetKind
from tests.cli.program import CLUB, Terminal, dealctl, shown_hands

CLOSED = "\x1b[2J\x1b[H\x1b[?1049l"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with the club's boards as a stored set."""
    with Store(tmp_path, now=lambda: datetime(2026, 11, 30, 18, 30, tzinfo=UTC)) as store:
        store.sets.add_imported(load_deals(CLUB))
    return tmp_path


def entries(data: Path) -> list[tuple[Decision, str]]:
    with Store(data, now=lambda: datetime(2026, 11, 30, 18, 30, tzinfo=UTC)) as store:
        store.decisions.verify()
        return [(entry.what, entry.who) for entry in reversed(store.decisions.newest_first())]


def deal_of(board: int) -> Deal:
    found = load_deals(CLUB).find(board)
    assert found is not None
    return found.deal


def test_a_director_looks_at_a_board_and_any_key_takes_it_away(data: Path) -> None:
    with Terminal("show", "17", "--data", data) as terminal:
        terminal.wait_for("Your name")
        assert "Do not look if you still have to play it." in terminal.shown
        terminal.type("Dora\n")
        terminal.wait_for("Press Enter")
        assert "North" not in terminal.shown
        terminal.type("\n")
        terminal.wait_for("ny other key")
        assert entries(data) == [(Decision.LOOKED_AT_HAND, "Dora")]
        terminal.type("x")
        assert terminal.wait() == 0
        assert terminal.settings_now == terminal.before
    before, _, after = terminal.shown.partition("\x1b[?1049h")
    page, closed, rest = after.partition(CLOSED)
    board = load_deals(CLUB).find(17)
    assert board is not None
    assert "\r\n".join(picture(board)) in page
    assert closed
    assert "Gone from the screen." in rest
    assert "North" not in before + rest


@pytest.mark.parametrize("keys", ["^C", "^Z then x"])
def test_neither_ctrl_c_nor_ctrl_z_leaves_the_hands_on_the_screen(keys: str, data: Path) -> None:
    with Terminal("show", "17", "--data", data, "--name", "Dora") as terminal:
        terminal.wait_for("Press Enter")
        terminal.type("\n")
        terminal.wait_for("ny other key")
        if keys == "^C":
            assert terminal.interrupt_until_it_ends() == 130
        else:
            terminal.type("\x1a")
            terminal.type("x")
            assert terminal.wait() == 0
        assert terminal.settings_now == terminal.before
    assert CLOSED in terminal.shown


def test_a_second_look_the_same_evening_takes_one_enter(data: Path) -> None:
    for board, words in ((17, "Your name"), (18, "In the name of Dora")):
        with Terminal("show", str(board), "--data", data) as terminal:
            terminal.wait_for(words)
            terminal.type("Dora\n\n" if board == 17 else "\n")
            terminal.wait_for("ny other key")
            terminal.type(" ")
            assert terminal.wait() == 0


def test_a_script_is_refused_unless_it_gives_a_name_and_says_now(data: Path) -> None:
    for words in ([], ["--name", "Dora"], ["--now"], ["--json"]):
        ran = dealctl("show", "17", "--data", data, *words)
        assert ran.code == 2, ran.all
        assert "--name NAME --now" in ran.err
        assert not shown_hands(ran.all, load_deals(CLUB))
    assert entries(data) == []

    ran = dealctl("show", "17", "--data", data, "--name", "Dora", "--now", "--json")
    assert ran.code == 0, ran.all
    assert json.loads(ran.out)["deal"] == deal_of(17).hands_as_pbn()
    assert entries(data) == [(Decision.LOOKED_AT_HAND, "Dora")]


def test_a_board_that_was_never_stored_is_a_sentence(tmp_path: Path) -> None:
    ran = dealctl("show", "17", "--data", tmp_path, "--name", "Dora", "--now")
    assert ran.code == 2
    assert "No set on this computer has a board 17." in ran.err


def test_a_card_that_was_seen_is_one_question_with_no_on_enter(data: Path) -> None:
    with Terminal("seen", "9", "--data", data) as terminal:
        terminal.wait_for("[y/N]")
        terminal.type("\n")
        assert terminal.wait() == 0
    assert "nothing is to be done" in terminal.shown

    with Terminal("seen", "9", "--data", data) as terminal:
        terminal.wait_for("[y/N]")
        terminal.type("y\n")
        terminal.wait_for("Your name")
        terminal.type("Ann\n")
        assert terminal.wait() == 0
    assert "9: Ann may know one card (Law 16D)" in terminal.shown
    assert not shown_hands(terminal.shown, load_deals(CLUB))

    # Whoever looks at the board is told.
    with Terminal("show", "9", "--data", data, "--name", "Dora") as terminal:
        terminal.wait_for("Note: 9: Ann may know one card")


def test_new_hands_are_offered_where_there_are_some_and_enter_changes_nothing(data: Path) -> None:
    with Terminal("new-hands", "9", "--data", data) as terminal:
        terminal.wait_for("Number:")
        assert "no spare deals" in terminal.shown
        terminal.type("\n")
        terminal.wait_for("Your name")
        terminal.type("Ann\n")
        assert terminal.wait() == 0
    assert entries(data) == [(Decision.LEFT_FOR_DIRECTOR, "Ann")]


def test_new_hands_in_a_script_need_the_directors_name_and_a_reason(data: Path) -> None:
    ran = dealctl("new-hands", "9", "--data", data, "--json")
    assert ran.code == 2
    assert "no spare deals" in ran.err


def test_a_director_gives_a_board_of_a_made_set_new_hands_blind(tmp_path: Path) -> None:
    made = make()
    with Store(tmp_path, now=lambda: datetime(2026, 11, 30, 18, 30, tzinfo=UTC)) as store:
        store.sets.add_made("monday", SetKind.GAME, made.secret, made.manifest.text)
    with Terminal("new-hands", "9", "--data", tmp_path) as terminal:
        terminal.wait_for("Number:")
        terminal.type("3\n")
        terminal.wait_for("Name of the director:")
        terminal.type("Dora\n")
        terminal.wait_for("Reason:")
        terminal.type("the cards fell down\n")
        assert terminal.wait() == 0
    assert "Deal it: dealctl deal monday --boards 9" in terminal.shown
    spares = DealSet("spares", None, tuple(BoardDeal(9 + place, deal) for place, deal in enumerate(made.spares)))
    assert not shown_hands(terminal.shown, spares)

    ran = dealctl("show", "9", "--data", tmp_path, "--name", "Dora", "--now", "--json")
    assert json.loads(ran.out)["deal"] == made.spares[0].hands_as_pbn()
    assert entries(tmp_path) == [(Decision.NEW_HANDS, "Dora"), (Decision.LOOKED_AT_HAND, "Dora")]
