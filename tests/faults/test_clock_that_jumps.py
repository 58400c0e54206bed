"""The wall clock jumps while a job is dealt: no duration, no wait and no order is another than without the jump.

The same evening is dealt twice on the simulated machine, with a jam and a cable that comes loose; once the wall clock
is set again and again, at the one place where the program reads it. Read next: `driver/clock.py`;
`tests/architecture/test_wall_clock.py`, which shows that there is no other place.
"""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Final

import pytest

from driver import clock as clocks
from driver.cli.main import main
from driver.cli.plain import Plain
from driver.cli.report import report_lines
from driver.cli.view import Estimate, JobView
from driver.clock import SystemClock
from driver.deals.loader import load_deals
from driver.dealt import COUNTS_VARIABLE
from driver.findings import Choice
from driver.job_events import CardDealt, NeedsOperator
from driver.recorder import Recorded, Recorder
from driver.store.decisions import Decision
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.faults import FaultPlan
from firmware_sim.person_script import PersonScript
from tests.cli.program import CLUB
from tests.support.memory import ManualClock
from tests.support.peers import Setup, memory_peer

BOARDS: Final = (1, 2, 3, 4)
NOON: Final = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
BEFORE_SUMMER_TIME: Final = datetime(2026, 3, 29, 0, 59, 55, tzinfo=UTC)
"""Five seconds before the clocks of Central Europe go from two to three."""
ZONE: Final = "CET-1CEST,M3.5.0,M10.5.0/3"
NONE: Final = timedelta(0)
CHANGES: Final = {
    "set on by hours": (NOON, timedelta(hours=5)),
    "set back by days": (NOON, timedelta(days=-9)),
    "set on by an hour": (NOON, timedelta(hours=1)),
    "summer time begins": (BEFORE_SUMMER_TIME, NONE),
    "summer time begins and is set by hand too": (BEFORE_SUMMER_TIME, timedelta(hours=-1)),
}
"""When the evening begins, and by how much the clock is set at each of the moments."""
DATES: Final = frozenset({"begun", "judged", "time"})
"""What `history --json` tells of the calendar."""
THINKS: Final = 20.0
"""Seconds of the simulated clock that a person takes for an answer."""
MOMENTS: Final = (
    "CardDealt 1 10", "BoardJudged 1", "NeedsOperator 2", "CardDealt 2 40", "BoardJudged 2", "MachineLost 0",
    "CardDealt 4 5",
)  # fmt: skip
"""When the clock is set: in mid-board, between boards, at the question after the jam, while the cable is out."""


class WallClock:
    """The time of day as the program reads it: it runs with the simulated clock, and somebody sets it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, begins: datetime, passed: Callable[[], float]) -> None:
        self.ahead = NONE
        self.readings = 0
        self._begins = begins
        self._passed = passed
        monkeypatch.setattr(clocks, "datetime", SimpleNamespace(now=self.now))
        system = ModuleType("time")
        vars(system).update(vars(time), time=lambda: self.now(UTC).timestamp(), strftime=self._written)
        monkeypatch.setattr(clocks, "time", system)

    def now(self, zone: tzinfo) -> datetime:
        """What `datetime.now` gives."""
        self.readings += 1
        return (self._begins + timedelta(seconds=self._passed()) + self.ahead).astimezone(zone)

    def _written(self, form: str) -> str:
        return self.now(UTC).astimezone().strftime(form)


class HostClock(ManualClock):
    """The simulated clock; of sleep it tells what this very computer tells."""

    def asleep(self) -> float:
        return SystemClock().asleep()


@dataclass(frozen=True)
class Told:
    """All of an evening in which a duration, a wait or an order shows; times are those of the simulated clock."""

    events: list[tuple[str, float]]
    frames: list[Recorded]
    screen: list[str]
    report: list[str]
    journal: list[tuple[object, ...]]
    estimates: tuple[float, float | None]


def evening(folder: Path, monkeypatch: pytest.MonkeyPatch, begins: datetime, jump: timedelta) -> tuple[Told, list[str]]:
    """Deals the boards; the wall clock is set at each of the moments. Also the dates that stand in the journal."""
    setup = Setup(script=PersonScript(boards=BOARDS), faults=FaultPlan.parse("jam-path@2/20"))
    peer = memory_peer(folder, setup)
    endpoint = peer.endpoint
    assert isinstance(endpoint, MemoryEndpoint)
    host = HostClock(endpoint)
    monkeypatch.setattr(peer, "clock", lambda: host)
    wall = WallClock(monkeypatch, begins, host.monotonic)
    frames: list[Recorded] = []
    events: list[tuple[str, float]] = []
    moments = list(MOMENTS)
    screen = io.StringIO()
    view, plain = JobView(len(BOARDS)), Plain(screen, asks=True)
    with peer.open(Recorder(frames.append)) as machine:
        job = machine.start(load_deals(CLUB), BOARDS)
        view.estimate = Estimate(machine.card_seconds, machine.hand_seconds)
        for event in job.events():
            named = f"{type(event).__name__} {event.board}"
            events.append((named, host.monotonic()))
            if isinstance(event, CardDealt):
                named += f" {event.index}"
            if moments and named == moments[0]:
                wall.ahead += jump
                machine.store.decisions.append(Decision.INSTRUCTION, "Dora", board=len(moments))
                del moments[0]
            if named == "CardDealt 3 30":
                endpoint.cut()
            view.silent_for = job.silent_at("")
            view.take(event, host.monotonic(), job.boards_left)
            plain.show(event, view)
            screen.write(f"  {view.machine_time}{view.hand_time}; silent for {view.silent_for:.3f} s\n")
            if isinstance(event, NeedsOperator) and event.choices:
                host.wait(THINKS)
                job.decide(Choice.GO_ON if Choice.GO_ON in event.choices else Choice.GO)
        assert (moments, [one.verdict.name for one in job.result.boards]) == ([], ["GOOD"] * len(BOARDS))
        machine.store.entries.check()
        rows = machine.store.connection.execute(
            "SELECT time, run, what, sequence, card_ms, who, value FROM journal ORDER BY sequence"
        ).fetchall()
        estimates = machine.card_seconds, machine.hand_seconds
    first = next(run for _, run, *_ in rows if run)
    entries = [(run - first, *rest) for _, run, *rest in rows[1:]]
    report = report_lines(job.result.boards, len(BOARDS))
    told = Told(events, frames, screen.getvalue().splitlines(), report, entries, estimates)
    return told, [time for time, *_ in rows]


def history(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What `dealctl history` tells of runs, then of decisions, then of machines, each in its order, without dates."""
    assert main(["history", "--data", str(folder)]) == 0
    lines = [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d  ", "", line) for line in capsys.readouterr().out.splitlines()]
    assert main(["history", "--json", "--data", str(folder)]) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    lines += [str({name: one[name] for name in one if name not in DATES}) for one in objects]
    return sorted(lines, key=lambda line: ("Dora" in line, "From card to card" in line))


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A zone with summer time, and a machine whose boards count as those of a real one."""
    monkeypatch.setenv(COUNTS_VARIABLE, "1")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", ZONE)
        set_zone()
        yield
    set_zone()


def set_zone() -> None:
    """Takes the zone over from the environment, where the system can."""
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.mark.parametrize("change", CHANGES)
def test_a_clock_that_is_set_changes_no_duration_no_wait_and_no_order(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begins, jump = CHANGES[change]
    quiet, dates = evening(tmp_path / "quiet", monkeypatch, NOON, NONE)
    shown = history(tmp_path / "quiet", capsys)
    told, other_dates = evening(tmp_path / "jumps", monkeypatch, begins, jump)

    assert told.events == quiet.events
    assert told.frames == quiet.frames
    assert told.screen == quiet.screen
    assert told.report == quiet.report
    assert told.journal == quiet.journal
    assert told.estimates == quiet.estimates
    assert history(tmp_path / "jumps", capsys) == shown

    # It was no quiet evening: the dates tell of the jumps, and of each board and change of boards a time was measured.
    assert dates == sorted(dates)
    went = datetime.fromisoformat(other_dates[-1]) - datetime.fromisoformat(other_dates[0])
    usual = datetime.fromisoformat(dates[-1]) - datetime.fromisoformat(dates[0])
    assert abs(went - usual - len(MOMENTS) * jump) <= timedelta(seconds=1)
    assert sum(what == "verdict" and card_ms is not None for _, what, _, card_ms, *_ in told.journal) == len(BOARDS)
    measured = [(run, bool(value)) for run, what, *_, value in told.journal if what == "go"]
    assert measured == [(0, False), (1, True), (1, False), (2, True), (2, False), (3, True)]
    assert any("by hand" in line and "not known" not in line for line in told.screen)
    assert told.estimates[1] is not None


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be changed here")
def test_summer_time_really_begins_in_that_zone() -> None:
    before, after = (BEFORE_SUMMER_TIME + timedelta(seconds=seconds) for seconds in (0, 10))
    assert [time.astimezone().hour for time in (before, after)] == [1, 3]
