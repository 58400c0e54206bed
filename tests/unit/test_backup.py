"""A backup is whole while others write, opens for its passphrase alone, and comes up held when it is put back.

Read next: `driver/backup.py`, `driver/held.py`; `tests/cli/test_backup.py` for the same on a terminal.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from driver import backup
from driver.backup import back_up, put_back
from driver.dealt import COUNTS_VARIABLE
from driver.errors import JournalBusy, NotSaid, StoreDamaged, StoreUnusable, WrongPassphrase, WrongState
from driver.held import held, is_held_open, note_said, note_said_of_open
from driver.journal import Journal
from driver.machine import items_for
from driver.making import deals_of, make_game, set_with_board
from driver.queue import CopyId, JobOrder, Stand
from driver.store import sealing
from driver.store.database import FILE_NAME, KEY_NAME, transaction
from driver.store.decisions import Decision
from driver.store.entries import What
from driver.store.runs import Intention
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import SetKind
from driver.under_way import left_open
from driver.verdicts import Verdict
from firmware_sim.person_script import PersonScript
from tests.support.peers import Setup, memory_peer, run_job
from tests.support.store import NOON, Clock, deal_set, dealt, journal_in, opened

WORDS = Passphrase("four hands in a box")


@pytest.fixture(autouse=True)
def quick_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """With a set of which board 1 was dealt."""
    with opened(tmp_path / "data") as store:
        stored = store.sets.add_imported(deal_set(range(1, 5))).stored
        run = dealt(store, stored.id, 1)
        store.register.note(store.sets.boards_of(stored)[0].deal, stored.id, 1, "", run, NOON)
        store.decisions.append(Decision.EXPORTED, "Ann")
        yield store


def made(store: Store) -> bytes:
    return back_up(store, WORDS, now=Clock()).data


def put(data: bytes, folder: Path, typed: str = WORDS.text, *, replace: bool = False) -> backup.PutBackFrom:
    return put_back(data, typed, folder, now=Clock(), replace=replace)


def test_all_that_was_stored_is_there_again_and_the_key_is_not_in_the_clear(store: Store, tmp_path: Path) -> None:
    data = made(store)
    found = put(data, tmp_path / "other" / "computer")

    assert (found.backed_up, found.kept) == (NOON, None)
    assert (store.folder / KEY_NAME).read_bytes() not in data
    assert sorted(path.name for path in (tmp_path / "other" / "computer").iterdir()) == [
        FILE_NAME,
        "journal.lock",
        KEY_NAME,
    ]
    with opened(tmp_path / "other" / "computer") as again:
        again.entries.check()
        again.decisions.verify()
        (stored,) = again.sets.newest_first()
        boards = again.sets.boards_of(stored)
        assert boards == deal_set(range(1, 5)).boards
        assert [len(uses) for uses in again.register.uses([board.deal for board in boards])] == [1, 0, 0, 0]
        assert again.copies.of_set(stored.id) == store.copies.of_set("s1")


def test_a_backup_is_of_one_moment_while_another_program_writes(store: Store, tmp_path: Path) -> None:
    with opened(tmp_path / "data") as other, transaction(other.connection):
        other.decisions.append(Decision.EXPORTED, "Bob")
        data = made(store)
    put(data, tmp_path / "other")
    with opened(tmp_path / "other") as again:
        assert [entry.who for entry in again.decisions.newest_first()] == ["Ann"]


def test_the_recovery_code_opens_it_too_and_nothing_else_does(store: Store, tmp_path: Path) -> None:
    both = back_up(store, WORDS, now=Clock())
    for typed in ("four hands in a bag", "ABCD-EFGH-JKMN-PQRS-TVWX-YZ01-2345"):
        with pytest.raises(WrongPassphrase, match="does not open the backup"):
            put(both.data, tmp_path / "other", typed)
    assert not (tmp_path / "other").exists()
    put(both.data, tmp_path / "other", both.recovery_code.lower())


def test_a_run_that_was_given_after_the_backup_is_given_to_no_other(store: Store, tmp_path: Path) -> None:
    data = made(store)
    later = {dealt(store, "s1", board) for board in (2, 3)}
    put(data, tmp_path / "other")
    with opened(tmp_path / "other") as again:
        assert later.isdisjoint({dealt(again, "s1", board) for board in (2, 3)})


def archive(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made_now:
        for name, content in members:
            made_now.writestr(name, content)
    return file.getvalue()


STRANGERS = {
    "nothing": b"",
    "text": b'[Event "?"]\n',
    "an empty archive": archive(),
    "an archive of something else": archive(("letter.txt", b"Dear")),
    "no object": archive(("about.json", b"[[[]]]"), (FILE_NAME, b"")),
    "deeply nested": archive(("about.json", b"[" * 9_000), (FILE_NAME, b"")),
    "too long": archive(("about.json", b" " * 20_000), (FILE_NAME, b"")),
    "another form": archive(("about.json", b'{"form": 2}'), (FILE_NAME, b"")),
}


@pytest.mark.parametrize("data", STRANGERS.values(), ids=STRANGERS)
def test_what_is_no_backup_is_refused_and_leaves_nothing_behind(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged, match="no backup"):
        put(data, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_backup_that_was_damaged_anywhere_is_refused_or_whole(store: Store, tmp_path: Path) -> None:
    data, chance = made(store), random.Random(3)
    for turn in range(200):
        at = chance.randrange(len(data))
        wrong = data[:at] if turn % 2 else data[:at] + bytes((data[at] ^ 1 << turn % 8,)) + data[at + 1 :]
        folder = tmp_path / str(turn)
        try:
            put(wrong, folder)
        except (StoreDamaged, WrongPassphrase):
            assert not folder.exists()
        else:
            with opened(folder) as again:
                assert again.sets.boards_of(again.sets.find("s1")) == deal_set(range(1, 5)).boards


def test_what_is_there_is_kept_beside_when_it_is_to_be_replaced_and_else_stays(store: Store, tmp_path: Path) -> None:
    data, there = made(store), tmp_path / "there"
    with opened(there) as old:
        old.sets.add_imported(deal_set([9], name="old"))
    with pytest.raises(WrongState, match="already") as error:
        put(data, there)
    assert "--force" in error.value.hint
    for number in (1, 2):
        kept = put(data, there, replace=True).kept
        assert kept == there / f"before-{number}"
    with opened(there / "before-1") as old, opened(there) as new:
        assert [stored.name for stored in old.sets.newest_first()] == ["old"]
        assert [stored.name for stored in new.sets.newest_first()] == ["tuesday"]


def test_nothing_is_replaced_under_a_program_that_deals(store: Store, tmp_path: Path) -> None:
    data = made(store)
    with journal_in(tmp_path / "there"):
        with pytest.raises(JournalBusy):
            put(data, tmp_path / "there", replace=True)
        assert not list((tmp_path / "there").glob("before-*"))


@pytest.mark.parametrize("step", range(1, 9))
def test_a_program_that_ends_while_it_replaces_leaves_a_store_that_is_whole_or_closed(
    step: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, there = made(store), tmp_path / "there"
    with opened(there) as old:
        old.sets.add_imported(deal_set([9], name="old"))
    steps = 0

    def or_end(does: Callable[..., Any]) -> Callable[..., Any]:
        def done(*words: Any, **more: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == step:
                raise MemoryError
            return does(*words, **more)

        return done

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copy2", or_end(shutil.copy2))
        patched.setattr(Path, "unlink", or_end(Path.unlink))
        patched.setattr(os, "replace", or_end(os.replace))
        try:
            put(data, there, replace=True)
        except MemoryError:
            pass
        else:
            assert steps < step
    try:
        with opened(there) as found:
            assert [stored.name for stored in found.sets.newest_first()] in (["old"], ["tuesday"])
    except StoreUnusable:
        assert put(data, there, replace=True).kept is not None


def test_a_full_disk_is_said_and_changes_nothing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = made(store)
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(StoreUnusable, match="cannot be written to"):
        put(data, tmp_path / "file" / "data")
    monkeypatch.setattr(backup, "_write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(StoreUnusable, match="No space left"):
        put(data, tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["journal.lock"]


# Held


def boards_held(store: Store, *copies: str, simulated: bool = False) -> list[str]:
    """Which of the boards 1 to 3 are held, with the names of their copies."""
    items = items_for(deals_of(store, store.sets.find("s1")), (1, 2, 3), copies or ("",))
    return [f"{item.deal_board}{item.copy}" for item in held(store, items, simulated=simulated)]


def test_a_store_that_never_was_a_backup_holds_nothing(store: Store) -> None:
    assert boards_held(store) == []


def test_every_board_that_may_have_been_dealt_since_is_held_until_somebody_was_asked(
    store: Store, tmp_path: Path
) -> None:
    put(made(store), tmp_path / "other")
    with opened(tmp_path / "other") as again:
        assert boards_held(again) == ["2", "3"]
        assert boards_held(again, simulated=True) == []
        deals = deals_of(again, again.sets.find("s1"))
        two, three = items_for(deals, (2, 3))
        with Journal(again) as journal:
            note_said(journal, again, two, dealt=True)
            note_said(journal, again, three, dealt=False)
        assert boards_held(again) == []
        assert [len(uses) for uses in again.register.uses([two.deal, three.deal])] == [1, 0]
        assert again.copies.of_board("s1", 2) == []
        newer = back_up(again, WORDS, now=lambda: NOON + timedelta(days=1)).data
    put(newer, tmp_path / "third")
    with opened(tmp_path / "third") as third:
        assert boards_held(third) == ["2", "3"], "what was said holds for the backup that it was about"


def test_each_copy_of_a_board_is_held_and_said_for_itself(store: Store, tmp_path: Path) -> None:
    dealt(store, "s1", 2, "A")
    put(made(store), tmp_path / "other")
    with opened(tmp_path / "other") as again:
        assert boards_held(again, "A", "B") == ["1A", "3A", "1B", "2B", "3B"]
        (two,) = items_for(deals_of(again, again.sets.find("s1")), (2,), ("B",))
        with Journal(again) as journal:
            note_said(journal, again, two, dealt=False)
        assert boards_held(again, "A", "B", "C") == ["1A", "3A", "1B", "3B", "1C", "2C", "3C"]
        assert [(one.copy, one.dealt) for one in again.runs.said()] == [("B", False)]


def test_an_answer_of_the_time_when_one_stood_for_all_copies_still_does(store: Store, tmp_path: Path) -> None:
    put(made(store), tmp_path / "other")
    with opened(tmp_path / "other") as again:
        again.entries.append(What.SAID, 7, value="dealt s1 2")
        again.entries.append(What.SAID, 8, value="left s1 3")
        assert [(one.board, one.copy, one.dealt) for one in again.runs.said()] == [(2, None, True), (3, None, False)]
        assert boards_held(again, "A", "B") == ["1A", "1B"]


def test_only_a_copy_that_was_finished_before_or_begun_since_is_known(store: Store, tmp_path: Path) -> None:
    for board, verdict in ((1, Verdict.GOOD), (2, None), (3, Verdict.NOT_PROVEN)):
        dealt(store, "s1", board, "B", verdict=verdict)
    put(made(store), tmp_path / "other")
    with opened(tmp_path / "other") as again:
        assert boards_held(again, "B") == ["2B", "3B"]
        dealt(again, "s1", 2, "B", verdict=Verdict.DEAL_AGAIN)
        dealt(again, "s1", 3, "B", simulated=True)
        assert boards_held(again, "B") == ["3B"], "a rehearsal deals nothing"


@pytest.mark.parametrize("set_of_job", ["itself", "begun with it"])
def test_no_job_of_the_queue_deals_a_copy_that_was_dealt_by_somebodys_word(tmp_path: Path, set_of_job: str) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        game = make_game(store, now=Clock())
        further = set_with_board(store, game, 37, now=Clock())
        source, board = (game, 2) if set_of_job == "itself" else (further, 37)
        for order in (JobOrder(0, game.id, (1, board), ("A", "B")), JobOrder(0, game.id, (board,), ("C",))):
            store.jobs.add(order)
        journal.begin_anew(NOON)
        for copy in ("B", "C"):
            (item,) = items_for(deals_of(store, source), (board,), (copy,))
            note_said(journal, store, item, dealt=True)
        (job,) = store.jobs.queue().jobs
        assert [(one.board, one.copy) for one in job.copies if one.stand is not Stand.DEALT] == [
            (1, "A"), (board, "A"), (1, "B")
        ]  # fmt: skip


@pytest.mark.parametrize("go_sent", [True, False])
def test_a_board_that_was_open_in_the_backup_is_held_before_anything_is_asked_of_it(
    tmp_path: Path, go_sent: bool
) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        set_id = store.sets.add_imported(deal_set(range(1, 3))).stored.id
        job = store.jobs.add(JobOrder(0, set_id, (1, 2), ("B",)))
        told = Intention(1, "B", "DM0042", 1, 0, 0, set_id, 1, False)
        record = journal.intend(told, bytes(8), copy=CopyId(job.id, 0))
        if go_sent:
            journal.note_go(record.run)
        assert not is_held_open(store, record), "nothing was put back"
        journal.begin_anew(NOON)
        store.jobs.programs_ended()
        (under,) = left_open(store)
        assert is_held_open(store, under.record)

        note_said_of_open(journal, store, under.record, dealt=True)
        assert left_open(store) == ()
        (left,) = store.jobs.queue().jobs
        assert [(one.board, one.stand) for one in left.copies] == [(1, Stand.DEALT), (2, Stand.WAITING)]
        items = items_for(deals_of(store, store.sets.find(set_id)), (1,), ("B",))
        is_in_register = not held(store, items, simulated=False)
        assert is_in_register == go_sent, (
            "what no card had moved of is asked about once more, and is written there then"
        )


def test_an_open_board_of_which_somebody_says_no_is_found_as_ever(tmp_path: Path) -> None:
    with opened(tmp_path) as store, Journal(store) as journal:
        set_id = store.sets.add_imported(deal_set([1])).stored.id
        record = journal.intend(Intention(1, "", "DM0042", 1, 0, 0, set_id, 1, False), bytes(8))
        journal.begin_anew(NOON)
        note_said_of_open(journal, store, record, dealt=False)
        assert not is_held_open(store, record)
        assert [under.record.run for under in left_open(store)] == [record.run]
        check = journal.intend(Intention(1, "", "DM0042", 1, 0, 0, "", 1, False, is_check=True), bytes(8))
        assert not is_held_open(store, check)


def test_a_set_made_afterwards_and_a_lesson_are_not_held_and_a_file_read_afterwards_is(
    store: Store, tmp_path: Path
) -> None:
    put(made(store), tmp_path / "other")
    with opened(tmp_path / "other") as again:
        game = make_game(again, now=Clock())
        assert held(again, items_for(deals_of(again, game), (1, 2)), simulated=False) == ()
        for kind, number in ((SetKind.LESSON, 0), (SetKind.IMPORTED, 1)):
            stored = again.sets.add_imported(deal_set([8], seed=number, name=kind.value), kind=kind).stored
            assert len(held(again, items_for(deals_of(again, stored)), simulated=False)) == number


def test_a_job_does_not_begin_before_somebody_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COUNTS_VARIABLE, "1")
    peer = memory_peer(tmp_path / "first", Setup(script=PersonScript(boards=(1, 2))))
    deals = deal_set([1, 2])
    with peer.open() as machine:
        run_job(machine.start(deals, [1], auto=True))
        data = made(machine.store)
        run_job(machine.start(deals, [2], auto=True))
    peer = memory_peer(tmp_path / "second", Setup(script=PersonScript(boards=(1, 2))))
    put(data, peer.data)
    with peer.open() as machine:
        machine.start(deals, [1])
        with pytest.raises(NotSaid, match=": 2"):
            machine.start(deals, [1, 2])
    assert peer.core.truth.motions == []
