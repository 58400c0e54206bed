"""A machine whose cable was out for a moment is ready again within three seconds, and nothing moves by itself.

`make bench` measures it over more replugs. Read next: `tests/bench/replug.py`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bench.replug import AIM, PEERS, p95, seconds_to_ready


@pytest.mark.parametrize("port", PEERS)
def test_from_replug_to_ready_it_takes_three_seconds_at_most(port: str, tmp_path: Path) -> None:
    if port == "pty" and os.name == "nt":
        pytest.skip("Windows has no pseudo-terminals")
    taken = seconds_to_ready(port, tmp_path, 4)

    assert len(taken) == 4
    assert p95(taken) <= AIM


def test_the_figure_is_the_one_that_95_of_100_do_not_exceed() -> None:
    assert p95(tuple(float(number) for number in range(1, 101))) == 95.0
    assert p95((2.0,)) == 2.0
