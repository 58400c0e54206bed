"""The journal: durable before each step, whole after a torn write, telling nothing about a hand."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver.errors import JournalBusy, JournalDamaged, JournalUnusable
from driver.journal import FILE_NAME, KEY_NAME, Intention, Journal
from protocol.codes import Routing

TOLD = Intention(
    board=9,
    copy="A",
    serial="DM0042",
    boot_id=7,
    odometer=468,
    board_edges=3,
    deal_set="s1",
    deal_board=9,
    simulated=True,
)
TAG = bytes(range(8))


def test_what_was_written_is_there_after_opening_again(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_go(run)
        journal.note_verdict(run, "GOOD")
        journal.note_closed(run)
    with Journal(tmp_path) as journal:
        record = journal.record(run)
    assert record is not None
    assert (record.intention, record.plan_tag, record.go_sent, record.verdict, record.closed) == (
        TOLD,
        TAG,
        True,
        "GOOD",
        True,
    )


def test_each_step_waits_for_the_disk_but_the_end_of_a_run_that_has_its_verdict(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    with Journal(tmp_path) as journal:
        waits = mocker.patch("os.fsync")
        judged, left = journal.intend(TOLD, TAG).run, journal.intend(TOLD, TAG).run
        journal.note_go(judged)
        journal.note_verdict(judged, "GOOD")
        assert waits.call_count == 4
        journal.note_closed(judged)
        assert waits.call_count == 4
        journal.note_closed(left)
        assert waits.call_count == 5


def test_a_run_id_never_returns_after_opening_again(tmp_path: Path) -> None:
    runs = []
    for _ in range(3):
        with Journal(tmp_path) as journal:
            runs += [journal.intend(TOLD, TAG).run for _ in range(3)]
    assert len(set(runs)) == 9
    assert 0 not in runs


def test_two_journals_give_run_ids_that_differ(tmp_path: Path) -> None:
    with Journal(tmp_path / "a") as one, Journal(tmp_path / "b") as other:
        assert one.intend(TOLD, TAG).run != other.intend(TOLD, TAG).run


def test_an_intent_that_moved_no_card_keeps_its_run_id_with_the_new_facts(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_go(run)
        again = journal.intend(TOLD, TAG, run=run)
        assert again.run == run
        assert not again.go_sent
        assert journal.intend(TOLD, TAG).run != run


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_torn_last_line_is_dropped_and_the_rest_is_kept(tmp_path: Path, cut: int) -> None:
    with Journal(tmp_path) as journal:
        run = journal.intend(TOLD, TAG).run
        journal.note_verdict(run, "GOOD")
    path = tmp_path / FILE_NAME
    raw = path.read_bytes()
    last = raw.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(raw[: max(last, len(raw) - cut)])
    with Journal(tmp_path) as journal:
        record = journal.record(run)
        assert record is not None
        assert record.verdict is None
        journal.note_verdict(run, "NOT_PROVEN")
    with Journal(tmp_path) as journal:
        record = journal.record(run)
        assert record is not None
        assert record.verdict == "NOT_PROVEN"


def test_a_damaged_line_before_the_last_stops_everything_and_names_the_line(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.intend(TOLD, TAG)
        journal.intend(TOLD, TAG)
    path = tmp_path / FILE_NAME
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"board":9', b'"board":8')
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalDamaged, match="Line 2") as error:
        Journal(tmp_path)
    assert error.value.hint


def test_a_second_program_is_refused_while_the_first_holds_it(tmp_path: Path) -> None:
    with Journal(tmp_path), pytest.raises(JournalBusy):
        Journal(tmp_path)
    Journal(tmp_path).close()


def test_the_plan_tag_depends_on_every_part_of_the_plan_and_on_the_key(tmp_path: Path) -> None:
    plan = bytes(13)
    with Journal(tmp_path / "a") as one, Journal(tmp_path / "b") as other:
        tag = one.plan_tag(9, Routing.BY_IDENTITY, plan)
        assert tag == one.plan_tag(9, Routing.BY_IDENTITY, plan)
        different = {
            one.plan_tag(10, Routing.BY_IDENTITY, plan),
            one.plan_tag(9, Routing.BY_ORDER, plan),
            one.plan_tag(9, Routing.BY_IDENTITY, b"\x01" + plan[1:]),
            other.plan_tag(9, Routing.BY_IDENTITY, plan),
        }
        assert len(different | {tag}) == 5


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_key_and_journal_can_be_read_by_this_user_only(tmp_path: Path) -> None:
    Journal(tmp_path / "data").close()
    modes = {(tmp_path / "data" / name).stat().st_mode & 0o777 for name in (FILE_NAME, KEY_NAME)}
    assert modes == {0o600}


def test_a_damaged_key_is_refused_with_its_name(tmp_path: Path) -> None:
    Journal(tmp_path).close()
    (tmp_path / KEY_NAME).write_bytes(b"short")
    with pytest.raises(JournalDamaged, match=KEY_NAME):
        Journal(tmp_path)


def test_the_newest_run_of_a_board_and_of_a_machine_is_found(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
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


def test_a_folder_that_cannot_be_used_is_named_with_the_reason_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(JournalUnusable, match="cannot be written to") as error:
        Journal(tmp_path / "file" / "data")
    assert "DEALCTL_DATA" in error.value.hint


def test_a_full_disk_is_told_as_one_and_not_as_damage(tmp_path: Path, mocker: MockerFixture) -> None:
    with Journal(tmp_path) as journal:
        mocker.patch("driver.journal.os.write", side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        with pytest.raises(JournalUnusable, match="space"):
            journal.intend(TOLD, TAG)
        mocker.patch("driver.journal.os.write", return_value=3)
        with pytest.raises(JournalUnusable, match="space"):
            journal.intend(TOLD, TAG)
