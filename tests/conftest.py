"""What holds for every test: hypothesis profiles, motion exactly once, nothing left behind, the option `--machine`.

A test that fails prints the plans of the machines, lines and persons that it built: one line each, which repeats it.

Read next: `tests/support/` (strategies, vectors, the tables of the page).
"""

from __future__ import annotations

import gc
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from firmware_sim.core import SimMachine
from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line
from firmware_sim.memory import MemoryFate
from firmware_sim.person import Person
from firmware_sim.person_script import PersonScript
from protocol.cards import PACK_SIZE
from tests.support.figures import Figures, FiguresPrinted, figures_of
from tests.support.sharing import TERMINALS, process_of

_DESCRIPTORS = Path("/proc/self/fd")
_FALSE_CELL = re.compile(rf"dropped index|fed {PACK_SIZE + 1} cards, {PACK_SIZE} permitted")
_PLANS_SHOWN = 8
REPEAT_IT = "What repeats it"
"""The heading over the plans of a test that failed."""

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile("ci", max_examples=150, deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile(
    "campaign", max_examples=5_000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
if os.environ.get("DEALING_MACHINE_CAMPAIGN") == "1":
    settings.load_profile("campaign")
elif os.environ.get("CI"):
    settings.load_profile("ci")
else:
    settings.load_profile("dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--machine", metavar="URL", default=None, help="a real dealing machine, for the tests marked hardware"
    )


@pytest.fixture(autouse=True)
def terminals_in_one_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails a test that opens a pseudo-terminal without being one of those that one process runs."""
    if os.name == "nt" or process_of(request.path) == TERMINALS:
        return
    import pty

    def not_listed() -> tuple[int, int]:
        raise AssertionError(f"{request.path.name} opens a pseudo-terminal: add it to tests/support/sharing.py")

    monkeypatch.setattr(pty, "openpty", not_listed)


@pytest.fixture(scope="session", autouse=True)
def usual_data_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a command without --data would keep does not land among the data of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("usual")))
        yield


@pytest.fixture
def machine_url(request: pytest.FixtureRequest) -> str:
    """The URL given with `--machine`; without it the test is skipped."""
    url = request.config.getoption("--machine")
    if url is None:
        pytest.skip("no machine was named with --machine URL")
    return str(url)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # one of several processes hands its reports over
        config.pluginmanager.register(FiguresPrinted(config))


@pytest.fixture
def figures(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Figures:
    """Prints the figures of a proof, each with its aim, seed and command; one that misses its aim fails the test."""
    return figures_of(request, record_property)


def open_descriptors() -> dict[str, str]:
    """Descriptors of this process and what they lead to; empty where the system does not show them."""
    if not _DESCRIPTORS.is_dir():
        return {}
    found = {}
    for name in os.listdir(_DESCRIPTORS):
        try:
            found[name] = os.readlink(_DESCRIPTORS / name)
        except OSError:
            continue  # The one that listing the folder took.
    return found


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fails a test that leaves a thread or a descriptor behind."""
    threads = set(threading.enumerate())
    descriptors = open_descriptors()
    yield
    left = [thread.name for thread in threading.enumerate() if thread not in threads]
    assert not left, f"threads left running: {', '.join(left)}"
    if len(open_descriptors()) > len(descriptors):
        gc.collect()
        after = open_descriptors()
        opened = sorted(set(after.items()) - set(descriptors.items()))
        assert len(after) <= len(descriptors), f"descriptors left open: {opened}"


@dataclass(slots=True)
class Built:
    """What a test built last of each kind: enough to repeat it, and no more than that is kept alive."""

    machines: deque[tuple[int, FaultPlan]] = field(default_factory=lambda: deque(maxlen=_PLANS_SHOWN))
    """Seed and plan of each machine that was to go wrong."""
    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=_PLANS_SHOWN))
    scripts: deque[PersonScript] = field(default_factory=lambda: deque(maxlen=_PLANS_SHOWN))

    def describe(self) -> list[str]:
        """One line for each: its kind, a colon, and what its `parse` reads."""
        return [
            *(f"machine with seed {seed}, faults: {plan.describe()}" for seed, plan in self.machines),
            *(f"line: {line.describe()}" for line in self.lines),
            *(f"person: {script.describe()}" for script in self.scripts),
        ]


_BUILT = pytest.StashKey[Built]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and (lines := item.stash.get(_BUILT, Built()).describe()):
        report.sections.append((REPEAT_IT, "\n".join(lines)))
    return report


@pytest.fixture(autouse=True)
def plans_remembered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remembers the plans of the test's machines, lines and persons, for the report of a failure."""
    built = request.node.stash[_BUILT] = Built()
    power_on, lay, employ = SimMachine.__init__, Line.__init__, Person.__init__

    def machine_built(
        machine: SimMachine, *arguments: object, faults: FaultPlan | None = None, seed: int = 0, **named: object
    ) -> None:
        if faults is not None and (faults.faults or faults.cuts):
            built.machines.append((seed, faults))
        power_on(machine, *arguments, faults=faults, seed=seed, **named)  # type: ignore[arg-type]

    def line_built(line: Line, *arguments: object, **named: object) -> None:
        lay(line, *arguments, **named)  # type: ignore[arg-type]
        built.lines.append(line)

    def person_built(person: Person, machine: SimMachine, script: PersonScript) -> None:
        built.scripts.append(script)
        employ(person, machine, script)

    monkeypatch.setattr(SimMachine, "__init__", machine_built)
    monkeypatch.setattr(Line, "__init__", line_built)
    monkeypatch.setattr(Person, "__init__", person_built)


@pytest.fixture(autouse=True)
def motion_exactly_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test in which a right machine moved more often than it was told to (I1), by its truth at the end.

    Only where a power cut lost the last mark may an index be dropped twice, and one card of the pack below be fed: the
    one false cell of PROTOCOL.md.
    """
    machines: list[SimMachine] = []
    forgetful: list[SimMachine] = []
    power_on, power_off = SimMachine.__init__, SimMachine.power_off

    def remember(machine: SimMachine, *arguments: object, **named: object) -> None:
        if type(machine) is SimMachine:
            machines.append(machine)
        power_on(machine, *arguments, **named)  # type: ignore[arg-type]

    def forget(machine: SimMachine, fate: MemoryFate = MemoryFate.KEPT) -> None:
        if fate is MemoryFate.LAST_MARK_LOST:
            forgetful.append(machine)
        power_off(machine, fate)

    monkeypatch.setattr(SimMachine, "__init__", remember)
    monkeypatch.setattr(SimMachine, "power_off", forget)
    yield
    for machine in machines:
        lost_a_mark = any(machine is other for other in forgetful)
        found = [text for text in machine.truth.violations() if not (lost_a_mark and _FALSE_CELL.search(text))]
        assert found == []
