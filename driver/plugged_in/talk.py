"""Opens the one machine that is meant, asks who it is, and closes it again. Nothing moves by asking.

May import: `facts`, `driver.controls`, `driver.clock`, `driver.errors`, `protocol`. Read next: `diagnosis.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from driver.clock import Clock
from driver.controls import Controls
from driver.errors import ConfigError
from driver.plugged_in.facts import Talk
from driver.recorder import Recorder
from driver.transport.base import Transport
from protocol.codes import Feature
from protocol.errors import DealingMachineError, UnsupportedVersion

CLOCKS_DIFFER: Final = 0.05
"""Seconds: the machine's clock and ours, each rounded."""


def talk_to(
    url: str, open_transport: Callable[[], Transport], clock: Clock, recorder: Recorder, *, serial: str | None = None
) -> Talk:
    """Who answers at `url`, or which error came instead. `serial`: the machine that has to be there, if one has.

    A machine that has been on for a shorter time than its port has been open began anew because of that. Raises
    ConfigError for an address that is none.
    """
    opened = clock.monotonic()
    try:
        controls = Controls(open_transport, clock, recorder, serial=serial)
        try:
            ack = controls.connect()
            uptime = controls.status().uptime_ms / 1000
            restarted = uptime <= clock.monotonic() - opened + CLOCKS_DIFFER
        finally:
            controls.close()
    except ConfigError:  # an address that is none: no machine is in question
        raise
    except UnsupportedVersion as error:
        return Talk(url, error.code, update_side=error.update_side)
    except DealingMachineError as error:
        return Talk(url, error.code)
    identity = controls.identity
    simulated = Feature.SIMULATED in identity.features
    return Talk(url, "", ack.serial, identity.model, identity.firmware, simulated, restarted)
