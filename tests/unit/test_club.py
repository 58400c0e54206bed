"""What a club said once is kept, the newest counts, and it has an effect where it is used.

Read next: `driver/club.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from driver.cli.names import Names
from driver.clock import utc_now
from driver.club import Club, keep_dealers_play, keep_director, keep_machine, kept_club
from driver.plugged_in.candidates import Known
from tests.support.set_commands import Commands
from tests.support.store import opened

MAX = Known("DM0042", "Max", 0x1A86, 0x7523, "", "1-1")


def test_nothing_is_known_of_a_club_that_said_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert kept_club(store.decisions) == Club()


def test_what_was_said_last_counts_for_each_machine_and_each_question(tmp_path: Path) -> None:
    other = Known("DM0043", "Moritz", 0x1209, 1, "DM0043", "1-3")
    moved = Known("DM0042", "Maxine", 0x1A86, 0x7523, "", "2-4")
    with opened(tmp_path) as store:
        for known in (MAX, other, moved):
            keep_machine(store.decisions, "Ann", known)
        for director in ("Dora", "Emil"):
            keep_director(store.decisions, "", director)
        for plays in (True, False):
            keep_dealers_play(store.decisions, "", plays=plays)
    with opened(tmp_path) as store:
        assert kept_club(store.decisions) == Club((moved, other), "Emil", False)
        store.decisions.verify()


def test_enter_alone_means_the_usual_director(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def enter(question: str) -> str:
        asked.append(question)
        return ""

    monkeypatch.setattr("builtins.input", enter)
    with opened(tmp_path) as store:
        assert Names(store.decisions, utc_now, given=None, asks=True).director() == ""
        keep_director(store.decisions, "", "Dora")
        assert Names(store.decisions, utc_now, given=None, asks=True).director() == "Dora"
        assert Names(store.decisions, utc_now, given="Emil", asks=True).director() == "Emil"
        assert Names(store.decisions, utc_now, given=None, asks=False).director() == ""
    assert asked == ["Name of the director: ", "Name of the director (Enter: Dora): "]


def test_where_those_who_deal_also_play_a_set_that_is_open_says_how_it_can_be_closed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = Commands(tmp_path, capsys)
    assert "--sealed" not in commands.ok("make", "--name", "monday")
    with commands.store() as store:
        keep_dealers_play(store.decisions, "", plays=True)
    assert "--sealed" in commands.ok("make", "--name", "tuesday")
