"""The table of what can go wrong on USB, over the bus that is not there.

The same table over the real libusb: `tests/emulated/test_usbfs.py`; over a real kernel: `test_kernel.py` beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware_sim.endpoints.fake_usb import Failure, FakeUsb, FakeUsbDevice
from tests.support.peers import Setup, usb_peer
from tests.support.usb_cases import (
    EVERY_CASE,
    Case,
    check_permission_repaired,
    check_replug,
    check_silence,
)


class FakeBench:
    """The simulated machine on the bus that is not there."""

    def __init__(self, data: Path) -> None:
        self._peer = usb_peer(data, Setup())
        assert self._peer.usb is not None
        self.backend: FakeUsb = self._peer.usb
        self._device: FakeUsbDevice = self.backend.devices[0]
        self.serial = self._device.identity.serial

    @contextmanager
    def denied(self) -> Iterator[None]:
        self._device.trouble.open = Failure.DENIED
        yield
        self._device.trouble.open = None

    @contextmanager
    def deaf(self) -> Iterator[None]:
        self._device.trouble.write_takes = 0
        yield
        self._device.trouble.write_takes = None

    def halt(self, endpoint: int) -> None:
        self._device.halted.add(endpoint)

    def send_long_packet(self) -> None:
        self._device.packets.append(bytes(100))

    def pull(self) -> None:
        self._peer.endpoint.cut()

    def put_back(self) -> None:
        self._peer.endpoint.reconnect()


@pytest.fixture
def bench(tmp_path: Path) -> FakeBench:
    return FakeBench(tmp_path)


@EVERY_CASE
def test_every_failure_is_what_the_table_says(case: Case, bench: FakeBench) -> None:
    case.check(bench)


def test_a_read_in_which_nothing_comes_is_no_failure(bench: FakeBench) -> None:
    check_silence(bench)


def test_after_replugging_the_machine_is_opened_anew(bench: FakeBench) -> None:
    check_replug(bench)


def test_who_was_refused_is_let_in_once_the_permission_is_right(bench: FakeBench) -> None:
    check_permission_repaired(bench)
