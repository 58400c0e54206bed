"""From a name on the command line to one deal set: what is asked, with which default, and what a script is told.

Read next: `driver/cli/deal_source.py`.
"""

from __future__ import annotations

import getpass
import zipfile
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from driver.cli import deal_source
from driver.cli.deal_source import choose_deals
from driver.cli.parser import build_parser
from driver.cli.recent_files import RecentFile
from driver.cli.refusals import NobodyToAsk
from driver.deals.loader import load_deals
from driver.deals.model import DealSet
from driver.errors import ArchiveLocked, BadDeal, ConfigError, DealFileError
from protocol.errors import DealingMachineError
from tests.cli.program import CLUB, Terminal, dealctl, shown_hands
from tests.cli.test_check import game, three_hands
from tests.unit.test_archive import locked
from tests.unit.test_deal_sets import deal, one_suit_each

CLUB_BYTES = CLUB.read_bytes()


@dataclass
class Person:
    """Answers the questions in turn; each was asked exactly so."""

    answers: list[str]
    asked: list[str] = field(default_factory=list)

    def input(self, question: str = "") -> str:
        self.asked.append(question)
        return self.answers.pop(0)


Sits = Callable[..., Person]


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Sits:
    """Somebody sits there who gives these answers."""

    def sits(*answers: str) -> Person:
        found = Person(list(answers))
        monkeypatch.setattr(deal_source, "somebody_there", lambda **_: True)
        monkeypatch.setattr("builtins.input", found.input)
        monkeypatch.setattr(getpass, "getpass", found.input)
        return found

    return sits


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tuesday.pbn"


def options(*words: str | Path, command: str = "deal") -> Namespace:
    return build_parser().parse_args([command, *map(str, words)])


def chosen(*words: str | Path) -> DealSet:
    return choose_deals(options(*words))


def without_numbers(*seeds: int) -> str:
    return "".join(f'[Deal "{deal(seed).hands_as_pbn()}"]\n\n' for seed in seeds)


def sessions() -> str:
    return "".join(
        game(number, number + plus, f'[Event "Pairs"]\n[Date "2026.03.{day}"]\n')
        for plus, day in ((0, 10), (100, 17), (200, 24))
        for number in (1, 2, 3)
    )


def test_an_ordinary_file_is_asked_nothing_about(person: Sits, capsys: pytest.CaptureFixture[str]) -> None:
    sitting = person()

    assert chosen(CLUB) == load_deals(CLUB)
    assert sitting.asked == []
    assert capsys.readouterr().out == "club36: 36 boards (1-36), Tuesday Club Duplicate, 2026.03.10.\n"


@pytest.mark.parametrize(("answers", "first"), [(("",), 1), (("17",), 17), (("0", "x", "90"), 90)])
def test_missing_numbers_are_asked_for_and_one_is_the_default(
    answers: tuple[str, ...], first: int, file: Path, person: Sits, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(without_numbers(1, 2, 3))
    sitting = person(*answers)

    assert chosen(file).numbers == (first, first + 1, first + 2)
    assert set(sitting.asked) == {"This file has no board numbers. Which number has its first board? [1] "}
    assert f"({first}-{first + 2})" in capsys.readouterr().out


def test_the_option_answers_and_without_it_a_script_is_refused(file: Path) -> None:
    file.write_text(without_numbers(1, 2))

    assert chosen(file, "--first-board", "17").numbers == (17, 18)
    with pytest.raises(NobodyToAsk) as caught:
        chosen(file)
    assert "--first-board" in caught.value.hint


def test_a_first_board_for_a_file_with_numbers_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"numbers its boards itself: 1-36"):
        chosen(CLUB, "--first-board", "17")


@pytest.mark.parametrize(("answer", "numbers"), [("y", (1, 2, 3)), ("", (1, 3))])
def test_unknown_hands_are_filled_in_after_a_question_and_no_is_the_default(
    answer: str, numbers: tuple[int, ...], file: Path, person: Sits
) -> None:
    file.write_text(game(1, 1) + three_hands(2, 2) + game(3, 3))
    sitting = person(answer, "y")

    assert chosen(file).numbers == numbers
    assert sitting.asked[0] == "1 board gives three hands only. Fill in the cards that are left? [y/N] "
    assert len(sitting.asked) == (1 if answer else 2)


def test_the_option_fills_and_without_it_a_script_is_refused(file: Path) -> None:
    file.write_text(three_hands(1, 1) + three_hands(2, 2) + game(3, 3))

    assert [board.deal for board in chosen(file, "--fill")] == [deal(1), deal(2), deal(3)]
    assert chosen(file, "--good-boards-only").numbers == (3,)
    with pytest.raises(BadDeal, match="the hand of West is not given") as caught:
        chosen(file)
    assert "--fill" in caught.value.hint
    assert "--good-boards-only" in caught.value.hint


def test_one_of_several_sets_is_chosen_by_number(file: Path, person: Sits, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(sessions())
    sitting = person("4", "2")

    deals = chosen(file)

    assert [board.deal for board in deals] == [deal(101), deal(102), deal(103)]
    assert sitting.asked == ["Which set? (Enter alone: none) "] * 2
    shown = capsys.readouterr().out
    assert "2  boards 1-3 from line 16 (Pairs, 2026.03.17)\n" in shown
    assert "Type a number from 1 to 3." in shown


def test_no_set_is_chosen_by_enter_alone_and_a_script_is_refused_with_a_list(file: Path, person: Sits) -> None:
    file.write_text(sessions())

    with pytest.raises(BadDeal, match="3 deal sets") as caught:
        chosen(file)
    assert "1 to 3" in caught.value.hint
    assert chosen(file, "--set", "3").find(1) == load_deals(file, set_number=3).find(1)
    person("")
    with pytest.raises(BadDeal, match="None was chosen"):
        chosen(file)


@pytest.mark.parametrize(("answer", "dealt"), [("y", True), ("", False), ("n", False)])
def test_the_good_boards_are_dealt_after_the_list_was_seen(
    answer: str, dealt: bool, file: Path, person: Sits, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(game(1, 1) + '[Board "2"]\n[Deal "N:A"]\n\n' + game(3, 3))
    sitting = person(answer)

    if dealt:
        assert chosen(file).numbers == (1, 3)
    else:
        with pytest.raises(BadDeal, match="as you asked"):
            chosen(file)
    assert sitting.asked == ["Deal the other 2 boards? [y/N] "]
    assert "  Board 2, line 4: " in capsys.readouterr().out


@pytest.mark.parametrize("text", ["twins", "sorted"])
def test_what_looks_like_a_mistake_stops_until_it_is_confirmed(
    text: str, file: Path, person: Sits, capsys: pytest.CaptureFixture[str]
) -> None:
    sorted_pack = f'[Board "2"]\n[Deal "{one_suit_each()[11].hands_as_pbn()}"]\n\n'
    file.write_text(game(1, 1) + (game(2, 1) if text == "twins" else sorted_pack))

    with pytest.raises(BadDeal, match="looks like a mistake") as caught:
        chosen(file)
    assert "--suspect-boards-too" in caught.value.hint
    assert chosen(file, "--suspect-boards-too").numbers == (1, 2)
    sitting = person("", "y")
    with pytest.raises(BadDeal, match="as you asked"):
        chosen(file)
    assert chosen(file).numbers == (1, 2)
    assert set(sitting.asked) == {"That looks like a mistake in the file. Deal it all the same? [y/N] "}
    assert "This looks like a mistake:" in capsys.readouterr().out


def test_a_file_of_an_archive_is_chosen_by_number(
    tmp_path: Path, person: Sits, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hands.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("monday.pbn", CLUB_BYTES)
        archive.writestr("tuesday.pbn", game(7, 7))
    sitting = person("2", "")

    assert chosen(path).numbers == (7,)
    with pytest.raises(BadDeal, match="None was chosen"):
        chosen(path)
    assert sitting.asked == ["Which file? (Enter alone: none) "] * 2
    assert "2  tuesday.pbn\n" in capsys.readouterr().out


def test_a_password_is_typed_or_stands_in_a_file(tmp_path: Path, person: Sits) -> None:
    path = tmp_path / "hands.zip"
    path.write_bytes(locked("tuesday.pbn", CLUB_BYTES, b"clubs"))
    note = tmp_path / "password.txt"
    note.write_bytes(b"\xef\xbb\xbfclubs\r\nmore\n")

    assert chosen(path, "--password-file", note).range_text == "1-36"
    with pytest.raises(ConfigError, match="cannot be read"):
        chosen(path, "--password-file", tmp_path / "none.txt")
    with pytest.raises(ArchiveLocked) as caught:
        chosen(path)
    assert "--password-file" in caught.value.hint
    sitting = person("hearts", "clubs", "")
    assert chosen(path).range_text == "1-36"
    assert len(sitting.asked) == 2
    with pytest.raises(ArchiveLocked):
        chosen(path)


def recent(path: Path) -> RecentFile:
    return RecentFile(path, "Downloads", "2 hours ago", "PBN, 36 boards (1-36)")


def test_without_a_file_the_newest_are_offered_by_number(
    tmp_path: Path, person: Sits, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "x.pbn"
    other.write_text(game(7, 7))
    monkeypatch.setattr(deal_source, "newest_deal_files", lambda *_: (recent(other), recent(CLUB)))
    sitting = person("2", str(other), f'"{other}"', "0", "007", "")

    assert chosen().range_text == "1-36"
    assert chosen().numbers == chosen().numbers == (7,)
    for _ in range(2):
        with pytest.raises(DealFileError, match="no such file"):
            chosen()
    with pytest.raises(NobodyToAsk):
        chosen()
    assert all("Type its number, or the name of another" in question for question in sitting.asked)
    assert "2  club36.pbn  PBN, 36 boards (1-36), 2 hours ago, Downloads\n" in capsys.readouterr().out


def test_where_no_deal_file_lies_a_name_is_asked_for(person: Sits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_source, "newest_deal_files", lambda *_: ())
    sitting = person(str(CLUB))

    assert chosen().range_text == "1-36"
    assert sitting.asked == ["Which deal file? Type its name (Enter alone: none): "]


@pytest.mark.parametrize("command", ["deal", "practise"])
def test_a_script_without_a_file_is_refused(command: str) -> None:
    ran = dealctl(command)

    assert ran.code == 2
    assert f"dealctl {command} FILE" in ran.err


def test_of_a_file_for_one_board_nothing_else_is_asked(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(game(1, 1) + game(2, 1) + '[Board "3"]\n[Deal "N:A"]\n\n')

    deals = choose_deals(options("1", "--file", file, command="check-board"), whole=False)

    assert deals.numbers == (1, 2)
    assert capsys.readouterr().out == ""


def test_neither_questions_nor_refusals_show_a_hand(
    file: Path, person: Sits, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(sessions() + three_hands(9, 9))
    sitting = person("", "1", "")

    refusals: list[DealingMachineError] = []
    for words in ((), ("--set", "9"), ("--set", "1")):
        try:
            chosen(file, *words)
        except DealingMachineError as error:
            refusals.append(error)
        person("", "1", "")
    text = "\n".join([*sitting.asked, *(f"{error} {error.hint}" for error in refusals), capsys.readouterr().out])

    for number in (1, 2, 3):
        assert load_deals(file, set_number=number, fill=True).boards
        assert shown_hands(text, load_deals(file, set_number=number, fill=True)) == []


def test_in_a_terminal_a_file_without_numbers_is_asked_about_before_a_machine_is_opened(
    file: Path, tmp_path: Path
) -> None:
    file.write_text(without_numbers(1, 2))
    with Terminal("deal", file, "--boards", "99", "--data", tmp_path / "data") as terminal:
        terminal.wait_for("Which number has its first board? [1]")
        terminal.type("17\n")
        assert terminal.wait() == 2, terminal.shown
    assert "It has the boards 17, 18." in terminal.shown
    assert list((tmp_path / "data").glob("journal*")) == []


def test_in_a_terminal_a_password_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "hands.zip"
    path.write_bytes(locked("tuesday.pbn", CLUB_BYTES, b"clubs"))
    with Terminal("deal", path, "--boards", "99", "--data", tmp_path / "data") as terminal:
        terminal.wait_for("Password")
        terminal.type("clubs\n")
        assert terminal.wait() == 2, terminal.shown
    assert "tuesday: 36 boards (1-36)" in terminal.shown
    assert "clubs" not in terminal.shown


def test_in_a_terminal_the_newest_files_of_downloads_are_offered(tmp_path: Path) -> None:
    downloads = tmp_path / "Downloads"
    downloads.mkdir()
    (downloads / "tuesday.pbn").write_bytes(CLUB_BYTES)
    with Terminal(
        "deal", "--boards", "99", "--data", tmp_path / "data", HOME=str(tmp_path), XDG_DOWNLOAD_DIR=str(downloads)
    ) as terminal:
        terminal.wait_for("Which deal file?")
        assert "1  tuesday.pbn  PBN, 36 boards (1-36), just now, Downloads" in terminal.shown
        terminal.type("1\n")
        assert terminal.wait() == 2, terminal.shown
    assert "It has the boards 1-36." in terminal.shown
