"""How the firmware moves one card after the other, step by step, watching the sensors of the path.

May import: `judgement`, `steps`, `runs` (types), protocol and the standard library. Read next: `card_path.py`.
A sensor that does not change within three times its time is a fault; so is CARD_LIMIT without a card.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Final

from firmware_sim.faults import FaultKind
from firmware_sim.judgement import NO_READING, anomaly, hopper_fault, is_weak, pack_end
from firmware_sim.steps import (
    FEED_ATTEMPTS,
    GATE_MS,
    LEAVES_MS,
    PAST_MS,
    PATH_MS,
    PATIENCE,
    POCKET_MS,
    READ_MS,
    READING_MS,
    READINGS,
    SPIN_UP_MS,
    Step,
)
from protocol.cards import PACK_SIZE
from protocol.codes import FaultCode, Feature, Place, PocketSensing, Proof, Recognition, Routing

if TYPE_CHECKING:
    from firmware_sim.run import Run
    from firmware_sim.runs import RunControl

_LEFT: Final = int(Proof.LEFT_HOPPER)
_READ: Final = int(Proof.READ)
_GATE: Final = int(Proof.GATE)
_PAST: Final = int(Proof.LEFT_PATH)
_SENSED: Final = int(Proof.SENSED)


class Dealing:
    """The motion of the open run: one card in flight, none staged ahead."""

    def __init__(self, control: RunControl) -> None:
        self.control = control
        self.machine = control.machine
        self.step = Step.IDLE
        self._due = math.inf
        self._limit = math.inf
        self._base = 0.0
        self._feeds_failed = 0
        self._readings = 0
        self._reading = NO_READING
        self._pocket = 0
        self._proof = 0
        self._slow = 1.0
        profile = self.machine.profile
        self._pockets = profile.pockets is PocketSensing.SENSED
        self._reads = profile.recognition

    @property
    def due(self) -> float:
        """When the next step or the limit of CARD_LIMIT comes; infinity while nothing moves."""
        return self._due if self._due <= self._limit else self._limit

    @property
    def between_cards(self) -> bool:
        """True while no card is under way."""
        return self.step in (Step.IDLE, Step.SPIN_UP)

    @property
    def proven_so_far(self) -> tuple[int, int]:
        """The pocket meant for the card under way, and the bits of `Proof` that it has."""
        return self._pocket, self._proof

    def start(self, token: int) -> None:
        """Motion begins, for that token: the only way it ever does."""
        machine, run = self.machine, self._run()
        machine.mechanism.card_path.start_motor(machine.now, machine.boot_id, token, run.id)
        self._feeds_failed = self._readings = 0
        self._slow = 1.0
        self._base = machine.now
        self._progress()
        self._next(Step.SPIN_UP, SPIN_UP_MS)

    def halt(self) -> None:
        """Motors off at once; a card past the gate falls without proof, any other stays where it is."""
        self.step, self._due, self._limit = Step.IDLE, math.inf, math.inf
        self.machine.mechanism.card_path.stop_motor(self.machine.now)

    def run_step(self) -> None:
        """What is due now."""
        if self._due > self._limit:
            self._fault(FaultCode.NO_PROGRESS)
        else:
            getattr(self, self._STEPS[self.step])()

    # One card, in the order in which it goes

    def _start_card(self) -> None:
        run, path = self._run(), self.machine.mechanism.card_path
        path.prepare(run.index)
        if not path.is_sound:
            self._expect_trouble()
        self._readings = 0
        code = hopper_fault(path.hopper, run, self.machine.profile)
        if code is None:
            self._top_of_hopper()
        else:
            self._fault(code, Place.HOPPER)

    def _expect_trouble(self) -> None:
        path = self.machine.mechanism.card_path
        if (percent := path.happens(FaultKind.SLOW)) is not None:
            self._slow = percent / 100
        if (after := path.happens(FaultKind.COVER)) is not None:
            self.machine.plan_cover(self.machine.now + self._seconds(after))
        if path.happens(FaultKind.MEMORY) is not None:
            self.machine.memory.fails = True

    def _top_of_hopper(self) -> None:
        """Reads the top card where that is how cards are read, then feeds it."""
        path = self.machine.mechanism.card_path
        if self._reads is Recognition.HOPPER and path.hopper:
            self._reading = path.read(top=True)
            if self._reads_again():
                self._base = self.machine.now
                self._next(Step.TOP, READING_MS)
                return
            if (code := anomaly(self._reading, self._run(), self.machine.profile.threshold)) is not None:
                self._fault(code, Place.HOPPER)
                return
        self._feed()

    def _reads_again(self) -> bool:
        """True when the reading was weak and the card is read once more."""
        if not is_weak(self._reading, self.machine.profile.threshold):
            return False
        self._readings += 1
        return self._readings < READINGS

    def _feed(self) -> None:
        if not self.control.begin_feed():
            self._fault(FaultCode.MEMORY)
            return
        self._turn_roller()

    def _turn_roller(self) -> None:
        self._base = self.machine.now
        if self._slow > PATIENCE:
            self._wait(Step.NO_FEED, 0, LEAVES_MS)
        else:
            self._next(Step.LEAVES, LEAVES_MS)

    def _leaves(self) -> None:
        path, run = self.machine.mechanism.card_path, self._run()
        top = path.hopper[-1] if path.hopper else None
        thick = path.feed(self.machine.now)
        if not thick:
            self._wait(Step.NO_FEED, 0, LEAVES_MS)
            return
        self._feeds_failed = 0
        if run.back is None and top is not None:
            run.back = top.back
        self._pocket, self._proof = 0, _LEFT
        self.control.left_hopper()
        if not path.hopper:
            self.control.notice()
        if run.index == PACK_SIZE - 1:
            run.pack_end = pack_end(path.hopper, run, self.machine.profile)
        self._next(Step.READ, READ_MS)

    def _no_feed(self) -> None:
        self._feeds_failed += 1
        if self._feeds_failed < FEED_ATTEMPTS:
            self._turn_roller()
        else:
            self._fault(FaultCode.NO_FEED, Place.HOPPER, FEED_ATTEMPTS)

    def _read(self) -> None:
        path, run, profile = self.machine.mechanism.card_path, self._run(), self.machine.profile
        if len(path.reader) > 1 and profile.has(Feature.THICKNESS):
            self._fault(FaultCode.DOUBLE_FEED, Place.READER)
            return
        slot = run.index
        if self._reads is not Recognition.NONE:
            if self._reads is Recognition.PATH:
                self._reading = path.read()
                if self._reads_again():
                    self._base += self._seconds(READING_MS)
                    self._next(Step.READ, READ_MS)
                    return
            run.ledger.read_as(run.index, *self._reading)
            if (code := anomaly(self._reading, run, profile.threshold)) is not None:
                self._fault(code, Place.READER)
                return
            identity = self._reading[0]
            if identity < PACK_SIZE:
                self._proof |= _READ
            if run.routing == Routing.BY_IDENTITY:
                slot = identity
        self._pocket = run.pocket_for(slot)
        self._next(Step.PATH, PATH_MS)

    def _path(self) -> None:
        if self.machine.mechanism.card_path.enter_path():
            self._run().under_way = Place.PATH
            self._next(Step.GATE, GATE_MS)
        else:
            self._wait(Step.JAM_READER, LEAVES_MS, PATH_MS)

    def _gate(self) -> None:
        if self.machine.mechanism.card_path.set_gate(self._pocket):
            self._proof |= _GATE
            self._next(Step.PAST, PAST_MS)
        else:
            self.step, self._due = Step.STALLED, math.inf

    def _past(self) -> None:
        if self.machine.mechanism.card_path.leave_path():
            self._proof |= _PAST
            self._run().under_way = Place.UNKNOWN
            self._next(Step.POCKET, POCKET_MS)
        else:
            self._wait(Step.JAM_PATH, PATH_MS, PAST_MS)

    def _in_pocket(self) -> None:
        seen = self.machine.mechanism.card_path.drop(self.machine.now)
        if self._pockets:
            if seen is None and not self._run().sensors_out >> self._pocket & 1:
                self._wait(Step.SILENT, PAST_MS, POCKET_MS)
                return
            if seen is not None and seen != self._pocket:
                self._fault(FaultCode.WRONG_POCKET, Place(Place.POCKET_0 + seen))
                return
            self._proof |= _SENSED if seen is not None else 0
        self._prove()

    def _prove(self) -> None:
        """The card is in its pocket; what comes next."""
        control = self.control
        control.proven(self._pocket, self._proof)
        self._after_card()

    def _after_card(self) -> None:
        control = self.control
        if self.step is Step.IDLE:
            return
        if self._run().index == PACK_SIZE:
            control.finish()
        elif control.pause_wanted is not None:
            control.pause(control.pause_wanted)
        else:
            self._progress()
            self._start_card()

    # Times

    def _run(self) -> Run:
        run = self.control.run
        assert run is not None
        return run

    def _seconds(self, milliseconds: float) -> float:
        return milliseconds * self._slow / (1000 * self.machine.speed)

    def _next(self, step: Step, milliseconds: float) -> None:
        """That step comes so many milliseconds after the feed began."""
        self.step = step
        self._due = self._base + self._seconds(milliseconds)

    def _wait(self, step: Step, since: float, until: float) -> None:
        """That step comes when what should take `until` - `since` milliseconds has taken three times as long."""
        self.step = step
        patience = PATIENCE * (until - since) / (1000 * self.machine.speed)
        self._due = self._base + self._seconds(since) + patience

    def _progress(self) -> None:
        self._limit = self.machine.now + self.machine.profile.card_limit_ms / 1000

    def _fault(self, code: FaultCode, place: Place | None = None, attempt: int | None = None) -> None:
        """The card under way stops where it is; `place` by default where the sensors last placed it."""
        if place is None:
            place = self._run().under_way or Place.UNKNOWN
        self.control.raise_fault(code, place, attempt)

    def _jam_reader(self) -> None:
        self._fault(FaultCode.JAM, Place.READER)

    def _jam_path(self) -> None:
        self._fault(FaultCode.JAM, Place.PATH)

    def _silent(self) -> None:
        self._fault(FaultCode.POCKET_SILENT, Place(Place.POCKET_0 + self._pocket))

    _STEPS: ClassVar[dict[Step, str]] = {
        Step.SPIN_UP: "_start_card",
        Step.TOP: "_top_of_hopper",
        Step.LEAVES: "_leaves",
        Step.NO_FEED: "_no_feed",
        Step.READ: "_read",
        Step.PATH: "_path",
        Step.JAM_READER: "_jam_reader",
        Step.GATE: "_gate",
        Step.PAST: "_past",
        Step.JAM_PATH: "_jam_path",
        Step.POCKET: "_in_pocket",
        Step.SILENT: "_silent",
    }
    """The method of each step, by name, so that a wrong machine can have its own."""

    def state_key(self, now: float) -> tuple[object, ...]:
        """Everything that future behaviour depends on, times relative to `now`."""
        return (
            self.step, round(self._due - now, 6), round(self._limit - now, 6), round(self._base - now, 6),
            self._feeds_failed, self._readings, self._reading, self._pocket, self._proof, self._slow,
        )  # fmt: skip
