"""The table of dealt copies: which run dealt which copy, with what verdict in the end.

Read next: `driver/store/copies.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from driver.errors import NothingOpen, StoreDamaged, WrongState
from driver.store.copies import DealtCopy
from driver.store.database import FILE_NAME
from driver.store.store import Store
from driver.verdicts import Verdict
from tests.support.store import NOON, deal_set, opened

RUN = (2**31 - 1) << 32 | 1
"""As large as a run of the journal gets."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as store:
        store.sets.add_imported(deal_set(range(1, 5)))
        yield store


def test_a_copy_is_told_from_its_beginning_to_its_verdict(store: Store) -> None:
    store.copies.begun(RUN, "s1", 3, "A", NOON, simulated=False)
    assert store.copies.of_board("s1", 3) == [DealtCopy(RUN, "s1", 3, "A", False, NOON, None, None)]

    then = NOON + timedelta(minutes=2)
    store.copies.judged(RUN, Verdict.GOOD, then)
    assert store.copies.of_set("S1") == [DealtCopy(RUN, "s1", 3, "A", False, NOON, Verdict.GOOD, then)]


def test_copies_come_in_the_order_in_which_they_were_begun(store: Store) -> None:
    for run, (board, copy) in enumerate([(2, "A"), (1, "B"), (2, "B"), (1, "A")]):
        store.copies.begun(run, "s1", board, copy, NOON + timedelta(minutes=run), simulated=bool(run % 2))

    assert [(dealt.board, dealt.copy) for dealt in store.copies.of_set("s1")] == [
        *((2, "A"), (1, "B"), (2, "B"), (1, "A")),
    ]
    assert [(dealt.run, dealt.simulated) for dealt in store.copies.of_board("s1", 1)] == [(1, True), (3, True)]
    assert store.copies.of_board("s1", 4) == store.copies.of_set("s9") == []


def test_a_verdict_can_be_withdrawn(store: Store) -> None:
    store.copies.begun(1, "s1", 1, "A", NOON, simulated=False)
    store.copies.judged(1, Verdict.GOOD, NOON)
    later = NOON + timedelta(minutes=3)
    store.copies.judged(1, Verdict.NOT_PROVEN, later)

    (dealt,) = store.copies.of_board("s1", 1)
    assert (dealt.verdict, dealt.judged) == (Verdict.NOT_PROVEN, later)


def test_a_run_that_moved_nothing_may_begin_again_for_another_board_and_a_judged_one_not(store: Store) -> None:
    store.copies.begun(1, "s1", 1, "A", NOON, simulated=False)
    store.copies.begun(1, "s1", 2, "B", NOON, simulated=False)
    assert [(dealt.board, dealt.copy) for dealt in store.copies.of_set("s1")] == [(2, "B")]

    store.copies.judged(1, Verdict.DEAL_AGAIN, NOON)
    with pytest.raises(WrongState, match="judged already"):
        store.copies.begun(1, "s1", 2, "B", NOON, simulated=False)


def test_an_unknown_set_or_run_is_refused(store: Store) -> None:
    with pytest.raises(NothingOpen, match="no set s9"):
        store.copies.begun(1, "s9", 1, "A", NOON, simulated=False)
    with pytest.raises(NothingOpen, match="No copy was begun"):
        store.copies.judged(1, Verdict.GOOD, NOON)


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="zone"):
        store.copies.begun(1, "s1", 1, "A", NOON.replace(tzinfo=None), simulated=False)
    assert store.copies.of_set("s1") == []


def test_a_row_that_was_changed_is_said(store: Store, tmp_path: Path) -> None:
    store.copies.begun(1, "s1", 1, "A", NOON, simulated=False)
    store.copies.judged(1, Verdict.GOOD, NOON)
    for change in ("verdict = 'SPLENDID'", "verdict = 'GOOD', begun = 'noon'"):
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            connection.execute(f"UPDATE copies SET {change}")
            connection.commit()
        with pytest.raises(StoreDamaged, match="record of a dealt copy was changed"):
            store.copies.of_set("s1")
