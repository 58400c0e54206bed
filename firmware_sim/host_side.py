"""The firmware's side of the line: frames in and out, HELLO, request numbers, STOP, events and logs.

May import: the other modules of this folder but `core`, protocol and the standard library. Read next: `core.py`, the
whole machine, and `requests.py`, what it answers. PROTOCOL.md, sections 1 to 3. Each rule that a wrong machine would
break is a small method of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from firmware_sim.connection import Connection, LineCounts, Turn
from firmware_sim.events import EventRing
from firmware_sim.faults import FaultKind
from firmware_sim.mechanism import Mechanism
from firmware_sim.profile import Profile
from firmware_sim.requests import ANSWERS
from firmware_sim.state import Happening
from firmware_sim.status import stopped
from protocol.codec import UnknownType, decode, encode
from protocol.codes import RESERVED_REQUESTS, Feature, Kind, Refusal, RequestType, ResetCause
from protocol.constants import MAJOR_NEWEST, MAJOR_OLDEST
from protocol.errors import MessageError
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import Answer, Event, Hello, HelloAck, Log, Message, Refused

if TYPE_CHECKING:
    from firmware_sim.runs import RunControl

_HOSTILE: Final = b"\x1b[2J\x07%n\xff\xfe\r\n'\";\xc3("
"""Exactly 16 bytes, the length of a name."""
_MODEL_AT: Final = 1
_FIRMWARE_AT: Final = 17
_LOG_TEXT_AT: Final = 1
_LOG_TEXT: Final = 64


class HostSide(ABC):
    """What the host's bytes do, and what goes back; `core.SimMachine` is the only whole one."""

    profile: Profile
    mechanism: Mechanism
    control: RunControl
    now: float
    powered: bool

    def forget_host(self) -> None:
        """What a reset leaves in RAM: no connection, no event, nothing counted."""
        self.boot_id = 0
        self.memory_lost = False
        self.reset_cause = ResetCause.UNKNOWN
        self.connection = Connection()
        self.counts = LineCounts()
        self.ring = EventRing(self.profile.ring)
        self._decoder = FrameDecoder()

    @abstractmethod
    def uptime_ms(self) -> int:
        """Milliseconds since the boot; wraps."""

    @abstractmethod
    def send_wire(self, wire: bytes) -> None:
        """One frame leaves now."""

    def receive(self, data: bytes) -> None:
        """Bytes from the host arrive now. Never raises, whatever they are."""
        if not self.powered:
            return
        for frame in self._decoder.feed(data):
            self._take(frame)

    def unfinished_bytes(self) -> tuple[object, ...]:
        """What has come of a frame whose end has not come, to compare."""
        state = self._decoder.__getstate__()
        assert isinstance(state, tuple)
        return tuple(part for name, part in sorted(state[1].items()) if name != "bad_frames")

    def bad_in(self) -> int:
        """Frames dropped since the boot because they or their payloads were damaged."""
        return self._decoder.bad_frames + self.counts.bad_payloads

    def emit(self, event: Event) -> int:
        """An event: into the ring, and into the open connection. Its number."""
        frame = encode(event, connection=self.connection.current, number=self.ring.last + 1)
        number = self.ring.add(frame.type, frame.payload)
        if self.connection.current:
            self._send_frame(frame)
        return number

    def log(self, level: int, text: str) -> None:
        """A line for people who build machines; never a card in it."""
        if self.connection.current and self.profile.has(Feature.LOG):
            frame = encode(Log(level, text[:_LOG_TEXT]), connection=self.connection.current)
            self._send_frame(self._hostile(frame, _LOG_TEXT_AT) if self._is_hostile() else frame)

    def _is_hostile(self) -> bool:
        return bool(self.mechanism.card_path.lasts(FaultKind.HOSTILE_TEXT))

    @staticmethod
    def _hostile(frame: Frame, *places: int) -> Frame:
        """The frame with text at these places of its payload that no screen should show as it is."""
        payload = bytearray(frame.payload)
        for at in places:
            payload[at : at + len(_HOSTILE)] = _HOSTILE
        return replace(frame, payload=bytes(payload))

    def send(self, message: Message, *, connection: int = 0, number: int = 0) -> None:
        """A message leaves now."""
        self._send_frame(encode(message, connection=connection, number=number))

    def _send_frame(self, frame: Frame) -> None:
        self.send_wire(encode_frame(frame))

    def _take(self, frame: Frame) -> None:
        """One whole frame."""
        counts = self.counts
        counts.frames_in += 1
        match frame.kind:
            case Kind.REQUEST:
                self._request(frame)
            case Kind.BEAT if frame.connection and frame.connection == self.connection.current:
                self.connection.hear(self.now)
            case Kind.BEAT:
                counts.out_of_turn += 1
            case Kind.HELLO:
                self._hello(frame)
            case Kind.STOP:
                self._stop(frame)
            case _:
                counts.frames_in -= 1
                counts.echoes += 1

    def _hello(self, frame: Frame) -> None:
        try:
            hello = decode(frame)
        except MessageError:
            self.counts.bad_payloads += 1
            return
        assert isinstance(hello, Hello)
        connection = self.connection
        if hello.nonce == connection.nonce:
            self.send_wire(connection.acknowledged)
            return
        major = min(MAJOR_NEWEST, hello.major_newest)
        if major < max(MAJOR_OLDEST, hello.major_oldest):
            major = 0
        offered = connection.offer(self.boot_id) if major else 0
        if major and not offered:
            return
        acknowledged = encode_frame(
            encode(
                HelloAck(
                    nonce=hello.nonce,
                    connection=offered,
                    boot_id=self.boot_id,
                    reset_cause=self.reset_cause,
                    memory_lost=self.memory_lost,
                    major=major,
                    major_oldest=MAJOR_OLDEST,
                    major_newest=MAJOR_NEWEST,
                    serial=self.profile.serial,
                )
            )
        )
        connection.nonce, connection.acknowledged = hello.nonce, acknowledged
        self.send_wire(acknowledged)

    def _stop(self, frame: Frame) -> None:
        """Motors off, whatever is under way; each time again."""
        self.control.stop()
        self.send(stopped(self), number=self._stopped_number(frame))

    def _stopped_number(self, frame: Frame) -> int:
        """The number that STOPPED carries."""
        return frame.number

    def _request(self, frame: Frame) -> None:
        connection = self.connection
        if frame.connection and frame.connection == connection.pending and frame.number == 1:
            self._take_effect()
        if not frame.connection or frame.connection != connection.current:
            if frame.connection and frame.connection == connection.pending:
                self.counts.out_of_turn += 1
            else:
                self._refuse_unstored(frame, Refusal.NO_CONNECTION, self.boot_id)
            return
        connection.hear(self.now)
        match self._turn_of(frame):
            case Turn.REPEAT:
                self.send_wire(connection.wire)
            case Turn.REUSED:
                self._refuse_unstored(frame, Refusal.NUMBER_REUSED, 0)
            case Turn.NEXT:
                self._execute(frame)
            case Turn.OTHER:
                self.counts.out_of_turn += 1

    def _turn_of(self, frame: Frame) -> Turn:
        """What the number of that request means in the open connection."""
        return self.connection.turn_of(frame)

    def _take_effect(self) -> None:
        """The pending connection is in effect; the old one ends: its token dies, moving cards stop after the card."""
        self.connection.take_effect(self.now)
        self.control.tokens.forget()
        self.control.want_pause(Happening.HOST_CHANGED)
        self.log(2, "ready")

    def _execute(self, frame: Frame) -> None:
        """Executes, stores the answer, sends it."""
        connection = self.connection
        answer = encode(self._answer_for(frame), connection=frame.connection, number=frame.number)
        if answer.type == RequestType.IDENTIFY and self._is_hostile():
            answer = self._hostile(answer, _MODEL_AT, _FIRMWARE_AT)
        wire = encode_frame(answer)
        connection.store(frame, answer, wire)
        self.send_wire(wire)

    def _answer_for(self, frame: Frame) -> Answer:
        """Does what the request asks, and gives its answer."""
        if frame.type in RESERVED_REQUESTS:
            return Refused(frame.type, Refusal.NOT_SUPPORTED)
        try:
            asked = decode(frame)
        except UnknownType:
            return Refused(frame.type, Refusal.UNKNOWN_TYPE)
        except MessageError:
            return Refused(frame.type, Refusal.BAD_PAYLOAD)
        return ANSWERS[type(asked)](self, asked)

    def _refuse_unstored(self, frame: Frame, reason: Refusal, detail: int) -> None:
        self.send(Refused(frame.type, reason, detail=detail), connection=frame.connection, number=frame.number)
