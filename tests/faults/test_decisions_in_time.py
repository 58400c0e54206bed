"""A decision holds for the machine as it was when it was made: what happens there before motion begins ends it.

Read next: `driver/runner.py` (`_queue`), PROTOCOL.md, *Checks of ARM*, line 9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from driver.deals.loader import load_deals
from driver.findings import Choice
from driver.job import Job
from driver.job_events import CardDealt, JobEvent, NeedsOperator, VerdictWithdrawn
from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.faults import MachineFault
from firmware_sim.line import Line, LinePlan
from firmware_sim.packs import short_pack, shuffled_pack
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL, R_ONLY
from firmware_sim.slot import SimBoard
from protocol.cards import PACK_SIZE
from protocol.codes import Feature, Key, RequestType, State
from tests.stateful.world import World
from tests.support.peers import Peer, Setup, memory_peer, run_job
from tests.support.sitting import Halt, Sitting, loose_card

CLUB = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")


def press_stop(machine: SimMachine) -> None:
    machine.mechanism.press(Key.STOP)


def exchange_the_board(machine: SimMachine) -> None:
    machine.mechanism.open_cover()
    machine.mechanism.slot.remove_board()
    machine.mechanism.slot.insert_board(SimBoard(5))
    machine.mechanism.close_cover()


@pytest.mark.parametrize("times", [1, 2], ids=["decided once", "decided twice"])
@pytest.mark.parametrize("act", [press_stop, exchange_the_board])
def test_what_happens_while_the_line_is_silent_after_the_decision_ends_it(
    tmp_path: Path, act: Callable[[SimMachine], None], times: int
) -> None:
    """A second answer to the same question is none to the one that is asked then."""
    line = Line.of(LinePlan(1), baud=None)
    with Sitting(tmp_path, CLUB, Setup(profile=R_ONLY, line=line), numbers=(1,)) as sitting:
        decided: list[float] = []
        acted: list[float] = []

        def choose(_: Halt) -> Choice:
            if decided:
                return Choice.STOP
            decided.append(sitting.endpoint.now)
            line.freeze(sitting.endpoint.now, sitting.endpoint.now + 1.0)
            sitting.alarm = sitting.endpoint.now + 0.5
            if times == 2:
                sitting.job.decide(Choice.GO)
            return Choice.GO

        def meanwhile(now: float) -> None:
            if decided and not acted and sitting.alarm is not None and now >= sitting.alarm - 1e-6:
                acted.append(now)
                act(sitting.core)
                sitting.alarm = None

        sitting.choose, sitting.meanwhile = choose, meanwhile
        sitting.run()

        assert acted
        assert sitting.core.truth.motions == []
        asked = [event for event in sitting.events if isinstance(event, NeedsOperator)]
        assert len(asked) == 2


def test_a_wish_to_end_the_job_after_the_decision_keeps_go_from_being_sent(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(1,))))
    peer.wait_for(lambda core: core.mechanism.slot.board is not None and bool(core.mechanism.hopper))
    with peer.open() as machine:
        job = machine.start(CLUB, [1])
        for event in job.events():
            if event.needs_operator:
                job.go_on()
                job.stop()
    assert peer.core.truth.motions == []


def fill_up(sitting: Sitting) -> None:
    """The twin of the card that went along unseen, from a spare pack."""
    run = sitting.core.control.run
    assert run is not None
    seen = {record.identity for record in (*run.ledger.read(0), *run.ledger.read(26))}
    missing = next(card for card in range(PACK_SIZE) if card not in seen)
    sitting.mechanism.put_card_back(loose_card(missing), put_right=True)


@pytest.mark.parametrize("another_program", [False, True], ids=["one program", "stopped and begun again"])
def test_a_pack_that_was_filled_up_is_remembered_also_by_the_next_program(
    tmp_path: Path, another_program: bool
) -> None:
    with Sitting(tmp_path, CLUB, Setup(profile=R_ONLY), numbers=(1,)) as sitting:
        sitting.mechanism.add_fault(MachineFault.parse("double-feed@10"))
        stopped: list[bool] = []
        filled: list[bool] = []

        def cure(halt: Halt) -> bool:
            if halt.state is not State.PAUSED:
                return False
            if another_program and not stopped:
                stopped.append(True)
                sitting.job.decide(Choice.STOP)
                return True
            if not filled:
                filled.append(True)
                fill_up(sitting)
            sitting.job.decide(Choice.GO_ON)
            return True

        sitting.cure = cure
        sitting.choose = lambda _: Choice.STOP if filled else None
        sitting.run()
        if another_program:
            sitting.another_program()
            sitting.run()

        assert filled
        assert not sitting.is_right(0)
        assert sitting.verdicts == [Verdict.NOT_PROVEN]


def deal_one(peer: Peer, board: int, seed: int, *, short: bool) -> list[VerdictWithdrawn]:
    """Deals one board as a job of its own; a short pack ends the job. Gives what was withdrawn."""
    mechanism = peer.core.mechanism
    if mechanism.slot.board is not None:
        mechanism.slot.remove_board()
    mechanism.slot.insert_board(board)
    mechanism.load_pack(short_pack(seed) if short else shuffled_pack(seed))
    with peer.open() as machine:
        job = machine.start(CLUB, [board], auto=True, more_packs=True)
        events = run_job(job, lambda job, _: job.decide(Choice.STOP))
        if not short:
            assert [result.verdict for result in job.result.boards] == [Verdict.GOOD]
        return [event for event in events if isinstance(event, VerdictWithdrawn)]


def test_a_good_with_an_open_pack_end_is_withdrawn_by_the_next_pack_in_another_program(tmp_path: Path) -> None:
    features = FULL.features & ~(Feature.BACKS | Feature.STOP_CARD)
    peer = memory_peer(tmp_path, Setup(profile=replace(FULL, features=features)))
    peer.core.mechanism.load_pack(shuffled_pack(9))
    assert deal_one(peer, 1, 1, short=False) == []
    peer.core.mechanism.take_hopper()

    (withdrawn,) = deal_one(peer, 2, 2, short=True)

    assert (withdrawn.board, withdrawn.copy) == (1, "")
    with peer.open() as machine:
        dealt = machine.journal.last_of_board(1)
    assert dealt is not None
    assert dealt.verdict == Verdict.NOT_PROVEN.name


def go_on_or_start(job: Job, event: JobEvent) -> None:
    assert isinstance(event, NeedsOperator)
    job.decide(Choice.GO_ON if Choice.GO_ON in event.choices else Choice.GO)


def test_boards_before_an_interrupted_one_come_after_it_unless_they_were_dealt(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(2, 3, 1, 4))))
    with peer.open() as machine:
        for event in machine.start(CLUB, [2, 3], auto=True).events():
            if isinstance(event, CardDealt) and (event.board, event.index) == (3, 20):
                break
    peer.wait_for(lambda core: core.control.state is State.PAUSED)

    with peer.open() as machine:
        job = machine.start(CLUB, [1, 2, 3, 4])
        told = run_job(job, go_on_or_start)
        dealt = [event for event in told if isinstance(event, CardDealt) and event.board == 3]
        assert [event.index for event in dealt] == list(range(53 - len(dealt), 53))
        assert all(sum(event.counts) == event.index for event in dealt)
        assert [(result.number, result.verdict) for result in job.result.boards] == [
            (3, Verdict.GOOD),
            (1, Verdict.GOOD),
            (4, Verdict.GOOD),
        ]


def test_a_card_that_the_machine_senses_is_named_with_what_to_do_whatever_the_pause_is_about(tmp_path: Path) -> None:
    with Sitting(tmp_path, CLUB, Setup(profile=FULL), numbers=(1,)) as sitting:
        sitting.mechanism.add_fault(MachineFault.parse("cover@7:60"))
        sitting.run()
        asked = [event for event in sitting.events if isinstance(event, NeedsOperator) and event.code == "COVER_OPEN"]
        assert asked
        assert "A card lies in the path: take it out" in asked[0].hands
        assert "Close the cover." in asked[0].hands
        assert sitting.verdicts == [Verdict.GOOD]


def test_the_intent_holds_the_machine_as_it_is_at_arm_and_no_question_delays_a_board_that_came(tmp_path: Path) -> None:
    """Between two boards others come and go, and the cover is opened: each moves a count that the intent holds."""
    world = World(11, boards=3)
    try:
        seen: list[tuple[int, int]] = []
        asked: list[int] = []

        def watch(_: bytes) -> bool:
            control = world.core.control
            seen.append((control.odometer, control.senses.board_edges))
            asked.append(world.line.requests(RequestType.STATUS))
            world.line.on_request(RequestType.ARM, watch)
            return True

        world.line.on_request(RequestType.ARM, watch)
        world.run()
        world.start_board()
        world.run()
        for number in (2, 3):
            slot = world.core.mechanism.slot
            slot.remove_board()
            world.core.mechanism.open_cover()
            slot.insert_board(SimBoard(9))
            world.run()
            world.core.mechanism.close_cover()
            world.run()
            before = world.line.requests(RequestType.STATUS)
            world.hands.put_board_in(number)
            world.run()
            intention = world.journal.last_of_board(number) if not world.is_over else None
            assert intention is None or (intention.intention.odometer, intention.intention.board_edges) == seen[-1]
            assert asked[-1] == before, "the odometer and the edges were known"
        assert [odometer for odometer, _ in seen][-1] == 2 * PACK_SIZE
    finally:
        world.close()
