"""The physical machine and what a person does to it: hopper, reader, path, cover, keys, board slot.

May import: `card_path`, `faults`, `packs`, `slot`, `truth`, protocol and the standard library. Read next:
`card_path.py`. The firmware is told of each change through `notice`, as sensors would tell it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firmware_sim.card_path import CardPath
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault, Mischief
from firmware_sim.packs import SimCard
from firmware_sim.slot import POCKETS, BoardSlot
from firmware_sim.truth import Truth
from protocol.codes import Key, Place, Sensor

_COVER_OPEN = int(Sensor.COVER_OPEN)
_BOARD_PRESENT = int(Sensor.BOARD_PRESENT)
_BOARD_TURNED = int(Sensor.BOARD_TURNED)
_HOPPER_CARDS = int(Sensor.HOPPER_CARDS)
_READER_CARD = int(Sensor.READER_CARD)
_PATH_CARD = int(Sensor.PATH_CARD)
_STOP_CARD = int(Sensor.STOP_CARD)
_POCKET = int(Sensor.POCKET_N)


class Mechanism:
    """The physical world of one machine; a person, the control channel and tests act on it."""

    def __init__(self, plan: FaultPlan, notice: Callable[[], None], pressed: Callable[[Key], None]) -> None:
        self.slot = BoardSlot(notice)
        self.truth = Truth(boards=self.slot.boards)
        self.mischief = Mischief.of(plan)
        self.card_path = CardPath(self.slot, self.mischief, self.truth)
        self.cover_open = False
        self._notice = notice
        self._pressed = pressed

    @property
    def hopper(self) -> list[SimCard]:
        """The cards in the hopper, the top one last."""
        return self.card_path.hopper

    def load_pack(self, pack: Sequence[SimCard], *, below: bool = False) -> None:
        """Puts a pack (its first card on top) onto the cards in the hopper, or below them."""
        cards = list(reversed(pack))
        if below:
            self.hopper[:0] = cards
        else:
            self.hopper.extend(cards)
        self._notice()

    def take_hopper(self) -> list[SimCard]:
        """Takes everything out of the hopper; the top card comes first."""
        cards = list(reversed(self.hopper))
        self.hopper.clear()
        self._notice()
        return cards

    def take_card(self, place: Place) -> SimCard:
        """Takes one card out of hopper (the top one), reader, path or a pocket (the last one).

        Raises LookupError when none lies there.
        """
        cards = self._cards_at(place)
        if not cards:
            raise LookupError(f"No card lies at {place.name}.")
        card = cards.pop()
        self._notice()
        return card

    def put_card_in_pocket(self, card: SimCard, pocket: int) -> None:
        """Puts a card into pocket 0 … 3 of the machine by hand."""
        self.slot.cards_in(pocket).append(card)
        self._notice()

    def put_card_back(self, card: SimCard, *, put_right: bool = True) -> None:
        """Puts a card on top of the hopper, face down and wiped unless `put_right` is False."""
        self.hopper.append(card.put_right() if put_right else card)
        self._notice()

    def open_cover(self) -> None:
        """Opens the cover."""
        self.cover_open = True
        self._notice()

    def close_cover(self) -> None:
        """Closes the cover."""
        self.cover_open = False
        self._notice()

    def press(self, key: Key) -> None:
        """Presses a key."""
        self._pressed(key)

    def add_fault(self, fault: MachineFault) -> None:
        """One more thing that goes wrong, from now on."""
        self.mischief.add(fault)
        self._notice()

    def clear_faults(self) -> None:
        """Everything that was going to go wrong is repaired."""
        self.mischief.clear()
        self._notice()

    def sensed(self) -> int:
        """What perfect sensors would say, as the bits of `Sensor` (pocket sensors with their faults)."""
        path, slot = self.card_path, self.slot
        bits = _COVER_OPEN if self.cover_open else 0
        if slot.board is not None:
            bits |= _BOARD_PRESENT | _BOARD_TURNED if slot.turned else _BOARD_PRESENT
        if path.hopper:
            bits |= _HOPPER_CARDS | _STOP_CARD if path.hopper[-1].stop else _HOPPER_CARDS
        if path.reader:
            bits |= _READER_CARD
        if path.path:
            bits |= _PATH_CARD
        for pocket in range(POCKETS):
            if not slot.is_empty(pocket) and (shown := path.sensed_as(pocket)) is not None:
                bits |= _POCKET << shown
        for pocket, _ in path.lasts(FaultKind.POCKET_STUCK):
            bits |= _POCKET << pocket
        return bits

    def _cards_at(self, place: Place) -> list[SimCard]:
        if place is Place.HOPPER:
            return self.card_path.hopper
        if place is Place.READER:
            return self.card_path.reader
        if place is Place.PATH:
            return self.card_path.path
        if place >= Place.POCKET_0:
            return self.slot.cards_in(place - Place.POCKET_0)
        raise LookupError(f"A person reaches no card at {place.name}.")

    def state_key(self) -> tuple[object, ...]:
        """Everything that future behaviour depends on."""
        slot = self.slot
        board = None if slot.board is None else (slot.board.number, tuple(map(tuple, slot.board.pockets)))
        last = None if slot.last is None else (slot.last.number, tuple(map(tuple, slot.last.pockets)))
        return (
            board, slot.turned, last, tuple(map(tuple, slot.loose)), self.cover_open,
            self.mischief.state_key(), self.card_path.state_key(),
        )  # fmt: skip
