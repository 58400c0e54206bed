"""The figures of a proof: each is printed with aim, seed and the command that repeats it, and fails when it is missed.

May import: the standard library and pytest. Read next: `tests/conftest.py`, whose fixture `figures` gives one.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass

import pytest


@dataclass(frozen=True, slots=True)
class Figures:
    """Prints what was measured. `node` is the test as pytest names it; `is_campaign` says which command runs it."""

    node: str
    is_campaign: bool
    put: Callable[[str], None]
    record: Callable[[str, object], None]

    @property
    def command(self) -> str:
        """What repeats this test alone."""
        return f'make {"campaign" if self.is_campaign else "test"} ARGS="{shlex.quote(self.node)}"'

    def tell(self, name: str, value: object, *, aim: str, met: bool, seed: int | None = None) -> None:
        """One figure. Fails when its aim is not met; `seed` None = nothing in it was drawn at random."""
        self.record(name, value)
        drawn = "no seed" if seed is None else f"seed {seed}"
        line = f"{name}: {value} (aim: {aim}); {drawn}; {self.command}"
        self.put(line)
        assert met, line

    def list(self, name: str, lines: list[str]) -> None:
        """What a figure counts, one line each."""
        self.put("\n".join((f"{name}:", *(f"  {line}" for line in lines))))


def figures_of(
    request: pytest.FixtureRequest, record: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> Figures:
    """The figures of one test; they are printed in every run, beside whatever the test prints itself."""

    def put(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", end="", flush=True)

    return Figures(request.node.nodeid, request.node.get_closest_marker("campaign") is not None, put, record)
