"""A pocket whose sensor keeps silent: three boards in a row, and it may be taken as out of order for this job.

May import: `catalogue`, `findings`, `sentences`, `protocol`. Read next: `scheduler.py`. Pure.
Only a person decides it; the boards are COUNTED then, each by a person's hand count (PROTOCOL.md, *Confirmations*).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from driver.catalogue import Entry, Kind, entry
from driver.findings import Choice
from driver.sentences import pause_entry
from protocol.codes import Confirmation, FaultCode, Place
from protocol.messages import StatusReport

IN_A_ROW: Final = 3
_SAID: Final = Confirmation.BOARD_NUMBER | Confirmation.HOPPER_LOADED


@dataclass(slots=True)
class SilentPocket:
    """What is known of the pocket sensors in this job. `out` are those that a person called out of order."""

    out: Confirmation = Confirmation(0)  # noqa: RUF009 - it cannot be changed
    _pocket: int = -1
    _times: int = 0

    @property
    def said_at_start(self) -> Confirmation:
        """What a person who starts a board confirms by that, as far as the machine cannot sense it."""
        return _SAID | Confirmation.POCKETS_EMPTY | self.out

    @property
    def said_going_on(self) -> Confirmation:
        """The same of a person who lets a board go on."""
        return _SAID | self.out

    def pause_entry(self, status: StatusReport, *, goes_on: bool) -> Entry:
        """As `sentences.pause_entry`; after the third silence in a row the sensor may be taken as out of order."""
        found = pause_entry(status, goes_on=goes_on)
        pocket = status.fault_place - Place.POCKET_0
        if status.fault != FaultCode.POCKET_SILENT or not 0 <= pocket <= 3:
            return found
        self._times = self._times + 1 if pocket == self._pocket else 1
        self._pocket = pocket
        if self._times < IN_A_ROW:
            return found
        told = entry(Kind.NOTICE, "POCKET SENSOR").filled(pockets="NESW"[pocket])
        return replace(found, sentence=told.sentence, means=told.means, steps=told.steps, next=told.next)

    def take_out(self) -> None:
        """A person says that the sensor that was silent last is out of order."""
        self.out |= Confirmation(Confirmation.SENSOR_N_OUT << self._pocket)

    def board_dealt(self) -> None:
        """A board came to its end: no sensor was silent."""
        self._times = 0

    def verdict_choices(self, *, countable: bool, is_best: bool = False) -> tuple[Choice, ...]:
        """What is offered for a board that is not proven; counting comes first where it cannot be proven otherwise.

        `is_best` = the machine can give no better verdict: dealing again would bring the same one.
        """
        if is_best:
            return (Choice.KEEP, Choice.COUNT, Choice.DEAL_AGAIN, Choice.STOP)
        again = (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
        if not countable:
            return again
        return (Choice.COUNT, *again) if self.out else (again[0], Choice.COUNT, *again[1:])
