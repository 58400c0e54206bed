"""Every code of PROTOCOL.md, in the order of that page: one class for each of its tables.

May import: the standard library. Read next: `messages/`. A test compares each class here with its table.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag, unique
from typing import Final


@unique
class Kind(IntEnum):
    """What a frame is; bit 7 set = machine to host."""

    HELLO = 0x01
    REQUEST = 0x02
    BEAT = 0x03
    STOP = 0x04
    HELLO_ACK = 0x81
    ANSWER = 0x82
    EVENT = 0x83
    TICK = 0x84
    STOPPED = 0x85
    LOG = 0x86

    @property
    def from_machine(self) -> bool:
        """True for the kinds that only a machine sends."""
        return bool(self & 0x80)


@unique
class RequestType(IntEnum):
    """The type byte of a REQUEST, and of the answer that is not a refusal."""

    IDENTIFY = 1
    STATUS = 2
    ARM = 3
    GO = 4
    PAUSE = 5
    CLEAR = 6
    CLOSE = 7
    READ_LEDGER = 8
    READ_EVENTS = 9
    LEARN = 16
    SERVICE = 17
    ENTER_BOOTLOADER = 18


RESERVED_REQUESTS: Final = frozenset({RequestType.LEARN, RequestType.SERVICE, RequestType.ENTER_BOOTLOADER})
REFUSED: Final = 127
"""The type byte of an answer that refuses."""


@unique
class EventType(IntEnum):
    """The type byte of an EVENT."""

    BOOT = 1
    RUN = 2
    CARD = 3
    FAULT = 4
    BOARD = 5
    COVER = 6
    HOPPER = 7
    KEY = 8


@unique
class ResetCause(IntEnum):
    """Why the machine started."""

    UNKNOWN = 0
    POWER_ON = 1
    BROWN_OUT = 2
    WATCHDOG = 3
    RESET_PIN = 4
    SOFTWARE = 5


@unique
class Recognition(IntEnum):
    """Where cards are read."""

    NONE = 0
    PATH = 1
    HOPPER = 2


@unique
class LedgerKind(IntEnum):
    """What of a run survives a restart."""

    NONE = 0
    RUN = 1
    CARD = 2


@unique
class PocketSensing(IntEnum):
    """Whether pockets are sensed."""

    NO = 0
    SENSED = 1


@unique
class BoardSensing(IntEnum):
    """What the board slot senses."""

    NONE = 0
    PRESENCE = 1
    NUMBER = 2


@unique
class HopperSensing(IntEnum):
    """Whether an empty hopper is sensed."""

    NO = 0
    EMPTY = 1


class Feature(IntFlag):
    """Sensors and channels that a machine may have besides."""

    BACKS = 1 << 0
    THICKNESS = 1 << 1
    STOP_CARD = 1 << 2
    COVER = 1 << 3
    KEYS = 1 << 4
    LOG = 1 << 5
    SIMULATED = 1 << 6


class Sensor(IntFlag):
    """What the machine senses at this moment."""

    COVER_OPEN = 1 << 0
    BOARD_PRESENT = 1 << 1
    BOARD_TURNED = 1 << 2
    HOPPER_CARDS = 1 << 3
    READER_CARD = 1 << 4
    PATH_CARD = 1 << 5
    STOP_CARD = 1 << 6
    POCKET_N = 1 << 8
    POCKET_E = 1 << 9
    POCKET_S = 1 << 10
    POCKET_W = 1 << 11


class RunFlag(IntFlag):
    """What happened to the open run besides its state."""

    RESTARTED = 1 << 0
    REFED = 1 << 1
    MORE_PACKS = 1 << 2


class NextStep(IntFlag):
    """What may be asked of the machine next."""

    ARM_NEW = 1 << 0
    GO_ON = 1 << 1
    CLOSE = 1 << 2
    CLEAR = 1 << 3


@unique
class Routing(IntEnum):
    """How a card finds its pocket."""

    BY_IDENTITY = 1
    BY_ORDER = 2


@unique
class AnomalyMode(IntEnum):
    """What a card that is not as it should be does to the run."""

    STOP = 1
    REPORT = 2


class Confirmation(IntFlag):
    """What a person confirmed because the machine cannot sense it."""

    BOARD_NUMBER = 1 << 0
    SAME_BOARD_EMPTIED = 1 << 1
    POCKETS_EMPTY = 1 << 2
    HOPPER_LOADED = 1 << 3
    SENSOR_N_OUT = 1 << 4
    SENSOR_E_OUT = 1 << 5
    SENSOR_S_OUT = 1 << 6
    SENSOR_W_OUT = 1 << 7


@unique
class RecordState(IntEnum):
    """State of one ledger record; it changes upward only."""

    FED = 1
    DROPPED = 2
    DOUBT = 3


class Proof(IntFlag):
    """What the machine's sensors proved of one card."""

    LEFT_HOPPER = 1 << 0
    READ = 1 << 1
    GATE = 1 << 2
    LEFT_PATH = 1 << 3
    SENSED = 1 << 4


@unique
class Refusal(IntEnum):
    """Why a request was refused."""

    NO_CONNECTION = 1
    NUMBER_REUSED = 2
    UNKNOWN_TYPE = 3
    BAD_PAYLOAD = 4
    OUT_OF_RANGE = 5
    NOT_NOW = 6
    STALE = 7
    RUN_OPEN = 8
    RUN_KNOWN = 9
    RUN_CHANGED = 10
    SAME_BOARD = 11
    POCKETS_NOT_EMPTY = 12
    BOARD_TURNED = 13
    WRONG_BOARD = 14
    TOKEN_DEAD = 15
    CHECK_FAILED = 16
    CANNOT_GO_ON = 17
    GONE = 18
    NOT_SUPPORTED = 19


@unique
class RangeField(IntEnum):
    """The field that OUT_OF_RANGE names."""

    RUN = 1
    BOARD = 2
    ROUTING = 3
    ON_ANOMALY = 4
    PUT_BACK = 5
    FIRST = 6
    DESTINATIONS = 7


@unique
class Check(IntEnum):
    """The check of ARM (or CLEAR) that failed."""

    FAULT_LATCHED = 1
    COVER = 2
    BOARD_MISSING = 3
    BOARD_UNCONFIRMED = 4
    POCKETS_UNCONFIRMED = 5
    PATH = 6
    HOPPER = 7
    HOPPER_UNCONFIRMED = 8


@unique
class TokenEnd(IntEnum):
    """Why a token is dead."""

    USED = 1
    EXPIRED = 2
    REPLACED = 3
    STOPPED = 4
    FAULT = 5
    CHANGED = 6
    NO_TOKEN = 7


@unique
class State(IntEnum):
    """State of the machine's run."""

    NONE = 0
    MOVING = 1
    PAUSED = 2
    DONE = 3


@unique
class PauseReason(IntEnum):
    """Why a run is PAUSED; NONE in every other state."""

    NONE = 0
    PAUSE = 1
    HOST_LOST = 2
    HOST_CHANGED = 3
    FAULT = 4
    STOP = 5
    RESTART = 6


@unique
class PackEnd(IntEnum):
    """What lay in the hopper when the 52nd card had left it."""

    UNKNOWN = 0
    EMPTY = 1
    STOP_CARD = 2
    BACK_CHANGE = 3
    OPEN = 4
    OVER = 5

    @property
    def proven(self) -> bool:
        """True when the machine saw that the pack had ended."""
        return self in (PackEnd.EMPTY, PackEnd.STOP_CARD, PackEnd.BACK_CHANGE)


@unique
class FaultCode(IntEnum):
    """A latched fault; NONE when nothing is latched."""

    NONE = 0
    NO_FEED = 1
    HOPPER_EMPTY = 2
    JAM = 3
    DOUBLE_FEED = 4
    FACE_UP = 5
    UNREADABLE = 6
    FOREIGN_CARD = 7
    DUPLICATE_CARD = 8
    WRONG_POCKET = 9
    POCKET_SILENT = 10
    COVER_OPEN = 11
    BOARD_OUT = 12
    WRONG_BACK = 13
    NO_PROGRESS = 14
    MEMORY = 15
    PACK_SHORT = 16


@unique
class FaultClass(IntEnum):
    """Who can cure a fault; NONE when nothing is latched."""

    NONE = 0
    INFO = 1
    OPERATOR = 2
    SERVICE = 3
    FATAL = 4


_SERVICE: Final = dict.fromkeys((FaultCode.NO_PROGRESS, FaultCode.MEMORY), FaultClass.SERVICE)
FAULT_CLASS: Final = {fault: FaultClass.OPERATOR for fault in FaultCode if fault} | _SERVICE


@unique
class Place(IntEnum):
    """Where a card lies; gates and pockets carry the pocket's number."""

    UNKNOWN = 0
    HOPPER = 1
    READER = 2
    PATH = 3
    GATE_0 = 16
    GATE_1 = 17
    GATE_2 = 18
    GATE_3 = 19
    POCKET_0 = 32
    POCKET_1 = 33
    POCKET_2 = 34
    POCKET_3 = 35


@unique
class Obstacle(IntEnum):
    """Why an open run cannot go on; NONE when it can."""

    NONE = 0
    DOUBT = 1
    DOUBLE_FEED = 2
    DUPLICATE = 3
    POCKET = 4
    BOARD = 5
    RESTART = 6
    BY_ORDER = 7
    INDEX = 8


@unique
class Key(IntEnum):
    """A key on the machine."""

    START = 1
    PAUSE = 2
    STOP = 3
