"""`dealctl check-pack` and `check-board` in a script, and again with the board that lies in the machine.

Read next: `program.py`, `driver/cli/pack.py`, `driver/cli/board.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from driver.deals.loader import load_deals
from driver.deals.model import Deal
from driver.verdicts import Verdict
from firmware_sim.packs import shuffled_pack
from protocol.cards import HAND_SIZE, Card, Seat
from tests.cli.program import CLUB, Ran, dealctl, shown_hands
from tests.support.store import journal_in


def check_pack(machine: Simulator, data: Path, *more: str) -> Ran:
    return dealctl("check-pack", "--ready", *more, "--machine", machine.url, "--data", data)


@pytest.mark.parametrize("words", [(), ("-v",)], ids=["as it is", "verbose"])
def test_a_script_that_says_ready_is_asked_nothing_and_gets_the_sentence(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "load_pack"})
        machine.ask({"do": "insert_board", "number": 1})
        ran = check_pack(machine, tmp_path, *words)
    assert (ran.code, ran.err) == (0, ""), ran.all
    assert ran.out == "All 52 cards are there, each once.\n"


def test_doctor_deals_a_test_pack_only_with_consent(tmp_path: Path) -> None:
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "load_pack"})
        machine.ask({"do": "insert_board", "number": 1})
        words = ("doctor", "--self-test", "--machine", machine.url, "--data", tmp_path)
        refused = dealctl(*words)
        agreed = dealctl(*words, "--ready")
    assert refused.code == 2
    assert "--ready" in refused.err
    assert agreed.code == 0, agreed.all  # the pack is whole only if the refused one fed no card of it
    assert agreed.out.endswith("All 52 cards are there, each once.\n")


def test_the_board_may_have_any_number_and_a_pack_may_be_checked_after_another_into_it(tmp_path: Path) -> None:
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "insert_board", "number": 7})
        for seed in (1, 2):
            machine.ask({"do": "load_pack", "seed": seed})
            ran = check_pack(machine, tmp_path, "--json", "-v")
            assert (ran.code, ran.err) == (0, ""), ran.all
            (line,) = ran.out.splitlines()
            found = json.loads(line)
            assert (found["event"], found["whole"], found["fed"], found["missing"]) == ("pack", True, 52, [])
            machine.ask({"do": "empty_pockets"})


def test_a_missing_card_is_named_in_json(tmp_path: Path) -> None:
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "load_pack", "kind": "SHORT"})
        machine.ask({"do": "insert_board", "number": 7})
        ran = check_pack(machine, tmp_path, "--json")
    assert ran.code == 1, ran.all
    found = json.loads(ran.out)
    assert (found["whole"], found["fed"]) == (False, 51)
    assert len(found["missing"]) == 1
    assert isinstance(found["missing"][0], str)


def file_with(deal: Deal, board: int, path: Path) -> Path:
    path.write_text(f'[Event "check"]\n[Board "{board}"]\n[Deal "{deal.hands_as_pbn()}"]\n', encoding="ascii")
    return path


def test_a_board_is_compared_pocket_by_pocket_in_json_and_blind(tmp_path: Path) -> None:
    pack = [card.identity for card in shuffled_pack(5)]
    hands = {seat: pack[seat * HAND_SIZE : (seat + 1) * HAND_SIZE] for seat in Seat}
    owners = {card: seat for seat, hand in hands.items() for card in hand}
    deal = Deal(tuple(owners[card] for card in range(len(pack))))
    assert set(deal.hand(Seat.EAST)) == {Card(card) for card in hands[Seat.EAST]}
    right = file_with(deal, 7, tmp_path / "right.pbn")
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "insert_board", "number": 7})
        for file, equal in ((right, True), (CLUB, False)):
            machine.ask({"do": "load_pack", "seed": 5})
            words = ("check-board", "7", "--ready", "--json", "--file", file, "--machine", machine.url)
            ran = dealctl(*words, "--data", tmp_path / "data")
            assert (ran.code, ran.err) == (0 if equal else 1, ""), ran.all
            assert json.loads(ran.out) == {
                "event": "board",
                "board": 7,
                "matches": equal,
                "pockets": dict.fromkeys("NESW", equal),
            }
            assert not shown_hands(ran.all, load_deals(file))
            machine.ask({"do": "empty_pockets"})


@pytest.mark.parametrize("as_json", [False, True])
def test_a_board_that_was_not_proven_is_fed_back_compared_and_good_then(as_json: bool, tmp_path: Path) -> None:
    pack = [card.identity for card in shuffled_pack(5)]
    owners = {card: place // HAND_SIZE for place, card in enumerate(pack)}
    file, data = file_with(Deal([owners[card] for card in range(len(pack))]), 7, tmp_path / "right.pbn"), tmp_path / "d"
    with Simulator(["--speed", "100"]) as machine:
        machine.ask({"do": "insert_board", "number": 7})
        machine.ask({"do": "load_pack", "seed": 1})
        place = ("--machine", machine.url, "--data", data)
        assert dealctl("deal", file, "--auto", *place).code == 0
        with journal_in(data) as journal:
            record = journal.last_of_board(7)
            assert record is not None
            journal.note_verdict(record.run, Verdict.NOT_PROVEN.name)  # as the next pack shows that this one was short
        machine.ask({"do": "empty_pockets"})
        machine.ask({"do": "load_pack", "seed": 5})  # North on top, then East, South, West
        ran = dealctl("check-board", "7", "--ready", *(["--json"] if as_json else []), *place)
    assert (ran.code, ran.err) == (0, ""), ran.all
    if as_json:
        assert json.loads(ran.out.splitlines()[-1])["verdict"] == "GOOD"
    else:
        assert "Board 7 was not proven and is GOOD now." in ran.out
    with journal_in(data) as journal:
        after = journal.last_of_board(7)
        assert after is not None
        assert (after.run, after.verdict) == (record.run, Verdict.GOOD.name)
    assert not shown_hands(ran.all, load_deals(file))
