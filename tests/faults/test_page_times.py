"""The rows of the table *Times* that a machine keeps, acted out on the simulated machine.

Read next: `test_page_rules.py`, `tests/support/bare_host.py`. What the host keeps is tested where the driver is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.profile import FULL
from protocol.codes import FaultCode, Kind, PauseReason, State
from protocol.framing import FrameDecoder
from protocol.messages import Beat, Clear, Go, Going, Identify, Pause, ReadEvents, ReadLedger, RunEvent, Status
from tests.support.bare_host import RUN, BareHost, ready_host
from tests.support.scenes import CARD_TIME, SPIN_UP
from tests.support.tables import page_table

TIMES: Final = {row["time"]: int(row["value"]) / 1000 for row in page_table("Times") if row["who"] == "machine"}


def answers_at_once(host: BareHost, limit: float) -> None:
    host.go()
    for request in (Identify(), Status(), host.plan(), Go(1), Clear(1), ReadLedger(RUN, 0), ReadEvents(1), Pause()):
        asked = host.machine.now
        host.number += 1
        host.machine.receive(host.wire(request, number=host.number, connection=host.connection))
        host.machine.advance_to(asked + 1)
        times = [time for time, data in host.machine.take_output() for frame in FrameDecoder().feed(data)
                 if frame.kind is Kind.ANSWER]  # fmt: skip
        assert len(times) == 1
        assert asked <= times[0] <= asked + limit


def ticks_in(host: BareHost, seconds: float, *, beat: bool) -> int:
    return sum(frame.kind is Kind.TICK for frame in host.wait(seconds, beat=beat))


def ticks_while_open(host: BareHost, every: float) -> None:
    for _ in range(3):
        assert ticks_in(host, 20 * every, beat=True) == 20


def quiet_without_a_host(host: BareHost, after: float) -> None:
    assert ticks_in(host, after, beat=False) in (after - 1, after)
    assert ticks_in(host, 10 * after, beat=False) <= 1
    host.send(host.wire(Beat(), connection=host.connection))
    assert ticks_in(host, 5, beat=True) == 5


def pauses_without_a_host(host: BareHost, after: float) -> None:
    host.go()
    heard = host.machine.now
    host.machine.advance_to(heard + after - 0.001)
    host.take()
    assert not [event for _, event in host.events() if isinstance(event, RunEvent) and event.state is State.PAUSED]
    host.machine.advance_to(heard + after + FULL.card_ms / 1000 + 0.001)
    host.take()
    (paused,) = [event for _, event in host.events() if isinstance(event, RunEvent) and event.state is State.PAUSED]
    assert (paused.reason, paused.doubt) == (PauseReason.HOST_LOST, 0)


def token_expires(host: BareHost, after: float) -> None:
    assert host.armed().lives_ms == 1000 * after
    for waits, alive in ((after - 0.001, True), (after + 0.001, False)):
        token = host.armed().token
        host.wait(waits)
        answer = host.answer_to(Go(token))
        assert isinstance(answer, Going) == alive
        if alive:
            host.stop()
            host.close()
            slot = host.machine.mechanism.slot
            slot.insert_board(slot.remove_board())
            slot.empty_pockets()
            host.run = RUN + 1


def no_progress(host: BareHost, after: float) -> None:
    assert FULL.card_limit_ms == 1000 * after
    host.machine.mechanism.add_fault(MachineFault(FaultKind.STALL, 4))
    host.go()
    report = host.run_until()
    assert report.fault is FaultCode.NO_PROGRESS
    begun = SPIN_UP + 4 * CARD_TIME
    since_go = host.machine.now - host.machine.truth.motions[0].time
    assert begun < since_go <= begun + CARD_TIME + after + 0.03


TIME_CASES: Final[dict[str, Callable[[BareHost, float], None]]] = {
    "ANSWER_WITHIN": answers_at_once,
    "TICK_EVERY": ticks_while_open,
    "QUIET_AFTER": quiet_without_a_host,
    "HOST_LOST_AFTER": pauses_without_a_host,
    "TOKEN_LIVES": token_expires,
    "CARD_LIMIT": no_progress,
}


@pytest.mark.parametrize("name", TIMES)
def test_the_machine_keeps_the_time_of_its_row(name: str) -> None:
    TIME_CASES[name](ready_host(), TIMES[name])
