"""`dealctl seen N`: a card's face was seen. One question, usually answered no; what follows is written down.

May import: `driver.seen_card`, `driver.new_hands`, `driver.store`, `law_questions`, `names`, `which_set`.
Read next: `driver/seen_card.py`.
"""

from __future__ import annotations

import shlex
from argparse import Namespace
from dataclasses import replace

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.law_questions import BoardChoice, ask_board_choice
from driver.cli.names import Names
from driver.cli.new_hands import give, leave_note
from driver.cli.questions import ask_yes, somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.which_set import finished, given_in, open_store, real_copies, set_of_board, spares_of, stage_of
from driver.clock import utc_now
from driver.errors import NothingOpen
from driver.laws import Stage
from driver.new_hands import NewHands, plan_new_hands
from driver.seen_card import QUESTION, BoardFacts, Outcome, Ruling, Sight, note_line, rule
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import StoredSet


def run(args: Namespace) -> int:
    """Asks, and says what follows."""
    if not somebody_there(as_json=args.json):
        raise NobodyToAsk(
            "Nobody is here to say what was seen.", hint="Nothing was changed. Whoever saw the card runs it."
        )
    with open_store(args) as store:
        names = Names(store.decisions, utc_now, given=args.name, asks=True)
        stored = _set_if_any(store, args)
        sees = ask_yes(QUESTION)
        plan, facts = _plan(store, stored, args.board)
        ruling = rule(Sight(knows_hand=sees, plays=sees), facts)
        if ruling.outcome is Outcome.NOTHING:
            _note(store, stored, args.board, ruling, names.kept(), note="")
            put("Then nothing is to be done: a card tells nothing as long as nobody knows which hand it went to.")
            return Exit.ALL_GOOD
        who = names.witness()
        line = note_line(args.board, who or "somebody")
        if ruling.outcome is Outcome.NEW_HANDS and stored is not None and isinstance(plan, NewHands):
            choice = ask_board_choice([BoardChoice.NEW_HANDS, BoardChoice.SAME_HANDS, BoardChoice.SKIP])
        else:
            choice = BoardChoice.SAME_HANDS
        _note(store, stored, args.board, ruling, who, note=line)
        if choice is BoardChoice.NEW_HANDS and stored is not None and isinstance(plan, NewHands):
            give(store, stored, replace(plan, law=ruling.law), who, line, director=False)
            put(f"Board {args.board} gets new hands (Law {ruling.law}). Take its old cards out; then deal it:")
            put(f"dealctl deal {shlex.quote(stored.name)} --boards {args.board}")
        elif choice is BoardChoice.SKIP:
            leave_note(store, stored.id if stored else "", args.board, f"{args.board}: skipped, for the director", who)
            put("Leave the board out; the director will decide.")
        else:
            put("The board keeps its hands.")
        put(f"Noted for the director: {line}{f' (Law {ruling.law})' if ruling.law else ''}")
    return Exit.ALL_GOOD


def _set_if_any(store: Store, args: Namespace) -> StoredSet | None:
    """The board's set. A board of no set gets a note all the same, unless the person named a set."""
    try:
        return set_of_board(store, args.board, args.set)
    except NothingOpen:
        if args.set is not None:
            raise
        return None


def _plan(store: Store, stored: StoredSet | None, board: int) -> tuple[NewHands | None, BoardFacts]:
    """The new hands that could be given, if any, and what is known of the board."""
    if stored is None:
        return None, BoardFacts(board, Stage.DEALING, spare=False, copies_out=False)
    dealt = finished(real_copies(store, stored, board))
    plan = plan_new_hands(board, spares=spares_of(stored), given=given_in(store, stored), dealt=dealt)
    possible = plan if isinstance(plan, NewHands) else None
    return possible, BoardFacts(board, stage_of(stored, dealt), possible is not None, bool(dealt))


def _note(store: Store, stored: StoredSet | None, board: int, ruling: Ruling, who: str, *, note: str) -> None:
    store.decisions.append(
        Decision.CARD_SEEN,
        who,
        set=stored.id if stored else "",
        board=board,
        outcome=ruling.outcome.value,
        law=ruling.law,
        note=note,
    )
