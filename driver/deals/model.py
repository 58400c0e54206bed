"""What a deal, a board with its deal, and a deal set are. A `Deal` cannot exist without 52 cards, 13 each.

May import: `protocol.cards`, `driver.errors`, `hands.py`. Read next: `records.py` (what a file gives before it is
checked), `sets.py` (from records to sets). Nothing here shows a hand in its text or repr (invariant I7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from functools import cache
from itertools import chain, compress
from typing import Final

from driver.deals.hands import as_hands, find_faults
from driver.errors import BadDeal
from protocol.cards import HAND_SIZE, PACK, PACK_SIZE, RANKS, Card, Seat


@unique
class Vulnerability(Enum):
    """Which side is vulnerable; the value is the text that PBN and our own output use."""

    NONE = "None"
    NS = "NS"
    EW = "EW"
    ALL = "All"

    @property
    def text(self) -> str:
        """ "None", "NS", "EW" or "All"."""
        return self.value


_CYCLE: Final = (Vulnerability.NONE, Vulnerability.NS, Vulnerability.EW, Vulnerability.ALL)


def standard_dealer(board: int) -> Seat:
    """The dealer of a board by its number: N E S W and again (Law 2). Raises ValueError below board 1."""
    return Seat((_place(board)) % 4)


def standard_vulnerability(board: int) -> Vulnerability:
    """The vulnerability of a board by its number, in the cycle of 16 (Law 2). Raises ValueError below board 1."""
    place = _place(board)
    return _CYCLE[(place + place // 4) % 4]


def _place(board: int) -> int:
    if board < 1:
        raise ValueError(f"a board number is 1 or more, not {board}")
    return board - 1


# Whole packs are looked at at a time, never card by card: sets of 20,000 boards are made, read and written.
_SEATS: Final = tuple(Seat)
_FULL_PACK: Final = frozenset(PACK)
_HAND_SIZES: Final = (HAND_SIZE,) * len(Seat)
_CARDS_OF: Final = tuple(bytes(owner == seat for owner in range(256)) for seat in Seat)
"""For each seat, what turns the owner of a card (a byte) into 1 where it is that seat and 0 elsewhere."""
_DIGITS_OF: Final = tuple(bytes(b"01"[owner == seat] for owner in range(256)) for seat in Seat)
_SUIT_BITS: Final = 2**HAND_SIZE - 1


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Deal:
    """The 52 cards dealt to four seats, 13 each. Equal and hashable by its cards; its text and repr show none.

    `owners` is the seat (0 to 3, N E S W) of each card in the order of the card codes, 52 in all. Raises BadDeal when
    they are not 52 seats or not 13 cards each; the message names no card.
    """

    _owners: bytes

    def __init__(self, owners: Sequence[int]) -> None:
        if len(owners) != PACK_SIZE:
            raise BadDeal(f"A deal has 52 cards, and this one {len(owners)}.")
        try:
            packed = bytes(owners)
        except (TypeError, ValueError):
            packed = b""
        # Four times 13 are 52: no other byte has room.
        if not packed.count(0) == packed.count(1) == packed.count(2) == packed.count(3) == HAND_SIZE:
            if not packed or max(packed) >= len(Seat):
                raise BadDeal("A deal gives each card to one of four seats, and this one does not.")
            hands = [tuple(card for card in PACK if packed[card] == seat) for seat in Seat]
            raise BadDeal(_sentence(find_faults(hands)))
        object.__setattr__(self, "_owners", packed)

    @classmethod
    def from_hands(cls, hands: Sequence[Iterable[Card]]) -> Deal:
        """The deal of four hands in the order N E S W, the cards of each in any order.

        Raises BadDeal, naming cards that are missing or there twice, or how many cards a seat has; never both a card
        and its seat. Raises ValueError when there are not four hands.
        """
        cards = as_hands(hands)
        if tuple(map(len, cards)) != _HAND_SIZES or frozenset(chain.from_iterable(cards)) != _FULL_PACK:
            raise BadDeal(_sentence(find_faults(cards)))
        owners = bytearray(PACK_SIZE)
        for seat in Seat:
            for card in cards[seat]:
                owners[card] = seat
        return cls(owners)

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        """The 13 cards of `seat` in the order of their codes: spades first, high to low."""
        return tuple(compress(PACK, self._owners.translate(_CARDS_OF[seat])))

    def owner(self, card: Card) -> Seat:
        """The seat that has `card`."""
        return Seat(self._owners[card])

    @property
    def owners(self) -> tuple[Seat, ...]:
        """The seat of each of the 52 cards in the order of their codes."""
        return tuple(map(_SEATS.__getitem__, self._owners))

    def hands_as_pbn(self, first: Seat = Seat.NORTH) -> str:
        """All four hands as the value of a PBN Deal tag, clockwise from `first`. Shows the deal: mind I7."""
        texts = _suit_texts()
        hands = []
        for turn in range(4):
            bits = int(self._owners.translate(_DIGITS_OF[(first + turn) % 4]), 2)
            spades, hearts = texts[bits >> 39], texts[bits >> 26 & _SUIT_BITS]
            hands.append(f"{spades}.{hearts}.{texts[bits >> 13 & _SUIT_BITS]}.{texts[bits & _SUIT_BITS]}")
        return f"{first.letter}:{' '.join(hands)}"

    def __repr__(self) -> str:
        return "<Deal, hands not shown>"


@cache
def _suit_texts() -> tuple[str, ...]:
    """The ranks of one suit, high to low, for each of its 8,192 holdings; ace in the highest bit, two in the lowest."""
    texts = [""]
    for rank in reversed(RANKS):
        texts += [rank + text for text in texts]
    return tuple(texts)


def _sentence(faults: Sequence[str]) -> str:
    return f"This is not a deal: {', '.join(faults)}."


@dataclass(frozen=True, slots=True)
class BoardDeal:
    """One board of a set with its deal; `dealer` and `vulnerability` are None when the file does not carry them.

    `line` is where the record begins in the file: a line (from 1), or a byte (from 0) if `by_offset`. `set_id` is the
    stored set that it is of, "" for that of the whole deal set.
    """

    number: int
    deal: Deal
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    line: int = 0
    by_offset: bool = False
    set_id: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _place(self.number)

    @property
    def place(self) -> str:
        """ "line 12" or "byte 256"."""
        return place_text(self.line, by_offset=self.by_offset)

    @property
    def dealer_to_use(self) -> Seat:
        """The dealer that the file gives, else the standard one: markings on the board apply (Law 2)."""
        return standard_dealer(self.number) if self.dealer is None else self.dealer

    @property
    def vulnerability_to_use(self) -> Vulnerability:
        """The vulnerability that the file gives, else the standard one."""
        return standard_vulnerability(self.number) if self.vulnerability is None else self.vulnerability

    @property
    def is_standard(self) -> bool:
        """Whether dealer and vulnerability, as far as carried, are those of Law 2 for this number."""
        return self.dealer_to_use is standard_dealer(
            self.number
        ) and self.vulnerability_to_use is standard_vulnerability(self.number)


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that cannot be dealt: where it is, its board number as written ("" for none), and why, in phrases.

    The phrases name cards or seats, never a card with its seat (see `find_faults`). `line` and `by_offset` as in
    BoardDeal.
    """

    line: int
    board: str
    reasons: tuple[str, ...]
    by_offset: bool = False

    @property
    def place(self) -> str:
        """ "line 12" or "byte 256"."""
        return place_text(self.line, by_offset=self.by_offset)

    def __str__(self) -> str:
        name = f"Board {self.board}" if self.board else "The record without a board number"
        return f"{name}, {self.place}: {', '.join(self.reasons)}."


@dataclass(frozen=True, slots=True)
class DealSet:
    """Boards with their deals in the order of the file, each number once, and what in the file cannot be dealt.

    `event` and `date` are the texts that the file carries, else ""; `notes` are sentences that a person should read
    before dealing; `suspect` are sentences about boards that look like a mistake (the same hands twice, a pack that
    nobody shuffled): such a set is dealt only after a person has confirmed it. `set_id` is that of the stored set which
    these boards are, "" before they are stored. Raises BadDeal when two boards have the
    same number.
    """

    name: str
    path: str | None
    boards: tuple[BoardDeal, ...]
    problems: tuple[BadRecord, ...] = ()
    event: str = ""
    date: str = ""
    notes: tuple[str, ...] = ()
    suspect: tuple[str, ...] = ()
    set_id: str = ""
    _by_number: Mapping[int, BoardDeal] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_number: dict[int, BoardDeal] = {}
        for board in self.boards:
            other = by_number.setdefault(board.number, board)
            if other is not board:
                raise BadDeal(
                    f"Board {board.number} is in the set twice, at {other.place} and at {board.place}.",
                    path=self.path,
                    line=board.line,
                )
        object.__setattr__(self, "_by_number", by_number)

    def find(self, number: int) -> BoardDeal | None:
        """The board of that number, or None."""
        return self._by_number.get(number)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The board numbers in the order of the file."""
        return tuple(board.number for board in self.boards)

    @property
    def range_text(self) -> str:
        """The board numbers for a person: "1-36", "1-4, 7, 9-12"; "none" for an empty set."""
        return range_text(self.numbers)

    def __len__(self) -> int:
        return len(self.boards)

    def __iter__(self) -> Iterator[BoardDeal]:
        return iter(self.boards)


def place_text(line: int, *, by_offset: bool) -> str:
    """Where in a file something begins: "line 12" (from 1), or "byte 256" (from 0) in a binary file."""
    return f"byte {line}" if by_offset else f"line {line}"


def range_text(numbers: Iterable[int]) -> str:
    """Numbers in any order for a person, runs of three or more joined: "1-4, 7, 9, 10"; "none" when empty."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts) or "none"
