"""The back colours of a club's packs: remembered when somebody says so, and forgotten the same way.

Read next: `driver/pack_colours.py`; `test_cli_console.py` for the loading card.
"""

from __future__ import annotations

from pathlib import Path

from driver.pack_colours import PackColours, keep_colours, kept_colours
from tests.support.store import opened


def test_colours_are_remembered_until_somebody_says_otherwise(tmp_path: Path) -> None:
    colours = PackColours("red", "blue")
    with opened(tmp_path) as store:
        assert kept_colours(store.decisions) is None
        keep_colours(store.decisions, "Ann", colours)
    with opened(tmp_path) as store:
        assert kept_colours(store.decisions) == colours
        keep_colours(store.decisions, "", None)
        assert kept_colours(store.decisions) is None


def test_odd_boards_have_the_first_colour() -> None:
    assert [PackColours("red", "blue").of(board) for board in (1, 2, 35, 36)] == ["red", "blue", "red", "blue"]
