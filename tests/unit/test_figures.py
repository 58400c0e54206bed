"""A figure of a proof says its aim, its seed and what repeats it, is printed in every run, and fails when it is missed.

Read next: `tests/support/figures.py`.
"""

from __future__ import annotations

import pytest

from tests.support.figures import Figures


def told(node: str, *, is_campaign: bool) -> tuple[Figures, list[str], dict[str, object]]:
    lines: list[str] = []
    kept: dict[str, object] = {}
    return Figures(node, is_campaign, lines.append, kept.__setitem__), lines, kept


def test_a_figure_is_printed_with_its_aim_its_seed_and_the_command_that_repeats_it() -> None:
    figures, lines, kept = told("tests/a.py::test_b[c d]", is_campaign=True)
    figures.tell("boards", 12, aim="10", met=True, seed=7)
    assert lines == ["boards: 12 (aim: 10); seed 7; make campaign ARGS=\"'tests/a.py::test_b[c d]'\""]
    assert kept == {"boards": "12"}


def test_a_figure_that_is_missed_fails_and_is_printed_all_the_same() -> None:
    figures, lines, _ = told("tests/a.py::test_b", is_campaign=False)
    with pytest.raises(AssertionError, match="boards: 9"):
        figures.tell("boards", 9, aim="10", met=False)
    assert lines == ['boards: 9 (aim: 10); no seed; make test ARGS="tests/a.py::test_b"']


def test_the_fixture_knows_its_test(figures: Figures) -> None:
    assert figures.node.endswith("test_figures.py::test_the_fixture_knows_its_test")
    assert not figures.is_campaign
