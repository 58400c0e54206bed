"""May an open run go on at the same card? The table of PROTOCOL.md, section 5, as one function.

May import: `run`, protocol and the standard library. Read next: `requests.py`, which asks it for ARM and STATUS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_sim.run import Run
from protocol.cards import PACK_SIZE
from protocol.codes import LedgerKind, Obstacle, Place, Routing, Sensor

_IN_SIGHT: Final = int(Sensor.READER_CARD | Sensor.PATH_CARD)
_POCKET: Final = int(Sensor.POCKET_N)
ANY_PUT_BACK: Final = -1
"""In place of `put_back`: as if a person named, truly, whatever card may be put back (for STATUS)."""


@dataclass(frozen=True, slots=True)
class GoOnFacts:
    """What the machine is and senses: `sensors` as bits of `Sensor`, `board_edges` as counted now."""

    ledger: LedgerKind
    pockets_sensed: bool
    sensors: int
    board_edges: int


def obstacle_of(run: Run, facts: GoOnFacts, *, put_back: int, first: int) -> Obstacle:
    """Why the paused run may not be armed with these `put_back` and `first`; NONE = it may."""
    if run.barred:
        return run.barred
    if run.restarted and facts.ledger is not LedgerKind.CARD:
        return Obstacle.RESTART
    if run.restarted and run.routing == Routing.BY_ORDER:
        return Obstacle.BY_ORDER
    if facts.board_edges != run.board_edges:
        return Obstacle.BOARD
    if run.under_way is not None and (found := _card_under_way(run, facts.sensors, put_back)):
        return found
    if run.restarted and facts.pockets_sensed:
        held = sum(_POCKET << pocket for pocket, count in enumerate(run.ledger.counts) if count)
        if facts.sensors & 15 * _POCKET != held:
            return Obstacle.BOARD
    if first != run.index or run.index >= PACK_SIZE:
        return Obstacle.INDEX
    return Obstacle.NONE


def _card_under_way(run: Run, sensors: int, put_back: int) -> Obstacle:
    """As `obstacle_of`, for the card that left the hopper and has no proof."""
    if run.no_way_back or run.under_way not in (Place.READER, Place.PATH):
        return Obstacle.DOUBT
    if put_back != ANY_PUT_BACK:
        in_sight = bool(sensors & _IN_SIGHT)
        if run.refused and in_sight:
            return Obstacle.NONE
        if in_sight or put_back != run.index:
            return Obstacle.DOUBT
    if run.routing == Routing.BY_ORDER and not run.refused:
        return Obstacle.BY_ORDER
    return Obstacle.NONE
