"""When the last traffic with the machine is kept, where, and how often.

Read next: `driver/cli/recording.py`.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from driver.cli.exit_codes import Exit
from driver.cli.recording import LAST_TRAFFIC, is_failure, recorded
from driver.errors import StopNotConfirmed
from driver.recorder import Recorder
from protocol.codes import Kind
from protocol.framing import Frame


def recorder_with_a_line() -> Recorder:
    recorder = Recorder()
    recorder.note(1.0, Frame(Kind.BEAT, 0, 1, 0, b""), outward=True)
    return recorder


def arguments(data: Path, *, verbose: bool = False) -> Namespace:
    return Namespace(data=data, verbose=verbose)


@pytest.mark.parametrize("error", [StopNotConfirmed("Not confirmed."), ValueError("K"), RuntimeError(), OSError()])
def test_every_error_keeps_the_traffic_and_goes_on(error: Exception, tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there"
    with pytest.raises(type(error)), recorded(arguments(folder), recorder_with_a_line()):
        raise error
    assert "BEAT" in (folder / LAST_TRAFFIC).read_text(encoding="ascii")


def test_a_failure_without_an_error_is_kept_once(tmp_path: Path) -> None:
    recorder = recorder_with_a_line()
    with recorded(arguments(tmp_path), recorder) as keep:
        keep()
        (tmp_path / LAST_TRAFFIC).unlink()
        keep()
    assert not (tmp_path / LAST_TRAFFIC).exists()


def test_another_folder_is_used_instead_of_the_data_folder(tmp_path: Path) -> None:
    with recorded(arguments(tmp_path / "real"), recorder_with_a_line(), tmp_path / "practice") as keep:
        keep()
    assert (tmp_path / "practice" / LAST_TRAFFIC).exists()
    assert not (tmp_path / "real").exists()


def test_without_traffic_nothing_is_left_behind(tmp_path: Path) -> None:
    with recorded(arguments(tmp_path / "data"), Recorder()) as keep:
        keep()
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_made_hides_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="first"), recorded(arguments(tmp_path / "file"), recorder_with_a_line()):
        raise ValueError("first")


def test_verbose_shows_the_lines_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with recorded(arguments(tmp_path, verbose=True), recorder_with_a_line()) as keep:
        keep()
    shown = capsys.readouterr()
    assert "BEAT" in shown.err
    assert LAST_TRAFFIC in shown.err
    assert not shown.out


@pytest.mark.parametrize("code", Exit)
def test_all_good_and_a_confirmed_stop_are_no_failures(code: Exit) -> None:
    assert is_failure(code, unconfirmed=False, lost=False) is (code not in (Exit.ALL_GOOD, Exit.INTERRUPTED))
    assert is_failure(code, unconfirmed=True, lost=False)
    assert is_failure(code, unconfirmed=False, lost=True)
