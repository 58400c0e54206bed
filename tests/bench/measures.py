"""What is measured: one function for each line of the table, each giving the figures of several runs.

May import: driver, firmware_sim, protocol, `jobs`. Read next: `__main__.py`, which prints them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from typing import Final

from protocol.cards import PACK_SIZE
from tests.bench import deals, journal, lines, replug, together
from tests.bench.jobs import BAUD, data_folder, deal, paced_job

START_LIMIT: Final = 0.050
"""Seconds from the moment at which a GO is possible to the first feed; what is above is lost."""
HELP: Final = "import sys; from driver.cli.main import main; sys.exit(main(['--help']))"


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table: what, the figures of the runs, their unit, and the aim ("" = none).

    `why` is said where there is no figure.
    """

    what: str
    figures: tuple[float, ...]
    unit: str
    aim: str = ""
    why: str = "not on this system"

    def line(self) -> str:
        """The median first, then the lowest and the highest."""
        if not self.figures:
            return f"{self.what:<62} {self.why:>12}"
        middle, low, high = median(self.figures), min(self.figures), max(self.figures)
        return f"{self.what:<62} {middle:>12,.1f} {low:>10,.1f} {high:>10,.1f}  {self.unit:<16} {self.aim}".rstrip()


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is measured: runs of each measure, boards of a run, STATUS round trips of a run, deals of a file.

    `kept`: boards in a journal that has grown. `quiet`: seconds for which nothing happens on a line.
    `together`: seconds for which sixteen machines deal at once. `replugs` of a machine in a run.

    `endplay`: another program reads the same file, and is installed for that.
    """

    runs: int = 5
    boards: int = 36
    round_trips: int = 500
    deals: int = 20_000
    endplay: bool = True
    kept: int = 10_000
    quiet: float = 2.0
    together: float = 20.0
    replugs: int = 20


def measures() -> Sequence[Callable[[Counts], Sequence[Measure]]]:
    """Everything that is measured, in the order of the table."""
    return (
        memory_endpoint,
        journal_on_disk,
        journal_alone,
        journal_grown,
        recovery_question,
        over_each_port,
        quiet_line,
        plugged_in_again,
        paced_line,
        many_machines,
        help_of_dealctl,
        deals_made,
        deals_read,
        deals_in_memory,
    )


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


def journal_alone(counts: Counts) -> Sequence[Measure]:
    """What the journal writes for a board, each step durable, against the time that the machine needs for it."""
    taken = [journal.seconds_per_board(counts.boards) for _ in range(counts.runs)]
    share = tuple(100 * each / journal.BOARD_SECONDS for each in taken)
    return (
        Measure("what the journal writes for a board, waiting for this disk", tuple(1000 * each for each in taken),
                "ms/board"),
        Measure("share of it in the machine's time for a board", share, "%", "aim: under 1"),
    )  # fmt: skip


def journal_grown(counts: Counts) -> Sequence[Measure]:
    """A start over the journal of so many boards, all of it checked; a club deals ten thousand a year."""
    size, taken = journal.after(counts.kept, counts.runs)
    return (
        Measure(f"a start with {counts.kept:,} boards in the journal", tuple(1000 * each for each in taken), "ms",
                "aim: under 1,000"),
        Measure("what the journal keeps of a board", (size / 1000,), "kB/board", "aim: under 50"),
    )  # fmt: skip


def recovery_question(counts: Counts) -> Sequence[Measure]:
    """A program that is started after an interruption, up to its first question, with so many boards in the store."""
    what = f"restart to recovery question, {counts.kept:,} boards in the store"
    if find_spec("pty") is None:
        return (Measure(what, (), ""),)
    recovery, endpoint = import_module("tests.bench.recovery"), import_module("firmware_sim.endpoints.pty").PtyEndpoint
    taken = recovery.seconds_to_question(counts.kept, counts.runs, endpoint)
    return (Measure(what, tuple(1000 * each for each in taken), "ms", "aim: under 1,000"),)


def over_each_port(counts: Counts) -> Sequence[Measure]:
    """Round trips and bytes over real ports and the fake USB, the two ends in threads of one process."""
    trips = lines.in_turn(counts.runs, lambda port: lines.status_per_second(port, counts.round_trips))
    echoed = lines.in_turn(counts.runs, lambda port: lines.bytes_per_second(port, 8 * counts.round_trips) / 1000)
    size = len(lines.LONGEST_FRAME)
    return (
        *(Measure(f"STATUS over {port}", trips[port], "round trips/s") for port in lines.PORTS),
        *_against("STATUS", trips),
        *(Measure(f"frames of {size} bytes echoed over {port}", echoed[port], "kB/s") for port in lines.PORTS),
        *_against(f"frames of {size} bytes echoed", echoed),
    )


def quiet_line(counts: Counts) -> Sequence[Measure]:
    """What the host's reader costs while nothing happens but a beat and a tick a second."""
    taken = [lines.idle_share(counts.quiet) for _ in range(counts.runs)]
    return tuple(
        Measure(f"processor for an open, quiet connection over {port}",
                tuple(100 * each[port] for each in taken if port in each), "%", "aim: under 0.5")
        for port in lines.PORTS
    )  # fmt: skip


def _against(what: str, figures: Mapping[str, tuple[float, ...]]) -> Iterator[Measure]:
    for other in lines.PORTS[:-1]:
        ratios = tuple(usb / port for usb, port in zip(figures[lines.USB], figures[other], strict=False))
        yield Measure(f"{what} over {lines.USB} against {other}", ratios, "times")


def plugged_in_again(counts: Counts) -> Sequence[Measure]:
    """A machine whose cable was out for a moment, until the host knows again how it stands."""
    found = []
    for port in replug.PEERS:
        what = f"replug to ready over {port}, 95 of 100"
        if port not in lines.ports_here():
            found.append(Measure(what, (), ""))
            continue
        figures = []
        for _ in range(counts.runs):
            with data_folder() as data:
                figures.append(replug.p95(replug.seconds_to_ready(port, data, counts.replugs)))
        found.append(Measure(what, tuple(figures), "s", f"aim: {replug.AIM:g} or less"))
    return found


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


def many_machines(counts: Counts) -> Sequence[Measure]:
    """One job on sixteen machines at the speed of life, once: it takes as long as it takes."""
    share = together.share_of_a_core(counts.together)
    return (Measure("16 machines that deal at once: the host's share of a core", (share,), "%", "aim: under 25"),)


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


def deals_made(counts: Counts) -> Sequence[Measure]:
    """Deals by the fairness scheme, from a secret to text, in this process."""
    texts = deals.seconds_for(lambda: deals.make_as_text(counts.deals), counts.runs)
    sets = deals.seconds_for(deals.make_a_set, counts.runs)
    return (
        Measure("deals made, to PBN text", tuple(counts.deals / each for each in texts), "deals/s",
                "aim: 20,000 or more"),
        Measure("a set of 36 boards made, to a PBN file", tuple(1000 * each for each in sets), "ms", "aim: under 50"),
    )  # fmt: skip


def deals_read(counts: Counts) -> Sequence[Measure]:
    """One PBN file, read by us and by another program, one after the other."""
    with data_folder() as data:
        speeds = deals.reading(data, counts.deals, counts.runs, compare=counts.endplay)
    ratios = tuple(ours / other for ours, other in zip(speeds.ours, speeds.other, strict=False))
    return (
        Measure("PBN boards read, every card checked", speeds.ours, "boards/s"),
        Measure("the same by endplay 0.5.12", speeds.other, "boards/s", why=speeds.why),
        Measure("ours against endplay", ratios, "times", "aim: 1 or more", why=speeds.why),
    )


def deals_in_memory(counts: Counts) -> Sequence[Measure]:
    """Rounds of boards that are made, written and read."""
    boards = min(counts.deals, deals.IN_MEMORY_AT_ONCE)
    with data_folder() as data:
        kept = deals.memory_kept(data, boards, counts.runs)
    return (Measure("memory kept after a round of boards made, written and read", kept, "KiB/round", "aim: 0"),)


def _process(program: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start
