"""Whether a board may start without being asked for: a person's decision that carries over, and what ends it. Pure.

May import: `allowed`, `happenings`, `protocol`. Read next: `scheduler.py`.
A decision to start carries over to the following boards where the machine senses its board. It ends at every fault,
pause, reconnect and stop. The automatic setting renews it after HOST_LOST, HOST_CHANGED and a reconnect, never after a
fault, STOP or a restart (I4).
"""

from __future__ import annotations

from dataclasses import dataclass

from driver.allowed import Allowed
from driver.happenings import Options
from protocol.codes import BoardSensing, Confirmation
from protocol.messages import Identity


@dataclass(slots=True)
class Consent:
    """What a person's last decision still allows. `carries_over`: to the board that comes next.

    `again`: this board is to be dealt again, and nothing has come between since that was decided.
    """

    identity: Identity
    options: Options
    carries_over: bool = False
    again: bool = False
    _untouched: bool = True

    @property
    def said_first(self) -> Confirmation:
        """What the person who starts the first board confirms beside what every start does."""
        return Confirmation.SAME_BOARD_EMPTIED if self.options.emptied else Confirmation(0)

    @property
    def by_itself(self) -> bool:
        """Whether the automatic setting may do anything: it is set, and the machine senses its board."""
        return self.options.auto and self._senses_board

    @property
    def begins(self) -> bool:
        """Whether the automatic setting begins the first board: neither STOP nor a restart came since it was set."""
        return self.by_itself and self._untouched

    def goes_on(self, allowed: Allowed) -> bool:
        """Whether the automatic setting lets a paused board go on."""
        return self.by_itself and allowed.by_itself

    def renew(self) -> None:
        """A person decided that cards move."""
        self.carries_over = self._senses_board and not self.options.ask_each

    def deal_again(self) -> None:
        """A person decided that this board is dealt again."""
        self.renew()
        self.again = True

    def end(self) -> None:
        """A fault, a pause, a verdict that is no proof: the next board is asked for."""
        self.carries_over = False

    def stop(self) -> None:
        """STOP was pressed at the machine."""
        self.carries_over = self.again = self._untouched = False

    def reconnect(self, *, restarted: bool) -> None:
        """The machine answers again."""
        stands = self.options.auto and not restarted
        self.carries_over, self.again = self.carries_over and stands, self.again and stands
        self._untouched = self._untouched and not restarted

    @property
    def _senses_board(self) -> bool:
        return self.identity.board in (BoardSensing.PRESENCE, BoardSensing.NUMBER)
