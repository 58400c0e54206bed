"""What the firmware makes of a reading, and of the hopper when the pack is through.

May import: `packs`, `profile`, `run`, protocol and the standard library. Read next: `dealing.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firmware_sim.packs import SimCard
from firmware_sim.profile import Profile
from firmware_sim.run import Run
from protocol.cards import PACK_SIZE, Unproven
from protocol.codes import AnomalyMode, FaultCode, Feature, HopperSensing, PackEnd

Reading = tuple[int, int]
"""Identity (card code or `Unproven`) and confidence."""
NO_READING: Final[Reading] = (int(Unproven.NONE), 0)
_NO_CARD: Final = {
    int(Unproven.FACE_UP): FaultCode.FACE_UP,
    int(Unproven.FOREIGN): FaultCode.FOREIGN_CARD,
    int(Unproven.UNREADABLE): FaultCode.UNREADABLE,
}


def is_weak(reading: Reading, threshold: int) -> bool:
    """True when another reading of the same card may be better."""
    identity, confidence = reading
    if identity < PACK_SIZE:
        return confidence < threshold
    return identity == Unproven.UNREADABLE


def anomaly(reading: Reading, run: Run, threshold: int) -> FaultCode | None:
    """The fault that the card is; None = deal it."""
    identity, confidence = reading
    if run.on_anomaly == AnomalyMode.REPORT:
        return None
    if identity >= PACK_SIZE:
        return _NO_CARD[identity]
    if confidence < threshold:
        return FaultCode.UNREADABLE
    return FaultCode.DUPLICATE_CARD if run.ledger.has_dealt(identity) else None


def hopper_fault(hopper: Sequence[SimCard], run: Run, profile: Profile) -> FaultCode | None:
    """Why the next card cannot be fed, as far as the sensors at the hopper see it (top card last)."""
    top = hopper[-1] if hopper else None
    if top is None:
        return FaultCode.HOPPER_EMPTY if profile.hopper is HopperSensing.EMPTY else None
    if top.stop and profile.has(Feature.STOP_CARD):
        return FaultCode.PACK_SHORT
    if run.back is not None and top.back != run.back and profile.has(Feature.BACKS):
        return FaultCode.WRONG_BACK
    return None


def pack_end(hopper: Sequence[SimCard], run: Run, profile: Profile) -> PackEnd:
    """What lies in the hopper now that the 52nd card has left it."""
    top = hopper[-1] if hopper else None
    if top is not None and top.stop and profile.has(Feature.STOP_CARD):
        return PackEnd.STOP_CARD
    if top is not None and top.back != run.back and profile.has(Feature.BACKS):
        return PackEnd.BACK_CHANGE
    if profile.hopper is not HopperSensing.EMPTY:
        return PackEnd.UNKNOWN
    if top is None:
        return PackEnd.EMPTY
    return PackEnd.OPEN if run.more_packs else PackEnd.OVER
