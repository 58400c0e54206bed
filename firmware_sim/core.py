"""The simulated machine: bytes in, bytes out, in simulated time; power, connection, request numbers, ticks.

May import: the other modules of this folder, protocol and the standard library. No I/O, no clock of its own. Read next:
`runs.py` (the firmware's runs), `mechanism.py` (the physical world). Everything that a wrong machine would do otherwise
is a small method or a collaborator of its own, so that a test can put a wrong one in its place.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import struct
from dataclasses import dataclass, field
from enum import IntEnum, unique
from typing import Final

from firmware_sim.connection import HOST_LOST
from firmware_sim.dealing import Dealing
from firmware_sim.faults import FaultPlan, PowerCut
from firmware_sim.host_side import HostSide
from firmware_sim.mechanism import Mechanism
from firmware_sim.memory import MarkKind, Memory, MemoryFailure, MemoryFate
from firmware_sim.profile import Profile
from firmware_sim.recall import Recalled, boot_mark, recall
from firmware_sim.runs import RunControl
from firmware_sim.state import Happening
from firmware_sim.status import tick
from firmware_sim.truth import Truth
from protocol.codes import Feature, Key, PackEnd, PauseReason, ResetCause, State
from protocol.messages import BootEvent, KeyEvent, RunEvent

_HOSTILE: Final = b"\x1b[2J\x07%n\xff\xfe\r\n'\";\xc3("
"""Exactly 16 bytes, the length of a name."""
_MODEL_AT: Final = 1
_FIRMWARE_AT: Final = 17
_LOG_TEXT_AT: Final = 1
_LOG_TEXT: Final = 64


@unique
class Plan(IntEnum):
    """What happens at a planned time without anybody's hand."""

    OPEN_COVER = 1
    POWER_OFF = 2
    POWER_ON = 3


@dataclass(frozen=True, slots=True, order=True)
class Planned:
    """Something planned for `time`."""

    time: float
    plan: Plan
    fate: MemoryFate = field(default=MemoryFate.KEPT, compare=False)
    off: float = field(default=0.0, compare=False)


class SimMachine(HostSide):
    """One simulated machine; it is switched on at time 0.

    `memory`: what it finds there (default: as from the factory). `faults`: what goes wrong. `speed`: how much faster
    than life its mechanism is (nothing else). `seed`: everything random. All times are seconds of the endpoint's clock.
    """

    def __init__(
        self,
        profile: Profile | None = None,
        *,
        memory: Memory | None = None,
        faults: FaultPlan | None = None,
        speed: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.profile = profile or Profile()
        self.memory = memory or Memory()
        self.speed = speed
        self.now = 0.0
        self.powered = False
        self.mechanism = Mechanism(faults or FaultPlan(), self._noticed, self._pressed)
        self._seed = seed
        self._drawn = 0
        self._cuts = list(faults.cuts) if faults else []
        self._planned: list[Planned] = []
        self._output: list[tuple[float, bytes]] = []
        self._start_ram()
        self.power_on()

    def _start_ram(self) -> None:
        """What a reset leaves in RAM: nothing."""
        self.forget_host()
        self._booted = self.now

    @property
    def truth(self) -> Truth:
        """What physically happened."""
        return self.mechanism.truth

    # Power

    def power_off(self, fate: MemoryFate = MemoryFate.KEPT) -> None:
        """The power goes: motors off, RAM gone, the memory as `fate` says. Does nothing when it is off already."""
        if not self.powered:
            return
        self.control.dealing.halt()
        self.powered = False
        self.memory.cut(fate)
        self._planned = [planned for planned in self._planned if planned.plan is Plan.POWER_ON]

    def power_on(self, cause: ResetCause = ResetCause.POWER_ON) -> None:
        """The machine starts. Does nothing when it is on already."""
        if self.powered:
            return
        self._start_ram()
        self.powered = True
        self.reset_cause = cause
        told = self._recall()
        self.memory_lost = told is None
        if told is None:
            told = Recalled(boot_id=self._random())
            self.memory.rewrite(())
        else:
            told.boot_id = self._new_boot_id(told.boot_id)
        self.boot_id = told.boot_id
        self._mark_boot(told)
        self.control = self.new_control(told)
        self.emit(BootEvent(self.boot_id, cause, self.memory_lost))
        run = self.control.run
        if run is not None and self.control.state is State.PAUSED:
            doubt = run.doubt(self.control.senses.sensors())
            self.emit(RunEvent(run.id, State.PAUSED, PauseReason.RESTART, run.shown_index(), doubt, PackEnd.UNKNOWN))

    def _recall(self) -> Recalled | None:
        """What the memory tells; None = blank or torn."""
        marks = self.memory.marks()
        if marks is None:
            return None
        try:
            return recall(marks, self.profile.ledger)
        except (struct.error, ValueError, IndexError):
            return None

    def _mark_boot(self, told: Recalled) -> None:
        """BOOT, twice: a lost last mark never repeats a boot id."""
        for _ in range(2):
            try:
                self.memory.write(MarkKind.BOOT, boot_mark(told.boot_id, told.odometer))
            except MemoryFailure:
                continue

    def _new_boot_id(self, last: int) -> int:
        """The boot id after `last`."""
        return last + 1 & 0xFFFFFFFF or 1

    def _random(self) -> int:
        """The next random number, 1 … 2^32 - 1, from the machine's seed."""
        self._drawn += 1
        raw = hashlib.blake2b(f"{self._seed} {self._drawn}".encode(), digest_size=4).digest()
        return int.from_bytes(raw, "little") or 1

    def new_control(self, told: Recalled) -> RunControl:
        """The control of runs after a reset."""
        return RunControl(self, told, self._random())

    def new_dealing(self, control: RunControl) -> Dealing:
        """What moves the cards, after a reset."""
        return Dealing(control)

    # Time

    def next_due(self) -> float | None:
        """When the next thing happens by itself; None = never."""
        due = self._planned[0].time if self._planned else math.inf
        if self.powered:
            due = min(due, self.control.dealing.due, self._host_lost_at(), self.connection.tick_at)
        return None if due == math.inf else max(due, self.now)

    def advance_to(self, time: float) -> None:
        """Runs the machine until `time`. Raises ValueError when that is in the past."""
        if time < self.now:
            raise ValueError("Time does not run backwards.")
        while (due := self.next_due()) is not None and due <= time:
            self.now = due
            self._do_due()
        self.now = time

    def _do_due(self) -> None:
        """The first thing that is due now."""
        now, control = self.now, self.control
        if self._planned and self._planned[0].time <= now:
            self._do_planned(heapq.heappop(self._planned))
        elif control.dealing.due <= now:
            control.dealing.run_step()
        elif self._host_lost_at() <= now:
            control.want_pause(Happening.HOST_LOST)
        elif self.connection.ticked(now):
            self.send(tick(self), connection=self.connection.current)

    def _host_lost_at(self) -> float:
        """When moving cards are paused because the host says nothing; infinity while nothing is to be paused."""
        control = self.control
        if control.state is not State.MOVING or control.pause_wanted is not None:
            return math.inf
        return self.connection.heard + HOST_LOST

    def plan_cover(self, time: float) -> None:
        """The cover is opened at that time."""
        heapq.heappush(self._planned, Planned(time, Plan.OPEN_COVER))

    def motion_began(self) -> None:
        """GO was accepted: power cuts count from here."""
        ordinal = self.mechanism.card_path.ordinal
        for cut in [cut for cut in self._cuts if cut.run in (0, ordinal)]:
            self._cuts.remove(cut)
            self.plan_cut(cut, self.now + cut.at_ms / (1000 * self.speed))

    def plan_cut(self, cut: PowerCut, time: float) -> None:
        """The power goes at that time and comes back."""
        heapq.heappush(self._planned, Planned(time, Plan.POWER_OFF, cut.fate, cut.off))

    def _do_planned(self, planned: Planned) -> None:
        match planned.plan:
            case Plan.OPEN_COVER:
                self.mechanism.open_cover()
            case Plan.POWER_OFF:
                self.power_off(planned.fate)
                heapq.heappush(self._planned, Planned(self.now + planned.off, Plan.POWER_ON))
            case Plan.POWER_ON:
                self.power_on()

    def uptime_ms(self) -> int:
        """Since the boot; wraps."""
        return round((self.now - self._booted) * 1000) & 0xFFFFFFFF

    # The line

    def take_output(self) -> list[tuple[float, bytes]]:
        """(time sent, one frame as bytes on the wire) since the last call, oldest first."""
        output, self._output = self._output, []
        return output

    def send_wire(self, wire: bytes) -> None:
        """One frame leaves now."""
        self.counts.frames_out += 1
        self._output.append((self.now, wire))

    # What the mechanism tells

    def _noticed(self) -> None:
        if self.powered:
            self.control.notice()

    def _pressed(self, key: Key) -> None:
        if not self.powered or not self.profile.has(Feature.KEYS):
            return
        self.emit(KeyEvent(key))
        if key is Key.STOP:
            self.control.stop()

    def state_key(self) -> tuple[object, ...]:
        """Everything that future behaviour depends on, times relative to now. Counters of the line are left out."""
        planned = tuple((round(each.time - self.now, 6), each.plan, each.fate, each.off) for each in self._planned)
        ram: tuple[object, ...] = ()
        if self.powered:
            ram = (
                self.boot_id, self.memory_lost, self.connection.state_key(self.now), self.ring.state_key(),
                self.control.state_key(), self.unfinished_bytes(),
            )  # fmt: skip
        return (
            self.powered, ram, bytes(self.memory.log), self.memory.fails, self.mechanism.state_key(), planned,
            tuple(self._cuts), self._drawn, self.speed,
        )  # fmt: skip
