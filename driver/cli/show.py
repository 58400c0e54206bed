"""`dealctl show N`: the director's ten-second look at a board's hands. Warned, named, written down before it is shown.

May import: `driver.store`, `driver.deals.model`, `driver.dropped`, `names`, `which_set`, `keyboard`. Read next:
`which_set.py`; `driver/dropped.py`, which knows what is on the second page.
Works with no machine attached. The one command that puts hands on a screen (I7): on the other page of the terminal, so
that they are neither on the screen nor in its scroll-back afterwards.
"""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.keyboard import open_keyboard
from driver.cli.names import DIRECTOR, Names
from driver.cli.questions import ask_line, somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.text import board_name, can_repaint, seat_word
from driver.cli.which_set import (
    board_in_force,
    is_strict,
    notes_on,
    open_store,
    set_of_board,
)
from driver.clock import utc_now
from driver.deals.model import BoardDeal, Deal
from driver.dropped import Dropped, dropped
from driver.store.decisions import Decision
from driver.store.runs import RunRecord
from driver.store.store import Store
from driver.store.stored import StoredSet
from driver.used_deals import day_text
from driver.verdicts import Verdict
from protocol.cards import Seat, Suit

_OTHER_PAGE: Final = "\x1b[?1049h\x1b[2J\x1b[H"
_FIRST_PAGE: Final = "\x1b[2J\x1b[H\x1b[?1049l"
_LOOK: Final = 0.5
"""Seconds of one wait for a key; a Ctrl-C that falls between two waits is seen after it."""
_HANDS_BY: Final = {
    Verdict.GOOD.name: "So it holds these hands:",
    Verdict.COUNTED.name: "By this record it holds these hands; its cards are counted, and not all proven:",
}
_NOT_PROVEN: Final = "By this record it would hold these hands; that is not proven:"
_WIDTH: Final = 20
"""Columns of one hand in the picture: four of these names and suits fit beside each other on 80 columns."""


def run(args: Namespace) -> int:
    """Shows the hands until a key is pressed; with --name and --now once, for scripts."""
    asks = somebody_there(as_json=args.json) and not args.now
    if not asks and not (args.name and args.now):
        raise NobodyToAsk(
            "A look at a hand is kept with a name, and nobody is here to give one.",
            hint="Nothing was shown. Run it in a terminal, or with --name NAME --now: then it prints the hands.",
        )
    with open_store(args) as store:
        stored = set_of_board(store, args.board, args.set)
        names = Names(store.decisions, utc_now, given=args.name, asks=asks)
        # First of all, so that a wrong passphrase leaves no look behind that never was.
        board = board_in_force(store, stored, args)
        if asks:
            _warn(store, stored, args.board)
        who = names.director() if is_strict(stored) else names.person()
        if not who:
            whose = "a director's name" if is_strict(stored) else "a name"
            raise NobodyToAsk(f"A look at a hand is kept with {whose}.", hint="Nothing was shown. Type one, or --name.")
        if asks:
            ask_line(f"Press Enter to see board {board_name(args.board, args.copy)} (Ctrl-C: leave). ")
        _write_down(store, stored, args, who, page=2 if args.dropped else 1)
        second = dropped(store, stored.id, board, args.copy)
        if asks:
            _show_pages(store, stored, args, who, [picture(board), dropped_page(board, second)])
        elif args.json:
            found = _as_object(board, stored, args.copy)
            put_object({**found, "dropped": _dropped_object(second)} if args.dropped else found, sys.stdout)
        else:
            for line in dropped_page(board, second) if args.dropped else picture(board):
                put(line)
    return Exit.ALL_GOOD


def picture(board: BoardDeal) -> list[str]:
    """The four hands as at a table, with number, dealer and vulnerability. Shows the deal: mind I7."""
    margin = " " * _WIDTH
    dealer, vulnerable = seat_word(board.dealer_to_use.letter), board.vulnerability_to_use.text
    north, east, south, west = (_hand(board.deal, seat) for seat in Seat)
    middle = [f"{left:<{2 * _WIDTH}}{right}".rstrip() for left, right in zip(west, east, strict=True)]
    return [
        f"Board {board.number}, dealer {dealer}, vulnerable {vulnerable}",
        "",
        *(margin + line for line in north),
        *middle,
        *(margin + line for line in south),
    ]


def dropped_page(board: BoardDeal, found: Dropped | None) -> list[str]:
    """The second page: what the machine really dropped. Shows the deal: mind I7."""
    if found is None:
        return [f"Board {board.number} was not dealt here: what lies in it is not known."]
    record = found.record
    day = "" if record.begun is None else f" {day_text(record.begun, utc_now().astimezone())}"
    lines = [f"Board {board.number} as the machine dropped it{day}: {_verdict_words(record)}."]
    compare = f"Compare it: dealctl check-board {record.intention.board}"
    if not found.is_written:
        return [*lines, f"Nothing is written down of its cards: what lies in it is not known. {compare}"]
    fell, planned, elsewhere, unsure = found.counts
    lines += [
        f"{fell} cards dropped: {planned} where the plan has them, {elsewhere} elsewhere, {unsure} not known.",
        f"Of them {', '.join(f'{text}: {number}' for text, number in found.proven)}.",
    ]
    if not found.is_this_deal:
        return [*lines, "It was dealt with other hands than the board has now: which ones is not written down."]
    if found.equals_deal:
        return [*lines, _HANDS_BY.get(record.verdict or "", _NOT_PROVEN), "", *picture(board)]
    if found.astray is None or found.unsure is None:
        return [*lines, f"Which cards those are is not written down. {compare}"]
    for text, cards in (("Elsewhere", found.astray), ("Not known", found.unsure)):
        lines += [f"{text}: {card}, which belongs to {seat_word(board.deal.owner(card).letter)}." for card in cards]
    return [*lines, "All others lie where the deal has them."] if planned else lines


def _verdict_words(record: RunRecord) -> str:
    return "without a verdict" if record.verdict is None else Verdict[record.verdict].words


def _hand(deal: Deal, seat: Seat) -> list[str]:
    cards = deal.hand(seat)
    ranks = {suit: "".join(card.rank for card in cards if card.suit is suit) for suit in Suit}
    return [seat_word(seat.letter), *(f"{suit.letter} {ranks[suit] or '-'}" for suit in Suit)]


def _warn(store: Store, stored: StoredSet, board: int) -> None:
    where = f", {stored.date}" if stored.date else ""
    put(f"Board {board} of set {stored.name}{where}.")
    for note in notes_on(store.decisions.newest_first(), stored.id, board):
        put(f"Note: {note}")
    put("Do not look if you still have to play it. The look is written down with your name.")


def _write_down(store: Store, stored: StoredSet, args: Namespace, who: str, *, page: int) -> None:
    details: dict[str, Any] = {"set": stored.id, "board": args.board, "copy": args.copy}
    if page > 1:
        details["page"] = page
    if is_strict(stored):
        details[DIRECTOR] = True
    store.decisions.append(Decision.LOOKED_AT_HAND, who, **details)


def _as_object(board: BoardDeal, stored: StoredSet, copy: str) -> dict[str, object]:
    return {
        "event": "hands",
        "set": stored.id,
        "board": board.number,
        "copy": copy,
        "dealer": board.dealer_to_use.letter,
        "vulnerable": board.vulnerability_to_use.text,
        "deal": board.deal.hands_as_pbn(),
    }


def _dropped_object(found: Dropped | None) -> dict[str, object] | None:
    if found is None:
        return None
    fell, planned, elsewhere, unsure = found.counts
    counts = {"cards": fell, "as_planned": planned, "elsewhere": elsewhere, "not_known": unsure}
    known = counts if found.is_written else dict.fromkeys(counts)
    return {**known, "verdict": found.record.verdict, "equals_deal": found.equals_deal}


def _show_pages(store: Store, stored: StoredSet, args: Namespace, who: str, pages: list[list[str]]) -> None:
    """The first page, or the second one that was asked for; from the first a key leads to the second, written down
    before it is shown."""
    if not args.dropped:
        if _key_after([*pages[0], "", "2: what the machine dropped. Any other key: away with it."]) != "2":
            return
        _write_down(store, stored, args, who, page=2)
    _key_after([*pages[1], "", "Any key: away with it."])


def _key_after(lines: list[str]) -> str:
    """Shows the lines until a key is pressed; that key."""
    other_page = can_repaint(sys.stdout)
    keyboard = open_keyboard(asks=True)
    key = ""
    try:
        with _not_suspended(), _page(other_page):
            for line in lines:
                put(line)
            while not key:
                key = keyboard.read(_LOOK)
    finally:
        keyboard.close()
    put("Gone from the screen." if other_page else "Clear this window: the hands are still in it.")
    return key


@contextmanager
def _page(other: bool) -> Iterator[None]:
    """What is printed inside stands on the terminal's other page, which is wiped and left at the end."""
    if not other:
        yield
        return
    try:
        print(_OTHER_PAGE, end="", flush=True)
        yield
    finally:
        print(_FIRST_PAGE, end="", flush=True)


@contextmanager
def _not_suspended() -> Iterator[None]:
    """Ctrl-Z would put the program to sleep with the hands on the screen: it does nothing meanwhile."""
    suspend = getattr(signal, "SIGTSTP", None)
    if suspend is None:
        yield
        return
    before = signal.signal(suspend, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(suspend, before)
