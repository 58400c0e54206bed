"""The computer is kept awake while a job runs where it can be, and a sleep is noticed on every system.

Read next: `driver/awake.py`, `driver/clock.py`; `tests/faults/test_sleep.py` for what a job does then.
"""

from __future__ import annotations

import itertools
import sys
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


def system_with(**clocks: float) -> SimpleNamespace:
    """The clocks of a system by their names, each with what it shows; the time of day is set every time it is read."""
    shows = dict(enumerate(clocks.values()))
    days = itertools.count(1.0, 86_400.0)
    numbers = dict(zip(clocks, shows, strict=True))
    return SimpleNamespace(
        clock_gettime=shows.__getitem__, monotonic=lambda: 1400.0, time=lambda: next(days), **numbers
    )


SYSTEMS = {
    "Linux": system_with(CLOCK_BOOTTIME=5000.0, CLOCK_MONOTONIC=1400.0, CLOCK_MONOTONIC_RAW=1399.0),
    "macOS": system_with(CLOCK_MONOTONIC=9000.0, CLOCK_MONOTONIC_RAW=5000.0, CLOCK_UPTIME_RAW=1400.0),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_sleep_is_what_the_clock_that_never_stops_is_ahead(system: str, mocker: MockerFixture) -> None:
    mocker.patch("driver.clock.time", SYSTEMS[system])
    mocker.patch("driver.clock.os.name", "posix")
    assert SystemClock().asleep() == 3600.0


@pytest.mark.parametrize("clocks", [*SYSTEMS.values(), system_with(CLOCK_MONOTONIC=1400.0)])
def test_a_time_of_day_that_is_set_looks_on_no_system_like_a_sleep(
    clocks: SimpleNamespace, mocker: MockerFixture
) -> None:
    mocker.patch("driver.clock.time", clocks)
    mocker.patch("driver.clock.os.name", "posix")
    watch = SleepWatch(SystemClock())
    assert [watch.slept() for _ in range(3)] == [False] * 3


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


def test_a_sleep_is_told_once_and_clocks_that_differ_a_little_or_back_are_none() -> None:
    system = Sleepy()
    watch = SleepWatch(system)
    system.slept = SLEEPS_OVER
    assert not watch.slept()
    system.slept += SLEEPS_OVER + 0.1
    assert [watch.slept(), watch.slept()] == [True, False]
    system.slept -= 3600.0
    assert not watch.slept()
