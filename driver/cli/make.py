"""`dealctl make`: makes a set for a game, a championship or a lesson, stores it, and says what to do next. Blind (I7).

May import: `driver.making`, `driver.lessons`, `which_set`, `new_passphrase`. Read next: `driver/making.py`, `sets.py`.
A game takes one command and no question. Filters and choices are for lessons alone.
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.new_file import ONLY_OURS, write_new
from driver.cli.new_passphrase import new_passphrase
from driver.cli.which_set import open_store, spares_of
from driver.clock import utc_now
from driver.club import kept_club
from driver.deals.fairness import secret_digest
from driver.deals.generator import SET_SIZE, Championship, new_secret
from driver.deals.public_value import (
    NO_RULE,
    PublicRule,
    check_is_ahead,
    closing_value_rule,
    lottery_rule,
    one_line,
    randomness_rule,
    text_rule,
)
from driver.deals.wishes import Wish, parse_wishes
from driver.errors import BadSyntax, ConfigError, RefusedByLaw
from driver.lessons import LessonBoard, make_lesson, open_boards, picked, read_lesson
from driver.making import make_sets
from driver.store.stored import Added, SetKind, StoredSet

USUAL_BOARDS: Final = 24
"""Boards of an evening, where nobody says how many."""
_ONLY_CHAMPIONSHIP: Final = ("club", "value_from", "second_digest", "cut")
_ONLY_LESSON: Final = ("filter", "pick")
_DIGEST_DIGITS: Final = 64
DEALERS_PLAY: Final = (
    "Those who deal also play here: no hand is shown as long as nobody asks for one; --sealed closes a set even then."
)
"""Said where a set is made that anybody at this computer can open."""


def run(args: Namespace) -> int:
    """Makes the set or the sets."""
    if args.second_person is not None:
        return _make_second_secret(args)
    kind = _kind_of(args)
    _refuse_strange_options(kind, args)
    day = _day_in(args.date)
    name, event = one_line(args.name or "") or None, one_line(args.event or "")
    boards = args.boards or USUAL_BOARDS
    # Whatever is wrong is said before anybody types a passphrase.
    details = _details_in(args, day) if kind is SetKind.CHAMPIONSHIP else None
    lesson = _lesson_in(args, boards) if kind is SetKind.LESSON else ()
    wishes = _wishes_in(args.filter or "")
    seal = new_passphrase(args) if kind is SetKind.CHAMPIONSHIP or args.sealed or args.passphrase_file else None
    with open_store(args) as store:
        if kind is SetKind.LESSON:
            made: tuple[Added, ...] = (
                make_lesson(store, lesson, wishes, name=name, event=event, date=day, seal=seal, now=utc_now),
            )
        else:
            made = make_sets(
                store, kind, name=name, boards=boards, details=details, event=event, date=day, seal=seal, now=utc_now
            )
        club = kept_club(store.decisions)
    _tell(made, args)
    if club.dealers_play and seal is None and not args.json:
        put(DEALERS_PLAY)
    return Exit.ALL_GOOD


def _kind_of(args: Namespace) -> SetKind:
    if args.lesson is not None:
        return SetKind.LESSON
    return SetKind.CHAMPIONSHIP if args.championship else SetKind.GAME


def _refuse_strange_options(kind: SetKind, args: Namespace) -> None:
    if kind is not SetKind.LESSON and (strange := _given(args, _ONLY_LESSON)):
        raise RefusedByLaw(
            f"A {kind.value} set takes the deals as they come, without {strange}: Law 6E4 asks of every way of dealing "
            "the same wholly random expectation as of shuffling and dealing by hand.",
            law="6E4",
            hint="Nothing was made. Leave it out, or make a lesson with --lesson.",
        )
    if kind is not SetKind.CHAMPIONSHIP and (strange := _given(args, _ONLY_CHAMPIONSHIP)):
        raise ConfigError(
            f"Only a championship has {strange}.",
            key=strange,
            hint="Nothing was made. Leave it out, or make a championship with --championship.",
        )
    if kind is SetKind.CHAMPIONSHIP and (args.boards or 0) > SET_SIZE:
        raise ConfigError(
            f"A championship set has {SET_SIZE} boards.",
            key="--boards",
            hint="Nothing was made. Make a set for each session.",
        )
    if kind is SetKind.LESSON:
        if args.lesson and args.boards is not None:
            raise ConfigError(
                "The boards of this lesson are those of its file.",
                key="--boards",
                hint="Nothing was made. Leave --boards out; --pick takes some of them.",
            )
        if args.pick is not None and not args.lesson:
            raise ConfigError("--pick takes boards of a file.", key="--pick", hint="Nothing was made. Name the file.")


def _given(args: Namespace, names: Sequence[str]) -> str:
    """The first of these options that was given, as it is typed; "" for none."""
    return next((f"--{name.replace('_', '-')}" for name in names if getattr(args, name) is not None), "")


def _day_in(text: str | None) -> str:
    if text is None:
        return ""
    try:
        return date.fromisoformat(text.strip().replace(".", "-").replace("/", "-")).isoformat()
    except ValueError:
        raise ConfigError(
            f"This is no date: {text[:20]!r}.",
            key="--date",
            value=text[:20],
            hint="Nothing was made. Write it as 2026-12-01.",
        ) from None


def _lesson_in(args: Namespace, boards: int) -> tuple[LessonBoard, ...]:
    if not args.lesson:
        return open_boards(boards)
    found = read_lesson(Path(args.lesson))
    return found if args.pick is None else picked(found, args.pick)


def _details_in(args: Namespace, day: str) -> Championship:
    return Championship(
        club=args.club or "",
        event=args.event or "",
        # Each set of an event is for one session: the description says for which.
        session=", ".join(text for text in (day, args.name) if text),
        rule=_rule_ahead(args.value_from),
        cut=args.cut or "",
        second_sha256=_digest_in(args.second_digest),
    )


def _wishes_in(text: str) -> tuple[Wish, ...]:
    try:
        return parse_wishes(text)
    except BadSyntax as error:
        raise ConfigError(
            str(error),
            key="--filter",
            hint='Nothing was made. Wishes read like "N: 15-17 hcp, balanced; S: 5+ hearts".',
        ) from None


def _rule_ahead(text: str | None) -> PublicRule:
    rule = _rule_in(text)
    check_is_ahead(rule, utc_now())
    return rule


def _rule_in(text: str | None) -> PublicRule:
    """The rule in "lottery:NAME:DAY", "closing:NAME:DAY", "round:NETWORK:NUMBER", or words with one day in them."""
    if text is None:
        return NO_RULE
    kind, _, rest = text.partition(":")
    name, _, last = rest.rpartition(":")
    kind, name, last = kind.strip().lower(), name.strip(), last.strip()
    if kind == "round" and last.isascii() and last.isdigit() and len(last) < 12:
        return randomness_rule(name, int(last))
    if kind in ("lottery", "closing"):
        try:
            day = date.fromisoformat(last)
        except ValueError:
            raise ConfigError(
                "The public value needs a day, written as 2026-11-29.",
                key="--value-from",
                value=text[:80],
                hint="Nothing was made. Write it as lottery:NAME:2026-11-29 or closing:NAME:2026-11-29.",
            ) from None
        return lottery_rule(name, day) if kind == "lottery" else closing_value_rule(name, day)
    return text_rule(text)


def _digest_in(text: str | None) -> str:
    digest = "".join((text or "").split()).lower()
    if text is not None and (len(digest) != _DIGEST_DIGITS or not set(digest) <= set("0123456789abcdef")):
        raise ConfigError(
            f"The second person's digest has {_DIGEST_DIGITS} digits, 0 to 9 and a to f.",
            key="--second-digest",
            hint="Nothing was made. Take it from what `dealctl make --second-person FILE` printed.",
        )
    return digest


def _make_second_secret(args: Namespace) -> int:
    secret = new_secret()
    write_new(Path(args.second_person), f"{secret.hex()}\n".encode(), ONLY_OURS)
    digest = secret_digest(secret)
    if args.json:
        put_object({"event": "second-secret", "digest": digest}, sys.stdout)
    else:
        put(f"{Path(args.second_person).name} holds your secret: keep it to yourself until the boards are dealt.")
        put("Give this digest to whoever makes the set, for --second-digest:")
        put(digest)
    return Exit.ALL_GOOD


def _tell(made: Sequence[Added], args: Namespace) -> None:
    """What was made, and what comes next; recovery codes here and nowhere else."""
    if args.json:
        for added in made:
            put_object(_as_object(added), sys.stdout)
        return
    for added in made:
        for line in _lines(added):
            put(line)
    put(f"Next{_next_command(made[0].stored, args.boards or USUAL_BOARDS)}")


def _lines(added: Added) -> list[str]:
    stored = added.stored
    if stored.kind is SetKind.LESSON:
        how = "is made" if added.is_new else "is there already, with the same hands"
        lines = [f"Lesson {stored.name} {how}: boards {stored.board_range}. It can never become a game."]
    else:
        what = "Championship set" if stored.kind is SetKind.CHAMPIONSHIP else "Set"
        lines = [f"{what} {stored.name} is made: boards {stored.board_range} and {spares_of(stored)} spare deals."]
    if added.recovery_code is not None:
        lines.append(f"Recovery code of {stored.name}: {added.recovery_code}")
        lines.append(
            "Write it down now and put it into a sealed envelope: it opens the set when the passphrase is lost. "
            "It is shown this once."
        )
    return lines


def _next_command(stored: StoredSet, wanted: int) -> str:
    name = shlex.quote(stored.name)
    if stored.kind is SetKind.LESSON:
        return f": dealctl deal {name}, or dealctl sets {name} --show-lesson N to see a board."
    if stored.kind is SetKind.CHAMPIONSHIP:
        return f", before anything is dealt: dealctl sets {name} --announce SHEET.txt"
    return f": dealctl deal {name} --boards {'1' if wanted == 1 else f'1-{wanted}'}"


def _as_object(added: Added) -> dict[str, object]:
    stored = added.stored
    told: dict[str, object] = {
        "event": "made",
        "id": stored.id,
        "name": stored.name,
        "kind": stored.kind.value,
        "boards": stored.board_range,
        "spares": spares_of(stored),
        "new": added.is_new,
    }
    return told if added.recovery_code is None else {**told, "recovery_code": added.recovery_code}
