"""What a pause allows (going on, by whom, with which card put back), and what a refused start waits for. Pure.

May import: `errors`, `findings`, `sentences`, `protocol`. Read next: `scheduler.py`.
The rules are PROTOCOL.md, sections 3 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from driver.errors import MachineFault
from driver.findings import Choice
from driver.sentences import fault_entry, obstacle_words
from protocol.codes import Check, FaultClass, Obstacle, PauseReason, Place, Refusal, RunFlag, Sensor
from protocol.messages import BoardEvent, CoverEvent, Event, HopperEvent, Refused, StatusReport

_OF_THE_BOARD: Final = (
    Refusal.SAME_BOARD,
    Refusal.WRONG_BOARD,
    Refusal.BOARD_TURNED,
    Refusal.POCKETS_NOT_EMPTY,
)


@unique
class Cure(Enum):
    """What a board that would start by itself waits for after a refusal; the machine senses it."""

    ANOTHER_BOARD = "another board, or this one put in anew"
    CHANGE = "the cover closed, or a pack put in"
    PERSON = "a person's decision"


_CURABLE: Final = (FaultClass.INFO, FaultClass.OPERATOR)


@dataclass(frozen=True, slots=True)
class Allowed:
    """`may_go_on`, else `because`; `put_back`: the card that left the hopper is the one that a person puts back.

    `by_itself`: only the host was missing, and no card lies about, so that the automatic setting may go on.
    """

    may_go_on: bool
    because: str
    put_back: bool
    by_itself: bool


def allowed_by(status: StatusReport) -> Allowed:
    """What the pause that `status` shows allows."""
    why = status.cannot_go_on
    if why == Obstacle.NONE and status.doubt and RunFlag.RESTARTED in status.run_flags:
        why = Obstacle.DOUBT  # it may go on, but never be GOOD
    may_go_on = why == Obstacle.NONE
    under_way = bool(status.doubt or status.sensors & (Sensor.READER_CARD | Sensor.PATH_CARD))
    host_was_missing = status.reason in (PauseReason.HOST_LOST, PauseReason.HOST_CHANGED)
    return Allowed(
        may_go_on=may_go_on,
        because=obstacle_words(why),
        put_back=under_way or status.fault_place in (Place.READER, Place.PATH),
        by_itself=may_go_on and not under_way and host_was_missing,
    )


def check_curable(status: StatusReport) -> None:
    """Raises MachineFault for a fault that needs a technician."""
    if status.fault and status.fault_class not in _CURABLE:
        found = fault_entry(status.fault)
        raise MachineFault(found.sentence, fault=status.fault, hint=found.hint)


def cure_of(refused: Refused) -> Cure:
    """What is waited for after that refusal of ARM."""
    if refused.reason in _OF_THE_BOARD:
        return Cure.ANOTHER_BOARD
    if refused.reason == Refusal.CHECK_FAILED:
        if refused.why == Check.BOARD_MISSING:
            return Cure.ANOTHER_BOARD
        if refused.why in (Check.COVER, Check.HOPPER):
            return Cure.CHANGE
    return Cure.PERSON


def is_change_for_the_better(event: Event) -> bool:
    """Whether a board or cards were put in, or the cover was closed."""
    match event:
        case BoardEvent():
            return event.present
        case CoverEvent():
            return not event.open
        case HopperEvent():
            return event.cards
    return False


def meant_by(choice: Choice, offered: Sequence[Choice], *, or_first: bool) -> Choice:
    """GO says that what was asked for is done: the board starts or goes on, else the safest choice if `or_first`."""
    if choice is not Choice.GO:
        return choice
    wanted = next((one for one in (Choice.GO, Choice.GO_ON) if one in offered), choice)
    return offered[0] if or_first and wanted not in offered else wanted
