"""The bench runs from end to end with tiny counts and prints every line; no test says how fast this computer is.

The machine's waits for its host are in simulated time, the same on every computer: those are held to their aims.
Read next: `measures.py`.
"""

from __future__ import annotations

import os
import re
import time

import pytest

from tests.bench.__main__ import main
from tests.bench.jobs import paced_job
from tests.bench.measures import START_LIMIT, Measure

NOT_ASKED_FOR = ("the same by endplay 0.5.12", "ours against endplay")
"""Lines without a figure here: no test installs another program."""
NO_THREAD_CLOCK = not hasattr(time, "pthread_getcpuclockid")
LINES = (
    "memory endpoint, simulator included",
    "host processor time, simulator left out",
    "the same, waiting for this disk at each step of the journal",
    "what the journal writes for a board, waiting for this disk",
    "share of it in the machine's time for a board",
    "a start with 3 boards in the journal",
    "what the journal keeps of a board",
    "restart to recovery question, 3 boards in the store",
    "STATUS over pty",
    "STATUS over tcp",
    "STATUS over fake USB",
    "STATUS over fake USB against pty",
    "STATUS over fake USB against tcp",
    "frames of 131 bytes echoed over pty",
    "frames of 131 bytes echoed over tcp",
    "frames of 131 bytes echoed over fake USB",
    "frames of 131 bytes echoed over fake USB against pty",
    "frames of 131 bytes echoed over fake USB against tcp",
    "processor for an open, quiet connection over pty",
    "processor for an open, quiet connection over tcp",
    "processor for an open, quiet connection over fake USB",
    "replug to ready over pty, 95 of 100",
    "replug to ready over fake USB, 95 of 100",
    "share of a line of 115,200 baud that one board uses, both ways",
    "machine waits for the host while MOVING",
    "GO possible to first feed",
    "of it above 50 ms",
    "16 machines that deal at once: the host's share of a core",
    "python -c pass",
    "dealctl --help",
    "dealctl --help against python -c pass",
    "deals made, to PBN text",
    "a set of 36 boards made, to a PBN file",
    "PBN boards read, every card checked",
    *NOT_ASKED_FOR,
    "memory kept after a round of boards made, written and read",
)


def test_the_bench_prints_every_line_with_a_figure(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--runs", "1", "--boards", "1", "--round-trips", "3", "--deals", "20", "--kept", "3", "--quiet", "0.05"]
    few += ["--together", "0.1", "--replugs", "1"]
    assert main([*few, "--without-endplay"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()[3:]]
    assert len(lines) == len(LINES)
    for line, what in zip(lines, LINES, strict=True):
        assert line.startswith(f"{what} "), line
        if what in NOT_ASKED_FOR:
            assert line.endswith("was not asked for")
        else:
            missing = (os.name == "nt" and "pty" in what) or (NO_THREAD_CLOCK and "quiet" in what)
            assert re.search(r" -?[0-9,]+\.[0-9] ", line) or missing, line


def test_a_line_shows_the_median_the_lowest_and_the_highest() -> None:
    words = Measure("dealing", (5.0, 1.0, 3.0), "boards/s", "aim: 4").line().split()
    assert words == ["dealing", "3.0", "1.0", "5.0", "boards/s", "aim:", "4"]


def test_what_a_system_cannot_do_is_said() -> None:
    assert Measure("dealing", (), "").line().split() == ["dealing", "not", "on", "this", "system"]


def test_the_machine_never_waits_for_its_host_longer_than_the_aim() -> None:
    job = paced_job(3)
    assert job.idle == 0
    assert max(job.starts) <= START_LIMIT
