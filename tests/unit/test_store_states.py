"""How far a championship has come, what was published, and what may still be thrown away.

Read next: `driver/store/states.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.errors import NothingOpen, WrongState
from driver.store import sealing
from driver.store.database import FILE_NAME
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import SetKind, SetState, StoredSet
from tests.support.store import NOON, Clock, deal, deal_set, dealt, opened

SECRET = bytes(range(32))
ORDER = tuple(SetState)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    with opened(tmp_path / "data", clock) as store:
        yield store


def championship(store: Store, name: str = "final", secret: bytes = SECRET, event: str = "") -> StoredSet:
    seal = Passphrase("four hands")
    return store.sets.add_made(name, SetKind.CHAMPIONSHIP, secret, "public", event=event, seal=seal).stored


def brought_to(store: Store, state: SetState) -> StoredSet:
    """A championship that went step by step to that state."""
    stored = championship(store)
    for step in ORDER[1 : ORDER.index(state) + 1]:
        if step is SetState.VALUE_FIXED:
            stored = store.sets.fix_public_value(stored, "3 6 9 13 26 40")
        else:
            stored = store.sets.set_state(stored, step)
    return stored


def test_a_championship_goes_through_all_its_states(store: Store) -> None:
    stored = brought_to(store, SetState.OPENED)

    assert stored.state is SetState.OPENED
    assert stored.public_value == "3 6 9 13 26 40"
    assert store.sets.find("final") == stored


def test_without_a_public_value_dealing_follows_the_promise(store: Store) -> None:
    stored = brought_to(store, SetState.COMMITTED)

    assert store.sets.set_state(stored, SetState.DEALING).public_value == ""


ALLOWED = {(now, then) for now, then in itertools.pairwise(ORDER)} | {(SetState.COMMITTED, SetState.DEALING)}


@pytest.mark.parametrize("now", ORDER)
def test_no_other_step_is_possible(store: Store, now: SetState) -> None:
    stored = brought_to(store, now)
    for then in ORDER:
        if then is now:
            assert store.sets.set_state(stored, then) == stored
        elif (now, then) not in ALLOWED or then is SetState.VALUE_FIXED:
            with pytest.raises(WrongState) as caught:
                store.sets.set_state(stored, then)
            assert caught.value.code == "DM514"
    assert store.sets.find("final") == stored


def test_the_state_in_the_store_counts_not_the_one_that_was_read_before(store: Store) -> None:
    draft = championship(store)
    store.sets.set_state(draft, SetState.COMMITTED)
    store.sets.set_state(draft, SetState.DEALING)

    with pytest.raises(WrongState, match="is being dealt, and cannot be given its public value"):
        store.sets.fix_public_value(draft, "1 2 3")


def test_a_public_value_is_fixed_once(store: Store) -> None:
    stored = brought_to(store, SetState.COMMITTED)
    fixed = store.sets.fix_public_value(stored, "1 2 3")

    assert (fixed.state, fixed.public_value) == (SetState.VALUE_FIXED, "1 2 3")
    assert store.sets.fix_public_value(stored, "1 2 3") == fixed
    with pytest.raises(WrongState):
        store.sets.fix_public_value(stored, "1 2 4")
    for wrong in ("", "\udce9", "9" * 5000):
        with pytest.raises(ValueError, match="public value"):
            store.sets.fix_public_value(stored, wrong)


@pytest.mark.parametrize("kind", [SetKind.IMPORTED, SetKind.LESSON, SetKind.GAME])
def test_only_a_championship_has_states(store: Store, kind: SetKind) -> None:
    stored = (
        store.sets.add_made("evening", kind, SECRET, "").stored
        if kind is SetKind.GAME
        else store.sets.add_imported(deal_set([1]), kind=kind).stored
    )

    assert stored.state is None
    with pytest.raises(WrongState, match="no championship set"):
        store.sets.set_state(stored, SetState.COMMITTED)
    with pytest.raises(WrongState, match="no championship set"):
        store.sets.fix_public_value(stored, "1")


def test_committing_publishes_and_a_game_is_published_when_it_is_said(store: Store, clock: Clock) -> None:
    assert brought_to(store, SetState.COMMITTED).published == NOON
    game = store.sets.add_made("evening", SetKind.GAME, SECRET, "").stored
    assert game.published is None

    later = clock.later(hours=2)
    assert store.sets.note_published(game).published == later
    clock.later(hours=2)
    assert store.sets.note_published(game).published == later
    with pytest.raises(WrongState, match="not made here"):
        store.sets.note_published(store.sets.add_imported(deal_set([1])).stored)


def test_a_set_that_was_thrown_away_is_gone_and_its_name_and_boards_are_free_again(store: Store) -> None:
    stored = store.sets.add_imported(deal_set([1, 2])).stored
    store.sets.throw_away(stored)

    assert store.sets.newest_first() == []
    for asked in (store.sets.boards_of, store.sets.manifest_of, store.sets.throw_away):
        with pytest.raises(NothingOpen, match="thrown away"):
            asked(stored)
    for text in ("s1", "tuesday"):
        with pytest.raises(NothingOpen):
            store.sets.find(text)
    again = store.sets.add_imported(deal_set([1, 2]))
    assert (again.is_new, again.stored.id, again.stored.name, again.stored.thrown_away) == (True, "s2", "tuesday", 1)


def test_what_was_thrown_away_is_counted_by_name_and_by_event(store: Store) -> None:
    for secret, name, event in (
        (b"\x01", "final", ""),
        (b"\x02", "Final", ""),
        (b"\x03", "semifinal", "Open Teams"),
        (b"\x04", "other", "open teams"),
    ):
        store.sets.throw_away(championship(store, name, secret * 32, event))

    counted = [
        championship(store, name, secret * 32, event).thrown_away
        for secret, name, event in (
            (b"\x05", "FINAL", ""),
            (b"\x06", "new name", "Open Teams"),
            (b"\x07", "final", "Open Teams"),
            (b"\x08", "women", "Women Teams"),
        )
    ]
    assert counted == [2, 2, 4, 0]
    assert store.sets.add_made("final", SetKind.GAME, b"\x09" * 32, "").stored.thrown_away == 0


def test_the_number_behind_a_name_hides_nothing_that_was_thrown_away(store: Store) -> None:
    first, second = championship(store, secret=b"\x01" * 32), championship(store, secret=b"\x02" * 32)
    assert second.name == "final-2"
    store.sets.throw_away(second)
    store.sets.throw_away(first)

    assert championship(store, secret=b"\x03" * 32).thrown_away == 2


def test_a_set_stays_once_a_real_machine_has_begun_a_board_of_it(store: Store) -> None:
    stored = store.sets.add_imported(deal_set([1, 2])).stored
    dealt(store, stored.id, 1, "A", simulated=True)
    dealt(store, stored.id, 1, "A", verdict=None)

    with pytest.raises(WrongState, match="A board of set tuesday was dealt"):
        store.sets.throw_away(stored)
    assert store.sets.boards_of(stored) == deal_set([1, 2]).boards


def test_a_set_stays_once_a_deal_of_it_is_in_the_register(store: Store) -> None:
    stored = store.sets.add_imported(deal_set([1, 2])).stored
    store.register.note(deal(1), stored.id, 1, "A", 1, NOON)

    with pytest.raises(WrongState, match="was dealt"):
        store.sets.throw_away(stored)


def test_rehearsals_on_a_simulated_machine_do_not_keep_a_set(store: Store) -> None:
    stored = store.sets.add_imported(deal_set([1, 2])).stored
    dealt(store, stored.id, 1, "A", simulated=True)

    store.sets.throw_away(stored)
    assert len(store.copies.of_set(stored.id)) == 1


def test_a_set_that_was_published_stays(store: Store) -> None:
    with pytest.raises(WrongState, match="promised to others"):
        store.sets.throw_away(brought_to(store, SetState.COMMITTED))
    game = store.sets.add_made("evening", SetKind.GAME, SECRET[::-1], "").stored
    store.sets.note_published(game)
    with pytest.raises(WrongState, match="promised to others"):
        store.sets.throw_away(game)


def sealed_bytes(folder: Path) -> bytes:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return bytes(connection.execute("SELECT sealed FROM sets").fetchone()[0])


@pytest.mark.parametrize("wholly", [True, False])
def test_of_what_was_thrown_away_or_sealed_anew_no_file_keeps_the_old_bytes(
    store: Store, tmp_path: Path, wholly: bool
) -> None:
    stored = store.sets.add_imported(deal_set(range(1, 37))).stored
    old = sealed_bytes(tmp_path / "data")[:200]
    assert any(old in path.read_bytes() for path in (tmp_path / "data").iterdir())

    with store.together():
        if wholly:
            store.sets.throw_away(stored)
        else:
            store.sets.add_imported(deal_set(range(1, 37)), seal=Passphrase("four hands"))

    assert not any(old in path.read_bytes() for path in (tmp_path / "data").iterdir())
