"""Hypothesis strategies for everything that can stand on the wire: messages, frames, chunks, rubbish.

Made from the layouts in `protocol/messages.py`, so that a new message or field is drawn without a change here.
May import: protocol, hypothesis, construct. Read next: `tests/unit/test_codec.py`, `tests/unit/test_framing.py`.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Bytes, FormatField
from hypothesis import strategies as st

from protocol.codec import encode
from protocol.codes import Kind, Proof, RecordState
from protocol.constants import EVENT_DATA_SIZE, EVENTS_MAX, LEDGER_RECORDS_MAX, MAX_PAYLOAD
from protocol.fields import (
    Code,
    CodeField,
    EventEntries,
    EventEntry,
    FlagField,
    FlagsField,
    LedgerRecord,
    LedgerRecords,
    TextField,
)
from protocol.framing import Frame
from protocol.messages import MESSAGES, Message
from tests.support.vectors import REBUILT

PRINTABLE: Final = "".join(chr(code) for code in range(ord("!"), ord("~") + 1))
"""ASCII without the space, which a reader drops at both ends of a text."""

bytes_of_a_byte: Final = st.integers(0, 255)
numbers: Final = st.integers(0, 2**32 - 1)
rubbish: Final = st.binary(max_size=400)


def codes_of(field: CodeField[Any], among: int = 256) -> st.SearchStrategy[Any]:
    """Each known code of the field, and unknown ones as `Code`."""
    known = {int(code): code for code in field.codes}
    unknown = st.integers(0, among - 1).filter(lambda number: number not in known).map(Code)
    return st.one_of(st.sampled_from(list(known.values())), unknown)


def flags_of(flags: Any) -> st.SearchStrategy[Any]:
    """Any set of the known bits."""
    return st.sets(st.sampled_from(list(flags))).map(lambda bits: flags(sum(int(bit) for bit in bits)))


record_states: Final = st.one_of(st.sampled_from(list(RecordState)), st.sampled_from([0, *range(4, 16)]).map(Code))
records: Final = st.builds(
    LedgerRecord,
    identity=bytes_of_a_byte,
    confidence=bytes_of_a_byte,
    pocket=st.integers(0, 3),
    proof=flags_of(Proof),
    state=record_states,
    attempts=st.integers(0, 15),
)
entries: Final = st.builds(
    EventEntry, type=bytes_of_a_byte, data=st.binary(min_size=EVENT_DATA_SIZE, max_size=EVENT_DATA_SIZE)
)


def values_of(field: Any) -> st.SearchStrategy[Any]:
    """Any value of a field of a layout, as its dataclass holds it."""
    match field:
        case CodeField():
            return codes_of(field)
        case FlagsField():
            return flags_of(field.flags)
        case FlagField():
            return st.booleans()
        case TextField():
            words = st.text(PRINTABLE, min_size=1, max_size=field.size)
            spaced = st.tuples(words, words).map(" ".join).filter(lambda text: len(text) <= field.size)
            return st.one_of(st.just(""), words, spaced)
        case LedgerRecords():
            return st.lists(records, max_size=LEDGER_RECORDS_MAX).map(tuple)
        case EventEntries():
            return st.lists(entries, max_size=EVENTS_MAX).map(tuple)
        case Bytes():
            return st.binary(min_size=field.sizeof(), max_size=field.sizeof())
        case FormatField():
            return st.integers(0, 256 ** field.sizeof() - 1)
    raise TypeError(f"no strategy for the field {field!r}")


def messages_of(cls: type[Message]) -> st.SearchStrategy[Message]:
    """Any message of that class."""
    rebuilt = REBUILT.get(cls.__name__, ())
    return st.builds(cls, **{sub.name: values_of(sub.subcon) for sub in cls.layout.subcons if sub.name not in rebuilt})


messages: Final = st.sampled_from(MESSAGES).flatmap(messages_of)
message_frames: Final = st.builds(
    lambda message, connection, number: encode(message, connection=connection, number=number),
    messages,
    numbers,
    numbers,
)
raw_frames: Final = st.builds(
    Frame, st.sampled_from(Kind), bytes_of_a_byte, numbers, numbers, st.binary(max_size=MAX_PAYLOAD)
)
frames: Final = st.one_of(message_frames, raw_frames)


@st.composite
def chunks_of(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """`data` cut at any places; some chunks may be empty."""
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=12)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
