"""`dealctl sets`: the list, one set, and every step of a set's life; a hand is shown of a lesson alone.

Read next: `driver/cli/sets.py`, `driver/cli/set_steps.py`, `driver/store/states.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from driver.deals.fairness import parse_manifest, secret_digest
from driver.new_hands import NewHands, entry_details, plan_new_hands
from driver.opening import parse_opening
from driver.start_sheet import commitment_in, description_in
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.stored import SetState
from driver.verdicts import Verdict
from tests.cli.program import CLUB, Terminal, shown_hands
from tests.support.set_commands import NOON, WORDS, Commands
from tests.support.store import deal_set

FORBIDDEN = re.compile(
    r"\b(commit(s|ted|ting)?|manifest|beacon|nonce|hash|void|index|database|ledger|journal|redeal)\b", re.IGNORECASE
)


@pytest.fixture
def dealctl(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    return Commands(tmp_path, capsys)


@pytest.fixture
def championship(dealctl: Commands) -> Commands:
    """With a championship "final" of which nothing is published yet."""
    passphrase = dealctl.file("pass.txt", WORDS)
    words = ("--name", "final", "--event", "Open", "--value-from", "dice of 2026-12-05")
    dealctl.ok("make", "--championship", *words, "--passphrase-file", passphrase)
    return dealctl


def dealt(dealctl: Commands, name: str, *boards: int, simulated: bool = False) -> None:
    """A machine dealt these boards of a set."""
    with dealctl.store() as store:
        stored = store.sets.find(name)
        for board in boards:
            run = board + (2000 if simulated else 1000)
            store.copies.begun(run, stored.id, board, "", NOON, simulated=simulated)
            store.copies.judged(run, Verdict.GOOD, NOON)


def moved_to(dealctl: Commands, name: str, *states: SetState) -> None:
    """What dealing itself does with the states of a championship."""
    with dealctl.store() as store:
        for state in states:
            store.sets.set_state(store.sets.find(name), state)


def entries(dealctl: Commands) -> list[Decision]:
    """The log of decisions, the newest first."""
    with dealctl.store() as store:
        store.decisions.verify()
        return [entry.what for entry in store.decisions.newest_first()]


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


def test_a_championship_goes_its_way_from_draft_to_opened(championship: Commands) -> None:
    sheet, opening = championship.folder / "sheet.txt", championship.folder / "opening.json"
    passphrase = ("--passphrase-file", championship.folder / "pass.txt")
    stages = [championship.ok("sets", "final")]
    championship.ok("sets", "final", "--director", "Ann Lee", "--instruction", "by machine, the day before")
    championship.ok("sets", "final", "--announce", sheet)
    stages.append(championship.ok("sets", "final"))
    assert "is 3 5." in championship.ok("sets", "final", "--public-value", "  3   5 ")
    stages.append(championship.ok("sets", "final"))
    moved_to(championship, "final", SetState.DEALING)
    dealt(championship, "final", 1, 2, 3)
    moved_to(championship, "final", SetState.SEALED)
    stages.append(championship.ok("sets", "final"))
    championship.ok("sets", "final", "--play")
    early = championship("sets", "final", "--open", opening, "--name", "Bob", *passphrase)
    championship.ok("sets", "final", "--end")
    stages.append(championship.ok("sets", "final"))
    championship.ok("sets", "final", "--open", opening, "--name", "Bob", *passphrase)
    found = parse_opening(opening.read_text(encoding="utf-8"))

    assert (early.code, "has not ended" in early.err) == (1, True)
    wanted = ["sets final --announce", "sets final --public-value", "deal final", "sets final --play", "--open"]
    for stage, command in zip(stages, wanted, strict=True):
        assert re.search(f"^Next: dealctl .*{command}", stage, re.MULTILINE)
    assert "Stage: opened." in championship.ok("sets", "final")
    assert (found.name, found.public_value, found.dealt, found.new_hands) == ("final", "3 5", (1, 2, 3), ())
    assert description_in(sheet.read_text(encoding="utf-8")) == found.manifest
    assert entries(championship) == [
        *(Decision.OPENED, Decision.ENDED, Decision.IN_PLAY, Decision.PUBLIC_VALUE_FIXED),
        *(Decision.COMMITTED, Decision.INSTRUCTION, Decision.SET_MADE),
    ]


def test_steps_out_of_their_order_are_refused_and_change_nothing(championship: Commands) -> None:
    before = championship.objects("sets")
    for words in (["--play"], ["--end"], ["--public-value", "3 5"], ["--open", str(championship.folder / "x.json")]):
        ran = championship("sets", "final", *words, "--name", "Bob")
        assert ran.code == 1, ran.all
        assert "(DM514)" in ran.err
    assert championship.objects("sets") == before
    assert not (championship.folder / "x.json").exists()
    assert entries(championship) == [Decision.SET_MADE]


def test_a_public_value_of_another_kind_than_promised_is_refused(championship: Commands) -> None:
    championship.ok("sets", "final", "--announce", championship.folder / "sheet.txt")

    assert championship("sets", "final", "--public-value", " ").code == 2
    championship.ok("sets", "final", "--public-value", "3 5")
    assert championship("sets", "final", "--public-value", "3 6").code == 1


def test_the_sheet_has_all_64_digits_and_says_how_many_sets_were_thrown_away(championship: Commands) -> None:
    championship.ok("sets", "final", "--throw-away", "--yes")
    words = ("--event", "Open", "--passphrase-file", championship.folder / "pass.txt")
    championship.ok("make", "--championship", "--name", "other", *words)
    sheet = championship.folder / "sheet.txt"
    shown = championship.ok("sets", "other", "--announce", sheet)
    text = sheet.read_text(encoding="utf-8")
    with championship.store() as store:
        manifest = parse_manifest(store.sets.manifest_of(store.sets.find("other")))

    assert commitment_in(text) == manifest.commitment.hex()
    assert "before this one: 1." in text
    assert "sheet.txt is written" in shown
    assert sheet.stat().st_mode & 0o044


def test_a_file_that_is_there_is_not_written_over_and_the_set_stays_as_it_was(championship: Commands) -> None:
    sheet = championship.file("sheet.txt", "mine")

    assert championship("sets", "final", "--announce", sheet).code == 2
    assert championship("sets", "final", "--announce", championship.folder / "none" / "x.txt").code == 6
    assert sheet.read_text(encoding="utf-8") == "mine"


def test_a_sheet_can_be_written_once_more(championship: Commands) -> None:
    texts = []
    for name in ("one.txt", "two.txt"):
        championship.ok("sets", "final", "--commit", championship.folder / name)
        texts.append((championship.folder / name).read_text(encoding="utf-8"))

    assert texts[0] == texts[1]
    assert entries(championship).count(Decision.COMMITTED) == 1


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
        store.decisions.append(Decision.NEW_HANDS, "Ann", **entry_details(plan, stored.id, "a card fell"))
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
