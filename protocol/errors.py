"""The root of every error of this project, and the errors of the wire format.

May import: the standard library. Read next: `driver/errors.py`, where the rest of the tree grows.
"""

from __future__ import annotations

from typing import ClassVar, Final

HINTS: Final[dict[str, str]] = {}
"""What to do with the hands, by the code of an error that is raised without words of its own for it.

The protocol has none; `driver/catalogue.py` puts those of its entries in.
"""


class DealingMachineError(Exception):
    """Root of every error that this project raises for a person to read.

    `code` names the kind and never changes, the message is one plain sentence, `hint` says what to do with the
    hands (None = as `HINTS` says), `details` are for the log (no hand, card or payload ever stands in any of them).
    """

    code: ClassVar[str] = "DM000"

    def __init__(self, message: str, *, hint: str | None = None, details: str = "") -> None:
        super().__init__(message)
        self.hint = HINTS.get(self.code, "") if hint is None else hint
        self.details = details


class ProtocolError(DealingMachineError):
    """The bytes do not follow PROTOCOL.md."""

    code = "DM100"


class FrameError(ProtocolError):
    """A frame is damaged: stuffing, length or checksum. The decoder counts these; it does not raise them."""

    code = "DM101"


class MessageError(ProtocolError):
    """A frame is whole, but its payload is not what its kind and type promise."""

    code = "DM102"


class UnsupportedVersion(ProtocolError):
    """The machine and this program have no protocol version in common.

    `ours` and `theirs` are (oldest, newest) major versions; `update_side` is "program" or "machine".
    """

    code = "DM103"

    def __init__(self, ours: tuple[int, int], theirs: tuple[int, int]) -> None:
        self.ours = ours
        self.theirs = theirs
        self.update_side = "program" if theirs[0] > ours[1] else "machine"
        newest = max(ours[1], theirs[1])
        super().__init__(
            f"The machine speaks version {theirs[0]} to {theirs[1]} and this program {ours[0]} to {ours[1]}.",
            hint=f"Update the {self.update_side} so that both speak version {newest}. STOP works all the same.",
        )
