"""Every error that the host raises: a code and one plain sentence. What to do with the hands stands in the catalogue.

May import: `catalogue`, `protocol.errors` and the standard library. Read next: `driver/cli/exit_codes.py`.
"""

from __future__ import annotations

from pathlib import Path

from driver.catalogue import error_hints
from protocol.errors import HINTS, DealingMachineError

HINTS.update(error_hints())


class DealFileError(DealingMachineError):
    """A deal file cannot be used, or not all of it. `path`, `line` and `column` (from 1) say where, if known."""

    code = "DM600"

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        details: str = "",
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.path = None if path is None else str(path)
        self.line = line
        self.column = column


class UnknownFormat(DealFileError):
    """The content of the file is in no deal format that this program reads, or there is no such file."""

    code = "DM601"


class BadSyntax(DealFileError):
    """The file is in a known format, but breaks its grammar so that no deals can be taken from it."""

    code = "DM602"


class BadDeal(DealFileError):
    """A record is not a deal of 52 different cards, 13 each (Law 1, Law 6B), or contradicts another record."""

    code = "DM603"


class CannotBeWritten(DealFileError):
    """A deal set does not fit into the file format that was asked for; the message names the boards."""

    code = "DM604"


class ArchiveLocked(DealFileError):
    """A ZIP archive needs a password, or the one that was given does not open it."""

    code = "DM605"


class TransportError(DealingMachineError):
    """The way to the machine fails. `url` is its address."""

    code = "DM200"

    def __init__(self, message: str, *, url: str = "", hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.url = url


class MachineNotFound(TransportError):
    """No machine is at that address, or none was found."""

    code = "DM201"


class PermissionDenied(TransportError):
    """This user may not open the port."""

    code = "DM202"


class MachineBusy(TransportError):
    """Another program holds the port."""

    code = "DM203"


class TransportClosed(TransportError):
    """The stream ended: unplugged, switched off, reset, or closed. It may be opened again."""

    code = "DM204"


class UsbSupportMissing(TransportError):
    """This computer lacks what a machine on USB needs: the library libusb, or on Windows the driver."""

    code = "DM205"


class ConnectionFailed(DealingMachineError):
    """What answers at the port does not keep a connection."""

    code = "DM300"


class AnswerTimeout(ConnectionFailed):
    """No answer in time. `outcome_known` is always False: the machine may or may not have done it."""

    code = "DM301"
    outcome_known = False


class NotAMachine(ConnectionFailed):
    """Something else (or nothing) is at the port: no HELLO_ACK came."""

    code = "DM302"


class UnexpectedAnswer(ConnectionFailed):
    """An answer came that does not belong to the request."""

    code = "DM303"


class RequestRefused(ConnectionFailed):
    """The machine said no. `reason` is the code of the table *Refusals*, `why` and `detail` its numbers."""

    code = "DM304"

    def __init__(self, message: str, *, reason: int, why: int = 0, detail: int = 0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint, details=f"reason {int(reason)}, why {why}, detail {detail}")
        self.reason = reason
        self.why = why
        self.detail = detail


class MachineRestarted(ConnectionFailed):
    """The boot id changed: the machine was switched off and on, or reset. Nothing moves until a person decides."""

    code = "DM305"


class OtherMachine(ConnectionFailed):
    """Another machine than before answers at the port."""

    code = "DM306"


class StopNotConfirmed(ConnectionFailed):
    """STOP was sent and the machine did not confirm it."""

    code = "DM307"


class ComputerSlept(ConnectionFailed):
    """This computer was asleep in the middle of a job: the machine is asked anew, and so is the person."""

    code = "DM308"


class ConfigError(DealingMachineError):
    """A setting is wrong. `key`, `value` and `source` say which, what, and where it came from."""

    code = "DM700"

    def __init__(
        self, message: str, *, key: str = "", value: str = "", source: str = "", hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.key = key
        self.value = value
        self.source = source


class MachineFault(DealingMachineError):
    """The machine latched a fault and the job cannot go on. `fault` is the code of the table *Faults*."""

    code = "DM400"

    def __init__(self, message: str, *, fault: int, hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.fault = fault


class JobError(DealingMachineError):
    """A job cannot be done as asked."""

    code = "DM500"


class CannotGoOn(JobError):
    """The open run cannot be proven any more: its board must be dealt again."""

    code = "DM501"


class NothingOpen(JobError):
    """There is nothing to go on with, or nothing that was dealt under that number."""

    code = "DM502"


class JournalDamaged(JobError):
    """The journal is not what this program wrote. `path` is the file that it is in."""

    code = "DM503"

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class JournalBusy(JobError):
    """Another program holds the journal."""

    code = "DM505"

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class HandCountRefused(JobError):
    """A hand count cannot release this board: it is not 13 cards in each pocket, or more than a count can settle."""

    code = "DM504"


class StoreUnusable(JobError):
    """The stored sets and records cannot be read or written: folder, disk, or another program. `path` says where."""

    code = "DM512"

    def __init__(self, message: str, *, path: Path | None = None, hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.path = path


class JournalUnusable(StoreUnusable):
    """The journal cannot be written, so nothing more is dealt. `path` is where it lies."""

    code = "DM506"


class StoreTooNew(StoreUnusable):
    """A newer version of this program wrote the store."""

    code = "DM510"


class StoreDamaged(StoreUnusable):
    """The store, or the key beside it, is not what this program wrote."""

    code = "DM511"


class WrongPassphrase(JobError):
    """A passphrase is missing, empty, or opens nothing; the same for a recovery code."""

    code = "DM513"


class WrongState(JobError):
    """A deal set has not come so far, or is further already, than what was asked of it."""

    code = "DM514"


class NotSaid(JobError):
    """A backup was put back, and nobody has said whether these boards were dealt after it."""

    code = "DM515"


class JobUnderWay(JobError):
    """A machine has a board of this job now, so it cannot be moved or removed, and nothing goes before it."""

    code = "DM516"


class RefusedByLaw(DealingMachineError):
    """A question of the Laws comes up, and nobody answers it so that the work may go on. `law` is the Law's number."""

    code = "DM800"

    def __init__(self, message: str, *, law: str, hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.law = law


class UsedDeal(RefusedByLaw):
    """The deals were dealt before (Law 6D2), and nobody says that this is meant."""

    code = "DM801"


class AlteredDeal(RefusedByLaw):
    """A board would get other hands than its set or its copies have (Laws 6D3, 6E4, 6F), and no director says so."""

    code = "DM802"
