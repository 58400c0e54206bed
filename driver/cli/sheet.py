"""`dealctl sheet`: the control sheet of a set with the labels of its boxes, or the sheet of faults, as a page to print.

May import: `driver.paper`, `driver.store`, `which_set`, `set_facts`, `names`, `new_file`. Blind (I7).
Read next: `driver/paper/control_sheet.py`.
"""

from __future__ import annotations

import re
import secrets
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.names import Names
from driver.cli.new_file import EVERYBODY_READS, write_new
from driver.cli.new_passphrase import passphrase_in
from driver.cli.set_facts import instruction_of
from driver.cli.text import seat_word
from driver.cli.which_set import notes_on, open_store
from driver.clock import utc_now
from driver.deals.model import BoardDeal, standard_dealer, standard_vulnerability
from driver.errors import NothingOpen
from driver.making import with_supplements
from driver.paper.control_sheet import SheetFacts, SheetLine, control_sheet
from driver.paper.fault_sheet import fault_sheet
from driver.store.copies import DealtCopy
from driver.store.decisions import Decision, Entry
from driver.store.runs import Said
from driver.store.store import Store
from driver.store.stored import CONTENT_KINDS, StoredSet


@dataclass(frozen=True, slots=True)
class _Markings:
    """What is marked on a board."""

    board: int
    dealer: str
    vulnerable: str


CODE_LETTERS: Final = "ACDEFGHJKLMNPQRTUVWXY3479"
"""Letters and digits that nobody takes for one another."""
CODE_LENGTH: Final = 4
_SAID: Final = "dealt, by somebody's word"
_NOT_FOR_NAMES: Final = re.compile(r"[^\w.-]+")
_BY_THE_CYCLE: Final = (
    "Dealer and vulnerability are those of the board's number; the set is sealed and was not opened for this sheet. "
    "What is marked on the board itself counts (Law 2)."
)


def run(args: Namespace) -> int:
    """Writes the page, and says where."""
    if args.faults:
        return _write(args, fault_sheet, Path("faults.html"), what="faults")
    with open_store(args) as store:
        stored = store.sets.find(args.stored_set) if args.stored_set is not None else _dealt_last(store)
        place = Path(f"{_NOT_FOR_NAMES.sub('-', stored.name).strip('-') or stored.id}-sheet.html")
        code = _write(args, lambda: control_sheet(_facts(store, stored, args)), place, what=stored.name)
        for further in [] if args.json else with_supplements(store, stored)[1:]:
            command = f"dealctl sheet {shlex.quote(further.name)}"
            put(f"Boards {further.board_range} of it have a sheet of their own: {command}")
        return code


def _write(args: Namespace, text: Callable[[], str], usual: Path, *, what: str) -> int:
    place = args.out or usual
    write_new(place, text().encode(), EVERYBODY_READS, over=args.force)
    if args.json:
        put_object({"event": "sheet", "of": what, "file": str(place)}, sys.stdout)
    else:
        put(f"Written to {place}: open it in a browser and print it.")
    return Exit.ALL_GOOD


def _dealt_last(store: Store) -> StoredSet:
    """The set of which a board was dealt last, else the newest one. Raises NothingOpen when there is none."""
    sets = store.sets.newest_first()
    if not sets:
        raise NothingOpen("No set is here yet.", hint="Nothing was written. `dealctl sets` lists the sets.")
    begun = [(copies[-1].place, stored) for stored in sets if (copies := _real(store, stored))]
    return max(begun, key=lambda pair: pair[0])[1] if begun else sets[0]


def _real(store: Store, stored: StoredSet) -> list[DealtCopy]:
    return [copy for copy in store.copies.of_set(stored.id) if not copy.simulated]


def _facts(store: Store, stored: StoredSet, args: Namespace) -> SheetFacts:
    entries = store.decisions.newest_first()
    boards, remark = _markings(store, stored, args)
    dealt = {(copy.board, copy.copy): copy for copy in _real(store, stored)}  # the last one of each counts
    said = [one for one in store.runs.said() if one.set_id == stored.id]
    by_word = {one.copy for one in said if one.dealt and one.copy is not None}
    copies = sorted({copy for _, copy in dealt} | by_word) or [""]
    director, instruction = instruction_of(store, stored)
    names = Names(store.decisions, utc_now, given=args.name, asks=False)
    now = utc_now()
    return SheetFacts(
        name=stored.name,
        code=_code(store, stored, entries),
        event=stored.event,
        date=stored.date,
        director=director,
        instruction=instruction,
        dealt_by=names.unasked(),
        machine=_machines(store, dealt.values()),
        printed=now.astimezone().strftime("%Y-%m-%d %H:%M"),
        copies=tuple(
            (copy, tuple(_line(board, copy, dealt, entries, stored, said) for board in boards)) for copy in copies
        ),
        remark=remark,
        log=store.decisions.head().hex(),
    )


def _line(
    board: _Markings,
    name: str,
    copies: Mapping[tuple[int, str], DealtCopy],
    entries: list[Entry],
    stored: StoredSet,
    said: Sequence[Said],
) -> SheetLine:
    """`said` is what was answered of boards of the set after a backup was put back: dealt since then, or not."""
    verdict = when = ""
    dealt = copies.get((board.board, name))
    last = next((one for one in reversed(said) if one.is_about(stored.id, board.board, name)), None)
    if last is not None and last.dealt and (dealt is None or (dealt.verdict is None and dealt.run == last.run)):
        verdict = _SAID
    elif dealt is not None:
        verdict = "not finished" if dealt.verdict is None else dealt.verdict.words
        when = (dealt.judged or dealt.begun).astimezone().strftime("%m-%d %H:%M")
    notes = tuple(notes_on(entries, stored.id, board.board))
    return SheetLine(board.board, board.dealer, board.vulnerable, verdict, when, notes)


def _machines(store: Store, dealt: Iterable[DealtCopy]) -> str:
    """The machines that dealt these copies; "" when none did."""
    records = [store.runs.record(copy.run) for copy in dealt]
    return ", ".join(sorted({record.intention.serial for record in records if record is not None}))


def _code(store: Store, stored: StoredSet, entries: list[Entry]) -> str:
    """The short code of the set's sheets and boxes: drawn once, and kept in the log of decisions."""
    for entry in entries:
        if entry.what is Decision.SHEET_CODE and entry.details.get("set") == stored.id:
            return str(entry.details.get("code"))
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    store.decisions.append(Decision.SHEET_CODE, "", set=stored.id, code=code)
    return code


def _markings(store: Store, stored: StoredSet, args: Namespace) -> tuple[Sequence[_Markings], str]:
    """Number, dealer and vulnerability of each board, and what must be said of them.

    Of a set from a file they are those of the file: it is opened for them, unless it is sealed and nobody gave its
    passphrase. A set made here has those of the Laws' cycle.
    """
    numbers = stored.numbers
    if stored.kind not in CONTENT_KINDS:
        return [_standard(number) for number in numbers], ""
    if stored.sealed and args.passphrase_file is None:
        return [_standard(number) for number in numbers], _BY_THE_CYCLE
    passphrase = None if args.passphrase_file is None or not stored.sealed else passphrase_in(args.passphrase_file)
    boards = {board.number: board for board in store.sets.boards_of(stored, passphrase=passphrase)}
    return [_of_board(boards[number]) for number in numbers if number in boards], ""


def _standard(number: int) -> _Markings:
    return _Markings(number, seat_word(standard_dealer(number).letter), standard_vulnerability(number).text)


def _of_board(board: BoardDeal) -> _Markings:
    return _Markings(board.number, seat_word(board.dealer_to_use.letter), board.vulnerability_to_use.text)
