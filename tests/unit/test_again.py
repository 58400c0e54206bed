"""The same hands once more into a board: also into the one that was never taken out, once a person emptied it."""

from __future__ import annotations

from pathlib import Path

import pytest

from driver.again import dealt_before
from driver.deals.loader import load_deals
from driver.errors import NothingOpen
from driver.findings import Choice
from driver.job import Job
from driver.job_events import JobEvent, NeedsOperator
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
        before = dealt_before(machine.journal, 1)
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


def test_a_board_that_was_never_dealt_here_is_refused_with_what_to_do(peer: Peer) -> None:
    with peer.open() as machine, pytest.raises(NothingOpen) as error:
        dealt_before(machine.journal, 2)
    assert "dealctl deal" in error.value.hint


def test_a_file_that_holds_other_hands_now_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "club.pbn"
    text = DEALS.read_text(encoding="ascii")
    copy.write_text(text, encoding="ascii")
    peer = memory_peer(tmp_path / "data", Setup(script=PersonScript(boards=(1,))))
    with peer.open() as machine:
        run_job(machine.start(load_deals(copy), [1], auto=True))
    swapped = text.replace('[Board "1"]', '[Board "x"]').replace('[Board "2"]', '[Board "1"]')
    copy.write_text(swapped.replace('[Board "x"]', '[Board "2"]'), encoding="ascii")
    with peer.open() as machine, pytest.raises(NothingOpen, match="other hands"):
        dealt_before(machine.journal, 1)
