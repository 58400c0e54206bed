"""Stored sets: added once, found again, opened by whom they let in, compared with a corrected file.

Read next: `driver/store/sets.py`, `driver/store/content.py`, `driver/store/similar.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driver.deals.model import BoardDeal, DealSet, Vulnerability, standard_dealer, standard_vulnerability
from driver.errors import NothingOpen, StoreDamaged, WrongPassphrase
from driver.store import content, sealing
from driver.store.database import FILE_NAME, KEY_NAME
from driver.store.sealing import NotOpened, Passphrase
from driver.store.store import Store
from driver.store.stored import LONGEST_NAME, SetKind, SetState, StoredSet, cleaned_name, is_id, source_name
from protocol.cards import Seat
from tests.support.store import NOON, Clock, deal, deal_set, opened

CLUB = deal_set(range(1, 37), path="/home/ann/Downloads/tuesday.pbn")
SECRET = bytes(range(32))
WORDS = Passphrase("four hands in a box")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store whose passphrases are cheap to try; `test_store_sealing` has the real price."""
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    with opened(tmp_path / "data", clock) as store:
        yield store


def corrected(deals: DealSet, *numbers: int) -> DealSet:
    """The set with other hands for these boards."""
    return replace(
        deals,
        boards=tuple(
            replace(board, deal=deal(777_000 + board.number)) if board.number in numbers else board
            for board in deals.boards
        ),
    )


def test_an_imported_set_is_stored_with_what_its_file_says_and_gives_its_boards_back(store: Store) -> None:
    added = store.sets.add_imported(CLUB)

    assert added.is_new
    assert added.recovery_code is None
    assert added.stored == StoredSet(
        id="s1",
        name="tuesday",
        kind=SetKind.IMPORTED,
        event="Tuesday Pairs",
        date="2026.11.24",
        created=NOON,
        board_range="1-36",
        boards=36,
        source="tuesday.pbn",
        state=None,
        public_value="",
        published=None,
        thrown_away=0,
        sealed=False,
    )
    assert store.sets.boards_of(added.stored) == CLUB.boards
    assert store.sets.manifest_of(added.stored) == ""


def test_a_made_set_gives_its_secret_and_public_text_back_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        made = store.sets.add_made("evening", SetKind.GAME, SECRET, '{"v":"deal-commit-1"}', event="Club", date="today")
    with opened(tmp_path) as store:
        found = store.sets.find("evening")
        assert found == made.stored
        assert (found.board_range, found.boards, found.source, found.state) == ("1-36", 36, "", None)
        assert store.sets.secret_of(found) == SECRET
        assert store.sets.manifest_of(found) == '{"v":"deal-commit-1"}'


def test_a_set_is_found_by_id_or_name_whatever_the_capitals(store: Store) -> None:
    stored = store.sets.add_imported(deal_set([1, 2], name="Zoë's Tuesday")).stored

    for text in ("s1", " S1 ", "Zoë's Tuesday", "ZOË'S  tuesday", "Zoe\u0308's Tuesday"):
        assert store.sets.find(text) == stored
    for text in ("s2", "s01", "s", "", "tuesday", "s99999999999999999999", "\udce9"):
        with pytest.raises(NothingOpen, match="no set of that name"):
            store.sets.find(text)


def test_names_are_told_apart_by_numbers_and_the_newest_set_comes_first(store: Store) -> None:
    names = ("tuesday", "Tuesday", "tuesday-2", "tuesday", "s7", "", "a\nb\x1b[2J")
    for seed, name in enumerate(names):
        store.sets.add_imported(deal_set([1], seed=seed, name=name or "x"), name=name)

    assert [stored.name for stored in reversed(store.sets.newest_first())] == [
        *("tuesday", "Tuesday-2", "tuesday-2-2", "tuesday-3", "set s7", "x", "a b [2J"),
    ]


@given(text=st.text(max_size=200))
def test_any_name_becomes_one_line_that_is_no_id(text: str) -> None:
    name = cleaned_name(text)

    assert name
    assert name.isprintable()
    assert len(name) <= LONGEST_NAME + 4
    assert not is_id(name)
    assert cleaned_name(name) == name


def test_the_same_boards_are_one_set_whatever_file_format_or_day_they_come_from(store: Store, clock: Clock) -> None:
    first = store.sets.add_imported(CLUB)
    clock.later(days=3)
    with_markings = tuple(
        BoardDeal(
            board.number,
            board.deal,
            standard_dealer(board.number),
            standard_vulnerability(board.number),
            board.line + 5,
        )
        for board in reversed(CLUB.boards)
    )
    again = store.sets.add_imported(DealSet("other", "/tmp/other.dlm", with_markings, event="Wednesday"))

    assert not again.is_new
    assert again.stored == first.stored
    assert len(store.sets.newest_first()) == 1


def test_other_hands_another_number_or_another_marking_make_another_set(store: Store) -> None:
    changed = [
        corrected(CLUB, 17),
        deal_set(range(1, 36)),
        replace(CLUB, boards=(replace(CLUB.boards[0], dealer=Seat.WEST), *CLUB.boards[1:])),
        replace(CLUB, boards=(replace(CLUB.boards[0], vulnerability=Vulnerability.ALL), *CLUB.boards[1:])),
        replace(CLUB, boards=(replace(CLUB.boards[0], number=99), *CLUB.boards[1:])),
    ]
    added = [store.sets.add_imported(deals) for deals in (CLUB, *changed)]

    assert [one.is_new for one in added] == [True] * 6
    assert [one.stored.name for one in added] == ["tuesday", *(f"tuesday-{number}" for number in range(2, 7))]


def test_a_lesson_stays_a_lesson_when_its_boards_come_again_in_a_file(store: Store) -> None:
    lesson = store.sets.add_imported(CLUB, kind=SetKind.LESSON).stored

    assert store.sets.add_imported(CLUB).stored == lesson
    assert lesson.kind is SetKind.LESSON


def test_a_file_that_was_dealt_may_become_a_lesson_too(store: Store) -> None:
    imported = store.sets.add_imported(CLUB).stored
    lesson = store.sets.add_imported(CLUB, kind=SetKind.LESSON).stored

    assert (lesson.id, lesson.kind, lesson.name) == ("s2", SetKind.LESSON, "tuesday-2")
    assert store.sets.add_imported(CLUB).stored == imported


def test_the_same_secret_is_one_set(store: Store) -> None:
    first = store.sets.add_made("evening", SetKind.GAME, SECRET, "public")
    again = store.sets.add_made("evening", SetKind.GAME, SECRET, "public")

    assert (again.is_new, again.stored) == (False, first.stored)
    assert store.sets.add_made("evening", SetKind.GAME, SECRET[::-1], "public").stored.name == "evening-2"


def test_a_sealed_set_opens_with_passphrase_or_recovery_code_alone(store: Store) -> None:
    added = store.sets.add_imported(CLUB, seal=WORDS)
    assert added.recovery_code is not None

    assert added.stored.sealed
    assert added.recovery_code not in repr(added)
    for typed in ("four hands in a box", added.recovery_code, added.recovery_code.lower().replace("-", "")):
        assert store.sets.boards_of(added.stored, passphrase=typed) == CLUB.boards
    with pytest.raises(WrongPassphrase, match="sealed and needs its passphrase"):
        store.sets.boards_of(added.stored)
    with pytest.raises(WrongPassphrase, match="does not open"):
        store.sets.boards_of(added.stored, passphrase="four hands")


def test_a_championship_is_a_draft_that_only_its_passphrase_opens(store: Store) -> None:
    with pytest.raises(WrongPassphrase, match="needs a passphrase"):
        store.sets.add_made("final", SetKind.CHAMPIONSHIP, SECRET, "public")
    added = store.sets.add_made("final", SetKind.CHAMPIONSHIP, SECRET, "public", seal=WORDS)

    assert added.stored.state is SetState.DRAFT
    assert added.recovery_code is not None
    assert store.sets.secret_of(added.stored, passphrase=WORDS.text) == SECRET
    assert store.sets.secret_of(added.stored, passphrase=added.recovery_code) == SECRET
    assert store.sets.manifest_of(added.stored) == "public"


def test_a_sealed_set_needs_no_key_file_of_this_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    with opened(tmp_path) as store:
        added = store.sets.add_imported(CLUB, seal=WORDS)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("DELETE FROM store_key")
        connection.commit()
    (tmp_path / KEY_NAME).unlink()

    with opened(tmp_path) as store:
        assert store.sets.boards_of(added.stored, passphrase=WORDS.text) == CLUB.boards


def test_a_set_that_is_there_is_sealed_when_it_is_added_again_with_a_passphrase(store: Store) -> None:
    first = store.sets.add_imported(CLUB)
    again = store.sets.add_imported(CLUB, seal=WORDS)

    assert (again.is_new, again.stored) == (False, replace(first.stored, sealed=True))
    assert again.recovery_code is not None
    with pytest.raises(WrongPassphrase):
        store.sets.boards_of(again.stored)
    assert store.sets.boards_of(again.stored, passphrase=again.recovery_code) == CLUB.boards


def test_a_sealed_set_that_is_added_again_keeps_its_own_passphrase(store: Store) -> None:
    first = store.sets.add_imported(CLUB, seal=WORDS)
    for seal in (None, Passphrase("another")):
        again = store.sets.add_imported(CLUB, seal=seal)
        assert (again.is_new, again.stored, again.recovery_code) == (False, first.stored, None)

    assert store.sets.boards_of(first.stored, passphrase=WORDS.text) == CLUB.boards


def test_what_makes_no_sense_is_refused(store: Store) -> None:
    made = store.sets.add_made("evening", SetKind.GAME, SECRET, "").stored
    imported = store.sets.add_imported(CLUB).stored

    with pytest.raises(ValueError, match="imported or a lesson"):
        store.sets.add_imported(CLUB, kind=SetKind.GAME)
    with pytest.raises(ValueError, match="has boards"):
        store.sets.add_imported(replace(CLUB, boards=()))
    for kind, secret, numbers in (
        (SetKind.LESSON, SECRET, range(1, 37)),
        (SetKind.GAME, SECRET[:31], range(1, 37)),
        (SetKind.GAME, SECRET, range(0)),
    ):
        with pytest.raises(ValueError, match="a game or a championship"):
            store.sets.add_made("x", kind, secret, "", numbers=numbers)
    with pytest.raises(ValueError, match="only its secret"):
        store.sets.boards_of(made)
    with pytest.raises(ValueError, match="only a set made here"):
        store.sets.secret_of(imported)


def test_a_corrected_file_is_known_by_the_boards_that_are_equal(store: Store) -> None:
    stored = store.sets.add_imported(CLUB).stored

    assert store.sets.similar(corrected(CLUB, 17)) == (stored, (17,))
    assert store.sets.similar(corrected(CLUB, 36, 2)) == (stored, (2, 36))
    assert store.sets.similar(CLUB) == (stored, ())
    assert store.sets.similar(corrected(CLUB, *range(1, 18))) == (stored, tuple(range(1, 18)))


def test_a_set_with_half_of_the_boards_or_other_numbers_is_no_correction(store: Store) -> None:
    store.sets.add_imported(CLUB)

    assert store.sets.similar(corrected(CLUB, *range(1, 19))) is None
    assert store.sets.similar(deal_set(range(1, 36))) is None
    assert store.sets.similar(deal_set(range(1, 38))) is None
    assert store.sets.similar(deal_set(range(1, 37), seed=9)) is None
    assert store.sets.similar(replace(CLUB, boards=())) is None


def test_of_several_alike_the_one_that_has_most_boards_is_told_and_then_the_newest(store: Store) -> None:
    for numbers in ((3, 4), (3,), (5,), ()):
        last = store.sets.add_imported(corrected(CLUB, *numbers)).stored

    assert store.sets.similar(CLUB) == (last, ())
    store.sets.throw_away(last)
    found = store.sets.similar(CLUB)
    assert found is not None
    assert (found[0].id, found[1]) == ("s3", (5,))


def test_a_sealed_set_is_not_compared(store: Store) -> None:
    store.sets.add_imported(CLUB)
    store.sets.add_imported(CLUB, seal=WORDS)

    assert store.sets.similar(corrected(CLUB, 17)) is None


def test_a_set_of_a_thousand_boards_is_stored_and_compared(store: Store) -> None:
    large = deal_set(range(1, 1201))
    stored = store.sets.add_imported(large).stored

    assert store.sets.boards_of(stored) == large.boards
    assert store.sets.similar(corrected(large, 1200)) == (stored, (1200,))


@pytest.mark.parametrize(
    "change",
    [
        "sealed = (SELECT sealed FROM sets WHERE number = 2) WHERE number = 1",
        "sealed = zeroblob(1145) WHERE number = 1",
        "sealed = x'' WHERE number = 1",
        "sealed = 'text' WHERE number = 1",
        "kind = 'lesson' WHERE number = 1",
    ],
)
def test_content_that_was_changed_or_exchanged_is_found(store: Store, tmp_path: Path, change: str) -> None:
    store.sets.add_imported(CLUB)
    store.sets.add_imported(corrected(CLUB, 17))
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection:
        connection.execute(f"UPDATE sets SET {change}")
        connection.commit()

    with pytest.raises(StoreDamaged, match="The content of set tuesday was changed"):
        store.sets.boards_of(store.sets.find("s1"))


def test_a_row_that_was_changed_is_found(store: Store, tmp_path: Path) -> None:
    store.sets.add_imported(CLUB)
    for change in ("created = 'yesterday'", "published = '2026-11-24'"):
        with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection:
            connection.execute(f"UPDATE sets SET {change}")
            connection.commit()
        with pytest.raises(StoreDamaged, match="record of set s1 was changed"):
            store.sets.newest_first()


BOARDS = st.builds(
    BoardDeal,
    st.integers(1, 999_999),
    st.integers(0, 1000).map(deal),
    st.none() | st.sampled_from(Seat),
    st.none() | st.sampled_from(Vulnerability),
    st.integers(0, 2**40),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(boards=st.lists(BOARDS, max_size=4))
def test_boards_come_back_from_their_bytes_as_they_were(boards: list[BoardDeal]) -> None:
    packed = content.packed_boards(boards)

    assert content.unpacked_boards(packed) == tuple(boards)
    assert len(packed) == 31 * len(boards)


@given(raw=st.binary(max_size=100))
def test_bytes_that_are_no_boards_are_refused(raw: bytes) -> None:
    try:
        boards = content.unpacked_boards(raw)
    except NotOpened:
        return
    assert content.packed_boards(boards) == raw


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (None, ""),
        ("tuesday.pbn", "tuesday.pbn"),
        ("/home/ann/tuesday.pbn", "tuesday.pbn"),
        (r"C:\Users\Ann\tuesday.pbn", "tuesday.pbn"),
        ("boards.zip/tuesday.pbn", "tuesday.pbn"),
        ("https://example.org/hand.html?lin=md|1S", "hand.html"),
        ("what? a #1 set.pbn", "what? a #1 set.pbn"),
        ("/media/\udce9.pbn", "?.pbn"),
    ],
)
def test_of_a_file_only_its_name_is_kept(path: str | None, name: str) -> None:
    assert source_name(path) == name


def test_times_are_kept_in_utc_and_sets_of_two_programs_do_not_get_in_each_other_s_way(
    store: Store, tmp_path: Path
) -> None:
    with opened(tmp_path / "data", Clock(NOON + timedelta(hours=1))) as other:
        ours = store.sets.add_imported(deal_set([1], seed=1)).stored
        theirs = other.sets.add_imported(deal_set([1], seed=2)).stored

        assert (theirs.id, theirs.name) == ("s2", "tuesday-2")
        assert store.sets.newest_first() == other.sets.newest_first() == [theirs, ours]
