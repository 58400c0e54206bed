"""The tables of a search: every frame, every machine and every host that was met, each under a small number.

May import: the other modules of this folder. Read next: `search.py`. A step of one end depends on that end and on the
frame alone, so it is made once, on the real code, and remembered. Sets of frames are integers, one bit for each frame.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import Final

from tests.stateful.searched_host import Move, SearchedHost
from tests.stateful.searched_machine import Act, SearchedMachine, Sent, Violation

UNCOUNTED: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Step:
    """Where a step of one end leads: the end after it, the frames that it sends, what it broke, decisions it moved."""

    end: int
    sends: int = 0
    violation: Violation | None = None
    moved: frozenset[int] = frozenset()


@dataclass(slots=True)
class Frames:
    """Every frame ever sent in any of the states. `to_machine` is the set of those that hosts sent."""

    all: list[Sent] = field(default_factory=list)
    to_machine: int = 0
    _numbers: dict[Sent, int] = field(default_factory=dict)

    def set_of(self, sent: list[Sent]) -> int:
        """The set of these frames; new ones get their numbers."""
        together = 0
        for one in sent:
            number = self._numbers.setdefault(one, len(self.all))
            if number == len(self.all):
                self.all.append(one)
                if one.to_machine:
                    self.to_machine |= 1 << number
            together |= 1 << number
        return together


class Machines:
    """The machines. `inert[m]`: frames that are known to do nothing at all to machine m."""

    def __init__(self, frames: Frames, budget: dict[Act, int]) -> None:
        self.inert: list[int] = []
        self.acts: list[list[Act]] = []
        self.stops: list[frozenset[int]] = []
        self.motions: list[int] = []
        self._frames = frames
        self._budget = budget
        self._snapshots: list[bytes] = []
        self._decisions: list[frozenset[int]] = []
        self._numbers: dict[object, int] = {}
        self._steps: list[dict[int | Act, Step]] = []
        self._at_hand: tuple[int, SearchedMachine | None] = (-1, None)

    def __len__(self) -> int:
        return len(self.acts)

    def number_of(self, machine: SearchedMachine) -> int:
        """The number of this machine; a new one is kept as a snapshot."""
        number = self._numbers.setdefault(machine.node_key(), len(self.acts))
        if number == len(self.acts):
            witness = machine.need_witness
            self._snapshots.append(pickle.dumps(machine, pickle.HIGHEST_PROTOCOL))
            self._decisions.append(witness.decisions)
            self._steps.append({})
            self.inert.append(0)
            self.acts.append(machine.acts_possible(self._budget))
            self.stops.append(witness.stops)
            self.motions.append(witness.motions)
        return number

    def step(self, number: int, what: int | Act) -> Step:
        """What a frame (by its number) or an act does to machine `number`."""
        known = self._steps[number].get(what)
        if known is None:
            known = self._steps[number][what] = self._made(number, what)
            if not isinstance(what, Act) and known.end == number and not known.sends and known.violation is None:
                self.inert[number] |= 1 << what
        return known

    def _made(self, number: int, what: int | Act) -> Step:
        machine = self._thawed(number)
        if isinstance(what, Act):
            violation = machine.act(what, counted=self._budget.get(what, UNCOUNTED) < UNCOUNTED)
        else:
            violation = machine.deliver(self._frames.all[what])
        sends = self._frames.set_of(machine.take_sent())
        end = self.number_of(machine)
        self._at_hand = (end, machine)
        return Step(end, sends, violation, self._decisions[end] - self._decisions[number])

    def _thawed(self, number: int) -> SearchedMachine:
        at_hand, machine = self._at_hand
        if at_hand != number or machine is None:
            machine = pickle.loads(self._snapshots[number])
        self._at_hand = (-1, None)
        return machine


class Hosts:
    """The hosts. `inert[h]`: frames that are known to do nothing at all to host h."""

    def __init__(self, frames: Frames, budget: dict[Move, int]) -> None:
        self.inert: list[int] = []
        self.moves: list[list[Move]] = []
        self.believed: list[int] = []
        self.void: list[int] = []
        self._frames = frames
        self._budget = budget
        self._hosts: list[SearchedHost] = []
        self._numbers: dict[object, int] = {}
        self._steps: list[dict[int | Move, Step]] = []

    def __len__(self) -> int:
        return len(self._hosts)

    def number_of(self, host: SearchedHost) -> int:
        """The number of this host, which nobody may change from now on."""
        number = self._numbers.setdefault(host.node_key(), len(self._hosts))
        if number == len(self._hosts):
            self._hosts.append(host)
            self._steps.append({})
            self.inert.append(0)
            self.moves.append(host.moves_possible(self._budget))
            self.believed.append(host.believed)
            self.void.append(host.void)
        return number

    def step(self, number: int, what: int | Move) -> Step:
        """What a frame (by its number) or a move does to host `number`."""
        known = self._steps[number].get(what)
        if known is None:
            known = self._made(number, what)
            if not isinstance(what, Move) and known.end == number and not known.sends:
                self.inert[number] |= 1 << what
            else:
                self._steps[number][what] = known
        return known

    def _made(self, number: int, what: int | Move) -> Step:
        host = self._hosts[number].copied()
        if isinstance(what, Move):
            host.move(what)
        elif not host.deliver(self._frames.all[what]):
            return Step(number)
        sends = self._frames.set_of(host.take_sent())
        return Step(self.number_of(host), sends)
