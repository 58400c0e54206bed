"""The host side of a card dealing machine: open it, deal sets on it, and know what was dealt.

The public names and nothing else; each is loaded when it is first used, so that importing `driver` costs nothing.
Read next: `machine.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driver.deals.loader import load_deals
    from driver.errors import MachineFault
    from driver.findings import Choice
    from driver.job import Job
    from driver.job_events import JobEvent
    from driver.job_result import BoardResult, JobResult
    from driver.machine import Machine, MachineInfo, open_machine
    from driver.verdicts import Verdict
    from protocol.errors import DealingMachineError

_HOMES = {
    "BoardResult": "driver.job_result",
    "Choice": "driver.findings",
    "DealingMachineError": "protocol.errors",
    "Job": "driver.job",
    "JobEvent": "driver.job_events",
    "JobResult": "driver.job_result",
    "Machine": "driver.machine",
    "MachineFault": "driver.errors",
    "MachineInfo": "driver.machine",
    "Verdict": "driver.verdicts",
    "load_deals": "driver.deals.loader",
    "open_machine": "driver.machine",
}

__all__ = [
    "BoardResult",
    "Choice",
    "DealingMachineError",
    "Job",
    "JobEvent",
    "JobResult",
    "Machine",
    "MachineFault",
    "MachineInfo",
    "Verdict",
    "load_deals",
    "open_machine",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'driver' has no attribute {name!r}")
    return getattr(import_module(home), name)
