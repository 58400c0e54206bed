"""`dealctl practise`: the whole way from a file to verdicts and truth, as processes of their own.

Read next: `program.py`, `driver/cli/practise.py`.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from driver.cli.exit_codes import Exit, exit_code_of
from driver.cli.refusals import SimulatorFailed
from driver.cli.simulator import Simulator, usual_endpoint
from driver.deals.loader import load_deals
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from protocol.codes import LedgerKind
from tests.cli.program import CLUB, Ran, Terminal, dealctl, shown_hands
from tests.support.peers import Setup, served_peer, truth_equals

GOOD_LINE = re.compile(r"^board (\d+) GOOD$", re.MULTILINE)
TRUTH = "truth: all {} boards equal the deals"


def last_line(ran: Ran) -> str:
    return ran.out.strip().splitlines()[-1]


@pytest.mark.slow
def test_thirty_six_boards_are_dealt_good_and_equal_the_deals(tmp_path: Path) -> None:
    ran = dealctl("practise", CLUB, "--speed", "100", DEALCTL_DATA=str(tmp_path / "data"))
    assert ran.code == 0, ran.all
    assert sorted(map(int, GOOD_LINE.findall(ran.out))) == list(range(1, 37))
    assert last_line(ran) == TRUTH.format(36)
    assert not shown_hands(ran.all, load_deals(CLUB))
    assert not (tmp_path / "data").exists()  # practice never reaches the real records


def test_some_boards_in_another_order() -> None:
    ran = dealctl("practise", CLUB, "--boards", "7,2-3", "--speed", "100")
    assert ran.code == 0, ran.all
    assert GOOD_LINE.findall(ran.out) == ["7", "2", "3"]
    assert last_line(ran) == TRUTH.format(3)


def test_json_is_one_event_a_line_and_blind() -> None:
    ran = dealctl("practise", CLUB, "--boards", "1-2", "--speed", "100", "--json")
    assert ran.code == 0, ran.all
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert all(isinstance(event["event"], str) for event in events)
    assert [event["event"] for event in events[-3:]] == ["job-ended", "result", "truth"]
    assert [board["verdict"] for board in events[-2]["boards"]] == ["GOOD", "GOOD"]
    assert events[-2]["simulated"] is True
    assert events[-1]["equal"] is True
    cards = [event for event in events if event["event"] == "card"]
    assert len(cards) == 104
    assert all(set(card) == {"event", "board", "index"} for card in cards)
    assert not shown_hands(ran.all, load_deals(CLUB))


def test_a_fault_where_nobody_can_be_asked_ends_with_the_fault_and_its_instruction(tmp_path: Path) -> None:
    words = ("--boards", "1-2", "--speed", "100", "--fault", "jam-path@23")
    ran = dealctl("practise", CLUB, *words, DEALCTL_DATA=str(tmp_path / "data"))
    assert ran.code == 5, ran.all
    assert not (tmp_path / "data").exists()  # the last failure of a practice is not the machine's
    assert "A card is stuck." in ran.err
    assert "Nobody is here to decide" in ran.err
    assert last_line(ran) == "truth: no board was called good"


def test_a_double_feed_is_never_called_good() -> None:
    ran = dealctl("practise", CLUB, "--boards", "1", "--speed", "100", "--fault", "double-feed@11")
    assert ran.code in (1, 5), ran.all
    assert not GOOD_LINE.search(ran.out)


@pytest.mark.parametrize("profile", ["r-only", "p-only", "bare"])
def test_a_machine_that_sees_less_ends_in_a_sentence_whatever_it_cannot_do(profile: str) -> None:
    ran = dealctl("practise", CLUB, "--boards", "1", "--speed", "100", "--profile", profile)
    assert ran.code in (0, 1, 2), ran.all
    assert "Traceback" not in ran.all
    assert not shown_hands(ran.all, load_deals(CLUB))


def test_on_a_machine_that_can_prove_nothing_enter_alone_comes_to_the_end() -> None:
    """It would do no good to deal a board again there. So slow that no question follows the answer before at once."""
    words = ("--boards", "1-2", "--speed", "5", "--profile", "bare", "--plain", "--quiet")
    with Terminal("practise", CLUB, *words) as terminal:
        for question in ("Press Enter to begin", "1  start: board 1", "1  start: board 2"):
            terminal.wait_for(question)
            terminal.type("\n")
        assert terminal.wait() == 1, terminal.shown
    assert "each board will be NOT PROVEN, also when it is dealt again." in terminal.shown
    assert terminal.shown.count("(Enter)") == 2
    assert "The set is done." in terminal.shown
    assert "0 of 2 boards GOOD, 2 NOT PROVEN." in terminal.shown
    assert not shown_hands(terminal.shown, load_deals(CLUB))


def test_a_machine_that_keeps_no_record_deals_a_set_without_a_question_and_calls_no_board_good(tmp_path: Path) -> None:
    profile = replace(FULL, ledger=LedgerKind.NONE)
    setup = Setup(profile=profile, script=PersonScript(boards=(1, 2, 3)), speed=100.0)
    with closing(served_peer(tmp_path, setup, TcpEndpoint)) as peer:
        words = ("deal", CLUB, "--boards", "1-3", "--auto", "--data", tmp_path / "data")
        ran = dealctl(*words, "--machine", peer.endpoint.url)
        assert truth_equals(peer, load_deals(CLUB), (1, 2, 3))
    assert ran.code == 1, ran.all
    assert "0 of 3 boards GOOD, 3 NOT PROVEN." in ran.out


def test_an_option_that_the_simulated_machine_does_not_know_is_told_in_its_words() -> None:
    ran = dealctl("practise", CLUB, "--boards", "1", "--fault", "no-such-fault@1")
    assert ran.code == 2
    assert "no-such-fault" in ran.err
    assert "(DM700)" in ran.err


def test_without_a_file_a_script_is_told_to_name_one() -> None:
    ran = dealctl("practise")
    assert ran.code == 2
    assert "dealctl practise FILE" in ran.err


def test_verbose_output_is_blind_too(tmp_path: Path) -> None:
    ran = dealctl("practise", CLUB, "--boards", "1-2", "--speed", "100", "-v", "--fault", "foreign@5", cwd=tmp_path)
    assert ran.code in (1, 5), ran.all
    assert not shown_hands(ran.all, load_deals(CLUB))
    assert os.listdir(tmp_path) == []


def test_a_simulated_machine_that_is_gone_is_no_wrong_input() -> None:
    simulator = Simulator(["--endpoint", usual_endpoint()])
    with simulator:
        simulator.close()
        with pytest.raises(SimulatorFailed) as failed:
            simulator.ask({"do": "truth"})
    assert failed.value.code == "DM711"
    assert exit_code_of(failed.value) == Exit.NO_MACHINE
