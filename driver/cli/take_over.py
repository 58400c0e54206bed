"""`dealctl take-over FILE`: a set of another computer goes on here, with all that was dealt of it.

May import: `driver.hand_over`, `names`, `which_set` (passphrases). Read next: `hand_over.py`, `after_take_over.py`.
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from getpass import getpass
from pathlib import Path

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.names import Names
from driver.cli.new_passphrase import passphrase_in
from driver.cli.questions import somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.set_facts import dealt_boards
from driver.cli.which_set import open_store
from driver.clock import utc_now
from driver.deals.model import range_text
from driver.errors import ConfigError
from driver.hand_over import opened_file, take_over
from driver.journal import Journal
from driver.opening import second_secret
from driver.store.handed import HandedSet


def run(args: Namespace) -> int:
    """Takes the sets of the file over; nothing moves by that."""
    try:
        data = Path(args.file).read_bytes()
    except (OSError, ValueError):
        raise ConfigError(
            f"{Path(args.file).name} cannot be read.",
            key="FILE",
            hint="Nothing was changed. Name the file that `dealctl hand-over` wrote on the other computer.",
        ) from None
    file = opened_file(data)
    with open_store(args) as store, Journal(store) as journal:
        who = Names(store.decisions, utc_now, given=args.name, asks=False).unasked()
        taken = take_over(
            store, journal, file, who, passphrase=lambda one: _typed(one, args), second=second_secret(args.second)
        )
        dealt = [dealt_boards(store, one.stored) for one in taken]
    for one, boards in zip(taken, dealt, strict=True):
        if args.json:
            told = {"event": "taken over", "set": one.stored.id, "name": one.stored.name, "new": one.is_new}
            put_object({**told, "dealt": list(boards), "runs": one.runs}, sys.stdout)
        else:
            put(f"Set {one.stored.name} is here: boards {one.stored.board_range}; dealt: {range_text(boards)}.")
    if not args.json:
        put(f"Go on with it: dealctl deal {shlex.quote(taken[0].stored.name)}")
        put("Before the first card it asks once which board lies in the machine.")
    return Exit.ALL_GOOD


def _typed(handed: HandedSet, args: Namespace) -> str:
    """The passphrase of a closed set. Raises NobodyToAsk, WrongPassphrase."""
    if args.passphrase_file is not None:
        return passphrase_in(args.passphrase_file)
    if not somebody_there(as_json=args.json):
        raise NobodyToAsk(
            f"Set {handed.name} is sealed, and nobody is here to type its passphrase.",
            hint="Nothing was changed. Put the passphrase into a file and name that with --passphrase-file.",
        )
    return getpass(f"Passphrase (or recovery code) of {handed.name}: ")
