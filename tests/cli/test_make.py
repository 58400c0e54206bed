"""`dealctl make`: a game takes one command and no question; filters are for lessons; a sealed set has two ways in.

Read next: `driver/cli/make.py`, `driver/making.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from driver import making
from driver.cli import set_options
from driver.deals.fairness import parse_manifest, secret_digest
from driver.errors import WrongPassphrase
from driver.store import sealing
from driver.store.stored import SetKind, SetState
from protocol.cards import Seat
from tests.cli.program import CLUB, Terminal, shown_hands
from tests.support.set_commands import NOON, WORDS, Commands, on_day

CODE = re.compile(r"Recovery code of [\w-]+: (\w{4}(?:-\w{4}){6})$", re.MULTILINE)


@pytest.fixture
def dealctl(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    on_day(monkeypatch, NOON)
    return Commands(tmp_path, capsys)


def test_a_game_set_is_made_without_a_word_more_and_says_what_comes_next(dealctl: Commands) -> None:
    shown = dealctl.ok("make", "--name", "tuesday")

    assert shown.splitlines() == [
        "Set tuesday is made: boards 1-36 and 4 spare deals.",
        "Next: dealctl deal tuesday --boards 1-24",
    ]
    assert not shown_hands(shown, dealctl.deals("tuesday"))


def test_with_more_boards_than_a_set_has_its_supplement_is_made_too(dealctl: Commands) -> None:
    shown = dealctl.ok("make", "--game", "--name", "big", "--boards", "40")

    assert shown.splitlines() == [
        "Set big is made: boards 1-36 and 4 spare deals.",
        "Set big-from-37 is made: boards 37-72 and 4 spare deals.",
        "Next: dealctl deal big --boards 1-40",
    ]


def test_a_script_gets_an_object_for_each_set(dealctl: Commands) -> None:
    first, second = dealctl.objects("make", "--boards", "37", "--name", "big")

    assert first == {
        "event": "made",
        "id": "s1",
        "name": "big",
        "kind": "game",
        "boards": "1-36",
        "spares": 4,
        "new": True,
    }
    assert (second["id"], second["boards"]) == ("s2", "37-72")


def test_event_and_date_are_kept_with_the_set(dealctl: Commands) -> None:
    dealctl.ok("make", "--event", "Club Pairs", "--date", "2026.12.08", "--name", "x")
    deals = dealctl.deals("x")

    assert (deals.event, deals.date) == ("Club Pairs", "2026-12-08")


def test_an_event_that_is_too_long_is_refused_without_a_word_about_public_values(dealctl: Commands) -> None:
    ran = dealctl("make", "--event", "x" * 201)

    assert ran.code == 2
    assert "Nothing was dealt. Type it on one line, and shorter." in ran.err
    assert not dealctl.data.exists()


def test_the_option_allows_as_many_boards_as_can_be_made() -> None:
    assert set_options.MOST_BOARDS == making.MOST_BOARDS


@pytest.mark.parametrize("kind", [["--game"], ["--championship"], []], ids=["game", "championship", "nothing said"])
@pytest.mark.parametrize("option", [["--filter", "N: 15-17 hcp"], ["--pick", "3"]], ids=["filter", "pick"])
def test_no_game_and_no_championship_takes_a_choice_among_deals(
    kind: list[str], option: list[str], dealctl: Commands
) -> None:
    ran = dealctl("make", *kind, *option)

    assert ran.code == 7
    assert "Law 6E4" in ran.err
    assert "(DM800)" in ran.err
    assert option[0] in ran.err
    assert not dealctl.data.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--club", "x"],
        ["--cut", "x"],
        ["--value-from", "x"],
        ["--second-digest", "x"],
        ["--date", "5/4/26"],
        ["--lesson", "--pick", "3"],
        ["--lesson", "--filter", "something nice"],
        ["--lesson", str(CLUB), "--boards", "3"],
        ["--boards", "361"],
        ["--game", "--championship"],
        ["--championship", "--boards", "37", "--passphrase-file", "PASS"],
        ["--championship", "--value-from", "some dice", "--passphrase-file", "PASS"],
        ["--championship", "--value-from", "lottery:Lotto:soon", "--passphrase-file", "PASS"],
        ["--championship", "--value-from", "closing:Index:2026-11-29", "--passphrase-file", "PASS"],
        ["--championship", "--value-from", "lottery:Lotto:2026-11-28", "--passphrase-file", "PASS"],
        ["--championship", "--second-digest", "12", "--passphrase-file", "PASS"],
    ],
    ids=" ".join,
)
def test_what_does_not_go_together_is_a_usage_error_and_makes_nothing(words: list[str], dealctl: Commands) -> None:
    passphrase = str(dealctl.file("pass.txt", WORDS))
    ran = dealctl("make", *[passphrase if word == "PASS" else word for word in words])

    assert ran.code == 2, ran.all
    assert dealctl.objects("sets") == []


def test_a_sealed_set_opens_with_the_passphrase_of_the_file_and_with_the_code_that_is_printed_once(
    dealctl: Commands,
) -> None:
    passphrase = dealctl.file("pass.txt", f"{WORDS}\r\n")
    shown = dealctl.ok("make", "--sealed", "--name", "cup", "--passphrase-file", passphrase)
    (code,) = CODE.findall(shown)

    assert "sealed envelope" in shown
    assert WORDS not in shown
    assert dealctl.deals("cup", WORDS) == dealctl.deals("cup", code.lower().replace("-", " "))
    with pytest.raises(WrongPassphrase):
        dealctl.deals("cup")
    assert code not in "".join(path.read_bytes().decode("latin-1") for path in dealctl.data.iterdir())


def test_a_script_gets_the_recovery_code_in_its_object(dealctl: Commands) -> None:
    (made,) = dealctl.objects("make", "--name", "cup", "--passphrase-file", dealctl.file("pass.txt", WORDS))

    assert dealctl.deals("cup", made["recovery_code"]) == dealctl.deals("cup", WORDS)


@pytest.mark.parametrize("text", ["", "  \n", "two\nlines\n"], ids=["empty", "blank", "two lines"])
def test_a_passphrase_file_without_a_passphrase_makes_nothing(text: str, dealctl: Commands) -> None:
    ran = dealctl("make", "--sealed", "--passphrase-file", dealctl.file("pass.txt", text))

    assert (ran.code, "(DM513)" in ran.err) == (1, True)
    assert not dealctl.data.exists()


def test_where_nobody_can_type_a_passphrase_the_option_is_named(dealctl: Commands) -> None:
    needed = "A new passphrase is needed, and nobody is here to type one."
    for words in (["--sealed"], ["--championship"], ["--championship", "--json"]):
        ran = dealctl("make", *words)
        assert ran.code == 2
        assert needed in ran.err
        assert "--passphrase-file" in ran.err
    assert not dealctl.data.exists()


def test_a_championship_is_sealed_and_its_description_says_what_was_promised(dealctl: Commands) -> None:
    shown = dealctl.ok(
        *("make", "--championship", "--name", "final", "--event", "Open Pairs", "--date", "2026-12-05"),
        *("--club", "Klub", "--value-from", "lottery:Lotto 6/49:2026-12-04", "--cut", "seven of clubs"),
        *("--passphrase-file", dealctl.file("pass.txt", WORDS)),
    )
    with dealctl.store() as store:
        stored = store.sets.find("final")
        manifest = parse_manifest(store.sets.manifest_of(stored))

    assert "dealctl sets final --announce SHEET.txt" in shown
    assert (stored.kind, stored.state, stored.sealed) == (SetKind.CHAMPIONSHIP, SetState.DRAFT, True)
    assert (manifest.club, manifest.event, manifest.session) == ("Klub", "Open Pairs", "2026-12-05, final")
    assert manifest.rule.text == "Lotto 6/49, draw of 2026-12-04: the main numbers, ascending"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("closing:Dow Jones:2026-12-04", "Dow Jones, closing value of 2026-12-04 or"),
        ("round:a network:77", "a network, round 77"),
        ("the score of the cup final of 2026-12-04", "the score of the cup final of 2026-12-04"),
    ],
)
def test_a_public_value_can_be_promised_in_four_ways(words: str, text: str, dealctl: Commands) -> None:
    passphrase = dealctl.file("pass.txt", WORDS)
    dealctl.ok("make", "--championship", "--name", "x", "--value-from", words, "--passphrase-file", passphrase)
    with dealctl.store() as store:
        assert text in parse_manifest(store.sets.manifest_of(store.sets.find("x"))).rule.text


def test_a_second_person_makes_a_secret_and_gives_only_its_digest_away(dealctl: Commands) -> None:
    out = dealctl.folder / "second.txt"
    shown = dealctl.ok("make", "--second-person", out)
    secret = bytes.fromhex(out.read_text(encoding="ascii"))

    assert secret_digest(secret) in shown
    assert secret.hex() not in shown
    assert out.stat().st_mode & 0o077 == 0
    assert dealctl("make", "--second-person", out).code == 2
    assert bytes.fromhex(out.read_text(encoding="ascii")) == secret
    assert not dealctl.data.exists()
    passphrase = dealctl.file("pass.txt", WORDS)
    words = ("--second-digest", secret_digest(secret), "--passphrase-file", passphrase)
    dealctl.ok("make", "--championship", "--name", "two", *words)
    with dealctl.store() as store:
        assert parse_manifest(store.sets.manifest_of(store.sets.find("two"))).second_sha256 == secret_digest(secret)


def test_a_lesson_is_made_of_a_typed_file_and_says_that_it_is_one(dealctl: Commands) -> None:
    typed = dealctl.file("typed.txt", "1 N:AKQJT98765432... - - -\n2 N:- - - -\n")
    shown = dealctl.ok("make", "--lesson", typed, "--name", "slams")
    deals = dealctl.deals("slams")

    assert shown.startswith("Lesson slams is made: boards 1, 2. It can never become a game.")
    assert "--show-lesson" in shown
    assert {card.suit for card in deals.boards[0].deal.hand(Seat.NORTH)} == {0}
    assert not shown_hands(shown, deals)
    assert deals.notes


def test_a_lesson_takes_wishes_and_boards_of_a_file(dealctl: Commands) -> None:
    dealctl.ok("make", "--lesson", "--boards", "3", "--filter", "S: 6+ clubs", "--name", "clubs")
    dealctl.ok("make", "--lesson", CLUB, "--pick", "5,3", "--name", "chosen", "--event", "Course")

    assert len(dealctl.deals("clubs")) == 3
    assert (dealctl.deals("chosen").numbers, dealctl.deals("chosen").event) == ((5, 3), "Lesson: Course")
    assert "is there already" in dealctl.ok("make", "--lesson", CLUB, "--pick", "5,3")


def test_a_lesson_file_that_cannot_be_read_is_exit_code_six_with_its_line(dealctl: Commands) -> None:
    ran = dealctl("make", "--lesson", dealctl.file("typed.txt", "1 N:- - - -\nnonsense\n"))

    assert ran.code == 6
    assert "line 2" in ran.err


def test_the_passphrase_is_typed_twice_and_never_shown(tmp_path: Path) -> None:
    with Terminal("make", "--sealed", "--name", "cup", "--data", tmp_path / "data") as terminal:
        terminal.wait_for("New passphrase")
        terminal.type("ovencloth\n")
        terminal.wait_for("once more: ")
        terminal.type("ovenclot\n")
        terminal.wait_until(lambda: terminal.shown.count("New passphrase") == 2)
        assert "not the same" in terminal.shown
        terminal.type("ovencloth\n")
        terminal.wait_until(lambda: terminal.shown.count("once more: ") == 2)
        terminal.type("ovencloth\n")
        assert terminal.wait() == 0, terminal.shown
    assert "ovenclot" not in terminal.shown
    assert "Recovery code of cup: " in terminal.shown


def test_what_is_wrong_is_said_before_a_passphrase_is_typed(tmp_path: Path) -> None:
    for words in (["--boards", "37"], ["--value-from", "some dice"], ["--second-digest", "12"]):
        with Terminal("make", "--championship", *words, "--data", tmp_path / "data") as terminal:
            assert terminal.wait() == 2, terminal.shown
        assert "passphrase" not in terminal.shown


def test_enter_alone_makes_nothing(tmp_path: Path) -> None:
    with Terminal("make", "--championship", "--data", tmp_path / "data") as terminal:
        terminal.wait_for("New passphrase")
        terminal.type("\n")
        assert terminal.wait() == 1, terminal.shown
    assert not (tmp_path / "data").exists()


def test_a_game_set_is_made_in_a_terminal_without_a_question(tmp_path: Path) -> None:
    with Terminal("make", "--data", tmp_path / "data") as terminal:
        assert terminal.wait() == 0
    assert "?" not in terminal.shown
