"""`dealctl verify-set OPENING RECORDS…`: makes a set again from its opening and compares the hand records.

May import: `driver.opening`, `driver.start_sheet`, `driver.deals.loader`. Read next: `driver/opening.py`.
For a third party: it needs neither our data folder nor a machine, asks nothing, and shows no hand (I7).
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.deals.fairness import SPARES, SpareUsed
from driver.deals.loader import load_sets, one_of
from driver.deals.model import DealSet, range_text
from driver.deals.public_value import canonical_value
from driver.errors import BadSyntax, ConfigError
from driver.opening import (
    UNCHANGED,
    Checked,
    Compared,
    Opening,
    check,
    parse_opening,
    read_text,
    second_secret,
    secret_in,
)
from driver.start_sheet import commitment_in, description_in

_RIGHT: Final = "Everything agrees."
_WRONG: Final = "Something differs: look at the lines above."
_UNREAD: Final = "Some records cannot be read; the others agree."


@dataclass(frozen=True, slots=True)
class _Played:
    """One deal set of the hand records, and the name of its file."""

    file: str
    deals: DealSet


def run(args: Namespace) -> int:
    """Prints what agrees and what does not; NOT_GOOD for a difference, DEAL_FILE for what cannot be read."""
    opening, files = _opening_in(args)
    published = _published_in(args.announced)
    played = [_Played(Path(file).name, deals) for file in files for deals in _sets_in(file, args.set)]
    try:
        checked = check(opening, [one.deals for one in played], published)
    except ConfigError as error:
        if args.public_value is not None:
            raise
        raise BadSyntax(f"The opening has no public value that can be used. {error}", hint=UNCHANGED) from None
    unread = any(one.deals.problems for one in played)
    right = checked.is_right
    code = Exit.NOT_GOOD if not right else Exit.DEAL_FILE if unread else Exit.ALL_GOOD
    if args.json:
        put_object(_as_object(opening, checked, played, code), sys.stdout)
        return code
    for line in _lines(opening, checked, played):
        put(line)
    put(_WRONG if not right else _UNREAD if unread else _RIGHT)
    return code


def _opening_in(args: Namespace) -> tuple[Opening, Sequence[str]]:
    """The opening and the names of the hand records: the first file is the opening, unless its parts are named."""
    if args.description is None and args.secret is None:
        if args.second is not None or args.public_value is not None:
            raise ConfigError(
                "The opening has all its parts in it.",
                key="--public-value" if args.second is None else "--second",
                hint="Nothing was checked. Name either the opening, or its parts with --description and --secret.",
            )
        opening = parse_opening(read_text(Path(args.files[0])))
        if not args.files[1:]:
            raise _no_records()
        return opening, args.files[1:]
    if args.description is None or args.secret is None:
        raise ConfigError(
            "The description and the secret are needed together.",
            key="--description" if args.description is None else "--secret",
            hint="Nothing was checked. Name both, or name the opening, which has them in it.",
        )
    manifest = description_in(read_text(args.description))
    second = second_secret(args.second)
    if bool(second) != bool(manifest.second_sha256):
        raise ConfigError(
            "This set has two secrets." if manifest.second_sha256 else "This set has one secret only.",
            key="--second",
            hint="Nothing was checked. Name the second person's secret with --second exactly where there is one.",
        )
    return Opening(manifest, secret_in(read_text(args.secret)), args.public_value or "", second), args.files


def _no_records() -> ConfigError:
    return ConfigError(
        "No hand records are named.",
        key="RECORDS",
        hint="Nothing was checked. Name the files that were handed out after the session, in any deal format.",
    )


def _published_in(text: str | None) -> str:
    if text is None:
        return ""
    path = Path(text)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):
        is_file = False
    return commitment_in(read_text(path) if is_file else text)


def _sets_in(file: str, number: int | None) -> Sequence[DealSet]:
    sets = load_sets(file)
    return sets if number is None else (one_of(sets, number),)


def _lines(opening: Opening, checked: Checked, played: Sequence[_Played]) -> list[str]:
    manifest = opening.manifest
    title = ", ".join(text for text in (opening.name, manifest.club, manifest.event, manifest.session) if text)
    lines = [
        f"Set {title}: boards {manifest.boards} and {SPARES} spare deals, made again."
        if title
        else f"Boards {manifest.boards} and {SPARES} spare deals, made again."
    ]
    lines.append(f"Commitment: {checked.commitment}")
    lines.append(
        {
            None: "Compare it with the one that was published before play; --announced SHEET does that.",
            True: "It is the one that was published before play.",
            False: "It is NOT the one that was published before play.",
        }[checked.commitment_right]
    )
    lines.append(
        "The secret is the one that was fixed before play."
        if checked.secret_right
        else "The secret is NOT the one that was fixed before play."
    )
    if value := canonical_value(manifest.rule, opening.public_value):
        lines.append(f"The public value that was used is {value}. Look it up: {manifest.rule.text}.")
    for one, compared in zip(played, checked.compared, strict=True):
        lines += [f"{one.file}: {text}" for text in _findings(opening, one.deals, compared)]
    if missing := _missing(opening, played):
        lines.append(f"Dealt, and in none of these files: {range_text(missing)}.")
    return lines


def _findings(opening: Opening, deals: DealSet, compared: Compared) -> list[str]:
    right = len(compared.equal)
    found = [f"{right} of {len(deals)} boards have the hands that were promised ({range_text(compared.equal)})."]
    for one in compared.spares:
        found.append(f"Board {one.board} has the hands of spare deal {one.spare}{_why(opening, one)}.")
    for one in compared.strange:
        found.append(f"Board {one.board} has the hands of spare deal {one.spare}, which was not given to it.")
    if compared.first:
        found.append(f"{_boards(compared.first)}: the first hands, although new hands were given.")
    if compared.differ:
        found.append(f"{_boards(compared.differ)}: other hands than promised.")
    if compared.outside:
        found.append(f"{_boards(compared.outside)}: not in this set.")
    found += [f"cannot be read: {problem}" for problem in deals.problems]
    return found


def _why(opening: Opening, used: SpareUsed) -> str:
    """What the opening says about it."""
    if opening.new_hands is None:
        return "; it must have been announced"
    reasons = (
        one.reason for one in opening.new_hands if (one.given.board, one.given.spare) == (used.board, used.spare)
    )
    reason = next(reasons, "")
    return f", as the opening says ({reason})" if reason else ", as the opening says"


def _missing(opening: Opening, played: Sequence[_Played]) -> list[int]:
    there = {number for one in played for number in one.deals.numbers}
    return [number for number in opening.dealt if number not in there]


def _boards(numbers: Sequence[int]) -> str:
    return f"{'Boards' if len(numbers) > 1 else 'Board'} {range_text(numbers)}"


def _as_object(opening: Opening, checked: Checked, played: Sequence[_Played], code: Exit) -> dict[str, object]:
    return {
        "event": "verified",
        "commitment": checked.commitment,
        "commitment_right": checked.commitment_right,
        "secret_right": checked.secret_right,
        "public_value": canonical_value(opening.manifest.rule, opening.public_value),
        "public_value_from": opening.manifest.rule.text,
        "files": [
            {
                "file": one.file,
                "equal": list(compared.equal),
                "spares": [[used.board, used.spare] for used in compared.spares],
                "strange": [[used.board, used.spare] for used in compared.strange],
                "first": list(compared.first),
                "differ": list(compared.differ),
                "outside": list(compared.outside),
                "unread": len(one.deals.problems),
            }
            for one, compared in zip(played, checked.compared, strict=True)
        ],
        "void": list(opening.void),
        "missing": _missing(opening, played),
        "right": checked.is_right,
        "exit": int(code),
    }
