"""`dealctl sets`: the stored sets, newest first; one of them; and what can be done with it. Blind (I7).

May import: `driver.store`, `which_set`, `set_facts`, `set_steps`. Read next: `set_steps.py`, `driver/store/stored.py`.
Only a lesson is ever shown with its hands, when somebody asks for a board of it.
"""

from __future__ import annotations

import sys
from argparse import Namespace

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.set_facts import lines_of, object_of, row_of
from driver.cli.set_steps import asked_step, take_step
from driver.cli.which_set import open_store
from driver.errors import ConfigError
from driver.store.store import Store
from driver.store.stored import StoredSet


def run(args: Namespace) -> int:
    """Lists the sets, shows one, or takes a step with it."""
    with open_store(args) as store:
        if args.stored_set is None:
            if (step := asked_step(args)) is not None:
                raise ConfigError(
                    f"{step} needs the name of a set.",
                    key=step,
                    hint="Nothing was changed. Name the set first: dealctl sets SET …",
                )
            return _list(store, args)
        stored = store.sets.find(args.stored_set)
        if asked_step(args) is not None:
            return take_step(store, stored, args)
        _show(store, stored, args)
    return Exit.ALL_GOOD


def _list(store: Store, args: Namespace) -> int:
    sets = store.sets.newest_first()
    if args.json:
        for stored in sets:
            put_object(object_of(store, stored), sys.stdout)
        return Exit.ALL_GOOD
    if not sets:
        put("No set is here yet. `dealctl make` makes one, `dealctl deal FILE` deals a file.")
    rows = [row_of(store, stored) for stored in sets]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        put("  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip())
    return Exit.ALL_GOOD


def _show(store: Store, stored: StoredSet, args: Namespace) -> None:
    if args.json:
        put_object(object_of(store, stored), sys.stdout)
        return
    for line in lines_of(store, stored):
        put(line)
