"""The journal: durable before each step, whole or found out, telling nothing about a hand.

Read next: `driver/journal.py`, `driver/store/entries.py`; `tests/faults/test_journal_crashes.py`.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from driver.errors import (
    JournalBusy,
    JournalDamaged,
    JournalUnusable,
    NothingOpen,
    StoreDamaged,
    StoreUnusable,
    WrongState,
)
from driver.journal import LOCK_NAME, Journal
from driver.store.database import FILE_NAME
from driver.store.entries import CardEvidence, What
from driver.store.handed import HandedEntry, HandedRun
from driver.store.runs import LARGEST_RUN, Intention
from protocol.codes import Routing
from tests.conftest import open_descriptors
from tests.support.store import NOON, deal_set, journal_in, opened

TOLD: Final = Intention(
    board=9,
    copy="A",
    serial="DM0042",
    boot_id=2**32 - 1,
    odometer=468,
    board_edges=3,
    deal_set="",
    deal_board=9,
    simulated=True,
)
TAG: Final = bytes(range(8))
CARDS: Final = tuple(CardEvidence(card, 2, 31, None if card == 7 else card != 9) for card in range(52))
TRIGGERS: Final = tuple(
    f"{table}_{name}" for table in ("journal", "intents", "evidence") for name in ("stays", "remains")
)


def test_what_was_written_is_there_after_opening_again(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_go(run)
        journal.note_fault(run, 3)
        journal.note_fault(run, 200)
        journal.note_verdict(run, "NOT_PROVEN", open_end=True, card_ms=104, evidence=CARDS)
        journal.note_verdict(run, "COUNTED", "Ann")
        journal.note_closed(run)
    with journal_in(tmp_path) as journal:
        record = journal.record(run)
        evidence = journal.evidence(run)
    assert record is not None
    assert (record.intention, record.plan_tag, record.go_sent, record.closed) == (TOLD, TAG, True, True)
    assert (record.verdict, record.by, record.open_end, record.faults) == ("COUNTED", "Ann", False, (3, 200))
    assert (record.begun, record.judged, record.card_ms) == (NOON, NOON, None)
    assert evidence == CARDS


def test_the_time_of_hands_before_a_board_is_kept_where_it_was_measured(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        runs = [journal.intend(TOLD, TAG).run for _ in range(3)]
        for run, hand_ms in zip(runs, (None, 0, 31_250), strict=True):
            journal.note_go(run, hand_ms)
    with journal_in(tmp_path) as journal:
        assert [one.hand_ms for one in journal.begun()] == [None, 0, 31_250]


def test_a_run_id_never_returns_after_opening_again(tmp_path: Path) -> None:
    runs = []
    for _ in range(3):
        with journal_in(tmp_path) as journal:
            runs += [journal.intend(TOLD, TAG).run for _ in range(3)]
    assert len(set(runs)) == 9
    assert 0 not in runs


def test_run_ids_count_on_from_the_id_of_the_journal(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for _ in range(2):
            with Journal(store) as journal:
                newest = store.entries.last_run(0, LARGEST_RUN) or store.entries.journal_id() << 32
                assert [journal.intend(TOLD, TAG).run for _ in range(3)] == [newest + 1, newest + 2, newest + 3]


def test_a_journal_that_begins_anew_has_another_id_and_knows_which_sets_the_backup_had(tmp_path: Path) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        before = journal.intend(TOLD, TAG).run
        journal.begin_anew(NOON)
        put_back = journal.put_back()
        assert put_back is not None
        assert (put_back.last_set, put_back.backed_up) == (0, NOON)
        assert journal.intend(TOLD, TAG).run >> 32 == store.entries.journal_id() != before >> 32
        for number in (1, 2, 3):
            store.sets.add_imported(deal_set([number], seed=number))
        journal.begin_anew(NOON)
        newest = journal.put_back()
        assert newest is not None
        assert newest.last_set == 3
        assert newest.sequence > put_back.sequence


def test_numbers_begin_again_under_a_new_id_whether_it_is_greater_or_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter((5, 4, 6))
    monkeypatch.setattr(secrets, "randbits", lambda _: next(ids))
    with opened(tmp_path) as store, Journal(store) as journal:
        given = [journal.intend(TOLD, TAG).run]
        for _ in range(2):
            journal.begin_anew(NOON)
            given += [journal.intend(TOLD, TAG).run]
    assert given == [5 << 32 | 1, 4 << 32 | 1, 6 << 32 | 1]


def test_an_id_that_is_drawn_as_nothing_is_still_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda _: 0)
    with journal_in(tmp_path) as journal:
        assert journal.intend(TOLD, TAG).run == 1 << 32 | 1
    with journal_in(tmp_path) as journal:
        assert journal.intend(TOLD, TAG).run == 1 << 32 | 2


def test_what_a_person_said_about_a_board_is_there_as_it_was_said(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        first = journal.note_said("s1", 7, "A", dealt=True)
        second = journal.note_said("s1", 8, "", dealt=False)
        third = journal.note_said("s1", 9, "red", dealt=True, run=first)
        said = [(one.run, one.set_id, one.board, one.copy, one.dealt) for one in journal.said()]
    assert said == [(first, "s1", 7, "A", True), (second, "s1", 8, "", False), (first, "s1", 9, "red", True)]
    assert third == first
    assert first != second


def test_of_a_run_that_is_taken_over_again_only_what_came_after_is_added(tmp_path: Path) -> None:
    entries = tuple(
        HandedEntry(what, f"2026-11-24T11:0{minute}:00+00:00", value, "", open_end, 104, cards)
        for minute, (what, value, open_end, cards) in enumerate(
            ((What.FAULT, "3", False, ()), (What.VERDICT, "GOOD", True, CARDS), (What.VERDICT, "NOT_PROVEN", False, ()))
        )
    )
    run = HandedRun(9 << 32 | 1, 9, "A", "DM0042", 7, 468, 3, 9, "2026-11-24T10:59:00+00:00", entries[:2])
    with opened(tmp_path) as store, Journal(store) as journal:
        set_id = store.sets.add_imported(deal_set([9])).stored.id

        def count() -> int:
            return len(store.connection.execute("SELECT sequence FROM journal").fetchall())

        before = count()
        assert journal.take_over(run, set_id, TAG)
        assert count() == before + 5, "intent, GO, fault, verdict, closed"
        assert not journal.take_over(run, set_id, TAG)
        assert count() == before + 5
        record = journal.record(run.run)
        assert record is not None
        assert (record.verdict, record.faults, record.open_end, record.closed) == ("GOOD", (3,), True, True)
        assert (record.begun, record.judged) == (NOON.replace(hour=10, minute=59), NOON.replace(hour=11, minute=1))
        assert (record.plan_tag, record.card_ms, journal.evidence(run.run)) == (TAG, 104, CARDS)
        assert journal.take_over(replace(run, entries=entries), set_id, TAG)
        assert count() == before + 6
        withdrawn = journal.record(run.run)
        assert withdrawn is not None
        assert (withdrawn.verdict, withdrawn.open_end) == ("NOT_PROVEN", False)


def test_two_journals_give_run_ids_that_differ(tmp_path: Path) -> None:
    with journal_in(tmp_path / "a") as one, journal_in(tmp_path / "b") as other:
        assert one.intend(TOLD, TAG).run != other.intend(TOLD, TAG).run


def test_an_intent_that_moved_no_card_keeps_its_run_id_with_the_new_facts(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_go(run)
        journal.note_fault(run, 3)
        again = journal.intend(TOLD, TAG, run=run)
        assert again.run == run
        assert journal.record(run) == again
        assert not again.go_sent
        assert journal.intend(TOLD, TAG).run != run


def test_a_run_that_was_judged_is_not_intended_again_and_a_set_must_be_there(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_verdict(run, "GOOD")
        with pytest.raises(WrongState):
            journal.intend(TOLD, TAG, run=run)
        with pytest.raises(NothingOpen):
            journal.intend(Intention(9, "A", "DM0042", 1, 0, 0, "s1", 9, simulated=False), TAG)


def test_a_run_that_no_journal_ever_gave_is_not_known(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        assert [journal.record(run) for run in (0, 1, LARGEST_RUN, LARGEST_RUN + 1, 2**64 - 1)] == [None] * 5


def changed(statement: str) -> Callable[[sqlite3.Connection], object]:
    """Somebody with a tool changes the store, past the rules that stand in it."""

    def change(connection: sqlite3.Connection) -> None:
        rules = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        for name in TRIGGERS:
            connection.execute(f"DROP TRIGGER {name}")
        connection.executescript(statement)
        for name in TRIGGERS:
            connection.execute(rules[name])

    return change


DAMAGE: Final = {
    "another verdict": (changed("UPDATE journal SET value = 'GOOD' WHERE what = 'verdict'"), "Entry 4"),
    "another board": (changed("UPDATE intents SET board = 8"), "Entry 2"),
    "another time": (changed("UPDATE journal SET time = '2020-01-01T00:00:00+00:00' WHERE sequence = 3"), "Entry 3"),
    "another proof": (changed("UPDATE evidence SET as_planned = 1 WHERE card = 9"), "Entry 4"),
    "a card less": (changed("DELETE FROM evidence WHERE card = 51"), "Entry 4"),
    "no intent": (changed("DELETE FROM intents"), "Entry 2"),
    "an entry less": (changed("DELETE FROM journal WHERE sequence = 3"), "Entry 3"),
    "the first entry less": (changed("DELETE FROM journal WHERE sequence = 1"), "Entry 1"),
    "the last entry less": (changed("DELETE FROM journal WHERE sequence = 5"), "Entry 5"),
    "all entries less": (changed("DELETE FROM journal"), "Entry 1"),
    "two entries changed places": (
        changed(
            "UPDATE journal SET sequence = -sequence; UPDATE journal SET sequence = CASE sequence WHEN -3 THEN 5 "
            "WHEN -5 THEN 3 ELSE -sequence END"
        ),
        "Entry 3",
    ),
    "an entry more": (
        changed(
            "INSERT INTO journal (what, run, time, value, who, open_end, chain) "
            "SELECT 'closed', run, time, '', '', 0, chain FROM journal WHERE sequence = 5"
        ),
        "Entry 6",
    ),
    "an intent more": (
        changed(
            "INSERT INTO intents SELECT 77, run, plan_tag, 8, copy, serial, boot_id, odometer, board_edges, "
            "set_number, deal_board, simulated, is_check FROM intents"
        ),
        "is missing",
    ),
}


@pytest.mark.parametrize(("change", "where"), DAMAGE.values(), ids=DAMAGE)
def test_what_is_changed_or_missing_stops_everything_and_is_left_as_it_is(
    tmp_path: Path, change: Callable[[sqlite3.Connection], object], where: str
) -> None:
    with journal_in(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_go(run)
        journal.note_verdict(run, "NOT_PROVEN", evidence=CARDS)
        journal.note_closed(run)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as connection:
        change(connection)
    before = (tmp_path / FILE_NAME).read_bytes()
    for _ in range(2):
        with opened(tmp_path) as store, pytest.raises(JournalDamaged, match=where) as error:
            Journal(store)
        assert error.value.hint
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_an_entry_that_becomes_unreadable_while_it_is_open_is_told_as_damage(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_fault(run, 3)
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
            changed("UPDATE journal SET value = 'three' WHERE what = 'fault'")(connection)
        with pytest.raises(JournalDamaged, match="cannot be read") as caught:
            journal.record(run)
        assert caught.value.path == tmp_path / FILE_NAME


def test_entries_cannot_be_changed_or_taken_out_from_inside(tmp_path: Path) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        journal.note_verdict(journal.intend(TOLD, TAG).run, "GOOD", evidence=CARDS)
        for table in ("journal", "intents", "evidence"):
            for statement in (f"UPDATE {table} SET sequence = 9", f"DELETE FROM {table}"):
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    store.connection.execute(statement)


def test_a_second_program_is_refused_while_the_first_holds_it(tmp_path: Path) -> None:
    with journal_in(tmp_path), opened(tmp_path) as store:
        before = open_descriptors()
        with pytest.raises(JournalBusy):
            Journal(store)
        assert open_descriptors() == before
    with journal_in(tmp_path):
        pass


def test_another_program_reads_what_was_dealt_while_the_first_holds_it(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal, opened(tmp_path) as store:
        run = journal.intend(TOLD, TAG).run
        journal.note_go(run)
        store.entries.check()
        assert [record.run for record in store.runs.begun()] == [run]


def test_the_plan_tag_depends_on_every_part_of_the_plan_and_on_the_key(tmp_path: Path) -> None:
    plan = bytes(13)
    with journal_in(tmp_path / "a") as one, journal_in(tmp_path / "b") as other:
        tag = one.plan_tag(9, Routing.BY_IDENTITY, plan)
        assert tag == one.plan_tag(9, Routing.BY_IDENTITY, plan)
        different = {
            one.plan_tag(10, Routing.BY_IDENTITY, plan),
            one.plan_tag(256 + 9, Routing.BY_IDENTITY, plan),
            one.plan_tag(9, Routing.BY_ORDER, plan),
            one.plan_tag(9, Routing.BY_IDENTITY, b"\x01" + plan[1:]),
            other.plan_tag(9, Routing.BY_IDENTITY, plan),
        }
        assert len(different | {tag}) == 6
        assert {len(each) for each in different} == {8}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_the_lock_can_be_opened_by_this_user_only(tmp_path: Path) -> None:
    with journal_in(tmp_path / "data"):
        assert (tmp_path / "data" / LOCK_NAME).stat().st_mode & 0o777 == 0o600


def test_the_newest_run_of_a_board_and_of_a_machine_is_found(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        first, second = journal.intend(TOLD, TAG).run, journal.intend(TOLD, TAG).run
        last = journal.last_of_board(9)
        assert last is not None
        assert last.run == second
        journal.note_closed(second)
        open_run = journal.open_run("DM0042")
        assert open_run is not None
        assert open_run.run == first
        assert journal.open_run("another") is None
        assert journal.last_of_board(10) is None
        assert journal.last_of_copy(9, "B") is None
        assert journal.last_of_copy(9, "A") == journal.last_of_board(9)


def test_a_board_whose_cards_may_have_moved_stays_under_way_whatever_was_ended_after_it(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal, opened(tmp_path) as store:

        def under_way() -> list[int]:
            return [record.run for record in store.runs.left_open()]

        board = journal.intend(TOLD, TAG).run
        assert under_way() == [board], "about to be dealt"
        journal.note_go(board)
        check = journal.intend(replace(TOLD, is_check=True), TAG).run
        journal.note_closed(check)
        assert under_way() == [board], "the check was refused because of it"
        journal.intend(TOLD, TAG)
        elsewhere = journal.intend(replace(TOLD, serial="another"), TAG).run
        assert under_way() == [elsewhere, board]
        journal.note_closed(board)
        begun = journal.intend(TOLD, TAG).run
        journal.note_go(begun)
        journal.note_closed(begun)
        assert under_way() == [elsewhere], "what never moved a card is of no matter once another board was dealt"


def test_only_the_verdict_that_was_found_last_on_a_machine_may_be_withdrawn(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        first, second = journal.intend(TOLD, TAG).run, journal.intend(TOLD, TAG).run
        journal.note_verdict(first, "GOOD", open_end=True)
        found = journal.open_end("DM0042")
        assert found is not None
        assert found.run == first
        journal.note_verdict(second, "GOOD")
        assert journal.open_end("DM0042") is None


def test_the_register_and_the_entry_of_a_go_are_kept_together_or_not_at_all(tmp_path: Path) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        stored = store.sets.add_imported(deal_set([9])).stored
        deal = store.sets.boards_of(stored)[0].deal
        run = journal.intend(TOLD, TAG).run

        def fail_in_the_end() -> None:
            with journal.together():
                journal.note_go(run)
                store.register.note(deal, stored.id, 9, "A", run, NOON)
                raise MemoryError

        with pytest.raises(MemoryError):
            fail_in_the_end()
        record = journal.record(run)
        assert record is not None
        assert not record.go_sent
        assert store.register.uses([deal]) == [()]


def test_a_folder_that_cannot_be_used_is_named_with_the_reason_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(StoreUnusable, match="cannot be written to") as error, journal_in(tmp_path / "file" / "data"):
        pass
    assert "DEALCTL_DATA" in error.value.hint


def test_a_lock_that_cannot_be_made_names_the_folder_and_leaves_the_store_to_be_read(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (tmp_path / LOCK_NAME).mkdir()
        with pytest.raises(JournalUnusable, match="cannot be written to") as caught:
            Journal(store)
        assert str(tmp_path) in str(caught.value)
        assert caught.value.path == tmp_path
        (tmp_path / LOCK_NAME).rmdir()
        with Journal(store) as journal:
            assert journal.begun() == []


def test_closing_twice_gives_back_its_own_lock_and_no_other_descriptor(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        journal = Journal(store)
        journal.close()
        others = open_descriptors()
        journal.close()
        assert open_descriptors() == others


def test_damage_is_told_as_damage_and_any_other_trouble_of_the_store_as_what_was_not_written(tmp_path: Path) -> None:
    with journal_in(tmp_path) as journal:
        for trouble in (StoreDamaged("torn", path=tmp_path), JournalUnusable("shut", path=tmp_path)):
            with pytest.raises(StoreUnusable) as caught, journal.together():
                raise trouble
            assert caught.value is trouble
        with pytest.raises(JournalUnusable, match="full") as other, journal.together():
            raise StoreUnusable("full", path=tmp_path, details="why")
        assert (other.value.path, other.value.details) == (tmp_path, "why")


def test_a_full_disk_is_told_as_one_and_not_as_damage_and_nothing_is_half_written(tmp_path: Path) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        run = journal.intend(TOLD, TAG).run
        (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
        store.connection.execute(f"PRAGMA max_page_count = {pages}")

        def fill_the_disk() -> None:
            while True:
                journal.note_fault(run, 3)

        with pytest.raises(JournalUnusable, match="disk is full") as error:
            fill_the_disk()
        assert "will ask" in error.value.hint
        store.connection.execute(f"PRAGMA max_page_count = {pages + 100}")
        journal.note_verdict(run, "NOT_PROVEN")
    with journal_in(tmp_path) as journal:
        record = journal.record(run)
        assert record is not None
        assert record.verdict == "NOT_PROVEN"
