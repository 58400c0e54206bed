"""What the simulated operator does with the hands: packs in, boards in and out, cards out of the machine and back.

May import: `mechanism`, `packs`, `person_script`, `slot`, protocol and the standard library. Read next: `person.py`,
who decides when. Only what a person can see and reach is used here; a card's face is looked at as a person looks at it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from firmware_sim.mechanism import Mechanism
from firmware_sim.packs import BLUE, RED, Pack, SimCard, long_pack, short_pack, shuffled_pack, swapped, with_stop_card
from firmware_sim.person_script import PackKind, Packs, PersonScript
from firmware_sim.slot import POCKETS, SimBoard
from protocol.cards import PACK_SIZE
from protocol.codes import FaultCode, Place

_BACKS = (BLUE, RED)
_SEEDS = 1_000_003


def _in_order(card: SimCard) -> int:
    return card.identity


class Hands:
    """The hands and the table beside the machine; `table` holds the cards put down there.

    `sorted_packs`: the machine reads no cards, so every pack goes in sorted, spade ace first.
    """

    def __init__(self, mechanism: Mechanism, script: PersonScript, *, sorted_packs: bool = False) -> None:
        self._mechanism = mechanism
        self._script = script
        self._sorted_packs = sorted_packs
        self._loaded = 0
        self._shuffles = 0
        self.table: list[SimCard] = []

    def pack(self, number: int) -> Pack:
        """The `number`-th pack of the script (from 1), as it comes out of its box."""
        swaps = {odd.nth for odd in self._script.odd_packs if odd.kind is PackKind.SWAPPED}
        pack = self._plain(number)
        if number in swaps:
            pack, _ = self._swapped(number, pack, self._plain(number + 1))
        elif number - 1 in swaps:
            _, pack = self._swapped(number - 1, self._plain(number - 1), pack)
        if self._sorted_packs:
            pack = tuple(sorted(pack, key=_in_order))
        return with_stop_card(pack) if self._is(PackKind.STOP_CARD, number) else pack

    def pack_is_due(self, dealt: int) -> bool:
        """True when a pack goes into the hopper before another board is put in, after `dealt` boards."""
        wanted = dealt + (2 if self._script.packs is Packs.TWO else 1)
        return self._loaded < min(wanted, len(self._script.boards))

    def load_pack(self) -> None:
        """Puts the next pack in: below what is there with two packs, else alone (what was left over is put away)."""
        self._loaded += 1
        below = self._script.packs is Packs.TWO
        if not below and self._mechanism.hopper:
            self._mechanism.take_hopper()
        self._mechanism.load_pack(self.pack(self._loaded), below=below)

    def take_board_out(self) -> None:
        """Takes the board out, when there is one."""
        if self._mechanism.slot.board is not None:
            self._mechanism.slot.remove_board()

    def put_board_in(self, board: SimBoard, *, turned: bool = False) -> None:
        """Puts a board in; another one comes out first."""
        self.take_board_out()
        self._mechanism.slot.insert_board(board, turned=turned)

    def put_right(self, fault: FaultCode, place: Place) -> bool:
        """Puts right what a fault says; True = done, False = nothing helps but dealing the board again."""
        mechanism = self._mechanism
        match fault:
            case FaultCode.NO_FEED:
                if mechanism.hopper:
                    mechanism.put_card_back(mechanism.take_card(Place.HOPPER))
                return bool(mechanism.hopper)
            case FaultCode.HOPPER_EMPTY | FaultCode.PACK_SHORT:
                return self._put_table_back()
            case FaultCode.FACE_UP | FaultCode.UNREADABLE:
                where = place if place in (Place.READER, Place.HOPPER) else Place.READER
                mechanism.put_card_back(mechanism.take_card(where))
                return True
            case FaultCode.FOREIGN_CARD:
                mechanism.take_card(place if place in (Place.READER, Place.HOPPER) else Place.READER)
                return True
            case FaultCode.WRONG_BACK:
                return self._take_stranger()
            case FaultCode.JAM:
                self.put_path_back()
                return True
            case FaultCode.COVER_OPEN:
                mechanism.close_cover()
                self.put_path_back()
                return True
            case _:
                self.table += self.take_path()
                return False

    def take_path(self) -> list[SimCard]:
        """Takes every card out of path and reader; the one that goes back on top last comes last."""
        taken = []
        for place in (Place.READER, Place.PATH):
            while self._lies_at(place):
                taken.append(self._mechanism.take_card(place))
        return taken

    def path_is_clear(self) -> bool:
        """True when no card lies in reader or path."""
        return not (self._lies_at(Place.READER) or self._lies_at(Place.PATH))

    def put_path_back(self) -> None:
        """Takes the card out of reader or path and puts it back on top of the hopper."""
        for card in self.take_path():
            self._mechanism.put_card_back(card)

    def put_path_into_pocket(self) -> None:
        """Takes the card out of reader or path and puts it into the pocket at the gate."""
        for card in self.take_path():
            self._mechanism.put_card_in_pocket(card, self._mechanism.card_path.gate)

    def put_path_on_table(self) -> None:
        """Takes the card out of reader or path and leaves it on the table."""
        self.table += self.take_path()

    def close_cover(self) -> None:
        """Closes the cover, when it is open."""
        if self._mechanism.cover_open:
            self._mechanism.close_cover()

    def gather_pack(self, boards: Sequence[SimBoard]) -> None:
        """After a run that ended early: all its cards come together, are counted, shuffled and put into the hopper.

        Cards come from the boards' pockets, machine, table and the top of the hopper; when they are no whole pack, a
        new one is taken.
        """
        cards = [*self.table, *self.take_path()]
        self.table = []
        for board in boards:
            cards += [card for pocket in board.pockets for card in pocket]
            board.empty()
        for pocket in range(POCKETS):
            cards += self._mechanism.slot.loose[pocket]
        self._mechanism.slot.empty_pockets()
        cards += self._rest_of_pack([card for card in cards if not card.stop])
        self._shuffles += 1
        stop = tuple(card for card in cards if card.stop)[:1]
        pack = [card.put_right() for card in cards if card.identity < PACK_SIZE]
        if len(pack) == PACK_SIZE and len({card.identity for card in pack}) == PACK_SIZE:
            pack.sort(key=_in_order)
            random.Random(self._seed(self._shuffles) ^ 1).shuffle(pack)
        else:
            back = self._back(max(1, self._loaded if self._script.packs is Packs.ONE else self._loaded - 1))
            pack = list(shuffled_pack(self._seed(self._shuffles) ^ 1, back=back, pack=self._loaded + self._shuffles))
        if self._sorted_packs:
            pack.sort(key=_in_order)
        self._mechanism.load_pack((*pack, *stop))

    def _rest_of_pack(self, gathered: Sequence[SimCard]) -> list[SimCard]:
        """What of the run's pack still lies in the hopper: all of it, or with two packs the cards with its back."""
        mechanism = self._mechanism
        rest: list[SimCard] = []
        if self._script.packs is Packs.ONE:
            left = mechanism.take_hopper() if mechanism.hopper else []
            if left and len(gathered) >= PACK_SIZE:
                self._loaded -= 1  # the next board's pack: it goes back into its box
                return []
            return left
        back = gathered[0].back if gathered else (mechanism.hopper[-1].back if mechanism.hopper else BLUE)
        while mechanism.hopper and len(gathered) + len(rest) < PACK_SIZE and mechanism.hopper[-1].back == back:
            rest.append(mechanism.take_card(Place.HOPPER))
        if mechanism.hopper and mechanism.hopper[-1].stop:
            rest.append(mechanism.take_card(Place.HOPPER))
        return rest

    def _put_table_back(self) -> bool:
        found = [card for card in self.table if not card.stop]
        self.table = []
        for card in found:
            self._mechanism.put_card_back(card)
        return bool(found)

    def _take_stranger(self) -> bool:
        """Takes the top card away when its back differs from the one below it."""
        hopper = self._mechanism.hopper
        if len(hopper) < 2 or hopper[-1].back == hopper[-2].back:
            return False
        self._mechanism.take_card(Place.HOPPER)
        return True

    def _lies_at(self, place: Place) -> bool:
        path = self._mechanism.card_path
        return bool(path.reader if place is Place.READER else path.path)

    def _plain(self, number: int) -> Pack:
        seed, back = self._seed(number), self._back(number)
        if self._is(PackKind.SHORT, number):
            return short_pack(seed, back=back, pack=number)
        if self._is(PackKind.LONG, number):
            return long_pack(seed, back=back, pack=number)
        return shuffled_pack(seed, back=back, pack=number)

    def _swapped(self, number: int, one: Pack, other: Pack) -> tuple[Pack, Pack]:
        dice = random.Random(~self._seed(number))
        at = dice.randrange(len(one))
        different = [place for place, card in enumerate(other) if card.identity != one[at].identity]
        return swapped(one, other, at, dice.choice(different))

    def _is(self, kind: PackKind, number: int) -> bool:
        return any(odd.kind is kind and odd.nth == number for odd in self._script.odd_packs)

    def _back(self, number: int) -> str:
        return _BACKS[(number - 1) % 2] if self._script.packs is Packs.TWO else BLUE

    def _seed(self, number: int) -> int:
        return self._script.seed * _SEEDS + number
