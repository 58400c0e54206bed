"""`dealctl check-pack`: feeds one pack and names the cards that are missing, there twice, or not readable.

May import: `driver.machine`, `choose`, `questions`. Read next: `driver/pack_check.py`. No deal is involved.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from contextlib import ExitStack
from typing import Any

from driver.cli.choose import kept_open, open_chosen
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.questions import ask_line, check_needs_somebody, somebody_there
from driver.cli.recording import recorded
from driver.cli.recovery import ask_first
from driver.deals.hands import card_name
from driver.pack_check import PackReport
from driver.recorder import Recorder


def run(args: Namespace) -> int:
    """Checks the pack; NOT_GOOD when it is not whole."""
    if not args.ready and not somebody_there(as_json=args.json):
        raise check_needs_somebody("the pack and an empty board are in")
    report = check_pack_in(args)
    if report is None:
        return Exit.NOT_GOOD
    if args.json:
        put_object(report_object(report), sys.stdout)
    else:
        for sentence in report.sentences:
            put(sentence)
    return Exit.ALL_GOOD if report.is_whole else Exit.NOT_GOOD


def check_pack_in(args: Namespace) -> PackReport | None:
    """Feeds the pack of the machine that is meant, once a person (or --ready) has said that all is in.

    None when a board is still open in the machine, and the person leaves it there for now.
    """
    recorder = Recorder()
    with recorded(args, recorder), ExitStack() as stack:
        first = ask_first(args, recorder, stack, lambda _: False, open_chosen)
        if first.stops:
            return None
        machine = first.opened or kept_open(open_chosen(args, recorder), stack)
        if not args.ready:
            put("Put one pack into the hopper, face down, and an empty board into the machine.")
            ask_line("Press Enter when both are in (Ctrl-C: leave). ")
        return machine.check_pack(machine.status().board_number or 1, emptied=True)


def report_object(report: PackReport) -> dict[str, Any]:
    """The report as JSON; cards by their names, `over` null where nobody saw the hopper."""
    return {
        "event": "pack",
        "whole": report.is_whole,
        "fed": report.fed,
        "missing": [card_name(card) for card in report.missing],
        "doubled": [card_name(card) for card in report.doubled],
        "unreadable": report.unreadable,
        "foreign": report.foreign,
        "face_up": report.face_up,
        "over": report.over,
    }
