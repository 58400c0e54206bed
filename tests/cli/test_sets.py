"""`dealctl sets`: the list, one set, and every step of a set's life; a hand is shown of a lesson alone.

Read next: `driver/cli/sets.py`, `driver/cli/set_steps.py`, `driver/store/states.py`.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from driver.deals.fairness import secret_digest
from driver.new_hands import NewHands, entry_details, plan_new_hands
from driver.opening import parse_opening
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.stored import SetState
from tests.cli.program import CLUB, Terminal, shown_hands
from tests.support.set_commands import WORDS, Commands, dealt, entries, moved_to, on_day
from tests.support.store import deal_set

DRAW = datetime(2026, 12, 5, 12, 0, tzinfo=UTC)

FORBIDDEN = re.compile(
    r"\b(commit(s|ted|ting)?|manifest|beacon|nonce|hash|void|index|database|ledger|journal|redeal)\b", re.IGNORECASE
)


@pytest.fixture
def dealctl(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    on_day(monkeypatch, DRAW)
    return Commands(tmp_path, capsys)


def test_without_any_set_the_list_says_how_to_get_one(dealctl: Commands) -> None:
    assert "dealctl make" in dealctl.ok("sets")
    assert dealctl.objects("sets") == []


def test_the_list_has_a_line_for_each_set_the_newest_first(dealctl: Commands) -> None:
    with dealctl.store() as store:
        store.sets.add_imported(deal_set(range(1, 25), name="monday", path="/home/ann/monday.pbn"))
    dealctl.ok("make", "--name", "tuesday", "--date", "2026-12-01", "--event", "Club Pairs")
    dealctl.ok("make", "--lesson", CLUB, "--pick", "3", "--name", "slam", "--date", "2026-12-02")
    dealt(dealctl, "tuesday", 1, 2, 3, 7)
    dealt(dealctl, "monday", 1, simulated=True)
    shown = dealctl.ok("sets")

    assert [line.split() for line in shown.splitlines()] == [
        ["slam", "lesson", "boards", "3", "2026-12-02", "not", "dealt", "Lesson"],
        ["tuesday", "game", "boards", "1-36", "2026-12-01", "dealt", "1-3,", "7", "Club", "Pairs"],
        ["monday", "imported", "boards", "1-24", "2026.11.24", "not", "dealt", "Tuesday", "Pairs"],
    ]
    assert [found["dealt"] for found in dealctl.objects("sets")] == [[], [1, 2, 3, 7], []]


def test_one_set_is_described_without_a_hand(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "tuesday", "--event", "Club Pairs", "--date", "2026-12-01")
    dealt(dealctl, "tuesday", 1, 2, 3)
    shown = dealctl.ok("sets", "tuesday")
    (found,) = dealctl.objects("sets", "s1")

    assert "Boards 1-36 and 4 spare deals, 0 of them used." in shown
    assert "Dealt: 1-3." in shown
    assert (found["name"], found["spares"], found["dealt"], found["state"]) == ("tuesday", 4, [1, 2, 3], None)
    assert not shown_hands(shown + json.dumps(found), dealctl.deals("tuesday"))


def test_a_set_that_is_not_there_is_said(dealctl: Commands) -> None:
    ran = dealctl("sets", "friday")

    assert (ran.code, "no set of that name" in ran.err) == (2, True)


def test_a_step_without_a_set_is_a_usage_error(dealctl: Commands) -> None:
    for words in (["--end"], ["--throw-away"], ["--director", "Ann"]):
        ran = dealctl("sets", *words)
        assert ran.code == 2
        assert words[0] in ran.err


def test_a_set_is_thrown_away_once_somebody_says_so_and_stays_counted(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "tuesday")
    refused = dealctl("sets", "tuesday", "--throw-away")
    shown = dealctl.ok("sets", "tuesday", "--throw-away", "--yes")
    dealctl.ok("make", "--name", "tuesday")

    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert "thrown away" in shown
    assert "Made and thrown away before it: 1." in dealctl.ok("sets", "tuesday")
    assert entries(dealctl) == [Decision.SET_MADE, Decision.SET_THROWN_AWAY, Decision.SET_MADE]


def test_a_set_of_which_a_board_was_dealt_or_that_was_announced_stays_and_nothing_is_asked(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "one")
    dealctl.ok("make", "--name", "two")
    dealt(dealctl, "one", 1)
    dealctl.ok("sets", "two", "--announce", dealctl.folder / "sheet.txt")

    for name in ("one", "two"):
        ran = dealctl("sets", name, "--throw-away")
        assert (ran.code, "(DM514)" in ran.err) == (1, True)
    assert len(dealctl.objects("sets")) == 2


def test_throwing_away_asks_once_and_enter_alone_keeps_the_set(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "tuesday")
    for typed, left in (("\n", 1), ("y\n", 0)):
        with Terminal("sets", "tuesday", "--throw-away", "--data", dealctl.data) as terminal:
            terminal.wait_for("[y/N] ")
            terminal.type(typed)
            assert terminal.wait() == 0, terminal.shown
        assert terminal.shown.count("?") == 1
        assert len(dealctl.objects("sets")) == left


@pytest.mark.parametrize("step", ["--announce", "--open"])
def test_where_no_file_can_be_written_nothing_is_published(step: str, dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "tuesday")
    ran = dealctl("sets", "tuesday", step, dealctl.folder / "no folder" / "x.txt", "--name", "Bob")

    assert (ran.code, "Nothing was changed." in ran.err) == (6, True)
    assert entries(dealctl) == [Decision.SET_MADE]
    dealctl.ok("sets", "tuesday", "--throw-away", "--yes")


def test_a_game_set_is_opened_at_any_time_with_a_warning_a_name_and_an_entry(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "tuesday")
    opening = dealctl.folder / "opening.json"
    nameless = dealctl("sets", "tuesday", "--open", opening)
    shown = dealctl.ok("sets", "tuesday", "--open", opening, "--name", "Bob")

    assert (nameless.code, "--name" in nameless.err) == (2, True)
    assert "every hand" in shown
    assert opening.stat().st_mode & 0o077 == 0
    assert not shown_hands(shown, dealctl.deals("tuesday"))
    with dealctl.store() as store:
        entry = store.decisions.newest_first()[0]
    assert (entry.what, entry.who) == (Decision.OPENED, "Bob")
    assert dealctl("sets", "tuesday", "--throw-away", "--yes").code == 1
    assert dealctl("sets", "tuesday", "--play").code == 1


def test_an_opening_names_the_boards_that_got_new_hands(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "tuesday")
    with dealctl.store() as store:
        stored = store.sets.find("tuesday")
        plan = plan_new_hands(5, spares=4, given=())
        assert isinstance(plan, NewHands)
        store.decisions.append(Decision.NEW_HANDS, "Ann", **entry_details(plan, stored.id, "a card fell", after=0))
    dealctl.ok("sets", "tuesday", "--open", dealctl.folder / "o.json", "--name", "Bob")
    (given,) = parse_opening((dealctl.folder / "o.json").read_text(encoding="utf-8")).new_hands or ()

    assert (given.given.board, given.given.spare, given.reason) == (5, 1, "a card fell")
    shown = dealctl.ok("sets", "tuesday")
    assert "1 of them used" in shown
    assert "With new hands: 5." in shown
    assert "fell" not in shown


def test_a_set_of_two_persons_is_opened_with_both_secrets(dealctl: Commands) -> None:
    second, passphrase = dealctl.folder / "second.txt", dealctl.file("pass.txt", WORDS)
    (made,) = dealctl.objects("make", "--second-person", second)
    words = ("--second-digest", made["digest"], "--passphrase-file", passphrase)
    dealctl.ok("make", "--championship", "--name", "two", *words)
    dealctl.ok("sets", "two", "--announce", dealctl.folder / "sheet.txt")
    moved_to(dealctl, "two", SetState.DEALING, SetState.SEALED, SetState.IN_PLAY, SetState.ENDED)
    how = ("sets", "two", "--open", dealctl.folder / "o.json", "--name", "Bob", "--passphrase-file", passphrase)
    ran = dealctl(*how)
    dealctl.ok(*how, "--second", second)

    assert (ran.code, "--second" in ran.err) == (2, True)
    opening = parse_opening((dealctl.folder / "o.json").read_text(encoding="utf-8"))
    assert secret_digest(opening.second) == made["digest"]


@pytest.mark.parametrize("step", ["--announce", "--open"])
def test_a_set_from_a_file_and_a_lesson_have_nothing_to_publish(step: str, dealctl: Commands) -> None:
    with dealctl.store() as store:
        store.sets.add_imported(deal_set(range(1, 25), name="monday"))
    dealctl.ok("make", "--lesson", CLUB, "--pick", "3", "--name", "slam")

    for name in ("monday", "slam"):
        ran = dealctl("sets", name, step, dealctl.folder / "out", "--name", "Bob")
        assert (ran.code, "cannot be" in ran.err) == (1, True)
    assert not (dealctl.folder / "out").exists()


def test_a_wrong_passphrase_opens_nothing_and_leaves_no_trace_of_itself(dealctl: Commands) -> None:
    dealctl.ok("make", "--sealed", "--name", "cup", "--passphrase-file", dealctl.file("pass.txt", WORDS))
    wrong = dealctl.file("wrong.txt", "four spades in a box")
    ran = dealctl("sets", "cup", "--open", dealctl.folder / "o.json", "--name", "Bob", "--passphrase-file", wrong, "-v")

    assert (ran.code, "(DM513)" in ran.err) == (1, True)
    assert "four spades" not in ran.all
    assert entries(dealctl) == [Decision.SET_MADE]


def test_a_board_of_a_lesson_is_shown_and_of_no_other_set(dealctl: Commands) -> None:
    dealctl.ok("make", "--lesson", CLUB, "--pick", "3,5", "--name", "slam")
    dealctl.ok("make", "--name", "tuesday")
    shown = dealctl.ok("sets", "slam", "--show-lesson", "5")
    (found,) = dealctl.objects("sets", "slam", "--show-lesson", "5")
    refused = dealctl("sets", "tuesday", "--show-lesson", "5")

    board = dealctl.deals("slam").find(5)
    assert board is not None
    assert found["deal"] == board.deal.hands_as_pbn()
    assert shown.startswith("Lesson slam\nBoard 5, dealer North, vulnerable NS\n")
    assert (refused.code, "dealctl show 5 --set tuesday" in refused.err) == (1, True)
    assert not shown_hands(refused.all, dealctl.deals("tuesday"))
    assert dealctl("sets", "slam", "--show-lesson", "4").code == 2


def test_what_a_director_instructed_is_kept_and_changed_in_parts(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "tuesday")
    dealctl.ok("sets", "tuesday", "--director", "Ann\nLee", "--instruction", "by machine")
    dealctl.ok("sets", "tuesday", "--director", "Bob")

    assert "Director: Bob. Instruction: by machine." in dealctl.ok("sets", "tuesday")
    with dealctl.store() as store:
        assert [entry.who for entry in store.decisions.newest_first()] == ["Bob", "Ann Lee", ""]


def test_no_line_of_a_volunteers_way_has_a_word_of_the_trade(dealctl: Commands) -> None:
    shown = dealctl.ok("make", "--name", "tuesday") + dealctl.ok("sets") + dealctl.ok("sets", "tuesday")
    shown += dealctl("sets", "tuesday", "--throw-away").all + dealctl.ok("sets", "tuesday", "--throw-away", "--yes")

    assert not FORBIDDEN.search(shown)
