"""Checking a pack and checking a dealt board on the simulated machine: what is in it, and that no run stays open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver.deals.loader import load_deals
from driver.deals.model import Deal
from driver.errors import MachineFault, RequestRefused
from driver.machine import Machine
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind, FaultPlan
from firmware_sim.faults import MachineFault as Mishap
from firmware_sim.packs import SimCard, foreign_card, long_pack, ordered_pack, short_pack, shuffled_pack
from firmware_sim.profile import P_ONLY
from protocol.cards import Card, Seat
from protocol.codes import State
from tests.support.peers import Peer, Setup, memory_peer
from tests.support.sitting import Sitting

DEALS = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"


def peer_with(tmp_path: Path, pack: Sequence[SimCard], **setup: object) -> Peer:
    """A machine with board 1 in the slot and `pack` in the hopper."""
    peer = memory_peer(tmp_path, Setup(**setup))  # type: ignore[arg-type]
    peer.core.mechanism.slot.insert_board(1)
    peer.core.mechanism.load_pack(tuple(pack))
    return peer


def dealt_pack(deal: Deal) -> list[SimCard]:
    """The cards of a dealt board as they are laid into the hopper: North's hand on top, then E S W."""
    cards = {card.identity: card for card in ordered_pack()}
    return [cards[int(card)] for seat in Seat for card in deal.hand(seat)]


def no_run_is_open(machine: Machine) -> bool:
    status = machine.status()
    return (status.run, status.state) == (0, State.NONE)


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_pack_is_found_whole_in_any_order(tmp_path: Path, seed: int) -> None:
    peer = peer_with(tmp_path, shuffled_pack(seed))
    with peer.open() as machine:
        report = machine.check_pack()
        assert report.is_whole
        assert no_run_is_open(machine)
    assert len(peer.core.truth.feeds()) == 52


@pytest.mark.parametrize("missing", [0, 17, 51])
def test_a_missing_card_is_named(tmp_path: Path, missing: int) -> None:
    peer = peer_with(tmp_path, short_pack(3, missing=missing))
    with peer.open() as machine:
        report = machine.check_pack()
        assert report.missing == (Card(missing),)
        assert report.fed == 51
        assert no_run_is_open(machine)


def test_a_card_too_many_is_named_or_told_as_left_over(tmp_path: Path) -> None:
    peer = peer_with(tmp_path, long_pack(3, extra=8, at=20))
    with peer.open() as machine:
        report = machine.check_pack()
        assert not report.is_whole
        assert report.over
        assert report.doubled in ((Card(8),), ())


def test_a_foreign_card_is_counted_and_the_run_goes_on_to_the_end(tmp_path: Path) -> None:
    pack = list(shuffled_pack(5))
    gone, pack[30] = pack[30], foreign_card()
    peer = peer_with(tmp_path, pack)
    with peer.open() as machine:
        report = machine.check_pack()
        assert report.foreign == 1
        assert report.missing == (Card(gone.identity),)


def test_a_jam_ends_the_check_with_the_fault_and_what_to_do_and_no_open_run(tmp_path: Path) -> None:
    peer = peer_with(tmp_path, shuffled_pack(5), faults=FaultPlan((Mishap(FaultKind.JAM_PATH, 9),)))
    with peer.open() as machine:
        with pytest.raises(MachineFault) as error:
            machine.check_pack()
        assert error.value.hint
        assert no_run_is_open(machine)


def test_an_empty_hopper_refuses_the_check_and_nothing_moves(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup())
    peer.core.mechanism.slot.insert_board(1)
    with peer.open() as machine:
        with pytest.raises(RequestRefused, match="pack"):
            machine.check_pack()
        assert no_run_is_open(machine)
    assert peer.core.truth.feeds() == []


def test_a_board_that_holds_its_deal_is_found_right_pocket_by_pocket(tmp_path: Path) -> None:
    board = load_deals(DEALS).boards[0]
    peer = peer_with(tmp_path, dealt_pack(board.deal))
    with peer.open() as machine:
        report = machine.check_board(1, board.deal)
        assert report.matches
        assert [pocket.matches for pocket in report.pockets] == [True] * 4
        assert no_run_is_open(machine)
    assert peer.pockets(1) == tuple(frozenset(int(card) for card in board.deal.hand(seat)) for seat in Seat)


def test_a_board_that_was_not_proven_is_good_when_it_was_fed_back_and_found_right(tmp_path: Path) -> None:
    deals = load_deals(DEALS)
    deal = deals.boards[0].deal
    with Sitting(tmp_path, deals) as sitting:
        sitting.run()
        journal = sitting.machine.journal
        record = journal.last_of_board(1)
        assert record is not None
        assert not sitting.machine.note_proven(1), "what is good stays as it is"
        journal.note_verdict(record.run, Verdict.NOT_PROVEN.name)
        sitting.boards[0].empty()
        sitting.mechanism.load_pack(tuple(dealt_pack(deal)))
        report = sitting.machine.check_board(1, deal, emptied=True)
        assert (report.matches, report.proven) == (True, True)
        assert sitting.machine.note_proven(1)
        again = journal.last_of_board(1)
        assert again is not None
        assert (again.run, again.verdict) == (record.run, Verdict.GOOD.name)


def test_a_board_with_a_card_too_many_behind_it_is_right_in_its_pockets_and_not_proven(tmp_path: Path) -> None:
    board = load_deals(DEALS).boards[0]
    peer = peer_with(tmp_path, [*dealt_pack(board.deal), ordered_pack(pack=2)[0]])
    with peer.open() as machine:
        report = machine.check_board(1, board.deal)
    assert (report.matches, report.proven) == (True, False)


def test_two_cards_exchanged_between_hands_are_found_in_both_pockets_and_no_card_is_named(tmp_path: Path) -> None:
    board = load_deals(DEALS).boards[0]
    pack = dealt_pack(board.deal)
    pack[3], pack[30] = pack[30], pack[3]
    peer = peer_with(tmp_path, pack)
    with peer.open() as machine:
        report = machine.check_board(1, board.deal)
    assert [pocket.matches for pocket in report.pockets] == [False, True, False, True]
    words = set(re.findall(r"\w+", repr(report)))
    assert not words & {str(Card(card.identity)) for card in pack}


def test_a_machine_that_reads_no_cards_cannot_say_whether_a_board_is_right(tmp_path: Path) -> None:
    board = load_deals(DEALS).boards[0]
    peer = peer_with(tmp_path, dealt_pack(board.deal), profile=P_ONLY)
    with peer.open() as machine:
        assert machine.check_board(1, board.deal).matches is None


def test_an_interrupted_check_stops_the_motors_and_leaves_no_run_open(tmp_path: Path, mocker: MockerFixture) -> None:
    peer = peer_with(tmp_path, shuffled_pack(5))
    mocker.patch("driver.check_run._wait_for_end", side_effect=KeyboardInterrupt)
    with peer.open() as machine:
        with pytest.raises(KeyboardInterrupt):
            machine.check_pack()
        assert no_run_is_open(machine)
    assert not peer.core.mechanism.card_path.motor
