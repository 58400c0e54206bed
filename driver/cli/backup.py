"""`dealctl backup OUT`: all sets and records in one file, also while another window deals.

May import: `driver.backup`, `new_file`, `new_passphrase`, `which_set`. Read next: `restore.py`, `driver/backup.py`.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from driver.backup import back_up
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.new_file import ONLY_OURS, write_new
from driver.cli.new_passphrase import new_passphrase
from driver.cli.which_set import open_store
from driver.clock import utc_now
from driver.errors import ConfigError


def run(args: Namespace) -> int:
    """Writes the backup; its recovery code is shown here and nowhere else."""
    out = Path(args.out)
    if out.exists():
        raise ConfigError(f"{out.name} is there already.", key="OUT", hint="Nothing was written. Choose another name.")
    passphrase = new_passphrase(args)
    with open_store(args) as store:
        made = back_up(store, passphrase, now=utc_now)
    write_new(out, made.data, ONLY_OURS)
    if args.json:
        put_object({"event": "backup", "file": str(out), "recovery_code": made.recovery_code}, sys.stdout)
    else:
        put(f"{out.name} is written. Keep it on another disk; it holds every deal of this computer.")
        put(f"Recovery code: {made.recovery_code}")
        put("Write it down: it opens the backup when the passphrase is forgotten.")
    return Exit.ALL_GOOD
