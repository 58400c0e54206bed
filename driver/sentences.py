"""Finds what the catalogue says for what a machine says: its faults, pauses and refusals.

May import: `catalogue`, `protocol` and the standard library. Read next: `catalogue.toml`; `scheduler.py`, which puts
the entries into prompts. No sentence names a card, blames a person, or says more than the machine knows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from driver.catalogue import OBSTACLES, UNKNOWN, Entry, Kind, entry, stop_entry
from protocol.codes import Check, FaultCode, Obstacle, PauseReason, Refusal, Sensor, State, TokenEnd
from protocol.fields import Code
from protocol.messages import Refused, StatusReport

EMPTY_ALL: Final = stop_entry(FaultCode.DOUBLE_FEED.name, goes_on=False).steps
"""What is done with the hands before a board is dealt again."""
ALL_OUT: Final = EMPTY_ALL[0]
"""What is done first after a board that was ended before it was right, whatever comes next."""
_CARD_NAMED: Final = (FaultCode.JAM, FaultCode.FACE_UP, FaultCode.UNREADABLE, FaultCode.FOREIGN_CARD)
"""Faults whose own steps say what to do with the card in reader or path."""


def fault_entry(fault: FaultCode | Code) -> Entry:
    """The entry of a fault by itself; an unknown one is treated as the gravest."""
    return entry(Kind.STOP, fault.name)


def pause_entry(status: StatusReport, *, goes_on: bool) -> Entry:
    """The entry of a paused run; a card that the machine senses in reader or path is named, with what to do."""
    by_fault = status.reason in (PauseReason.NONE, PauseReason.FAULT)
    found = stop_entry(status.fault.name if by_fault else status.reason.name, goes_on=goes_on)
    in_sight = (
        "reader" if Sensor.READER_CARD in status.sensors else "path" if Sensor.PATH_CARD in status.sensors else ""
    )
    if not goes_on or not in_sight or status.fault in _CARD_NAMED:
        return found
    take_it = f"A card lies in the {in_sight}: take it out and lay it face down on top of the hopper first."
    return replace(found, steps=(take_it, *found.steps))


def obstacle_words(why: Obstacle | Code) -> str:
    """The end of "This board cannot go on: "."""
    return OBSTACLES.get(why.name, OBSTACLES[UNKNOWN])


def refusal_entry(refused: Refused) -> Entry:
    """The entry of a refusal, from its reason, `why` and `detail`."""
    reason, why = refused.reason, refused.why
    match reason:
        case Refusal.CHECK_FAILED:
            return entry(Kind.REFUSAL, f"{reason.name} {Check(why).name}" if why in tuple(Check) else UNKNOWN)
        case Refusal.CANNOT_GO_ON:
            known = Obstacle(why) if why in tuple(Obstacle) else Code(why)
            return entry(Kind.REFUSAL, reason.name).filled(obstacle=obstacle_words(known))
        case Refusal.WRONG_BOARD:
            return entry(Kind.REFUSAL, reason.name).filled(number=refused.detail)
        case Refusal.POCKETS_NOT_EMPTY:
            return entry(Kind.REFUSAL, reason.name).filled(pockets=_pockets(why))
        case Refusal.TOKEN_DEAD if why in _TOLD_ENDS:
            return entry(Kind.REFUSAL, f"{reason.name} {TokenEnd(why).name}")
        case Refusal.NOT_NOW if why == State.MOVING:
            return entry(Kind.REFUSAL, f"{reason.name} {State.MOVING.name}")
        case _:
            return entry(Kind.REFUSAL, reason.name)


_TOLD_ENDS: Final = (TokenEnd.EXPIRED, TokenEnd.STOPPED, TokenEnd.FAULT, TokenEnd.CHANGED)


def _pockets(bits: int) -> str:
    return " and ".join(letter for place, letter in enumerate("NESW") if bits >> place & 1) or "one of four"
