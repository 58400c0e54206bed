"""The log of decisions: chained as the reference says, never shortened or changed unseen, closed to cards.

Read next: `driver/store/decisions.py`.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.errors import StoreDamaged
from driver.store.database import FILE_NAME
from driver.store.decisions import NOTHING_BEFORE, Decision, chained
from protocol.cards import Card, Seat
from tests.support.store import NOON, Clock, deal, opened

SCHEME = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "vectors" / "scheme_vectors.json"
COMMITMENT = "485afaa6d6e75fa6f9a764a852d792316e920ab30147d018c567df33b269ff44"


def test_the_chain_is_that_of_the_reference() -> None:
    first = chained(NOTHING_BEFORE, {"n": 0, "ev": "committed", "c": COMMITMENT})
    second = chained(first, {"v": "3 6 9 13 26 40", "n": 1, "ev": "beacon"})

    assert first.hex() == "5eb8ac00b7b51bcd43983089e231bb19948f2c1aa0473b9b34d93da4a8a6b87e"
    assert second.hex() == "e6c15b2a2ecaf075a89c5575727713f2afef79526336793020d6f184b7c1b2cf"


@pytest.mark.skipif(not SCHEME.is_file(), reason="the vectors of ../shared are not here")
def test_the_chain_gives_all_links_of_the_vectors() -> None:
    vectors: dict[str, Any] = json.loads(SCHEME.read_text(encoding="utf-8"))
    link, links = NOTHING_BEFORE, []
    for record in vectors["audit_records"]:
        link = chained(link, record)
        links.append(link.hex())

    assert links == vectors["audit_chain"]


def test_an_entry_is_kept_with_its_time_its_name_and_its_details(tmp_path: Path) -> None:
    clock = Clock(NOON.astimezone(timezone(timedelta(hours=9))))
    with opened(tmp_path, clock) as store:
        written = store.decisions.append(
            Decision.LOOKED_AT_HAND, "Zoë Ångström", board=17, copies=("A", "B"), final=True, reason=None
        )
        clock.later(hours=1)
        store.decisions.append(Decision.EXPORTED, "", to="tuesday.pbn")
    with opened(tmp_path) as store:
        last, first = store.decisions.newest_first()
        assert store.decisions.head() == last.chain
        store.decisions.verify()

    assert first == written
    assert (first.number, first.time, first.what, first.who) == (0, NOON, Decision.LOOKED_AT_HAND, "Zoë Ångström")
    assert dict(first.details) == {"board": 17, "copies": ("A", "B"), "final": True, "reason": None}
    assert (last.number, last.time, last.who) == (1, NOON + timedelta(hours=1), "")


def test_what_a_log_prints_can_be_computed_again_from_what_it_shows(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        entries = [store.decisions.append(Decision.NEW_HANDS, "Ann", board=board) for board in (3, 4)]

    link = NOTHING_BEFORE
    for number, board in enumerate((3, 4)):
        record = {
            "n": number,
            "time": "2026-11-24T12:00:00+00:00",
            "what": "new hands",
            "who": "Ann",
            "details": {"board": board},
        }
        link = chained(link, record)
        assert entries[number].chain == link


def test_an_empty_log_is_whole_and_its_head_is_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.decisions.verify()

        assert store.decisions.head() == NOTHING_BEFORE
        assert store.decisions.newest_first() == []


@pytest.mark.parametrize(
    "value", [Card(0), Seat.NORTH, deal(1), b"\x00", 1.5, 2**95, {"a": 1}, [Card(51)], ((2**64,),)]
)
def test_cards_hands_and_numbers_of_deals_are_not_taken(tmp_path: Path, value: Any) -> None:
    with opened(tmp_path) as store:
        with pytest.raises((TypeError, ValueError)) as caught:
            store.decisions.append(Decision.EXPORTED, "Ann", what_it_is=value)

        assert store.decisions.newest_first() == []
        assert "SA" not in str(caught.value)


def test_any_name_is_taken(tmp_path: Path) -> None:
    names = ["Ann\x00", "\udce9", "\u202eAnn", "安娜", "x" * 5_000, '"; DROP TABLE decisions; --']
    with opened(tmp_path) as store:
        for name in names:
            store.decisions.append(Decision.INSTRUCTION, name, note=name)
        store.decisions.verify()
        kept = [entry.who for entry in reversed(store.decisions.newest_first())]

    assert kept == ["Ann\x00", "?", "\u202eAnn", "安娜", "x" * 2_000, names[-1]]


@pytest.mark.parametrize("statement", ["UPDATE decisions SET who = 'Ben'", "DELETE FROM decisions"])
def test_sql_cannot_change_or_delete_an_entry(tmp_path: Path, statement: str) -> None:
    with opened(tmp_path) as store:
        store.decisions.append(Decision.EXPORTED, "Ann")
    with (
        closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE decisions SET who = 'Ben' WHERE number = 1", "Entry 1 .* was changed"),
        ("UPDATE decisions SET details = '{\"board\":8}' WHERE number = 1", "Entry 1 .* was changed"),
        ("UPDATE decisions SET details = '[1]' WHERE number = 1", "Entry 1 .* was changed"),
        ("UPDATE decisions SET details = 'no' WHERE number = 1", "Entry 1 .* was changed"),
        ("UPDATE decisions SET time = '2026-11-23T12:00:00+00:00' WHERE number = 2", "Entry 2 .* was changed"),
        ("UPDATE decisions SET what = 'exported' WHERE number = 0", "Entry 0 .* was changed"),
        ("UPDATE decisions SET mark = zeroblob(32) WHERE number = 2", "Entry 2 .* was changed"),
        ("DELETE FROM decisions WHERE number = 0", "Entry 0 .* is missing"),
        ("DELETE FROM decisions WHERE number = 1", "Entry 1 .* is missing"),
        ("DELETE FROM decisions WHERE number = 2", "Entry 2 .* is missing"),
        ("DELETE FROM decisions", "Entry 0 .* is missing"),
    ],
)
def test_a_log_that_was_changed_behind_its_back_is_found(tmp_path: Path, statement: str, found: str) -> None:
    with opened(tmp_path) as store:
        for board in range(3):
            store.decisions.append(Decision.NEW_HANDS, "Ann", board=board)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        rules = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in rules:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
        for _, sql in rules:
            connection.execute(sql)
        connection.commit()

    with opened(tmp_path) as store, pytest.raises(StoreDamaged, match=found) as caught:
        store.decisions.verify()
    assert "director" in caught.value.hint


def test_a_chain_computed_again_by_hand_lacks_the_mark_of_the_store(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.decisions.append(Decision.NEW_HANDS, "Ann", board=1)
    record = {
        "n": 1,
        "time": "2026-11-24T12:00:00+00:00",
        "what": "exported",
        "who": "Ben",
        "details": {},
    }
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        before, mark = connection.execute("SELECT chain, mark FROM decisions").fetchone()
        connection.execute(
            "INSERT INTO decisions VALUES (1, ?, 'exported', 'Ben', '{}', ?, ?)",
            (record["time"], chained(before, record), mark),
        )
        connection.commit()

    with opened(tmp_path) as store, pytest.raises(StoreDamaged, match=r"Entry 1 .* was changed"):
        store.decisions.verify()


def test_without_its_rules_against_changes_a_store_is_not_opened(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("DROP TRIGGER decisions_stay")

    with pytest.raises(StoreDamaged):
        opened(tmp_path)


@given(details=st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text(max_size=5)))
def test_links_depend_on_every_detail_and_not_on_their_order(details: dict[str, Any]) -> None:
    clean = {name.encode("utf-8", "replace").decode(): repr(value) for name, value in details.items()}
    clean = {name: value.encode("utf-8", "replace").decode() for name, value in clean.items()}
    turned = dict(reversed(clean.items()))

    assert chained(NOTHING_BEFORE, clean) == chained(NOTHING_BEFORE, turned)
    assert chained(NOTHING_BEFORE, clean) != chained(NOTHING_BEFORE, {**clean, "one more": 1})
    assert chained(NOTHING_BEFORE, clean) != chained(b"\x01" * 32, clean)
