"""`dealctl convert`: every format back again, what is lost is named first, and no file is ever half-written or lost.

Read next: `driver/cli/convert.py`.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from driver.cli import convert
from driver.cli.main import main
from driver.deals.formats.registry import WRITERS
from driver.deals.loader import load_sets
from driver.deals.model import DealSet
from tests.cli.program import CLUB, shown_hands
from tests.cli.test_check import game

SUFFIXES = [writer.suffix for writer in WRITERS]


def converted(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    code = main(["convert", *map(str, words)])
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert shown_hands(shown.out + shown.err, load_sets(CLUB)[0]) == []
    return code, shown.out + shown.err


def boards_in(path: Path, first_board: int | None = None) -> list[tuple[int, object, object, object]]:
    (deals,) = load_sets(path, first_board=first_board)
    return [(board.number, board.deal, board.dealer_to_use, board.vulnerability_to_use) for board in deals]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_club_file_comes_back_the_same_from_every_format(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"copy{suffix}"

    code, shown = converted(capsys, CLUB, out, "--lossy")

    assert code == 0, shown
    assert f"copy{suffix} is written: 36 boards (1-36) as " in shown
    assert boards_in(out) == boards_in(CLUB)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_boards_17_to_32_come_back_from_every_format(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"later{suffix}"

    code, shown = converted(capsys, CLUB, out, "--boards", "17-32", "--lossy")

    assert code == 0, shown
    assert boards_in(out, first_board=17) == boards_in(CLUB)[16:32]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps rights elsewhere")
def test_the_file_may_be_read_by_its_owner_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert converted(capsys, CLUB, tmp_path / "copy.dup")[0] == 0
    assert (tmp_path / "copy.dup").stat().st_mode & 0o777 == 0o600


def test_the_format_may_be_named_and_wins_over_the_ending(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert converted(capsys, CLUB, tmp_path / "copy.pbn", "--format", "DUP")[0] == 0
    assert (tmp_path / "copy.pbn").stat().st_size == 36 * 156


@pytest.mark.parametrize("words", [["copy"], ["copy.xyz"], ["copy.pbn", "--format", "rzd"]])
def test_a_format_that_is_not_written_is_refused_with_those_that_are(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown = converted(capsys, CLUB, tmp_path / words[0], *words[1:])

    assert code == 2
    assert "pbn, dup, dlm, bri, dge, lin, csv" in shown
    assert list(tmp_path.iterdir()) == []


def test_what_is_lost_is_named_and_nothing_is_written_unless_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown = converted(capsys, CLUB, tmp_path / "copy.bri", "--boards", "17-32")

    assert code == 6
    assert "--lossy" in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("answer", "code", "written"), [("", 6, 0), ("n", 6, 0), ("y", 0, 1)])
def test_a_person_is_asked_about_losses_and_no_is_the_default(
    answer: str,
    code: int,
    written: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(convert, "somebody_there", lambda **_: True)
    asked: list[str] = []

    def type_it(question: str) -> str:
        asked.append(question)
        return answer

    monkeypatch.setattr("builtins.input", type_it)

    assert converted(capsys, CLUB, tmp_path / "copy.bri", "--boards", "17-32")[0] == code
    assert asked == ["Write it without that? [y/N] "]
    assert len(list(tmp_path.iterdir())) == written


def test_what_a_format_has_no_room_for_is_refused_with_the_boards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "high.pbn"
    source.write_text(game(100, 1) + game(1000, 2))

    code, shown = converted(capsys, source, tmp_path / "copy.dlm", "--lossy")

    assert code == 6
    assert "1000" in shown
    assert not (tmp_path / "copy.dlm").exists()


def test_the_number_of_boards_can_be_written_in_dup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, words in (("highest.dup", []), ("count.dup", ["--dup-count"])):
        assert converted(capsys, CLUB, tmp_path / name, "--boards", "17-32", *words)[0] == 0

    assert (tmp_path / "highest.dup").read_bytes()[146:156] == b"YN17 1 32 "
    assert (tmp_path / "count.dup").read_bytes()[146:156] == b"YN17 1 16 "
    assert boards_in(tmp_path / "count.dup") == boards_in(tmp_path / "highest.dup") == boards_in(CLUB)[16:32]
    assert converted(capsys, CLUB, tmp_path / "x.pbn", "--dup-count")[0] == 2


def test_a_file_that_is_there_stays_unless_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "copy.dup"
    out.write_bytes(b"precious")

    code, shown = converted(capsys, CLUB, out)

    assert code == 2
    assert "--force" in shown
    assert out.read_bytes() == b"precious"
    assert converted(capsys, CLUB, out, "--force")[0] == 0
    assert boards_in(out) == boards_in(CLUB)


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "copy.dup"

    def slow(deals: DealSet) -> tuple[str, ...]:
        out.write_bytes(b"precious")
        return ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convert, "_ask_about_losses", lambda writer, deals, args: slow(deals))
        assert converted(capsys, CLUB, out)[0] == 2
    assert out.read_bytes() == b"precious"
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_the_source_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "tuesday.pbn"
    source.write_bytes(CLUB.read_bytes())

    assert converted(capsys, source, source, "--force")[0] == 2
    assert source.read_bytes() == CLUB.read_bytes()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = converted(capsys, CLUB, tmp_path / "none" / "copy.pbn")

    assert code == 6
    assert "cannot be written there" in shown


@pytest.mark.parametrize("step", ["fsync", "link"])
def test_a_full_disk_leaves_nothing_behind(
    step: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, step, full)
    if step == "link":
        monkeypatch.setattr(os, "rename", full)

    assert converted(capsys, CLUB, tmp_path / "copy.pbn")[0] == 6
    assert list(tmp_path.iterdir()) == []


def test_where_a_file_has_one_name_only_it_is_renamed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_name(*_: object) -> None:
        raise OSError(errno.EPERM, "not on this disk")

    monkeypatch.setattr(os, "link", one_name)

    assert converted(capsys, CLUB, tmp_path / "copy.pbn")[0] == 0
    assert boards_in(tmp_path / "copy.pbn") == boards_in(CLUB)


@pytest.mark.parametrize("slip", ["cut", "other hands", "other format"])
def test_a_file_that_reads_back_otherwise_never_gets_its_name(
    slip: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pbn = WRITERS[0]

    def wrong(deals: DealSet) -> bytes:
        if slip == "cut":
            return pbn.write(deals)[:-900]
        return pbn.write(load_sets(CLUB)[0]).replace(b"A", b"?").replace(b"?", b"K") if slip == "other hands" else b"x"

    monkeypatch.setattr(convert, "WRITERS", (type(pbn)(pbn.name, pbn.suffix, pbn.losses, wrong),))

    code, shown = converted(capsys, CLUB, tmp_path / "copy.pbn")

    assert code == 6
    assert "would not hold the same boards" in shown
    assert list(tmp_path.iterdir()) == []


def test_boards_that_are_not_there_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = converted(capsys, CLUB, tmp_path / "copy.pbn", "--boards", "36-38")

    assert code == 2
    assert "37, 38" in shown


def test_json_tells_what_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = converted(capsys, CLUB, tmp_path / "copy.dlm", "--json")

    found: dict[str, Any] = json.loads(shown)
    assert code == 0
    assert found == {"event": "converted", "file": str(tmp_path / "copy.dlm"), "format": "DLM", "boards": 36}
