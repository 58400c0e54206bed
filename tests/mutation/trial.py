"""A pytest plugin: runs each test once, then against each mutant those of them that reach the changed line.

A mutant is tried in a child that is forked after the tests were collected; there the changed code takes the place of
the right one, and the tests run until one fails. POSIX only. May import: pytest, `changes.py` and the standard library.
Read next: `__main__.py`, the command.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import select
import shutil
import signal
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, unique
from functools import partial
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any, Final

import pytest

from tests.mutation.changes import Mutant, Part, mutants_of

_MOST_SECONDS: Final = 8.0
"""Of processor time that the tests of one mutant take at most, by their first run; slower ones are left out."""
_TEST_GRACE: Final = 2.0
_TEST_FACTOR: Final = 5.0
_MEMORY: Final = 1 << 31
_SURVIVED: Final = b"none"


@unique
class Fate(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "timed out"
    """A test took five times its time and two seconds more; counts as killed."""
    SURVIVED = "survived"
    UNREACHED = "survived: no test reaches it"


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant of a file, and its fate."""

    file: str
    mutant: Mutant
    fate: Fate

    def describe(self) -> str:
        """One line for a person."""
        return f"{self.file}:{self.mutant.lines.start} {self.mutant.where}: {self.mutant.told} ({self.fate.value})"


@dataclass(slots=True)
class Trial:
    """The plugin: the modules that are changed, and what is found; of each `at_most` mutants, drawn by `seed`."""

    modules: tuple[ModuleType, ...]
    temporary: Path
    at_most: int
    seed: int
    found: dict[str, list[Tried]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    """Tests that failed although nothing was changed."""
    _seconds: dict[int, float] = field(default_factory=dict)
    _reached: dict[tuple[str, int], set[int]] = field(default_factory=lambda: defaultdict(set))
    """Indices of the tests that run a line of a file."""
    _kills: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often a test killed a mutant of a function: it is the first to be asked about the next one."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remembers a failure."""
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Takes the place of pytest's own loop."""
        _always_the_same_examples()
        for at, item in enumerate(session.items):
            self._watch(at, item)
        if self.failed:
            return True
        gc.collect()
        gc.freeze()
        unchanged, fails = self._in_a_child(_nothing, [*range(len(session.items))], session.items)
        if unchanged is not Fate.SURVIVED:
            self.failed.append("a test that is run again" if fails is None else session.items[fails].nodeid)
            return True
        for module in self.modules:
            path = Path(str(module.__file__))
            name = path.relative_to(session.config.rootpath).as_posix()
            drawn = list(mutants_of(path.read_text(encoding="utf-8"), str(path)))
            if len(drawn) > self.at_most:
                drawn = random.Random(self.seed).sample(drawn, self.at_most)
            functions = {(one.__code__.co_qualname, one.__code__.co_firstlineno): one for one in _functions(module)}
            tried = self.found[name] = []
            for mutant in sorted(drawn, key=lambda mutant: mutant.lines.start):
                fate = self._try(module, functions, mutant, session.items)
                tried.append(Tried(name, mutant, fate))
                if fate is not Fate.KILLED:
                    print(tried[-1].describe(), file=sys.__stdout__, flush=True)
        return True

    def _watch(self, at: int, item: pytest.Item) -> None:
        """Runs a test and notes which lines of the modules it reaches, and how long it takes."""
        files = {str(module.__file__) for module in self.modules}
        reached = self._reached

        def on_line(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                reached[frame.f_code.co_filename, frame.f_lineno].add(at)
            return on_line

        def on_call(frame: FrameType, _: str, __: Any) -> Any:
            return on_line if frame.f_code.co_filename in files else None

        started = time.process_time()
        threading.settrace(on_call)
        sys.settrace(on_call)
        try:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        finally:
            sys.settrace(None)
            threading.settrace(None)
        self._seconds[at] = time.process_time() - started

    def _try(
        self,
        module: ModuleType,
        functions: dict[tuple[str, int], FunctionType],
        mutant: Mutant,
        items: list[pytest.Item],
    ) -> Fate:
        if mutant.part is not Part.TABLE:
            right = functions[mutant.where, mutant.first_line].__code__
            if mutant.part is Part.BODY and mutant.code.co_freevars != right.co_freevars:
                raise ValueError(f"this change of {mutant.where} cannot take its place: {mutant.told}")
        asked = self._asked(str(module.__file__), mutant, functions)
        if not asked:
            return Fate.UNREACHED
        fate, killer = self._in_a_child(partial(_install, module, functions, mutant), asked, items)
        if killer is not None:
            self._kills[mutant.where, killer] += 1
        return fate

    def _in_a_child(
        self, change: Callable[[], None], asked: list[int], items: list[pytest.Item]
    ) -> tuple[Fate, int | None]:
        """What becomes of a change, and the index of the test that failed, if one could tell."""
        reads, writes = os.pipe()
        before = set(self.temporary.iterdir())
        child = os.fork()
        if not child:
            try:
                self._be_the_child(change, [(at, items[at]) for at in asked], writes)
            finally:
                os._exit(1)
        os.close(writes)
        longest = 60 + 20 * sum(self._seconds[at] for at in asked)
        answered, _, _ = select.select([reads], [], [], longest)
        told = os.read(reads, 100) if answered else b""
        os.close(reads)
        if not answered:
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        for left in set(self.temporary.iterdir()) - before:
            shutil.rmtree(left, ignore_errors=True)
        if told == _SURVIVED:
            return Fate.SURVIVED, None
        if not answered or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
            return Fate.TIMED_OUT, None
        return Fate.KILLED, int(told) if told else None

    def _asked(self, file: str, mutant: Mutant, functions: dict[tuple[str, int], FunctionType]) -> list[int]:
        """The tests that reach the mutant, the likeliest to kill it first, then the quickest."""
        if mutant.part is Part.BODY:
            reaching = {at for line in mutant.lines for at in self._reached.get((file, line), ())}
        elif mutant.part is Part.DEFAULTS:
            code = functions[mutant.where, mutant.first_line].__code__
            lines = {line for *_, line in code.co_lines() if line}
            reaching = {at for line in lines for at in self._reached.get((file, line), ())}
        else:
            reaching = {at for ats in self._reached.values() for at in ats}
        asked: list[int] = []
        seconds = 0.0
        for at in sorted(reaching, key=lambda at: (-self._kills[mutant.where, at], self._seconds[at])):
            seconds += self._seconds[at]
            if asked and seconds > _MOST_SECONDS:
                break
            asked.append(at)
        return asked

    def _be_the_child(self, change: Callable[[], None], tests: list[tuple[int, pytest.Item]], writes: int) -> None:
        """Writes the index of the test that failed, or that none did."""
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        killer = tests[0][0]
        try:
            change()
            for (at, item), (_, following) in zip(tests, [*tests[1:], (0, None)], strict=True):
                killer = at
                seconds = time.process_time() + _TEST_GRACE + _TEST_FACTOR * self._seconds[at]
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, resource.RLIM_INFINITY))
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    break
            else:
                os.write(writes, _SURVIVED)
                os._exit(0)
        except BaseException:  # noqa: BLE001
            self.failed.append("")
        os.write(writes, str(killer).encode())
        os._exit(0)


def _nothing() -> None:
    """No change: what fails then says nothing about mutants."""


def _always_the_same_examples() -> None:
    """Few of them and none made smaller: a mutant is killed or not."""
    from hypothesis import HealthCheck, Phase, settings  # pytest wants to import its plugins itself.

    settings.register_profile(
        "mutation",
        max_examples=30,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutation")


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods that the module's source defines, whatever wraps them."""
    holders: list[ModuleType | type] = [module]
    while holders:
        for value in vars(holders.pop()).values():
            parts = [value.fget, value.fset, value.fdel] if isinstance(value, property) else [value]
            for part in parts:
                one: Any = getattr(part, "__func__", part)
                while hasattr(one, "__wrapped__"):
                    one = one.__wrapped__
                if isinstance(one, FunctionType) and one.__code__.co_filename == module.__file__:
                    yield one
            if isinstance(value, type) and value.__module__ == module.__name__:
                holders.append(value)


def _install(module: ModuleType, functions: dict[tuple[str, int], FunctionType], mutant: Mutant) -> None:
    """The changed code takes the place of the right one, wherever it was imported to."""
    if mutant.part is Part.TABLE:
        right = getattr(module, mutant.where)
        wrong = eval(mutant.code, vars(module))
        for other in [one for name, one in sys.modules.items() if name.partition(".")[0] in ("driver", "tests")]:
            if vars(other).get(mutant.where) is right:
                setattr(other, mutant.where, wrong)
        return
    function = functions[mutant.where, mutant.first_line]
    if mutant.part is Part.BODY:
        function.__code__ = mutant.code
    else:
        function.__defaults__, function.__kwdefaults__ = eval(mutant.code, vars(module))
