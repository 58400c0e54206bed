"""`dealctl check-pack`: feeds one pack and names the cards that are missing, there twice, or not readable.

May import: `driver.machine`, `choose`, `questions`. Read next: `driver/pack_check.py`. No deal is involved.
"""

from __future__ import annotations

import sys
from argparse import Namespace

from driver.cli.choose import open_chosen
from driver.cli.deal import recorded
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.questions import ask_line, somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.recorder import Recorder


def run(args: Namespace) -> int:
    """Checks the pack; NOT_GOOD when it is not whole."""
    if not somebody_there(as_json=args.json):
        raise NobodyToAsk("Nobody is here to say that the pack is in.")
    recorder = Recorder()
    with recorded(args, recorder), open_chosen(args, recorder) as machine:
        put("Put one pack into the hopper, face down, and an empty board into the machine.")
        ask_line("Press Enter when both are in (Ctrl-C: leave). ")
        report = machine.check_pack()
    for sentence in report.sentences:
        put(sentence)
    if args.verbose:
        put_object({"event": "pack", "fed": report.fed, "whole": report.is_whole}, sys.stderr)
    return Exit.ALL_GOOD if report.is_whole else Exit.NOT_GOOD
