"""What is measured: one function for each line of the table, each giving the figures of several runs.

May import: driver, firmware_sim, protocol, `jobs`. Read next: `__main__.py`, which prints them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from typing import Final

from firmware_sim.endpoints.served import ServedEndpoint
from protocol.cards import PACK_SIZE
from tests.bench.jobs import BAUD, data_folder, deal, paced_job
from tests.support.peers import Setup, served_peer

START_LIMIT: Final = 0.050
"""Seconds from the moment at which a GO is possible to the first feed; what is above is lost."""
HELP: Final = "import sys; from driver.cli.main import main; sys.exit(main(['--help']))"


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table: what, the figures of the runs, their unit, and the aim ("" = none)."""

    what: str
    figures: tuple[float, ...]
    unit: str
    aim: str = ""

    def line(self) -> str:
        """The median first, then the lowest and the highest."""
        if not self.figures:
            return f"{self.what:<62} {'not on this system':>12}"
        middle, low, high = median(self.figures), min(self.figures), max(self.figures)
        return f"{self.what:<62} {middle:>12,.1f} {low:>10,.1f} {high:>10,.1f}  {self.unit:<16} {self.aim}".rstrip()


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is measured: runs of each measure, boards of a run, STATUS round trips of a run."""

    runs: int = 5
    boards: int = 36
    round_trips: int = 500


def measures() -> Sequence[Callable[[Counts], Sequence[Measure]]]:
    """Everything that is measured, in the order of the table."""
    return (memory_endpoint, journal_on_disk, round_trips, paced_line, help_of_dealctl)


def memory_endpoint(counts: Counts) -> Sequence[Measure]:
    """Whole jobs, the journal in memory."""
    taken = []
    for _ in range(counts.runs):
        with data_folder() as data:
            taken.append(deal(data, counts.boards))
    cards = counts.boards * PACK_SIZE
    return (
        Measure("memory endpoint, simulator included", tuple(counts.boards / each.wall for each in taken), "boards/s",
                "aim: 100 or more"),
        Measure("host processor time, simulator left out", tuple(1e6 * each.host / cards for each in taken), "us/card",
                "aim: under 150"),
    )  # fmt: skip


def journal_on_disk(counts: Counts) -> Sequence[Measure]:
    """Whole jobs, the journal durable on the disk of the folder for temporary files."""
    figures = []
    for _ in range(counts.runs):
        with data_folder(on_disk=True) as data:
            figures.append(counts.boards / deal(data, counts.boards).wall)
    return (Measure("the same, waiting for this disk at each step of the journal", tuple(figures), "boards/s"),)


def round_trips(counts: Counts) -> Sequence[Measure]:
    """STATUS and its answer over real ports, the two ends in threads of one process."""
    return tuple(_round_trips(counts, name) for name in ("pty", "tcp"))


def _round_trips(counts: Counts, name: str) -> Measure:
    what = f"STATUS over {name}"
    if name == "pty" and find_spec("pty") is None:
        return Measure(what, (), "")
    endpoint: type[ServedEndpoint] = getattr(
        import_module(f"firmware_sim.endpoints.{name}"), f"{name.capitalize()}Endpoint"
    )
    figures = []
    for _ in range(counts.runs):
        with data_folder() as data:
            peer = served_peer(data, Setup(), endpoint)
            try:
                with peer.open() as machine:
                    start = time.perf_counter()
                    for _ in range(counts.round_trips):
                        machine.status()
                    figures.append(counts.round_trips / (time.perf_counter() - start))
            finally:
                peer.close()
    return Measure(what, tuple(figures), "round trips/s")


def paced_line(counts: Counts) -> Sequence[Measure]:
    """One job in simulated time, where every run gives the same."""
    job = paced_job(min(counts.boards, 4))
    above = tuple(1000 * max(0.0, start - START_LIMIT) for start in job.starts)
    return (
        Measure(f"share of a line of {BAUD:,} baud that one board uses, both ways", (100 * job.line_share,), "%"),
        Measure("machine waits for the host while MOVING", (1000 * job.idle,), "ms/job", "aim: 0"),
        Measure("GO possible to first feed", tuple(1000 * start for start in job.starts), "ms/board"),
        Measure("  of it above 50 ms", above, "ms/board", "aim: 0"),
    )


def help_of_dealctl(counts: Counts) -> Sequence[Measure]:
    """Whole processes, one after the other in turn."""
    bare, shown = [], []
    for _ in range(counts.runs):
        bare.append(_process("pass"))
        shown.append(_process(HELP))
    ratios = tuple(help_ / nothing for help_, nothing in zip(shown, bare, strict=True))
    return (
        Measure("python -c pass", tuple(1000 * each for each in bare), "ms"),
        Measure("dealctl --help", tuple(1000 * each for each in shown), "ms", "aim: well under 200"),
        Measure("dealctl --help against python -c pass", ratios, "times"),
    )


def _process(program: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start
