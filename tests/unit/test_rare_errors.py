"""Errors that no simulated machine brings about: a port that this user may not open, a machine that ends no board.

Read next: `driver/transport/serial_port.py`, `driver/recovery.py`.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
import serial
from pytest_mock import MockerFixture

from driver.controls import Controls
from driver.errors import CannotGoOn, MachineBusy, PermissionDenied
from driver.findings import Situation, finding
from driver.journal import Journal
from driver.recovery import Look, end_found
from driver.transport.serial_port import SerialTransport
from protocol.codes import Refusal, State
from protocol.messages import Refused
from tests.support.evidence import status


def test_a_port_of_another_user_says_how_it_is_opened_to_this_one(tmp_path: Path, mocker: MockerFixture) -> None:
    port = tmp_path / "ttyACM0"
    port.touch()
    denied = serial.SerialException(errno.EACCES, "denied")
    mocker.patch("serial.Serial", side_effect=denied)
    with pytest.raises(PermissionDenied) as caught:
        SerialTransport(str(port))
    assert "`dealctl doctor` names the one command that lets you in" in caught.value.hint


def test_windows_denies_a_port_only_while_another_program_has_it(mocker: MockerFixture) -> None:
    mocker.patch("driver.transport.serial_port.sys.platform", "win32")
    text = "could not open port 'COM10': PermissionError(13, 'Zugriff verweigert', None, 5)"
    mocker.patch("serial.Serial", side_effect=serial.SerialException(text))
    with pytest.raises(MachineBusy, match="Another program uses COM10"):
        SerialTransport("COM10")


def test_a_machine_that_does_not_end_a_found_board_is_told_and_nothing_is_written(mocker: MockerFixture) -> None:
    controls = mocker.create_autospec(Controls, instance=True)
    controls.close_run.return_value = Refused(7, Refusal.NOT_NOW, why=State.MOVING)
    journal = mocker.create_autospec(Journal, instance=True)
    seen = Look(None, status(run=5, state=State.PAUSED), finding(Situation.FOREIGN_RUN, None))
    with pytest.raises(CannotGoOn) as caught:
        end_found(controls, journal, seen)
    assert "Take all cards out" in caught.value.hint
    assert journal.mock_calls == []
