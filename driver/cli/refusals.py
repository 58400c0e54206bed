"""Errors of the command line itself.

May import: `protocol.errors`. Read next: `exit_codes.py`.
"""

from __future__ import annotations

from protocol.errors import DealingMachineError


class NobodyToAsk(DealingMachineError):
    """A question comes up where nobody can answer it: no terminal, or --json. The hint names the option."""

    code = "DM710"


class SimulatorFailed(DealingMachineError):
    """The simulated machine did not start, or ended by itself."""

    code = "DM711"
