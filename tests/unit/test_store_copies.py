"""The dealt copies: the journal asked by set, which run dealt which copy, with what verdict in the end.

Read next: `driver/store/copies.py`, `driver/store/runs.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from driver.journal import Journal
from driver.store.copies import DealtCopy
from driver.store.runs import Intention
from driver.store.store import Store
from driver.verdicts import Verdict
from tests.support.store import NOON, Clock, deal_set, dealt, opened

RUN = (2**31 - 1) << 32 | 1
"""As large as a run of the journal gets."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with opened(tmp_path, clock) as store:
        store.sets.add_imported(deal_set(range(1, 5)))
        yield store


def test_a_copy_is_told_from_its_beginning_to_its_verdict(store: Store, clock: Clock) -> None:
    dealt(store, "s1", 3, "A", run=RUN, verdict=None)
    (place,) = store.connection.execute("SELECT sequence FROM journal WHERE what = 'go'").fetchone()
    assert store.copies.of_board("s1", 3) == [DealtCopy(place, RUN, "s1", 3, "A", False, NOON, None, None)]

    then = clock.later(minutes=2)
    with Journal(store) as journal:
        journal.note_verdict(RUN, "GOOD")
    assert store.copies.of_set("S1") == [DealtCopy(place, RUN, "s1", 3, "A", False, NOON, Verdict.GOOD, then)]


def test_copies_are_given_in_the_order_in_which_they_were_begun_whatever_the_clock_says(
    store: Store, clock: Clock
) -> None:
    for run, board, copy in ((5, 2, "B"), (3, 1, "A"), (1, 1, "B")):
        dealt(store, "s1", board, copy, run=run, simulated=bool(run % 2))
        clock.later(minutes=-9)
    assert [(one.board, one.copy) for one in store.copies.of_set("s1")] == [(2, "B"), (1, "A"), (1, "B")]
    assert [(one.run, one.simulated) for one in store.copies.of_board("s1", 1)] == [(3, True), (1, True)]
    assert store.copies.of_board("s1", 4) == store.copies.of_set("s9") == []


def test_a_verdict_may_be_withdrawn_later(store: Store, clock: Clock) -> None:
    run = dealt(store, "s1", 1)
    later = clock.later(minutes=4)
    with Journal(store) as journal:
        journal.note_verdict(run, "NOT_PROVEN")
    (one,) = store.copies.of_board("s1", 1)
    assert (one.begun, one.verdict, one.judged) == (later - timedelta(minutes=4), Verdict.NOT_PROVEN, later)


def test_the_same_run_may_be_for_another_copy_in_the_end(store: Store) -> None:
    run = dealt(store, "s1", 1, "A", verdict=None)
    dealt(store, "s1", 2, "B", run=run)
    assert [(one.board, one.copy) for one in store.copies.of_set("s1")] == [(2, "B")]


def test_an_intent_without_a_go_and_a_check_are_no_copies(store: Store) -> None:
    with Journal(store) as journal:
        journal.intend(Intention(1, "", "DM0042", 1, 0, 0, "s1", 1, simulated=False), bytes(8))
        check = Intention(2, "", "DM0042", 1, 0, 0, "s1", 2, simulated=False, is_check=True)
        journal.note_go(journal.intend(check, bytes(8)).run)
    assert store.copies.of_set("s1") == []
