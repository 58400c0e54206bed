"""What goes wrong in the machine, as data: one line of text tells a plan, and the same line repeats it.

May import: `memory`, protocol and the standard library. Read next: `mechanism.py` and `dealing.py`, where faults bite.
Faults of the line are in `line.py`, slips of the person in `person.py`; properties of cards are in `packs.py`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from firmware_sim.memory import MemoryFate
from protocol.cards import PACK_SIZE

_FAULT: Final = re.compile(
    r"(?P<kind>[a-z-]+)(?:@(?:(?P<run>\d+)/)?(?P<index>\d+))?(?::(?P<value>\d+))?(?:>(?P<other>\d+))?"
)
_CUT: Final = re.compile(
    r"power-cut@(?:(?P<run>\d+)/)?(?P<ms>\d+(?:\.\d+)?)ms:(?P<fate>[a-z-]+):(?P<off>\d+(?:\.\d+)?)s"
)


@unique
class FaultKind(Enum):
    """A fault of the mechanism. `index`, `value` and `other` of `MachineFault` mean what stands here."""

    JAM_READER = "jam-reader"
    """The card of that index stays in the reader."""
    JAM_PATH = "jam-path"
    """The card of that index stays in the path."""
    NO_FEED = "no-feed"
    """The roller turns and no card leaves; `value` attempts fail (0 = 3)."""
    DOUBLE_FEED = "double-feed"
    """The card of that index drags the next one along."""
    MISREAD = "misread"
    """The card of that index is read as card `value`, once."""
    WORN = "worn"
    """Card `value` is always read as card `other`."""
    SWAPPED = "swapped"
    """Cards `value` and `other` are always read as each other."""
    UNREADABLE = "unreadable"
    """The card of that index cannot be read until a person wiped it."""
    WEAK = "weak"
    """The first `value` readings of the card of that index (0 = all) are below the threshold."""
    FACE_UP = "face-up"
    """The card of that index lies face up."""
    FOREIGN = "foreign"
    """A card that is none of the 52 lies before the card of that index."""
    WRONG_POCKET = "wrong-pocket"
    """The card of that index falls into pocket `value`, whatever the gate says."""
    POCKET_DEAD = "pocket-dead"
    """The sensor of pocket `value` never sees anything."""
    POCKET_STUCK = "pocket-stuck"
    """The sensor of pocket `value` says "not empty" always."""
    POCKETS_CROSSED = "pockets-crossed"
    """The sensors of pockets `value` and `other` are connected the wrong way round."""
    COVER = "cover"
    """The cover is opened `value` milliseconds after the card of that index began to move."""
    STALL = "stall"
    """The gate never reaches its place for the card of that index."""
    SLOW = "slow"
    """From that index on every step takes `value` percent of its time."""
    MEMORY = "memory"
    """The FEED mark of that index cannot be made durable."""
    HOSTILE_TEXT = "hostile-text"
    """Model, firmware and log are control characters, escapes and bytes that are no ASCII."""


LASTING: Final = frozenset(
    {
        FaultKind.WORN,
        FaultKind.SWAPPED,
        FaultKind.POCKET_DEAD,
        FaultKind.POCKET_STUCK,
        FaultKind.POCKETS_CROSSED,
        FaultKind.HOSTILE_TEXT,
    }
)
"""Kinds that are so from the start and stay; all others happen once, at their run and index."""


@dataclass(frozen=True, slots=True)
class MachineFault:
    """One fault: at card `index` of the `run`-th run since the machine was made (0 = the next run that gets there)."""

    kind: FaultKind
    index: int = 0
    run: int = 0
    value: int = 0
    other: int = 0

    def describe(self) -> str:
        """One word, such as `jam-path@23` or `misread@2/5:51`; `parse` reads it."""
        run = f"{self.run}/" if self.run else ""
        where = "" if self.kind in LASTING else f"@{run}{self.index}"
        other = f">{self.other}" if self.other else ""
        value = f":{self.value}" if self.value or other else ""
        return f"{self.kind.value}{where}{value}{other}"

    @classmethod
    def parse(cls, word: str) -> MachineFault:
        """The inverse of `describe`. Raises ValueError when the word is none."""
        match = _FAULT.fullmatch(word)
        if match is None:
            raise ValueError(f"No fault of the machine: {word!r}")
        numbers = {name: int(match[name] or 0) for name in ("index", "run", "value", "other")}
        return cls(FaultKind(match["kind"]), **numbers)


@dataclass(frozen=True, slots=True)
class PowerCut:
    """The power goes `at_ms` of mechanism time after the GO of the `run`-th run (0 = the next); back after `off` s."""

    at_ms: float
    fate: MemoryFate = MemoryFate.KEPT
    run: int = 0
    off: float = 2.0

    def describe(self) -> str:
        """One word, such as `power-cut@1234ms:torn:2s`; `parse` reads it."""
        run = f"{self.run}/" if self.run else ""
        return f"power-cut@{run}{self.at_ms:g}ms:{self.fate.value}:{self.off:g}s"

    @classmethod
    def parse(cls, word: str) -> PowerCut:
        """The inverse of `describe`. Raises ValueError when the word is none."""
        match = _CUT.fullmatch(word)
        if match is None:
            raise ValueError(f"No power cut: {word!r}")
        return cls(float(match["ms"]), MemoryFate(match["fate"]), int(match["run"] or 0), float(match["off"]))


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Everything that goes wrong in one machine. `seed` is the machine's, so that the line repeats the whole case."""

    faults: tuple[MachineFault, ...] = ()
    cuts: tuple[PowerCut, ...] = ()
    seed: int = 0

    def describe(self) -> str:
        """One line that `parse` reads back to the same plan."""
        words = [fault.describe() for fault in self.faults] + [cut.describe() for cut in self.cuts]
        return " ".join([f"seed={self.seed}", *words])

    @classmethod
    def parse(cls, line: str) -> FaultPlan:
        """The plan that `describe` told. Raises ValueError naming the word that is no fault."""
        faults, cuts, seed = [], [], 0
        for word in line.split():
            if word.startswith("seed="):
                seed = int(word[5:])
            elif word.startswith("power-cut"):
                cuts.append(PowerCut.parse(word))
            else:
                faults.append(MachineFault.parse(word))
        return cls(tuple(faults), tuple(cuts), seed)

    @classmethod
    def random(cls, seed: int, *, count: int = 1) -> FaultPlan:
        """`count` faults of one run, chosen by `seed`; two cards, pockets and times as the kind needs them."""
        chosen = random.Random(seed)
        faults = []
        for _ in range(count):
            kind = chosen.choice(list(FaultKind))
            value, other = _operands(kind, chosen)
            index = 0 if kind in LASTING else chosen.randrange(PACK_SIZE)
            faults.append(MachineFault(kind, index, 0, value, other))
        return cls(tuple(faults), (), seed)


def _operands(kind: FaultKind, chosen: random.Random) -> tuple[int, int]:
    """`value` and `other` that make sense for the kind."""
    match kind:
        case FaultKind.MISREAD:
            return chosen.randrange(PACK_SIZE), 0
        case FaultKind.WORN | FaultKind.SWAPPED:
            one, two = chosen.sample(range(PACK_SIZE), 2)
            return one, two
        case FaultKind.WRONG_POCKET | FaultKind.POCKET_DEAD | FaultKind.POCKET_STUCK:
            return chosen.randrange(4), 0
        case FaultKind.POCKETS_CROSSED:
            one, two = chosen.sample(range(4), 2)
            return one, two
        case FaultKind.COVER:
            return chosen.randrange(100), 0
        case FaultKind.SLOW:
            return chosen.randrange(110, 500), 0
        case _:
            return 0, 0


@dataclass(slots=True)
class Mischief:
    """The faults still to come, as the mechanism asks for them: each that happens once is given once."""

    _waiting: list[MachineFault] = field(default_factory=list)
    _lasting: list[MachineFault] = field(default_factory=list)

    @classmethod
    def of(cls, plan: FaultPlan) -> Mischief:
        """All faults of the plan, none of which has happened."""
        mischief = cls()
        for fault in plan.faults:
            mischief.add(fault)
        return mischief

    @property
    def is_idle(self) -> bool:
        """True when nothing goes wrong, now or later."""
        return not self._waiting and not self._lasting

    def add(self, fault: MachineFault) -> None:
        """One more fault, from now on."""
        (self._lasting if fault.kind in LASTING else self._waiting).append(fault)

    def clear(self) -> None:
        """No fault any more."""
        self._waiting.clear()
        self._lasting.clear()

    def take(self, kind: FaultKind, run: int, index: int) -> MachineFault | None:
        """The fault of that kind at that card of the `run`-th run, which then has happened; None = all is well."""
        for fault in self._waiting:
            if fault.kind is kind and fault.index == index and fault.run in (0, run):
                self._waiting.remove(fault)
                return fault
        return None

    def lasting(self, kind: FaultKind) -> list[MachineFault]:
        """The faults of that kind that are there always."""
        return [fault for fault in self._lasting if fault.kind is kind] if self._lasting else []

    def state_key(self) -> tuple[object, ...]:
        """Everything that can still go wrong."""
        return tuple(self._waiting), tuple(self._lasting)
