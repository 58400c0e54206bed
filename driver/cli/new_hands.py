"""`dealctl new-hands N`: other hands for a board number, in the director's name, from the spare deals of its set.

May import: `driver.new_hands`, `driver.store`, `law_questions`, `names`, `which_set`. Read next: `driver/new_hands.py`.
Nothing waits for an absent director: the same hands and a note, or the board skipped, can always be chosen.
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.law_questions import BoardChoice, ask_board_choice
from driver.cli.names import DIRECTOR, Names, cleaned
from driver.cli.questions import ask_line, somebody_there
from driver.cli.text import board_name
from driver.cli.which_set import (
    finished,
    given_in,
    has_board,
    is_over,
    open_store,
    real_copies,
    set_of_board,
    spares_of,
)
from driver.clock import utc_now
from driver.errors import AlteredDeal, NothingOpen, WrongState
from driver.handed_over import check_here
from driver.new_hands import INSTEAD, NewHands, NoNewHands, entry_details, lines_before, plan_new_hands
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import StoredSet


def run(args: Namespace) -> int:
    """Gives the board new hands, or leaves a note."""
    asks = somebody_there(as_json=args.json)
    with open_store(args) as store:
        names = Names(store.decisions, utc_now, given=args.name, asks=asks)
        stored = set_of_board(store, args.board, args.set)
        check_here(store, stored)
        plan = _plan(store, stored, args)
        if asks and args.reason is None:
            return _ask(store, stored, plan, args.board, names)
        if isinstance(plan, NoNewHands):
            raise NothingOpen(plan.reason, hint=" ".join(("Nothing was changed.", *INSTEAD)))
        who = names.director()
        if not args.reason or not who:
            raise AlteredDeal(
                f"New hands for board {args.board} are the director's to order (Law {plan.law}), and no director does.",
                law=plan.law,
                hint="Nothing was changed. Give the director's name and reason: --name NAME --reason TEXT.",
            )
        give(store, stored, plan, who, args.reason)
    if not args.json:
        for line in lines_before(plan):
            put(line)
    _tell(plan, stored, as_json=args.json)
    return Exit.ALL_GOOD


def give(store: Store, stored: StoredSet, plan: NewHands, who: str, reason: str, *, director: bool = True) -> None:
    """Writes down that a board has new hands, and that its copies differ if they do; from now on they hold.

    Raises WrongState when another program gave that spare deal away meanwhile.
    """
    board = plan.given.board
    with store.together():
        if any(one.spare == plan.given.spare for one in given_in(store, stored)):
            raise WrongState("That spare deal was given to a board meanwhile.", hint="Nothing was changed. Try again.")
        dealt = [copy for copy in store.copies.of_set(stored.id) if not copy.simulated]
        details = entry_details(plan, stored.id, cleaned(reason), after=dealt[-1].run if dealt else 0)
        store.decisions.append(Decision.NEW_HANDS, who, **details, **{DIRECTOR: director})
        if plan.fouled:
            groups = "; ".join(", ".join(copy or "first" for copy in group) for group in plan.groups)
            store.decisions.append(Decision.COPY_CHANGED, who, set=stored.id, board=board, groups=groups, law="87")


def leave_note(store: Store, set_id: str, board: int, note: str, who: str) -> None:
    """Writes down a note for the director on a board."""
    store.decisions.append(Decision.LEFT_FOR_DIRECTOR, who, set=set_id, board=board, note=note)


def _plan(store: Store, stored: StoredSet, args: Namespace) -> NewHands | NoNewHands:
    if not has_board(stored, args.board):
        raise NothingOpen(f"Set {stored.name} has no board {args.board}.", hint=f"It has boards {stored.board_range}.")
    if is_over(stored):
        raise WrongState(f"The play of set {stored.name} has ended: its boards keep their hands.")
    dealt = finished(real_copies(store, stored, args.board))
    return plan_new_hands(
        args.board, spares=spares_of(stored), given=given_in(store, stored), dealt=dealt, copies=args.copies or ()
    )


def _ask(store: Store, stored: StoredSet, plan: NewHands | NoNewHands, board: int, names: Names) -> int:
    """The question on a terminal."""
    choices = [BoardChoice.SAME_HANDS, BoardChoice.SKIP]
    put(f"Board {board} of set {stored.name}.")
    if isinstance(plan, NoNewHands):
        put(f"There are no new hands: {plan.reason[0].lower()}{plan.reason[1:]}")
        put("A new set has new hands: dealctl deal --new.")
    else:
        choices.append(BoardChoice.NEW_HANDS)
        for line in lines_before(plan):
            put(line)
    choice = ask_board_choice(choices)
    if choice is BoardChoice.NEW_HANDS and isinstance(plan, NewHands):
        who = names.director()
        if who:
            give(store, stored, plan, who, ask_line("Reason: "))
            _tell(plan, stored, as_json=False)
            return Exit.ALL_GOOD
        put("Without a director the board keeps its hands.")
        choice = BoardChoice.SAME_HANDS
    who = names.person()
    note = f"{board}: skipped, for the director" if choice is BoardChoice.SKIP else f"{board}: {who} asks for new hands"
    leave_note(store, stored.id, board, note, who)
    put(f"Noted for the director: {note}")
    return Exit.ALL_GOOD


def _tell(plan: NewHands, stored: StoredSet, *, as_json: bool) -> None:
    one = plan.given
    if as_json:
        put_object(
            {
                "event": "new-hands",
                "set": stored.id,
                "board": one.board,
                "spare": one.spare,
                "copies": list(one.copies),
                "recall": list(plan.recall),
                "groups": [list(group) for group in plan.groups],
                "law": plan.law,
            },
            sys.stdout,
        )
        return
    names = " and ".join(board_name(one.board, copy) for copy in one.copies) if one.copies else str(one.board)
    put(f"Board {names} has new hands now (Law {plan.law}). Deal it: {', then '.join(_commands(plan, stored))}")


def _commands(plan: NewHands, stored: StoredSet) -> list[str]:
    """What deals every copy that is to have the new hands; the first copy has no name, and a command of its own."""
    one = plan.given
    command = f"dealctl deal {shlex.quote(stored.name)} --boards {one.board}"
    copies = [*one.copies, *(copy for copy in plan.recall if copy and copy not in one.copies)]
    named = [f"{command} --copies {','.join(copies)}"] if copies else []
    return [command, *named] if "" in plan.recall or not copies else named
