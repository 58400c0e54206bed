"""One simulated sitting as data: machine, faults, line, person; read from TOML, told in one line, built.

May import: the other modules of this folder and the standard library. Read next: `__main__.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line, LinePlan
from firmware_sim.memory import Memory
from firmware_sim.person import Person
from firmware_sim.person_script import OddPack, Packs, PersonScript, Slip, parse_boards
from firmware_sim.profile import FULL, PROFILES, Profile

DEFAULT_BOARDS: Final = "1-36"
_MACHINE_FACTS: Final = ("profile=", "serial=", "speed=", "baud=")
_NO_FAULTS: Final = FaultPlan()


class ScenarioError(ValueError):
    """A scenario, or an option of the command line that stands for a part of one, is not as it should be."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything that a simulator is started with; `speed` scales the mechanism and the person only.

    `script` None = nobody stands beside the machine. `line` None = a perfect line, paced when `baud` is given.
    """

    profile: Profile = FULL
    seed: int = 0
    speed: float = 1.0
    baud: int | None = None
    plan: FaultPlan = _NO_FAULTS
    line: LinePlan | None = None
    script: PersonScript | None = None

    def __post_init__(self) -> None:
        if self.speed <= 0:
            raise ScenarioError(f"The speed of the mechanism is above 0, not {self.speed}.")
        if self.baud is not None and self.baud <= 0:
            raise ScenarioError(f"A line's baud rate is above 0, not {self.baud}.")

    @classmethod
    def parse(cls, text: str, source: str = "scenario") -> Scenario:
        """Reads TOML. Raises ScenarioError with a sentence that names `source` and the key."""
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ScenarioError(f"{source} is no TOML: {error}.") from error
        for key in table:
            if key not in _KEYS:
                raise ScenarioError(f"{source}: the key {key!r} is unknown; known are {', '.join(_KEYS)}.")
        scenario = cls()
        for key, take in _KEYS.items():
            if key in table:
                try:
                    scenario = take(scenario, table[key])
                except ValueError as error:
                    raise ScenarioError(f"{source}: {key}: {error}") from error
        return scenario

    @classmethod
    def load(cls, path: Path) -> Scenario:
        """Reads a file. Raises ScenarioError, also when it cannot be read."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ScenarioError(f"The scenario {path.name} cannot be read.") from error
        return cls.parse(text, path.name)

    def with_seed(self, seed: int) -> Scenario:
        """All dice start from `seed`."""
        return replace(
            self,
            seed=seed,
            plan=replace(self.plan, seed=seed),
            line=None if self.line is None else replace(self.line, seed=seed),
            script=None if self.script is None else replace(self.script, seed=seed),
        )

    def with_serial(self, serial: str) -> Scenario:
        """The machine has that serial number, so that it can be told from another one."""
        if not serial.isascii() or not serial.isprintable() or " " in serial or not 1 <= len(serial) <= 16:
            raise ScenarioError("A serial number is 1 to 16 ASCII characters without blanks.")
        return replace(self, profile=replace(self.profile, serial=serial))

    def with_boards(self, boards: str) -> Scenario:
        """A person stands there with these boards ("1-36")."""
        numbers = parse_boards(boards)
        if self.script is None:
            return replace(self, script=PersonScript(numbers, seed=self.seed))
        return replace(self, script=replace(self.script, boards=numbers))

    def with_slips(self, slips: tuple[str, ...]) -> Scenario:
        """The person slips so, besides what was said before."""
        script = self.with_person()
        try:
            return self._with_script(slips=(*script.slips, *map(Slip.parse, slips)))
        except ValueError as error:
            raise ScenarioError(str(error)) from error

    def with_person(self) -> PersonScript:
        """The person's script; one with boards 1-36 when nobody stands there yet."""
        return self.script or PersonScript(parse_boards(DEFAULT_BOARDS), seed=self.seed)

    def with_fault(self, text: str) -> Scenario:
        """One fault more: `line drop=0.1 …`, `slip=…`, `pack=…`, or words of the machine's plan."""
        try:
            if text.split(maxsplit=1)[:1] == ["line"]:
                return replace(self, line=LinePlan.parse(text if "seed=" in text else f"{text} seed={self.seed}"))
            name, equals, value = text.partition("=")
            if equals and name == "slip":
                return self.with_slips((value,))
            if equals and name == "pack":
                return self._with_script(odd_packs=(*self.with_person().odd_packs, OddPack.parse(value)))
            more = FaultPlan.parse(text)
        except ScenarioError:
            raise
        except ValueError as error:
            raise ScenarioError(str(error)) from error
        plan = FaultPlan((*self.plan.faults, *more.faults), (*self.plan.cuts, *more.cuts), self.seed)
        return replace(self, plan=plan)

    def describe(self) -> str:
        """One line that repeats the case: machine, then line, then person; `repeat` reads it."""
        words = [f"machine profile={self._profile_name()} serial={self.profile.serial} speed={self.speed!r}"]
        words += [] if self.baud is None else [f"baud={self.baud}"]
        parts = [" ".join([*words, replace(self.plan, seed=self.seed).describe()])]
        parts += [] if self.line is None else [self.line.describe()]
        parts += [] if self.script is None else [self.script.describe()]
        return " | ".join(parts)

    @classmethod
    def repeat(cls, told: str) -> Scenario:
        """The case that `describe` told. Raises ScenarioError."""
        scenario = cls()
        for part in (part.strip() for part in told.split("|")):
            try:
                if part.startswith("line "):
                    scenario = replace(scenario, line=LinePlan.parse(part))
                elif part.startswith("person "):
                    scenario = replace(scenario, script=PersonScript.parse(part))
                elif part.startswith("machine "):
                    scenario = _with_machine(scenario, part.split()[1:])
                else:
                    raise ScenarioError(f"A case tells of machine, line and person, not {part!r}.")
            except ScenarioError:
                raise
            except ValueError as error:
                raise ScenarioError(str(error)) from error
        return scenario

    def _profile_name(self) -> str:
        """The name of the profile, whatever the serial number; its model's when it is none of the named ones."""
        for name, profile in PROFILES.items():
            if replace(self.profile, serial=profile.serial) == profile:
                return name
        return self.profile.model.replace(" ", "-")

    def build(self, memory: Memory | None = None) -> tuple[SimMachine, Line | None, Person | None]:
        """The machine, its line and the person beside it, ready for an endpoint."""
        machine = SimMachine(self.profile, memory=memory, faults=self.plan, speed=self.speed, seed=self.seed)
        line = None if self.line is None else Line.of(self.line)
        return machine, line, None if self.script is None else Person(machine, self.script)

    def _with_script(self, **changes: Any) -> Scenario:
        return replace(self, script=replace(self.with_person(), **changes))


def _with_machine(scenario: Scenario, words: list[str]) -> Scenario:
    """The scenario with the machine that the words of a told case give."""
    facts = dict(word.split("=", 1) for word in words if word.startswith(_MACHINE_FACTS))
    plan = FaultPlan.parse(" ".join(word for word in words if not word.startswith(_MACHINE_FACTS)))
    profile = profile_named(facts.get("profile", "full"))
    return replace(
        scenario,
        profile=replace(profile, serial=facts.get("serial", profile.serial)),
        seed=plan.seed,
        speed=float(facts.get("speed", "1")),
        baud=int(facts["baud"]) if "baud" in facts else None,
        plan=plan,
    )


def profile_named(name: object) -> Profile:
    """The profile of that name. Raises ScenarioError."""
    if not isinstance(name, str) or name not in PROFILES:
        raise ScenarioError(f"No profile is called {name!r}; there are {', '.join(PROFILES)}.")
    return PROFILES[name]


def _texts(value: object) -> Iterable[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ScenarioError("This is a list of texts.")
    return [str(each) for each in value]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ScenarioError("This is a text.")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ScenarioError("This is true or false.")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ScenarioError("This is a whole number.")
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ScenarioError("This is a number.")
    return float(value)


def _with_faults(scenario: Scenario, value: object) -> Scenario:
    for word in _texts(value):
        if word.startswith(("line", "slip=", "pack=")):
            raise ScenarioError(f"{word!r} is no fault of the machine; line, slips and odd_packs have their own keys.")
        scenario = scenario.with_fault(word)
    return scenario


def _with_line(scenario: Scenario, value: object) -> Scenario:
    words = _text(value) if isinstance(value, str) else " ".join(_texts(value))
    return scenario.with_fault(words if words.startswith("line ") else f"line {words}")


def _with_odd_packs(scenario: Scenario, value: object) -> Scenario:
    for text in _texts(value):
        scenario = scenario.with_fault(f"pack={text}")
    return scenario


def _with_packs(scenario: Scenario, value: object) -> Scenario:
    known = {packs.value: packs for packs in Packs}
    if value not in known:
        raise ScenarioError(f"Packs are one of {', '.join(known)}, not {value!r}.")
    return replace(scenario, script=replace(scenario.with_person(), packs=known[_text(value)]))


def _with_starts(scenario: Scenario, value: object) -> Scenario:
    return replace(scenario, script=replace(scenario.with_person(), starts=_flag(value)))


_KEYS: Final[dict[str, Callable[[Scenario, object], Scenario]]] = {
    "seed": lambda scenario, value: scenario.with_seed(_whole(value)),
    "profile": lambda scenario, value: replace(
        scenario, profile=replace(profile_named(value), serial=scenario.profile.serial)
    ),
    "serial": lambda scenario, value: scenario.with_serial(_text(value)),
    "speed": lambda scenario, value: replace(scenario, speed=_number(value)),
    "baud": lambda scenario, value: replace(scenario, baud=_whole(value)),
    "boards": lambda scenario, value: scenario.with_boards(_text(value)),
    "packs": _with_packs,
    "odd_packs": _with_odd_packs,
    "starts": _with_starts,
    "faults": _with_faults,
    "line": _with_line,
    "slips": lambda scenario, value: scenario.with_slips(tuple(_texts(value))),
}
"""What each key of a scenario does, in the order in which they are taken: seed and boards before what needs them."""
