"""Wrong files, wrong words, wrong machines, something else at the port: one sentence, its exit code, no traceback.

Read next: `program.py`, `driver/cli/failures.py`.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from tests.cli.program import CLUB, Ran, dealctl


def assert_one_sentence(ran: Ran, code: int) -> None:
    assert ran.code == code, ran.all
    assert "Traceback" not in ran.all
    assert "(DM900)" not in ran.err
    lines = ran.err.strip().splitlines()
    assert len(lines) <= 4, ran.err
    assert lines[-1].startswith("(DM") or "error:" in lines[-1]


@pytest.mark.parametrize("command", ["deal", "check", "practise"])
@pytest.mark.parametrize(
    "make",
    [
        lambda path: None,
        lambda path: path.mkdir(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(bytes(range(256)) * 50),
        lambda path: path.write_bytes(b"%PDF-1.7 and so on"),
        lambda path: path.write_text('[Event "no deals here"]\n', encoding="ascii"),
        lambda path: path.write_text('[Board "1"]\n[Deal "N:A.K.Q.J - - -"]\n', encoding="ascii"),
    ],
    ids=["missing", "folder", "empty", "binary", "pdf", "no deal", "half a deal"],
)
def test_a_file_that_holds_no_deals_is_exit_code_six(
    command: str, make: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "odd.pbn"
    make(path)
    more = ("--auto",) if command == "deal" else ()
    assert_one_sentence(dealctl(command, path, *more), 6)


def test_a_file_name_that_steers_terminals_is_shown_clean(tmp_path: Path) -> None:
    ran = dealctl("check", tmp_path / "a\x1b[2Jb.pbn")
    assert_one_sentence(ran, 6)
    assert "\x1b" not in ran.all


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may read everything")
def test_a_file_that_may_not_be_read_is_exit_code_six(tmp_path: Path) -> None:
    path = tmp_path / "closed.pbn"
    path.write_text("x", encoding="ascii")
    path.chmod(0)
    assert_one_sentence(dealctl("check", path), 6)


@pytest.mark.parametrize(
    ("machine", "code"),
    [
        ("serial:/dev/no-such-port", 3),
        ("/dev/no-such-port", 3),
        ("tcp:127.0.0.1:1", 3),
        ("Betty", 3),
        ("http://127.0.0.1", 2),
        ("tcp:nowhere", 2),
        ("tcp:127.0.0.1:99999", 2),
        ("serial:", 3),
    ],
)
def test_a_machine_that_is_not_there_is_told_in_a_sentence(machine: str, code: int, tmp_path: Path) -> None:
    assert_one_sentence(dealctl("trace", "--machine", machine, "--data", tmp_path), code)


def test_check_pack_and_check_board_refuse_where_nobody_can_be_asked(tmp_path: Path) -> None:
    for words in (["check-pack"], ["check-board", "7"], ["check-pack", "--json"]):
        ran = dealctl(*words, "--data", tmp_path / "data")
        assert_one_sentence(ran, 2)
        assert "--ready" in ran.err
    assert not (tmp_path / "data").exists()


def test_without_command_and_terminal_the_help_is_shown() -> None:
    ran = dealctl()
    assert ran.code == 2
    assert "usage: dealctl" in ran.err
    assert ran.out == ""


def test_a_second_window_is_told_that_the_first_holds_the_machine(tmp_path: Path) -> None:
    from tests.support.store import journal_in

    with Simulator(["--speed", "1"]) as machine, journal_in(tmp_path):
        ran = dealctl("trace", "--machine", machine.url, "--data", tmp_path)
    assert_one_sentence(ran, 3)


@contextmanager
def something_else(answer: Callable[[bytes], bytes], hello: bytes = b"") -> Iterator[str]:
    """A port on which something that is no dealing machine answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)

        def serve() -> None:
            client, _ = listener.accept()
            with client:
                client.settimeout(30)
                try:
                    client.sendall(hello)
                    while data := client.recv(4096):
                        client.sendall(answer(data))
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"tcp:127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(
    ("answer", "hello"),
    [
        (lambda data: data, b""),
        (lambda data: b"$GPGGA,123519,4807.038,N*47\r\n", b"$GPGSV\r\n"),
        (lambda data: b"\r\nERROR\r\n", b""),
        (lambda data: bytes(200), b""),
        (lambda data: b"", b""),
        (lambda data: bytes(range(256)), b"rst:0x1 (POWERON_RESET)\r\n"),
    ],
    ids=["echo", "position receiver", "modem", "zeros", "silence", "start-up text"],
)
def test_something_else_at_the_port_is_told_in_one_sentence(
    answer: Callable[[bytes], bytes], hello: bytes, tmp_path: Path
) -> None:
    with something_else(answer, hello) as url:
        ran = dealctl("deal", CLUB, "--auto", "--machine", url, "--data", tmp_path)
    assert_one_sentence(ran, 3)


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("--serial", "a b", "A serial number is 1 to 16 ASCII characters without blanks."),
        ("--serial", " ", "A serial number is 1 to 16 ASCII characters without blanks."),
        ("--serial", "", "A serial number is 1 to 16 ASCII characters without blanks."),
        ("--serial", "A" * 17, "A serial number is 1 to 16 ASCII characters without blanks."),
        ("--serial", "Ä", "A serial number is 1 to 16 ASCII characters without blanks."),
        ("--boards", "x", "Boards read like 1-36 or 1-3,7, not 'x'."),
        ("--boards", "0", "Boards go upward from 1 to"),
        ("--speed", "fast", "argument --speed: invalid float value: 'fast'"),
    ],
)
def test_a_simulated_machine_that_cannot_be_is_wrong_input(option: str, value: str, allowed: str) -> None:
    ran = dealctl("simulate", option, value)
    assert_one_sentence(ran, 2)
    assert allowed in ran.err
    assert "install" not in ran.err
