"""Hands that leave the program because somebody asked for them: one line in the log of decisions, and no question.

May import: `driver.store`, `names`, `which_set`. Read next: `check.py`,
`convert.py`, `driver/store/decisions.py`. A game set may be exported at any time, with a warning and a name: scorers
need the file before the first round. A championship set is exported when its play has ended.
"""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace

from driver.cli.failures import put
from driver.cli.names import Names
from driver.cli.questions import somebody_there
from driver.cli.which_set import is_over, is_strict, open_store
from driver.clock import utc_now
from driver.errors import StoreUnusable, WrongState
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetKind, StoredSet


def log_export_of_file(args: Namespace, how: str) -> None:
    """Writes down that the hands of the file in `args` were asked for; `how` is the format they go out in.

    Whoever asks has the file and its hands already: where nothing can be written down, that is said and no more.
    """
    try:
        with open_store(args) as store:
            log_export(store, how, who="", file=os.path.basename(args.file or ""))
    except StoreUnusable as error:
        put(f"This could not be written down: {error}", sys.stderr)


def log_export(store: Store, how: str, *, who: str, **details: str) -> None:
    """One line in the log of `store`, in the name of `who` or of whoever decided something this evening."""
    name = who or Names(store.decisions, utc_now, given=None, asks=False).kept()
    store.decisions.append(Decision.EXPORTED, name, format=how, **details)


def who_may_export(store: Store, stored: StoredSet, args: Namespace) -> str:
    """The name in which a stored set's hands go out, after the warning. Raises WrongState for one that is in play."""
    if is_strict(stored) and not is_over(stored):
        raise WrongState(
            f"The hands of the championship set {stored.name} stay closed until its play has ended.",
            hint=f"Nothing was written. After the end: dealctl sets {shlex.quote(stored.name)} --end, then try again.",
        )
    if stored.kind is SetKind.LESSON:
        return ""
    asks = somebody_there(as_json=args.json)
    if not args.json:
        put("The file shows every hand: nobody who still plays these boards may see it.", sys.stderr)
    return Names(store.decisions, utc_now, given=args.name, asks=asks).person()
