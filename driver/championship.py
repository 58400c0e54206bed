"""A championship set on its way from announced to dealt: when it may be dealt, when dealing begins, when all is dealt.

May import: `driver.deals`, `driver.errors`, `driver.store`, `driver.verdicts`. Read next: `store/states.py` (the
states), `dealt.py` (which tells what was dealt), `cli/set_steps.py` (the steps that a person takes).
A set made here has 36 boards, and nobody says how many of them a session plays: those that somebody set out to deal.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import Final

from driver.deals.fairness import parse_manifest
from driver.deals.public_value import NO_RULE
from driver.errors import WrongState
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetState, StoredSet
from driver.verdicts import Verdict

DONE: Final = (Verdict.GOOD, Verdict.COUNTED)
"""Verdicts of a board that can be played."""
_FIXED: Final = (SetState.COMMITTED, SetState.VALUE_FIXED)


def check_may_be_dealt(store: Store, stored: StoredSet) -> None:
    """Raises WrongState for a championship whose hands are not bound yet; the hint names the step that is missing.

    Sets of other kinds may always be dealt.
    """
    step = f"dealctl sets {shlex.quote(stored.name)}"
    if stored.state is SetState.DRAFT:
        raise WrongState(
            f"Set {stored.name} is a draft: a championship is announced before a board of it is dealt.",
            hint=f"Nothing was dealt. Announce it first: {step} --announce SHEET.txt",
        )
    if stored.state is SetState.COMMITTED and parse_manifest(store.sets.manifest_of(stored)).rule != NO_RULE:
        raise WrongState(
            f"Set {stored.name} waits for the public value that was promised for it.",
            hint=f"Nothing was dealt. Type the value when it is out: {step} --public-value VALUE",
        )


def note_begun(store: Store, set_id: str) -> None:
    """A real machine is about to deal a board of the set: the first one begins its dealing.

    Raises WrongState for a draft.
    """
    stored = store.sets.find(set_id)
    if stored.state is SetState.DRAFT or stored.state in _FIXED:
        store.sets.set_state(stored, SetState.DEALING)
        store.decisions.append(Decision.DEALING_BEGUN, "", set=set_id)


def note_dealt(store: Store, set_id: str, wanted: Collection[int]) -> None:
    """A board of the set was dealt: it is sealed once nothing is left of what somebody set out to deal.

    `wanted` are the board numbers of the job under way; those of earlier jobs count too. One good copy is enough.
    More boards may be dealt afterwards all the same.
    """
    stored = store.sets.find(set_id)
    if stored.state is not SetState.DEALING:
        return
    last = {(copy.board, copy.copy): copy for copy in store.copies.of_set(set_id) if not copy.simulated}
    begun = {board for board, _ in last}
    done = {board for (board, _), copy in last.items() if copy.verdict in DONE}
    if begun.union(wanted) <= done:
        store.sets.set_state(stored, SetState.SEALED)
        store.decisions.append(Decision.SEALED, "", set=set_id, boards=len(done))
