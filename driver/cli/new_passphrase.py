"""A new passphrase, for a set to be sealed or a backup: typed twice unseen, or from a file; never a word of a command.

May import: `questions`, `failures`, `driver.store.sealing`, `driver.errors`. Read next: `make.py`; `which_set.py` asks
for the passphrase of a set that is there.
"""

from __future__ import annotations

import getpass
from argparse import Namespace
from pathlib import Path
from typing import Final

from driver.cli.failures import put
from driver.cli.questions import somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.errors import WrongPassphrase
from driver.store.sealing import Passphrase

TRIES: Final = 3


def new_passphrase(args: Namespace) -> Passphrase:
    """A new passphrase. Raises NobodyToAsk where nobody can type one, WrongPassphrase when none comes about."""
    if args.passphrase_file is not None:
        return Passphrase(passphrase_in(args.passphrase_file))
    if not somebody_there(as_json=args.json):
        raise NobodyToAsk(
            "A new passphrase is needed, and nobody is here to type one.",
            hint="Nothing was made. Put it into a file, on its first line, and name that with --passphrase-file.",
        )
    for _ in range(TRIES):
        typed = _unseen("New passphrase, a few words (they are not shown): ")
        if not typed.strip():
            break
        if typed == _unseen("The same once more: "):
            return Passphrase(typed)
        put("These were not the same. Once more.")
    raise WrongPassphrase("No passphrase was typed twice the same.", hint="Nothing was made. Try again.")


def _unseen(question: str) -> str:
    try:
        return getpass.getpass(question)
    except EOFError:
        return ""


def passphrase_in(path: Path) -> str:
    """The passphrase in a file of one line. Raises WrongPassphrase when it cannot be read or has several lines."""
    try:
        text = path.read_text(encoding="utf-8-sig").rstrip("\r\n")
    except (OSError, ValueError):
        text = "\n"
    if "\n" in text:
        raise WrongPassphrase(
            "The file with the passphrase cannot be read, or has more than one line.",
            hint="Put the passphrase into a text file, on a line of its own, and nothing else.",
        )
    return text
