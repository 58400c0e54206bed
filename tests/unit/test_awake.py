"""The computer is kept awake while a job runs where it can be, and a sleep is noticed on every system.

Read next: `driver/awake.py`, `driver/clock.py`; `tests/faults/test_sleep.py` for what a job does then.
"""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace

import pytest
from pytest_mock import MockerFixture

from driver.awake import kept_awake
from driver.clock import SLEEPS_OVER, SleepWatch, SystemClock

RUNNING = "wakepy.keep.running"


def test_the_computer_is_kept_awake_from_the_beginning_of_a_job_to_its_end(mocker: MockerFixture) -> None:
    mode = mocker.patch(RUNNING).return_value
    mode.__enter__.return_value.active = True
    with kept_awake() as agreed:
        assert agreed
        mode.__enter__.return_value.__exit__.assert_not_called()
    mode.__enter__.return_value.__exit__.assert_called_once_with(None, None, None)


def test_a_computer_that_does_not_agree_deals_all_the_same(mocker: MockerFixture) -> None:
    mocker.patch(RUNNING).return_value.__enter__.return_value.active = False
    with kept_awake() as agreed:
        assert not agreed


@pytest.mark.parametrize("error", [RuntimeError("no bus"), OSError("no service")])
def test_what_goes_wrong_with_keeping_awake_stops_nothing(error: Exception, mocker: MockerFixture) -> None:
    mocker.patch(RUNNING, side_effect=error)
    with kept_awake() as agreed:
        assert not agreed

    mode = mocker.patch(RUNNING).return_value.__enter__.return_value
    mode.__exit__.side_effect = error
    with kept_awake() as agreed:
        assert agreed


def test_without_the_library_a_job_runs(mocker: MockerFixture) -> None:
    mocker.patch.dict(sys.modules, {"wakepy": None})
    with kept_awake() as agreed:
        assert not agreed


def test_an_error_of_the_job_comes_through_and_the_computer_may_sleep_again(mocker: MockerFixture) -> None:
    mode = mocker.patch(RUNNING).return_value.__enter__.return_value
    with pytest.raises(KeyboardInterrupt), kept_awake():
        raise KeyboardInterrupt
    mode.__exit__.assert_called_once()


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="this system has no such clock")
def test_on_linux_a_sleep_is_what_the_clock_that_never_stops_is_ahead(mocker: MockerFixture) -> None:
    times = {time.CLOCK_BOOTTIME: 5000.0, time.CLOCK_MONOTONIC: 1400.0}
    mocker.patch("driver.clock.time.clock_gettime", times.__getitem__)
    assert SystemClock().asleep() == 3600.0


def test_elsewhere_a_sleep_is_what_the_time_of_day_is_ahead(mocker: MockerFixture) -> None:
    system = SimpleNamespace(monotonic=lambda: 1400.0, time=lambda: 5000.0)
    mocker.patch("driver.clock.time", system)
    mocker.patch("driver.clock.os.name", "posix")
    assert SystemClock().asleep() == 3600.0


def test_on_windows_a_sleep_is_what_the_clock_of_waking_hours_lacks(mocker: MockerFixture) -> None:
    mocker.patch("driver.clock.time", SimpleNamespace(monotonic=lambda: 5000.0))
    mocker.patch("driver.clock.os.name", "nt")

    def awake(ticks: SimpleNamespace) -> None:
        ticks.value = 14_000_000_000

    kernel = SimpleNamespace(kernel32=SimpleNamespace(QueryUnbiasedInterruptTime=awake))
    mocker.patch("ctypes.windll", kernel, create=True)
    mocker.patch("ctypes.byref", lambda ticks: ticks)
    assert SystemClock().asleep() == 3600.0


def test_this_computer_does_not_seem_to_sleep_while_it_works() -> None:
    watch = SleepWatch(SystemClock())
    assert not watch.slept()


class Sleepy(SystemClock):
    slept = 0.0

    def asleep(self) -> float:
        return self.slept


def test_a_sleep_is_told_once_and_a_clock_that_is_set_right_or_back_is_none() -> None:
    system = Sleepy()
    watch = SleepWatch(system)
    system.slept = SLEEPS_OVER
    assert not watch.slept()
    system.slept += SLEEPS_OVER + 0.1
    assert [watch.slept(), watch.slept()] == [True, False]
    system.slept -= 3600.0
    assert not watch.slept()
