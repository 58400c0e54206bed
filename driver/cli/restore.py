"""`dealctl restore IN`: puts a backup back. Boards dealt after it are not known: each is asked for once.

May import: `driver.backup`, `driver.machine` (the folder), `new_passphrase`, `questions`. Read next: `driver/held.py`.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from getpass import getpass
from pathlib import Path

from driver.backup import put_back
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.new_passphrase import passphrase_in
from driver.cli.questions import somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.clock import utc_now
from driver.data_folder import data_folder
from driver.errors import ConfigError
from driver.used_deals import day_text


def run(args: Namespace) -> int:
    """Puts it back into the folder of --data, else into the usual one."""
    try:
        data = Path(args.file).read_bytes()
    except (OSError, ValueError):
        raise ConfigError(
            f"{Path(args.file).name} cannot be read.", key="IN", hint="Nothing was changed. Name the backup's file."
        ) from None
    folder = data_folder() if args.data is None else args.data
    found = put_back(data, _typed(args), folder, now=utc_now, replace=args.force)
    if args.json:
        kept = None if found.kept is None else str(found.kept)
        put_object({"event": "restored", "backed_up": found.backed_up.isoformat(), "kept": kept}, sys.stdout)
        return Exit.ALL_GOOD
    put(f"All is as it was {day_text(found.backed_up, utc_now().astimezone())}.")
    put("What was dealt after that is not known here: it asks for each board once before it deals it.")
    if found.kept is not None:
        put(f"What was here before is kept in {found.kept}.")
    return Exit.ALL_GOOD


def _typed(args: Namespace) -> str:
    if args.passphrase_file is not None:
        return passphrase_in(args.passphrase_file)
    if not somebody_there(as_json=args.json):
        raise NobodyToAsk(
            "A backup is sealed, and nobody is here to type its passphrase.",
            hint="Nothing was changed. Put the passphrase into a file and name that with --passphrase-file.",
        )
    return getpass("Passphrase (or recovery code) of the backup: ")
