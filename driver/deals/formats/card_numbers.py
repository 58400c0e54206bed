"""What the formats that write cards as numbers, places or letters share: tables, pieces of a file, sentences.

May import: `words.py`, `export.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `bri.py` (numbers),
`dlm.py` (an owner for each card).

All of these formats count the cards 01 (spade ace) to 52 (club two) in the order of `protocol.cards.PACK`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from driver.deals.formats.export import check_writable
from driver.deals.formats.words import MOST_RECORDS
from driver.deals.hands import Hand
from driver.deals.model import BoardDeal, DealSet, range_text, standard_dealer, standard_vulnerability
from driver.deals.records import Record, judge
from driver.errors import BadSyntax, CannotBeWritten
from protocol.cards import PACK, PACK_SIZE, Card, Seat

CTRL_Z: Final = b"\x1a"
BREAKS_OFF: Final = "the file breaks off inside the record"
CUT_AFTER_CARDS: Final = "The last record breaks off after its cards; the deal is whole and was taken."

_FILLER: Final = b" \x00\r\n\x1a"
_CARD_OF_FIGURES: Final = {
    figures: PACK[number - 1] for number in range(1, PACK_SIZE + 1) for figures in (b"%02d" % number, b"%2d" % number)
}


class NotCardsError(Exception):
    """Some part of a record is no cards; the message is a reason of a Record and names no card with its seat."""


def cards_of_figures(figures: bytes) -> tuple[Card, ...]:
    """The cards of two-figure numbers, half as many as bytes; a blank stands for a leading zero.

    Raises NotCardsError for a number that is no card.
    """
    cards = [_CARD_OF_FIGURES.get(figures[place : place + 2]) for place in range(0, len(figures), 2)]
    known = [card for card in cards if card is not None]
    if len(known) == len(cards):
        return tuple(known)
    wrong = figures[2 * cards.index(None) :][:2].replace(b" ", b"0")
    raise NotCardsError(f"number {int(wrong)} is no card" if wrong.isdigit() else "a number of a card is unreadable")


def figures_of_cards(cards: Iterable[Card]) -> bytes:
    """The cards as two-figure numbers, in the order given."""
    return b"".join(b"%02d" % (card + 1) for card in cards)


def different_cards(figures: bytes) -> int:
    """How many different cards the two-figure numbers name, at most 52; what is no card does not count."""
    return len({_CARD_OF_FIGURES.get(figures[place : place + 2]) for place in range(0, len(figures), 2)} - {None})


def hands_of_owners(owners: Sequence[int]) -> tuple[tuple[Card, ...], ...]:
    """The hands N E S W when each of the 52 cards, in their order, belongs to the seat (0 to 3) of `owners`."""
    hands: list[list[Card]] = [[] for _ in Seat]
    for card, owner in zip(PACK, owners, strict=True):
        hands[owner].append(card)
    return tuple(tuple(hand) for hand in hands)


def record_of(hands: Sequence[Hand], *, line: int, board: int, by_offset: bool) -> Record:
    """The record of four hands N E S W, judged."""
    deal, faults = judge(hands)
    return Record(line=line, board=str(board), hands=tuple(hands), deal=deal, faults=faults, by_offset=by_offset)


def record_without_hands(fault: str, *, line: int, board: int, by_offset: bool) -> Record:
    """The record of a deal that cannot be read, and why."""
    return Record(line=line, board=str(board), faults=(fault,), by_offset=by_offset)


def pieces(data: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """The records of `size` bytes with the byte at which each begins; the last one may be shorter.

    Blanks, line ends, NUL and Ctrl-Z after the last whole record are no record. Raises BadSyntax as `check_number`.
    """
    for offset in range(0, len(data), size):
        piece = data[offset : offset + size]
        if len(piece) < size and not piece.strip(_FILLER):
            return
        check_number(offset // size + 1)
        yield offset, piece


def check_number(records: int) -> None:
    """Raises BadSyntax when a file has more than 100000 records."""
    if records > MOST_RECORDS:
        raise BadSyntax(f"The file holds more than {MOST_RECORDS} records.")


def boards_text(numbers: Iterable[int]) -> str:
    """ "Board 3" or "Boards 1-4, 7"."""
    different = set(numbers)
    return f"{'Boards' if len(different) > 1 else 'Board'} {range_text(different)}"


def lost_markings(deals: DealSet, format_name: str) -> tuple[str, ...]:
    """What a format without dealer and vulnerability loses: a sentence if some board has others than Law 2 gives."""
    unusual = [board.number for board in deals if not board.is_standard]
    if not unusual:
        return ()
    return (
        f"{boards_text(unusual)}: {format_name} has no place for dealer and vulnerability; "
        "the file will be read with those that Law 2 gives.",
    )


def lost_order(deals: DealSet, format_name: str) -> tuple[str, ...]:
    """What a format that goes by the numbers loses: a sentence if the boards of the set are in another order."""
    if list(deals.numbers) == sorted(deals.numbers):
        return ()
    return (f"{format_name} has the boards in the order of their numbers; the order of this set is not kept.",)


def lost_numbers(deals: DealSet, format_name: str) -> tuple[str, ...]:
    """What a format without board numbers loses: a sentence unless the boards are 1, 2, 3 … in this order.

    Then the markings are those of the place in the file, so a board whose own markings are others is named as well.
    """
    places = range(1, len(deals) + 1)
    if list(deals.numbers) == list(places):
        return lost_markings(deals, format_name)
    other = [board.number for place, board in zip(places, deals, strict=True) if not _marked_as(board, place)]
    sentence = (
        f"{format_name} has no place for board numbers: {boards_text(deals.numbers).lower()} will be read as "
        f"{range_text(places)}, unless the reader is told the numbers."
    )
    if not other:
        return (sentence,)
    return (
        sentence,
        f"{boards_text(other)}: {format_name} has no place for dealer and vulnerability either; "
        "the file will be read with those that Law 2 gives for the new numbers.",
    )


def _marked_as(board: BoardDeal, number: int) -> bool:
    return board.dealer_to_use is standard_dealer(number) and board.vulnerability_to_use is standard_vulnerability(
        number
    )


def boards_in_a_row(deals: DealSet, format_name: str, *, highest: int) -> list[BoardDeal]:
    """The boards by their numbers, for a format that gives only the first and the last one of them.

    Raises CannotBeWritten when there is none, when one is above `highest`, or when numbers between are missing.
    """
    check_writable(deals)
    boards = sorted(deals, key=lambda board: board.number)
    too_high = [board.number for board in boards if board.number > highest]
    if too_high:
        raise CannotBeWritten(f"{boards_text(too_high)}: {format_name} has numbers up to {highest} only.")
    missing = set(range(boards[0].number, boards[-1].number)).difference(deals.numbers)
    if missing:
        raise CannotBeWritten(
            f"{format_name} has no gaps between its boards, and the set has {range_text(deals.numbers)} only.",
            hint="Nothing was written. Choose PBN, or boards without a gap with --boards.",
        )
    return boards
