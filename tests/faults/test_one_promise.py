"""The one promise of the page in its shortest form: motion begins once for each GO, and what is told has happened.

Each is a rule that a machine broken on purpose breaks. Read next: PROTOCOL.md, sections 3 and 7; `tests/mutants/`.
"""

from __future__ import annotations

from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from protocol.codes import EventType, Kind, Place, Refusal, State, TokenEnd
from protocol.messages import Clear, Cleared, Go, Going, Refused
from tests.support.bare_host import ready_host


def test_a_go_that_comes_twice_begins_motion_once() -> None:
    host = ready_host()
    token = host.armed().token
    host.ask(Go(token), Going)
    host.wait(0.5)
    go = host.wire(Go(token), number=host.number, connection=host.connection)
    for _ in range(3):
        host.send(go)
    assert len(host.machine.truth.motions) == 1
    assert host.machine.truth.violations() == []


def test_a_token_is_dead_once_the_cover_was_opened_even_when_it_is_closed_again() -> None:
    host = ready_host()
    token = host.armed().token
    host.machine.mechanism.open_cover()
    host.machine.mechanism.close_cover()
    answer = host.answer_to(Go(token))
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.why) == (Refusal.TOKEN_DEAD, TokenEnd.CHANGED)
    assert host.machine.truth.motions == []


def test_nothing_moves_after_a_fault_was_cleared_until_a_new_arm_and_go() -> None:
    host = ready_host(faults=FaultPlan((MachineFault(FaultKind.JAM_PATH, 3),)))
    host.deal_until(4)
    host.machine.mechanism.take_card(Place.PATH)
    host.ask(Clear(host.status().fault_event), Cleared)
    host.wait(5.0)
    assert host.status().state is State.PAUSED
    assert len(host.machine.truth.motions) == 1
    assert len(host.machine.truth.feeds()) == 4


def test_the_events_of_one_boot_are_numbered_on_from_run_to_run() -> None:
    host = ready_host(packs=2)
    host.deal_whole(more_packs=True)
    host.close()
    host.machine.mechanism.slot.remove_board()
    host.machine.mechanism.slot.insert_board(1)
    host.run += 1
    host.deal_whole()
    numbers = [number for number, _ in host.events()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert numbers[-1] == host.status().last_event > 104


def test_a_card_is_told_and_counted_only_when_it_is_in_its_pocket() -> None:
    host = ready_host()
    host.go()
    while (report := host.status()).state is State.MOVING:
        told = [event for _, event in host.events() if event.type == EventType.CARD]
        assert len(told) == report.index == sum(report.pocket_counts) == len(host.machine.truth.drops())
        host.machine.advance_to(host.machine.now + 0.005)
        host.take()
        host.frames = [frame for frame in host.frames if frame.kind is Kind.EVENT]
    assert report.state is State.DONE
