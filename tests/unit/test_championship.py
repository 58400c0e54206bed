"""When a championship set may be dealt, when its dealing begins, and when it is sealed.

Read next: `driver/championship.py`, `driver/store/states.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from driver.championship import check_may_be_dealt
from driver.deals.generator import Championship, make
from driver.deals.model import DealSet
from driver.deals.public_value import lottery_rule
from driver.dealt import DealtRecords, note_proven
from driver.errors import WrongState
from driver.journal import Journal
from driver.machine import items_for
from driver.making import deals_of
from driver.queue import JobOrder
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import SetKind, SetState, StoredSet
from driver.verdicts import Verdict
from tests.support.store import begun, judged, opened

WORDS = "nine wet llamas"
SESSION = (1, 2, 3)


@pytest.fixture(autouse=True)
def fast_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    """A passphrase costs no time here."""
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)


def championship(store: Store, details: Championship | None = None) -> StoredSet:
    made = make(details or Championship(club="Club", event="Cup"))
    seal = Passphrase(WORDS)
    return store.sets.add_made("cup final", SetKind.CHAMPIONSHIP, made.secret, made.manifest.text, seal=seal).stored


def announced(store: Store) -> tuple[StoredSet, DealSet]:
    stored = store.sets.set_state(championship(store), SetState.COMMITTED)
    return stored, deals_of(store, stored, passphrase=WORDS)


def deal(
    store: Store,
    deals: DealSet,
    boards: Sequence[int],
    *,
    run: int,
    only: int | None = None,
    verdict: Verdict | None = Verdict.GOOD,
    copy: str = "",
    simulated: bool = False,
) -> None:
    """A job of those boards that deals `only` the first so many."""
    items = items_for(deals, boards, (copy,))
    records = DealtRecords(store, items, simulated=simulated)
    for number, item in enumerate(items[:only], start=run):
        begun(store, records, item, run=number, simulated=simulated)
        if verdict is not None:
            judged(store, records, number, verdict)


def state(store: Store, stored: StoredSet) -> SetState | None:
    return store.sets.find(stored.id).state


def noted(store: Store) -> list[Decision]:
    return [entry.what for entry in reversed(store.decisions.newest_first())]


def test_a_draft_may_not_be_dealt_and_the_hint_names_the_step(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        stored = championship(store)
        with pytest.raises(WrongState) as error:
            check_may_be_dealt(store, stored)
        assert "dealctl sets 'cup final' --announce" in error.value.hint
        deals = deals_of(store, stored, passphrase=WORDS)
        with pytest.raises(WrongState):
            DealtRecords(store, items_for(deals, SESSION), simulated=True)
        assert state(store, stored) is SetState.DRAFT


def test_a_promised_public_value_is_waited_for(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        rule = lottery_rule("Lotto", date(2026, 11, 29))
        stored = championship(store, Championship(rule=rule))
        stored = store.sets.set_state(stored, SetState.COMMITTED)
        with pytest.raises(WrongState) as error:
            check_may_be_dealt(store, stored)
        assert "dealctl sets 'cup final' --public-value" in error.value.hint
        check_may_be_dealt(store, store.sets.fix_public_value(stored, "1 2 3 4 5 6"))


def test_sets_of_other_kinds_may_always_be_dealt(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        made = make()
        check_may_be_dealt(store, store.sets.add_made("x", SetKind.GAME, made.secret, made.manifest.text).stored)


def test_the_first_board_begins_the_dealing_and_the_last_one_seals_the_set(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        stored, deals = announced(store)
        deal(store, deals, SESSION, run=1, only=1, verdict=None)
        assert state(store, stored) is SetState.DEALING
        assert noted(store) == [Decision.DEALING_BEGUN]
        deal(store, deals, SESSION, run=11, only=2)
        assert state(store, stored) is SetState.DEALING
        deal(store, deals, (3,), run=21)
        assert state(store, stored) is SetState.SEALED
        assert noted(store) == [Decision.DEALING_BEGUN, Decision.SEALED]


def test_one_good_copy_of_each_board_is_enough_and_a_counted_one_too(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        stored, deals = announced(store)
        deal(store, deals, (1,), run=1, copy="A", verdict=Verdict.NOT_PROVEN)
        assert state(store, stored) is SetState.DEALING
        deal(store, deals, (1,), run=2, copy="B", verdict=Verdict.COUNTED)
        assert state(store, stored) is SetState.SEALED


@pytest.mark.parametrize("verdict", [Verdict.DEAL_AGAIN, Verdict.NOT_PROVEN, None])
def test_a_board_that_is_not_well_keeps_the_set_open(tmp_path: Path, verdict: Verdict | None) -> None:
    with opened(tmp_path) as store:
        stored, deals = announced(store)
        deal(store, deals, (1,), run=1)
        assert state(store, stored) is SetState.SEALED
        other, deals = announced(store)
        deal(store, deals, (1, 2), run=11, only=1, verdict=verdict)
        deal(store, deals, (2,), run=21)
        assert state(store, other) is SetState.DEALING


def test_further_boards_of_a_sealed_set_change_nothing_about_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        stored, deals = announced(store)
        deal(store, deals, (1,), run=1)
        deal(store, deals, (2,), run=2)
        assert state(store, stored) is SetState.SEALED
        assert noted(store) == [Decision.DEALING_BEGUN, Decision.SEALED]


def test_a_simulated_machine_begins_no_dealing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        stored, deals = announced(store)
        deal(store, deals, SESSION, run=1, simulated=True)
        assert state(store, stored) is SetState.COMMITTED
        assert noted(store) == []


def test_a_set_that_lost_its_state_meanwhile_moves_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        stored, deals = announced(store)
        records = DealtRecords(store, items := items_for(deals, SESSION), simulated=False)
        for step in (SetState.DEALING, SetState.SEALED, SetState.IN_PLAY):
            store.sets.set_state(stored, step)
        records.begun(items[0], 1)
        assert state(store, stored) is SetState.IN_PLAY
        assert replace(stored, state=SetState.IN_PLAY) == store.sets.find(stored.id)


@pytest.mark.parametrize("is_more_to_come", [False, True])
def test_the_last_board_that_is_proven_by_feeding_it_back_seals_the_set(is_more_to_come: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        stored, deals = announced(store)
        deal(store, deals, SESSION, run=1, only=2)
        deal(store, deals, SESSION[2:], run=3, verdict=Verdict.NOT_PROVEN)
        if is_more_to_come:
            store.jobs.add(JobOrder(0, stored.id, (3, 4)))
        assert state(store, stored) is SetState.DEALING
        with Journal(store) as journal:
            assert note_proven(journal, store, 3)
            assert not note_proven(journal, store, 3)
        assert (state(store, stored) is SetState.SEALED) is not is_more_to_come
