"""Makes deals: the only module that asks the operating system for randomness.

May import: `fairness.py`, `lesson.py`, `wishes.py`, `model.py`, `driver.errors` and the standard library. Read next:
`fairness.py` (from the secret to the deals), `lesson.py` (hands that a teacher wants).

A made set is its description and 32 secret bytes. Its hands are computed when they are needed and never stored. There
is no filter and no choice among deals: Law 6E4.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from driver.deals import lesson
from driver.deals.fairness import (
    ORIGINAL,
    SECRET_SIZE,
    SPARE_SET,
    SPARES,
    Manifest,
    deal_of,
    parse_manifest,
    secret_digest,
    session_key,
    with_cut,
)
from driver.deals.model import BoardDeal, Deal, DealSet, standard_dealer, standard_vulnerability
from driver.deals.public_value import NO_RULE, PublicRule, canonical_value, one_line
from driver.deals.wishes import Wish
from driver.errors import DealFileError, JobError

SET_SIZE: Final = 36
"""Boards in a set, however many are dealt first; further ones come in a supplement with a secret of its own."""


@dataclass(frozen=True, slots=True)
class Championship:
    """What only a championship set has: its names, the rule of its public value, and what others add to the secret.

    `cut` is a text that a player says before the secret is fixed; `second_sha256` the digest of the second person's
    own secret (`secret_digest`), which stays with that person until dealing.
    """

    club: str = ""
    event: str = ""
    session: str = ""
    rule: PublicRule = NO_RULE
    cut: str = ""
    second_sha256: str = ""


@dataclass(frozen=True, slots=True)
class MadeSet:
    """A made set: the description, and the secret from which the hands come. Its repr shows no secret.

    `public_value` is in its canonical form, "" until it is known; `second` is the second person's secret, empty until
    that person gives it.
    """

    manifest: Manifest
    secret: bytes = field(repr=False)
    public_value: str = ""
    second: bytes = field(default=b"", repr=False)

    @property
    def is_complete(self) -> bool:
        """Whether everything is there that the hands come from."""
        return bool(self.public_value or self.manifest.rule == NO_RULE) and bool(
            self.second or not self.manifest.second_sha256
        )

    def with_public_value(self, text: str) -> MadeSet:
        """The set with its public value. Raises ConfigError for one that the rule does not promise, JobError for
        another one than is known already: it is fixed once."""
        value = canonical_value(self.manifest.rule, text)
        if self.public_value not in ("", value):
            raise JobError("This set has its public value already, and it is another one.")
        return replace(self, public_value=value)

    def with_second(self, second: bytes) -> MadeSet:
        """The set with the second person's secret. Raises DealFileError when it is not the announced one."""
        _check_secret(second, self.manifest.second_sha256)
        return replace(self, second=second)

    def boards(self, numbers: Iterable[int] | None = None) -> tuple[BoardDeal, ...]:
        """The boards of those numbers, all without any, each with the dealer and vulnerability of Law 2.

        Raises JobError for a number that is not in the set, and while the public value or the second secret is missing.
        """
        wanted = list(self.manifest.numbers if numbers is None else numbers)
        strange = sorted(set(wanted).difference(self.manifest.numbers))
        if strange:
            raise JobError(
                f"Board {strange[0]} is not in this set, which has boards {self.manifest.boards}.",
                hint="Nothing was dealt. Make a further set for more boards.",
            )
        key = self._key()
        return tuple(
            BoardDeal(number, deal_of(key, ORIGINAL, number), standard_dealer(number), standard_vulnerability(number))
            for number in wanted
        )

    @property
    def spares(self) -> tuple[Deal, ...]:
        """The spare deals, first to last, for boards that get new hands; dealer and vulnerability are the board's.

        Raises JobError as `boards`.
        """
        key = self._key()
        return tuple(deal_of(key, SPARE_SET, number) for number in range(1, SPARES + 1))

    def deal_set(self, name: str) -> DealSet:
        """All boards as a deal set of that name. Raises JobError as `boards`."""
        return DealSet(name, None, self.boards(), event=self.manifest.event)

    def _key(self) -> bytes:
        if not self.is_complete:
            what = "second person's secret" if self.manifest.second_sha256 and not self.second else "public value"
            raise JobError(
                f"The hands of this set are not fixed yet: the {what} is missing.",
                hint="Nothing was dealt. Add it as soon as it is there; then deal.",
            )
        return session_key(self.manifest, self.secret, self.public_value, self.second)


def new_secret() -> bytes:
    """32 bytes from the operating system, which waits until it has gathered enough. Nothing else is a source."""
    return secrets.token_bytes(SECRET_SIZE)


def make(championship: Championship | None = None, *, first_board: int = 1) -> MadeSet:
    """A new set of 36 boards and 4 spare deals: a game set, or that championship's.

    `first_board` is 37 for the first supplement of a set that begins with 1. Raises ConfigError for a name that is not
    one line of at most 200 letters, ValueError for a board number or digest that a description cannot carry.
    """
    details = championship or Championship()
    secret = with_cut(new_secret(), details.cut) if details.cut else new_secret()
    manifest = Manifest(
        secret_sha256=secret_digest(secret),
        boards=f"{first_board}-{first_board + SET_SIZE - 1}",
        club=one_line(details.club),
        event=one_line(details.event),
        session=one_line(details.session),
        rule=details.rule,
        second_sha256=details.second_sha256,
    )
    return MadeSet(manifest, secret)


def remade(manifest_text: str, secret: bytes, public_value: str = "", second: bytes = b"") -> MadeSet:
    """The set again from what was kept of it; `public_value` and `second` are left out while they are not known.

    Raises BadSyntax for a description that cannot be read, DealFileError for a secret that is not its own, ConfigError
    for a public value that its rule does not promise.
    """
    manifest = parse_manifest(manifest_text)
    _check_secret(secret, manifest.secret_sha256)
    made = MadeSet(manifest, secret)
    if public_value:
        made = made.with_public_value(public_value)
    return made.with_second(second) if second else made


def _check_secret(secret: bytes, digest: str) -> None:
    if len(secret) != SECRET_SIZE or secret_digest(secret) != digest:
        raise DealFileError(
            "The secret does not belong to this set.",
            hint="Nothing was dealt. Take the secret and the description of the same set.",
        )


def fill_lesson(given: lesson.Given, wishes: Sequence[Wish] = (), *, tries: int = lesson.MOST_TRIES) -> Deal:
    """A deal for a lesson around the cards that are given; every completion that fits the wishes is equally likely.

    Raises BadDeal and JobError as `lesson.fill`. Such a deal never becomes one of a game or a championship.
    """
    return lesson.fill(given, secrets.token_bytes, wishes, tries=tries)
