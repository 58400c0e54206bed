"""The report at the end of a job: a line for each board, what this machine cannot prove, one summary line.

May import: `driver.job_result`, `driver.verdicts`, `console`, `text`. Read next: `deal.py`. Blind (I7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driver.cli.console import Ending
from driver.cli.exit_codes import Exit
from driver.cli.json_lines import verdict_object
from driver.cli.text import board_name, boards_word, with_steps
from driver.copies import CopiesFound
from driver.job_events import Noticed, VerdictWithdrawn
from driver.job_result import BoardResult
from driver.verdicts import Verdict


def board_lines(boards: Sequence[BoardResult]) -> list[str]:
    """ "board 7A GOOD", and the reasons where it is something else."""
    lines = []
    for result in boards:
        line = f"board {board_name(result.number, result.copy)} {result.verdict.words}"
        reasons = " ".join(reason.sentence for reason in result.judgement.reasons)
        lines.append(f"{line}: {reasons}" if reasons and result.verdict is not Verdict.GOOD else line)
    return lines


def not_proven_lines(boards: Sequence[BoardResult]) -> list[str]:
    """What this machine cannot prove, each sentence once."""
    sentences = dict.fromkeys(text for result in boards for text in result.judgement.cannot_prove)
    return ["What this machine cannot prove:", *(f"  {text}" for text in sentences)] if sentences else []


def summary(boards: Sequence[BoardResult], wanted: int) -> str:
    """One line: how many of the boards are GOOD, and how many are something else."""
    count = {verdict: sum(result.verdict is verdict for result in boards) for verdict in Verdict}
    parts = [
        f"{count[verdict]} {verdict.words}" for verdict in Verdict if count[verdict] and verdict is not Verdict.GOOD
    ]
    missing = wanted - len(boards)
    if missing > 0:
        parts.append(f"{missing} not dealt")
    if count[Verdict.GOOD] == wanted:
        return f"All {boards_word(wanted)} are GOOD." if wanted != 1 else "The board is GOOD."
    return f"{count[Verdict.GOOD]} of {boards_word(wanted)} GOOD" + (f", {', '.join(parts)}." if parts else ".")


def report_lines(boards: Sequence[BoardResult], wanted: int) -> list[str]:
    """The whole report."""
    lines = [*board_lines(boards), *not_proven_lines(boards)]
    if any(result.judgement.simulated for result in boards):
        lines.append("This was a simulated machine: no real board was dealt.")
    return [*lines, summary(boards, wanted)]


def noticed_lines(noticed: Sequence[Noticed | VerdictWithdrawn]) -> list[str]:
    """What was noticed during the job and is still to be done, with its steps."""
    lines: list[str] = []
    for event in noticed:
        if isinstance(event, Noticed):
            lines += with_steps(f"{event.text} {event.means}", event.steps)
        else:
            name = board_name(event.board, event.copy)
            lines += with_steps(f"Board {name}: {event.reason} {event.means}".rstrip(), event.steps)
    return lines


def copies_lines(found: CopiesFound) -> list[str]:
    """What the comparison of copies came to; nothing where no board has several."""
    lines = []
    if found.equal:
        lines.append(f"Copies compared: the same hands in {boards_word(found.equal)}.")
    if found.different:
        names = ", ".join(str(number) for number in found.different)
        lines.append(f"The copies of board {names} are not the same. Deal all copies of it again.")
    return lines


def report_object(boards: Sequence[BoardResult], wanted: int, code: Exit) -> dict[str, Any]:
    """The report as one JSON object."""
    listed = [
        {"board": result.number, **({"copy": result.copy} if result.copy else {}), **verdict_object(result.judgement)}
        for result in boards
    ]
    cannot = dict.fromkeys(text for result in boards for text in result.judgement.cannot_prove)
    return {
        "event": "result",
        "boards": listed,
        "wanted": wanted,
        "cannot_prove": list(cannot),
        "simulated": any(result.judgement.simulated for result in boards),
        "exit": int(code),
    }


def exit_code(boards: Sequence[BoardResult], wanted: int, ending: Ending, *, accept_counted: bool) -> Exit:
    """The exit code that the final state of the boards asks for."""
    if ending.interrupted:
        return Exit.INTERRUPTED
    if ending.lost and not ending.complete:
        return Exit.LINK_LOST
    unanswered = ending.unanswered
    if unanswered is not None and unanswered.code:
        return Exit.MACHINE_FAULT
    well = {Verdict.GOOD, Verdict.COUNTED} if accept_counted else {Verdict.GOOD}
    if len(boards) == wanted and all(result.verdict in well for result in boards):
        return Exit.ALL_GOOD
    if unanswered is not None and not boards:
        return Exit.USAGE
    return Exit.NOT_GOOD
