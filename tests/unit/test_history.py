"""The history: each run with what came of it, and how a machine does; blind, and found out when it was changed.

Read next: `driver/history.py`, `driver/cli/history.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from driver.cli.main import main
from driver.errors import JournalDamaged
from driver.history import RECENT, Share, past_runs, trends
from driver.journal import Journal
from driver.store.decisions import Decision
from driver.store.entries import CardEvidence
from driver.store.runs import Intention
from driver.store.store import Store
from protocol.codes import FaultCode
from tests.support.store import Clock, deal_set, journal_in, opened

TOLD = Intention(12, "B", "DM0042", 1, 0, 0, "s1", 7, simulated=False)
CARDS = tuple(CardEvidence(card, 2, 3, card != 9) for card in range(52))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    clock = Clock()
    with opened(tmp_path, clock) as store:
        store.sets.add_imported(deal_set([7, 8]))
        with Journal(store) as journal:
            run = journal.intend(TOLD, bytes(8)).run
            journal.note_go(run)
            for fault in (FaultCode.JAM, FaultCode.UNREADABLE, 99):
                journal.note_fault(run, fault)
            clock.later(minutes=5)
            journal.note_verdict(run, "NOT_PROVEN", card_ms=104, evidence=CARDS)
            journal.note_verdict(run, "COUNTED", "Ann", card_ms=104)
            clock.later(minutes=5)
            store.decisions.append(Decision.USED_DEAL_REPLAY, "Dora", set="s1", boards="7-8", earlier="s9")
            store.decisions.append(Decision.COMMITTED, "Dora", set="s1")
            clock.later(minutes=5)
            journal.note_go(journal.intend(replace(TOLD, board=8, deal_board=8, simulated=True), bytes(8)).run)
            journal.note_go(journal.intend(replace(TOLD, deal_set="", is_check=True), bytes(8)).run)
            journal.intend(TOLD, bytes(8))
        yield store


def shown(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> list[str]:
    assert main(["history", *words, "--data", str(folder)]) == 0
    return capsys.readouterr().out.splitlines()


def test_each_run_whose_cards_moved_is_told_with_its_verdict_its_faults_and_who_counted(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    lines = shown(capsys, tmp_path)
    assert [line[18:] for line in lines[:4]] == [
        "board 12B of tuesday (its board 7), machine DM0042: COUNTED, counted by Ann (jam, unreadable, fault 99)",
        "used deals: replay of past deals, or a lesson, boards 7-8: Dora",
        "board 8B of tuesday, machine DM0042 [simulated]: not finished",
        "a check, machine DM0042",
    ]
    assert lines[4:] == [
        "Machine DM0042, 1 board: 0 GOOD.",
        "  Jams: 1",
        "  Misreads: 1",
        "  From card to card: 104 ms",
    ]


def test_the_order_is_that_in_which_it_was_written_when_the_clock_is_set_back_meanwhile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    with opened(tmp_path, clock) as store:
        for board, days in ((5, -2), (3, 4), (4, -1), (1, 0)):
            with Journal(store) as journal:
                journal.note_go(journal.intend(replace(TOLD, deal_set="", board=board), bytes(8)).run)
            store.decisions.append(Decision.CARD_SEEN, "Dora", board=board)
            clock.later(days=days)
    told = [json.loads(line) for line in shown(capsys, tmp_path, "--json")]
    for event in ("run", "decision"):
        assert [one["board"] for one in told if one["event"] == event] == [5, 3, 4, 1]


def test_a_script_gets_an_object_for_each(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = [json.loads(line) for line in shown(capsys, tmp_path, "--json")]
    assert [one["event"] for one in told] == ["run", "decision", "run", "run", "machine"]
    assert told[0]["cards_as_planned"] == 51
    assert (told[0]["set"], told[0]["set_board"], told[0]["verdict"]) == ("s1", 7, "COUNTED")
    assert told[1]["boards"] == "7-8"
    assert told[2]["verdict"] is None
    assert told[4]["recent"] == {"boards": 1, "good": 0, "jams": 1, "misreads": 1, "card_ms": 104}


def test_only_one_set_or_only_the_newest_lines_are_shown_when_that_is_asked(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sum("check" in line for line in shown(capsys, tmp_path, "--set", "tuesday")) == 0
    assert "a check" in shown(capsys, tmp_path, "--last", "1")[0]


def test_nothing_dealt_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, tmp_path) == ["Nothing was dealt yet."]


def test_it_is_read_while_another_program_deals_and_damage_is_said(store: Store, tmp_path: Path) -> None:
    with journal_in(tmp_path):
        assert len(past_runs(store)) == 3
    store.connection.execute("DROP TRIGGER journal_stays")
    store.connection.execute("UPDATE journal SET value = 'GOOD' WHERE value = 'COUNTED'")
    with pytest.raises(JournalDamaged, match="was changed"):
        past_runs(store)


def test_the_newest_boards_of_a_machine_are_held_against_those_before(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        with Journal(store) as journal, journal.together():
            for number in range(RECENT + 50):
                run = journal.intend(replace(TOLD, deal_set=""), bytes(8)).run
                journal.note_go(run)
                if number % (10 if number >= 50 else 50) == 0:
                    journal.note_fault(run, FaultCode.JAM)
                journal.note_verdict(run, "GOOD", card_ms=100 + number)
        (machine,) = trends(past_runs(store))
    assert machine.recent == Share(RECENT, RECENT, 10, 0, 199)
    assert machine.before == Share(50, 50, 1, 0, 124)
    assert machine.before.per_hundred(machine.before.jams) == 2.0


def test_what_the_newest_boards_show_is_told_of_its_machine_and_of_no_other_whatever_job_they_were_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    times = {"SLOW": (100, 100, 140, 140, 140), "WAS-SLOW": (100, 140, 140, 140, 100), "READS": (100,) * 5}
    with opened(tmp_path) as store:
        for board in range(5):
            for serial, of_it in times.items():
                with Journal(store) as journal:
                    run = journal.intend(replace(TOLD, serial=serial, deal_set=""), bytes(8)).run
                    journal.note_go(run)
                    if serial == "READS" and board in (1, 3):
                        journal.note_fault(run, FaultCode.UNREADABLE)
                    journal.note_verdict(run, "GOOD", card_ms=of_it[board])
        found = {one.serial: [notice.code for notice in one.notices] for one in trends(past_runs(store))}
    assert found == {"READS": ["MISREADS"], "SLOW": ["FEEDS SLOWER"], "WAS-SLOW": []}
    lines = shown(capsys, tmp_path)
    (at,) = (place for place, line in enumerate(lines) if line.startswith("Machine SLOW"))
    assert "clean the feed roller" in lines[at + 4]
    assert sum("dealctl bundle" in line for line in lines) == 1
