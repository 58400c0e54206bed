"""The facts of STATUS, TICK and STOPPED.

May import: `host_side` (types), protocol and the standard library. Read next: `requests.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from firmware_sim.run import Run
from protocol.codes import (
    FaultClass,
    FaultCode,
    NextStep,
    Obstacle,
    PackEnd,
    PauseReason,
    Place,
    RunFlag,
    Sensor,
    State,
)
from protocol.messages import StatusReport, Stopped, Tick

if TYPE_CHECKING:
    from firmware_sim.host_side import HostSide

_U16: Final = 0xFFFF
_U32: Final = 0xFFFFFFFF


def shown_index(run: Run | None) -> int:
    """The index as the wire carries it: 0 when no run is open, 255 = unknown."""
    return run.shown_index() if run is not None else 0


def status_report(machine: HostSide) -> StatusReport:
    """The answer to STATUS, as things are now."""
    control, counts = machine.control, machine.counts
    run, fault, sensors = control.run, control.fault, control.senses.sensors()
    obstacle = control.obstacle() if control.state is State.PAUSED else Obstacle.NONE
    known = run is not None and run.known
    return StatusReport(
        run=run.id if run else 0,
        state=control.state,
        reason=run.reason if run and control.state is State.PAUSED else PauseReason.NONE,
        index=shown_index(control.run),
        doubt=run.doubt(sensors) if run else 0,
        pack_end=run.pack_end if run and control.state is State.DONE else PackEnd.UNKNOWN,
        run_flags=run.flags() if run else RunFlag(0),
        sensors=Sensor(sensors),
        board_number=control.senses.board_number(),
        pocket_counts=bytes(run.ledger.counts) if run and known else bytes(4),
        fault=fault.code if fault else FaultCode.NONE,
        fault_class=fault.fault_class if fault else FaultClass.NONE,
        fault_index=fault.index if fault else 0,
        fault_place=fault.place if fault else Place.UNKNOWN,
        fault_attempt=fault.attempt if fault else 0,
        fault_event=fault.event if fault else 0,
        board_edges=control.senses.board_edges & _U16,
        cover_edges=control.senses.cover_edges & _U16,
        odometer=control.odometer & _U32,
        last_event=machine.ring.last,
        uptime_ms=machine.uptime_ms(),
        may=_next_steps(machine, obstacle),
        cannot_go_on=obstacle,
        frames_in=counts.frames_in & _U32,
        bad_in=min(machine.bad_in(), _U16),
        echoes=min(counts.echoes, _U16),
        out_of_turn=min(counts.out_of_turn, _U16),
        frames_out=counts.frames_out & _U32,
        dropped_out=min(counts.dropped_out, _U16),
    )


def _next_steps(machine: HostSide, obstacle: Obstacle) -> NextStep:
    control = machine.control
    may = NextStep(0)
    if control.state is State.NONE:
        may |= NextStep.ARM_NEW
    if control.state is State.PAUSED and obstacle is Obstacle.NONE:
        may |= NextStep.GO_ON
    if control.state in (State.PAUSED, State.DONE):
        may |= NextStep.CLOSE
    if control.fault is not None:
        may |= NextStep.CLEAR
    return may


def tick(machine: HostSide) -> Tick:
    """The machine is there."""
    control = machine.control
    return Tick(
        machine.uptime_ms(), machine.ring.last, control.odometer & _U32, control.state, shown_index(control.run)
    )


def stopped(machine: HostSide) -> Stopped:
    """What STOP found and left."""
    control = machine.control
    run, index = control.run, shown_index(control.run)
    doubt = run.doubt(control.senses.sensors()) if run else 0
    return Stopped(run.id if run else 0, control.state, index, control.odometer & _U32, doubt)
