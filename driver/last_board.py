"""Without a reader of board numbers: whether the board that came out last is the one that it should be.

May import: `catalogue`, `deals.model`, `job_events`, `job_result`, `journal`, `verdicts`, `protocol`. Read next:
`cli/last_board.py`, which asks.
A board left out or put in twice shifts all that come after it by one, and no other sign of it is left: the number on
the last board shows it. Where it began nobody can know then, so that no board of the run stays proven.
"""

from __future__ import annotations

from collections.abc import Sequence

from driver.catalogue import Kind, entry
from driver.deals.model import range_text
from driver.job_events import Noticed
from driver.job_result import BoardResult
from driver.journal import Journal
from driver.verdicts import Verdict, doubt
from protocol.codes import BoardSensing
from protocol.messages import Identity

_PROVEN = (Verdict.GOOD, Verdict.COUNTED)


def last_to_ask(identity: Identity, results: Sequence[BoardResult]) -> BoardResult | None:
    """The board that should have come out last; None where the machine reads numbers, or dealt one board alone."""
    if identity.board is BoardSensing.NUMBER or len(results) < 2:
        return None
    return results[-1]


def doubt_all(journal: Journal, results: Sequence[BoardResult], said: int) -> Noticed:
    """Takes back every verdict of a run whose last board was number `said`; what to tell and what to do with the hands.

    Each board stays NOT_PROVEN until it is compared with its deal or dealt again. Durable when it returns.
    """
    doubtful = [result for result in results if result.verdict in _PROVEN]
    boards = range_text(dict.fromkeys(result.number for result in doubtful))
    told = entry(Kind.NOTICE, "OTHER LAST BOARD").filled(said=said, number=results[-1].number, boards=boards)
    with journal.together():
        for result in doubtful:
            record = journal.last_of_copy(result.number, result.copy)
            if record is not None:
                journal.note_verdict(record.run, Verdict.NOT_PROVEN.name)
    for result in doubtful:
        result.judgement = doubt(result.judgement, told.sentence)
    return Noticed(text=told.sentence, means=told.means, steps=told.steps, code=told.code)
