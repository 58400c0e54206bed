"""`dealctl practise`: the daily path on a simulated machine of its own, with a simulated person beside it.

May import: the driver and the rest of `driver.cli`. Read next: `simulator.py`, `truth.py`.
What happens here never reaches the real records: they lie in a folder that is gone at the end.
Only a simulated machine may begin by itself after a while, as it does here; a real one waits for a person without
limit, or for `--auto`.
"""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from driver.cli.deal import deal_on
from driver.cli.deal_source import choose_deals
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.keyboard import wait_for_enter
from driver.cli.questions import Answer, somebody_there
from driver.cli.recording import recorded
from driver.cli.refusals import SimulatorFailed
from driver.cli.simulator import Simulator, usual_endpoint
from driver.cli.truth import differing_boards, truth_line
from driver.cli.wanted import Wanted
from driver.deals.generator import make
from driver.deals.model import DealSet
from driver.findings import Choice
from driver.happenings import Item
from driver.job_result import JobResult
from driver.machine import open_machine
from driver.recorder import Recorder
from driver.verdicts import Verdict

WAITS_FOR: Final = 20.0
"""Seconds for Enter before the practice begins by itself: nothing real moves here."""
BAUD: Final = 115_200
"""The usual serial line of a machine; the simulated one is as slow."""


def run(args: Namespace) -> int:
    """Deals the file on a simulated machine, and compares the boards with the deals at the end."""
    deals = choose_deals(args) if args.new is None else practice_set(args.new)
    args.packs, args.pack_colours, args.remember, args.in_machine = 1, None, False, None
    args.auto, args.ask_each, args.factory_order = True, False, False
    wanted = Wanted(deals, tuple(args.boards or deals.numbers))
    items = wanted.items
    if somebody_there(as_json=args.json):
        put("A simulated helper puts boards and packs in and clears up; you watch, and answer the questions.")
        wait_for_enter(f"Press Enter to begin (it begins by itself after {WAITS_FOR:.0f} seconds). ", WAITS_FOR)
    recorder = Recorder()
    with (
        tempfile.TemporaryDirectory(prefix="dealctl-practise-") as folder,
        Simulator(_options(args, [item.board for item in items])) as simulator,
    ):
        if not args.json:
            put(f"Practising on a simulated machine (to repeat it: --seed {simulator.seed}).")
        data = Path(folder)
        with (
            recorded(args, recorder, data) as keep_traffic,
            open_machine(simulator.url, data=data, recorder=recorder) as machine,
        ):
            code, result = deal_on(machine, wanted, args, on_failure=keep_traffic, on_answer=helped_by(simulator))
        return _tell_truth(simulator, items, result, args, code)


def practice_set(boards: int) -> DealSet:
    """So many random boards that are dealt nowhere else and kept nowhere."""
    return DealSet("practice", None, make().boards(range(1, boards + 1)))


def helped_by(simulator: Simulator) -> Callable[[Answer, int], None]:
    """The simulated helper empties the board when the person decides to deal it again."""

    def tell(answer: Answer, board: int) -> None:
        if answer.choice is Choice.DEAL_AGAIN:
            with suppress(SimulatorFailed):
                simulator.ask({"do": "ask_person", "board": board})

    return tell


def _options(args: Namespace, boards: list[int]) -> list[str]:
    options = ["--endpoint", usual_endpoint(), "--person", "--boards", ",".join(map(str, boards))]
    options += ["--speed", f"{args.speed:g}", "--baud", str(BAUD)]
    options += [] if args.seed is None else ["--seed", str(args.seed)]
    options += [] if args.profile is None else ["--profile", args.profile]
    options += [word for fault in args.fault for word in ("--fault", fault)]
    return options + [word for slip in args.slip for word in ("--fault", f"slip={slip}")]


def _tell_truth(simulator: Simulator, items: list[Item], result: JobResult, args: Namespace, code: Exit) -> Exit:
    """The last line, about the boards that were called good; a difference outweighs the exit code."""
    good = {board.number for board in result.boards if board.verdict is Verdict.GOOD}
    compared = [(item.board, item.deal) for item in items if item.board in good]
    different = differing_boards(simulator.ask({"do": "truth"}), compared)
    if args.json:
        put_object(
            {"event": "truth", "equal": not different, "different": different, "boards": len(compared)}, sys.stdout
        )
    else:
        put(truth_line(different, len(compared), len(items)))
    return Exit.NOT_GOOD if different and code is Exit.ALL_GOOD else code
