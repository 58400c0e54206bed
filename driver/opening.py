"""The opening of a set made here: what is published after play, and how a third party checks it.

May import: `driver.deals`, `driver.new_hands`, `driver.errors`. Read next: `start_sheet.py` (what is published before
play), `deals/fairness.py` (what is hashed and how), `cli/verify_set.py`. No store and no clock: a third party has none.

The opening is JSON that a person can read: the description word for word, the secrets, the public value, which boards
were dealt, and which board got the hands of which spare deal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from driver.deals.fairness import SPARES, Manifest, SpareUsed, parse_manifest, verify
from driver.deals.model import DealSet
from driver.errors import BadSyntax, UnknownFormat
from driver.new_hands import GivenSpare

LARGEST_FILE: Final = 1_000_000

_VERSION: Final = "deal-opening-1"
_SECRET: Final = re.compile(r"[0-9a-f]{64}")
UNCHANGED: Final = "Nothing was checked. Take the files exactly as they were published."


@dataclass(frozen=True, slots=True)
class HandsChanged:
    """A board that got the hands of a spare deal, and why; `copies` as in `GivenSpare`."""

    given: GivenSpare
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """All that a third party needs to make every board of a set again. Its repr shows no secret.

    `dealt` are the numbers of the boards that a machine dealt; `new_hands` those that got other hands, oldest first,
    None when nobody says (the parts came as single files).
    """

    manifest: Manifest
    secret: bytes = field(repr=False)
    public_value: str = ""
    second: bytes = field(default=b"", repr=False)
    name: str = ""
    dealt: tuple[int, ...] = ()
    new_hands: tuple[HandsChanged, ...] | None = None

    @property
    def void(self) -> tuple[int, ...]:
        """The boards whose first hands count in no copy any more, ascending."""
        given = {one.given.board for one in self.new_hands or () if not one.given.copies}
        return tuple(sorted(given))

    @property
    def text(self) -> str:
        """The opening as it is published. It tells every hand of the set."""
        new_hands = [
            {
                "board": one.given.board,
                "spare": one.given.spare,
                "copies": list(one.given.copies),
                "reason": one.reason,
            }
            for one in self.new_hands or ()
        ]
        values = {
            "v": _VERSION,
            "name": self.name,
            "commitment": self.manifest.commitment.hex(),
            "manifest": self.manifest.text,
            "secret": self.secret.hex(),
            "second_secret": self.second.hex(),
            "public_value": self.public_value,
            "dealt": list(self.dealt),
            "new_hands": new_hands,
            "void": list(self.void),
        }
        return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of one deal set that was played: board numbers, ascending as in the set.

    `equal` have the hands that were promised, `spares` those of a spare deal that was given to them, `strange` those of
    a spare deal that was not, or was used twice; `first` have their first hands although they got others; `differ` have
    hands from nowhere in the set, `outside` are no boards of it.
    """

    equal: tuple[int, ...]
    spares: tuple[SpareUsed, ...]
    strange: tuple[SpareUsed, ...]
    first: tuple[int, ...]
    differ: tuple[int, ...]
    outside: tuple[int, ...]

    @property
    def is_right(self) -> bool:
        """Whether there is at least one board, and each is as it should be."""
        return bool(self.equal or self.spares) and not (self.strange or self.first or self.differ or self.outside)


@dataclass(frozen=True, slots=True)
class Checked:
    """The whole check: `commitment` in 64 digits and whether it is the published one (None: none was given), whether
    the secrets are the promised ones, and what became of each deal set."""

    commitment: str
    commitment_right: bool | None
    secret_right: bool
    compared: tuple[Compared, ...]

    @property
    def is_right(self) -> bool:
        """Whether everything agrees."""
        agrees = self.secret_right and self.commitment_right is not False
        return agrees and bool(self.compared) and all(one.is_right for one in self.compared)


def check(opening: Opening, played: Sequence[DealSet], published: str = "") -> Checked:
    """Makes the boards again and compares. `published` is the commitment as it hung on the wall, "" when unknown.

    Raises ConfigError for a public value that the description does not promise.
    """
    found = [
        verify(opening.manifest, opening.secret, opening.public_value, one, second=opening.second, published=published)
        for one in (played or (DealSet("", None, ()),))
    ]
    return Checked(
        commitment=found[0].commitment,
        commitment_right=found[0].commitment_right,
        secret_right=found[0].secret_right,
        compared=tuple(
            _compared(one.equal, one.spares, one.differ, one.outside, opening.new_hands) for one in found[: len(played)]
        ),
    )


def _compared(
    equal: tuple[int, ...],
    used: tuple[SpareUsed, ...],
    differ: tuple[int, ...],
    outside: tuple[int, ...],
    given: tuple[HandsChanged, ...] | None,
) -> Compared:
    on = [one.spare for one in used]
    strange = tuple(one for one in used if on.count(one.spare) > 1 or one.spare not in _may_hold(one.board, given, one))
    first = tuple(board for board in equal if 0 not in _may_hold(board, given))
    return Compared(
        equal=tuple(board for board in equal if board not in first),
        spares=tuple(one for one in used if one not in strange),
        strange=strange,
        first=first,
        differ=differ,
        outside=outside,
    )


def _may_hold(board: int, given: tuple[HandsChanged, ...] | None, used: SpareUsed | None = None) -> set[int]:
    """The spare deals that some copy of a board holds at the end, 0 for its first hands.

    Where nobody says what was given, any one may be right.
    """
    if given is None:
        return {0} if used is None else {used.spare}
    held: set[int] = set()
    for one in reversed(given):
        if one.given.board == board:
            held.add(one.given.spare)
            if not one.given.copies:
                return held
    return held | {0}


def parse_opening(text: str) -> Opening:
    """The opening in that text. Raises BadSyntax when it is none, or contradicts itself; no message shows a secret."""
    try:
        values = json.loads(text)
        if not isinstance(values, dict) or values.get("v") != _VERSION:
            raise _no_opening("it is none of this version")
        opening = Opening(
            manifest=parse_manifest(_a(str, values["manifest"])),
            secret=_secret(_a(str, values["secret"])),
            public_value=_a(str, values["public_value"]),
            second=_secret(second) if (second := _a(str, values["second_secret"])) else b"",
            name=_a(str, values["name"]),
            dealt=tuple(_a(int, board) for board in _a(list, values["dealt"])),
            new_hands=tuple(_new_hands(_a(dict, one)) for one in _a(list, values["new_hands"])),
        )
        told = values["commitment"], values["void"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _no_opening("a part is missing or cannot be read") from None
    if told != (opening.manifest.commitment.hex(), list(opening.void)):
        raise _no_opening("its parts contradict each other")
    if bool(opening.second) != bool(opening.manifest.second_sha256):
        raise _no_opening("the second secret is missing, or was never promised")
    return opening


def _new_hands(values: dict[str, Any]) -> HandsChanged:
    board, spare = _a(int, values["board"]), _a(int, values["spare"])
    copies = tuple(_a(str, copy) for copy in _a(list, values["copies"]))
    if board < 1 or not 1 <= spare <= SPARES:
        raise ValueError("there is no such board or spare deal")
    return HandsChanged(GivenSpare(board, spare, copies), _a(str, values["reason"]))


def _a(kind: type[Any], value: object) -> Any:
    if type(value) is not kind:
        raise TypeError("a value of another kind")
    return value


def _no_opening(why: str) -> BadSyntax:
    return BadSyntax(f"This is not the opening of a deal set: {why}.", hint=UNCHANGED)


def secret_in(text: str) -> bytes:
    """The secret in a file of its own: 64 hexadecimal digits. Raises BadSyntax, which does not show it."""
    try:
        return _secret("".join(text.split()).lower())
    except ValueError:
        raise BadSyntax("There is no secret of 64 digits in the file.", hint=UNCHANGED) from None


def second_secret(path: Path | None) -> bytes:
    """The second person's secret in that file; empty without one. Raises DealFileError, which does not show it."""
    return b"" if path is None else secret_in(read_text(path))


def _secret(text: str) -> bytes:
    if not _SECRET.fullmatch(text):
        raise ValueError("a secret has 64 hexadecimal digits")
    return bytes.fromhex(text)


def read_text(path: Path, *, hint: str = UNCHANGED) -> str:
    """The text of a small file. Raises UnknownFormat, with that hint, when it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) <= LARGEST_FILE:
            return data.decode("utf-8-sig")
    except (OSError, ValueError):
        pass
    raise UnknownFormat("The file cannot be read.", path=path, hint=hint)
