"""From a name on the command line, or none, to one deal set: asks what only a person can know, refuses elsewhere.

May import: `driver.deals`, `questions`, `recent_files`, `check.py`'s description. Read next: `driver/deals/sets.py`.
An ordinary file is asked nothing about. Where nobody can be asked, each refusal names the option that answers.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

from driver.cli.check import describe
from driver.cli.failures import put
from driver.cli.passwords import ask_password, password_in
from driver.cli.questions import ask_line, ask_yes, somebody_there
from driver.cli.recent_files import newest_deal_files, usual_places
from driver.cli.refusals import NobodyToAsk
from driver.cli.text import boards_word
from driver.clock import wall_time
from driver.deals.loader import LISTED, DealFile, one_of, open_deal_file, set_text
from driver.deals.model import DealSet
from driver.deals.sets import fillable
from driver.errors import BadDeal, ConfigError

HIGHEST_FIRST: Final = 65_535


def choose_deals(args: Namespace, *, whole: bool = True) -> DealSet:
    """The deal set that `args` name, shown in a few lines; asks, or refuses, where something must be known first.

    `args` have the options of `parser.py`'s `_source`. With `whole` False one board alone is wanted: neither are the
    lines shown nor does a person have to look at the rest of the set.
    """
    asks = somebody_there(as_json=args.json)
    file = open_deal_file(
        os.path.abspath(args.file or _choose_file(args, asks=asks)),
        member=args.member,
        password=password_in(args.password_file),
        ask_member=_ask_member if asks else None,
        ask_password=ask_password if asks else None,
    )
    deals = _choose_set(_sets_of(file, args, asks=asks), args, asks=asks)
    if not whole:
        return deals
    if not args.json:
        for line in describe(deals):
            put(line)
    if deals.problems and not args.good_boards_only:
        _ask_for_the_good_ones(deals, fillable(file.contents), asks=asks)
    if deals.suspect and not args.suspect_boards_too:
        _ask_about_suspects(deals, asks=asks)
    return deals


def _choose_file(args: Namespace, *, asks: bool) -> str:
    """The path of one of the newest deal files, or another that is typed."""
    refusal = NobodyToAsk("No deal file is named.", hint=f"Name one: dealctl {args.command} FILE.")
    if not asks:
        raise refusal
    recent = newest_deal_files(usual_places(), wall_time())
    if recent:
        put("The newest deal files:")
    widest = max((len(found.path.name) for found in recent), default=0)
    for number, found in enumerate(recent, start=1):
        put(f"{number}  {found.path.name:<{min(widest, 30)}}  {found.holds}, {found.age}, {found.where}")
    how = "Type its number, or the name of another" if recent else "Type its name"
    typed = ask_line(f"Which deal file? {how} (Enter alone: none): ").strip("\"'")
    if not typed:
        raise refusal
    if typed.isascii() and typed.isdigit() and len(typed) < 3 and 1 <= int(typed) <= len(recent):
        return str(recent[int(typed) - 1].path)
    return typed


def _sets_of(file: DealFile, args: Namespace, *, asks: bool) -> tuple[DealSet, ...]:
    """The sets of a file, once its boards have numbers and its unknown hands are filled in or left alone."""
    fill = args.fill
    unknown = fillable(file.contents)
    if unknown and not fill and asks and not args.good_boards_only:
        give = "1 board gives" if unknown == 1 else f"{unknown} boards give"
        fill = ask_yes(f"{give} three hands only. Fill in the cards that are left?")
    sets = file.sets(first_board=args.first_board, fill=fill)
    if not file.is_unnumbered:
        if args.first_board is not None:
            raise ConfigError(
                f"The file numbers its boards itself: {sets[0].range_text}.",
                key="--first-board",
                hint="Nothing was dealt. Leave --first-board out; `dealctl deal` has --as to deal boards as others.",
            )
        return sets
    if args.first_board is None:
        sets = file.sets(first_board=_ask_first_board(asks=asks), fill=fill)
    return sets


def _ask_first_board(*, asks: bool) -> int:
    if not asks:
        raise NobodyToAsk(
            "This file has no board numbers.",
            hint="Nothing was dealt. Say which number its first board has with --first-board N.",
        )
    return _ask_number("This file has no board numbers. Which number has its first board? [1] ", HIGHEST_FIRST) or 1


def _choose_set(sets: Sequence[DealSet], args: Namespace, *, asks: bool) -> DealSet:
    if args.set is not None or len(sets) == 1 or not asks:
        return one_of(sets, args.set)
    put(f"The file holds {len(sets)} sets with the same numbers and different hands:")
    for number, deals in enumerate(sets[:LISTED], start=1):
        put(f"{number}  {set_text(deals)}")
    if len(sets) > LISTED:
        put(f"and so on to {len(sets)}")
    number = _ask_number("Which set? (Enter alone: none) ", len(sets))
    if not number:
        raise _none_chosen(sets[0].path)
    return one_of(sets, number)


def _ask_member(names: Sequence[str]) -> str:
    put(f"The ZIP archive holds {len(names)} deal files:")
    for number, name in enumerate(names[:LISTED], start=1):
        put(f"{number}  {name}")
    if len(names) > LISTED:
        put(f"and so on to {len(names)}")
    number = _ask_number("Which file? (Enter alone: none) ", len(names))
    if not number:
        raise _none_chosen(None)
    return names[number - 1]


def _ask_number(question: str, highest: int) -> int:
    """A number from 1 to `highest`; 0 for Enter alone."""
    while typed := ask_line(question):
        if typed.isascii() and typed.isdigit() and len(typed) < 10 and 1 <= int(typed) <= highest:
            return int(typed)
        put(f"Type a number from 1 to {highest}.")
    return 0


def _none_chosen(path: str | None) -> BadDeal:
    return BadDeal("None was chosen.", path=path, hint="Nothing was dealt. Choose one when you know which it is.")


def _ask_for_the_good_ones(deals: DealSet, unknown: int, *, asks: bool) -> None:
    if asks:
        if not ask_yes(f"Deal the other {boards_word(len(deals))}?"):
            raise BadDeal("Nothing was dealt, as you asked.", path=deals.path, hint="Correct the file, then try again.")
        return
    filling = ", fill in the only unknown hand of a board with --fill" if unknown else ""
    first = deals.problems[0]
    raise BadDeal(
        f"{len(deals.problems)} of the file's records cannot be dealt. First: {first}",
        path=deals.path,
        line=None if first.by_offset else first.line,
        hint=f"Nothing was dealt. Correct the file{filling}, or deal the other boards with --good-boards-only.",
    )


def _ask_about_suspects(deals: DealSet, *, asks: bool) -> None:
    if asks:
        if not ask_yes("That looks like a mistake in the file. Deal it all the same?"):
            raise BadDeal("Nothing was dealt, as you asked.", path=deals.path, hint="Take another file.")
        return
    raise BadDeal(
        f"Something looks like a mistake in the file. {deals.suspect[0]}",
        path=deals.path,
        hint="Nothing was dealt. Take another file, or deal it all the same with --suspect-boards-too.",
    )
