"""`dealctl verify-squaredeal X.sqd X.sqk`: makes every board of a SquareDeal tournament again, and finds played ones.

May import: `driver.deals`. Read next: `driver/deals/squaredeal.py`. Asks nothing and shows no hand (I7).
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.deals.loader import load_sets
from driver.deals.model import DealSet, range_text
from driver.deals.squaredeal import LARGEST_FILE, Found, Place, SquareDealReport, verify_squaredeal
from driver.errors import DealFileError, UnknownFormat


def run(args: Namespace) -> int:
    """Prints what was found; NOT_GOOD where something differs, DEAL_FILE where a file cannot be read."""
    sets = [(Path(file).name, deals) for file in args.against for deals in load_sets(file)]
    report = _verified(args, [deals for _, deals in sets])
    unread = any(deals.problems for _, deals in sets)
    code = Exit.NOT_GOOD if not report.is_right else Exit.DEAL_FILE if unread else Exit.ALL_GOOD
    names = [name for name, _ in sets]
    if args.json:
        put_object(_as_object(report, names, code), sys.stdout)
        return code
    for line in _lines(report, names):
        put(line)
    for name, deals in sets:
        for problem in deals.problems:
            put(f"{name}: cannot be read: {problem}")
    return code


def _verified(args: Namespace, against: Sequence[DealSet]) -> SquareDealReport:
    description, keys = _bytes_of(args.description), _bytes_of(args.keys)
    try:
        return verify_squaredeal(description, keys, against)
    except DealFileError as error:
        error.path = f"{args.description.name} with {args.keys.name}"
        raise


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except (OSError, ValueError):
        raise UnknownFormat(
            "The file cannot be read.",
            path=path,
            hint="Nothing was checked. Name the description (.sqd) first, then the keys (.sqk).",
        ) from None


def _lines(report: SquareDealReport, names: Sequence[str]) -> list[str]:
    lines = [
        f"{report.name or 'Tournament'}: "
        + ("the commitment matches the keys." if report.keys_right else "the commitment does NOT match the keys.")
    ]
    if report.promise:
        lines.append(f"Public value, as promised before: {report.promise}")
    # No separator: whoever compares numbers searches for these digits.
    lines.append(f"{report.sessions} sessions, {report.boards} boards made again.")
    lines.append(f"Digest of all boards: {report.digest}")
    for name, found in zip(names, report.compared, strict=True):
        lines += [f"{name}: {text}" for text in _findings(found)]
    return lines


def _findings(found: Sequence[Found]) -> list[str]:
    sessions: dict[tuple[int, int, bool], list[int]] = {}
    moved: list[tuple[int, Place]] = []
    nowhere = [one.board for one in found if one.place is None]
    for one in found:
        if one.place is None:
            continue
        if one.place.board == one.board:
            sessions.setdefault((one.place.phase, one.place.session, one.place.reserve), []).append(one.board)
        else:
            moved.append((one.board, one.place))
    lines = [f"{sum(map(len, sessions.values()))} of {len(found)} boards found under their numbers."]
    for (phase, session, reserve), boards in sessions.items():
        lines.append(f"{_boards(boards)}: {_session(phase, session, reserve=reserve)}.")
    for board, place in moved:
        where = _session(place.phase, place.session, reserve=place.reserve)
        lines.append(f"Board {board}: the hands of board {place.board} of {where}.")
    if nowhere:
        lines.append(f"{_boards(nowhere)}: nowhere in the tournament.")
    return lines


def _session(phase: int, session: int, *, reserve: bool) -> str:
    return f"phase {phase}, session {session}{' of the reserve sets' if reserve else ''}"


def _boards(numbers: Sequence[int]) -> str:
    return f"{'Boards' if len(numbers) > 1 else 'Board'} {range_text(numbers)}"


def _as_object(report: SquareDealReport, names: Sequence[str], code: Exit) -> dict[str, object]:
    return {
        "event": "verified",
        "name": report.name,
        "commitment_right": report.keys_right,
        "sessions": report.sessions,
        "boards": report.boards,
        "digest": report.digest,
        "files": [
            {
                "file": name,
                "found": [
                    [one.board, one.place.phase, one.place.session, one.place.board, one.place.reserve]
                    for one in found
                    if one.place is not None
                ],
                "nowhere": [one.board for one in found if one.place is None],
            }
            for name, found in zip(names, report.compared, strict=True)
        ],
        "right": report.is_right,
        "exit": int(code),
    }
