"""Sets made here: 36 boards and 4 spare deals whatever is asked for, made again from what is stored, never shown.

Read next: `driver/making.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.deals.fairness import ORIGINAL, SPARES, combined, parse_manifest, secret_digest
from driver.deals.generator import Championship, new_secret
from driver.deals.model import standard_dealer, standard_vulnerability
from driver.deals.public_value import ValueKind, text_rule
from driver.errors import ConfigError, JobError, NothingOpen, WrongPassphrase
from driver.making import LESSON_NOTE, MOST_BOARDS, day_name, deals_of, made_of, make_game, make_sets, set_with_board
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import LONGEST_NAME, SetKind, SetState
from tests.cli.program import shown_hands
from tests.support.store import Clock, deal_set, opened

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


@pytest.mark.parametrize("boards", [1, 24, 36])
def test_a_game_set_has_36_boards_and_4_spare_deals_however_many_are_asked_for(
    boards: int, store: Store, clock: Clock
) -> None:
    stored = make_game(store, boards=boards, now=clock)
    deals = deals_of(store, stored)

    assert (stored.kind, stored.board_range, stored.boards, stored.sealed) == (SetKind.GAME, "1-36", 36, False)
    assert deals.numbers == tuple(range(1, 37))
    assert len({*(board.deal for board in deals), *made_of(store, stored).spares}) == 36 + SPARES
    assert store.sets.newest_first() == [stored]


def test_the_boards_carry_dealer_and_vulnerability_of_law_2_and_the_name_of_their_set(
    store: Store, clock: Clock
) -> None:
    stored = make_game(store, name="tuesday", event="Club Pairs", date="2026-12-01", now=clock)
    deals = deals_of(store, stored)

    assert (deals.name, deals.event, deals.date, deals.set_id) == ("tuesday", "Club Pairs", "2026-12-01", stored.id)
    assert deals.path is None
    for board in deals:
        assert board.dealer is standard_dealer(board.number)
        assert board.vulnerability is standard_vulnerability(board.number)


def test_the_hands_of_a_set_are_the_same_whenever_they_are_made_again(tmp_path: Path, clock: Clock) -> None:
    with opened(tmp_path, clock) as store:
        stored = make_game(store, now=clock)
        first = deals_of(store, stored)
    with opened(tmp_path, clock) as store:
        assert deals_of(store, store.sets.find(stored.name)) == first


def test_two_sets_have_different_hands_and_different_names(store: Store, clock: Clock) -> None:
    one, other = make_game(store, now=clock), make_game(store, now=clock)

    assert (one.name, other.name) == (day_name(clock()), f"{day_name(clock())}-2")
    assert not {board.deal for board in deals_of(store, one)} & {board.deal for board in deals_of(store, other)}


def test_a_set_is_written_into_the_log_of_decisions_without_a_hand(store: Store, clock: Clock) -> None:
    stored = make_game(store, now=clock)
    (entry,) = store.decisions.newest_first()

    assert (entry.what, entry.details) == (Decision.SET_MADE, {"set": stored.id, "kind": "game", "boards": "1-36"})


def test_no_file_and_no_text_shows_a_hand_or_the_secret(tmp_path: Path, clock: Clock) -> None:
    with opened(tmp_path, clock) as store:
        stored = make_game(store, now=clock)
        made, deals = made_of(store, stored), deals_of(store, stored)
        texts = [repr(thing) for thing in (stored, made, deals, *store.decisions.newest_first())]
        texts += [path.read_bytes().decode("latin-1") for path in tmp_path.iterdir()]

    for text in texts:
        assert not shown_hands(text, deals)
        assert made.secret.hex() not in text
        assert made.secret.decode("latin-1") not in text


def test_beyond_36_boards_supplements_with_secrets_of_their_own_are_made(store: Store, clock: Clock) -> None:
    first, second, third = (added.stored for added in make_sets(store, SetKind.GAME, boards=73, name="big", now=clock))

    assert [one.name for one in (first, second, third)] == ["big", "big-from-37", "big-from-73"]
    assert [one.board_range for one in (first, second, third)] == ["1-36", "37-72", "73-108"]
    assert len({made_of(store, one).secret for one in (first, second, third)}) == 3
    assert deals_of(store, second).numbers == tuple(range(37, 73))
    assert parse_manifest(store.sets.manifest_of(second)).sets[0] == ORIGINAL


@pytest.mark.parametrize("board", [1, 36])
def test_a_board_up_to_36_is_in_the_set_itself(board: int, store: Store, clock: Clock) -> None:
    stored = make_game(store, now=clock)

    assert set_with_board(store, stored, board, now=clock) is stored


def test_a_supplement_is_made_once_when_a_board_of_it_is_wanted(store: Store, clock: Clock) -> None:
    stored = make_game(store, name="tuesday", event="Pairs", now=clock)
    supplement = set_with_board(store, stored, 40, now=clock)

    assert (supplement.name, supplement.board_range, supplement.event) == ("tuesday-from-37", "37-72", "Pairs")
    assert set_with_board(store, stored, 72, now=clock) == supplement
    assert set_with_board(store, stored, 73, now=clock).board_range == "73-108"


def test_a_supplement_is_found_although_its_name_was_taken(store: Store, clock: Clock) -> None:
    store.sets.add_imported(deal_set(range(37, 73), name="tuesday-from-37"))
    stored = make_game(store, name="tuesday", now=clock)
    supplement = set_with_board(store, stored, 37, now=clock)

    assert supplement.name == "tuesday-from-37-2"
    assert set_with_board(store, stored, 38, now=clock) == supplement


def test_the_supplement_of_an_older_set_of_the_same_name_is_not_taken(store: Store, clock: Clock) -> None:
    old = make_game(store, name="tuesday", boards=40, now=clock)
    store.sets.throw_away(old)
    clock.later(days=7)
    stored = make_game(store, name="tuesday", now=clock)

    assert set_with_board(store, stored, 37, now=clock).created == clock()


def test_the_longest_name_leaves_room_for_its_supplement(store: Store, clock: Clock) -> None:
    stored = make_game(store, name="n" * LONGEST_NAME, boards=37, now=clock)

    assert set_with_board(store, stored, 37, now=clock).name.endswith("-from-37")
    assert len(store.sets.newest_first()) == 2


def test_a_supplement_has_its_own_boards_and_no_others(store: Store, clock: Clock) -> None:
    supplement = set_with_board(store, make_game(store, now=clock), 37, now=clock)

    assert set_with_board(store, supplement, 72, now=clock) is supplement
    for board in (1, 73):
        with pytest.raises(JobError, match="has boards 37-72"):
            set_with_board(store, supplement, board, now=clock)


@pytest.mark.parametrize("board", [0, 37, MOST_BOARDS + 1])
def test_a_set_from_a_file_gets_no_supplement(board: int, store: Store, clock: Clock) -> None:
    stored = store.sets.add_imported(deal_set(range(1, 25))).stored

    with pytest.raises(JobError, match="no board"):
        set_with_board(store, stored, board, now=clock)


@pytest.mark.parametrize("boards", [0, -1, MOST_BOARDS + 1])
def test_a_number_of_boards_out_of_range_is_refused(boards: int, store: Store, clock: Clock) -> None:
    with pytest.raises(ConfigError, match="1 to 360"):
        make_game(store, boards=boards, now=clock)

    assert store.sets.newest_first() == []


def test_a_sealed_game_set_opens_with_its_passphrase_and_with_its_recovery_code(store: Store, clock: Clock) -> None:
    (added,) = make_sets(store, SetKind.GAME, seal=WORDS, now=clock)

    assert added.recovery_code is not None
    with pytest.raises(WrongPassphrase, match="sealed"):
        deals_of(store, added.stored)
    with pytest.raises(WrongPassphrase):
        deals_of(store, added.stored, passphrase="four hands")
    opened_by = [deals_of(store, added.stored, passphrase=text) for text in (WORDS.text, added.recovery_code)]
    assert opened_by[0] == opened_by[1]


def test_a_sealed_set_gets_no_supplement_by_itself(store: Store, clock: Clock) -> None:
    (added,) = make_sets(store, SetKind.GAME, seal=WORDS, now=clock)

    with pytest.raises(JobError):
        set_with_board(store, added.stored, 37, now=clock)


def test_a_championship_needs_a_passphrase_and_has_36_boards_at_most(store: Store, clock: Clock) -> None:
    with pytest.raises(WrongPassphrase):
        make_sets(store, SetKind.CHAMPIONSHIP, now=clock)
    with pytest.raises(ConfigError, match="1 to 36"):
        make_sets(store, SetKind.CHAMPIONSHIP, boards=37, seal=WORDS, now=clock)

    assert store.sets.newest_first() == []


def test_a_championship_has_no_hands_before_its_public_value_is_fixed(store: Store, clock: Clock) -> None:
    details = Championship(club="Club", event="Open", session="1", rule=text_rule("dice thrown on 2026-12-01"))
    (added,) = make_sets(store, SetKind.CHAMPIONSHIP, details=details, seal=WORDS, name="final", now=clock)
    stored = store.sets.set_state(added.stored, SetState.COMMITTED)

    with pytest.raises(JobError, match="public value is missing"):
        deals_of(store, stored, passphrase=WORDS.text)
    stored = store.sets.fix_public_value(stored, "3 5")
    manifest = parse_manifest(store.sets.manifest_of(stored))
    assert len(deals_of(store, stored, passphrase=WORDS.text)) == 36
    assert (manifest.club, manifest.event, manifest.rule.kind) == ("Club", "Open", ValueKind.TEXT)


def test_a_set_of_two_persons_has_no_hands_without_the_second_secret(store: Store, clock: Clock) -> None:
    second = new_secret()
    details = Championship(second_sha256=secret_digest(second))
    (added,) = make_sets(store, SetKind.CHAMPIONSHIP, details=details, seal=WORDS, now=clock)

    with pytest.raises(JobError, match="second person"):
        deals_of(store, added.stored, passphrase=WORDS.text)
    deals = deals_of(store, added.stored, passphrase=WORDS.text, second=second)
    assert len(deals) == 36
    assert combined(made_of(store, added.stored, passphrase=WORDS.text).secret, second) != second


@pytest.mark.parametrize(("kind", "notes"), [(SetKind.IMPORTED, ()), (SetKind.LESSON, (LESSON_NOTE,))])
def test_a_stored_set_with_content_gives_its_own_boards_and_a_lesson_says_what_it_is(
    kind: SetKind, notes: tuple[str, ...], store: Store
) -> None:
    given = deal_set(range(5, 9))
    stored = store.sets.add_imported(given, kind=kind).stored
    deals = deals_of(store, stored)

    assert [(board.number, board.deal) for board in deals] == [(board.number, board.deal) for board in given]
    assert (deals.notes, deals.set_id, deals.event, deals.date) == (notes, stored.id, given.event, given.date)


def test_a_set_that_was_thrown_away_has_no_boards(store: Store, clock: Clock) -> None:
    stored = make_game(store, now=clock)
    store.sets.throw_away(stored)

    with pytest.raises(NothingOpen):
        deals_of(store, stored)
