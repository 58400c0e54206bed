"""`dealctl hand-over SET OUT`: set, progress and register in one file; this computer deals no board of the set then.

May import: `driver.hand_over`, `new_file`, `names`, `questions`, `which_set`. Read next: `take_over.py`,
`driver/hand_over.py`. Blind (I7).
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from pathlib import Path

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.names import Names
from driver.cli.new_file import ONLY_OURS, write_new
from driver.cli.questions import ask_yes, somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.text import boards_word
from driver.cli.which_set import open_store
from driver.clock import utc_now
from driver.deals.model import range_text
from driver.errors import ConfigError
from driver.hand_over import Written, hand_over, take_back
from driver.journal import Journal
from driver.store.store import Store
from driver.store.stored import StoredSet


def run(args: Namespace) -> int:
    """Hands the set over, or takes it back."""
    with open_store(args) as store, Journal(store) as journal:
        stored = store.sets.find(args.stored_set)
        names = Names(store.decisions, utc_now, given=args.name, asks=somebody_there(as_json=args.json))
        if args.take_back:
            _take_back(store, stored, names.unasked(), args)
        elif args.out is None:
            raise ConfigError(
                "The file to write is not named.",
                key="OUT",
                hint=f"Nothing was changed. Name it: dealctl hand-over {shlex.quote(args.stored_set)} FILE.",
            )
        else:
            out = Path(args.out)
            if out.exists():
                raise ConfigError(
                    f"{out.name} is there already.", key="OUT", hint="Nothing was changed. Choose another name."
                )
            _hand_over(store, journal, stored, names.unasked(), out, as_json=args.json)
    return Exit.ALL_GOOD


def _hand_over(store: Store, journal: Journal, stored: StoredSet, who: str, out: Path, *, as_json: bool) -> None:
    made = hand_over(store, journal, stored, who, write=lambda data: write_new(out, data, ONLY_OURS))
    if as_json:
        put_object({"event": "handed over", "set": stored.id, "file": str(out), "dealt": made.copies}, sys.stdout)
        return
    for line in _lines(stored, made, out):
        put(line)


def _lines(stored: StoredSet, made: Written, out: Path) -> list[str]:
    lines = [f"Set {stored.name} is in {out.name}, with {boards_word(made.copies)} dealt."]
    if made.unfinished:
        boards = range_text(made.unfinished)
        lines.append(f"Begun and not finished here: {boards}. There they count as not dealt: take their cards out.")
    lines.append("From now on the other computer deals it, and this one deals no board of it.")
    lines.append(f"Go on there: dealctl take-over {shlex.quote(out.name)}")
    if stored.sealed:
        lines.append("It is closed: there it takes the set's passphrase or recovery code.")
    else:
        lines.append("No hand can be read in it, but whoever has it can deal from it: delete it afterwards.")
    return lines


def _take_back(store: Store, stored: StoredSet, who: str, args: Namespace) -> None:
    if not args.yes:
        if not somebody_there(as_json=args.json):
            raise NobodyToAsk(
                "Nobody is here to say that the file was never taken over on another computer.",
                hint="Nothing was changed. If it certainly was not, say so with --yes.",
            )
        put(f"If another computer has taken over {stored.name}, both would deal the same boards.")
        if not ask_yes("Is it certain that no computer took it over?"):
            put("Nothing was changed.")
            return
    take_back(store, stored, who)
    if args.json:
        put_object({"event": "taken back", "set": stored.id}, sys.stdout)
    else:
        put(f"Set {stored.name} is this computer's again. Delete the file.")
