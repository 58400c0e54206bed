"""Sets for teaching: hands that a teacher types, chooses or wishes for, the rest filled at random.

May import: `making.py`, `driver.deals`, `driver.store`, `driver.errors`. Read next: `deals/lesson.py` (what can be
given, and how it is filled), `deals/wishes.py` (what can be wished for).

A lesson is a kind of its own in the store and never becomes a game or a championship (Law 6E4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from driver.deals.encoding import decode
from driver.deals.generator import fill_lesson
from driver.deals.hands import Hand
from driver.deals.lesson import MOST_TRIES, Given, GivenHand, parse_given
from driver.deals.loader import open_deal_file
from driver.deals.model import BoardDeal, DealSet, standard_dealer, standard_vulnerability
from driver.deals.records import HIGHEST_BOARD, Record
from driver.deals.wishes import Wish
from driver.errors import BadDeal, BadSyntax, DealFileError, NothingOpen, UnknownFormat
from driver.making import MOST_BOARDS, day_name, local_date
from driver.store.decisions import Decision
from driver.store.forms import Now
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import Added, SetKind
from protocol.cards import PACK_SIZE

LARGEST_TEXT: Final = 1_000_000
EVENT: Final = "Lesson"
"""What the event of every lesson begins with, so that every file written from it says what it is."""

_NOTHING_GIVEN: Final = Given((GivenHand(), GivenHand(), GivenHand(), GivenHand()))
_TAG: Final = re.compile(r'\[(Board|Deal)[ \t]+"([^"\n]{0,500})"')
_LINE: Final = re.compile(r"(?:board )?(?:(\d{1,6})\W{0,2}[ \t]+)?([NESW]:.*)", re.IGNORECASE | re.ASCII)
_COMMENT: Final = ("#", "%", ";")
_CLOSED: Final = (False, False, False, False)
_HINT: Final = (
    "Nothing was made. Write one board a line, with its number or without: 7 N:AKxx.Q?.?.? - - - (x is a card below "
    "the ten, ? stands for any further cards of the suit, - for a hand that is not given); or name a deal file."
)


@dataclass(frozen=True, slots=True)
class LessonBoard:
    """A board of a lesson before it is filled; its repr shows no card."""

    number: int
    given: Given = field(repr=False)


def open_boards(count: int) -> tuple[LessonBoard, ...]:
    """Boards 1 to `count` of which nothing is given."""
    return tuple(LessonBoard(number, _NOTHING_GIVEN) for number in range(1, count + 1))


def read_lesson(path: Path) -> tuple[LessonBoard, ...]:
    """The boards of a text that a teacher typed, or of a deal file of any format, in the order of the file.

    In a deal file hands may be missing, and in PBN there may be `x` and `?` in a hand. Raises DealFileError with path,
    and line where known; no message shows a card with its seat.
    """
    try:
        boards = _from_records(open_deal_file(path).contents.records)
    except DealFileError as error:
        error.path = str(path)
        boards = _from_text(path, error)
    else:
        boards = boards or _from_text(path, None)
    by_number: dict[int, LessonBoard] = {}
    for board in boards:
        if by_number.setdefault(board.number, board) != board:
            raise BadDeal(f"Board {board.number} is in the file twice.", path=path, hint=_HINT)
    if len(by_number) > MOST_BOARDS:
        raise BadSyntax(f"A lesson has at most {MOST_BOARDS} boards.", path=path, hint=_HINT)
    return tuple(by_number.values())


def picked(boards: Sequence[LessonBoard], numbers: Sequence[int]) -> tuple[LessonBoard, ...]:
    """The boards of those numbers, in that order. Raises NothingOpen for one that is not there."""
    by_number = {board.number: board for board in boards}
    missing = [number for number in numbers if number not in by_number]
    if missing:
        raise NothingOpen(f"The lesson has no board {missing[0]}.", hint="Nothing was made.")
    return tuple(by_number[number] for number in numbers)


def make_lesson(
    store: Store,
    boards: Sequence[LessonBoard],
    wishes: Sequence[Wish] = (),
    *,
    name: str | None = None,
    event: str = "",
    date: str = "",
    seal: Passphrase | None = None,
    now: Now,
) -> Added:
    """Fills the boards so that each is as wished, and stores them as a lesson; the log of decisions has it too.

    The same hands once more are the lesson that is there. Raises BadDeal where no deal has the given hands, JobError
    where none was found that is as wished.
    """
    deals = DealSet(
        name or f"lesson-{day_name(now())}",
        None,
        tuple(_filled(board, wishes) for board in boards),
        event=f"{EVENT}: {event}" if event else EVENT,
        date=date or local_date(now()),
    )
    with store.together():
        added = store.sets.add_imported(deals, kind=SetKind.LESSON, seal=seal)
        if added.is_new:
            stored = added.stored
            store.decisions.append(
                Decision.SET_MADE, "", set=stored.id, kind=stored.kind.value, boards=stored.board_range
            )
    return added


def _filled(board: LessonBoard, wishes: Sequence[Wish]) -> BoardDeal:
    # Where all is given there is one deal, which is as wished or not.
    tries = 1 if sum(len(hand.cards) for hand in board.given.hands) == PACK_SIZE else MOST_TRIES
    try:
        deal = fill_lesson(board.given, wishes, tries=tries)
    except BadDeal as error:
        raise BadDeal(f"Board {board.number}: {error}", hint=_HINT) from None
    return BoardDeal(board.number, deal, standard_dealer(board.number), standard_vulnerability(board.number))


def _from_records(records: Sequence[Record]) -> tuple[LessonBoard, ...]:
    """The boards of a deal file; none when a record has no hands that can be read."""
    boards: list[LessonBoard] = []
    for record in records:
        if record.blank:
            continue
        if record.hands is None:
            return ()
        north, east, south, west = (_as_given(hand) for hand in record.hands)
        number = _next_number(boards) if record.number is None else record.number
        boards.append(LessonBoard(number, Given((north, east, south, west))))
    return tuple(boards)


def _as_given(hand: Hand) -> GivenHand:
    return GivenHand() if hand is None else GivenHand(tuple(sorted(hand)), open=_CLOSED)


def _next_number(boards: Sequence[LessonBoard]) -> int:
    return boards[-1].number + 1 if boards else 1


def _from_text(path: Path, otherwise: DealFileError | None) -> tuple[LessonBoard, ...]:
    """The boards of a typed text; `otherwise` is what the readers of deal files said, for a file that is no text."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_TEXT + 1)
    except (OSError, ValueError):
        raise otherwise or UnknownFormat("The file cannot be read.", path=path, hint=_HINT) from None
    text = decode(data) if len(data) <= LARGEST_TEXT else ""
    found = list(_tagged(text)) or list(_lines(text))
    boards: list[LessonBoard] = []
    for line, number, hands in found:
        try:
            given = parse_given(hands)
        except DealFileError as error:
            error.path, error.line, error.hint = str(path), line, _HINT
            raise
        boards.append(LessonBoard(number or _next_number(boards), given))
    if not boards:
        raise otherwise or BadSyntax("There are no hands in the file.", path=path, hint=_HINT)
    return tuple(boards)


def _tagged(text: str) -> Iterator[tuple[int, int, str]]:
    """Line, board number (0 for none) and value of each Deal tag."""
    number = 0
    for line, words in enumerate(text.splitlines(), start=1):
        for tag in _TAG.finditer(words):
            if tag[1] == "Deal":
                yield line, number, tag[2]
                number = 0
            elif tag[2].isascii() and tag[2].isdigit() and len(tag[2]) <= len(str(HIGHEST_BOARD)):
                number = int(tag[2])


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Line, board number (0 for none) and hands of each line that is no comment; none when it is no such text."""
    lines = [(line, words.strip()) for line, words in enumerate(text.splitlines(), start=1)]
    lines = [(line, words) for line, words in lines if words and not words.startswith(_COMMENT)]
    if any(_LINE.fullmatch(words) for _, words in lines):
        for line, words in lines:
            match = _LINE.fullmatch(words)
            yield line, int(match[1] or 0) if match else 0, match[2] if match else ""
