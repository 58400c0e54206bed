"""`dealctl check`: blind for a person, every record as it stands for a program, and never a question.

Read next: `driver/cli/check.py`, `driver/deals/check.py`.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from driver.cli.main import main
from driver.deals.loader import load_deals
from tests.cli.program import CLUB, shown_hands
from tests.unit.test_deal_sets import deal, one_suit_each


def game(board: object, seed: int, more: str = "") -> str:
    return f'{more}[Board "{board}"]\n[Deal "{deal(seed).hands_as_pbn()}"]\n\n'


def three_hands(board: int, seed: int) -> str:
    return f'[Board "{board}"]\n[Deal "{deal(seed).hands_as_pbn().rpartition(" ")[0]} -"]\n\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tuesday.pbn"


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where somebody sits there."""
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("asked"))
    monkeypatch.setattr("driver.cli.questions.somebody_there", lambda **_: True)


def checked(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, list[str]]:
    code = main(["check", *map(str, words)])
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    return code, (shown.out + shown.err).splitlines()


def test_format_event_date_and_range_are_told_without_a_hand(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = checked(capsys, CLUB)

    assert code == 0
    assert lines == [
        "The file is PBN.",
        "club36: 36 boards (1-36), Tuesday Club Duplicate, 2026.03.10.",
        "Every board can be dealt.",
    ]
    assert shown_hands("\n".join(lines), load_deals(CLUB)) == []


def test_problems_are_told_with_their_places_and_the_exit_code_is_six(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(game(1, 1) + '[Board "2"]\n[Deal "N:A"]\n\n' + game(3, 3))

    code, lines = checked(capsys, file)

    assert code == 6
    assert lines[2] == "Cannot be dealt:"
    assert lines[3].startswith("  Board 2, line 4: ")
    assert lines[-1] == "1 of its records cannot be dealt."


def test_each_set_is_told_and_what_holds_for_all_is_told_once(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unusual = '[Dealer "W"]\n'
    text = "".join(game(number, number + plus, unusual) for plus in (0, 100) for number in (1, 2, 3))
    file.write_text(text)

    code, lines = checked(capsys, file)

    assert code == 0
    assert lines[1] == "It holds 2 sets; `dealctl deal FILE --set 1` takes the first."
    assert [line for line in lines if line.startswith("tuesday")] == [
        "tuesday (set 1): 3 boards (1-3).",
        "tuesday (set 2): 3 boards (1-3).",
    ]
    assert sum("Law 2" in line for line in lines) == 1


def test_a_contradiction_names_both_places(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(game(1, 1) + game(2, 2) + game(2, 3))

    code, lines = checked(capsys, file)

    assert code == 6
    assert any("different hands, at line 4 and line 7" in line for line in lines)


def test_boards_that_look_like_a_mistake_are_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sorted_pack = f'[Board "3"]\n[Deal "{one_suit_each()[5].hands_as_pbn()}"]\n\n'
    file.write_text(game(1, 1) + game(2, 1) + sorted_pack)

    code, lines = checked(capsys, file)

    assert code == 6
    assert "  Board 3: this is a pack that nobody has shuffled." in lines
    assert "  Boards 1, 2 have the same hands." in lines
    assert lines[-1] == "Every board can be dealt, once somebody has confirmed what looks like a mistake."


def test_boards_that_can_be_filled_in_are_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(game(1, 1) + three_hands(2, 2))

    code, lines = checked(capsys, file)

    assert code == 6
    assert "1 board of these with one unknown hand can be filled in: `dealctl deal` asks." in lines


def test_a_file_without_numbers_is_numbered_by_place_and_that_is_told(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(f'[Deal "{deal(1).hands_as_pbn()}"]\n')

    code, lines = checked(capsys, file)

    assert code == 0
    assert "The file has no board numbers: the deals are numbered 1, 2, 3 … in the order of the file." in lines


def test_json_is_one_array_of_all_records_in_the_order_of_the_file(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(
        game(1, 1, '[Dealer "W"]\n[Vulnerable "All"]\n') + game("B2", 2) + '[Board "3"]\n[Deal ""]\n\n' + game(1, 1)
    )

    code, lines = checked(capsys, file, "--json")

    rows = json.loads("\n".join(lines))
    assert code == 6
    assert [(row["board"], row["dealer"], row["vul"], bool(row["issues"])) for row in rows] == [
        (1, "W", "All", False),
        ("B2", None, None, False),
        (3, None, None, True),
        (1, None, None, False),
    ]
    assert rows[1]["deal"] == deal(2).hands_as_pbn()


def test_json_names_the_room_where_the_file_has_two_tables_only(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hands = "3SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,CAKQJT98765432"
    file.write_text(f"qx|o1|md|{hands}|sv|o|pg||\nqx|c1|md|{hands}|sv|o|pg||\nqx|2|md|{hands}|sv|o|pg||\n")

    _, lines = checked(capsys, file, "--json")

    rows = json.loads("\n".join(lines))
    assert [(row["board"], row.get("room")) for row in rows] == [(1, "o"), (1, "c"), (2, None)]
    assert [list(row) for row in rows[1:]] == [
        ["board", "dealer", "vul", "deal", "room", "issues"],
        ["board", "dealer", "vul", "deal", "issues"],
    ]


def test_signs_that_steer_a_terminal_are_never_shown_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\x1b]0;x\x07\x9b31m\u202e\u2028\r"
    files = {
        "a.pbn": f'[Event "{evil}Cup"]\n[Date "{evil}"]\n[Board "{evil}A"]\n[Deal "N:{evil} - - -"]\n\n{game(1, 1)}',
        "b.pbn": f'[Event "{evil}Cup"]\n[Board "{evil}7{evil}"]\n[Deal "{deal(1).hands_as_pbn()}"]\n',
        "c.lin": f"vg|{evil},{evil}|qx|o1|ah|{evil}|md|3{evil}S,{evil}|",
        "d.dlm": f"[Document]\nHeadline={evil}\nFrom board=1\nTo board=2\nBoard 01={evil}\nBoard 02={'a' * 25}\x1b\n",
        "e.csv": ",".join([f'"{evil}"'] * 16 + [f'"{evil}"', '"N/-"'])
        + "\n"
        + ",".join(['"A"'] * 16 + ["\x1b", '"N/-"']),
        "f\n\x1b[2J\"'.pbn": "no deals",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.write_bytes(text.encode())
        for words in ((), ("--json",), ("-v",)):
            main(["check", str(path), *words])
            shown = capsys.readouterr()
            lines = (shown.out + shown.err).split("\n")
            assert all(line.isprintable() for line in lines), name


def test_json_of_a_contradiction_is_the_array_and_exit_code_six(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(game(1, 1) + game(1, 2))

    code = main(["check", str(file), "--json"])

    shown = capsys.readouterr()
    assert code == 6
    assert [row["board"] for row in json.loads(shown.out)] == [1, 1]
    assert "different hands" in shown.err


def test_a_file_of_an_archive_is_checked_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hands.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.pbn", CLUB.read_bytes())
        archive.writestr("b.pbn", game(7, 7))

    code, lines = checked(capsys, path)
    assert code == 6
    assert any("--member" in line for line in lines)
    code, lines = checked(capsys, path, "--member", "b.pbn")
    assert (code, lines[1]) == (0, "b: 1 board (7).")
