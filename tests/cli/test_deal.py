"""`dealctl deal`, `again`, `doctor`, `trace` against a simulated machine that stands there; bad files and scripts.

Read next: `program.py`, `driver/cli/deal.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from driver.deals.loader import load_deals
from tests.cli.program import CLUB, Terminal, dealctl, shown_hands

GOOD_LINE = re.compile(r"^board (\w+) GOOD$", re.MULTILINE)
HAND_FROM_CLUB = re.compile(r'^\[Deal "(.*)"\]', re.MULTILINE)


def simulator(boards: str, *more: str) -> Simulator:
    return Simulator(["--person", "--boards", boards, "--speed", "100", *more])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Boards 1 to 3 of the club's file, the second with a card twice."""
    text = CLUB.read_text(encoding="latin-1")
    head, *records = text.split("[Event ")
    kept = [head, *(f"[Event {record}" for record in records[:3])]
    deals = HAND_FROM_CLUB.findall(text)
    worse = deals[1].replace("93.AT98", "93.AAT98")
    assert worse != deals[1]
    path = tmp_path / "broken.pbn"
    path.write_text("".join(kept).replace(deals[1], worse), encoding="latin-1")
    return path


def test_boards_copies_and_another_number(data: Path) -> None:
    with simulator("13-14,13-14") as machine:
        ran = dealctl(
            *("deal", CLUB, "--boards", "1-2", "--copies", "A,B", "--as", "13"),
            *("--auto", "--machine", machine.url, "--data", data),
        )
    assert ran.code == 0, ran.all
    assert GOOD_LINE.findall(ran.out) == ["13A", "14A", "13B", "14B"]
    assert "Dealing board 13A, dealer North, vulnerable All." in ran.out
    assert "club36: 36 boards (1-36), Tuesday Club Duplicate, 2026.03.10." in ran.out
    assert "Loading card:" in ran.out


def test_a_board_is_dealt_again_whatever_became_of_its_file(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tuesday.pbn"
    copy.write_bytes(CLUB.read_bytes())
    with simulator("2-3,2,2,2") as machine:
        place = ("--auto", "--machine", machine.url, "--data", data)
        first = dealctl("deal", "tuesday.pbn", "--boards", "2-3", *place, cwd=tmp_path)
        assert first.code == 0, first.all
        again = dealctl("again", "2", *place)
        assert again.code == 0, again.all
        assert GOOD_LINE.findall(again.out) == ["2"]
        assert "same hands" in again.out
        asked = machine.ask({"do": "truth", "board": 2})
        first_time, second_time = (board["pockets"] for board in asked["boards"][:2])
        assert [sorted(pocket) for pocket in first_time] == [sorted(pocket) for pocket in second_time]

        deals = HAND_FROM_CLUB.findall(CLUB.read_text(encoding="latin-1"))
        text = copy.read_text(encoding="latin-1")
        copy.write_text(text.replace(deals[1], deals[4]), encoding="latin-1")
        changed = dealctl("again", "2", *place)
        assert changed.code == 0, changed.all
        copy.unlink()
        gone = dealctl("again", "2", *place)
        assert gone.code == 0, gone.all
        truth = machine.ask({"do": "truth", "board": 2})["boards"]
        assert len({str([sorted(pocket) for pocket in board["pockets"]]) for board in truth[:4]}) == 1
        never = dealctl("again", "9", *place)
        assert never.code == 2
        assert "was not dealt" in never.err
    assert not shown_hands(first.all + again.all + gone.all, load_deals(CLUB))


def test_what_this_computer_keeps_holds_no_hand(data: Path) -> None:
    with simulator("1-2") as machine:
        ran = dealctl("deal", CLUB, "--boards", "1-2", "--auto", "--machine", machine.url, "--data", data)
        assert ran.code == 0, ran.all
    for file in data.iterdir():
        assert not shown_hands(file.read_bytes().decode("latin-1"), load_deals(CLUB))


def test_a_script_without_auto_is_refused_before_anything_is_opened(data: Path) -> None:
    ran = dealctl("deal", CLUB, "--data", data)
    assert ran.code == 2
    assert "--auto" in ran.err
    assert not data.exists()


@pytest.mark.parametrize("json_too", [False, True])
def test_a_file_with_bad_boards_is_refused_in_a_script_and_the_option_is_named(broken: Path, json_too: bool) -> None:
    ran = dealctl("deal", broken, "--auto", *(["--json"] if json_too else []))
    assert ran.code == 6
    assert "--good-boards-only" in ran.err
    assert "Board 2" in ran.err
    if json_too:
        assert [json.loads(line)["event"] for line in ran.out.splitlines()] == ["error"]


def test_the_good_boards_of_a_bad_file_are_dealt_when_it_is_said(broken: Path, data: Path) -> None:
    with simulator("1,3") as machine:
        place = ("--auto", "--machine", machine.url, "--data", data)
        ran = dealctl("deal", broken, "--good-boards-only", *place)
    assert ran.code == 0, ran.all
    assert GOOD_LINE.findall(ran.out) == ["1", "3"]


def test_a_board_that_the_file_does_not_have_is_said_before_anything_is_opened(data: Path) -> None:
    ran = dealctl("deal", CLUB, "--boards", "36-38", "--auto", "--data", data)
    assert ran.code == 2
    assert "37, 38" in ran.err
    assert "1-36" in ran.err
    assert not data.exists()


def test_check_is_blind_and_says_what_cannot_be_dealt(broken: Path) -> None:
    whole = dealctl("check", CLUB)
    assert whole.code == 0
    assert "Every board can be dealt." in whole.out
    bad = dealctl("check", broken)
    assert bad.code == 6
    assert "Board 2, line " in bad.out
    assert not shown_hands(whole.all + bad.all, load_deals(CLUB))


def test_check_json_is_one_array_with_every_record_and_nothing_else(broken: Path) -> None:
    ran = dealctl("check", broken, "--json")
    assert ran.code == 6
    records = json.loads(ran.out)
    assert [record["board"] for record in records] == [1, 2, 3]
    assert [bool(record["issues"]) for record in records] == [False, True, False]
    assert records[0]["deal"] == load_deals(CLUB).boards[0].deal.hands_as_pbn()
    assert dealctl("check", CLUB, "--json").code == 0


def test_a_named_machine_says_who_it_is(data: Path) -> None:
    with simulator("1") as machine:
        ran = dealctl("doctor", "--machine", machine.url, "--data", data)
        as_json = dealctl("doctor", "--json", "--data", data, DEALCTL_MACHINE=machine.url)
    assert ran.code == 0, ran.all
    assert "simulated" in ran.out
    told = json.loads(as_json.out)
    assert (told["well"], told["simulated"], told["code"]) == (True, True, "NOTHING")


def test_a_trace_shows_messages_without_their_content(data: Path) -> None:
    with simulator("1") as machine:
        ran = dealctl("trace", "--seconds", "1", "--machine", machine.url, "--data", data)
    assert ran.code == 0, ran.all
    assert "HELLO" in ran.out
    assert re.search(r"ANSWER .* \d+ bytes$", ran.out, re.MULTILINE)


def test_simulate_passes_options_through_and_tells_the_address() -> None:
    ran = dealctl("simulate", "--endpoint", "nowhere")
    assert ran.code == 2
    assert "nowhere" in ran.err


def test_two_simulated_machines_are_told_apart_by_their_serial_numbers(data: Path) -> None:
    with (
        Terminal("simulate", "--json", "--endpoint", "tcp", "--serial", "SIM-LEFT", "--boards", "1") as left,
        Terminal("simulate", "--json", "--endpoint", "tcp", "--serial=SIM-RIGHT", "--boards", "2") as right,
    ):
        words = ["deal", str(CLUB), "--boards", "1-2", "--auto", "--data", str(data)]
        for name, terminal in (("LEFT", left), ("RIGHT", right)):
            terminal.wait_for("}")
            words += ["--machine", f"{name}={json.loads(terminal.shown)['url']}"]
        ran = dealctl(*words)
    assert ran.code == 0, ran.all
    assert "LEFT: Board 1 is GOOD." in ran.out
    assert "RIGHT: Board 2 is GOOD." in ran.out


def test_a_serial_number_that_no_machine_can_have_is_told_in_its_words() -> None:
    ran = dealctl("simulate", "--serial", "SIM LEFT")
    assert ran.code == 2
    assert "A serial number is 1 to 16 ASCII characters without blanks." in ran.err


def test_a_fault_of_the_machine_ends_a_script_with_its_instruction(data: Path) -> None:
    with simulator("1", "--fault", "cover@10:5") as machine:
        ran = dealctl("deal", CLUB, "--boards", "1", "--auto", "--machine", machine.url, "--data", data)
    assert ran.code == 5, ran.all
    assert "Close the cover." in ran.err


def assert_last_failure_is_kept(data: Path) -> str:
    """The text of the file; it has lines, and shows no hand."""
    text = (data / "last-failure.txt").read_text(encoding="ascii")
    assert re.search(r"ANSWER .* \d+ bytes$", text, re.MULTILINE)
    assert not shown_hands(text, load_deals(CLUB))
    return text


@pytest.mark.parametrize("verbose", [False, True])
def test_a_jam_in_a_script_leaves_the_last_traffic_without_its_content(data: Path, verbose: bool) -> None:
    more = ("-v",) if verbose else ()
    with simulator("1", "--fault", "jam-path@23") as machine:
        ran = dealctl("deal", CLUB, "--boards", "1", "--auto", "--machine", machine.url, "--data", data, *more)
    assert ran.code == 5, ran.all
    first_line = assert_last_failure_is_kept(data).splitlines()[0]
    assert (first_line in ran.err) is verbose
    assert not shown_hands(ran.all, load_deals(CLUB))


def test_a_job_that_ends_well_leaves_no_failure(data: Path) -> None:
    with simulator("1") as machine:
        ran = dealctl("deal", CLUB, "--boards", "1", "--auto", "--machine", machine.url, "--data", data)
    assert ran.code == 0, ran.all
    assert not (data / "last-failure.txt").exists()


def test_a_cable_that_comes_loose_for_good_ends_a_script_with_link_lost(data: Path) -> None:
    words = ("deal", CLUB, "--boards", "1", "--auto", "--give-up", "1", "--data", data)
    with (
        Simulator(["--person", "--boards", "1", "--speed", "1"]) as machine,
        Terminal(*words, "--plain", "--machine", machine.url, typed=False) as terminal,
    ):
        terminal.wait_for("Dealing board 1")
        machine.ask({"do": "cut"})
        assert terminal.wait() == 4
    assert_last_failure_is_kept(data)
    assert "Push the cable in" in terminal.shown
    assert "Traceback" not in terminal.shown


def test_a_stop_that_the_machine_does_not_confirm_leaves_the_last_traffic(data: Path) -> None:
    words = ("deal", CLUB, "--boards", "1", "--auto", "--plain", "--data", data)
    with (
        Simulator(["--person", "--boards", "1", "--speed", "1"]) as machine,
        Terminal(*words, "--machine", machine.url) as terminal,
    ):
        terminal.wait_for("Dealing board 1")
        machine.ask({"do": "freeze", "seconds": 60.0})
        assert terminal.interrupt_until_it_ends(within=6.0) == 130
    assert "has not confirmed the stop" in terminal.shown
    assert_last_failure_is_kept(data)
