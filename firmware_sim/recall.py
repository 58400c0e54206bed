"""The marks of the non-volatile memory: what each holds, and the run that they tell of after a restart.

May import: `ledger`, `memory`, `run`, protocol and the standard library. Read next: `runs.py`, which writes them.
The table of PROTOCOL.md, section 6; PAUSED and WHOLE hold a little more than it asks for.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Final

from firmware_sim.memory import Mark, MarkKind
from firmware_sim.run import EndState, Run
from protocol.cards import PACK_SIZE
from protocol.codes import LedgerKind, Obstacle, PackEnd, PauseReason, Place, RunFlag, State
from protocol.constants import RUNS_KEPT, UNKNOWN_COUNT
from protocol.fields import RECORD_SIZE

_BOOT: Final = struct.Struct("<II")
_STARTED: Final = struct.Struct("<Q8sHBBBI")
_FEED: Final = struct.Struct("<BBI")
_DROP: Final = struct.Struct("<B4s")
_WHOLE: Final = struct.Struct("<208sIBB")
_PAUSED: Final = struct.Struct("<BBBBIBB")
_ENDED: Final = struct.Struct("<QBBBI")

_NOWHERE: Final = 0
_PLACE_UNKNOWN: Final = 255
_REFUSED: Final = 1
_NO_WAY_BACK: Final = 2


def boot_mark(boot_id: int, odometer: int) -> bytes:
    """At every reset."""
    return _BOOT.pack(boot_id, odometer)


def started_mark(run: Run, odometer: int) -> bytes:
    """After GO was accepted, before GOING is sent. The destinations are not in it."""
    return _STARTED.pack(run.id, run.plan_tag, run.board, run.routing, run.on_anomaly, run.more_packs, odometer)


def feed_mark(index: int, attempt: int, odometer: int) -> bytes:
    """Before the motor turns for that index."""
    return _FEED.pack(index, attempt, odometer)


def drop_mark(index: int, record: bytes) -> bytes:
    """After the proof of that index."""
    return _DROP.pack(index, record)


def whole_mark(run: Run, odometer: int, *, kept: bool) -> bytes:
    """After the 52nd proof, before DONE is reported; without records when the machine keeps no ledger."""
    records = run.ledger.whole() if kept else bytes(PACK_SIZE * RECORD_SIZE)
    return _WHOLE.pack(records, odometer, run.pack_end, int(run.flags()))


def paused_mark(run: Run, doubt: int, odometer: int) -> bytes:
    """On every pause but RESTART."""
    place = _NOWHERE if run.under_way is None else int(run.under_way) or _PLACE_UNKNOWN
    flags = _REFUSED * run.refused | _NO_WAY_BACK * run.no_way_back
    return _PAUSED.pack(run.shown_index(), run.reason, doubt, run.barred, odometer, place, flags)


def ended_mark(end: EndState, odometer: int) -> bytes:
    """At CLOSE."""
    return _ENDED.pack(end.run, end.state, end.index, end.doubt, odometer)


def marks_without_run(ended: list[EndState], boot_id: int, odometer: int) -> tuple[Mark, ...]:
    """All that is kept when no run is open. BOOT stands there twice: a lost last mark never repeats a boot id."""
    boot = Mark(MarkKind.BOOT, boot_mark(boot_id, odometer))
    return (*(Mark(MarkKind.ENDED, ended_mark(end, odometer)) for end in ended), boot, boot)


@dataclass(slots=True)
class Recalled:
    """What the marks tell: `run` is the open run, `done` that its whole ledger is there."""

    boot_id: int = 0
    odometer: int = 0
    ended: list[EndState] = field(default_factory=list)
    run: Run | None = None
    done: bool = False


def recall(marks: tuple[Mark, ...], ledger: LedgerKind) -> Recalled:
    """Reads the marks, oldest first. Raises struct.error when a mark is too short (the memory is then torn)."""
    told = Recalled()
    for mark in marks:
        match mark.kind:
            case MarkKind.BOOT:
                told.boot_id, odometer = _BOOT.unpack(mark.body)
                told.odometer = max(told.odometer, odometer)
                if told.run is not None and not told.done:
                    told.run.restarted = True
            case MarkKind.STARTED:
                _started(told, mark.body)
            case MarkKind.ENDED:
                run, state, index, doubt, told.odometer = _ENDED.unpack(mark.body)
                told.ended = [*told.ended, EndState(run, State(state), index, doubt)][-RUNS_KEPT:]
                told.run, told.done = None, False
            case _ if told.run is not None:
                _of_run(told, told.run, mark)
            case _:
                pass
    if told.run is not None and not told.done and ledger is not LedgerKind.CARD:
        told.run.known = False
    return told


def _started(told: Recalled, body: bytes) -> None:
    run, tag, board, routing, on_anomaly, more_packs, told.odometer = _STARTED.unpack(body)
    if told.run is None or told.run.id != run:
        told.run = Run(run, tag, board, routing, on_anomaly, bool(more_packs), None, 0)
        told.done = False
    told.run.reason = PauseReason.NONE


def _of_run(told: Recalled, run: Run, mark: Mark) -> None:
    match mark.kind:
        case MarkKind.FEED:
            run.index, run.attempt, told.odometer = _FEED.unpack(mark.body)
            run.under_way, run.refused, run.no_way_back = Place.UNKNOWN, False, False
            run.refed = run.refed or run.attempt > 1
        case MarkKind.DROP:
            index, record = _DROP.unpack(mark.body)
            run.ledger.put(index, record)
            run.index, run.under_way, run.attempt = index + 1, None, 0
            told.odometer += 1
        case MarkKind.WHOLE:
            records, told.odometer, pack_end, flags = _WHOLE.unpack(mark.body)
            run.pack_end, run.index, run.under_way, told.done = PackEnd(pack_end), PACK_SIZE, None, True
            run.restarted = bool(flags & RunFlag.RESTARTED)
            run.refed = bool(flags & RunFlag.REFED)
            if any(records):
                run.ledger = type(run.ledger)()
                for at in range(PACK_SIZE):
                    run.ledger.put(at, records[RECORD_SIZE * at : RECORD_SIZE * (at + 1)])
        case MarkKind.PAUSED:
            index, reason, _, barred, told.odometer, place, flags = _PAUSED.unpack(mark.body)
            run.reason, run.barred = PauseReason(reason), Obstacle(barred)
            run.refused, run.no_way_back = bool(flags & _REFUSED), bool(flags & _NO_WAY_BACK)
            if index != UNKNOWN_COUNT:
                run.index = index
            run.under_way = None if place == _NOWHERE else Place(place if place != _PLACE_UNKNOWN else 0)
        case _:
            pass
