"""The register of used deals: a deal is met again however it is turned, and the register tells nothing.

Read next: `driver/store/register.py`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driver.deals.model import Deal
from driver.errors import NothingOpen, StoreDamaged
from driver.store.database import FILE_NAME, KEY_NAME, connect
from driver.store.keys import Keys
from driver.store.register import Register
from driver.store.store import Store
from driver.store.stored import SetKind
from protocol.cards import RANKS, Card, Seat, Suit
from tests.support.store import NOON, deal, deal_set, opened, turned

SCHEME = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "vectors" / "scheme_vectors.json"
KEY = bytes(31) + b"\x01"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as store:
        store.sets.add_imported(deal_set(range(1, 5), path="/home/ann/tuesday.pbn"))
        yield store


def test_a_deal_met_again_tells_when_where_and_from_which_file_it_was_dealt(store: Store) -> None:
    store.register.note(deal(1), "s1", 1, "A", 77, NOON)

    (use,), none = store.register.uses([deal(1), deal(2)])

    assert (use.set_id, use.set_name, use.source, use.board) == ("s1", "tuesday", "tuesday.pbn", 1)
    assert (use.copy, use.run, use.time, use.turned) == ("A", 77, NOON, 0)
    assert none == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(seed=st.integers(0, 10**6), first=st.integers(0, 3), then=st.integers(0, 3))
def test_a_deal_turned_by_any_seats_is_the_same_deal(store: Store, seed: int, first: int, then: int) -> None:
    store.register.note(turned(deal(seed), first), "s1", 2, "A", 4 * seed + first, NOON)

    (uses,) = store.register.uses([turned(deal(seed), then)])

    assert [use.turned for use in uses if use.run == 4 * seed + first] == [(then - first) % 4]


def test_each_run_is_entered_once_and_the_latest_comes_first(store: Store) -> None:
    for run, hours in ((1, 0), (2, 5), (3, 2), (2, 5)):
        assert store.register.note(deal(1), "s1", 1, "A", run, NOON + timedelta(hours=hours))

    (uses,) = store.register.uses([deal(1)])
    assert [use.run for use in uses] == [2, 3, 1]


def test_a_lesson_is_never_entered_and_an_unknown_set_is_refused(store: Store) -> None:
    lesson = store.sets.add_imported(deal_set([1], seed=5), kind=SetKind.LESSON).stored

    assert not store.register.note(deal(5001), lesson.id, 1, "A", 1, NOON)
    assert store.register.uses([deal(5001)]) == [()]
    for wrong in ("s99", "tuesday", ""):
        with pytest.raises(NothingOpen):
            store.register.note(deal(1), wrong, 1, "A", 1, NOON)


def test_a_deal_that_differs_in_two_cards_is_another_deal(store: Store) -> None:
    store.register.note(deal(1), "s1", 1, "A", 1, NOON)
    owners = list(deal(1).owners)
    other = owners.index(Seat((owners[0] + 1) % 4))
    owners[0], owners[other] = owners[other], owners[0]

    assert store.register.uses([Deal(owners)]) == [()]


def test_a_use_is_told_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.sets.add_imported(deal_set(range(1, 5)))
        store.register.note(deal(1), "s1", 1, "A", 1, NOON)
    with opened(tmp_path) as store:
        assert [len(uses) for uses in store.register.uses([deal(1), turned(deal(1), 2)])] == [1, 1]


def rows(folder: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return connection.execute("SELECT entry, facing FROM used_deals ORDER BY run").fetchall()


def test_entries_of_another_store_have_nothing_in_common(tmp_path: Path) -> None:
    for folder in (tmp_path / "one", tmp_path / "two"):
        with opened(folder) as store:
            store.sets.add_imported(deal_set(range(1, 5)))
            for seats in range(4):
                store.register.note(turned(deal(1), seats), "s1", 1, "A", seats, NOON)
    one, two = rows(tmp_path / "one"), rows(tmp_path / "two")

    assert len({entry for entry, _ in one}) == 1
    # The way a deal lies would be the seat of the spade ace, were it written as a number.
    assert [len(facing) for _, facing in one] == [16] * 4
    assert len({facing for _, facing in one + two}) == 8
    assert not {entry for entry, _ in one} & {entry for entry, _ in two}


def test_an_entry_that_was_changed_is_said(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.sets.add_imported(deal_set(range(1, 5)))
        store.register.note(deal(1), "s1", 1, "A", 1, NOON)
    for change in ("facing = zeroblob(16)", "facing = 'x'", "time = 'noon'"):
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            connection.execute(f"UPDATE used_deals SET {change}")
            connection.commit()
        with opened(tmp_path) as store, pytest.raises(StoreDamaged, match="register of used deals was changed"):
            store.register.uses([deal(1)])


def from_pbn(text: str) -> Deal:
    hands = [
        [Card.of(suit, rank) for suit, ranks in zip(Suit, hand.split("."), strict=True) for rank in ranks]
        for hand in text.removeprefix("N:").split()
    ]
    assert set("".join(text.split()[1:])) <= set(RANKS + ".")
    return Deal.from_hands(hands)


class KnownKeys(Keys):
    """Keys whose subkeys are all the same."""

    __slots__ = ()

    def subkey(self, use: object) -> bytes:
        return KEY


def written_entry(folder: Path, one: Deal) -> bytes:
    opened(folder).close()
    with closing(connect(folder)) as connection:
        register = Register(connection, KnownKeys(KEY))
        connection.execute(
            "INSERT INTO sets (number, name, name_key, kind, event, date, created, board_range, board_count, source, "
            "manifest, thrown_away, content_tag, sealed) "
            "VALUES (1, 'a', 'a', 'imported', '', '', '2026-11-24T12:00:00+00:00', '1', 1, '', '', 0, x'00', x'00')"
        )
        register.note(one, "s1", 1, "A", 1, NOON)
        return bytes(connection.execute("SELECT entry FROM used_deals").fetchone()[0])


def test_an_entry_is_that_of_the_reference(tmp_path: Path) -> None:
    one = from_pbn("N:84.J93.QJT3.KJ95 JT65.72.K62.Q642 Q972.T.A9874.T87 AK3.AKQ8654.5.A3")

    assert written_entry(tmp_path, one).hex() == "bd29b03a2a1cd8a4129cee0bcb2fd804e8306fe9e29e5b2e5af1f3752844f3e1"


@pytest.mark.skipif(not SCHEME.is_file(), reason="the vectors of ../shared are not here")
def test_the_entries_are_those_of_the_vectors(tmp_path: Path) -> None:
    vectors = json.loads(SCHEME.read_text(encoding="utf-8"))
    assert bytes.fromhex(vectors["ledger_key_hex"]) == KEY

    for number, board in enumerate(vectors["boards"]):
        folder = tmp_path / str(number)
        assert written_entry(folder, from_pbn(board["deal"])).hex() == board["ledger_id"]
        assert (folder / KEY_NAME).is_file()
