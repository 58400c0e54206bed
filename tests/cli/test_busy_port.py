"""A serial port that another program has open: who it is, where the system tells.

Read next: `driver/transport/holder.py`.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.errors import MachineBusy
from driver.transport import holder
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
    assert str(error.value) == f"Another program uses {link}: {name}, process {holder.pid}."
    assert "Close the other program" in error.value.hint


@tells
def test_this_program_itself_is_named_when_nobody_else_has_it(port: str) -> None:
    first = SerialTransport(port)
    try:
        with pytest.raises(MachineBusy, match=rf", process {os.getpid()}\.$"):
            SerialTransport(port)
    finally:
        first.close()


def test_where_nobody_can_be_named_the_sentence_stays(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holder, "_names_in", lambda folder: [])
    first = SerialTransport(port)
    try:
        with pytest.raises(MachineBusy) as error:
            SerialTransport(port)
    finally:
        first.close()
    assert str(error.value) == f"Another program uses {port}."
