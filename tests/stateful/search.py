"""A breadth-first search for hidden motion, on the real `Connection` and the real simulated core.

The line may deliver any frame ever sent, at any time, any number of times, in any order, or never. The search begins in
the last two cards of a run, PAUSED at index 50, with a host that has seen everything and with all frames of its
connection on the line.

May import: the other modules of this folder. Read next: `ends.py` (the steps), `test_search.py`.
A state is (machine, host, set of frames on the line). A larger set of frames allows everything that a smaller one
allows, so of states with the same two ends only those with the largest sets are followed; and an answer that leaves
the machine as it is joins the set at once, not counted as a step. Nothing that can happen within the depth is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from firmware_sim.packs import shuffled_pack
from protocol.cards import PACK_SIZE
from protocol.codes import AnomalyMode, Kind, Routing, State
from protocol.constants import NOT_PUT_BACK
from protocol.messages import Arm
from tests.stateful.ends import Frames, Hosts, Machines, Step
from tests.stateful.searched_host import Move, SearchedHost
from tests.stateful.searched_machine import CARDS, Act, SearchedMachine, Sent, Violation
from tests.support.bare_host import CONFIRMED_ALL, PLAN_TAG, ROTATION, RUN, destinations

INDEX: Final = PACK_SIZE - CARDS


@dataclass(frozen=True, slots=True)
class Budget:
    """How often each thing may happen on one way. Moves not named may not; acts not named may without limit."""

    moves: dict[Move, int]
    acts: dict[Act, int]


@dataclass(slots=True)
class Found:
    """What a search came to. `violations`: each with the depth at which it was found first, and the way there."""

    depth: int = 0
    states: int = 0
    machines: int = 0
    hosts: int = 0
    frames: int = 0
    motions: int = 0
    exhausted: bool = False
    violations: dict[Violation, tuple[int, tuple[str, ...]]] = field(default_factory=dict)

    def __str__(self) -> str:
        end = "exhausted" if self.exhausted else "reached"
        lines = [
            f"depth {self.depth} {end}: {self.states} states of {self.machines} machines, {self.hosts} hosts and "
            f"{self.frames} frames; motion began up to {self.motions} times"
        ]
        for violation, (depth, way) in self.violations.items():
            lines += [f"depth {depth}: {violation.value}", *(f"    {step}" for step in way)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _State:
    machine: int
    host: int
    line: int
    before: _State | None
    what: int | Act | Move | None


class Search:
    """One search from one beginning. Machine and host may be wrong ones."""

    def __init__(
        self,
        budget: Budget,
        machine: type[SearchedMachine] = SearchedMachine,
        host: type[SearchedHost] = SearchedHost,
        overlooked: Collection[Violation] = (),
    ) -> None:
        self._frames = Frames()
        self._machines = Machines(self._frames, budget.acts)
        self._hosts = Hosts(self._frames, budget.moves)
        self._largest: dict[tuple[int, int], list[int]] = {}
        self._found = Found()
        self._overlooked = frozenset(overlooked)
        self._first = self._begin(machine, host)

    def run(self, depth: int, states: int, *, until: Violation | None = None) -> Found:
        """Searches `depth` steps deep, or until so many states were followed, or until `until` was found."""
        found = self._found
        edge = [self._first]
        while edge and found.depth < depth and found.states < states and until not in found.violations:
            found.depth += 1
            after: list[_State] = []
            for state in edge:
                self._follow(state, after)
            edge = [state for state in after if state.line in self._largest[state.machine, state.host]]
        found.exhausted = not edge
        found.machines, found.hosts, found.frames = len(self._machines), len(self._hosts), len(self._frames.all)
        return found

    def _follow(self, state: _State, after: list[_State]) -> None:
        """Adds to `after` what one step leads to and no other state covers."""
        machine, host, line = state.machine, state.host, state.line
        machines, hosts, frames = self._machines, self._hosts, self._frames
        self._found.states += 1
        for number in bits(line & frames.to_machine & ~machines.inert[machine]):
            self._machine_does(state, number, after)
        for act in machines.acts[machine]:
            self._machine_does(state, act, after)
        for number in bits(line & ~frames.to_machine & ~hosts.inert[host]):
            self._host_does(state, number, after)
        for move in hosts.moves[host]:
            self._host_does(state, move, after)

    def _machine_does(self, state: _State, what: int | Act, after: list[_State]) -> None:
        step = self._machines.step(state.machine, what)
        if step.end != state.machine or step.violation is not None:
            self._reach(state, what, step, after, machine=step.end, host=state.host)

    def _host_does(self, state: _State, what: int | Move, after: list[_State]) -> None:
        step = self._hosts.step(state.host, what)
        if step.end != state.host or step.sends:
            self._reach(state, what, step, after, machine=state.machine, host=step.end)

    def _reach(
        self, before: _State, what: int | Act | Move, step: Step, after: list[_State], *, machine: int, host: int
    ) -> None:
        violation = step.violation or self._between(step, machine, host)
        if violation is not None:
            if violation not in self._found.violations:
                self._found.violations[violation] = (self._found.depth, (*self._way_to(before), self._label(what)))
            return
        line = self._with_answers(machine, before.line | step.sends)
        largest = self._largest.setdefault((machine, host), [])
        if any(line | other == other for other in largest):
            return
        self._found.motions = max(self._found.motions, self._machines.motions[machine])
        largest[:] = [other for other in largest if line | other != line]
        largest.append(line)
        after.append(_State(machine, host, line, before, what))

    def _with_answers(self, machine: int, line: int) -> int:
        """The line with all answers that leave the machine as it is."""
        machines, frames = self._machines, self._frames
        tried = 0
        while rest := line & frames.to_machine & ~machines.inert[machine] & ~tried:
            for number in bits(rest):
                step = machines.step(machine, number)
                if step.end == machine and step.violation is None:
                    line |= step.sends
            tried |= rest
        return line

    def _between(self, step: Step, machine: int, host: int) -> Violation | None:
        """What no end can see by itself, after a step to these two."""
        believed = self._hosts.believed[host]
        if believed and believed not in self._machines.stops[machine]:
            return Violation.FALSE_STOP
        if any(decision <= self._hosts.void[host] for decision in step.moved):
            return Violation.MOTION_AFTER_STOP
        return None

    def _way_to(self, state: _State) -> tuple[str, ...]:
        way: list[str] = []
        at: _State | None = state
        while at is not None and at.what is not None:
            way.append(self._label(at.what))
            at = at.before
        return tuple(reversed(way))

    def _label(self, what: int | Act | Move) -> str:
        if isinstance(what, int):
            sent = self._frames.all[what]
            return f"{'the machine' if sent.to_machine else 'the host'} gets {sent.name}"
        return str(what.value)

    def _begin(self, machine_class: type[SearchedMachine], host_class: type[SearchedHost]) -> _State:
        """The run is dealt to its last two cards and paused, by a host of the same kind."""
        machine = machine_class(seed=7)
        machine.mechanism.load_pack(shuffled_pack(7))
        machine.mechanism.slot.insert_board(1)
        machine.begin_witness()
        host = host_class(first_arm())
        line: list[Sent] = []

        def exchange() -> None:
            while sent := host.take_sent():
                for one in sent:
                    machine.deliver(one)
                answers = machine.take_sent()
                for one in answers:
                    host.deliver(one)
                line.extend(one for one in (*sent, *answers) if one.frame.kind is not Kind.EVENT)

        for move in (Move.OPEN, Move.DECIDE):
            host.move(move)
            exchange()
        while machine.control.state is State.MOVING:
            machine.act(Act.CARD_GOES_ON, counted=False)
            for event in machine.take_sent():
                host.deliver(event)
            if machine.index == INDEX - 1 and machine.control.pause_wanted is None:
                host.move(Move.PAUSE)
                exchange()
        machine.begin_search(self._overlooked)
        host.begin_search()
        ends = self._machines.number_of(machine), self._hosts.number_of(host)
        return _State(*ends, self._frames.set_of(line), None, None)


def first_arm() -> Arm:
    """The ARM of the run that is searched, new."""
    return Arm(
        run=RUN,
        plan_tag=PLAN_TAG,
        board=1,
        routing=Routing.BY_IDENTITY,
        on_anomaly=AnomalyMode.STOP,
        more_packs=False,
        confirmed=CONFIRMED_ALL,
        put_back=NOT_PUT_BACK,
        first=0,
        last_event=0,
        destinations=destinations(ROTATION),
    )


def bits(frames: int) -> Iterator[int]:
    """The numbers of the frames in a set."""
    while frames:
        lowest = frames & -frames
        yield lowest.bit_length() - 1
        frames ^= lowest
