"""Messages to frames and frames to messages; construct and its exceptions end here.

May import: construct, the other modules of this folder and the standard library. Read next: `driver/link.py`.
"""

from __future__ import annotations

from dataclasses import fields
from io import BytesIO
from typing import Final

from construct import ConstructError

from protocol.codes import Kind
from protocol.errors import MessageError
from protocol.fields import EventEntry
from protocol.framing import Frame
from protocol.messages import MESSAGES, Event, Message, UnknownEvent

_BY_HEADER: Final = {(cls.kind, int(cls.type)): cls for cls in MESSAGES}
_FIELDS: Final = {cls: tuple(field.name for field in fields(cls)) for cls in MESSAGES}
_TYPED: Final = frozenset({Kind.REQUEST, Kind.ANSWER, Kind.EVENT})


class UnknownType(MessageError):
    """A request or answer of a type that this version does not know."""

    code = "DM104"


class PayloadTooShort(MessageError):
    """The payload is shorter than the layout of its message, or a fixed field differs."""

    code = "DM105"


def encode(message: Message, *, connection: int = 0, number: int = 0) -> Frame:
    """The frame of `message`. Raises MessageError when a field does not fit its place on the wire."""
    cls = type(message)
    try:
        payload = cls.layout.build({name: getattr(message, name) for name in _FIELDS[cls]})
    except (ConstructError, KeyError, OverflowError, ValueError, TypeError) as error:
        raise MessageError(f"A {type(message).__name__} cannot be sent: a field does not fit.") from error
    return Frame(message.kind, int(message.type), connection, number, payload)


def decode(frame: Frame) -> Message:
    """The message in `frame`; bytes after the known layout are dropped.

    An event of unknown type is an `UnknownEvent`. Raises UnknownType or PayloadTooShort (both MessageError).
    """
    message, _ = decode_prefix(frame)
    return message


def decode_prefix(frame: Frame) -> tuple[Message, int]:
    """As `decode`, with the number of payload bytes that the message took."""
    cls = _BY_HEADER.get((frame.kind, frame.type if frame.kind in _TYPED else 0))
    if cls is None:
        if frame.kind is Kind.EVENT:
            return UnknownEvent(frame.type, frame.payload), len(frame.payload)
        raise UnknownType(f"A {frame.kind.name} of the unknown type {frame.type} came.")
    stream = BytesIO(frame.payload)
    try:
        values = cls.layout.parse_stream(stream)
    except ConstructError as error:
        raise PayloadTooShort(f"The payload of a {cls.__name__} is damaged.") from error
    return cls(**{name: values[name] for name in _FIELDS[cls]}), stream.tell()


def event_from_entry(entry: EventEntry) -> Event:
    """The event in an entry of READ_EVENTS. Raises MessageError when it is damaged."""
    message = decode(Frame(Kind.EVENT, entry.type, 0, 0, entry.data))
    assert isinstance(message, Event)
    return message
