"""What the machine answers: one function for each request, and the checks of ARM in their normative order.

May import: `run`, `status`, `host_side` (types), protocol and the standard library. Read next: `runs.py`. No function
here waits for mechanics; the tables *Checks of ARM* and *Refusals* of PROTOCOL.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from firmware_sim.run import EndState, LatchedFault, sensors_out
from firmware_sim.status import shown_index, status_report
from protocol.cards import HAND_SIZE, PACK_SIZE
from protocol.codes import (
    AnomalyMode,
    BoardSensing,
    Check,
    Confirmation,
    EventType,
    FaultCode,
    HopperSensing,
    LedgerKind,
    Obstacle,
    PocketSensing,
    RangeField,
    Recognition,
    Refusal,
    RequestType,
    Routing,
    Sensor,
    State,
    TokenEnd,
)
from protocol.constants import NOT_PUT_BACK, TOKEN_LIVES
from protocol.messages import (
    Answer,
    Arm,
    Armed,
    Clear,
    Cleared,
    Close,
    Closed,
    Events,
    Go,
    Going,
    Identify,
    Ledger,
    Message,
    Pause,
    Pausing,
    ReadEvents,
    ReadLedger,
    Refused,
    Status,
)

if TYPE_CHECKING:
    from firmware_sim.host_side import HostSide

_STALE: Final = (EventType.FAULT, EventType.RUN, EventType.BOARD, EventType.COVER)
_CARD_IN_SIGHT: Final = Sensor.READER_CARD | Sensor.PATH_CARD
_PATH_FAULTS: Final = frozenset(
    {
        FaultCode.JAM,
        FaultCode.DOUBLE_FEED,
        FaultCode.FACE_UP,
        FaultCode.UNREADABLE,
        FaultCode.FOREIGN_CARD,
        FaultCode.DUPLICATE_CARD,
        FaultCode.NO_PROGRESS,
    }
)
Answerer = Callable[["HostSide", Message], Answer]


def _refused(request: RequestType, reason: Refusal, why: int = 0, *, detail: int = 0) -> Refused:
    return Refused(request, reason, why, detail=detail)


def _run_known(request: RequestType, end: EndState) -> Refused:
    return Refused(request, Refusal.RUN_KNOWN, end.state, end.index, end.doubt)


def answer_identify(machine: HostSide, _: Message) -> Answer:
    """What the machine is."""
    return machine.profile.identity()


def answer_status(machine: HostSide, _: Message) -> Answer:
    """How it stands."""
    return status_report(machine)


def answer_arm(machine: HostSide, asked: Message) -> Answer:
    """Reads sensors only, moves nothing: a token, or the first check that fails."""
    assert isinstance(asked, Arm)
    control = machine.control
    refused = check_arm(machine, asked)
    if refused is not None:
        return refused
    first = control.run.index if control.run else 0
    return Armed(asked.run, control.tokens.make(asked, machine.now), TOKEN_LIVES, first)


def check_arm(machine: HostSide, arm: Arm) -> Refused | None:
    """The checks 2 to 22 in order; None = all passed."""
    control = machine.control
    on = control.run is not None and control.run.id == arm.run
    field = _out_of_range(arm, on=on)
    if field is not None:
        return _refused(RequestType.ARM, Refusal.OUT_OF_RANGE, field)
    if arm.routing == Routing.BY_IDENTITY and machine.profile.recognition is Recognition.NONE:
        return _refused(RequestType.ARM, Refusal.NOT_SUPPORTED)
    if control.state is State.MOVING:
        return _refused(RequestType.ARM, Refusal.NOT_NOW, control.state)
    refused = _check_run_on(machine, arm) if on else _check_run_new(machine, arm)
    if refused is not None:
        return refused
    newest = max(machine.ring.newest_of(_STALE), machine.ring.newest_stop)
    if newest > arm.last_event:
        return _refused(RequestType.ARM, Refusal.STALE, detail=newest)
    if control.fault is not None:
        return _refused(RequestType.ARM, Refusal.CHECK_FAILED, Check.FAULT_LATCHED)
    if on and (obstacle := control.obstacle(arm.put_back, arm.first)) is not Obstacle.NONE:
        return _refused(RequestType.ARM, Refusal.CANNOT_GO_ON, obstacle)
    return _check_sensors(machine, arm, new=not on)


def _out_of_range(arm: Arm, *, on: bool) -> RangeField | None:
    counts = Counter(byte >> shift & 3 for byte in arm.destinations for shift in (0, 2, 4, 6))
    wrong = {
        RangeField.RUN: arm.run == 0,
        RangeField.BOARD: arm.board == 0,
        RangeField.ROUTING: not isinstance(arm.routing, Routing),
        RangeField.ON_ANOMALY: not isinstance(arm.on_anomaly, AnomalyMode)
        or (arm.on_anomaly is AnomalyMode.REPORT and arm.routing != Routing.BY_ORDER),
        RangeField.PUT_BACK: arm.put_back >= PACK_SIZE and arm.put_back != NOT_PUT_BACK,
        RangeField.FIRST: arm.first >= PACK_SIZE or (not on and arm.first != 0),
        RangeField.DESTINATIONS: any(counts[pocket] != HAND_SIZE for pocket in range(4)),
    }
    return next((field for field, is_wrong in wrong.items() if is_wrong), None)


def _check_run_new(machine: HostSide, arm: Arm) -> Refused | None:
    control = machine.control
    end = control.end_of(arm.run)
    if end is not None:
        return _run_known(RequestType.ARM, end)
    if control.run is not None:
        return _refused(RequestType.ARM, Refusal.RUN_OPEN, control.state)
    return None


def _check_run_on(machine: HostSide, arm: Arm) -> Refused | None:
    control = machine.control
    run = control.run
    assert run is not None
    if control.state is State.DONE:
        return _refused(RequestType.ARM, Refusal.NOT_NOW, control.state)
    told = (arm.plan_tag, arm.board, int(arm.routing), int(arm.on_anomaly), arm.more_packs)
    if told != (run.plan_tag, run.board, run.routing, run.on_anomaly, run.more_packs) or not run.agrees_with(
        arm.destinations
    ):
        return _refused(RequestType.ARM, Refusal.RUN_CHANGED)
    return None


def _check_sensors(machine: HostSide, arm: Arm, *, new: bool) -> Refused | None:
    """The checks 12 to 22."""
    control, profile = machine.control, machine.profile
    sensors, confirmed = Sensor(control.senses.sensors()), arm.confirmed
    if sensors & Sensor.COVER_OPEN:
        return _check_failed(Check.COVER)
    if profile.board is not BoardSensing.NONE:
        if not sensors & Sensor.BOARD_PRESENT:
            return _check_failed(Check.BOARD_MISSING)
        if (
            new
            and control.senses.board_edges == control.still_edges
            and not confirmed & Confirmation.SAME_BOARD_EMPTIED
        ):
            return _refused(RequestType.ARM, Refusal.SAME_BOARD)
    if profile.board is BoardSensing.NUMBER:
        number = control.senses.board_number()
        if number != arm.board:
            return _refused(RequestType.ARM, Refusal.WRONG_BOARD, detail=number)
        if sensors & Sensor.BOARD_TURNED:
            return _refused(RequestType.ARM, Refusal.BOARD_TURNED)
    elif not confirmed & Confirmation.BOARD_NUMBER:
        return _check_failed(Check.BOARD_UNCONFIRMED)
    if new:
        pockets = int(sensors) // Sensor.POCKET_N & 15
        if pockets:
            return _refused(RequestType.ARM, Refusal.POCKETS_NOT_EMPTY, pockets)
        unseen = profile.pockets is PocketSensing.NO or sensors_out(confirmed)
        if unseen and not confirmed & Confirmation.POCKETS_EMPTY:
            return _check_failed(Check.POCKETS_UNCONFIRMED)
    if sensors & _CARD_IN_SIGHT:
        return _check_failed(Check.PATH)
    if profile.hopper is HopperSensing.EMPTY:
        if not sensors & Sensor.HOPPER_CARDS or sensors & Sensor.STOP_CARD:
            return _check_failed(Check.HOPPER)
    elif not confirmed & Confirmation.HOPPER_LOADED:
        return _check_failed(Check.HOPPER_UNCONFIRMED)
    return None


def _check_failed(check: Check) -> Refused:
    return _refused(RequestType.ARM, Refusal.CHECK_FAILED, check)


def answer_go(machine: HostSide, asked: Message) -> Answer:
    """Starts motion, once for each token."""
    assert isinstance(asked, Go)
    control = machine.control
    token = control.tokens.use(asked.token, machine.now)
    if isinstance(token, TokenEnd):
        if token is TokenEnd.NO_TOKEN and control.state is State.MOVING:
            return _refused(RequestType.GO, Refusal.NOT_NOW, control.state)
        return _refused(RequestType.GO, Refusal.TOKEN_DEAD, token)
    if not control.go(token):
        return _refused(RequestType.GO, Refusal.TOKEN_DEAD, TokenEnd.FAULT)
    run = control.run
    assert run is not None
    return Going(run.id, control.state, run.index)


def answer_pause(machine: HostSide, _: Message) -> Answer:
    """The card under way is finished, then the run is paused."""
    machine.control.pause_asked()
    return Pausing(machine.control.state, shown_index(machine.control.run))


def answer_clear(machine: HostSide, asked: Message) -> Answer:
    """Takes the latched fault back; moves nothing, lifts no doubt."""
    assert isinstance(asked, Clear)
    control = machine.control
    fault = control.fault
    if fault is None:
        return _refused(RequestType.CLEAR, Refusal.NOT_NOW, control.state)
    if fault.event != asked.event:
        return _refused(RequestType.CLEAR, Refusal.STALE, detail=fault.event)
    if (check := cause_sensed(machine, fault)) is not None:
        return _refused(RequestType.CLEAR, Refusal.CHECK_FAILED, check)
    control.clear()
    return Cleared(asked.event)


def cause_sensed(machine: HostSide, fault: LatchedFault) -> Check | None:
    """The check that shows the cause of the latched fault still there; None = it is not sensed."""
    sensors = Sensor(machine.control.senses.sensors())
    if fault.code in _PATH_FAULTS and sensors & _CARD_IN_SIGHT:
        return Check.PATH
    if fault.code is FaultCode.COVER_OPEN and sensors & Sensor.COVER_OPEN:
        return Check.COVER
    if fault.code is FaultCode.BOARD_OUT and not sensors & Sensor.BOARD_PRESENT:
        return Check.BOARD_MISSING
    if fault.code is FaultCode.HOPPER_EMPTY and not sensors & Sensor.HOPPER_CARDS:
        return Check.HOPPER
    if fault.code is FaultCode.PACK_SHORT and sensors & Sensor.STOP_CARD:
        return Check.HOPPER
    return None


def answer_close(machine: HostSide, asked: Message) -> Answer:
    """Ends the open run; clears the latched fault too, unless its cause is still sensed."""
    assert isinstance(asked, Close)
    control = machine.control
    if control.run is None or control.run.id != asked.run:
        end = control.end_of(asked.run)
        return _run_known(RequestType.CLOSE, end) if end else _refused(RequestType.CLOSE, Refusal.GONE)
    if control.state is State.MOVING:
        return _refused(RequestType.CLOSE, Refusal.NOT_NOW, control.state)
    end = control.close()
    if control.fault is not None and cause_sensed(machine, control.fault) is None:
        control.clear()
    return Closed(end.run, end.state, end.index, end.doubt)


def answer_read_ledger(machine: HostSide, asked: Message) -> Answer:
    """Up to 26 records of the open run."""
    assert isinstance(asked, ReadLedger)
    control = machine.control
    if machine.profile.ledger is LedgerKind.NONE:
        return _refused(RequestType.READ_LEDGER, Refusal.NOT_SUPPORTED)
    if asked.first >= PACK_SIZE:
        return _refused(RequestType.READ_LEDGER, Refusal.OUT_OF_RANGE, RangeField.FIRST)
    if control.run is None or control.run.id != asked.run:
        end = control.end_of(asked.run)
        return _run_known(RequestType.READ_LEDGER, end) if end else _refused(RequestType.READ_LEDGER, Refusal.GONE)
    return Ledger(asked.run, asked.first, control.run.ledger.read(asked.first))


def answer_read_events(machine: HostSide, asked: Message) -> Answer:
    """Up to 7 events of this boot."""
    assert isinstance(asked, ReadEvents)
    entries = machine.ring.read(asked.first)
    if entries is None:
        return _refused(RequestType.READ_EVENTS, Refusal.GONE, detail=machine.ring.oldest)
    return Events(asked.first, entries)


ANSWERS: Final[dict[type[Message], Answerer]] = {
    Identify: answer_identify,
    Status: answer_status,
    Arm: answer_arm,
    Go: answer_go,
    Pause: answer_pause,
    Clear: answer_clear,
    Close: answer_close,
    ReadLedger: answer_read_ledger,
    ReadEvents: answer_read_events,
}
"""What answers each request."""
