"""What `dealctl deal` is to deal: a file, a stored set by its name, or a new set; stored, and asked about by the Laws.

May import: `driver.again`, `driver.championship`, `driver.making`, `driver.used_deals`, `driver.store`,
`deal_source.py`, `law_questions.py`. Read next: `deal.py`. Every question is settled before a machine is opened, and
nothing is stored before the boards are known to be there. A set that nobody dealt before is asked nothing about.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from driver.again import HandsNow
from driver.championship import DONE, check_may_be_dealt
from driver.cli.check import describe
from driver.cli.corrected import Outdated, ask_corrected, finished_copies, is_today, outdated_by, take_out
from driver.cli.deal_source import choose_deals
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.law_questions import ask_choice, ask_used
from driver.cli.names import Names
from driver.cli.questions import somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.which_set import is_over, is_strict, opened
from driver.clock import utc_now
from driver.deals.fairness import parse_manifest
from driver.deals.model import DealSet, range_text
from driver.errors import ConfigError, NothingOpen, UnknownFormat, WrongState
from driver.handed_over import check_here
from driver.happenings import Item
from driver.machine import items_for
from driver.making import make_game, set_with_board
from driver.queue import JobOrder, Order
from driver.store.decisions import Decision, Detail
from driver.store.store import Store
from driver.store.stored import SetKind, StoredSet, is_id, name_key
from driver.used_deals import PlannedBoard, UsedAnswer, next_copies, used_question


@dataclass(frozen=True, slots=True)
class Wanted:
    """A stored set and which copies of which of its boards are to be dealt, the first of them as board `as_board`.

    `other_hands` are the sets of copies with new hands; `order`, `descending` and `left_out` as in `JobOrder`.
    `emptied`: what lay in the boards is taken out first, for they are dealt once more.
    """

    deals: DealSet
    boards: tuple[int, ...]
    other_hands: Mapping[str, DealSet] = field(default_factory=dict)
    copies: tuple[str, ...] = ("",)
    as_board: int | None = None
    order: Order = Order.BOX_BY_BOX
    descending: bool = False
    left_out: frozenset[tuple[int, str]] = frozenset()
    emptied: bool = False

    @property
    def job(self) -> JobOrder:
        """The same as an order for the queue."""
        told = (self.boards, self.copies, self.order, self.descending, self.as_board, self.left_out)
        return JobOrder(0, self.deals.set_id, *told)

    @property
    def items(self) -> list[Item]:
        """The board copies in their order. Raises NothingOpen when there are none."""
        return items_for(
            self.deals,
            self.boards,
            self.copies,
            self.as_board,
            self.other_hands,
            order=self.order,
            descending=self.descending,
            left_out=self.left_out,
        )


def named_file(args: Namespace) -> DealSet | None:
    """The deals of the file that `args` name; None when they name a stored set, or want a new one.

    Raises DealFileError and ConfigError, NothingOpen for a board that the file does not have: nothing is stored then.
    """
    if args.new is not None:
        if args.file is not None:
            raise ConfigError(
                "Either a file or new boards: not both.",
                key="--new",
                hint=f"Nothing was dealt. For new boards: dealctl deal --new {args.new}.",
            )
        return None
    if args.file is not None and (not os.path.exists(args.file) or os.path.isdir(args.file)):
        return None
    deals = choose_deals(args)
    items_for(deals, args.boards, args.copies, args.as_board)
    return deals


def settle(args: Namespace, store: Store, from_file: DealSet | None) -> Wanted:
    """The boards that `args` ask for, in a stored set, after every question that is not the machine's.

    `from_file` as `named_file` gave it. Raises DealFileError, ConfigError, NothingOpen, WrongState, UsedDeal,
    WrongPassphrase: nothing is dealt then.
    """
    names = Names(store.decisions, utc_now, given=args.name, asks=somebody_there(as_json=args.json))
    outdated = None
    if from_file is not None:
        stored, wanted, outdated = _file(from_file, args, store, names)
    elif args.new is not None:
        stored, wanted = _new(args, store)
    else:
        stored, wanted = _stored(args, store)
    wanted = _lawful(stored, wanted, args, store, names, named=from_file is None)
    if outdated is not None:
        take_out(outdated, wanted.deals.set_id, wanted.boards, store, names, as_json=args.json)
    return wanted


def open_set(store: Store, stored: StoredSet, args: Namespace) -> HandsNow:
    """The set with its hands, to deal it. Raises as `opened`, WrongState when it may not be dealt yet, and ConfigError
    when the second secret is not named."""
    if stored.kind is SetKind.CHAMPIONSHIP:
        check_may_be_dealt(store, stored)
        if args.second is None and parse_manifest(store.sets.manifest_of(stored)).second_sha256:
            raise ConfigError(
                f"Set {stored.name} has two secrets, and the second person's is needed too.",
                key="--second",
                hint="Nothing was dealt. Name the second person's file with --second.",
            )
    return opened(store, stored, args)


def _new(args: Namespace, store: Store) -> tuple[StoredSet, Wanted]:
    stored = make_game(store, boards=args.new, now=utc_now)
    boards = tuple(args.boards or range(1, args.new + 1))
    wanted = _as_ordered(wanted_boards(stored, boards, args.copies, args, store), args)
    if args.json:
        told = {"event": "made", "id": stored.id, "name": stored.name, "kind": stored.kind.value}
        put_object({**told, "boards": stored.board_range}, sys.stdout)
    else:
        put(f"New set {stored.name}: boards {range_text(boards)}.")
        again = f"dealctl deal {shlex.quote(stored.name)}"
        put(f"More boards of it, or another copy, later: {again} --boards … --copies …")
    return stored, wanted


def _stored(args: Namespace, store: Store) -> tuple[StoredSet, Wanted]:
    stored = _called(args, store)
    check_here(store, stored)  # before a supplement of it is made
    wanted = _as_ordered(wanted_boards(stored, args.boards, args.copies, args, store), args)
    if not args.json:
        for line in describe(wanted.deals):
            put(line)
    return stored, wanted


def _called(args: Namespace, store: Store) -> StoredSet:
    """The set of that name. Where later ones had to get a number behind it, the one dealt today, else the one chosen.

    A club's files are often called the same every week: then the plain name is that of the oldest set.
    """
    try:
        stored = store.sets.find(args.file)
    except NothingOpen:
        raise UnknownFormat(
            f"There is no file and no set of the name {args.file[:80]}.",
            hint="Nothing was dealt. Look at the name; `dealctl sets` lists the sets that are here.",
        ) from None
    if is_id(args.file):
        return stored
    numbered = re.compile(re.escape(name_key(stored.name)) + r"(-\d+)?")
    alike = [
        other
        for other in store.sets.newest_first()
        if other.kind is stored.kind and numbered.fullmatch(name_key(other.name)) and other.created >= stored.created
    ]
    today = [one for one in alike if any(is_today(copy.begun) for copy in finished_copies(store, one))]
    if len(today or alike) == 1:
        return (today or alike)[0]
    texts = [f"{one.name}: boards {one.board_range}, {one.event or one.kind.value}, {_day(one)}" for one in alike]
    if not somebody_there(as_json=args.json):
        raise NobodyToAsk(
            f"{len(alike)} sets are called {stored.name}, with a number or without.",
            hint=f"Nothing was dealt. Name the one that is meant by its id: {', '.join(one.id for one in alike)}.",
        )
    put(f"{len(alike)} sets are called {stored.name}. Which one?")
    return ask_choice(list(zip(texts, alike, strict=True)))


def _day(stored: StoredSet) -> str:
    return stored.date or f"here since {stored.created.astimezone().date().isoformat()}"


def wanted_by(order: JobOrder, args: Namespace, store: Store) -> Wanted:
    """What a job of the queue deals, its sets opened as `args` say. Raises as `open_set`."""
    wanted = wanted_boards(store.sets.find(order.set_id), order.boards, order.copies, args, store)
    return replace(wanted, copies=order.copies, as_board=order.as_board, order=order.order, descending=order.descending)


def wanted_boards(
    stored: StoredSet, boards: Sequence[int] | None, copies: Sequence[str], args: Namespace, store: Store
) -> Wanted:
    """Those boards of the set (None = all of it), with the hands that each copy has now."""
    parts = [open_set(store, stored, args)]
    there = set(parts[0].deals.numbers)
    if stored.kind is SetKind.GAME and not stored.sealed:
        # Beyond its own boards a game set goes on with further sets, made when they are needed.
        for number in boards or ():
            if number not in there and (further := set_with_board(store, stored, number, now=utc_now)).id != stored.id:
                parts.append(open_set(store, further, args))
                there.update(parts[-1].deals.numbers)
    deals = _joined([part.deals for part in parts])
    wanted = Wanted(deals, tuple(boards or deals.numbers), copies=tuple(copies))
    if any(part.given for part in parts):
        named = (*copies, *_another(wanted, store))
        return replace(wanted, other_hands={copy: _joined([part.of_copy(copy) for part in parts]) for copy in named})
    return wanted


def _as_ordered(wanted: Wanted, args: Namespace) -> Wanted:
    """With the copies, the numbers and the order of the options."""
    copies, as_board, order, descending = order_asked(args)
    return replace(wanted, copies=copies, as_board=as_board, order=order, descending=descending)


def order_asked(args: Namespace) -> tuple[tuple[str, ...], int | None, Order, bool]:
    """Copies, first number, order and direction, as the options ask for them."""
    order = Order.BOARD_BY_BOARD if args.by_board else Order.BOX_BY_BOX
    return args.copies, args.as_board, order, args.descending


def _another(wanted: Wanted, store: Store) -> tuple[str, ...]:
    """The names that one more copy of each copy wanted would have: nobody has dealt one of these boards so."""
    sets = {item.set_id for item in wanted.items}
    dealt = {
        copy.copy
        for set_id in sets
        for copy in store.copies.of_set(set_id)
        if copy.board in wanted.boards and not copy.simulated
    }
    return next_copies(dealt, len(wanted.copies))


def _joined(parts: Sequence[DealSet]) -> DealSet:
    """One set with the boards of several, each board marked with its own set."""
    boards = (replace(board, set_id=part.set_id) for part in parts for board in part)
    return replace(parts[0], boards=tuple(boards))


def _lawful(stored: StoredSet, wanted: Wanted, args: Namespace, store: Store, names: Names, *, named: bool) -> Wanted:
    """What is left to deal after the question about deals that were dealt before."""
    check_here(store, stored)
    items = wanted.items
    planned = _planned(items, stored, store)
    now, another = utc_now().astimezone(), _another(wanted, store)
    question = used_question(planned, now, set_id=stored.id, named=named, another=another, strict=is_strict(stored))
    fresh = [one.board for one in planned if not one.uses]
    if is_over(stored) and fresh:
        raise WrongState(
            f"The play of set {stored.name} has ended, and its hands may be known: no further board of it is dealt.",
            hint=f"Nothing was dealt. Boards that were not dealt before: {range_text(fresh)}.",
        )
    if question is None or stored.kind is SetKind.LESSON:
        return wanted
    match ask_used(question, args, names, store.decisions):
        case UsedAnswer.REPLACE:
            return replace(wanted, emptied=True)
        case UsedAnswer.ANOTHER_COPY:
            return replace(wanted, copies=question.another)
        case UsedAnswer.ONLY_NEW:
            dealt = {(item.deal_board, item.copy) for item in items if (item.board, item.copy) not in question.fresh}
            return replace(wanted, left_out=frozenset(dealt))
        case _:
            return wanted


def _planned(items: Sequence[Item], stored: StoredSet, store: Store) -> list[PlannedBoard]:
    """Each board copy with the uses of its deal; a copy of its own set that was begun and not finished is no use."""
    sets = dict.fromkeys(item.set_id for item in items)
    done = {copy.run for set_id in sets for copy in store.copies.of_set(set_id) if copy.verdict in DONE}
    done |= {one.run for one in store.runs.said() if one.dealt}
    uses = store.register.uses([item.deal for item in items])
    return [
        PlannedBoard(
            item.board,
            item.copy,
            # To a person a set that goes on with further sets is one.
            tuple(
                replace(use, set_id=stored.id) if use.set_id == item.set_id else use
                for use in found
                if use.set_id != item.set_id or use.run in done
            ),
        )
        for item, found in zip(items, uses, strict=True)
    ]


def _file(deals: DealSet, args: Namespace, store: Store, names: Names) -> tuple[StoredSet, Wanted, Outdated | None]:
    """The stored set of a file; of a corrected one, asked for where a person is there, only what is not dealt yet."""
    alike = store.sets.similar(deals)
    with store.together():
        added = store.sets.add_imported(deals)
        if added.is_new:
            details: dict[str, Detail] = {"set": added.stored.id, "boards": added.stored.board_range}
            if alike is not None and alike[1]:
                # Kept for the next time that this file is named: then the set that is most alike is its own.
                details |= {"corrects": alike[0].id, "other_hands": alike[1]}
            store.decisions.append(Decision.SET_IMPORTED, "", **details)
    if deals.suspect:  # a person confirmed it, else it would not have come here
        who = names.unasked()
        store.decisions.append(Decision.SUSPECT_CONFIRMED, who, set=added.stored.id, why=deals.suspect)
    deals = replace(deals, set_id=added.stored.id)
    boards = tuple(args.boards or deals.numbers)
    outdated = outdated_by(added.stored, store)
    if outdated is not None and somebody_there(as_json=args.json):
        boards = ask_corrected(outdated, boards, args.file)
    return added.stored, _as_ordered(Wanted(deals, boards), args), outdated
