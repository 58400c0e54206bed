"""Hands that leave the program: named where they are of a stored set, and always written down.

Read next: `driver/cli/exports.py`, `driver/cli/convert.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from driver.cli.main import main
from driver.clock import utc_now
from driver.deals.loader import load_deals
from driver.making import deals_of, make_game
from driver.new_hands import NewHands, entry_details, plan_new_hands
from driver.store.decisions import Decision, Entry
from driver.store.store import Store
from tests.support.law_desk import championship_set

CLUB: Final = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"


def log_of(folder: Path) -> list[Entry]:
    with Store(folder, now=utc_now) as store:
        return [entry for entry in store.decisions.newest_first() if entry.what is Decision.EXPORTED]


def test_check_as_json_writes_down_that_the_hands_were_asked_for(tmp_path: Path) -> None:
    assert main(["check", str(CLUB), "--json", "--data", str(tmp_path)]) == 0

    (entry,) = log_of(tmp_path)
    assert entry.details == {"format": "JSON", "file": "club36.pbn"}


def test_check_without_json_writes_nothing_down(tmp_path: Path) -> None:
    assert main(["check", str(CLUB), "--data", str(tmp_path / "data")]) == 0

    assert not (tmp_path / "data").exists()


def test_the_hands_of_a_file_come_although_nothing_can_be_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").write_text("not a folder")

    assert main(["check", str(CLUB), "--json", "--data", str(tmp_path / "data")]) == 0

    printed = capsys.readouterr()
    assert printed.out.startswith("[")
    assert "could not be written down" in printed.err


def test_converting_a_file_is_written_down_without_a_question(tmp_path: Path) -> None:
    out = tmp_path / "out.lin"

    assert main(["convert", str(CLUB), str(out), "--data", str(tmp_path)]) == 0

    (entry,) = log_of(tmp_path)
    assert entry.details == {"format": "LIN", "file": "club36.pbn"}


def test_the_hands_of_a_stored_set_go_out_in_a_name_with_its_new_hands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(tmp_path, now=utc_now) as store:
        stored = make_game(store, name="monday", now=utc_now)
        before = deals_of(store, stored)
        plan = plan_new_hands(9, spares=4, given=())
        assert isinstance(plan, NewHands)
        store.decisions.append(Decision.NEW_HANDS, "Dora", **entry_details(plan, stored.id, "fell down", after=0))
    out = tmp_path / "monday.pbn"

    assert main(["convert", "monday", str(out), "--name", "Ann", "--data", str(tmp_path)]) == 0

    written = load_deals(out)
    assert [one.number for one, old in zip(written, before, strict=True) if one.deal != old.deal] == [9]
    (entry,) = log_of(tmp_path)
    assert (entry.who, entry.details) == ("Ann", {"format": "PBN", "set": stored.id})
    assert "nobody who still plays" in capsys.readouterr().err


def test_a_championship_set_goes_out_only_when_its_play_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(tmp_path, now=utc_now) as store:
        championship_set(store)
    out = tmp_path / "final.pbn"

    assert main(["convert", "final", str(out), "--name", "Ann", "--data", str(tmp_path)]) == 1

    assert "until its play has ended" in capsys.readouterr().err
    assert not out.exists()
    assert log_of(tmp_path) == []
