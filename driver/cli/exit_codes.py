"""What the program answers to the shell: one number for each way to end.

May import: `driver.errors`, `protocol.errors`. Read next: `failures.py`, which prints the sentence that goes with it.
"""

from __future__ import annotations

from enum import IntEnum, unique
from typing import Final

from driver import errors
from driver.cli import refusals
from protocol import errors as wire


@unique
class Exit(IntEnum):
    """What the program ends with; scripts rely on these numbers."""

    ALL_GOOD = 0
    NOT_GOOD = 1
    USAGE = 2
    NO_MACHINE = 3
    LINK_LOST = 4
    MACHINE_FAULT = 5
    DEAL_FILE = 6
    REFUSED_BY_LAW = 7
    INTERRUPTED = 130


CODES: Final[dict[type[wire.DealingMachineError], Exit]] = {
    errors.DealFileError: Exit.DEAL_FILE,
    errors.ConfigError: Exit.USAGE,
    errors.RefusedByLaw: Exit.REFUSED_BY_LAW,
    refusals.NobodyToAsk: Exit.USAGE,
    refusals.SimulatorFailed: Exit.NO_MACHINE,
    # No machine, or not ours to open.
    errors.MachineNotFound: Exit.NO_MACHINE,
    errors.PermissionDenied: Exit.NO_MACHINE,
    errors.MachineBusy: Exit.NO_MACHINE,
    errors.UsbSupportMissing: Exit.NO_MACHINE,
    errors.NotAMachine: Exit.NO_MACHINE,
    wire.UnsupportedVersion: Exit.NO_MACHINE,
    errors.JournalBusy: Exit.NO_MACHINE,
    # It was there, and is not any more, or cannot be understood.
    errors.TransportError: Exit.LINK_LOST,
    errors.ConnectionFailed: Exit.LINK_LOST,
    wire.ProtocolError: Exit.LINK_LOST,
    # It is there and does not do it.
    errors.RequestRefused: Exit.MACHINE_FAULT,
    errors.MachineFault: Exit.MACHINE_FAULT,
    # The board that was asked for is not GOOD.
    errors.JobError: Exit.NOT_GOOD,
    errors.NothingOpen: Exit.USAGE,
}
"""The nearest class of an error's family decides."""


def exit_code_of(error: BaseException) -> Exit:
    """The exit code of an error that ends the program; NOT_GOOD for one that this program does not know."""
    if isinstance(error, KeyboardInterrupt):
        return Exit.INTERRUPTED
    for kind in type(error).__mro__:
        if kind in CODES:
            return CODES[kind]
    return Exit.NOT_GOOD
