"""The figures of a proof: each is printed with aim, seed and the command that repeats it, and fails when it is missed.

May import: the standard library and pytest. Read next: `tests/conftest.py`, whose fixture `figures` gives one.
What is printed goes with the report of the test: it comes from whichever process ran it to the one that people look at.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest

_PRINTED: Final = "printed"


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
        self.record(name, str(value))
        drawn = "no seed" if seed is None else f"seed {seed}"
        line = f"{name}: {value} (aim: {aim}); {drawn}; {self.command}"
        self.put(line)
        assert met, line

    def list(self, name: str, lines: list[str]) -> None:
        """What a figure counts, one line each."""
        self.put("\n".join((f"{name}:", *(f"  {line}" for line in lines))))


def figures_of(request: pytest.FixtureRequest, record: Callable[[str, object], None]) -> Figures:
    """The figures of one test; they are printed in every run, when the test ends."""
    is_campaign = request.node.get_closest_marker("campaign") is not None
    return Figures(request.node.nodeid, is_campaign, lambda text: record(_PRINTED, text), record)


class FiguresPrinted:
    """A plugin that prints the figures of each test that ends."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Prints what the report brings with it."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.when != "call" or terminal is None:
            return
        for name, text in report.user_properties:
            if name == _PRINTED:
                terminal.write(f"\n{text}")
