"""`dealctl history`: what was dealt when, what came of it, who decided, and how each machine does. Blind (I7).

May import: `driver.history`, `which_set`, `json_lines`, `text`. Read next: `driver/history.py`.
Works with no machine attached, and while another window deals.
"""

from __future__ import annotations

import heapq
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.text import board_name, boards_word
from driver.cli.which_set import open_store
from driver.history import RECENT, PastRun, Share, Trend, past_runs, trends
from driver.store.decisions import Decision, Entry
from driver.verdicts import Verdict

_DECIDED: Final = (
    Decision.USED_DEAL_STOPPED,
    Decision.USED_DEAL_SAME_SESSION,
    Decision.USED_DEAL_REPLACED,
    Decision.USED_DEAL_ANOTHER_COPY,
    Decision.USED_DEAL_SAME_EVENT,
    Decision.USED_DEAL_REPLAY,
    Decision.SUSPECT_CONFIRMED,
    Decision.DEALT_AGAIN,
    Decision.NEW_HANDS,
    Decision.COPY_CHANGED,
    Decision.CARD_SEEN,
    Decision.LEFT_FOR_DIRECTOR,
    Decision.INSTRUCTION,
    Decision.HANDED_OVER,
    Decision.TAKEN_OVER,
    Decision.TAKEN_BACK,
    Decision.BOARD_IN_MACHINE,
)
"""What persons decided about boards; the rest of the log is about sets."""


def run(args: Namespace) -> int:
    """Shows the newest boards and decisions, the oldest of them first, then the machines."""
    with open_store(args) as store:
        chosen = None if args.set is None else store.sets.find(args.set)
        runs = past_runs(store)
        entries = store.decisions.newest_first()
    wanted = [one for one in runs if chosen is None or one.record.intention.deal_set == chosen.id]
    decided = [
        entry
        for entry in reversed(entries)
        if entry.what in _DECIDED and (chosen is None or entry.details.get("set") == chosen.id)
    ]
    # Each in the order in which it was written, whatever the clock said; only between the two is it asked.
    both: tuple[Sequence[PastRun | Entry], ...] = (decided, wanted)
    rows = [*heapq.merge(*both, key=_date)]
    machines = trends(runs)
    for row in rows[-args.last :]:
        if args.json:
            put_object(_run_object(row) if isinstance(row, PastRun) else _decision_object(row), sys.stdout)
        else:
            put(_run_line(row) if isinstance(row, PastRun) else _decision_line(row))
    for machine in machines:
        if args.json:
            put_object(_machine_object(machine), sys.stdout)
        else:
            for line in _machine_lines(machine):
                put(line)
    if not rows and not args.json:
        put("Nothing was dealt yet.")
    return Exit.ALL_GOOD


def _date(row: PastRun | Entry) -> datetime:
    return _begun(row) if isinstance(row, PastRun) else row.time


def _begun(one: PastRun) -> datetime:
    assert one.record.begun is not None, "only runs that were begun are past ones"
    return one.record.begun


def _time(time: datetime) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def _run_line(one: PastRun) -> str:
    told = one.record.intention
    what = "a check" if told.is_check else f"board {board_name(told.board, told.copy)}"
    origin = f" of {one.set_name}" if one.set_name and not told.is_check else ""
    if one.set_name and told.deal_board != told.board:
        origin += f" (its board {told.deal_board})"
    verdict = "" if told.is_check else ": not finished"
    if one.record.verdict is not None:
        verdict = f": {Verdict[one.record.verdict].words}"
        verdict += f", counted by {one.record.by}" if one.record.by else ""
    faults = f" ({', '.join(one.faults)})" if one.faults else ""
    simulated = " [simulated]" if told.simulated else ""
    return f"{_time(_begun(one))}  {what}{origin}, machine {told.serial}{simulated}{verdict}{faults}"


def _decision_line(entry: Entry) -> str:
    about = entry.details.get("boards") or entry.details.get("board")
    boards = f", boards {about}" if about else ""
    return f"{_time(entry.time)}  {entry.what.value}{boards}: {entry.who or 'no name given'}"


def _machine_lines(machine: Trend) -> list[str]:
    recent, before = machine.recent, machine.before
    newest = f"newest {recent.boards} of " if before.boards else ""
    lines = [f"Machine {machine.serial}, {newest}{boards_word(recent.boards + before.boards)}: {recent.good} GOOD."]
    for word, number, earlier in (
        ("Jams", recent.jams, before.jams),
        ("Misreads", recent.misreads, before.misreads),
    ):
        then = f" (before: {before.per_hundred(earlier):.1f} in {RECENT})" if before.boards else ""
        lines.append(f"  {word}: {number}{then}")
    if recent.card_ms is not None:
        then = f" (before: {before.card_ms})" if before.card_ms is not None else ""
        lines.append(f"  From card to card: {recent.card_ms} ms{then}")
    return [*lines, *(f"  {' '.join((one.sentence, *one.steps))}" for one in machine.notices)]


def _run_object(one: PastRun) -> dict[str, Any]:
    record, told = one.record, one.record.intention
    return {
        "event": "run",
        "begun": _begun(one).isoformat(),
        "judged": None if record.judged is None else record.judged.isoformat(),
        "board": told.board,
        "copy": told.copy,
        "set": told.deal_set,
        "set_board": told.deal_board,
        "machine": told.serial,
        "simulated": told.simulated,
        "check": told.is_check,
        "verdict": record.verdict,
        "counted_by": record.by,
        "faults": list(one.faults),
        "cards_as_planned": one.as_planned,
        "card_ms": record.card_ms,
        "hand_ms": record.hand_ms,
    }


def _decision_object(entry: Entry) -> dict[str, Any]:
    told = {name: entry.details[name] for name in ("set", "board", "boards", "copy", "copies") if name in entry.details}
    return {"event": "decision", "time": entry.time.isoformat(), "what": entry.what.value, "who": entry.who, **told}


def _machine_object(machine: Trend) -> dict[str, Any]:
    def share(one: Share) -> dict[str, Any]:
        return {
            "boards": one.boards,
            "good": one.good,
            "jams": one.jams,
            "misreads": one.misreads,
            "card_ms": one.card_ms,
        }

    return {
        "event": "machine",
        "machine": machine.serial,
        "recent": share(machine.recent),
        "before": share(machine.before),
        "notices": [one.code for one in machine.notices],
    }
