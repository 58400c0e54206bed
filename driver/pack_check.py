"""What a checked pack and a checked board hold, from the records of a run that reported and stopped at nothing. Pure.

May import: `protocol`, `driver.deals`. Read next: `driver/cli`, where `check-pack` and `check-board` show them.
A pack report names cards of the pack, for no deal is involved; a board report is blind (invariant I7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from driver.deals.hands import card_name, listed
from driver.deals.model import Deal
from protocol.cards import HAND_SIZE, PACK, PACK_SIZE, Card, Seat, Unproven
from protocol.codes import PackEnd, Proof, RecordState
from protocol.fields import Code, LedgerRecord


@dataclass(frozen=True, slots=True)
class PackReport:
    """A checked pack: cards fed and read, those that are missing or there more than once, and those without a name.

    `over` is True when more cards lay in the hopper after the 52nd, None when nobody saw.
    """

    fed: int
    missing: tuple[Card, ...]
    doubled: tuple[Card, ...]
    unreadable: int
    foreign: int
    face_up: int
    over: bool | None

    @property
    def is_whole(self) -> bool:
        """Whether each of the 52 cards was read once, and nothing else was seen."""
        return self.fed == PACK_SIZE and not (
            self.missing or self.doubled or self.unreadable or self.foreign or self.face_up or self.over
        )

    @property
    def read(self) -> int:
        """How many of the 52 cards were seen."""
        return PACK_SIZE - len(self.missing)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The report for a person, one line each."""
        if self.is_whole:
            return ("All 52 cards are there, each once.",)
        lines = []
        if self.fed != PACK_SIZE:
            lines.append(f"{self.fed} cards were fed, not {PACK_SIZE}.")
        if self.missing:
            lines.append(f"Not seen: {listed([card_name(card) for card in self.missing])}.")
        if self.doubled:
            lines.append(f"Seen more than once: {listed([card_name(card) for card in self.doubled])}.")
        numbers = ((self.unreadable, "could not be read"), (self.foreign, "not of the 52"), (self.face_up, "face up"))
        lines += [f"{number} {'card' if number == 1 else 'cards'} {words}." for number, words in numbers if number]
        if self.over:
            lines.append("More cards were left in the hopper.")
        return tuple(lines)


@dataclass(frozen=True, slots=True)
class PocketCheck:
    """One pocket of a checked board: whether it holds the hand (None = not all cards were read), and its cards."""

    seat: Seat
    matches: bool | None
    count: int


@dataclass(frozen=True, slots=True)
class BoardReport:
    """A checked board, blind: a yes or no for each pocket N E S W.

    `proven`: the run that fed it back fulfils all that GOOD asks of a run.
    """

    pockets: tuple[PocketCheck, ...]
    proven: bool = False

    @property
    def matches(self) -> bool | None:
        """True when all four pockets do, False when one does not, else None."""
        found = [pocket.matches for pocket in self.pockets]
        return False if False in found else None if None in found else True


def pack_report(records: Sequence[LedgerRecord], pack_end: PackEnd | Code = PackEnd.UNKNOWN) -> PackReport:
    """What the records of a run in rotation say about the pack; `pack_end` as the run's end told it."""
    count = Counter(_identity(record) for record in records)
    over = None
    if isinstance(pack_end, PackEnd) and pack_end is not PackEnd.UNKNOWN:
        over = pack_end in (PackEnd.OPEN, PackEnd.OVER)
    return PackReport(
        fed=len(records),
        missing=tuple(card for card in PACK if not count[card]),
        doubled=tuple(card for card in PACK if count[card] > 1),
        unreadable=sum(
            number for identity, number in count.items() if identity in (Unproven.UNREADABLE, Unproven.NONE)
        ),
        foreign=count[Unproven.FOREIGN],
        face_up=count[Unproven.FACE_UP],
        over=over,
    )


def board_report(deal: Deal, records: Sequence[LedgerRecord]) -> BoardReport:
    """What the records of a run by thirteens say about the board that was to hold `deal`."""
    return BoardReport(tuple(_check(deal, seat, records) for seat in Seat))


def _check(deal: Deal, seat: Seat, records: Sequence[LedgerRecord]) -> PocketCheck:
    inside = [record for record in records if record.pocket == seat]
    dropped = [record for record in inside if record.state is RecordState.DROPPED]
    found = [_identity(record) for record in dropped]
    read = [identity for identity in found if identity < PACK_SIZE]
    strange = Unproven.FOREIGN in found or Unproven.FACE_UP in found
    shown_wrong = strange or len(set(read)) < len(read) or any(deal.owner(Card(card)) != seat for card in read)
    if shown_wrong or len(inside) != HAND_SIZE:
        matches: bool | None = False
    else:
        matches = True if len(read) == HAND_SIZE else None
    return PocketCheck(seat, matches, len(dropped))


def _identity(record: LedgerRecord) -> int:
    """The card read, or why there is none; a name without the proof of reading is no name."""
    if record.identity < PACK_SIZE:
        return record.identity if Proof.READ in record.proof else Unproven.UNREADABLE
    return record.identity if record.identity in tuple(Unproven) else Unproven.UNREADABLE
