"""What is wrong with a line, as data: shares of frames hit in each direction, one-shot rules, freezes and cuts.

May import: `protocol` and the standard library. Read next: `line.py`, which does it.
A plan and its text say the same: `LinePlan.parse(plan.describe()) == plan`; the text is one line and holds the seed.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum, unique
from typing import Final

from protocol.codes import Kind

DELAY_UP_TO: Final = 0.5
"""Seconds that a delayed frame is late at most, unless the plan says otherwise."""


@unique
class Direction(Enum):
    """Which way a frame goes; the value is its name in texts."""

    TO_MACHINE = "to_machine"
    TO_HOST = "to_host"


@unique
class LineFault(Enum):
    """What can happen to a frame, in the order in which the line decides."""

    DROP = "drop"
    FLIP = "flip"
    GARBAGE = "garbage"
    DELAY = "delay"
    SPLIT = "split"
    DUPLICATE = "duplicate"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Shares:
    """Probability of each line fault for a frame of one direction, 0 … 1; `drop` first, the rest hits survivors."""

    drop: float = 0.0
    flip: float = 0.0
    garbage: float = 0.0
    delay: float = 0.0
    split: float = 0.0
    duplicate: float = 0.0
    replay: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise ValueError(f"The share {field.name} of a line fault is 0 to 1, not {value}.")

    def of(self, fault: LineFault) -> float:
        """The probability of `fault`."""
        return float(getattr(self, fault.value))


@dataclass(frozen=True, slots=True)
class OneShot:
    """One fault, once: it hits the `nth` frame (from 1) of `direction`; with `kind` (and `type`) only these count."""

    fault: LineFault
    direction: Direction
    nth: int
    kind: Kind | None = None
    type: int | None = None

    def __post_init__(self) -> None:
        if self.nth < 1:
            raise ValueError(f"A line rule counts frames from 1, not from {self.nth}.")
        if self.type is not None and self.kind is None:
            raise ValueError("A line rule that names a type names its kind as well.")

    def describe(self) -> str:
        """`drop:to_host:3`, `drop:to_host:ANSWER:1` or `drop:to_host:ANSWER/4:1`."""
        words = [self.fault.value, self.direction.value]
        if self.kind is not None:
            words.append(self.kind.name if self.type is None else f"{self.kind.name}/{self.type}")
        return ":".join((*words, str(self.nth)))

    @classmethod
    def parse(cls, text: str) -> OneShot:
        """The inverse of `describe`. Raises ValueError with a sentence."""
        fault, direction, *which = text.split(":")
        if len(which) not in (1, 2):
            raise ValueError(f"A line rule reads fault:direction[:KIND[/type]]:nth, not {text!r}.")
        kind, slash, number = which[0].partition("/") if len(which) == 2 else ("", "", "")
        try:
            return cls(
                LineFault(fault),
                Direction(direction),
                int(which[-1]),
                Kind[kind.upper()] if kind else None,
                int(number) if slash else None,
            )
        except (KeyError, ValueError) as error:
            raise ValueError(f"A line rule reads fault:direction[:KIND[/type]]:nth, not {text!r}.") from error


@dataclass(frozen=True, slots=True)
class Freeze:
    """From `start` to `end` (seconds) nothing passes, either way; then everything that waited does."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"A freeze ends at {self.end} s, before it starts at {self.start} s.")


@dataclass(frozen=True, slots=True)
class Cut:
    """At `at` (seconds) the cable comes out and what is under way is lost; it can be put back after `back_after`."""

    at: float
    back_after: float = 0.0

    def __post_init__(self) -> None:
        if self.back_after < 0:
            raise ValueError("A cut cable cannot come back before it is cut.")


@dataclass(frozen=True, slots=True)
class LinePlan:
    """Everything that is wrong with one line, with the seed of its dice; times in seconds of the endpoint's clock."""

    seed: int = 0
    to_machine: Shares = Shares()
    to_host: Shares = Shares()
    delay_up_to: float = DELAY_UP_TO
    rules: tuple[OneShot, ...] = ()
    freezes: tuple[Freeze, ...] = ()
    cuts: tuple[Cut, ...] = ()

    def shares(self, direction: Direction) -> Shares:
        """The shares of `direction`."""
        return self.to_machine if direction is Direction.TO_MACHINE else self.to_host

    def describe(self) -> str:
        """One line that repeats this plan: `line seed=7 drop=0.15/0.15 cut=3.5/1.0 rule=drop:to_host:3`."""
        words = [f"line seed={self.seed}"]
        for fault in LineFault:
            pair = (self.to_machine.of(fault), self.to_host.of(fault))
            if any(pair):
                words.append(f"{fault.value}={pair[0]!r}/{pair[1]!r}")
        if self.delay_up_to != DELAY_UP_TO:
            words.append(f"delay_up_to={self.delay_up_to!r}")
        words += [f"freeze={freeze.start!r}..{freeze.end!r}" for freeze in self.freezes]
        words += [f"cut={cut.at!r}/{cut.back_after!r}" for cut in self.cuts]
        words += [f"rule={rule.describe()}" for rule in self.rules]
        return " ".join(words)

    @classmethod
    def parse(cls, text: str) -> LinePlan:
        """Reads what `describe` wrote; `drop=0.1` alone means both directions. Raises ValueError with a sentence."""
        reader = _PlanReader()
        words = text.split()
        for word in words[1:] if words[:1] == ["line"] else words:
            name, equals, value = word.partition("=")
            if not equals:
                raise ValueError(f"A line fault reads name=value, not {word!r}.")
            reader.take(name, value)
        return reader.plan()


class _PlanReader:
    """Collects the words of a plan's text."""

    def __init__(self) -> None:
        self._seed = 0
        self._delay_up_to = DELAY_UP_TO
        self._shares: dict[Direction, dict[str, float]] = {direction: {} for direction in Direction}
        self._rules: list[OneShot] = []
        self._freezes: list[Freeze] = []
        self._cuts: list[Cut] = []

    def take(self, name: str, value: str) -> None:
        """Takes one word."""
        if name == "seed":
            self._seed = int(_number(name, value))
        elif name == "delay_up_to":
            self._delay_up_to = _number(name, value)
        elif name == "rule":
            self._rules.append(OneShot.parse(value))
        elif name == "freeze":
            start, _, end = value.partition("..")
            self._freezes.append(Freeze(_number(name, start), _number(name, end)))
        elif name == "cut":
            at, slash, back = value.partition("/")
            self._cuts.append(Cut(_number(name, at), _number(name, back) if slash else 0.0))
        elif name in {fault.value for fault in LineFault}:
            first, slash, second = value.partition("/")
            self._shares[Direction.TO_MACHINE][name] = _number(name, first)
            self._shares[Direction.TO_HOST][name] = _number(name, second if slash else first)
        else:
            raise ValueError(f"No line fault is called {name!r}.")

    def plan(self) -> LinePlan:
        """The plan of the words taken."""
        return LinePlan(
            self._seed,
            Shares(**self._shares[Direction.TO_MACHINE]),
            Shares(**self._shares[Direction.TO_HOST]),
            self._delay_up_to,
            tuple(self._rules),
            tuple(self._freezes),
            tuple(self._cuts),
        )


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(f"{name} of a line is a number, not {text!r}.") from error
