"""Verifies a tournament that was dealt with SquareDeal: its published description and, after the event, its keys.

May import: `numbering.py`, `model.py`, `driver.errors` and the standard library; bytes in, a report out. Read next:
`numbering.py`. SquareDeal is Hans van Staveren's program; what is computed here was worked out from his description.

The keys are fixed by their digest in the description, before a public value is known. From a key (halves A and B) and
that value come all boards of a session: seed = RIPEMD160(B ‖ base64(value) ‖ "original" or "reserve"), then number n
(from 1) = the first 12 bytes of RIPEMD160(n in four bytes, low byte first ‖ seed ‖ RIPEMD160(A)); numbers below the
number of deals are the deals of the session's boards in turn, in Big Deal's order.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from driver.deals.model import Deal, DealSet
from driver.deals.numbering import DEALS, deal_at
from driver.errors import BadSyntax, ConfigError

LARGEST_FILE: Final = 1_000_000
MOST_SESSIONS: Final = 2_000
MOST_BOARDS: Final = 50_000

_RANGE: Final = re.compile(rb"([1-9][0-9]{0,3})(?:-([1-9][0-9]{0,3}))?")
_COUNT: Final = re.compile(rb"[1-9][0-9]{0,3}")
_KEY_LINE: Final = re.compile(rb"([1-9][0-9]{0,3}),([1-9][0-9]{0,3}):([!-9;-~]{2,200})")
_DIGEST: Final = re.compile(rb"[0-9a-fA-F]{64}")
_TAGS: Final = (b"TN", b"DI", b"DV", b"KH", b"SN")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a board belongs: phase and session from 1 as in the files, board number, and whether of a reserve set."""

    phase: int
    session: int
    board: int
    reserve: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One board that was compared: its number in its set, and where in the tournament its hands are, if anywhere."""

    board: int
    place: Place | None


@dataclass(frozen=True, slots=True)
class SquareDealReport:
    """What was found. `keys_right`: the keys are those that the description fixed before the value was known.

    `sessions` and `boards` count what was made again (without the reserve sets); `digest` is the SHA-256, in 64
    hexadecimal digits, over a line "phase,session,board,number" for each board in order. `compared` has, for each deal
    set that was given, what became of each of its boards.
    """

    name: str
    promise: str
    keys_right: bool
    sessions: int
    boards: int
    digest: str
    compared: tuple[tuple[Found, ...], ...]

    @property
    def is_right(self) -> bool:
        """Whether the keys are right, and every board that was compared is one of the tournament under its number."""
        found = (one for several in self.compared for one in several)
        return self.keys_right and all(one.place is not None and one.place.board == one.board for one in found)


def verify_squaredeal(description: bytes, keys: bytes, against: Sequence[DealSet] = ()) -> SquareDealReport:
    """Make every board of a tournament again from the contents of its .sqd and .sqk files.

    `against` are sets that were played; their boards are found by the hands, in the original sets first, then in the
    reserve sets. Raises BadSyntax with the line for a file that is malformed, and when the public
    value is not in the description yet; ConfigError where this computer's Python lacks RIPEMD-160.
    """
    tournament = _read_description(description)
    secrets = _read_keys(keys, tournament)
    wanted = {board.deal for one in against for board in one}
    places: dict[Deal, Place] = {}
    digest = hashlib.sha256()
    boards = 0
    for reserve in (False, True) if wanted else (False,):
        for (phase, session), numbers in tournament.sessions.items():
            indices = _indices(secrets[phase, session], tournament.value, reserve=reserve)
            for board, index in zip(numbers, indices, strict=False):
                if not reserve:
                    digest.update(f"{phase},{session},{board},{index}\n".encode())
                    boards += 1
                if wanted and (deal := deal_at(index)) in wanted:
                    places.setdefault(deal, Place(phase, session, board, reserve))
    return SquareDealReport(
        name=tournament.name,
        promise=tournament.promise,
        keys_right=hashlib.sha256(_with_line_ends(keys)).hexdigest() == tournament.keys_digest,
        sessions=len(tournament.sessions),
        boards=boards,
        digest=digest.hexdigest(),
        compared=tuple(tuple(Found(board.number, places.get(board.deal)) for board in one) for one in against),
    )


@dataclass(slots=True)
class _Tournament:
    """A description as read: the board numbers of each (phase, session) in order; the value as bytes."""

    name: str = ""
    promise: str = ""
    value: bytes = b""
    keys_digest: str = ""
    sessions: dict[tuple[int, int], range] = field(default_factory=dict)


def _lines(data: bytes, what: str) -> Iterator[tuple[int, bytes]]:
    if len(data) > LARGEST_FILE:
        raise _malformed(f"This is no {what} of SquareDeal: it is too large.", None)
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            yield number, line.strip()


def _read_description(data: bytes) -> _Tournament:
    tournament = _Tournament()
    texts: dict[bytes, bytes] = {}
    phase = 0
    for number, line in _lines(data, "description"):
        tag, _, text = line.partition(b" ")
        if line.startswith(b"#"):
            continue
        if tag not in _TAGS:
            raise _malformed("This line begins with none of TN, DI, DV, SN and KH.", number)
        if tag == b"SN":
            phase += 1
            _add_phase(tournament, phase, text, number)
        elif tag in texts:
            raise _malformed(f"{tag.decode()} is there twice.", number)
        else:
            texts[tag] = text.strip()
            if tag == b"KH" and not _DIGEST.fullmatch(texts[tag]):
                raise _malformed("The digest of the keys has not 64 hexadecimal digits.", number)
    if b"KH" not in texts or not tournament.sessions:
        raise _malformed("The description has no digest of the keys (KH) or no phases (SN).", None)
    if not texts.get(b"DV"):
        raise _malformed("The public value (DV) is not in the description yet: the boards are not fixed.", None)
    tournament.value = texts[b"DV"]
    tournament.name = _shown(texts.get(b"TN", b""))
    tournament.promise = _shown(texts.get(b"DI", b""))
    tournament.keys_digest = texts[b"KH"].decode().lower()
    return tournament


def _shown(text: bytes) -> str:
    decoded = text[:200].decode("utf-8", errors="replace")
    return "".join(letter if letter.isprintable() else "�" for letter in decoded)


def _add_phase(tournament: _Tournament, phase: int, text: bytes, line: int) -> None:
    parts = text.split(b":")
    if len(parts) < 2 or not _COUNT.fullmatch(parts[0].strip()):
        raise _malformed("A phase begins with its number of sessions and a colon.", line)
    ranges = [_boards(part.strip(), line) for part in parts[1].split(b",")]
    # The ranges take turns: with two of them, sessions 1, 3, 5 … have the first one.
    for session in range(1, int(parts[0]) + 1):
        tournament.sessions[phase, session] = ranges[(session - 1) % len(ranges)]
    if len(tournament.sessions) > MOST_SESSIONS or sum(map(len, tournament.sessions.values())) > MOST_BOARDS:
        raise _malformed(f"These are more than {MOST_SESSIONS} sessions or {MOST_BOARDS} boards.", line)


def _boards(text: bytes, line: int) -> range:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise _malformed("The boards of a session are written as 16 or as 17-32.", line)
    first, last = (1, int(match[1])) if match[2] is None else (int(match[1]), int(match[2]))
    if last < first:
        raise _malformed("The boards of a session descend.", line)
    return range(first, last + 1)


def _read_keys(data: bytes, tournament: _Tournament) -> dict[tuple[int, int], bytes]:
    keys: dict[tuple[int, int], bytes] = {}
    for number, line in _lines(data, "file of keys"):
        match = _KEY_LINE.fullmatch(line)
        if match is None:
            raise _malformed("A line of the keys is phase, comma, session, colon and key.", number)
        place = int(match[1]), int(match[2])
        if place in keys or place not in tournament.sessions:
            raise _malformed(f"Session {place[0]},{place[1]} is there twice, or not in the description.", number)
        keys[place] = match[3]
    missing = next((place for place in tournament.sessions if place not in keys), None)
    if missing is not None:
        raise _malformed(f"Session {missing[0]},{missing[1]} has no key.", None)
    return keys


def _with_line_ends(keys: bytes) -> bytes:
    """The keys as they were hashed: each line ended by carriage return and line feed, whatever the copy has."""
    return b"".join(line.rstrip(b"\r\n") + b"\r\n" for line in keys.splitlines())


def _indices(key: bytes, value: bytes, *, reserve: bool) -> Iterator[int]:
    half = len(key) // 2
    seed = _ripemd160(key[half:] + b64encode(value) + (b"reserve" if reserve else b"original"))
    owner = _ripemd160(key[:half])
    return big_deal_numbers(seed, owner)


def big_deal_numbers(seed: bytes, owner: bytes) -> Iterator[int]:
    """Big Deal's endless stream of deal numbers from a seed and the digest of the owner's name, 20 bytes each."""
    for number in count(1):
        index = int.from_bytes(_ripemd160(number.to_bytes(4, "little") + seed + owner)[:12], "big")
        if index < DEALS:
            yield index


def _ripemd160(data: bytes) -> bytes:
    try:
        return hashlib.new("ripemd160", data).digest()
    except ValueError as error:
        raise ConfigError(
            "This computer's Python lacks RIPEMD-160, with which SquareDeal works.",
            key="ripemd160",
            source="OpenSSL",
            hint="Nothing was checked. Try a newer Python, or another computer.",
        ) from error


def _malformed(sentence: str, line: int | None) -> BadSyntax:
    return BadSyntax(sentence, line=line, hint="Nothing was checked. Take both files exactly as they were published.")
