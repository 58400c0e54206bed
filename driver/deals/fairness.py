"""Deals that can be checked afterwards: from a secret and an announced description to every board, bit by bit.

May import: `numbering.py`, `public_value.py`, `model.py`, `driver.errors` and the standard library; it asks for no
randomness and opens no file. Read next: `generator.py`, which makes the secrets.

What is hashed, so that anybody can do it without this program (SHA-256 throughout; ‖ joins bytes, ␀ is a zero byte):

- digest of a secret S: "bridge-secret-v1␀" ‖ S; two secrets become one: "bridge-two-person-v1␀" ‖ S1 ‖ S2; a players'
  cut is mixed in as a second secret, the hash of "bridge-players-cut-v1␀" ‖ the text;
- the description of a set is JSON in UTF-8 with sorted keys and no spaces; its commitment, published before play:
  "bridge-manifest-v1␀" ‖ description;
- key K: HKDF with input S, salt the hash of "bridge-beacon-v1␀" ‖ public value, info "bridge-deal-v1␀" ‖ commitment;
- candidate number `attempt` (from 0) of a board: the first 12 bytes of HMAC(K, "deal␀" ‖ set ‖ ␀ ‖ board ‖ attempt),
  both numbers in four bytes, high byte first; the first candidate below the number of deals is the deal, in Big Deal's
  order. A candidate is never reduced by division: that would deal some hands twice as often.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import count
from typing import Final

from driver.deals.model import BoardDeal, Deal
from driver.deals.numbering import DEALS, Order, deal_at
from driver.deals.public_value import NO_RULE, PublicRule, ValueKind, canonical_value
from driver.errors import BadSyntax, ConfigError

SECRET_SIZE: Final = 32
SPARES: Final = 4
ORIGINAL: Final = "original"
SPARE_SET: Final = "reserve-1"
"""Spare deal n of a set is board n of this one."""
MOST_BOARDS: Final = 1000
LONGEST_TEXT: Final = 200
LONGEST_DESCRIPTION: Final = 16_384

_VERSION: Final = "deal-commit-1"
_STREAM: Final = "hkdf+hmac-sha256/96"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SET_NAME: Final = re.compile(r"original|reserve-[1-9][0-9]{0,3}")
_BOARDS: Final = re.compile(r"([1-9][0-9]{0,4})-([1-9][0-9]{0,4})")
_HIGHEST: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a set: what is promised before the deals are known. Nothing in it tells a hand.

    `secret_sha256` is the digest of the secret in 64 hexadecimal digits; `second_sha256` that of the second person's,
    "" when one person makes the set. `boards` is "first-last". The texts may be empty, as in every game set. Raises
    ValueError for a field that breaks its form.
    """

    secret_sha256: str
    boards: str
    club: str = ""
    event: str = ""
    session: str = ""
    sets: tuple[str, ...] = (ORIGINAL, SPARE_SET)
    rule: PublicRule = NO_RULE
    second_sha256: str = ""

    def __post_init__(self) -> None:
        if not _DIGEST.fullmatch(self.secret_sha256) or not _DIGEST.fullmatch(self.second_sha256 or self.secret_sha256):
            raise ValueError("a digest has 64 hexadecimal digits in small letters")
        match = _BOARDS.fullmatch(self.boards)
        if match is None or not 0 <= int(match[2]) - int(match[1]) < MOST_BOARDS:
            raise ValueError(f'boards are written as "1-36", ascending and at most {MOST_BOARDS}')
        if ORIGINAL not in self.sets or len(set(self.sets)) < len(self.sets) or not all(map(_is_set, self.sets)):
            raise ValueError('the sets are "original" and "reserve-n", each once')
        for text in (self.club, self.event, self.session):
            if len(text) > LONGEST_TEXT or not text.isprintable():
                raise ValueError(f"a text is one line of at most {LONGEST_TEXT} letters")

    @property
    def numbers(self) -> range:
        """The board numbers, ascending."""
        first, _, last = self.boards.partition("-")
        return range(int(first), int(last) + 1)

    @property
    def text(self) -> str:
        """The description as it is stored and published: JSON with sorted keys and no spaces."""
        values: dict[str, object] = {
            "v": _VERSION,
            "club": self.club,
            "event": self.event,
            "session": self.session,
            "boards": self.boards,
            "sets": list(self.sets),
            "order": Order.BIGDEAL.value,
            "stream": _STREAM,
            "beacon": {"kind": self.rule.kind.value, "rule": self.rule.text},
            "secret_sha256": self.secret_sha256,
        }
        if self.second_sha256:
            values["second_sha256"] = self.second_sha256
        return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def commitment(self) -> bytes:
        """32 bytes that fix the whole description; published before play, never shortened."""
        return hashlib.sha256(b"bridge-manifest-v1\0" + self.text.encode()).digest()


def parse_manifest(text: str) -> Manifest:
    """The description in that text, with spaces and line ends anywhere between its parts.

    Raises BadSyntax for anything that is not a whole description of this version: an unknown part cannot be left out,
    since the commitment covers it.
    """
    if len(text) > LONGEST_DESCRIPTION:
        raise _not_a_description("it is too long")
    try:
        values = json.loads(text, object_pairs_hook=_once_each)
        if (values.pop("v"), values.pop("order"), values.pop("stream")) != (_VERSION, Order.BIGDEAL.value, _STREAM):
            raise _not_a_description("it was made by another version of the program")
        beacon = values.pop("beacon")
        rule = PublicRule(ValueKind(beacon.pop("kind")), _text(beacon.pop("rule")))
        names = values.pop("sets")
        texts = {field.name: _text(values.pop(field.name)) for field in fields(Manifest) if field.name in values}
        if values or beacon or not isinstance(names, list) or texts.get("second_sha256") == "":
            raise _not_a_description("it has parts that this version does not know")
        return Manifest(**texts, sets=tuple(map(_text, names)), rule=rule)
    except ConfigError as error:
        raise _not_a_description("its rule for the public value cannot be read") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _not_a_description("a part is missing or cannot be read") from error


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return values


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def _not_a_description(why: str) -> BadSyntax:
    return BadSyntax(
        f"This is not the description of a deal set: {why}.",
        hint="Nothing was dealt. Take the description exactly as it was published.",
    )


def _is_set(name: str) -> bool:
    return _SET_NAME.fullmatch(name) is not None


def secret_digest(secret: bytes) -> str:
    """What is published of a secret before play, 64 hexadecimal digits. Raises ValueError unless it has 32 bytes."""
    return hashlib.sha256(b"bridge-secret-v1\0" + _checked(secret)).hexdigest()


def combined(first: bytes, second: bytes) -> bytes:
    """The secret of two persons, neither of whom knows the deals alone. Raises ValueError unless 32 bytes each."""
    return hashlib.sha256(b"bridge-two-person-v1\0" + _checked(first) + _checked(second)).digest()


def with_cut(secret: bytes, cut: str) -> bytes:
    """The secret after the players' cut: any text that a player says before the secret is fixed, hashed in."""
    return combined(secret, hashlib.sha256(b"bridge-players-cut-v1\0" + cut.encode(errors="replace")).digest())


def _checked(secret: bytes) -> bytes:
    if len(secret) != SECRET_SIZE:
        raise ValueError(f"a secret has {SECRET_SIZE} bytes")
    return secret


def session_key(manifest: Manifest, secret: bytes, public_value: str = "", second: bytes = b"") -> bytes:
    """The key from which all deals of the set come, 32 bytes; it tells every hand, as the secret does.

    `second` is the second person's secret where the description names one. Raises ConfigError for a public value that
    is not what the rule promises, ValueError for secrets of a wrong size or number.
    """
    if bool(second) != bool(manifest.second_sha256):
        raise ValueError("the description says whether there is a second secret")
    value = canonical_value(manifest.rule, public_value)
    salt = hashlib.sha256(b"bridge-beacon-v1\0" + value.encode()).digest()
    extracted = hmac.digest(salt, combined(secret, second) if second else _checked(secret), "sha256")
    # One block of HKDF's expansion is as long as the key.
    return hmac.digest(extracted, b"bridge-deal-v1\0" + manifest.commitment + b"\x01", "sha256")


def candidate(key: bytes, set_name: str, board: int, attempt: int) -> int:
    """The number below 2⁹⁶ that is tried at that attempt (from 0)."""
    place = b"deal\0" + set_name.encode() + b"\0" + board.to_bytes(4, "big") + attempt.to_bytes(4, "big")
    return int.from_bytes(hmac.digest(key, place, "sha256")[:12], "big")


def deal_of(key: bytes, set_name: str, board: int) -> Deal:
    """The deal of a board in the set of that name. Raises ValueError for another name or a number out of range."""
    if not _is_set(set_name) or not 1 <= board <= _HIGHEST:
        raise ValueError("there is no such board or set")
    numbers = (candidate(key, set_name, board, attempt) for attempt in count())
    return deal_at(next(number for number in numbers if number < DEALS))


@dataclass(frozen=True, slots=True)
class SpareUsed:
    """Board `board` has the hands of spare deal `spare`: new hands were ordered, which must have been announced."""

    board: int
    spare: int


@dataclass(frozen=True, slots=True)
class Verification:
    """What a third party finds, who has the description, the secret and the hands that were played.

    `secret_right`: the secret (and the second one) is the one that the description fixed. `commitment_right`: the
    published commitment is that of the description; None when none was given. Then the board numbers: `equal` as
    promised, `spares` with a spare deal's hands, `differ` with other hands, `outside` not in the set at all.
    """

    commitment: str
    commitment_right: bool | None
    secret_right: bool
    equal: tuple[int, ...]
    spares: tuple[SpareUsed, ...]
    differ: tuple[int, ...]
    outside: tuple[int, ...]

    @property
    def is_right(self) -> bool:
        """Whether everything agrees and there was something to compare; boards with a spare deal's hands may be."""
        found = bool(self.equal or self.spares) and not (self.differ or self.outside)
        return found and self.secret_right and self.commitment_right is not False


def verify(
    manifest: Manifest,
    secret: bytes,
    public_value: str,
    boards: Iterable[BoardDeal],
    *,
    second: bytes = b"",
    published: str = "",
    set_name: str = ORIGINAL,
) -> Verification:
    """Compare hands that were played with those that the description and the secret give.

    `published` is the commitment as it hung on the wall: 64 hexadecimal digits, with any spaces. Raises as
    `session_key`.
    """
    key = session_key(manifest, secret, public_value, second)
    spares = {deal_of(key, SPARE_SET, number): number for number in range(1, SPARES + 1)}
    equal, used, differ, outside = [], [], [], []
    for board in boards:
        if board.number not in manifest.numbers:
            outside.append(board.number)
        elif board.deal == deal_of(key, set_name, board.number):
            equal.append(board.number)
        elif board.deal in spares and SPARE_SET in manifest.sets:
            used.append(SpareUsed(board.number, spares[board.deal]))
        else:
            differ.append(board.number)
    shown = "".join(published.split()).lower()
    right = secret_digest(secret) == manifest.secret_sha256
    return Verification(
        commitment=manifest.commitment.hex(),
        commitment_right=shown == manifest.commitment.hex() if shown else None,
        secret_right=right and (not second or secret_digest(second) == manifest.second_sha256),
        equal=tuple(equal),
        spares=tuple(used),
        differ=tuple(differ),
        outside=tuple(outside),
    )
