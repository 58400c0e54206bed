"""`dealctl check FILE`: what a deal file holds, blind; with --json every record with its hands, for who asks for them.

May import: `driver.deals`, `deal.py`'s description. Read next: `driver/deals/check.py`. Never asks, opens no machine.
"""

from __future__ import annotations

from argparse import Namespace

from driver.cli.exit_codes import Exit
from driver.cli.failures import put, show_error
from driver.cli.text import boards_word, clean
from driver.deals.check import records_to_json
from driver.deals.loader import load_sets, read_records
from driver.deals.model import DealSet, range_text
from driver.errors import DealFileError


def run(args: Namespace) -> int:
    """Prints, and answers DEAL_FILE when a record cannot be dealt."""
    if args.json:
        return _as_json(args)
    sets = load_sets(args.file)
    if len(sets) > 1:
        put(f"The file holds {len(sets)} sets; `dealctl deal FILE --set 1` takes the first.")
    for deals in sets:
        for line in describe(deals):
            put(line)
    problems = sum(len(deals.problems) for deals in sets)
    put("Every board can be dealt." if not problems else f"{problems} of its records cannot be dealt.")
    return Exit.DEAL_FILE if problems else Exit.ALL_GOOD


def describe(deals: DealSet) -> list[str]:
    """What a set holds, blind: name, event, range, notes, and the records that cannot be dealt."""
    title = ", ".join(clean(text) for text in (deals.event, deals.date) if text)
    lines = [f"{deals.name}: {boards_word(len(deals))} ({range_text(deals.numbers)}){f', {title}' if title else ''}."]
    lines += deals.notes
    if deals.problems:
        lines.append("Cannot be dealt:")
        lines += [f"  {problem}" for problem in deals.problems]
    return lines


def _as_json(args: Namespace) -> int:
    print(records_to_json(read_records(args.file)), flush=True)
    try:
        problems = any(deals.problems for deals in load_sets(args.file))
    except DealFileError as error:
        return show_error(error, verbose=args.verbose)
    return Exit.DEAL_FILE if problems else Exit.ALL_GOOD
