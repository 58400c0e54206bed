"""The one-shot tokens that ARM gives and GO takes, and why a token is dead.

May import: protocol and the standard library. Read next: `requests.py`. The table *The token* of PROTOCOL.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.codes import TokenEnd
from protocol.constants import TOKEN_LIVES
from protocol.messages import Arm

_LIVES: Final = TOKEN_LIVES / 1000
_REMEMBERED: Final = 8
_ODD: Final = 0x9E3779B1
_MASK: Final = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class LiveToken:
    """A token that GO may use: its number, the ARM that it stands for, and when that was."""

    number: int
    arm: Arm
    made: float


class Tokens:
    """At most one live token, and the ends of the last eight dead ones. Numbers never repeat within a boot."""

    def __init__(self, salt: int) -> None:
        self.live: LiveToken | None = None
        self._salt = salt
        self._count = 0
        self._ends: dict[int, TokenEnd] = {}

    def make(self, arm: Arm, now: float) -> int:
        """A new live token for that ARM; another live one is dead (REPLACED)."""
        self.kill(TokenEnd.REPLACED, now)
        number = 0
        while not number:
            self._count += 1
            number = (self._count * _ODD ^ self._salt) & _MASK
        self.live = LiveToken(number, arm, now)
        return number

    def kill(self, end: TokenEnd, now: float) -> None:
        """The live token, if any, is dead from now on; one that had expired stays EXPIRED."""
        live = self.live
        if live is None:
            return
        self._ends[live.number] = TokenEnd.EXPIRED if now - live.made >= _LIVES else end
        if len(self._ends) > _REMEMBERED:
            del self._ends[next(iter(self._ends))]
        self.live = None

    def forget(self) -> None:
        """The connection ended: every token is unknown now."""
        self.live = None
        self._ends.clear()

    def use(self, number: int, now: float) -> LiveToken | TokenEnd:
        """The token with that number, which is used now; or why it is dead."""
        live = self.live
        if live is None or live.number != number:
            return self._ends.get(number, TokenEnd.NO_TOKEN)
        self.kill(TokenEnd.USED, now)
        end = self._ends[number]
        return live if end is TokenEnd.USED else end

    def state_key(self, now: float) -> tuple[object, ...]:
        """Everything that future answers depend on, times relative to `now`."""
        live = self.live
        alive = None if live is None else (live.number, live.arm, round(now - live.made, 6))
        return alive, self._count, tuple(self._ends.items())
