"""`dealctl check FILE`: what a deal file holds, blind; with --json every record with its hands, for who asks for them.

May import: `driver.deals`, `exports.py`. Read next: `driver/deals/check.py`. Never asks, opens no machine.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from driver.cli.exit_codes import Exit
from driver.cli.exports import log_export_of_file
from driver.cli.failures import put, show_error
from driver.cli.passwords import password_in
from driver.cli.text import boards_word, clean
from driver.deals.check import records_to_json
from driver.deals.loader import DealFile, open_deal_file
from driver.deals.model import DealSet, range_text
from driver.deals.sets import fillable
from driver.errors import DealFileError


def run(args: Namespace) -> int:
    """Prints, and answers DEAL_FILE when a record cannot be dealt, or not before somebody has confirmed it."""
    file = open_deal_file(args.file, member=args.member, password=password_in(args.password_file))
    if args.json:
        return _as_json(file, args)
    put(f"The file is {file.format}.")
    sets = file.sets()
    if len(sets) > 1:
        put(f"It holds {len(sets)} sets; `dealctl deal FILE --set 1` takes the first.")
    for line in _overview(sets):
        put(line)
    if unknown := fillable(file.contents):
        put(f"{boards_word(unknown)} of these with one unknown hand can be filled in: `dealctl deal` asks.")
    return _verdict(sets)


def _overview(sets: Sequence[DealSet]) -> list[str]:
    """All sets; what is to be said of each of them is said once, before the first."""
    common = [note for note in sets[0].notes if len(sets) > 1 and all(note in deals.notes for deals in sets)]
    lines = list(common)
    for deals in sets:
        lines += describe(deals, without=common)
    return lines


def _verdict(sets: Sequence[DealSet]) -> Exit:
    problems = sum(len(deals.problems) for deals in sets)
    suspect = any(deals.suspect for deals in sets)
    if problems:
        put(f"{problems} of its records cannot be dealt.")
    elif suspect:
        put("Every board can be dealt, once somebody has confirmed what looks like a mistake.")
    else:
        put("Every board can be dealt.")
    return Exit.DEAL_FILE if problems or suspect else Exit.ALL_GOOD


def describe(deals: DealSet, *, without: Sequence[str] = ()) -> list[str]:
    """What a set holds, blind: name, event, range, notes, and the records that cannot be dealt.

    Notes in `without` have been said already.
    """
    title = ", ".join(clean(text) for text in (deals.event, deals.date) if text)
    lines = [f"{deals.name}: {boards_word(len(deals))} ({range_text(deals.numbers)}){f', {title}' if title else ''}."]
    lines += [note for note in deals.notes if note not in without]
    if deals.suspect:
        lines.append("This looks like a mistake:")
        lines += [f"  {sentence}" for sentence in deals.suspect]
    if deals.problems:
        lines.append("Cannot be dealt:")
        lines += [f"  {problem}" for problem in deals.problems]
    return lines


def _as_json(file: DealFile, args: Namespace) -> Exit:
    log_export_of_file(args, "JSON")
    print(records_to_json(file.contents.records), flush=True)
    try:
        sets = file.sets()
    except DealFileError as error:
        return show_error(error, verbose=args.verbose)
    return Exit.DEAL_FILE if any(deals.problems or deals.suspect for deals in sets) else Exit.ALL_GOOD
