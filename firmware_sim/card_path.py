"""The way of one card through the machine: feeder, reader, gate, pocket, and the motors that move it.

May import: `faults`, `packs`, `slot`, `truth`, protocol and the standard library. Read next: `dealing.py`, which moves
cards along it. Everything here is physical: it knows what happened, not what the firmware believes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from firmware_sim.faults import FaultKind, Mischief
from firmware_sim.packs import SimCard, foreign_card
from firmware_sim.slot import BoardSlot
from firmware_sim.truth import Drop, Feed, Motion, Truth
from protocol.cards import PACK_SIZE, Unproven

SURE: Final = 200
"""Confidence of a clean reading; a weak one has 1."""
WEAK: Final = 1


class CardPath:
    """Hopper (top card last), reader, path and the cards that fall past the gate, of one machine."""

    def __init__(self, slot: BoardSlot, mischief: Mischief, truth: Truth) -> None:
        self.hopper: list[SimCard] = []
        self.reader: list[SimCard] = []
        self.path: list[SimCard] = []
        self.falling: list[SimCard] = []
        self.gate = 0
        self.motor = False
        self._slot = slot
        self._mischief = mischief
        self._truth = truth
        self._run = 0
        self._ordinal = 0
        self._index = 0
        self._failing_feeds = 0
        self._weak_readings = 0
        self._misread: int | None = None
        self._stalled = False

    def start_motor(self, now: float, boot: int, token: int, run: int) -> None:
        """The motors turn from now on."""
        self._truth.motions.append(Motion(now, boot, token, run))
        if run != self._run:
            self._run = run
            self._ordinal += 1
        if not self.motor:
            self.motor = True
            self._truth.motor_since = now

    def stop_motor(self, now: float) -> None:
        """The motors stop; a card past the gate falls into its pocket, and nobody watches it."""
        if self.motor:
            self.motor = False
            self._truth.motor_on.append((self._truth.motor_since or 0.0, now))
            self._truth.motor_since = None
        if self.falling:
            self.drop(now, proven=False)

    @property
    def ordinal(self) -> int:
        """How many runs the motors have served, the present one included."""
        return self._ordinal

    @property
    def is_sound(self) -> bool:
        """True when nothing is wrong and nothing will go wrong."""
        return self._mischief.is_idle

    def happens(self, kind: FaultKind) -> int | None:
        """The `value` of a fault of that kind at the present card, which then has happened; None = no such fault."""
        fault = self._mischief.take(kind, self._ordinal, self._index)
        return None if fault is None else fault.value

    def lasts(self, kind: FaultKind) -> list[tuple[int, int]]:
        """`value` and `other` of the faults of that kind that are always there."""
        return [(fault.value, fault.other) for fault in self._mischief.lasting(kind)]

    def prepare(self, index: int) -> None:
        """The top card of the hopper is the one of `index`; what is wrong with it comes true now."""
        self._index = index
        self._misread, self._stalled, self._weak_readings = None, False, 0
        if self.is_sound or not self.hopper:
            return
        if self.happens(FaultKind.FOREIGN) is not None:
            self.hopper.append(foreign_card(self.hopper[-1].back))
        card = self.hopper[-1]
        if self.happens(FaultKind.FACE_UP) is not None:
            card = replace(card, face_up=True)
        if self.happens(FaultKind.UNREADABLE) is not None:
            card = replace(card, blank=True)
        if (weak := self.happens(FaultKind.WEAK)) is not None:
            card = card if weak else replace(card, weak=True)
            self._weak_readings = weak
        if self.happens(FaultKind.DOUBLE_FEED) is not None:
            card = replace(card, sticky=True)
        self.hopper[-1] = card
        if (fails := self.happens(FaultKind.NO_FEED)) is not None:
            self._failing_feeds = fails or 3
        self._misread = self.happens(FaultKind.MISREAD)
        self._stalled = self.happens(FaultKind.STALL) is not None

    def feed(self, now: float) -> int:
        """The roller turns: how many cards went from the hopper into the reader (0 … 2)."""
        if self._failing_feeds:
            self._failing_feeds -= 1
            return 0
        if not self.hopper:
            return 0
        card = self.hopper.pop()
        self.reader.append(card)
        self._truth.all_feeds.append(Feed(now, self._run, self._index, card))
        if card.sticky and self.hopper:
            hidden = self.hopper.pop()
            self.reader.append(hidden)
            self._truth.all_feeds.append(Feed(now, self._run, self._index, hidden, hidden=True))
        return len(self.reader)

    def read(self, *, top: bool = False) -> tuple[int, int]:
        """Identity (card code or `Unproven`) and confidence of the card in the reader, or on top of the hopper."""
        card = self.hopper[-1] if top else self.reader[0]
        if card.face_up:
            return Unproven.FACE_UP, SURE
        if card.blank:
            return Unproven.UNREADABLE, 0
        if card.identity >= PACK_SIZE:
            return Unproven.FOREIGN, SURE
        confidence = SURE
        if card.weak or self._weak_readings:
            self._weak_readings = max(0, self._weak_readings - 1)
            confidence = WEAK
        if self._misread is not None:
            return self._misread, confidence
        return self._taken_for(card), confidence

    def _taken_for(self, card: SimCard) -> int:
        seen = card.identity if card.worn_as is None else card.worn_as
        if not self.is_sound:
            for one, other in self.lasts(FaultKind.WORN):
                if seen == one:
                    return other
            for one, other in self.lasts(FaultKind.SWAPPED):
                if seen in (one, other):
                    return one + other - seen
        return seen

    def enter_path(self) -> bool:
        """The cards in the reader move on into the path; False when they are stuck."""
        if not self.is_sound and self.happens(FaultKind.JAM_READER) is not None:
            return False
        self.path, self.reader = self.reader, []
        return True

    def set_gate(self, pocket: int) -> bool:
        """The gate turns to that pocket; False when it does not get there."""
        if self._stalled:
            return False
        self.gate = pocket
        return True

    def leave_path(self) -> bool:
        """The cards in the path pass the gate; False when they are stuck."""
        if not self.is_sound and self.happens(FaultKind.JAM_PATH) is not None:
            return False
        self.falling, self.path = self.path, []
        return True

    def drop(self, now: float, *, proven: bool = True) -> int | None:
        """The falling cards reach a pocket: the pocket whose sensor saw them, None = no sensor did."""
        pocket = self.gate
        if not self.is_sound and (wrong := self.happens(FaultKind.WRONG_POCKET)) is not None:
            pocket = wrong
        hidden = False
        for card in self.falling:
            self._slot.cards_in(pocket).append(card)
            self._truth.all_drops.append(
                Drop(now, self._run, self._index, card, pocket, self._slot.board, proven, hidden)
            )
            hidden = True
        self.falling = []
        return self.sensed_as(pocket)

    def sensed_as(self, pocket: int) -> int | None:
        """The pocket at which the sensors show what happens in `pocket`; None = that sensor is dead."""
        if self.is_sound:
            return pocket
        for one, other in self.lasts(FaultKind.POCKETS_CROSSED):
            if pocket in (one, other):
                pocket = one + other - pocket
                break
        return None if any(dead == pocket for dead, _ in self.lasts(FaultKind.POCKET_DEAD)) else pocket

    def state_key(self) -> tuple[object, ...]:
        """Everything that future behaviour depends on."""
        return (
            tuple(self.hopper), tuple(self.reader), tuple(self.path), tuple(self.falling), self.gate, self.motor,
            self._run, self._ordinal, self._index, self._failing_feeds, self._weak_readings, self._misread,
            self._stalled,
        )  # fmt: skip
