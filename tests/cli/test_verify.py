"""`dealctl verify-set` and `verify-squaredeal`: a third party finds everything right, or exactly what is not.

Read next: `driver/cli/verify_set.py`, `driver/cli/verify_squaredeal.py`, `driver/opening.py`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from driver.deals.model import Deal, DealSet
from driver.deals.numbering import deal_at
from driver.deals.squaredeal import big_deal_numbers
from driver.making import made_of
from driver.new_hands import NewHands, entry_details, plan_new_hands
from driver.store import sealing
from driver.store.decisions import Decision
from tests.cli.program import shown_hands
from tests.support.set_commands import WORDS, Commands, on_day, records
from tests.support.store import deal_set

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
DIGEST = "6b5856516c4459d9ed0660772ed63b7cfb897bc7691c8a140cba3d1b49316d5f"


@pytest.fixture
def dealctl(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    """With a game set "tuesday", its sheet, its opening, and the hand records of boards 1 to 6 in two formats."""
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    commands = Commands(tmp_path, capsys)
    commands.ok("make", "--name", "tuesday", "--event", "Club Pairs")
    commands.ok("sets", "tuesday", "--announce", tmp_path / "sheet.txt")
    commands.ok("sets", "tuesday", "--open", tmp_path / "opening.json", "--name", "Bob")
    whole = commands.deals("tuesday")
    records(some(whole, 1, 6), tmp_path / "played.pbn")
    records(some(whole, 1, 6), tmp_path / "played.csv")
    return commands


def some(deals: DealSet, first: int, last: int) -> DealSet:
    return replace(deals, boards=deals.boards[first - 1 : last])


def with_deals(deals: DealSet, given: dict[int, Deal]) -> DealSet:
    """The set with other hands for some boards."""
    boards = tuple(replace(board, deal=given.get(board.number, board.deal)) for board in deals)
    return replace(deals, boards=boards)


def test_right_records_in_any_format_agree_with_opening_and_sheet(dealctl: Commands) -> None:
    folder = dealctl.folder
    shown = dealctl.ok(
        *("verify-set", folder / "opening.json", folder / "played.pbn", folder / "played.csv"),
        *("--announced", folder / "sheet.txt"),
    )

    assert "It is the one that was published before play." in shown
    assert "The secret is the one that was fixed before play." in shown
    for name in ("played.pbn", "played.csv"):
        assert f"{name}: 6 of 6 boards have the hands that were promised (1-6)." in shown
    assert shown.endswith("Everything agrees.\n")
    assert not shown_hands(shown, dealctl.deals("tuesday"))


def test_no_data_folder_is_needed(dealctl: Commands) -> None:
    other = Commands(dealctl.folder / "third party", dealctl.capsys)
    other.ok("verify-set", dealctl.folder / "opening.json", dealctl.folder / "played.pbn")

    assert not other.data.exists()


def test_the_published_digits_may_be_typed_and_without_them_somebody_must_look(dealctl: Commands) -> None:
    words = ("verify-set", dealctl.folder / "opening.json", dealctl.folder / "played.pbn")
    digits = json.loads((dealctl.folder / "opening.json").read_text(encoding="utf-8"))["commitment"]

    assert "Compare it with the one that was published" in dealctl.ok(*words)
    assert "It is the one" in dealctl.ok(*words, "--announced", f"{digits[:32]} {digits[32:].upper()}")
    wrong = dealctl(*words, "--announced", "0" * 64)
    assert (wrong.code, "It is NOT the one" in wrong.out) == (1, True)
    assert dealctl(*words, "--announced", "no-such-sheet.txt").code == 6


def test_boards_with_other_hands_and_boards_from_elsewhere_are_named(dealctl: Commands) -> None:
    deals = some(dealctl.deals("tuesday"), 1, 6)
    boards = (*with_deals(deals, {3: deals.boards[3].deal, 4: deals.boards[2].deal}), *deal_set([40]))
    file = records(replace(deals, boards=boards), dealctl.folder / "x.pbn")
    ran = dealctl("verify-set", dealctl.folder / "opening.json", file)
    (found,) = (json.loads(dealctl("verify-set", dealctl.folder / "opening.json", file, "--json").out),)

    assert ran.code == 1
    assert "x.pbn: 4 of 7 boards have the hands that were promised (1, 2, 5, 6)." in ran.out
    assert "x.pbn: Boards 3, 4: other hands than promised." in ran.out
    assert "x.pbn: Board 40: not in this set." in ran.out
    assert "Something differs" in ran.out
    assert (found["right"], found["exit"]) == (False, 1)
    assert (found["files"][0]["differ"], found["files"][0]["outside"]) == ([3, 4], [40])


def test_a_board_with_a_spare_deals_hands_is_right_only_if_the_opening_says_so(dealctl: Commands) -> None:
    with dealctl.store() as store:
        stored = store.sets.find("tuesday")
        spare = made_of(store, stored).spares[0]
    file = records(with_deals(some(dealctl.deals("tuesday"), 1, 6), {5: spare}), dealctl.folder / "x.pbn")
    before = dealctl("verify-set", dealctl.folder / "opening.json", file)
    with dealctl.store() as store:
        plan = plan_new_hands(5, spares=4, given=())
        assert isinstance(plan, NewHands)
        store.decisions.append(Decision.NEW_HANDS, "Ann", **entry_details(plan, stored.id, "a card fell", after=0))
    dealctl.ok("sets", "tuesday", "--open", dealctl.folder / "o.json", "--name", "Bob")
    after = dealctl("verify-set", dealctl.folder / "o.json", file)
    old = dealctl("verify-set", dealctl.folder / "o.json", dealctl.folder / "played.pbn")

    assert (before.code, after.code, old.code) == (1, 0, 1)
    assert "Board 5 has the hands of spare deal 1, which was not given to it." in before.out
    assert "Board 5 has the hands of spare deal 1, as the opening says (a card fell)." in after.out
    assert "Board 5: the first hands, although new hands were given." in old.out


def test_the_parts_of_an_opening_may_come_as_single_files(dealctl: Commands) -> None:
    values = json.loads((dealctl.folder / "opening.json").read_text(encoding="utf-8"))
    secret = dealctl.file("secret.txt", values["secret"] + "\n")
    description = dealctl.file("description.txt", values["manifest"])
    for option, file in (("--description", dealctl.folder / "sheet.txt"), ("--manifest", description)):
        words = ("verify-set", dealctl.folder / "played.pbn", option, file)
        assert "Everything agrees." in dealctl.ok(*words, "--secret", secret)
        assert dealctl(*words).code == 2
        wrong = dealctl(*words, "--secret", dealctl.file("wrong.txt", "00" * 32))
        assert (wrong.code, "The secret is NOT the one" in wrong.out) == (1, True)
        assert dealctl(*words, "--secret", secret, "--public-value", "3").code == 2
        assert dealctl(*words, "--secret", secret, "--second", secret).code == 2
    assert dealctl("verify-set", dealctl.folder / "played.pbn", "--secret", secret).code == 2
    assert dealctl("verify-set", dealctl.folder / "opening.json").code == 2
    assert dealctl("verify-set", dealctl.folder / "opening.json", description, "--second", secret).code == 2


def test_boards_that_were_dealt_and_are_in_no_record_are_named(dealctl: Commands) -> None:
    values = json.loads((dealctl.folder / "opening.json").read_text(encoding="utf-8"))
    opening = dealctl.file("o.json", json.dumps({**values, "dealt": list(range(1, 9))}))
    shown = dealctl.ok("verify-set", opening, dealctl.folder / "played.pbn")

    assert "Dealt, and in none of these files: 7, 8." in shown


def test_a_championship_with_its_public_value_is_verified(dealctl: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    on_day(monkeypatch, datetime(2026, 12, 5, 12, 0, tzinfo=UTC))
    folder, passphrase = dealctl.folder, dealctl.file("pass.txt", WORDS)
    words = ("--name", "final", "--value-from", "dice of 2026-12-05", "--passphrase-file", passphrase)
    dealctl.ok("make", "--championship", *words)
    dealctl.ok("sets", "final", "--announce", folder / "final.txt")
    dealctl.ok("sets", "final", "--public-value", "3 5")
    with dealctl.store() as store:
        secret = store.sets.secret_of(store.sets.find("final"), passphrase=WORDS)
    file = records(dealctl.deals("final", WORDS), folder / "final.pbn")
    parts = (*("--description", folder / "final.txt"), "--secret", dealctl.file("s.txt", secret.hex()))

    shown = dealctl.ok("verify-set", file, *parts, "--public-value", "3  5")
    assert "36 of 36" in shown
    assert "The public value that was used is 3 5. Look it up: dice of 2026-12-05." in shown
    assert dealctl("verify-set", file, *parts, "--public-value", "3 6").code == 1
    assert dealctl("verify-set", file, *parts).code == 6


@pytest.mark.parametrize("name", ["none.json", "played.pbn", "sheet.txt"])
def test_what_is_no_opening_is_exit_code_six(name: str, dealctl: Commands) -> None:
    assert dealctl("verify-set", dealctl.folder / name, dealctl.folder / "played.pbn").code == 6


def test_records_that_cannot_be_read_are_exit_code_six(dealctl: Commands) -> None:
    text = (dealctl.folder / "played.pbn").read_text(encoding="utf-8") + '\n[Board "9"]\n[Deal "N:A... - - -"]\n'
    half = dealctl("verify-set", dealctl.folder / "opening.json", dealctl.file("half.pbn", text))
    none = dealctl("verify-set", dealctl.folder / "opening.json", dealctl.file("none.pbn", "hello"))

    assert (half.code, none.code) == (6, 6)
    assert "half.pbn: cannot be read: Board 9" in half.out


KEYS = {(1, 1): b"q" * 30 + b"w" * 30, (2, 1): b"z" * 20 + b"y" * 40}


def ripemd160(data: bytes) -> bytes:
    return hashlib.new("ripemd160", data).digest()


@pytest.fixture
def tournament(dealctl: Commands) -> Commands:
    """With a small tournament, x.sqd and x.sqk: a phase with boards 1-4 and one with 11-12."""
    keys = b"".join(b"%d,%d:%s\r\n" % (*place, key) for place, key in KEYS.items())
    digest = hashlib.sha256(keys).hexdigest()
    (dealctl.folder / "x.sqk").write_bytes(keys)
    dealctl.file("x.sqd", f"# made for a test\nTN Cup\nSN 1:4:rr\nSN 1:11-12:final\nKH {digest}\nDI Dice\nDV 35\n")
    return dealctl


def boards_of(place: tuple[int, int], numbers: range) -> DealSet:
    """The boards of a session, by the description of SquareDeal: base64 of "35" is "MzU="."""
    key = KEYS[place]
    half = len(key) // 2
    stream = big_deal_numbers(ripemd160(key[half:] + b"MzU=" + b"original"), ripemd160(key[:half]))
    empty = deal_set(numbers)
    return replace(empty, boards=tuple(replace(board, deal=deal_at(next(stream))) for board in empty))


def test_a_squaredeal_tournament_is_made_again_and_played_boards_are_found(tournament: Commands) -> None:
    folder = tournament.folder
    first, final = boards_of((1, 1), range(1, 5)), boards_of((2, 1), range(11, 13))
    files = [records(first, folder / "first.pbn"), records(final, folder / "final.pbn")]
    shown = tournament.ok("verify-squaredeal", folder / "x.sqd", folder / "x.sqk", "--against", *files)

    assert "Cup: the commitment matches the keys." in shown
    assert "2 sessions, 6 boards made again." in shown
    assert "first.pbn: Boards 1-4: phase 1, session 1." in shown
    assert "final.pbn: 2 of 2 boards found under their numbers." in shown
    assert not shown_hands(shown, first)


def test_boards_under_another_number_and_boards_from_nowhere_are_named(tournament: Commands) -> None:
    first = boards_of((1, 1), range(1, 5))
    given = {1: first.boards[1].deal, 2: first.boards[0].deal, 4: deal_set([4]).boards[0].deal}
    file = records(with_deals(first, given), tournament.folder / "first.pbn")
    words = ("verify-squaredeal", tournament.folder / "x.sqd", tournament.folder / "x.sqk", "--against", file)
    ran, found = tournament(*words), json.loads(tournament(*words, "--json").out)

    assert ran.code == 1
    assert "first.pbn: Board 1: the hands of board 2 of phase 1, session 1." in ran.out
    assert "first.pbn: Board 4: nowhere in the tournament." in ran.out
    assert found["files"][0]["nowhere"] == [4]
    assert (found["boards"], found["commitment_right"], found["right"], found["exit"]) == (6, True, False, 1)


def test_other_keys_than_were_fixed_are_said(tournament: Commands) -> None:
    keys = tournament.folder / "x.sqk"
    keys.write_bytes(keys.read_bytes().replace(b"qq", b"pp", 1))
    ran = tournament("verify-squaredeal", tournament.folder / "x.sqd", keys)

    assert (ran.code, "the commitment does NOT match the keys" in ran.out) == (1, True)


def test_files_in_the_wrong_order_or_not_there_are_exit_code_six(tournament: Commands) -> None:
    folder = tournament.folder
    for words in ((folder / "x.sqk", folder / "x.sqd"), (folder / "x.sqd", folder / "none.sqk"), (folder, folder)):
        ran = tournament("verify-squaredeal", *words)
        assert ran.code == 6, ran.all


@pytest.mark.skipif(not (SHARED / "squaredeal").is_dir(), reason="the published tournament of ../shared is not here")
def test_the_world_bridge_games_of_2024_are_made_again_to_the_last_board(dealctl: Commands) -> None:
    shown = dealctl.ok(
        *("verify-squaredeal", SHARED / "squaredeal" / "WBG2024.sqd", SHARED / "squaredeal" / "WBG2024.sqk"),
        *("--against", SHARED / "deals" / "wbg2024_fin1.pbn"),
    )

    assert "the commitment matches the keys." in shown
    assert "90 sessions, 1186 boards made again." in shown
    assert DIGEST in shown
    assert "wbg2024_fin1.pbn: 16 of 16 boards found under their numbers." in shown
