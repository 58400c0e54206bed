"""The ring of the last events, as READ_EVENTS gives them.

May import: protocol and the standard library. Read next: `core.py`, which fills it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from protocol.codes import EventType, Key
from protocol.constants import EVENTS_MAX
from protocol.fields import EventEntry


class EventRing:
    """The last `size` events; numbers start at 1, the oldest is overwritten, nothing is acknowledged."""

    def __init__(self, size: int) -> None:
        self.last = 0
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=size)
        self._newest: dict[int, int] = {}
        self.newest_stop = 0
        """Number of the newest KEY(STOP), 0 = none since the boot."""

    @property
    def oldest(self) -> int:
        """Number of the oldest event kept; `last` + 1 when there is none."""
        return self.last - len(self._kept) + 1

    def add(self, kind: int, payload: bytes) -> int:
        """Keeps an event of type `kind` and gives its number."""
        self.last += 1
        self._kept.append((kind, payload))
        self._newest[kind] = self.last
        if kind == EventType.KEY and payload[0] == Key.STOP:
            self.newest_stop = self.last
        return self.last

    def newest_of(self, kinds: Collection[EventType]) -> int:
        """Number of the newest event of one of these types, 0 = none since the boot."""
        return max((self._newest.get(kind, 0) for kind in kinds), default=0)

    def read(self, first: int) -> tuple[EventEntry, ...] | None:
        """Up to 7 events from number `first`; None when that one is overwritten already."""
        oldest = self.oldest
        if first < oldest:
            return None
        wanted = range(first - oldest, min(first - oldest + EVENTS_MAX, len(self._kept)))
        return tuple(EventEntry(*self._kept[at]) for at in wanted)

    def state_key(self) -> tuple[object, ...]:
        """Everything that future answers depend on."""
        return self.last, tuple(self._kept), tuple(sorted(self._newest.items()))
