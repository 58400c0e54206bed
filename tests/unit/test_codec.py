"""Messages to frames and back: round trips, growth, damage, and what a repr may show.

Read next: `protocol/codec.py`, `tests/support/strategies.py`, `tests/vectors/test_golden_vectors.py`.
"""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import (
    PayloadTooShort,
    UnknownType,
    decode,
    decode_prefix,
    encode,
    event_from_entry,
)
from protocol.codes import EventType, Feature, Kind, Proof, RecordState, Refusal, RequestType, ResetCause, State
from protocol.constants import EVENT_DATA_SIZE, MAX_PAYLOAD
from protocol.errors import FrameError, MessageError
from protocol.fields import Code, CodeField, EventEntry, FlagsField, LedgerRecord, TextField, clean_text
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import (
    MESSAGES,
    Arm,
    BoardEvent,
    CardEvent,
    Event,
    Events,
    Identity,
    Ledger,
    Log,
    Message,
    Refused,
    Status,
    Stopped,
    UnknownEvent,
)
from tests.support.entries import event_entry
from tests.support.strategies import message_frames, messages, messages_of, numbers, raw_frames
from tests.support.vectors import REBUILT, vectors

WITH_CODES = [
    (cls, sub.name)
    for cls in MESSAGES
    for sub in cls.layout.subcons
    if isinstance(sub.subcon, CodeField)
]  # fmt: skip
every_message = pytest.mark.parametrize("cls", MESSAGES, ids=lambda cls: str(cls.__name__))


# Round trips


@every_message
@given(st.data())
def test_every_message_comes_back_from_its_frame(cls: type[Message], data: st.DataObject) -> None:
    message = data.draw(messages_of(cls))
    connection, number = data.draw(numbers), data.draw(numbers)
    frame = encode(message, connection=connection, number=number)
    assert (frame.kind, frame.connection, frame.number) == (cls.kind, connection, number)
    (read,) = FrameDecoder().feed(encode_frame(frame))
    assert read == frame
    assert decode_prefix(read) == (message, len(frame.payload))


@given(messages)
def test_no_message_is_longer_than_a_payload_may_be(message: Message) -> None:
    assert len(encode(message).payload) <= MAX_PAYLOAD


@every_message
def test_a_dataclass_has_the_fields_of_its_layout(cls: type[Message]) -> None:
    layout = [sub.name for sub in cls.layout.subcons if sub.name not in REBUILT.get(cls.__name__, ())]
    assert layout == [field.name for field in dataclasses.fields(cls)]


def test_there_are_thirty_four_messages_and_no_two_share_kind_and_type() -> None:
    assert len(MESSAGES) == 34
    assert len({(cls.kind, int(cls.type)) for cls in MESSAGES}) == 34


@given(messages)
def test_a_message_is_written_and_read_as_its_construct_layout_says(message: Message) -> None:
    cls = type(message)
    frame = encode(message)
    built = cls.layout.build({field.name: getattr(message, field.name) for field in dataclasses.fields(message)})
    parsed = cls.layout.parse(frame.payload)
    assert frame.payload == built
    assert decode(frame) == cls(**{field.name: parsed[field.name] for field in dataclasses.fields(message)})


# Growth


@given(message_frames, st.binary(min_size=1, max_size=20))
def test_bytes_after_the_layout_are_dropped(frame: Frame, more: bytes) -> None:
    longer = dataclasses.replace(frame, payload=frame.payload + more)
    assert decode_prefix(longer) == (decode(frame), len(frame.payload))


@given(message_frames)
def test_a_payload_that_is_one_byte_short_is_damaged(frame: Frame) -> None:
    if not frame.payload:
        return
    with pytest.raises(PayloadTooShort):
        decode(dataclasses.replace(frame, payload=frame.payload[:-1]))


@pytest.mark.parametrize(("cls", "name"), WITH_CODES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_code_that_nobody_knows_stays_a_number_and_comes_back(cls: type[Message], name: str) -> None:
    (field,) = (sub.subcon for sub in cls.layout.subcons if sub.name == name)
    original = next(vector for vector in vectors() if vector.message == cls.__name__).expected()
    unknown = sorted(set(range(256)) - {int(code) for code in field.codes})
    assert unknown
    for number in unknown:
        frame = encode(dataclasses.replace(original, **{name: Code(number)}))
        read = decode(frame)
        assert type(getattr(read, name)) is Code
        assert getattr(read, name) == number
        assert encode(read) == frame
    for code in field.codes:
        assert getattr(decode(encode(dataclasses.replace(original, **{name: code}))), name) is code


@pytest.mark.parametrize("number", [0, 4, 15])
def test_a_record_state_that_nobody_knows_stays_a_number(number: int) -> None:
    record = LedgerRecord.from_bytes(bytes((1, 2, 3, number | 0x10)))
    assert type(record.state) is Code
    assert record.to_bytes() == bytes((1, 2, 3, number | 0x10))


def test_bits_that_nobody_knows_are_dropped() -> None:
    for cls in MESSAGES:
        payload = bytes(b"\xff" * 200)
        for sub in cls.layout.subcons:
            if isinstance(sub.subcon, FlagsField):
                read = sub.subcon.parse(payload)
                assert read == sum(int(flag) for flag in sub.subcon.flags)
                assert all(bit in sub.subcon.flags for bit in read)


def test_an_event_of_an_unknown_type_is_kept_as_its_type_and_payload() -> None:
    frame = Frame(Kind.EVENT, 77, 1, 2, b"\x01\x00")
    assert decode_prefix(frame) == (UnknownEvent(77, b"\x01\x00"), 2)


@pytest.mark.parametrize("kind", [Kind.REQUEST, Kind.ANSWER])
def test_a_request_or_answer_of_an_unknown_type_is_an_error(kind: Kind) -> None:
    known = {int(cls.type) for cls in MESSAGES if cls.kind is kind}
    for number in set(range(256)) - known:
        with pytest.raises(UnknownType):
            decode(Frame(kind, number, 1, 1, bytes(MAX_PAYLOAD)))


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in (Kind.REQUEST, Kind.ANSWER, Kind.EVENT)])
def test_the_type_byte_of_a_kind_without_types_does_not_count(kind: Kind) -> None:
    payload = b"DEAL" + bytes(100)
    assert decode(Frame(kind, 0, 0, 0, payload)) == decode(Frame(kind, 99, 0, 0, payload))


# Damage


@given(raw_frames)
def test_any_frame_is_a_message_or_a_message_error_and_nothing_else(frame: Frame) -> None:
    try:
        message, taken = decode_prefix(frame)
    except MessageError:
        return
    assert 0 <= taken <= len(frame.payload)
    repr(message)
    if not isinstance(message, UnknownEvent):
        again, _ = decode_prefix(encode(message, connection=frame.connection, number=frame.number))
        assert again == message


@pytest.mark.parametrize("count", range(256))
def test_a_count_that_its_payload_does_not_hold_is_damaged(count: int) -> None:
    ledger = Frame(Kind.ANSWER, RequestType.READ_LEDGER, 1, 1, bytes(9) + bytes((count,)) + bytes(4 * 5))
    events = Frame(Kind.ANSWER, RequestType.READ_EVENTS, 1, 1, bytes(4) + bytes((count,)) + bytes(15 * 5))
    for frame in (ledger, events):
        if count > 5:
            with pytest.raises(PayloadTooShort):
                decode(frame)
        else:
            message = decode(frame)
            assert isinstance(message, Ledger | Events)
            assert len(message.records if isinstance(message, Ledger) else message.entries) == count


def test_a_hello_with_another_magic_is_damaged() -> None:
    with pytest.raises(PayloadTooShort):
        decode(Frame(Kind.HELLO, 0, 0, 0, b"DEAR" + bytes(6)))


@pytest.mark.parametrize(
    "message",
    [
        Stopped(run=2**64, state=State.NONE, index=0, odometer=0, doubt=0),
        Stopped(run=-1, state=State.NONE, index=0, odometer=0, doubt=0),
        Stopped(run=1, state=State.NONE, index=256, odometer=0, doubt=0),
        BoardEvent(present=True, number=65_536, edges=0),
        Refused(request=3, reason=Code(256)),
        Log(level=1, text="x" * 65),
        Events(first=1, entries=(EventEntry(3, bytes(EVENT_DATA_SIZE + 1)),)),
        Events(first=1, entries=(EventEntry(256, b""),)),
        Ledger(run=1, first=0, records=(LedgerRecord(256, 0, 0, Proof(0), RecordState.FED, 1),)),
        Ledger(run=1, first=0, records=(LedgerRecord(1, 0, 0, Proof(0), RecordState.FED, 16),)),
        UnknownEvent(99, b"\1"),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_field_that_does_not_fit_its_place_raises_a_message_error(message: Message) -> None:
    with pytest.raises(MessageError) as caught:
        encode(message)
    assert caught.value.code.startswith("DM1")


@pytest.mark.parametrize(
    "record",
    [
        LedgerRecord(1, 0, 4, Proof(0), RecordState.FED, 1),
        LedgerRecord(1, 0, 0, Proof(0), Code(16), 1),
        LedgerRecord(1, 0, 0, Proof(0), RecordState.FED, -1),
        LedgerRecord(1, -1, 0, Proof(0), RecordState.FED, 1),
    ],
    ids=["pocket", "state", "attempts", "confidence"],
)
def test_a_record_that_does_not_fit_its_four_bytes_raises_a_message_error(record: LedgerRecord) -> None:
    with pytest.raises(MessageError):
        encode(Ledger(run=1, first=0, records=(record,)))


@pytest.mark.parametrize("frame", [Frame(Kind.BEAT, 0, 2**32, 0, b""), Frame(Kind.REQUEST, 256, 1, 1, b"")])
def test_a_header_that_does_not_fit_raises_a_frame_error(frame: Frame) -> None:
    with pytest.raises(FrameError):
        encode_frame(frame)


# Text from a device


@given(st.binary(max_size=64))
def test_text_from_a_device_is_always_printable(raw: bytes) -> None:
    text = clean_text(raw)
    assert text.isascii()
    assert text.isprintable()
    assert len(text) <= len(raw)


def test_a_name_with_a_bad_byte_is_read_and_does_not_end_anything() -> None:
    payload = bytearray(encode(IDENTITY).payload)
    payload[1:6] = b"\x1b[2J\xff"
    message = decode(Frame(Kind.ANSWER, RequestType.IDENTIFY, 1, 1, bytes(payload)))
    assert isinstance(message, Identity)
    assert message.model == "?[2J?le"


def test_text_that_is_too_long_is_refused_and_never_cut() -> None:
    field = TextField(4)
    assert field.build("abcd") == b"abcd"
    with pytest.raises(MessageError):
        encode(dataclasses.replace(IDENTITY, model="a model name that is too long"))


IDENTITY = Identity(
    minor=0, model="Example", firmware="1", frame_limit=128, ring=32, in_flight=1, prefetch=0, card_limit_ms=2000,
    card_ms=100, threshold=0, recognition=Code(9), ledger=Code(9), pockets=Code(9), board=Code(9), hopper=Code(9),
    features=Feature.SIMULATED,
)  # fmt: skip


# Events in READ_EVENTS


@given(st.sampled_from([cls for cls in MESSAGES if issubclass(cls, Event)]).flatmap(messages_of))
def test_an_event_comes_back_from_an_entry_of_read_events(event: Message) -> None:
    assert isinstance(event, Event)
    answer = decode(encode(Events(first=1, entries=(event_entry(event),))))
    assert isinstance(answer, Events)
    (entry,) = answer.entries
    assert len(entry.data) == EVENT_DATA_SIZE
    assert event_from_entry(entry) == event


def test_an_entry_of_an_unknown_type_is_an_unknown_event() -> None:
    data = bytes(range(EVENT_DATA_SIZE))
    assert event_from_entry(EventEntry(200, data)) == UnknownEvent(200, data)


def test_the_codes_of_event_types_are_known_to_the_codec() -> None:
    for code in EventType:
        assert not isinstance(event_from_entry(EventEntry(code, bytes(EVENT_DATA_SIZE))), UnknownEvent)


# What a repr may show (I7)

SECRET = bytes.fromhex("d1d2d3d4d5d6d7d8d9dadbdcdd")
NEVER_SHOWN = ("d1d2", "\\xd1", "209", "210", "255", "b'", "destinations", "plan_tag", "identity", "pocket", "payload=")


@pytest.mark.parametrize(
    "value",
    [
        Arm(0x77, SECRET[:8], 5, Code(1), Code(1), False, Arm.layout.confirmed.parse(b"\0"), 255, 0, 0, SECRET),
        Ledger(0x77, 0, (LedgerRecord(209, 210, 3, Proof.READ, RecordState.DROPPED, 1),) * 26),
        LedgerRecord(209, 210, 3, Proof.READ, RecordState.DROPPED, 1),
        CardEvent(index=7, pocket=209, proof=Proof.GATE, attempt=1, odometer=210, since_go_ms=255),
        Events(1, (EventEntry(3, b"\xd1\xd2" + bytes(12)),) * 7),
        Frame(Kind.ANSWER, 8, 1, 1, SECRET),
        UnknownEvent(99, SECRET),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_repr_shows_no_card_no_pocket_and_no_payload(value: object) -> None:
    for hidden in NEVER_SHOWN:
        assert hidden not in repr(value).lower(), hidden


@given(messages_of(Arm), messages_of(Ledger))
def test_the_repr_of_arm_and_ledger_depends_on_nothing_but_run_board_and_index(arm: Message, ledger: Message) -> None:
    assert isinstance(arm, Arm)
    assert isinstance(ledger, Ledger)
    assert repr(arm) == f"Arm(run={arm.run:#x}, board={arm.board}, first={arm.first})"
    assert repr(ledger) == f"Ledger(run={ledger.run:#x}, first={ledger.first}, {len(ledger.records)} records)"


def test_the_errors_of_the_codec_show_no_payload() -> None:
    for frame in (
        Frame(Kind.ANSWER, 8, 1, 1, SECRET),
        Frame(Kind.REQUEST, 3, 1, 1, SECRET),
        Frame(Kind.ANSWER, 99, 1, 1, SECRET),
    ):
        with pytest.raises(MessageError) as caught:
            decode(frame)
        error: BaseException | None = caught.value
        while error is not None:
            assert "d1" not in f"{error} {error!r}".lower().replace("dm1", "")
            error = error.__cause__


def test_messages_are_values() -> None:
    assert Status() == Status()
    assert hash(Refused(3, Refusal.STALE)) == hash(Refused(3, Refusal.STALE))
    frozen = Refused(3, Refusal.STALE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        frozen.why = 1  # type: ignore[misc]
    assert ResetCause(1) is ResetCause.POWER_ON
