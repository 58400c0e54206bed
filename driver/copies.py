"""Whether the copies of a board that were dealt hold the same hands, by what was written down of their runs.

May import: `happenings`, `journal`, `plan`, `verdicts`, `work`. Read next: `verification.py`: a proven board holds what
its plan says; here the plans of its copies are compared, by their tags, whichever machine dealt them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from driver.happenings import Item
from driver.journal import Journal
from driver.plan import Plan
from driver.store.jobs import DONE
from driver.work import Work


@dataclass(frozen=True, slots=True)
class CopiesFound:
    """Of the boards with several proven copies: how many have equal copies, and the numbers of those that have not."""

    equal: int
    different: tuple[int, ...]


def compare_copies(journal: Journal, work: Work) -> CopiesFound:
    """Compares every two proven copies of a board of the work.

    A copy to which the director gave other hands is compared with others of the same hands only.
    """
    proven: dict[tuple[str, int, int, tuple[int, ...]], list[bool]] = {}
    for item, run in work.dealt():
        record = journal.record(run)
        if record is None or record.verdict not in DONE:
            continue
        key = item.set_id, item.deal_board, item.board, tuple(int(owner) for owner in item.deal.owners)
        proven.setdefault(key, []).append(record.plan_tag in _tags(journal, item))
    several = {key: same for key, same in proven.items() if len(same) > 1}
    return CopiesFound(
        sum(all(same) for same in several.values()),
        tuple(sorted(key[2] for key, same in several.items() if not all(same))),
    )


def _tags(journal: Journal, item: Item) -> Iterable[bytes]:
    """The tags of every plan by which a machine deals these hands, reading cards or not."""
    for plan in (Plan.by_identity(item.board, item.deal), Plan.by_order(item.board, item.deal)):
        yield journal.plan_tag(plan.board, plan.routing, plan.destinations())
