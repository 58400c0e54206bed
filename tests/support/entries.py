"""Events as READ_EVENTS carries them: what a machine does with its own events, for tests that answer in its place.

May import: protocol. Read next: `firmware_sim/events.py`.
"""

from __future__ import annotations

from protocol.codec import encode
from protocol.fields import EventEntry
from protocol.messages import Event


def event_entry(event: Event) -> EventEntry:
    """The event as READ_EVENTS carries it."""
    frame = encode(event)
    return EventEntry(frame.type, frame.payload)
