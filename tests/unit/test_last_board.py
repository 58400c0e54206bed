"""The board that came out last, on machines that read no numbers: a shift by one is caught, and a slip costs nothing.

Read next: `driver/last_board.py`, `driver/cli/last_board.py`; `tests/cli/test_last_board.py` for a whole job.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.cli import last_board
from driver.cli.deal import deal_job
from driver.cli.exit_codes import Exit
from driver.cli.last_board import TRIES, ask_last_board
from driver.cli.parser import build_parser
from driver.dealt import COUNTS_VARIABLE
from driver.job_events import JobEnded, JobEvent, MachineBack, MachineLost, Noticed
from driver.job_result import BoardResult
from driver.journal import Journal
from driver.last_board import last_to_ask
from driver.machine import MachineInfo
from driver.several import SeveralJobs
from driver.store.store import Store
from driver.verdicts import ReasonCode, Verdict
from firmware_sim.profile import BARE, FULL, P_ONLY, R_ONLY, Profile
from tests.support import law_desk
from tests.support.row import Place, Row
from tests.support.store import deal_set, dealt, opened
from tests.unit.test_cli_console import judgement

WRONG = ReasonCode.WRONG_POCKET


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as store:
        yield store


@pytest.fixture(autouse=True)
def simulated_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COUNTS_VARIABLE, "1")


def info_of(profile: Profile) -> MachineInfo:
    return MachineInfo(profile.serial, profile.model, profile.firmware, profile.identity())


def results(store: Store, *codes: ReasonCode | None) -> list[BoardResult]:
    """Boards from 1 on as a machine has just dealt them, GOOD but for those with a reason."""
    stored = store.sets.add_imported(deal_set(range(1, 4))).stored
    found = []
    for number, code in enumerate(codes, start=1):
        verdict = Verdict.GOOD if code is None else code.best
        dealt(store, stored.id, number, verdict=verdict)
        found.append(BoardResult(number, "", judgement(number, code)))
    return found


def ask(store: Store, found: list[BoardResult], profile: Profile = R_ONLY, *, as_json: bool = False) -> Noticed | None:
    with Journal(store) as journal:
        return ask_last_board(info_of(profile), journal, found, complete=True, as_json=as_json)


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """Somebody types these lines; the list that is given grows by each question."""
    monkeypatch.setattr(last_board, "somebody_there", lambda *, as_json: not as_json)
    return law_desk.sit_down(monkeypatch, *lines)


@pytest.mark.parametrize(("profile", "is_asked"), [(FULL, False), (R_ONLY, True), (P_ONLY, True), (BARE, True)])
def test_only_a_machine_that_reads_no_board_numbers_costs_a_question(
    profile: Profile, is_asked: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = types(monkeypatch, "2")
    assert ask(store, results(store, None, None), profile) is None
    assert len(asked) == is_asked
    assert (last_to_ask(profile.identity(), results(store, None, None)) is not None) is is_asked


def test_one_board_alone_and_a_rehearsal_cost_none(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = types(monkeypatch)
    assert ask(store, results(store, None)) is None
    monkeypatch.delenv(COUNTS_VARIABLE)
    assert ask(store, results(store, None, None)) is None
    assert asked == []


def test_the_right_number_leaves_all_as_it_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = types(monkeypatch, " 3 ")
    found = results(store, None, WRONG, None)
    assert ask(store, found) is None
    assert asked == ["Which number is on the board you took out last? "]
    assert [result.verdict for result in found] == [Verdict.GOOD, Verdict.DEAL_AGAIN, Verdict.GOOD]


def test_a_number_mistyped_once_costs_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = types(monkeypatch, "33", "3")
    found = results(store, None, None, None)
    assert ask(store, found) is None
    assert len(asked) == 2
    assert {result.verdict for result in found} == {Verdict.GOOD}


def test_another_board_than_the_last_one_leaves_no_board_of_the_run_proven(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, "4", "4")
    found = results(store, None, WRONG, None)
    told = ask(store, found)
    assert told is not None
    assert told.text == "Board 4 came out last, and it should be board 3."
    assert told.means.endswith("Not proven any more: 1, 3.")
    assert [result.verdict for result in found] == [Verdict.NOT_PROVEN, Verdict.DEAL_AGAIN, Verdict.NOT_PROVEN]
    assert found[0].judgement.reasons[-1].sentence == told.text
    with opened(store.folder) as again:
        verdicts = [again.runs.last_of_board(number).verdict for number in (1, 2, 3)]  # type: ignore[union-attr]
    assert verdicts == ["NOT_PROVEN", "DEAL_AGAIN", "NOT_PROVEN"]


@pytest.mark.parametrize("lines", [(), ("",) * TRIES, ("what?", "", "-1")], ids=["nobody", "Enter alone", "no number"])
def test_without_a_number_it_is_said_what_to_look_at(
    lines: tuple[str, ...], store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = types(monkeypatch, *lines)
    found = results(store, None, None, None)
    assert ask(store, found) is None
    assert len(asked) == TRIES
    assert "it has to be board 3." in capsys.readouterr().out
    assert {result.verdict for result in found} == {Verdict.GOOD}


def test_a_script_is_told_which_board_to_look_at(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(store, results(store, None, None), as_json=True) is None
    assert capsys.readouterr().out == '{"event": "look", "last_board": 2}\n'
    assert ask(store, results(store, None, None)) is None
    assert "it has to be board 2." in capsys.readouterr().out


class AsTold(SeveralJobs):
    """A job whose machines tell this, and deal nothing."""

    told: tuple[JobEvent, ...] = ()

    def events(self) -> Iterator[JobEvent]:
        yield from self.told


def test_a_machine_that_stays_lost_is_asked_nothing_and_the_others_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = build_parser().parse_args(["deal", "a.pbn", "--auto", "--json"])
    places = {"LEFT": Place(profile=R_ONLY), "RIGHT": Place(profile=R_ONLY)}
    with Row(tmp_path, deal_set(range(1, 6)), places) as row, row.open() as machines:
        begun = machines.start(row.deals, auto=True)
        job = AsTold(begun.jobs, {name: f"SIM-{name}" for name in places}, begun.work)
        job.told = (
            MachineLost(machine="LEFT", text="The cable came loose.", hands="Push it in."),
            MachineLost(machine="RIGHT", text="The cable came loose.", hands="Push it in."),
            MachineBack(machine="LEFT"),
            JobEnded(machine="LEFT", complete=True),
            JobEnded(complete=False),
        )
        for item, name in zip(begun.work.items(), ("LEFT", "RIGHT", "LEFT", "RIGHT"), strict=False):
            job.results[name].put(item, judgement(item.board, None))
        code, _ = deal_job(machines, job, begun.work.items(), args, on_failure=lambda: None)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["last_board"] for line in lines if line["event"] == "look"] == [3]
    assert lines[-1]["event"] == "result"
    assert code == Exit.LINK_LOST, "also when another machine ended its part well"
