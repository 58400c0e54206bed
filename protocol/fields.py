"""The construct building blocks that the layouts in `messages.py` are made of.

May import: construct, `cards`, `constants` and the standard library. Read next: `messages.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, Final, Generic, TypeVar

from construct import Adapter, Bytes, Construct, Int8ul, Int16ul, Int32ul, Int64ul

from protocol.codes import Proof, RecordState
from protocol.constants import EVENT_DATA_SIZE

u8: Final = Int8ul
u16: Final = Int16ul
u32: Final = Int32ul
u64: Final = Int64ul

RECORD_SIZE: Final = 4
EVENT_ENTRY_SIZE: Final = 1 + EVENT_DATA_SIZE


class Code(int):
    """A code that this program does not know; to be treated as the gravest of its kind (PROTOCOL.md, *Growth*)."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """A name to show: CODE_ and the number."""
        return f"CODE_{int(self)}"

    def __repr__(self) -> str:
        return f"Code({int(self)})"

    __str__ = __repr__


_CODES_OF_STATES: Final = {int(state): state for state in RecordState}
_STATES: Final[tuple[RecordState | Code, ...]] = tuple(_CODES_OF_STATES.get(bits, Code(bits)) for bits in range(16))
_PROOFS: Final = tuple(Proof(bits) for bits in range(32))

E = TypeVar("E", bound=IntEnum)
F = TypeVar("F", bound=IntFlag)


class Translated(Adapter):  # type: ignore[misc]  # construct carries no types
    """A field whose value differs on the wire and in the program: `read` and `write` translate it."""

    def read(self, raw: Any) -> Any:
        """The value in the program."""
        raise NotImplementedError

    def write(self, value: Any) -> Any:
        """The value on the wire. Raises ValueError when there is none."""
        raise NotImplementedError

    def _decode(self, obj: Any, context: Any, path: str) -> Any:
        return self.read(obj)

    def _encode(self, obj: Any, context: Any, path: str) -> Any:
        return self.write(obj)


class CodeField(Translated, Generic[E]):
    """A one-byte code of the enum `codes`; an unknown number parses to `Code`."""

    def __init__(self, codes: type[E]) -> None:
        super().__init__(u8)
        self.codes = codes
        self._known = {int(code): code for code in codes}

    def read(self, raw: int) -> E | Code:
        return self._known[raw] if raw in self._known else Code(raw)

    def write(self, value: int) -> int:
        return int(value)


class FlagsField(Translated, Generic[F]):
    """A set of bits of the enum `flags`, in `field`; bits that nobody knows are dropped."""

    def __init__(self, flags: type[F], field: Construct) -> None:
        super().__init__(field)
        self.flags = flags
        self._all = 0
        for flag in flags:
            self._all |= int(flag)
        self._known: dict[int, F] = {}

    def read(self, raw: int) -> F:
        bits = raw & self._all
        found = self._known.get(bits)
        if found is None:  # making a set of flags is slow, and few different ones ever come
            found = self._known[bits] = self.flags(bits)
        return found

    def write(self, value: int) -> int:
        return int(value)


class FlagField(Translated):
    """One byte: 0 is False, everything else True; built as 0 or 1."""

    def __init__(self) -> None:
        super().__init__(u8)

    def read(self, raw: int) -> bool:
        return raw != 0

    def write(self, value: bool) -> int:
        return int(value)


def clean_text(raw: bytes) -> str:
    """Text from a device: up to the first zero, ASCII, everything that is not printable shown as "?"."""
    text = raw.split(b"\0", 1)[0].decode("ascii", "replace")
    return "".join(char if " " <= char <= "~" else "?" for char in text).strip()


class TextField(Translated):
    """ASCII text in `size` bytes, padded with zeros; cleaned when read, refused when too long to build."""

    def __init__(self, size: int) -> None:
        super().__init__(Bytes(size))
        self.size = size

    def read(self, raw: bytes) -> str:
        return clean_text(raw)

    def write(self, value: str) -> bytes:
        raw = value.encode("ascii", "replace")
        if len(raw) > self.size:
            raise ValueError(f"text of {len(raw)} characters, {self.size} at most")
        return raw.ljust(self.size, b"\0")


@dataclass(frozen=True, slots=True)
class LedgerRecord:
    """One ledger record: `identity` 0 … 51 or an `Unproven` value, `confidence` 1 … 255 (0 = not given)."""

    identity: int
    confidence: int
    pocket: int
    proof: Proof
    state: RecordState | Code
    attempts: int

    def to_bytes(self) -> bytes:
        """Its four bytes on the wire. Raises ValueError when a field does not fit its place."""
        proof, state = int(self.proof), int(self.state)
        if not (0 <= self.pocket <= 3 and 0 <= proof <= 63 and 0 <= state <= 15 and 0 <= self.attempts <= 15):
            raise ValueError("a field of a ledger record does not fit its bits")
        return bytes((self.identity, self.confidence, self.pocket | proof << 2, state | self.attempts << 4))

    @classmethod
    def from_bytes(cls, raw: bytes) -> LedgerRecord:
        """Reads four bytes; a record state that nobody knows becomes a `Code`."""
        identity, confidence, pocket_proof, state_attempts = raw
        proof, state = _PROOFS[pocket_proof >> 2 & 31], _STATES[state_attempts & 15]
        return cls(identity, confidence, pocket_proof & 3, proof, state, state_attempts >> 4)

    def __repr__(self) -> str:
        return f"LedgerRecord({self.state.name}, attempts={self.attempts})"


@dataclass(frozen=True, slots=True)
class EventEntry:
    """One event as READ_EVENTS gives it: its type, and its payload padded with zeros."""

    type: int
    data: bytes


class LedgerRecords(Translated):
    """The bytes of whole records as a tuple of `LedgerRecord`."""

    def read(self, raw: bytes) -> tuple[LedgerRecord, ...]:
        return tuple(LedgerRecord.from_bytes(raw[at : at + RECORD_SIZE]) for at in range(0, len(raw), RECORD_SIZE))

    def write(self, value: tuple[LedgerRecord, ...]) -> bytes:
        return b"".join(record.to_bytes() for record in value)


class EventEntries(Translated):
    """The bytes of whole entries as a tuple of `EventEntry`."""

    def read(self, raw: bytes) -> tuple[EventEntry, ...]:
        return tuple(
            EventEntry(raw[at], raw[at + 1 : at + EVENT_ENTRY_SIZE]) for at in range(0, len(raw), EVENT_ENTRY_SIZE)
        )

    def write(self, value: tuple[EventEntry, ...]) -> bytes:
        return b"".join(bytes((entry.type,)) + entry.data.ljust(EVENT_DATA_SIZE, b"\0") for entry in value)
