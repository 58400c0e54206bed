"""The question after a backup was put back: was this board dealt since? Once for each board, before it is dealt as new.

May import: `driver.held`, `law_questions` (choices), `questions`, `wanted`. Read next: `driver/held.py`, `deal.py`.
"""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from driver.cli.failures import put
from driver.cli.law_questions import ask_choice
from driver.cli.questions import somebody_there
from driver.cli.wanted import Wanted
from driver.clock import utc_now
from driver.deals.model import range_text
from driver.errors import NothingOpen
from driver.held import held, note_said
from driver.machine import Machine
from driver.used_deals import day_text


def ask_about_held(machine: Machine, wanted: Wanted, args: Namespace) -> Wanted:
    """What is left to deal when every board that is held was asked for, as far as somebody is there.

    `--not-dealt` answers for its boards. Raises NothingOpen when nothing is left.
    """
    store, asks = machine.store, somebody_there(as_json=args.json)
    put_back = store.runs.put_back()
    dealt = []
    for item in held(store, wanted.items, simulated=machine.info.simulated):
        if item.deal_board in args.not_dealt:
            note_said(machine.journal, store, item, dealt=False)
        elif asks and put_back is not None:
            when = day_text(put_back.backed_up, utc_now().astimezone())
            put(f"The backup was made {when}. Was board {item.deal_board} of {wanted.deals.name} dealt after that?")
            was_dealt = ask_choice([("Yes, or nobody knows: leave it out", True), ("No: deal it", False)])
            note_said(machine.journal, store, item, dealt=was_dealt)
            dealt += [item.deal_board] if was_dealt else []
    if not dealt:
        return wanted
    put(f"Left out, as dealt already: {range_text(dealt)}.")
    left = tuple(number for number in wanted.boards if number not in dealt)
    if not left:
        raise NothingOpen(
            "Nothing is left to deal.", hint="Look which boards are in their boxes; then name the others."
        )
    return replace(wanted, boards=left)
