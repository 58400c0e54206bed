"""The same hands once more into a board: also into the one that was never taken out, once a person emptied it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driver.again import DealtBefore, dealt_before, hands_now
from driver.cli.new_hands import give
from driver.clock import utc_now
from driver.deals.fairness import SPARES
from driver.deals.loader import load_deals
from driver.deals.model import Deal, DealSet
from driver.errors import NothingOpen, WrongState
from driver.findings import Choice
from driver.job import Job
from driver.job_events import JobEvent, NeedsOperator
from driver.machine import Machine
from driver.making import deals_of, make_game
from driver.new_hands import NewHands, plan_new_hands
from driver.store.store import Store
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import shuffled_pack
from firmware_sim.person import Act
from firmware_sim.person_script import PersonScript
from tests.support.peers import Peer, Setup, memory_peer, run_job, truth_equals

DEALS = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"


@pytest.fixture
def peer(tmp_path: Path) -> Peer:
    """A machine in which board 1 was dealt and still lies."""
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(1,))))
    with peer.open() as machine:
        run_job(machine.start(load_deals(DEALS), [1], auto=True))
    return peer


def empty_the_board(peer: Peer, seed: int) -> None:
    peer.core.mechanism.slot.empty_board()
    peer.core.mechanism.load_pack(shuffled_pack(seed))


def test_the_board_that_was_emptied_in_the_machine_is_dealt_again_after_one_enter(peer: Peer) -> None:
    empty_the_board(peer, 7)
    with peer.open() as machine:
        before = again(machine, 1)
        job = machine.start(before.deals, [before.source.number], emptied=True)
        asked = [event for event in run_job(job) if event.needs_operator]
        assert len(asked) == 1
        assert [board.verdict.name for board in job.result.boards] == ["GOOD"]
    assert truth_equals(peer, load_deals(DEALS), [1])


def test_without_that_word_of_a_person_the_same_board_is_refused_and_nothing_moves(peer: Peer) -> None:
    empty_the_board(peer, 7)

    def start_then_stop(job: Job, event: JobEvent) -> None:
        assert isinstance(event, NeedsOperator)
        job.decide(Choice.STOP if "just dealt" in event.text else Choice.GO)

    with peer.open() as machine:
        job = machine.start(load_deals(DEALS), [1])
        asked = [event for event in run_job(job, start_then_stop) if event.needs_operator]
    assert len(asked) == 2
    assert len(peer.core.truth.feeds()) == 52


def test_a_board_that_can_never_go_on_is_dealt_again_after_one_enter_by_a_person_who_emptied_it_first(
    tmp_path: Path,
) -> None:
    mishap = FaultPlan((MachineFault(FaultKind.DOUBLE_FEED, 10),))
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(1, 2)), faults=mishap))
    person, asked = peer.person, []
    assert person is not None

    def empty_then_deal_again(job: Job, event: JobEvent) -> None:
        asked.append(event)
        peer.wait_for(lambda core: len(core.mechanism.hopper) == 52)
        assert all(peer.core.mechanism.slot.is_empty(pocket) for pocket in range(4))
        person.ask_for(1)
        job.deal_again()

    with peer.open() as machine:
        run_job(machine.start(load_deals(DEALS), [1, 2], auto=True), empty_then_deal_again)
    assert len(asked) == 1
    assert truth_equals(peer, load_deals(DEALS), [1, 2])
    assert [act for _, act in person.acts].count(Act.GATHER) == 1


def again(machine: Machine, board: int) -> DealtBefore:
    """What would be dealt again as that board, from a set without a passphrase."""
    store = machine.store
    return dealt_before(machine.journal, store, board, opened=lambda stored: hands_now(store, stored))


def deal(peer: Peer, deals: DealSet, *boards: int, **more: Any) -> None:
    """A job of those boards, which the person beside the machine puts in."""
    with peer.open() as machine:
        run_job(machine.start(deals, boards, auto=True, **more))


def game(peer: Peer) -> DealSet:
    """The boards of a set that is made and stored now."""
    with Store(peer.data, now=utc_now) as store:
        return deals_of(store, make_game(store, now=utc_now))


def give_new_hands(peer: Peer, deals: DealSet, board: int, *copies: str) -> None:
    """The director gives the board new hands."""
    with Store(peer.data, now=utc_now) as store:
        plan = plan_new_hands(board, spares=SPARES, given=(), copies=copies)
        assert isinstance(plan, NewHands)
        give(store, store.sets.find(deals.set_id), plan, "Dora", "a card was seen")


def test_a_board_that_was_never_dealt_here_is_refused_with_what_to_do(peer: Peer) -> None:
    with peer.open() as machine, pytest.raises(NothingOpen) as error:
        again(machine, 2)
    assert "dealctl deal" in error.value.hint


@pytest.mark.parametrize("is_gone", [True, False], ids=["gone", "with other hands now"])
def test_the_file_is_not_needed_any_more(tmp_path: Path, is_gone: bool) -> None:
    copy = tmp_path / "club.pbn"
    text = DEALS.read_text(encoding="ascii")
    copy.write_text(text, encoding="ascii")
    peer = memory_peer(tmp_path / "data", Setup(script=PersonScript(boards=(1,))))
    deal(peer, load_deals(copy), 1)
    if is_gone:
        copy.unlink()
    else:
        swapped = text.replace('[Board "1"]', '[Board "x"]').replace('[Board "2"]', '[Board "1"]')
        copy.write_text(swapped.replace('[Board "x"]', '[Board "2"]'), encoding="ascii")
    with peer.open() as machine:
        assert again(machine, 1).source.deal == deal_of(load_deals(DEALS), 1)


def test_the_number_and_the_copy_that_it_was_dealt_as_are_found_again(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(13,))))
    deal(peer, load_deals(DEALS), 1, copies=("B",), as_board=13)
    with peer.open() as machine:
        before = again(machine, 13)
        assert (before.source.number, before.board, before.copy) == (1, 13, "B")
        with pytest.raises(NothingOpen):
            again(machine, 1)


def test_a_board_of_a_set_made_here_is_made_once_more(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(2,))))
    deals = game(peer)
    deal(peer, deals, 2)
    with peer.open() as machine:
        before = again(machine, 2)
    assert before.source.deal == deal_of(deals, 2)
    assert truth_equals(peer, before.deals, [2])


def test_a_copy_with_new_hands_gets_those_again(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(2, 2))))
    deals = game(peer)
    give_new_hands(peer, deals, 2, "B")
    with Store(peer.data, now=utc_now) as store:
        for_b = hands_now(store, store.sets.find(deals.set_id)).of_copy("B")
    deal(peer, deals, 2, copies=("A", "B"), other_hands={"B": for_b})
    with peer.open() as machine:
        before = again(machine, 2)
    assert (before.copy, before.source.deal) == ("B", deal_of(for_b, 2))
    assert before.source.deal != deal_of(deals, 2)
    assert truth_equals(peer, for_b, [2])


def test_hands_that_the_director_replaced_are_not_dealt_again(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(13,))))
    deals = game(peer)
    deal(peer, deals, 2, copies=("B",), as_board=13)
    give_new_hands(peer, deals, 2)
    with peer.open() as machine, pytest.raises(WrongState, match="new hands") as error:
        again(machine, 13)
    assert f"dealctl deal {deals.name} --boards 2 --copies B --as 13" in error.value.hint


def test_new_hands_of_another_board_or_copy_change_nothing(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(2,))))
    deals = game(peer)
    deal(peer, deals, 2, copies=("A",))
    give_new_hands(peer, deals, 2, "B")
    with peer.open() as machine:
        assert again(machine, 2).source.deal == deal_of(deals, 2)


def test_a_set_that_was_thrown_away_is_said_with_what_to_do(peer: Peer) -> None:
    with peer.open() as machine:
        machine.store.sets.throw_away(machine.store.sets.newest_first()[0])
        with pytest.raises(NothingOpen, match="not on this computer any more"):
            again(machine, 1)


def deal_of(deals: DealSet, number: int) -> Deal:
    """The deal of that board, which is there."""
    board = deals.find(number)
    assert board is not None
    return board.deal
