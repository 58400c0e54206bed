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
from datetime import datetime

from driver.again import HandsNow
from driver.championship import DONE, check_may_be_dealt
from driver.cli.check import describe
from driver.cli.deal_source import choose_deals
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.law_questions import ask_choice, ask_used
from driver.cli.names import Names, cleaned
from driver.cli.questions import somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.text import board_name
from driver.cli.which_set import is_over, is_strict, opened
from driver.clock import utc_now
from driver.deals.fairness import parse_manifest
from driver.deals.hands import listed
from driver.deals.model import DealSet, range_text
from driver.errors import BadDeal, ConfigError, NothingOpen, UnknownFormat, WrongState
from driver.happenings import Item
from driver.laws import NEWEST, Topic
from driver.machine import items_for
from driver.making import make_game, set_with_board
from driver.store.copies import DealtCopy
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetKind, StoredSet, is_id, name_key
from driver.used_deals import PlannedBoard, UsedAnswer, used_question


@dataclass(frozen=True, slots=True)
class Wanted:
    """A stored set and which of its boards are to be dealt; `other_hands` are the sets of copies with new hands."""

    deals: DealSet
    boards: tuple[int, ...]
    other_hands: Mapping[str, DealSet] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Outdated:
    """What a corrected file says about `old`, a set of which boards were dealt today.

    `boards` have other hands in the file, `copies` are those of them that were dealt; `valid` boards were dealt and
    stay as they are.
    """

    old: StoredSet
    boards: tuple[int, ...]
    copies: tuple[str, ...]
    valid: frozenset[int]


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
        stored, wanted, outdated = _file(from_file, args, store)
    elif args.new is not None:
        stored, wanted = _new(args, store)
    else:
        stored, wanted = _stored(args, store)
    wanted = _lawful(stored, wanted, args, store, names, named=from_file is None)
    if outdated is not None:
        _take_out(outdated, wanted, args, store, names)
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
    wanted = _wanted(stored, boards, args, store)
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
    wanted = _wanted(stored, args.boards, args, store)
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
    today = [one for one in alike if any(_is_today(copy.begun) for copy in _finished_copies(store, one))]
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


def _is_today(time: datetime) -> bool:
    return time.astimezone().date() == utc_now().astimezone().date()


def _finished_copies(store: Store, stored: StoredSet) -> list[DealtCopy]:
    """The copies that a real machine dealt to the end, oldest first."""
    return [copy for copy in store.copies.of_set(stored.id) if not copy.simulated and copy.verdict in DONE]


def _wanted(stored: StoredSet, boards: Sequence[int] | None, args: Namespace, store: Store) -> Wanted:
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
    other = {}
    if any(part.given for part in parts):
        other = {copy: _joined([part.of_copy(copy) for part in parts]) for copy in args.copies}
    return Wanted(deals, tuple(boards or deals.numbers), other)


def _joined(parts: Sequence[DealSet]) -> DealSet:
    """One set with the boards of several, each board marked with its own set."""
    boards = (replace(board, set_id=part.set_id) for part in parts for board in part)
    return replace(parts[0], boards=tuple(boards))


def _lawful(stored: StoredSet, wanted: Wanted, args: Namespace, store: Store, names: Names, *, named: bool) -> Wanted:
    """What is left to deal after the question about deals that were dealt before."""
    items = items_for(wanted.deals, wanted.boards, args.copies, args.as_board, wanted.other_hands)
    planned = _planned(items, stored, store)
    now = utc_now().astimezone()
    question = used_question(planned, now, set_id=stored.id, named=named, strict=is_strict(stored))
    fresh = [one.board for one in planned if not one.uses]
    if is_over(stored) and fresh:
        raise WrongState(
            f"The play of set {stored.name} has ended, and its hands may be known: no further board of it is dealt.",
            hint=f"Nothing was dealt. Boards that were not dealt before: {range_text(fresh)}.",
        )
    if question is None or stored.kind is SetKind.LESSON:
        return wanted
    if ask_used(question, args, names, store.decisions) is not UsedAnswer.ONLY_NEW:
        return wanted
    left = {item.deal_board for item in items if item.board in question.fresh}
    return replace(wanted, boards=tuple(number for number in wanted.boards if number in left))


def _planned(items: Sequence[Item], stored: StoredSet, store: Store) -> list[PlannedBoard]:
    """Each board copy with the uses of its deal; a copy of its own set that was begun and not finished is no use."""
    sets = dict.fromkeys(item.set_id for item in items)
    done = {copy.run for set_id in sets for copy in store.copies.of_set(set_id) if copy.verdict in DONE}
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


def _file(deals: DealSet, args: Namespace, store: Store) -> tuple[StoredSet, Wanted, _Outdated | None]:
    """The stored set of a file; of a corrected one, asked for where a person is there, only what is not dealt yet."""
    alike = store.sets.similar(deals)
    with store.together():
        added = store.sets.add_imported(deals)
        if added.is_new:
            store.decisions.append(Decision.SET_IMPORTED, "", set=added.stored.id, boards=added.stored.board_range)
    deals = replace(deals, set_id=added.stored.id)
    boards = tuple(args.boards or deals.numbers)
    outdated = None if alike is None else _outdated_by(alike[0], alike[1], store)
    if outdated is not None and somebody_there(as_json=args.json):
        boards = _ask_corrected(outdated, boards, args)
    return added.stored, Wanted(deals, boards), outdated


def _outdated_by(old: StoredSet, different: Sequence[int], store: Store) -> _Outdated | None:
    """What a file corrects in a set of which boards were dealt today; None when it corrects nothing.

    A set that was dealt on another day is no set to correct: then it is the question about used deals that comes.
    """
    if not different:
        return None
    dealt = [copy for copy in _finished_copies(store, old) if _is_today(copy.begun)]
    if not dealt:
        return None
    out = dict.fromkeys(board_name(copy.board, copy.copy) for copy in dealt if copy.board in different)
    return _Outdated(old, tuple(different), tuple(out), frozenset(copy.board for copy in dealt).difference(different))


def _ask_corrected(outdated: _Outdated, boards: tuple[int, ...], args: Namespace) -> tuple[int, ...]:
    """Only what is new or not dealt yet, unless the person wants all of it. Raises BadDeal for neither."""
    left = tuple(number for number in boards if number not in outdated.valid)
    new = [number for number in left if number in outdated.boards]
    if not new or len(left) == len(boards):
        return boards
    same = len(boards) - len(new)
    put(
        f"{same} of {len(boards)} boards equal the set {outdated.old.name} dealt today; other hands: {range_text(new)}."
    )
    too = "" if len(left) == len(new) else ", other hands or not dealt yet"
    answer = ask_choice(
        [
            (f"Deal only {_boards(left)}{too}", left),
            (f"Deal all {len(boards)} boards", boards),
            ("Stop", ()),
        ]
    )
    if not answer:
        raise BadDeal("Nothing was dealt, as you asked.", path=args.file, hint="Take another file.")
    return answer


def _take_out(outdated: _Outdated, wanted: Wanted, args: Namespace, store: Store, names: Names) -> None:
    """Names the copies of boards about to be dealt that hold the old hands, and writes it down."""
    boards = [number for number in wanted.boards if number in outdated.boards]
    if not boards or not outdated.copies:
        return
    law = NEWEST.law_number(Topic.FOULED)
    copies = listed(outdated.copies)
    if args.json:
        put_object({"event": "take out", "set": outdated.old.id, "copies": list(outdated.copies)}, sys.stdout)
    else:
        put(f"Take out of play: {copies}, dealt today with the old hands of {_boards(boards)}.")
        put(f"If both are played, Law {law} applies: the director scores them by groups.")
    store.decisions.append(
        Decision.COPY_CHANGED,
        cleaned(args.name or "") or names.kept(),
        set=wanted.deals.set_id,
        before=outdated.old.id,
        boards=range_text(boards),
        copies=" ".join(outdated.copies),
        law=law,
    )


def _boards(numbers: Sequence[int]) -> str:
    return f"board{'' if len(numbers) == 1 else 's'} {range_text(numbers)}"
