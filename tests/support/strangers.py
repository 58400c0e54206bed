"""Things that are no dealing machine, for the place behind an endpoint: they talk, answer, repeat, or keep silent.

May import: protocol, the standard library. Read next: `tests/faults/test_strangers_on_the_port.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from protocol.codec import encode
from protocol.codes import PackEnd, PauseReason, ResetCause, State
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import BootEvent, HelloAck, RunEvent

Says = Callable[[int], bytes]
Answers = Callable[[bytes], bytes]

NMEA: Final = (
    b"$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76\r\n"
    b"$GPGSA,A,3,10,07,05,02,29,04,08,13,,,,,1.72,1.03,1.38*0A\r\n"
)
BANNER: Final = b"\r\nets Jan  8 2013,rst cause:2, boot mode:(3,6)\r\nload 0x40100000, len 1856\r\nready\r\n"


class Stranger:
    """A device that says `says(n)` for the n-th time each `every` seconds, and answers bytes with `answers(bytes)`.

    `heard` are the whole frames that the host sent to it.
    """

    def __init__(self, *, says: Says | None = None, every: float = 0.1, answers: Answers | None = None) -> None:
        self.now = 0.0
        self.heard: list[Frame] = []
        self._says = says
        self._every = every
        self._said = 0
        self._answers = answers
        self._output: list[tuple[float, bytes]] = []
        self._decoder = FrameDecoder()

    def receive(self, data: bytes) -> None:
        """Bytes from the host."""
        self.heard += self._decoder.feed(data)
        if self._answers is not None and (answer := self._answers(data)):
            self._output.append((self.now, answer))

    def advance_to(self, time: float) -> None:
        """Lets time pass."""
        while (due := self.next_due()) is not None and due <= time:
            assert self._says is not None
            self._output.append((due, self._says(self._said)))
            self._said += 1
        self.now = time

    def next_due(self) -> float | None:
        """When it says something next."""
        return None if self._says is None else self._said * self._every

    def take_output(self) -> list[tuple[float, bytes]]:
        """What it said since the last call."""
        output, self._output = self._output, []
        return output


def acknowledgement(
    nonce: int, *, connection: int = 0x00070001, major: int = 1, majors: tuple[int, int] = (1, 1)
) -> bytes:
    """The bytes of a HELLO_ACK."""
    oldest, newest = majors
    return encode_frame(
        encode(HelloAck(nonce, connection, 7, ResetCause.POWER_ON, False, major, oldest, newest, "OLD-7"))
    )


def old_frames() -> bytes:
    """Whole, valid frames of a connection of last week: HELLO_ACK, a boot, the end of a run."""
    run = RunEvent(0x0123_0000_0009, State.DONE, PauseReason.NONE, 52, 0, PackEnd.EMPTY)
    events = ((3, BootEvent(7, ResetCause.POWER_ON, False)), (59, run))
    told = [encode_frame(encode(event, connection=0x00070001, number=number)) for number, event in events]
    return b"".join([acknowledgement(0x0BAD_CAFE), *told])


def echo() -> Stranger:
    """A loop-back plug."""
    return Stranger(answers=lambda data: data)


def position_receiver() -> Stranger:
    """A satellite receiver that tells its position."""
    return Stranger(says=lambda _: NMEA, every=0.2)


def modem() -> Stranger:
    """A modem that calls everything well."""
    return Stranger(answers=lambda _: b"\r\nOK\r\n")


def modem_with_echo() -> Stranger:
    """A modem that repeats the line and calls it an error."""
    return Stranger(answers=lambda data: data + b"\r\nERROR\r\n")


def zeros() -> Stranger:
    """A line whose idle level is wrong."""
    return Stranger(says=lambda _: bytes(64), every=0.01)


def silence() -> Stranger:
    """Nothing at all."""
    return Stranger()


def noise() -> Stranger:
    """Random bytes, as from a wrong baud rate."""
    dice = random.Random(7)
    return Stranger(says=lambda _: dice.randbytes(50), every=0.01)


def banner_and_old_frames() -> Stranger:
    """A controller that starts anew when it is spoken to, and then tells what it told last week."""
    return Stranger(answers=lambda _: BANNER + old_frames())


def old_frames_for_ever() -> Stranger:
    """A recording of last week's traffic that never ends."""
    return Stranger(says=lambda _: old_frames(), every=0.01)


STRANGERS: Final = (
    echo,
    position_receiver,
    modem,
    modem_with_echo,
    zeros,
    silence,
    noise,
    banner_and_old_frames,
    old_frames_for_ever,
)
