"""A pytest plugin: `pytest -p tests.mutants.plugin --broken NAME ...` runs tests against a wrong machine or host.

`--outcomes FILE` writes one line for each test: its outcome, the name of its exception ("-" = none), its node id.
Read next: `broken.py`, the names; `test_each_is_caught.py`, which runs them all.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--broken", metavar="NAME", default=None, help="the wrong machine or host to run the tests on")
    parser.addoption("--outcomes", metavar="FILE", default=None, help="a file for the outcome of each test")


def pytest_configure(config: pytest.Config) -> None:
    name = config.getoption("--broken")
    if name is not None:
        from tests.mutants.broken import BROKEN

        BROKEN[name].install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    file = item.config.getoption("--outcomes")
    if file is not None and (report.when == "call" or not report.passed):
        exception = "-" if call.excinfo is None else call.excinfo.type.__name__
        with Path(file).open("a", encoding="utf-8") as lines:
            lines.write(f"{report.outcome} {exception} {item.nodeid}\n")
    return report
