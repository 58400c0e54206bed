"""A serial port that another program has open: who it is, where the system tells.

Read next: `driver/transport/holder.py`.
"""

from __future__ import annotations

import fcntl
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver.errors import MachineBusy
from driver.transport import serial_port
from driver.transport.holder import Holder, holder_of
from driver.transport.serial_port import SerialTransport
from tests.cli.program import ROOT, environment

HOLD = """
import sys
from driver.transport.serial_port import SerialTransport
port = SerialTransport(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""

tells = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who has a port open")


@pytest.fixture
def port() -> Iterator[str]:
    ours, theirs = pty.openpty()
    name = os.ttyname(theirs)
    os.close(theirs)
    yield name
    os.close(ours)


@tells
def test_another_program_is_named_with_its_number_through_a_link_too(port: str, tmp_path: Path) -> None:
    link = tmp_path / "by-id"
    link.symlink_to(port)
    command = [sys.executable, "-c", HOLD, port]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment()
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        name = Path(f"/proc/{holder.pid}/comm").read_text(encoding="ascii").strip()
        with pytest.raises(MachineBusy) as error:
            SerialTransport(str(link))
        assert holder.stdin is not None
        holder.stdin.close()
    assert str(error.value) == f"{link} is held by {name} (pid {holder.pid})."
    assert "Close the other program" in error.value.hint


@tells
def test_this_program_itself_is_named_when_nobody_else_has_it(port: str) -> None:
    first = SerialTransport(port)
    try:
        with pytest.raises(MachineBusy, match=rf" \(pid {os.getpid()}\)\.$"):
            SerialTransport(port)
    finally:
        first.close()


def test_where_nobody_can_be_named_the_sentence_stays(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial_port, "holder_of", lambda path: None)
    first = SerialTransport(port)
    try:
        with pytest.raises(MachineBusy) as error:
            SerialTransport(port)
    finally:
        first.close()
    assert str(error.value) == f"Another program uses {port}."


def test_a_second_program_touches_nothing_of_the_first() -> None:
    ours, theirs = pty.openpty()
    name = os.ttyname(theirs)
    os.close(theirs)
    first = SerialTransport(name)
    try:
        os.write(ours, b"to the first")
        for _ in range(3):
            with pytest.raises(MachineBusy):
                SerialTransport(name)
        assert first.read(1.0) == b"to the first"
        first.write(b"from the first")
        assert os.read(ours, 100) == b"from the first"
    finally:
        first.close()
        os.close(ours)


@tells
def test_a_program_of_another_user_is_found_by_the_lock_that_it_holds(port: str, tmp_path: Path) -> None:
    """What such a program has open cannot be read; the table of locks can."""
    first = SerialTransport(port)
    try:
        kept = tmp_path / "proc" / str(os.getpid())
        kept.mkdir(parents=True)
        (kept / "comm").write_text("dealctl\n", encoding="ascii")
        (tmp_path / "proc" / "locks").write_bytes(Path("/proc/locks").read_bytes())
        assert holder_of(port, tmp_path / "proc") == Holder("dealctl", os.getpid())
    finally:
        first.close()
    (tmp_path / "proc" / "locks").write_bytes(Path("/proc/locks").read_bytes())
    assert holder_of(port, tmp_path / "proc") is None


def test_the_kernel_too_refuses_a_program_that_does_not_ask_for_a_lock(port: str, mocker: MockerFixture) -> None:
    """It lets root in all the same, so the test looks whether the kernel was asked."""
    calls = mocker.spy(fcntl, "ioctl")
    first = SerialTransport(port)
    first.close()
    assert termios.TIOCEXCL in [call.args[1] for call in calls.call_args_list]


def test_closing_the_port_does_not_drop_the_lines_that_reset_a_controller(port: str) -> None:
    kept = os.open(port, os.O_RDWR | os.O_NOCTTY)
    try:
        SerialTransport(port).close()
        assert not termios.tcgetattr(kept)[2] & termios.HUPCL
    finally:
        os.close(kept)


def test_whatever_plays_the_machine_behind_a_pseudo_terminal_does_not_hold_its_port() -> None:
    ours, theirs = pty.openpty()
    try:
        assert holder_of(os.ttyname(theirs)) is None
    finally:
        os.close(theirs)
        os.close(ours)
