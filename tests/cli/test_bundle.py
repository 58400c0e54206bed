"""`dealctl bundle`: one file for a helper; what is in it is named, and a changed file of frames brings nothing in.

That no hand is in it after a whole evening: `test_hands_stay_hidden.py`. Read next: `driver/cli/bundle.py`.
"""

from __future__ import annotations

import json
import sqlite3
import stat
import sys
import zipfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from driver.cli.bundle import last_frames
from driver.cli.exit_codes import Exit
from driver.cli.recording import LAST_TRAFFIC
from driver.cli.simulator import Simulator
from driver.deals.loader import load_deals
from driver.journal import Journal
from driver.recorder import LINE, Recorded
from driver.store.database import FILE_NAME
from driver.store.runs import Intention
from driver.verdicts import Verdict
from protocol.codes import FaultCode
from tests.cli.program import CLUB, Terminal
from tests.support.secrets_search import HandSearch
from tests.support.set_commands import Commands

TAG = bytes(range(0xA0, 0xA8))
GOOD_LINE = str(Recorded(12.5, True, "HELLO_ACK", 3, 4_000_000_000, 114))


@pytest.fixture
def dealctl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(tmp_path, capsys)


def bundle(dealctl: Commands) -> dict[str, bytes]:
    out = dealctl.folder / "out.zip"
    dealctl.ok("bundle", out)
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def dealt(dealctl: Commands, copy: str = "B") -> None:
    """A board of the club's file, begun with a fault and judged."""
    with dealctl.store() as store:
        stored = store.sets.add_imported(load_deals(CLUB), name="Tuesday Pairs").stored
        with Journal(store) as journal:
            told = Intention(7, copy, "DM0042", 3, 1000, 2, stored.id, 7, simulated=False)
            record = journal.intend(told, TAG)
            journal.note_go(record.run)
            journal.note_fault(record.run, FaultCode.JAM)
            journal.note_verdict(record.run, Verdict.COUNTED.name, "Ann")


def test_the_bundle_says_what_was_dealt_on_which_machine_with_which_faults(dealctl: Commands) -> None:
    dealt(dealctl)
    files = bundle(dealctl)
    (run,) = json.loads(files["runs.json"])
    assert (run["board"], run["copy"], run["serial"], run["verdict"]) == (7, "B", "DM0042", "COUNTED")
    assert (run["faults"], run["check"], run["odometer"]) == (["jam"], False, 1000)
    counters: dict[str, Any] = json.loads(files["counters.json"])
    assert counters == {
        "sets": {"imported": 1}, "boards_begun": 1, "verdicts": {"COUNTED": 1}, "faults": {"jam": 1}, "damage": "",
    }  # fmt: skip
    assert json.loads(files["versions.json"])["python"] == sys.version.split()[0]
    assert json.loads(files["machine.json"])["answers"] is False


def test_no_hand_no_tag_of_a_plan_and_no_name_is_in_it(dealctl: Commands) -> None:
    dealt(dealctl)
    search = HandSearch({f"board {board.number}": board.deal for board in load_deals(CLUB)}, {"tag": TAG})
    for name, raw in bundle(dealctl).items():
        assert search.found(raw) == [], name
        assert b"Ann" not in raw
        assert b"Tuesday" not in raw


def test_a_copy_that_is_named_by_a_word_is_told_by_a_number_for_it_may_be_somebodys_name(dealctl: Commands) -> None:
    for copy in ("Zebulon", "", "Yolanda", "Zebulon"):
        dealt(dealctl, copy)
    files = bundle(dealctl)
    assert [run["copy"] for run in json.loads(files["runs.json"])] == ["copy 1", "", "copy 2", "copy 1"]
    assert not any(name in raw for raw in files.values() for name in (b"Zebulon", b"Yolanda"))


def test_while_another_program_deals_the_boards_are_there_all_the_same(dealctl: Commands) -> None:
    dealt(dealctl)
    with dealctl.store() as store, Journal(store):
        (run,) = json.loads(bundle(dealctl)["runs.json"])
    assert (run["board"], run["serial"]) == (7, "DM0042")


def test_of_a_damaged_journal_it_says_so_and_takes_what_can_be_read(dealctl: Commands) -> None:
    dealt(dealctl)
    with closing(sqlite3.connect(dealctl.data / FILE_NAME)) as connection, connection:
        (rule,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'journal_stays'").fetchone()
        connection.execute("DROP TRIGGER journal_stays")
        connection.execute("UPDATE journal SET value = 'GOOD' WHERE what = 'verdict'")
        connection.execute(rule)
    files = bundle(dealctl)
    assert "was changed" in json.loads(files["counters.json"])["damage"]
    assert [run["board"] for run in json.loads(files["runs.json"])] == [7]


def test_of_the_last_frames_only_lines_of_the_recorder_are_taken(tmp_path: Path) -> None:
    deal = load_deals(CLUB).boards[0].deal.hands_as_pbn()
    assert last_frames(tmp_path) == "No failure was kept.\n"
    hostile = [
        GOOD_LINE,
        deal,
        f"{GOOD_LINE} {deal}",
        "",
        f"{deal} {GOOD_LINE}",
        GOOD_LINE.replace("HELLO_ACK", "AKQ J"),
    ]
    (tmp_path / LAST_TRAFFIC).write_bytes("\n".join(hostile).encode() + b"\n\xff\x00" + deal.encode())
    assert last_frames(tmp_path) == f"{GOOD_LINE}\n"
    assert LINE.fullmatch(GOOD_LINE)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")
def test_the_talk_before_a_line_broke_is_in_it_also_when_somebody_stopped_then(dealctl: Commands) -> None:
    with ExitStack() as beside:
        machine = beside.enter_context(Simulator(["--person", "--boards", "1", "--speed", "8"]))
        words = ("--boards", "1", "--auto", "--plain", "--quiet", "--machine", machine.url, "--data", dealctl.data)
        with Terminal("deal", CLUB, *words) as terminal:
            terminal.wait_for("26 of 52")
            beside.close()
            terminal.wait_for("broke")
            assert terminal.interrupt_until_it_ends(within=10) == Exit.INTERRUPTED, terminal.shown
    lines = bundle(dealctl)["last-frames.txt"].decode().splitlines()
    assert len(lines) > 20
    assert all(LINE.fullmatch(line) for line in lines)


def test_the_file_is_for_its_owner_and_never_written_over(dealctl: Commands) -> None:
    out = dealctl.folder / "out.zip"
    (told,) = dealctl.objects("bundle", out)
    assert (told["event"], "runs.json" in told["files"]) == ("bundle", True)
    if sys.platform != "win32":
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert dealctl("bundle", out).code == 2
