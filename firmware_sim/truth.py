"""What physically happened: motions, feeds and drops, as no wire ever tells it.

May import: `packs`, `slot` and the standard library. Read next: `mechanism.py`. Tests and the control channel read it;
the machine's firmware never does. No repr shows a card (I7).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from firmware_sim.packs import SimCard
from firmware_sim.slot import SimBoard
from protocol.cards import PACK_SIZE

Hands = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Card codes in pockets N E S W of a board, in the order in which they fell."""


@dataclass(frozen=True, slots=True)
class Motion:
    """The motors started: `time` in seconds, `boot` and `token` name the GO that did it (token 0 = none did)."""

    time: float
    boot: int
    token: int
    run: int

    def __deepcopy__(self, memo: object) -> Motion:
        return self


@dataclass(frozen=True, slots=True)
class Feed:
    """A card left the hopper for that index; `hidden` = it left stuck to another one."""

    time: float
    run: int
    index: int
    card: SimCard
    hidden: bool = False

    def __deepcopy__(self, memo: object) -> Feed:
        return self


@dataclass(frozen=True, slots=True)
class Drop:
    """A card fell into a pocket (as marked on the machine); `board` is None when no board was there.

    `proven` = the machine was watching it; `hidden` = it fell stuck to another one.
    """

    time: float
    run: int
    index: int
    card: SimCard
    pocket: int
    board: SimBoard | None
    proven: bool = True
    hidden: bool = False


@dataclass(slots=True)
class Truth:
    """The record of what physically happened; all times in seconds of the endpoint's clock."""

    motions: list[Motion] = field(default_factory=list)
    all_feeds: list[Feed] = field(default_factory=list)
    all_drops: list[Drop] = field(default_factory=list)
    motor_on: list[tuple[float, float]] = field(default_factory=list)
    """Closed intervals in which the motors turned."""
    motor_since: float | None = None
    refeeds: list[tuple[int, int]] = field(default_factory=list)
    """(run, index) of each feed more that a person permitted by `put_back`."""
    boards: list[SimBoard] = field(default_factory=list)
    """Every board that lay in the slot, oldest first (the slot's own list)."""

    def feeds(self, run: int | None = None) -> list[Feed]:
        """Feeds of that run (default: of all), oldest first; hidden cards included."""
        return [feed for feed in self.all_feeds if run is None or feed.run == run]

    def drops(self, run: int | None = None) -> list[Drop]:
        """Drops of that run (default: of all), oldest first; hidden cards included."""
        return [drop for drop in self.all_drops if run is None or drop.run == run]

    def pockets_of(self, board: SimBoard | int) -> Hands:
        """What lies in the pockets of that board now; a number means the board of that number inserted last.

        Raises LookupError when no board of that number was ever in the slot.
        """
        if isinstance(board, int):
            found = [known for known in self.boards if known.number == board]
            if not found:
                raise LookupError(f"No board {board} was in the slot.")
            board = found[-1]
        north, east, south, west = (tuple(card.identity for card in pocket) for pocket in board.pockets)
        return north, east, south, west

    def violations(self) -> list[str]:
        """What breaks "exactly once" (I1), one sentence each; empty = nothing does."""
        found = []
        for (boot, token), count in Counter((motion.boot, motion.token) for motion in self.motions).items():
            if not token:
                found.append(f"Motion began {count} times without a GO.")
            elif count > 1:
                found.append(f"One GO started motion {count} times (boot {boot}).")
        fed = Counter(feed.run for feed in self.all_feeds if not feed.hidden)
        permitted = Counter(run for run, _ in self.refeeds)
        for run, count in fed.items():
            if count > PACK_SIZE + permitted[run]:
                found.append(f"Run {run:#x} fed {count} cards, {PACK_SIZE + permitted[run]} permitted.")
        dropped = Counter((drop.run, drop.index) for drop in self.all_drops if not drop.hidden)
        twice = [(run, at, count) for (run, at), count in dropped.items() if count > 1]
        return found + [f"Run {run:#x} dropped index {at} {count} times." for run, at, count in twice]

    def __repr__(self) -> str:
        return f"Truth({len(self.motions)} motions, {len(self.all_feeds)} feeds, {len(self.all_drops)} drops)"
