"""The question after a set was taken over: which board lies in the machine? Once, before the first card of the set.

May import: `driver.handed_over`, `driver.machine`, `questions`, `wanted`. Read next: `take_over.py`, `deal.py`.
The other computer may have begun a board in this very machine. What lies in it is never dealt over.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Final

from driver.championship import DONE
from driver.cli.failures import put
from driver.cli.names import Names
from driver.cli.questions import ask_line, somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.wanted import Wanted
from driver.clock import utc_now
from driver.errors import WrongState
from driver.handed_over import board_is_asked
from driver.machine import Machine
from driver.store.decisions import Decision

_TRIES: Final = 3


def ask_what_lies_in(machines: Mapping[str, Machine], wanted: Wanted, args: Namespace) -> None:
    """Asks where a set of the job was taken over and nobody has answered since; a board that lies in is taken out.

    `machines` by their names are all that deal the job, and each is asked about. `--in-machine` answers for a script.
    Raises NobodyToAsk without an answer, WrongState where a board lies in and the job would start by itself.
    """
    first = next(iter(machines.values()))
    sets = board_is_asked(first.store, (item.set_id for item in wanted.items))
    if not sets:
        return
    places = ["the machine"]
    if args.in_machine is None and somebody_there(as_json=args.json):
        put(f"Set {wanted.deals.name} was taken over from another computer.")
        places = places if len(machines) == 1 else [*machines]
    numbers = [_taken_out(first, wanted, args, sets, place) for place in places]
    who = Names(first.store.decisions, utc_now, given=None, asks=False).kept()
    with first.store.together():
        for set_id in sets:
            for number in numbers:
                first.store.decisions.append(Decision.BOARD_IN_MACHINE, who, set=set_id, board=number)


def _taken_out(machine: Machine, wanted: Wanted, args: Namespace, sets: tuple[str, ...], place: str) -> int:
    """The number of the board that lay at that place, taken out now; 0 for none."""
    number = args.in_machine
    if number is None and somebody_there(as_json=args.json):
        number = _number(place)
    if number is None:
        raise NobodyToAsk(
            "The set was taken over, and nobody has said which board lies in the machine.",
            hint="Nothing moved. Look into the machine and say its number with --in-machine N, or 0 for none.",
        )
    if number:
        _take_out(machine, args, sets, number, place)
    return int(number)


def _number(place: str) -> int | None:
    for _ in range(_TRIES):
        typed = ask_line(f"Which board lies in {place} now? (its number, or 0 for none) ")
        if typed.isascii() and typed.isdigit() and len(typed) < 6:
            return int(typed)
        put("Look into the machine. Type the number on the board, or 0 when none lies in it, then Enter.")
    return None


def _take_out(machine: Machine, args: Namespace, sets: tuple[str, ...], number: int, place: str) -> None:
    """Says what to do with a board that lies in. Raises WrongState where nobody would do it before the start."""
    record = machine.journal.last_of_board(number)
    told = None if record is None else record.intention
    is_dealt = (
        told is not None and told.deal_set in sets and record is not None
        and record.verdict in {verdict.name for verdict in DONE}
    )  # fmt: skip
    if is_dealt:
        text = f"Board {number} is dealt. Take it out as it is, and put it into its box."
    else:
        text = f"Nobody knows what lies in board {number}. Take all cards out of it, the path and the hopper."
    if args.auto or args.json:
        raise WrongState(text, hint="Nothing moved. When that is done, start again with --in-machine 0.")
    put(text)
    ask_line(f"Press Enter when {place} is empty (Ctrl-C: leave). ")
