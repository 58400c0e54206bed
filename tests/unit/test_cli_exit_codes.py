"""Every error of the tree has an exit code on purpose, and is shown as sentence, hands, code; nothing else is shown.

Read next: `driver/cli/exit_codes.py`, `driver/cli/failures.py`.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import driver.cli.refusals
import driver.errors
from driver.cli.exit_codes import CODES, Exit, exit_code_of
from driver.cli.failures import INTERNAL_CODE, install_hooks, places, show_error
from protocol.errors import DealingMachineError, UnsupportedVersion

HAND = "AKQ2.T98.KJ54.A7"


def family(kind: type[DealingMachineError]) -> Iterator[type[DealingMachineError]]:
    for child in kind.__subclasses__():
        if child.__module__.startswith(("driver.", "protocol.")):
            yield child
            yield from family(child)


ALL = sorted(set(family(DealingMachineError)), key=lambda kind: kind.__name__)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "AlteredDeal": {"law": "6D2"},
    "JournalBusy": {"path": Path("data")},
    "JournalDamaged": {"path": Path("dealing.sqlite3")},
    "JournalUnusable": {"path": Path("data")},
    "MachineFault": {"fault": 3},
    "RefusedByLaw": {"law": "6D2"},
    "RequestRefused": {"reason": 4},
    "UsedDeal": {"law": "6D2"},
}


def example_of(kind: type[DealingMachineError]) -> DealingMachineError:
    if kind is UnsupportedVersion:
        return UnsupportedVersion((1, 1), (2, 3))
    return kind("It happened.", **ARGUMENTS.get(kind.__name__, {}))


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_has_an_exit_code_of_its_family(kind: type[DealingMachineError]) -> None:
    assert any(parent in CODES for parent in kind.__mro__)
    code = exit_code_of(example_of(kind))
    assert code in set(Exit) - {Exit.ALL_GOOD, Exit.INTERRUPTED}


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_is_shown_with_sentence_hands_and_code(
    kind: type[DealingMachineError], capsys: pytest.CaptureFixture[str]
) -> None:
    error = example_of(kind)
    show_error(error)
    shown = capsys.readouterr()
    assert not shown.out
    assert str(error) in shown.err
    assert error.hint
    assert error.hint in shown.err
    assert f"({error.code})" in shown.err


def test_codes_of_errors_are_different_within_a_family() -> None:
    codes = [kind.code for kind in ALL]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("MachineNotFound", 3),
        ("PermissionDenied", 3),
        ("MachineBusy", 3),
        ("NotAMachine", 3),
        ("TransportClosed", 4),
        ("AnswerTimeout", 4),
        ("MachineFault", 5),
        ("UnknownFormat", 6),
        ("BadSyntax", 6),
        ("BadDeal", 6),
        ("ConfigError", 2),
        ("NothingOpen", 2),
        ("CannotGoOn", 1),
        ("RefusedByLaw", 7),
        ("UsedDeal", 7),
        ("AlteredDeal", 7),
        ("StoreUnusable", 1),
        ("StoreDamaged", 1),
        ("WrongPassphrase", 1),
        ("WrongState", 1),
    ],
)
def test_exit_codes_are_those_of_the_table(name: str, code: int) -> None:
    assert exit_code_of(example_of(getattr(driver.errors, name))) == code


def test_an_interruption_is_130_and_a_foreign_error_is_not_good() -> None:
    assert exit_code_of(KeyboardInterrupt()) == 130
    assert exit_code_of(ZeroDivisionError()) == 1


def failing(hand: str) -> None:
    cards = hand.split(".")
    raise ValueError(f"bad hand {cards}")


def caught() -> ValueError:
    try:
        failing(HAND)
    except ValueError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize("verbose", [False, True])
def test_a_foreign_error_shows_its_place_at_most_and_never_its_words_or_values(
    verbose: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    show_error(caught(), verbose=verbose)
    shown = capsys.readouterr()
    assert INTERNAL_CODE in shown.err
    assert ("in failing" in shown.err or " failing" in shown.err) is verbose
    for suit in HAND.split("."):
        assert suit not in shown.err
    assert "Traceback" not in shown.err


def test_with_json_the_error_is_an_event_too(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(driver.errors.MachineNotFound("Nothing there."), as_json=True)
    event = json.loads(capsys.readouterr().out)
    assert event["event"] == "error"
    assert event["code"] == "DM201"


def test_a_file_error_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(driver.errors.BadDeal("Not a deal.", path="a/tuesday.pbn", line=12))
    assert "a/tuesday.pbn, line 12: Not a deal." in capsys.readouterr().err


def test_terminal_commands_in_an_error_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(driver.errors.NotAMachine("\x1b]0;owned\x07It said \x1b[2J."))
    assert "\x1b" not in capsys.readouterr().err


def test_causes_are_shown_by_place_alone() -> None:
    error = driver.errors.JobError("Outer.")
    error.__cause__ = caught()
    lines = places(error)
    assert "after" in lines
    assert any(" failing" in line for line in lines)
    assert HAND.split(".")[0] not in "\n".join(lines)


@pytest.fixture
def hooks() -> Iterator[None]:
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    yield
    sys.excepthook, threading.excepthook, sys.unraisablehook = before


@pytest.mark.usefixtures("hooks")
def test_no_hook_of_the_process_shows_values(capsys: pytest.CaptureFixture[str]) -> None:
    install_hooks(verbose=True)
    error = caught()
    sys.excepthook(ValueError, error, error.__traceback__)
    thread = threading.Thread(target=failing, args=(HAND,))
    thread.start()
    thread.join()
    shown = capsys.readouterr().err
    assert shown.count(INTERNAL_CODE) == 2
    assert HAND.split(".")[0] not in shown


def test_the_errors_of_the_command_line_are_among_them() -> None:
    assert driver.cli.refusals.NobodyToAsk in ALL
