"""Every error that the host raises: a code, one plain sentence, and what to do with the hands.

May import: `protocol.errors` and the standard library. Read next: `driver/cli/exit_codes.py`.
"""

from __future__ import annotations

from pathlib import Path

from protocol.errors import DealingMachineError


class DealFileError(DealingMachineError):
    """A deal file cannot be used, or not all of it. `path`, `line` and `column` (from 1) say where, if known."""

    code = "DM600"
    default_hint = "Nothing was dealt. Take another file, or make this one again with the program it came from."

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
    default_hint = "Nothing was written. Choose PBN, which has room for every board, or fewer boards with --boards."


class ArchiveLocked(DealFileError):
    """A ZIP archive needs a password, or the one that was given does not open it."""

    code = "DM605"
    default_hint = (
        "Nothing was dealt. Run it in a terminal, where it asks for the password, or put the password into a file and "
        "name that with --password-file."
    )


class TransportError(DealingMachineError):
    """The way to the machine fails. `url` is its address."""

    code = "DM200"
    default_hint = "Nothing moves without the program. Check the cable and the machine's power switch."

    def __init__(self, message: str, *, url: str = "", hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.url = url


class MachineNotFound(TransportError):
    """No machine is at that address, or none was found."""

    code = "DM201"
    default_hint = "Plug the machine in and switch it on; then try again. `dealctl machines` lists what is there."


class PermissionDenied(TransportError):
    """This user may not open the port."""

    code = "DM202"
    default_hint = (
        "On Linux add yourself to the group that owns the port (often `sudo usermod -aG dialout $USER`) and log in "
        "again; udev/README.md says more."
    )


class MachineBusy(TransportError):
    """Another program holds the port."""

    code = "DM203"
    default_hint = (
        "Close the other program that uses the machine (perhaps a second window of this one), then try again."
    )


class TransportClosed(TransportError):
    """The stream ended: unplugged, switched off, reset, or closed. It may be opened again."""

    code = "DM204"
    default_hint = "Push the cable in at both ends and see that the machine is on."


class ConnectionFailed(DealingMachineError):
    """What answers at the port does not keep a connection."""

    code = "DM300"
    default_hint = (
        "Check the cable. Nothing moves by itself; the program asks the machine how it stands before going on."
    )


class AnswerTimeout(ConnectionFailed):
    """No answer in time. `outcome_known` is always False: the machine may or may not have done it."""

    code = "DM301"
    outcome_known = False


class NotAMachine(ConnectionFailed):
    """Something else (or nothing) is at the port: no HELLO_ACK came."""

    code = "DM302"
    default_hint = "Check that the cable leads to the dealing machine, that it is on, and that the right port is named."


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
    default_hint = "Look whether cards lie in the machine's path; then decide what the program offers."


class OtherMachine(ConnectionFailed):
    """Another machine than before answers at the port."""

    code = "DM306"
    default_hint = "Plug the first machine in again, or start anew with this one."


class StopNotConfirmed(ConnectionFailed):
    """STOP was sent and the machine did not confirm it."""

    code = "DM307"
    default_hint = "Switch the machine off at its power switch now."


class ConfigError(DealingMachineError):
    """A setting is wrong. `key`, `value` and `source` say which, what, and where it came from."""

    code = "DM700"
    default_hint = "Correct the setting and try again."

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
    default_hint = "Look at the machine; the fault's own sentence says what to do."

    def __init__(self, message: str, *, fault: int, hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.fault = fault


class JobError(DealingMachineError):
    """A job cannot be done as asked."""

    code = "DM500"
    default_hint = "Nothing moved. Look at the machine and choose again."


class CannotGoOn(JobError):
    """The open run cannot be proven any more: its board must be dealt again."""

    code = "DM501"
    default_hint = "Take all cards out of the pockets and the path; then deal the board again."


class NothingOpen(JobError):
    """There is nothing to go on with, or nothing that was dealt under that number."""

    code = "DM502"


class JournalDamaged(JobError):
    """The journal is not what this program wrote. `path` is the file that it is in."""

    code = "DM503"
    default_hint = (
        "Nothing was dealt or changed. Put a backup back, or keep a copy of that folder, move it away and start anew; "
        "check each board dealt since by hand."
    )

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class JournalBusy(JobError):
    """Another program holds the journal."""

    code = "DM505"
    default_hint = "Close the other window in which `dealctl` runs, then try again."

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class HandCountRefused(JobError):
    """A hand count cannot release this board: it is not 13 cards in each pocket, or more than a count can settle."""

    code = "DM504"
    default_hint = "Empty the pockets and deal the board again."


class StoreUnusable(JobError):
    """The stored sets and records cannot be read or written: folder, disk, or another program. `path` says where."""

    code = "DM512"
    default_hint = (
        "Nothing was changed. See that the disk has room and that you may write to that folder, or name another folder "
        "with DEALCTL_DATA; then try again."
    )

    def __init__(self, message: str, *, path: Path | None = None, hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.path = path


class JournalUnusable(StoreUnusable):
    """The journal cannot be written, so nothing more is dealt. `path` is where it lies."""

    code = "DM506"
    default_hint = (
        "Nothing more moves. Make room on that disk, close other windows in which `dealctl` runs, or name another "
        "folder with DEALCTL_DATA; then start again. A board under way stays in the machine, and the program will ask "
        "about it."
    )


class StoreTooNew(StoreUnusable):
    """A newer version of this program wrote the store."""

    code = "DM510"
    default_hint = (
        "Nothing was changed. Install the newest version of this program, or name another folder with DEALCTL_DATA."
    )


class StoreDamaged(StoreUnusable):
    """The store, or the key beside it, is not what this program wrote."""

    code = "DM511"
    default_hint = (
        "Nothing was changed. Put dealing.sqlite3 and store.key back from a copy of both; or move both away, keep "
        "them, and go on with an empty store: deal files can be read again."
    )


class WrongPassphrase(JobError):
    """A passphrase is missing, empty, or opens nothing; the same for a recovery code."""

    code = "DM513"
    default_hint = (
        "Type the passphrase again, capital letters as they were. The recovery code that was printed for the set opens "
        "it too."
    )


class WrongState(JobError):
    """A deal set has not come so far, or is further already, than what was asked of it."""

    code = "DM514"
    default_hint = "Nothing was changed. `dealctl sets` shows how far each set has come."


class NotSaid(JobError):
    """A backup was put back, and nobody has said whether these boards were dealt after it."""

    code = "DM515"
    default_hint = (
        "Nothing was dealt. Deal them in a terminal window, where it asks for each; or name the boards that were "
        "certainly not dealt, with --not-dealt."
    )


class RefusedByLaw(DealingMachineError):
    """A question of the Laws comes up, and nobody answers it so that the work may go on. `law` is the Law's number."""

    code = "DM800"
    default_hint = "Nothing was dealt. Run it in a terminal window, where it can ask."

    def __init__(self, message: str, *, law: str, hint: str | None = None, details: str = "") -> None:
        super().__init__(message, hint=hint, details=details)
        self.law = law


class UsedDeal(RefusedByLaw):
    """The deals were dealt before (Law 6D2), and nobody says that this is meant."""

    code = "DM801"


class AlteredDeal(RefusedByLaw):
    """A board would get other hands than its set or its copies have (Laws 6D3, 6E4, 6F), and no director says so."""

    code = "DM802"
