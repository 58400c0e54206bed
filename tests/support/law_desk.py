"""Stored sets, a fixed time of day and a person who types, for tests of the commands that the Laws ask for.

May import: driver. Read next: `tests/unit/test_law_questions.py`.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from driver.cli import law_questions, new_hands, seen, show, which_set
from driver.deals.generator import make
from driver.deals.model import BoardDeal, Deal, DealSet
from driver.store.decisions import Decision, Entry
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import SetKind, StoredSet
from tests.support.store import dealt as begun_and_ended

NOW = datetime(2026, 11, 30, 18, 30, tzinfo=UTC)
PASSPHRASE = "nine wet llamas"
Types = Callable[..., list[str]]
"""Types these lines; the questions asked."""


class Clock:
    """The time of day as the tests have it."""

    def __init__(self) -> None:
        self.time = NOW

    def __call__(self) -> datetime:
        return self.time


def set_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that the commands read from now on."""
    clock = Clock()
    for module in (new_hands, seen, show, which_set):
        monkeypatch.setattr(module, "utc_now", clock)
    return clock


def sit_down(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """Makes a person sit at the terminal who types these lines; the list that is given grows by each question."""
    asked: list[str] = []
    left = iter(lines)

    def answer(question: str) -> str:
        asked.append(question)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
    for module in (law_questions, new_hands, seen, show, which_set):
        monkeypatch.setattr(module, "somebody_there", lambda *, as_json: not as_json)
    return asked


def arguments(folder: Path, board: int = 9, /, **more: object) -> Namespace:
    """What the parser gives for the commands under test."""
    usual = {"board": board, "set": None, "copies": None, "copy": "", "name": None, "reason": None, "used": None}
    return Namespace(
        data=folder,
        **{**usual, "json": False, "now": False, "dropped": False, "passphrase_file": None, "second": None, **more},
    )


def game_set(store: Store, *, name: str = "monday") -> StoredSet:
    made = make()
    return store.sets.add_made(name, SetKind.GAME, made.secret, made.manifest.text).stored


def championship_set(store: Store) -> StoredSet:
    made = make()
    seal = Passphrase(PASSPHRASE)
    text = made.manifest.text
    return store.sets.add_made("final", SetKind.CHAMPIONSHIP, made.secret, text, seal=seal).stored


def file_set(store: Store) -> StoredSet:
    boards = tuple(BoardDeal(number, Deal([(card * 7 + number) % 52 // 13 for card in range(52)])) for number in (8, 9))
    return store.sets.add_imported(DealSet("tuesday", "/x/tuesday.pbn", boards)).stored


def dealt(
    store: Store, stored: StoredSet, board: int, copy: str = "", *, run: int = 1, simulated: bool = False
) -> None:
    begun_and_ended(store, stored.id, board, copy, run=run, simulated=simulated)


def last(store: Store, what: Decision) -> Entry:
    return next(entry for entry in store.decisions.newest_first() if entry.what is what)


def kinds(store: Store) -> list[Decision]:
    return [entry.what for entry in reversed(store.decisions.newest_first())]
