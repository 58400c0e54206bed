"""The commands about sets in this process, with a data folder of their own and passphrases that are cheap to try.

Read next: `tests/cli/test_make.py`, `test_sets.py`, `test_championship_steps.py`, `test_verify.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from driver.cli import make, set_steps
from driver.cli.main import main
from driver.deals.formats.registry import WRITERS
from driver.deals.model import DealSet
from driver.making import deals_of
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetState
from tests.cli.program import Ran
from tests.support.store import dealt as begun_and_ended

NOON: Final = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
WORDS: Final = "four hands in a box"


@dataclass(frozen=True, slots=True)
class Commands:
    """`dealctl` with `--data folder/data`; `folder` is for the files of a test."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def data(self) -> Path:
        """Where the sets lie."""
        return self.folder / "data"

    def __call__(self, *words: str | Path) -> Ran:
        code = main([*map(str, words), "--data", str(self.data)])
        shown = self.capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    def ok(self, *words: str | Path) -> str:
        """What it printed; fails when it was not content."""
        ran = self(*words)
        assert ran.code == 0, ran.all
        return ran.out

    def objects(self, *words: str | Path) -> list[dict[str, Any]]:
        """What it printed with --json."""
        return [json.loads(line) for line in self.ok(*words, "--json").splitlines()]

    def store(self) -> Store:
        """The store, to look at and to prepare."""
        return Store(self.data, now=lambda: NOON)

    def deals(self, name: str, passphrase: str | None = None) -> DealSet:
        """The boards of a stored set."""
        with self.store() as store:
            return deals_of(store, store.sets.find(name), passphrase=passphrase)

    def file(self, name: str, text: str) -> Path:
        """A text file."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


def on_day(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """From now on `make` and the steps of a set take place then."""
    for module in (make, set_steps):
        monkeypatch.setattr(module, "utc_now", lambda: moment)


def records(deals: DealSet, path: Path) -> Path:
    """The boards as a file of hand records, in the format of its ending."""
    (writer,) = (writer for writer in WRITERS if writer.suffix == path.suffix)
    path.write_bytes(writer.write(deals))
    return path


def dealt(dealctl: Commands, name: str, *boards: int, simulated: bool = False) -> None:
    """A machine dealt these boards of a set."""
    with dealctl.store() as store:
        stored = store.sets.find(name)
        for board in boards:
            begun_and_ended(store, stored.id, board, simulated=simulated)


def moved_to(dealctl: Commands, name: str, *states: SetState) -> None:
    """What dealing itself does with the states of a championship."""
    with dealctl.store() as store:
        for state in states:
            store.sets.set_state(store.sets.find(name), state)


def entries(dealctl: Commands) -> list[Decision]:
    """The log of decisions, the newest first."""
    with dealctl.store() as store:
        store.decisions.verify()
        return [entry.what for entry in store.decisions.newest_first()]
