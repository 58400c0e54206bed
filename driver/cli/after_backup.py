"""The question after a backup was put back: was this board dealt since? Once for each, before it is dealt as new.

May import: `driver.held`, `driver.under_way`, `law_questions` (choices), `questions`, `text`. Read next:
`driver/held.py`, `deal.py`.
Of a board of which no copy is known one answer may stand for all its copies; what is said is kept for each.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence

from driver.cli.failures import put
from driver.cli.law_questions import ask_choice
from driver.cli.questions import somebody_there
from driver.cli.text import board_name
from driver.clock import utc_now
from driver.deals.hands import listed
from driver.errors import NothingOpen
from driver.happenings import Item
from driver.held import held, is_held_open, note_said, note_said_of_open
from driver.journal import Journal
from driver.machine import Machine
from driver.store.store import Store
from driver.under_way import UnderWay
from driver.used_deals import day_text


def ask_about_held(machine: Machine, name: str, items: Sequence[Item], args: Namespace) -> list[Item]:
    """Those of `items`, which are of the set of that name, that are left to deal when every board that is held was
    asked for, as far as somebody is there. `--not-dealt` answers for its boards."""
    boards: dict[tuple[str, int], list[Item]] = {}
    for item in held(machine.store, items, simulated=machine.info.simulated):
        boards.setdefault((item.set_id, item.deal_board), []).append(item)
    dealt: list[Item] = []
    for (_, board), copies in boards.items():
        if board in args.not_dealt:
            its: list[Item] | None = []
        else:
            its = _asked(machine.store, name, copies) if somebody_there(as_json=args.json) else None
        if its is not None:
            with machine.journal.together():
                for item in copies:
                    note_said(machine.journal, machine.store, item, dealt=item in its)
            dealt += its
    if dealt:
        put(f"Left out, as dealt already: {', '.join(_name(item) for item in dealt)}.")
    gone = {(item.set_id, item.deal_board, item.copy) for item in dealt}
    return [item for item in items if (item.set_id, item.deal_board, item.copy) not in gone]


def nothing_left() -> NothingOpen:
    """The refusal where every board was dealt since."""
    return NothingOpen("Nothing is left to deal.", hint="Look which boards are in their boxes; then name the others.")


def ask_whether_finished(journal: Journal, store: Store, found: Iterable[UnderWay]) -> bool:
    """Asks of each board that was open in the backup whether it was dealt since; True when one of them was.

    Such a one is under way no more.
    """
    any_was = False
    for under in found:
        if not under.record.closed and is_held_open(store, under.record):
            of_set = "" if under.stored is None else f" of {under.stored.name}"
            put(f"{_made(store)} Was {under.name}{of_set} dealt to its end after that?")
            choices = [("Yes, or nobody knows: leave it out", True), ("No: it is as it was left", False)]
            was_dealt = ask_choice(choices)
            note_said_of_open(journal, store, under.record, dealt=was_dealt)
            any_was |= was_dealt
    return any_was


def _asked(store: Store, name: str, copies: Sequence[Item]) -> list[Item]:
    """Those of the copies of one board that were dealt, as a person says."""
    board = f"board {copies[0].deal_board}"
    if len(copies) == 1:
        of_copy = f", copy {copies[0].copy}," if copies[0].copy else ""
        put(f"{_made(store)} Was {board}{of_copy} of {name} dealt after that?")
        was_dealt = ask_choice([("Yes, or nobody knows: leave it out", True), ("No: deal it", False)])
        return [*copies] if was_dealt else []
    put(f"{_made(store)} Was {board} of {name} dealt after that? Wanted are the copies {_copies(copies)}.")
    answer = ask_choice(
        [
            ("Yes, all of them, or nobody knows: leave it out", True),
            ("No: deal it", False),
            ("Some of them: ask for each copy", None),
        ]
    )
    if answer is None:
        return [item for one in copies for item in _asked(store, name, [one])]
    return [*copies] if answer else []


def _made(store: Store) -> str:
    put_back = store.runs.put_back()
    assert put_back is not None, "nothing is held in a store that was never put back"
    return f"The backup was made {day_text(put_back.backed_up, utc_now().astimezone())}."


def _copies(copies: Sequence[Item]) -> str:
    return listed([item.copy for item in copies])


def _name(item: Item) -> str:
    return board_name(item.deal_board, item.copy)
